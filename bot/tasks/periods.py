"""The period that a report covers, and the steps in which a chart walks through it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

Period = tuple[date, date]
"""First and last day, both included."""

Say = Callable[..., str]
"""`Texts.say(key, **fields)`: a sentence of config/texts.zh.yaml."""

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

KINDS = ("daily", "weekly", "monthly", "quarterly")


def period_of(kind: str, today: date) -> Period:
    """The current day, week (from Monday), month or quarter. Raises ValueError for a kind not in `KINDS`."""
    if kind == "daily":
        return today, today
    if kind == "weekly":
        monday = today - timedelta(days=today.weekday())
        return monday, monday + timedelta(days=6)
    if kind == "monthly":
        first = today.replace(day=1)
        return first, _month_after(first) - timedelta(days=1)
    if kind == "quarterly":
        first = date(today.year, today.month - (today.month - 1) % 3, 1)
        return first, _month_after(_month_after(_month_after(first))) - timedelta(days=1)
    raise ValueError(f"no report covers {kind!r}; known are {', '.join(KINDS)}")


def span_text(kind: str, period: Period, say: Say) -> str:
    """How people write the period: 03-02 至 03-08, 2026 年 3 月."""
    since, until = period
    style = "%m-%d" if since.year == until.year else "%Y-%m-%d"
    return say(
        f"report.span.{kind}",
        since=since.strftime(style),
        until=until.strftime(style),
        year=since.year,
        month=since.month,
        quarter=(since.month + 2) // 3,
    )


def steps(kind: str, period: Period, say: Say) -> list[tuple[str, Period]]:
    """The days of the period, of a quarter its weeks, each with its label: 周一, 3日, 03-30."""
    since, until = period
    length = 7 if kind == "quarterly" else 1
    first = since - timedelta(days=since.weekday()) if kind == "quarterly" else since
    count = (until - first).days // length + 1
    starts = [first + timedelta(days=length * step) for step in range(count)]
    return [(_label(kind, day, say), (day, day + timedelta(days=length - 1))) for day in starts]


def _label(kind: str, day: date, say: Say) -> str:
    if kind == "weekly":
        return say(f"report.weekday.{_WEEKDAYS[day.weekday()]}")
    if kind == "monthly":
        return say("report.day_of_month", day=day.day)
    return f"{day:%m-%d}"


def _month_after(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)
