"""The next instant of a recurrence rule, in an explicit zone, on the office's working days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import dropwhile
from typing import Any, Literal
from zoneinfo import ZoneInfo

from dateutil import rrule

from config.workdays import WorkCalendar

Rule = Mapping[str, Any]

_FREQUENCIES: Mapping[str, Literal[0, 1, 2, 3]] = {
    "YEARLY": rrule.YEARLY,
    "MONTHLY": rrule.MONTHLY,
    "WEEKLY": rrule.WEEKLY,
    "DAILY": rrule.DAILY,
}
_STEPS = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}
_WEEKDAYS = {str(day): day for day in (rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU)}
_QUARTERLY = (3, 6)  # months: these intervals are the calendar's quarters and halves, wherever one starts to count
_HORIZON = timedelta(days=3660)


def next_after(
    rule: Rule, after: datetime, calendar: WorkCalendar, zone: ZoneInfo, *, since: date | None = None
) -> datetime | None:
    """The first instant of `rule` strictly after `after`, aware in `zone`; None when there is none within ten years
    or the rule names no time of day.

    `rule` has the shape that `jide when` prints. An interval (每两周) counts from the first day that fits on or after
    `since`, by default on or after the day of `after`: passing the last due instant keeps the rhythm. A wall time
    that a change of clocks skips fires at the instant it would have been, one that comes twice only the first time.
    """
    interval = int(rule.get("interval") or 1)
    if rule["freq"] in _STEPS:
        return _stepped(_STEPS[rule["freq"]] * interval, after, since, zone)
    day = after.astimezone(zone).date()
    days = dropwhile(lambda fitting: fitting < day, _days(rule, interval, since or day, day + _HORIZON, calendar))
    instants = (moment for fitting in days for moment in _moments(rule, fitting, zone))
    return next((moment for moment in instants if moment.astimezone(UTC) > after.astimezone(UTC)), None)


def _stepped(step: timedelta, after: datetime, since: date | None, zone: ZoneInfo) -> datetime:
    """Every few hours or minutes, counted from `after` or from midnight of `since`."""
    start = datetime.combine(since, time(), zone).astimezone(UTC) if since else after.astimezone(UTC)
    gone = (after.astimezone(UTC) - start) // step
    return (start + step * (gone + 1)).astimezone(zone)


def _moments(rule: Rule, day: date, zone: ZoneInfo) -> Iterator[datetime]:
    clocks = rule.get("times") or ([rule["time"]] if rule.get("time") else [])
    for clock in sorted(clocks):
        moment = datetime.combine(day, time.fromisoformat(clock), zone)
        yield moment.astimezone(UTC).astimezone(zone)


def _days(rule: Rule, interval: int, start: date, until: date, calendar: WorkCalendar) -> Iterator[date]:
    """The days of the rule from the first one on or after `start`."""
    if rule.get("workday") and rule["freq"] == "MONTHLY":
        return _nth_workdays(rule, interval, start, until, calendar)
    first = next(_fitting(rule, 1, start, until), None)
    if first is None:
        return iter(())
    days = _fitting(rule, interval, _quarter_month(rule, interval, first), until)
    if rule.get("workday"):
        days = (day for day in days if calendar.is_workday(day))
    return (day for day in days if day >= start)


def _fitting(rule: Rule, interval: int, start: date, until: date) -> Iterator[date]:
    fitting = rrule.rrule(
        _FREQUENCIES[rule["freq"]],
        interval=interval,
        byweekday=[_weekday(name) for name in rule.get("byday") or ()] or None,
        bymonthday=rule.get("bymonthday") or None,
        bymonth=rule.get("bymonth") or None,
        dtstart=datetime.combine(start, time()),
        until=datetime.combine(until, time()),
        wkst=rrule.MO,
    )
    return (moment.date() for moment in fitting)


def _weekday(name: str) -> rrule.weekday:
    """`FR` is every Friday, `-1FR` the last one, `2WE` the second Wednesday."""
    match = re.fullmatch(r"(-?\d*)([A-Z]{2})", name)
    if match is None:
        raise ValueError(f"not a weekday: {name}")
    weekday = _WEEKDAYS[match[2]]
    return weekday(int(match[1])) if match[1] else weekday


def _quarter_month(rule: Rule, interval: int, day: date) -> date:
    """Where months are counted from: 每季度末 ends with March, 每季度第一天 begins with January."""
    if rule["freq"] != "MONTHLY" or interval not in _QUARTERLY:
        return day
    from_end = any(number < 0 for number in rule.get("bymonthday") or ())
    month = interval if from_end else 1
    return date(day.year, month, 1 if rule.get("bymonthday") or rule.get("byday") else min(day.day, 28))


def _nth_workdays(rule: Rule, interval: int, start: date, until: date, calendar: WorkCalendar) -> Iterator[date]:
    """每月最后一个工作日 is `bymonthday: [-1]`, 第一个 `[1]`: of each month's working days, not of its days."""
    month = {**rule, "workday": False, "byday": [], "bymonthday": [1]}
    numbers = sorted(rule.get("bymonthday") or (1,), key=lambda number: (number < 0, number))
    begin = _quarter_month(rule, interval, start.replace(day=1))
    for first in _fitting(month, interval, begin, until):
        days = {_nth_workday(first, number, calendar) for number in numbers}
        yield from sorted(day for day in days if day is not None and day >= start)


def _nth_workday(first: date, number: int, calendar: WorkCalendar) -> date | None:
    """None for a month with fewer working days: it is skipped, as one without a 31st is."""
    day = first - timedelta(days=1) if number > 0 else (first + timedelta(days=31)).replace(day=1)
    for _ in range(abs(number)):
        day = calendar.next_workday(day) if number > 0 else calendar.previous_workday(day)
    return day if (day.year, day.month) == (first.year, first.month) else None
