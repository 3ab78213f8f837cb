"""The rule that a recurring time phrase means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.understanding.time_days import Fields, Office
from bot.understanding.time_points import clock_of_day
from bot.understanding.time_values import Every, Nth
from config.workdays import holiday

DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_WORKWEEK = tuple(range(5))
_EDGE_DAYS = {"start": 1, "mid": 15, "tens2": 11, "tens3": 21, "end": -1}
_MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def recurs(fields: Fields) -> bool:
    """Whether the wording says that this happens again and again."""
    return "every" in fields or "except" in fields or ("weekdays" in fields and fields["weekdays"][1])


def rule_of(fields: Fields, listed: Sequence[Fields], office: Office) -> dict[str, Any]:
    """`fields` and what was listed after it (9点和18点) as a rule; keys that say nothing are left out."""
    every: Every = fields.get("every") or Every("WEEKLY" if "weekdays" in fields else "DAILY")
    rule: dict[str, Any] = {"freq": every.freq, "interval": every.interval, "byday": []}
    rule |= _by_weekday(fields, every) or _by_month(fields, listed, every)
    workday = rule.pop("workday", every.workday)
    rule, workday = _without(fields.get("except", frozenset()), rule, workday)
    return rule | _times(fields, listed, office) | {"workday": workday}


def is_impossible(rule: Mapping[str, Any]) -> bool:
    """Whether some of its months or years lack the day (每月31号, 每年2月29日)."""
    months = rule.get("bymonth") or range(1, 13)
    return any(day > _MONTH_LENGTHS[month - 1] for day in rule.get("bymonthday", ()) for month in months)


def _by_weekday(fields: Fields, every: Every) -> dict[str, Any]:
    nth: Nth | None = fields.get("nth")
    if nth is not None and nth.unit == "weekday" and nth.weekday is not None:
        return {"byday": [f"{nth.index}{DAY_NAMES[nth.weekday]}"]}
    if nth is not None and nth.unit == "week" and "weekday" in fields:
        return {"byday": [f"{nth.index}{DAY_NAMES[fields['weekday'][1] or 0]}"]}
    if nth is not None and every.freq == "WEEKLY":
        return {"byday": [DAY_NAMES[_day_of_week(nth)]]}
    if "weekdays" in fields:
        days = fields["weekdays"][0]
    elif "weekday" in fields:
        days = (5, 6) if fields["weekday"][1] is None else (fields["weekday"][1],)
    else:
        return {}
    interval = every.interval if every.freq == "WEEKLY" else 1
    return {"freq": "WEEKLY", "interval": interval, "byday": _names(days), "workday": False}


def _day_of_week(nth: Nth) -> int:
    days = 5 if nth.unit == "workday" else 7
    return min(nth.index - 1, 6) if nth.index > 0 else max(days + nth.index, 0)


def _by_month(fields: Fields, listed: Sequence[Fields], every: Every) -> dict[str, Any]:
    if "month" in fields or "date" in fields:
        return _by_year(fields)
    if "holiday" in fields:
        return _by_holiday(fields["holiday"])
    days = [group["monthday"] for group in (fields, *listed) if "monthday" in group]
    nth: Nth | None = fields.get("nth")
    if "edge" in fields:
        unit, place = fields["edge"]
        return _by_edge(unit, place, every)
    if nth is not None:
        days = [nth.index]
    if not days:
        return {}
    if every.freq == "YEARLY":
        return {"bymonth": [12 if days[0] < 0 else 1], "bymonthday": days}
    freq = every if every.freq == "MONTHLY" else Every("MONTHLY")
    return {
        "freq": "MONTHLY",
        "interval": freq.interval,
        "bymonthday": days,
        "workday": nth is not None and nth.unit == "workday",
    }


def _by_year(fields: Fields) -> dict[str, Any]:
    _, month, day = fields.get("date") or (None, fields["month"], fields.get("monthday"))
    if isinstance(month, tuple):
        return {}
    if day is None and "edge" in fields:
        day = _EDGE_DAYS[fields["edge"][1]]
    return {"freq": "YEARLY", "interval": 1, "bymonth": [month]} | ({"bymonthday": [day]} if day else {})


def _by_holiday(name: str) -> dict[str, Any]:
    """A holiday with the same date every year has a rule; a lunar one has only its year."""
    one, other = holiday(name, 2025), holiday(name, 2026)
    if one is None or other is None or one.replace(year=2026) != other:
        return {"freq": "YEARLY"}
    return {"freq": "YEARLY", "bymonth": [one.month], "bymonthday": [one.day]}


def _by_edge(unit: str, place: str, every: Every) -> dict[str, Any]:
    day = _EDGE_DAYS[place]
    if unit == "year":
        return {"freq": "YEARLY", "bymonth": [12 if day < 0 else 1], "bymonthday": [day]}
    interval = 3 if unit == "quarter" else every.interval
    return {"freq": "MONTHLY", "interval": interval, "bymonthday": [day]}


def _without(excluded: frozenset[Any], rule: dict[str, Any], workday: bool) -> tuple[dict[str, Any], bool]:
    if "holiday" in excluded and rule["freq"] == "DAILY":
        return rule, True
    days = {5, 6} if "weekend" in excluded else {day for day in excluded if isinstance(day, int)}
    if not days or rule["freq"] not in ("DAILY", "WEEKLY"):
        return rule, workday
    said = rule["byday"] or DAY_NAMES
    kept = [name for name in said if name not in _names(sorted(days))]
    return rule | {"freq": "WEEKLY", "byday": kept}, workday


def _names(days: Sequence[int]) -> list[str]:
    return [DAY_NAMES[day] for day in days]


def _times(fields: Fields, listed: Sequence[Fields], office: Office) -> dict[str, Any]:
    part = None
    times: list[str] = []
    for group in (fields, *listed):
        part = group.get("part", part)
        if (clock := clock_of_day(group, part, office)) is not None:
            times.append(clock.isoformat("minutes"))
    return {"time": times[0] if times else None} | ({"times": times} if len(times) > 1 else {})
