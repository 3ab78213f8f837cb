"""A crontab line with crontab's own meaning, judged when it is read: 0 and 7 are Sunday, an impossible one is refused.

(APScheduler counts weekdays from Monday, so `1-5` would fire from Tuesday to Saturday there.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from config.problems import Wrong

_CURE = "写成“分 时 日 月 星期”，如 30 3 * * * 或 0 9 * * mon-fri"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_HORIZON = 8 * 366 + 1  # days within which even 29 February on a given weekday or across 2100 comes round


@dataclass(frozen=True)
class Cron:
    """When something recurs, to the minute. As in crontab, of a day and a weekday either one is enough."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday

    @classmethod
    def parse(cls, text: str) -> Cron:
        """The line's meaning; raises `Wrong` when it has none or when its moment never comes."""
        fields = text.lower().split()
        if len(fields) != 5:
            raise Wrong(f"应有五段，现在有 {len(fields)} 段", _CURE)
        minute, hour, day, month, weekday = fields
        cron = cls(
            text,
            _field(minute, "分", 0, 59),
            _field(hour, "时", 0, 23),
            _field(day, "日", 1, 31),
            _field(month, "月", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
            frozenset(each % 7 for each in _field(weekday, "星期", 0, 7, {n: i for i, n in enumerate(_WEEKDAYS)})),
        )
        if cron._first_day_from(datetime(2024, 1, 1)) is None:  # noqa: DTZ001 - a calendar day, no moment
            raise Wrong("这一天永远不会到来", "检查日和月，例如二月没有 30 号")
        return cron

    def __str__(self) -> str:
        return self.text

    def next_after(self, moment: datetime) -> datetime:
        """The first time after an aware moment, in that moment's zone."""
        if moment.tzinfo is None:
            raise ValueError("an aware moment is needed")
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        while True:
            day = self._first_day_from(day) or day  # there is always one: `parse` made sure
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    if (found := day.replace(hour=hour, minute=minute)) > moment:
                        return found
            day += timedelta(days=1)

    def _first_day_from(self, day: datetime) -> datetime | None:
        candidates = (day + timedelta(days=offset) for offset in range(_HORIZON))
        return next((each for each in candidates if self._is_on(each)), None)

    def _is_on(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        fits_day, fits_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        if len(self.days) < 31 and len(self.weekdays) < 7:
            return fits_day or fits_weekday
        return fits_day and fits_weekday


def _field(text: str, name: str, low: int, high: int, names: dict[str, int] | None = None) -> frozenset[int]:
    return frozenset(value for part in text.split(",") for value in _values(part, name, low, high, names or {}))


def _values(part: str, name: str, low: int, high: int, names: dict[str, int]) -> Iterator[int]:
    found = re.fullmatch(r"(\*|\w+)(?:-(\w+))?(?:/(\d{1,2}))?", part, re.ASCII)
    if found is None or (found[1] == "*" and found[2]):
        raise Wrong(f"{name}看不懂", _CURE)
    start = low if found[1] == "*" else _number(found[1], name, low, high, names)
    end = _number(found[2], name, low, high, names) if found[2] else start
    if found[1] == "*" or (found[3] and not found[2]):
        end = high
    if end < start and names and end == 0:
        end = 7  # fri-sun
    step = int(found[3] or 1)
    if end < start or step == 0:
        raise Wrong(
            f"{name}的范围倒着写了" if step else f"{name}的间隔是 0", "从小写到大，跨过头的写成两段，用逗号隔开"
        )
    return iter(range(start, end + 1, step))


def _number(text: str, name: str, low: int, high: int, names: dict[str, int]) -> int:
    number = names.get(text[:3]) if text.isalpha() else int(text) if text.isdecimal() and len(text) < 4 else None
    if number is None or not low <= number <= high:
        raise Wrong(f"{name}应在 {low} 到 {high} 之间", _CURE)
    return number
