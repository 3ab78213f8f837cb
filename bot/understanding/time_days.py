"""The days that a time phrase can mean, from the present one onwards."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import Any

from bot.understanding.time_values import Nth, Span
from config.workdays import WorkCalendar, holiday

Fields = Mapping[str, Any]
Days = Iterator[tuple[date, date | None]]  # each with the last day when the phrase names a longer stretch

_ANY_HOLIDAY = frozenset({"节", "放假", "假期", "假"})  # 节后, 放假前: of whichever comes next


class Impossible(ValueError):
    """There is no such date or time (2月30日)."""


@dataclass(frozen=True)
class Office:
    """What a phrase is read against: when it was said, the working calendar and the office's hours."""

    now: datetime
    calendar: WorkCalendar
    opening: time
    closing: time
    digest: time = time(8)

    @property
    def today(self) -> date:
        return self.now.date()

    def is_open_at(self, hour: int, minute: int) -> bool:
        return hour < 24 and self.opening <= time(hour, minute) <= self.closing


def days_of(fields: Fields, office: Office) -> Days:
    """The days that fit, from the present one onwards; only one when the phrase says which."""
    days = _anchors(fields, office)
    shift: Span | None = fields.get("shift")
    if shift is None or shift.seconds:
        return days
    return ((add(day, shift, office.calendar), None) for day, _ in days)


def _anchors(fields: Fields, office: Office) -> Days:
    today = office.today
    if "offset" in fields:
        return _from_offset(fields, office)
    if "date" in fields:
        year, month, day = fields["date"]
        return _existing(_years(fields, today, year), month, day)
    if "holiday" in fields or "newyearday" in fields:
        return _holidays(fields, office)
    if "quarter" in fields or _edge_unit(fields) == "quarter":
        return _quarters(fields, today)
    if "month" in fields or "monthday" in fields or _edge_unit(fields) == "month":
        return _in_months(fields, office)
    if "week" in fields or "weekday" in fields or "weekdays" in fields:
        return _in_weeks(fields, office)
    if "day" in fields and "year" in fields:
        day = today + timedelta(days=fields["day"])
        return _existing(_years(fields, today), day.month, day.day)
    if "day" in fields:
        return iter([(today + timedelta(days=fields["day"]), None)])
    if "year" in fields or _edge_unit(fields) == "year":
        return _in_years(fields, office)
    if "nth" in fields:
        return _uncontained(fields, office)
    return ((today + timedelta(days=later), None) for later in count())


def _edge_unit(fields: Fields) -> str | None:
    return fields["edge"][0] if "edge" in fields else None


def _years(fields: Fields, today: date, year: int | None = None) -> Iterator[int]:
    said = fields.get("year") if year is None else year
    if said is None:
        return count(today.year)
    if isinstance(said, tuple):
        return iter([today.year + said[1]])
    return iter([_century(said, today)])


def _century(year: int, today: date) -> int:
    """98年 is 1998, 08年 is 2008: two digits mean the nearest such year that is at most twenty years ahead."""
    if year >= 100:
        return year
    return year + (2000 if year <= (today.year + 20) % 100 else 1900)


def _existing(years: Iterator[int], month: int, day: int) -> Days:
    for year in years:
        if not 1 <= month <= 12 or not 1 <= day <= 31:
            return
        if day <= monthrange(year, month)[1]:
            yield date(year, month, day), None


def _from_offset(fields: Fields, office: Office) -> Days:
    day = add(office.today, fields["offset"], office.calendar)
    if "weekday" in fields:
        day += timedelta(days=(fields["weekday"][1] or 0) - day.weekday())
    return iter([(day, None)])


def _holidays(fields: Fields, office: Office) -> Days:
    for year in _years(fields, office.today):
        if "newyearday" in fields:
            first = holiday("春节", year)
            day = first + timedelta(days=fields["newyearday"] - 1) if first else None
        elif fields["holiday"] in _ANY_HOLIDAY:
            day = _next_holiday(office)
        else:
            day = holiday(fields["holiday"], year)
        if day is None:
            return
        yield _around_holiday(day, fields, office.calendar), None


def _next_holiday(office: Office) -> date | None:
    days = (office.today + timedelta(days=later) for later in range(366))
    return next((day for day in days if office.calendar.is_holiday(day)), None)


def _around_holiday(day: date, fields: Fields, calendar: WorkCalendar) -> date:
    nth: Nth | None = fields.get("nth")
    if nth is not None and nth.unit == "workday":
        return add(day, Span(workdays=nth.index), calendar)
    if nth is not None and nth.unit == "day":
        return calendar.last_day_off(day) if nth.index < 0 else day + timedelta(days=nth.index - 1)
    if fields.get("side") and "shift" not in fields:
        return calendar.next_workday(day) if fields["side"] > 0 else calendar.previous_workday(day)
    return day


def _quarters(fields: Fields, today: date) -> Days:
    said = fields.get("quarter")
    if isinstance(said, tuple):
        firsts = iter([_add_months(date(today.year, today.month - (today.month - 1) % 3, 1), 3 * said[1])])
    elif said is not None:
        firsts = (date(year, 3 * said - 2, 1) for year in _years(fields, today))
    else:
        start = date(today.year, today.month - (today.month - 1) % 3, 1)
        firsts = (_add_months(start, 3 * later) for later in count())
    for first in firsts:
        last = _add_months(first, 3) - timedelta(days=1)
        yield _edge_of(fields, first, last)


def _edge_of(fields: Fields, first: date, last: date) -> tuple[date, date | None]:
    place = fields["edge"][1] if "edge" in fields else None
    nth: Nth | None = fields.get("nth")
    if place == "end" or (nth is not None and nth.unit == "day" and nth.index == -1):
        return last, None
    if place == "start" or nth is not None:
        return first, None
    return first, last


def _in_months(fields: Fields, office: Office) -> Days:
    for first in _months(fields, office.today):
        last = first.replace(day=monthrange(first.year, first.month)[1])
        if "day" in fields and "monthday" not in fields:
            yield first.replace(day=min(office.today.day, last.day)), None
        elif "monthday" in fields:
            if 1 <= fields["monthday"] <= last.day:
                yield first.replace(day=fields["monthday"]), None
        elif "nth" in fields:
            if (day := _nth(fields, first, last, office.calendar)) is not None:
                yield day
        elif "edge" in fields:
            start = {"start": 1, "mid": 15, "tens2": 11, "tens3": 21, "end": last.day}[fields["edge"][1]]
            yield first.replace(day=start), None
        else:
            yield first, last


def _months(fields: Fields, today: date) -> Iterator[date]:
    said = fields.get("month")
    if said is None and "year" not in fields:
        return (_add_months(today.replace(day=1), later) for later in count())
    if isinstance(said, tuple):
        year = next(_years(fields, today)) if "year" in fields else today.year
        return iter([_add_months(date(year, today.month, 1), said[1])])
    if said is None:
        return (date(year, month, 1) for year in _years(fields, today) for month in range(1, 13))
    if not 1 <= said <= 12:
        raise Impossible
    return (date(year, said, 1) for year in _years(fields, today))


def _nth(fields: Fields, first: date, last: date, calendar: WorkCalendar) -> tuple[date, date | None] | None:
    """The n-th weekday, day, workday or week between two days, inclusive."""
    nth: Nth = fields["nth"]
    if nth.unit == "week":
        return _nth_week(fields, first)
    step = 1 if nth.index > 0 else -1
    left = abs(nth.index)
    day = first if step > 0 else last
    while first <= day <= last:
        left -= _fits(day, nth, calendar)
        if left == 0:
            return day, None
        day += timedelta(days=step)
    return None


def _fits(day: date, nth: Nth, calendar: WorkCalendar) -> bool:
    if nth.unit == "weekday":
        return day.weekday() == nth.weekday
    return nth.unit != "workday" or calendar.is_workday(day)


def _nth_week(fields: Fields, first: date) -> tuple[date, date | None]:
    """第二周 of a month or year: the first week is the one with its first Monday."""
    monday = first + timedelta(days=-first.weekday() % 7 + 7 * (fields["nth"].index - 1))
    if "weekday" in fields:
        return monday + timedelta(days=fields["weekday"][1] or 0), None
    return monday, monday + timedelta(days=6)


def _in_weeks(fields: Fields, office: Office) -> Days:
    today = office.today
    monday = today - timedelta(days=today.weekday())
    weeks, weekday = _week_and_weekday(fields)
    if "nth" in fields and "week" not in fields:
        return _in_months(fields, office)
    if "nth" in fields:
        first = monday + timedelta(days=7 * (weeks or 0))
        found = _nth(fields, first, first + timedelta(days=6), office.calendar)
        return iter([found] if found else [])
    if "day" in fields and "weekday" not in fields:
        return iter([(today + timedelta(days=7 * (weeks or 0) + fields["day"]), None)])
    if weekday is None and "weekday" not in fields:
        first = monday + timedelta(days=7 * (weeks or 0))
        return iter([(first, first + timedelta(days=6))])
    if "day" in fields and weeks is None:
        return iter([(today + timedelta(days=fields["day"]), None)])
    later = (weeks,) if weeks is not None else count()
    if weekday is None:
        return (_weekend(monday + timedelta(days=7 * week), today) for week in later)
    start = today + timedelta(days=1) if len(fields.get("weekday", ())) == 3 else date.min
    days = (monday + timedelta(days=7 * week + weekday) for week in later)
    return ((day, None) for day in days if day >= start)


def _week_and_weekday(fields: Fields) -> tuple[int | None, int | None]:
    weeks, weekday = fields["weekday"][:2] if "weekday" in fields else (None, None)
    if "weekdays" in fields:
        weekday = fields["weekdays"][0][0]
    return fields.get("week", weeks), weekday


def _weekend(monday: date, today: date) -> tuple[date, date | None]:
    saturday, sunday = monday + timedelta(days=5), monday + timedelta(days=6)
    return (sunday if today == sunday else saturday), sunday


def _in_years(fields: Fields, office: Office) -> Days:
    for year in _years(fields, office.today):
        first, last = date(year, 1, 1), date(year, 12, 31)
        if "nth" in fields:
            if (found := _nth(fields, first, last, office.calendar)) is not None:
                yield found
        else:
            yield _edge_of(fields, first, last)


def _uncontained(fields: Fields, office: Office) -> Days:
    """第三天 counts from today; 第一个周一 and 最后一天 are a month's."""
    nth: Nth = fields["nth"]
    if nth.unit == "day" and nth.index > 0:
        return iter([(office.today + timedelta(days=nth.index - 1), None)])
    return _in_months(fields, office)


# --- arithmetic ----------------------------------------------------------------------------------------------


def add(day: date, span: Span, calendar: WorkCalendar) -> date:
    day = _add_months(day, span.months) + timedelta(days=span.days)
    for _ in range(min(abs(span.workdays), 1000)):
        day = calendar.next_workday(day) if span.workdays > 0 else calendar.previous_workday(day)
    return day


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
