"""The working calendar: make-up days, the admin's override, and years that nobody has published yet."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.workdays import WorkCalendar, holiday, holiday_names

CALENDAR = WorkCalendar()


@pytest.mark.parametrize(
    ("day", "worked", "source"),
    [
        ("2026-09-20", True, "chinesecalendar"),  # a Sunday made up for 国庆
        ("2026-10-10", True, "chinesecalendar"),
        ("2026-09-25", False, "chinesecalendar"),  # 中秋, a Friday
        ("2026-10-07", False, "chinesecalendar"),
        ("2026-10-08", True, "chinesecalendar"),
        ("2027-10-01", False, "holidays"),
        ("2027-10-09", False, "holidays"),
        ("2027-10-12", True, "holidays"),
        ("2101-01-04", True, "weekdays"),
        ("2101-01-08", False, "weekdays"),
    ],
)
def test_who_says_whether_a_day_is_worked(day: str, worked: bool, source: str) -> None:
    assert (CALENDAR.is_workday(date.fromisoformat(day)), CALENDAR.source(date.fromisoformat(day))) == (
        worked,
        source,
    )


def test_override_wins_over_the_published_calendar() -> None:
    calendar = WorkCalendar({2026: {"off": [date(2026, 9, 20)], "work": ["2026-10-07"]}, "2027": {"off": []}})
    assert not calendar.is_workday(date(2026, 9, 20))
    assert calendar.is_workday(date(2026, 10, 7))
    assert calendar.source(date(2026, 10, 7)) == "override"
    assert calendar.is_workday(date(2026, 10, 10))


def test_a_year_is_published_once_chinesecalendar_or_the_override_knows_it() -> None:
    assert CALENDAR.is_published(2026)
    assert not CALENDAR.is_published(2027)
    assert WorkCalendar({"2027": {"off": ["2027-02-08"], "work": ["2027-02-14"]}}).is_published(2027)


@pytest.mark.parametrize(
    ("day", "is_holiday"),
    [
        ("2026-10-03", True),  # a Saturday inside 国庆
        ("2026-10-06", True),  # a bridge day
        ("2026-10-17", False),  # a plain Saturday
        ("2026-10-10", False),  # a Saturday that is worked
        ("2027-02-06", True),
        ("2027-02-13", False),
        ("2101-10-01", False),
    ],
)
def test_a_plain_weekend_is_no_holiday(day: str, is_holiday: bool) -> None:
    assert CALENDAR.is_holiday(date.fromisoformat(day)) is is_holiday


def test_workdays_around_a_break() -> None:
    assert CALENDAR.next_workday(date(2026, 10, 1)) == date(2026, 10, 8)
    assert CALENDAR.previous_workday(date(2026, 2, 17)) == date(2026, 2, 14)
    assert CALENDAR.last_day_off(date(2026, 10, 1)) == date(2026, 10, 7)
    assert CALENDAR.last_day_off(date(2026, 10, 8)) == date(2026, 10, 8)


@pytest.mark.parametrize(
    ("name", "year", "day"),
    [
        ("国庆", 2026, "2026-10-01"),
        ("十一", 2026, "2026-10-01"),
        ("春节", 2027, "2027-02-06"),
        ("除夕", 2027, "2027-02-05"),
        ("元宵", 2026, "2026-03-03"),
        ("清明", 2026, "2026-04-05"),
        ("端午节", 2026, "2026-06-19"),
        ("中秋", 2026, "2026-09-25"),
        ("母亲节", 2026, "2026-05-10"),
        ("感恩节", 2026, "2026-11-26"),
        ("双11", 2026, "2026-11-11"),
    ],
)
def test_holiday_dates(name: str, year: int, day: str) -> None:
    assert holiday(name, year) == date.fromisoformat(day)


def test_unknown_holidays_and_years_have_no_date() -> None:
    assert holiday("光明节", 2026) is None
    assert holiday("中秋", 2150) is None
    assert holiday("元宵", 2150) is None
    assert holiday("国庆", 0) is None


def test_every_name_has_a_date() -> None:
    assert [name for name in holiday_names() if holiday(name, 2026) is None] == []


@given(st.dates(date(1990, 1, 1), date(2120, 1, 1)))
def test_the_next_workday_is_worked_and_near(day: date) -> None:
    later, earlier = CALENDAR.next_workday(day), CALENDAR.previous_workday(day)
    assert CALENDAR.is_workday(later)
    assert CALENDAR.is_workday(earlier)
    assert earlier < day < later
    assert later - earlier < timedelta(days=16)
