"""What each pattern of a time word says: the parts that it matched, made into a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.understanding import time_patterns as patterns
from bot.understanding.time_numerals import fuzzy_hour, number
from bot.understanding.time_values import Clock, Every, Nth, Span

WEEKDAYS = (
    {char: index % 7 for index, char in enumerate("一二三四五六日")} | {"天": 6} | {str(d): d - 1 for d in range(1, 8)}
)
ENGLISH_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Groups(dict[str, str]):
    """The named parts of a match (`day_2` is another spelling of `day`); a part that was not said is empty."""

    def __missing__(self, name: str) -> str:
        return ""


Builder = Callable[[Groups, str], Any]


def _int(groups: Groups, name: str) -> int | None:
    text = groups.get(name)
    return number(text) if text else None


def _steps(word: str) -> int:
    """下下 = 2, 上 = -1, 这 = 0."""
    return word.count("下") - word.count("上") + (word.lower() == "next") - (word.lower() == "last")


_LAST_HOUR_SAID = 29  # 25点 is a slip of the tongue, 100点 is no time at all


def _clock(groups: Groups, text: str) -> Clock | None:
    hour = fuzzy_hour(groups["hour"])
    if hour is None or hour > _LAST_HOUR_SAID:
        return None
    before = _before(groups["before"])
    minute = _minute(groups)
    if minute is None or minute > 59 or (hour == 24 and minute):
        return None
    if before:
        hour, minute = (hour - 1, 60 - before) if hour else (23, 60 - before)
    return Clock(hour, minute, _int(groups, "second") or 0, exact=hour > 12 or hour == 0)


def _before(text: str | None) -> int:
    if not text:
        return 0
    return 15 * (number(text[0]) or 0) if text.endswith("刻") else number(text) or 0


def _minute(groups: Groups) -> int | None:
    if groups["half"]:
        return 30
    if groups["quarters"]:
        return 15 * (_int(groups, "quarters") or 0)
    if groups["fives"]:
        return 5 * (_int(groups, "fives") or 0)
    return number(groups["minute"]) if groups["minute"] else 0


def _digital(groups: Groups, text: str) -> Clock | None:
    hour, minute = int(groups["hour"] or 0), int(groups["minute"] or 0)
    exact = hour > 12 or groups["hour"].startswith("0")
    if hour > 24 or minute > 59:
        return None
    return _with_meridiem(Clock(hour, minute, int(groups["second"] or 0), exact, spoken=False), groups["ap"])


def _english_clock(groups: Groups, text: str) -> Clock | None:
    hour = int(groups["hour"] or 0)
    return _with_meridiem(Clock(hour, int(groups["minute"] or 0)), groups["ap"]) if hour <= 12 else None


def _with_meridiem(clock: Clock, letter: str | None) -> Clock:
    if not letter or clock.hour > 12:
        return clock
    hour = clock.hour % 12 + (12 if letter.lower() == "p" else 0)
    return Clock(hour, clock.minute, clock.second, exact=True, spoken=clock.spoken)


_UNITS = (
    ("工作", Span(workdays=1)), ("交易", Span(workdays=1)), ("秒", Span(seconds=1)), ("刻", Span(seconds=900)), ("分", Span(seconds=60)),
    ("小时", Span(seconds=3600)), ("钟", Span(seconds=3600)), ("天", Span(days=1)), ("日", Span(days=1)), ("周", Span(days=7)),
    ("星期", Span(days=7)), ("礼拜", Span(days=7)), ("季", Span(months=3)), ("月", Span(months=1)), ("年", Span(months=12)),
    ("s", Span(seconds=1)), ("m", Span(seconds=60)), ("h", Span(seconds=3600)), ("d", Span(days=1)), ("w", Span(days=7)),
)  # fmt: skip
_HALVES = {
    Span(months=12): Span(months=6), Span(months=3): Span(days=45), Span(months=1): Span(days=15), Span(days=7): Span(days=3),
    Span(days=1): Span(seconds=43200), Span(seconds=3600): Span(seconds=1800), Span(seconds=60): Span(seconds=30),
}  # fmt: skip


def unit_of(word: str) -> Span:
    return next(span for name, span in _UNITS if word.lower().startswith(name))


def length(text: str) -> Span | None:
    """The length that 两个半小时, 半个月, 一小时二十分钟 or 10 min says."""
    total = Span()
    for part in patterns.LENGTH_PART.finditer(text):
        unit = unit_of(part["unit"])
        count = 0 if part["count"] == "半" else number(part["count"])
        if count is None or count > 100_000:
            return None
        total += unit * count
        if part["tenths"]:
            total += Span(seconds=unit.seconds * int(part["tenths"]) // 10)
        if part["count"] == "半" or part["half"] or part["half2"]:
            total += _HALVES.get(unit, Span())
    return total


def _offset(groups: Groups, text: str) -> Span | None:
    span = length(groups["length"])
    back = groups["side"] in ("前", "ago")
    return span * -1 if span and back else span


def _shift(groups: Groups, text: str) -> Span | None:
    count = _int(groups, "count") or 1
    return unit_of(groups["unit"]) * (-count if groups["side"] == "前" else count)


def _next_workday(groups: Groups, text: str) -> Span:
    return Span(workdays=_steps(groups["rel"].replace("后", "下").replace("前", "上")))


def _weekday(groups: Groups, text: str) -> tuple[int | None, int | None]:
    """(weeks from this one or None when bare, weekday or None for the weekend)."""
    day = groups["day"]
    weekday = WEEKDAYS.get(day) if day not in ("末",) else None
    return _rel_weeks(groups["rel"]), weekday


def _rel_weeks(rel: str | None) -> int | None:
    if not rel or rel.startswith("下一个"):
        return None
    return _steps(rel)


def _english_weekday(groups: Groups, text: str) -> tuple[int | None, int | None]:
    rel = (groups["rel"] or "").strip().lower()
    weeks = {"": None, "this": 0, "next": 1, "last": -1}.get(rel)
    return weeks, ENGLISH_WEEKDAYS.index(groups["day"][:3].lower())


def _weekday_list(groups: Groups, text: str) -> tuple[tuple[int, ...], bool]:
    """(the weekdays, whether the wording alone says that they recur: 一三五, 周一到周五)."""
    days = [WEEKDAYS[char] for char in text if char in WEEKDAYS]
    if groups["to"]:
        first, last = days[0], days[-1]
        span = tuple((first + step) % 7 for step in range((last - first) % 7 + 1))
        return span, len(span) >= 5
    in_one_breath = not groups["comma"] and len(days) > len(re.findall("周|星期|礼拜", text))
    return tuple(sorted(set(days))), in_one_breath or len(set(days)) > 2


def _nth(groups: Groups, text: str) -> Nth | None:
    index = _int(groups, "index") or 1
    if groups["last"]:
        index = -index
    elif groups["final"]:
        index = -1
    unit = groups["unit"]
    weekday = WEEKDAYS.get(unit[-1]) if unit[0] in "周星礼" and len(unit) > 1 and unit not in ("星期", "礼拜") else None
    name = {"工": "workday", "上": "workday", "周": "week", "星": "week", "礼": "week"}.get(unit[0], "day")
    return Nth(index, "weekday" if weekday is not None else name, weekday)


def _every_n(groups: Groups, text: str) -> Every | None:
    count = _int(groups, "count") or 1
    unit = unit_of(groups["unit"])
    if groups["half"]:
        unit, count = _HALVES[unit], 1
    if groups["gap"] and unit.seconds == 0:
        count += 1
    return _every_span(unit * count)


def _every_span(span: Span) -> Every | None:
    if span.workdays:
        return Every("DAILY", span.workdays, workday=True)
    if span.months:
        return Every("YEARLY", span.months // 12) if span.months % 12 == 0 else Every("MONTHLY", span.months)
    if span.days:
        return Every("WEEKLY", span.days // 7) if span.days % 7 == 0 else Every("DAILY", span.days)
    if span.seconds % 3600 == 0 and span.seconds:
        return Every("HOURLY", span.seconds // 3600)
    return Every("MINUTELY", span.seconds // 60) if span.seconds >= 60 else None


def _year(groups: Groups, text: str) -> int | None:
    word = groups["year"]
    return number(word) if len(word) != 1 else None


def _date(groups: Groups, text: str) -> tuple[int | None, int, int]:
    return int(groups["year"] or 0), int(groups["month"] or 0), int(groups["day"] or 0)


def _short_date(groups: Groups, text: str) -> tuple[int, int, int] | None:
    """Three numbers with one separator. The year is last when it has four digits, exceeds a day, or the first is
    short; the day comes before the month unless that cannot be."""
    first, second, third = groups["a"], groups["b"], groups["c"]
    a, b, c = int(first), int(second), int(third)
    if len(third) == 4 or c > 31 or len(first) < len(third):
        year, month, day = c, b, a
        if month > 12:
            month, day = day, month
    else:
        year, month, day = a, b, c
    return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _month_day(groups: Groups, text: str) -> tuple[None, int, int] | None:
    month, day = int(groups["month"] or 0), int(groups["day"] or 0)
    return (None, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _edge(text: str) -> str:
    if "旬" in text:
        return {"上": "start", "中": "tens2", "下": "tens3"}[text[0]]
    return "end" if text[-1] in "底末尾" else "mid" if "中" in text else "start"


_RELATIVE_DAYS = {
    "大大后": 4, "大后": 3, "后": 2, "明": 1, "听": 1, "翌": 1, "次": 1, "今": 0, "本": 0, "当": 0, "昨": -1, "寻": -1, "琴": -1, "前": -2,
    "大前": -3, "tomorrow": 1, "tmr": 1, "tmrw": 1, "today": 0, "tonight": 0, "yesterday": -1,
}  # fmt: skip
_RELATIVE_YEARS = {
    "今": 0, "本": 0, "这": 0, "明": 1, "来": 1, "次": 1, "下": 1, "后": 2, "大后": 3, "去": -1, "上": -1, "前": -2, "大前": -3,
}  # fmt: skip
_ENGLISH_EVERY = {
    "day": Every("DAILY"), "daily": Every("DAILY"), "week": Every("WEEKLY"), "weekly": Every("WEEKLY"),
    "month": Every("MONTHLY"), "monthly": Every("MONTHLY"), "year": Every("YEARLY"),
    "weekday": Every("DAILY", workday=True), "workday": Every("DAILY", workday=True),
}  # fmt: skip

BUILDERS: Mapping[str, Builder] = {
    "clock:digital": _digital,
    "clock:english": _english_clock,
    "clock:spoken": _clock,
    "clock:range": lambda groups, text: (
        Clock(hour) if (hour := number(groups["hour"])) is not None and hour <= 24 else None
    ),
    "clock:midnight": lambda groups, text: Clock(0, exact=True),
    "clock:opening": lambda groups, text: "opening",
    "clock:closing": lambda groups, text: "closing",
    "clock:digest": lambda groups, text: "digest",
    "offset": _offset,
    "offset:workday": _next_workday,
    "shift": _shift,
    "side": lambda groups, text: ("前" not in text) * 2 - 1 if "前后" not in text else 0,
    "weekday": _weekday,
    "weekday:next": lambda groups, text: (None, WEEKDAYS[groups["day"]], "after today"),
    "weekday:english": _english_weekday,
    "weekdays": _weekday_list,
    "week": lambda groups, text: _steps(groups["rel"]),
    "nth": _nth,
    "every:day": lambda groups, text: Every("DAILY"),
    "every:workday": lambda groups, text: Every("DAILY", workday=True),
    "every:weekday": lambda groups, text: Every("WEEKLY"),
    "every:week": lambda groups, text: Every("WEEKLY"),
    "every:weekend": lambda groups, text: Every("WEEKLY"),
    "every:biweekly": lambda groups, text: Every("WEEKLY", 2),
    "every:month": lambda groups, text: Every("MONTHLY"),
    "every:quarter": lambda groups, text: Every("MONTHLY", 3),
    "every:hour": lambda groups, text: Every("HOURLY"),
    "every:year": lambda groups, text: Every("YEARLY"),
    "every:count": _every_n,
    "every:english": lambda groups, text: _ENGLISH_EVERY[(groups["unit"] or text).lower().replace(" ", "")],
    "every:other": lambda groups, text: _every_span(unit_of(text[-1]) * 2),
    "day": lambda groups, text: _RELATIVE_DAYS[groups["rel"].lower()],
    "month:relative": lambda groups, text: ("relative", _steps(groups["rel"])),
    "month": lambda groups, text: _int(groups, "month"),
    "monthday": lambda groups, text: _int(groups, "day"),
    "year": _year,
    "year:relative": lambda groups, text: ("relative", _RELATIVE_YEARS[groups["rel"].rstrip("一")]),
    "quarter:relative": lambda groups, text: ("relative", _steps(groups["rel"])),
    "quarter": lambda groups, text: _int(groups, "quarter"),
    "date": _date,
    "date:short": _short_date,
    "date:monthday": _month_day,
    "edge:month": lambda groups, text: ("month", _edge(text)),
    "edge:quarter": lambda groups, text: ("quarter", _edge(text)),
    "edge:year": lambda groups, text: ("year", _edge(text)),
    "part": lambda groups, text: patterns.PARTS[text.lower()],
    "holiday": lambda groups, text: groups["name"],
    "newyearday": lambda groups, text: _int(groups, "day"),
    "except": lambda groups, text: _exception(text),
}


def _exception(text: str) -> frozenset[str] | frozenset[int]:
    named = frozenset(WEEKDAYS[day] for day in re.findall(r"(?:周|星期|礼拜)([一二三四五六日天])", text))
    return named or frozenset({"holiday" if "节" in text or "假" in text else "weekend"})
