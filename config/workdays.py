"""The working calendar: which days are worked, who says so, and on which date a holiday falls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import MAXYEAR, MINYEAR, date, timedelta
from functools import cache
from typing import Any, Literal

Source = Literal["override", "chinesecalendar", "holidays", "weekdays"]
Override = Mapping[Any, Mapping[str, Iterable[Any]]]

_DAY = timedelta(days=1)
_LONGEST_BREAK = 30  # no run of days off is longer; bounds every search
_HOLIDAYS_FIRST, _HOLIDAYS_LAST = 1950, 2099  # the years whose lunar dates the holidays library knows

_FIXED = {
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "植树节": (3, 12), "愚人节": (4, 1), "劳动节": (5, 1),
    "青年节": (5, 4), "儿童节": (6, 1), "建党节": (7, 1), "建军节": (8, 1), "教师节": (9, 10), "国庆节": (10, 1),
    "万圣节": (10, 31), "光棍节": (11, 11), "双十二": (12, 12), "平安夜": (12, 24), "圣诞节": (12, 25),
}  # fmt: skip
_LIBRARY_NAMES = {
    "春节": "Chinese New Year (Spring Festival)",
    "清明节": "Tomb-Sweeping Day",
    "端午节": "Dragon Boat Festival",
    "中秋节": "Mid-Autumn Festival",
}
_NTH_WEEKDAY = {"母亲节": (5, 6, 2), "父亲节": (6, 6, 3), "感恩节": (11, 3, 4)}  # month, weekday, which
_AFTER_NEW_YEAR = {"元宵节": 14, "除夕": -1}  # days from the first day of the lunar year
_ALIASES = {
    "元旦节": "元旦", "新年": "元旦", "三八": "妇女节", "五一": "劳动节", "五四": "青年节", "六一": "儿童节",
    "七一": "建党节", "八一": "建军节", "十一": "国庆节", "国庆": "国庆节", "圣诞": "圣诞节", "双十一": "光棍节",
    "双11": "光棍节", "双12": "双十二", "大年三十": "除夕", "大年初一": "春节", "正月初一": "春节", "过年": "春节",
    "新春": "春节", "农历新年": "春节", "清明": "清明节", "端午": "端午节", "中秋": "中秋节", "元宵": "元宵节",
    "劳动": "劳动节",
}  # fmt: skip


class WorkCalendar:
    """The official Chinese calendar with make-up days, and the admin's override on top.

    `override` maps a year to `{"off": [...], "work": [...]}`, dates as ISO strings or dates. Each day is looked up
    in the override, then in chinesecalendar (2004 to the last year that it was published for), then in holidays
    (statutory days without make-up days), and otherwise Monday to Friday are worked. Answers are remembered.
    """

    def __init__(self, override: Override | None = None) -> None:
        self._override: dict[date, bool] = {}
        self._override_years: set[int] = set()
        for year, days in (override or {}).items():
            self._override_years.add(int(year))
            for kind, is_work in (("off", False), ("work", True)):
                self._override |= {_as_date(day): is_work for day in days.get(kind) or ()}
        self._seen: dict[date, tuple[bool, Source]] = {}

    def is_workday(self, day: date) -> bool:
        return self._look_up(day)[0]

    def source(self, day: date) -> Source:
        """Who says whether `day` is worked."""
        return self._look_up(day)[1]

    def is_holiday(self, day: date) -> bool:
        """A day off that is more than a plain weekend: a public holiday, its bridge days, or an override's."""
        worked, source = self._look_up(day)
        if worked or source == "weekdays":
            return False
        if source == "override" or day.weekday() < 5:
            return True
        return _is_public_holiday(day)

    def is_published(self, year: int) -> bool:
        """Whether the make-up days of `year` are known, not only its statutory days."""
        return year in self._override_years or _official(date(year, 1, 1)) is not None

    def next_workday(self, day: date) -> date:
        """The first workday after `day`."""
        return self._walk(day, _DAY)

    def previous_workday(self, day: date) -> date:
        """The last workday before `day`."""
        return self._walk(day, -_DAY)

    def last_day_off(self, day: date) -> date:
        """The last day of the run of days off that `day` lies in; `day` itself when it is worked."""
        return day if self.is_workday(day) else self.next_workday(day) - _DAY

    def _walk(self, day: date, step: timedelta) -> date:
        for _ in range(_LONGEST_BREAK):
            day += step
            if self.is_workday(day):
                return day
        return day

    def _look_up(self, day: date) -> tuple[bool, Source]:
        known = self._seen.get(day)
        if known is None:
            known = self._seen[day] = self._decide(day)
        return known

    def _decide(self, day: date) -> tuple[bool, Source]:
        if (override := self._override.get(day)) is not None:
            return override, "override"
        if (official := _official(day)) is not None:
            return official, "chinesecalendar"
        if (statutory := _statutory(day)) is not None:
            return statutory, "holidays"
        return day.weekday() < 5, "weekdays"


def holiday(name: str, year: int) -> date | None:
    """The date of the holiday called `name` (国庆, 五一, 端午节, 除夕…) in `year`; None when it is none we know.

    春节 is the first day of the lunar year; 清明, 端午 and 中秋 are the day itself, not the days off around it.
    """
    if not MINYEAR <= year <= MAXYEAR:
        return None
    name = _ALIASES.get(name, name)
    if name in _FIXED:
        month, day = _FIXED[name]
        return date(year, month, day)
    if name in _NTH_WEEKDAY:
        month, weekday, which = _NTH_WEEKDAY[name]
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1))
    if name in _AFTER_NEW_YEAR:
        new_year = holiday("春节", year)
        return new_year + timedelta(days=_AFTER_NEW_YEAR[name]) if new_year else None
    return _library_dates(year).get(_LIBRARY_NAMES.get(name, ""))


def holiday_names() -> tuple[str, ...]:
    """Every name that `holiday` knows, longest first, so that a pattern made of them is greedy."""
    names = {*_FIXED, *_LIBRARY_NAMES, *_NTH_WEEKDAY, *_AFTER_NEW_YEAR, *_ALIASES}
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


def _as_date(day: date | str) -> date:
    return day if isinstance(day, date) else date.fromisoformat(day)


def _official(day: date) -> bool | None:
    """What chinesecalendar says; None outside its years. Imported late: most commands never ask."""
    import chinese_calendar

    try:
        return bool(chinese_calendar.is_workday(day))
    except NotImplementedError:
        return None


def _statutory(day: date) -> bool | None:
    if not _HOLIDAYS_FIRST <= day.year <= _HOLIDAYS_LAST:
        return None
    return bool(_library().is_working_day(day))


def _is_public_holiday(day: date) -> bool:
    return _HOLIDAYS_FIRST <= day.year <= _HOLIDAYS_LAST and day in _library()


@cache
def _library() -> Any:
    import holidays

    return holidays.country_holidays("CN")


@cache
def _library_dates(year: int) -> Mapping[str, date]:
    """The first date of each holiday of `year` that the holidays library names."""
    if not _HOLIDAYS_FIRST <= year <= _HOLIDAYS_LAST:
        return {}
    import holidays

    first: dict[str, date] = {}
    for day, names in sorted(holidays.country_holidays("CN", years=year).items()):
        for name in names.split("; "):
            first.setdefault(name, day)
    return first
