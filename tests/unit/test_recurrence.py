"""The next instant of a rule: strictly later, once a day through changes of clocks, on real working days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.recurrence import next_after
from config.workdays import WorkCalendar

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
CALENDAR = WorkCalendar()


def rule(freq: str, time: str | None = "08:00", **more: Any) -> dict[str, Any]:
    return {"freq": freq, "interval": 1, "byday": [], "time": time, "workday": False} | more


def local(text: str, zone: ZoneInfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def following(given_rule: dict[str, Any], after: str, count: int, zone: ZoneInfo = SHANGHAI) -> list[str]:
    """The next `count` instants as local wall times."""
    found, moment = [], local(after, zone)
    for _ in range(count):
        due = next_after(given_rule, moment, CALENDAR, zone)
        assert due is not None
        found.append(due.strftime("%Y-%m-%dT%H:%M"))
        moment = due
    return found


@pytest.mark.parametrize(
    ("given_rule", "after", "expected"),
    [
        (rule("DAILY"), "2026-03-17T08:00", ["2026-03-18T08:00"]),
        (rule("DAILY"), "2026-03-17T07:59", ["2026-03-17T08:00"]),
        (rule("DAILY", interval=2), "2026-03-17T07:00", ["2026-03-17T08:00", "2026-03-19T08:00"]),
        (rule("WEEKLY", byday=["FR"], time="15:00"), "2026-03-17T10:00", ["2026-03-20T15:00", "2026-03-27T15:00"]),
        (rule("WEEKLY", byday=["SU"]), "2026-03-17T10:00", ["2026-03-22T08:00"]),
        (rule("WEEKLY", byday=["MO", "WE"]), "2026-03-17T10:00", ["2026-03-18T08:00", "2026-03-23T08:00"]),
        (
            rule("WEEKLY", byday=["MO", "WE"], interval=2),
            "2026-03-20T10:00",
            ["2026-03-23T08:00", "2026-03-25T08:00", "2026-04-06T08:00"],
        ),
        (rule("MONTHLY", bymonthday=[15]), "2026-03-17T10:00", ["2026-04-15T08:00"]),
        (rule("MONTHLY", bymonthday=[-1]), "2026-01-31T10:00", ["2026-02-28T08:00", "2026-03-31T08:00"]),
        (rule("MONTHLY", bymonthday=[1, 15]), "2026-03-17T10:00", ["2026-04-01T08:00", "2026-04-15T08:00"]),
        (rule("MONTHLY", byday=["1MO"]), "2026-03-17T10:00", ["2026-04-06T08:00", "2026-05-04T08:00"]),
        (rule("MONTHLY", byday=["-1FR"]), "2026-03-17T10:00", ["2026-03-27T08:00", "2026-04-24T08:00"]),
        (rule("YEARLY", bymonth=[3], bymonthday=[8]), "2026-03-17T10:00", ["2027-03-08T08:00"]),
        (rule("YEARLY", bymonth=[2], bymonthday=[29]), "2026-03-17T10:00", ["2028-02-29T08:00"]),
        (rule("HOURLY", None, interval=2), "2026-03-17T10:20", ["2026-03-17T12:20"]),
        (rule("MINUTELY", None, interval=30), "2026-03-17T23:50", ["2026-03-18T00:20"]),
        ({"freq": "DAILY", "time": "08:00"}, "2026-03-17T10:00", ["2026-03-18T08:00"]),
    ],
)
def test_next_instants(given_rule: dict[str, Any], after: str, expected: list[str]) -> None:
    assert following(given_rule, after, len(expected)) == expected


def test_several_times_a_day_come_in_order() -> None:
    twice = rule("DAILY", "09:00", times=["18:00", "09:00"])
    assert following(twice, "2026-03-17T10:00", 3) == ["2026-03-17T18:00", "2026-03-18T09:00", "2026-03-18T18:00"]


def test_the_31st_skips_short_months_instead_of_firing_on_another_day() -> None:
    assert following(rule("MONTHLY", bymonthday=[31]), "2026-03-17T10:00", 3) == [
        "2026-03-31T08:00",
        "2026-05-31T08:00",
        "2026-07-31T08:00",
    ]


@pytest.mark.parametrize("impossible", [rule("YEARLY", bymonth=[2], bymonthday=[30]), rule("DAILY", None)])
def test_a_rule_without_instants_has_none(impossible: dict[str, Any]) -> None:
    assert next_after(impossible, local("2026-03-17T10:00"), CALENDAR, SHANGHAI) is None


def test_working_days_follow_the_official_calendar() -> None:
    punch = rule("DAILY", "08:25", workday=True)
    assert following(punch, "2026-09-19T12:00", 1) == ["2026-09-20T08:25"]  # a Sunday that is worked
    assert following(punch, "2026-09-24T12:00", 1) == ["2026-09-28T08:25"]  # past 中秋
    assert following(punch, "2026-10-09T12:00", 1) == ["2026-10-10T08:25"]  # a Saturday that is worked


def test_a_working_day_that_no_month_has_never_falls_in_the_next_one() -> None:
    never = rule("MONTHLY", bymonthday=[28], workday=True)
    assert next_after(never, datetime(2026, 1, 31, tzinfo=UTC), CALENDAR, SHANGHAI) is None


@pytest.mark.parametrize(
    ("number", "after", "expected"),
    [
        (-1, "2026-02-01T00:00", ["2026-02-28T08:00", "2026-03-31T08:00"]),  # Saturday 28 is worked
        (-1, "2026-05-20T00:00", ["2026-05-29T08:00", "2026-06-30T08:00"]),
        (1, "2026-09-15T00:00", ["2026-10-08T08:00", "2026-11-02T08:00"]),
        (2, "2026-04-01T00:00", ["2026-04-02T08:00", "2026-05-07T08:00"]),
        (23, "2026-01-01T00:00", ["2026-07-31T08:00", "2026-12-31T08:00"]),  # most months have fewer
    ],
)
def test_nth_working_day_of_a_month(number: int, after: str, expected: list[str]) -> None:
    assert following(rule("MONTHLY", bymonthday=[number], workday=True), after, len(expected)) == expected


@pytest.mark.parametrize(
    ("days", "workday", "expected"),
    [
        ([-1], False, ["2026-06-30T08:00", "2026-09-30T08:00"]),
        ([1], False, ["2026-07-01T08:00", "2026-10-01T08:00"]),
        ([-1], True, ["2026-06-30T08:00", "2026-09-30T08:00"]),
    ],
)
def test_quarters_are_the_calendar_s(days: list[int], workday: bool, expected: list[str]) -> None:
    quarterly = rule("MONTHLY", interval=3, bymonthday=days, workday=workday)
    assert following(quarterly, "2026-04-17T10:00", len(expected)) == expected


def test_a_late_run_keeps_the_rhythm_of_every_other_week() -> None:
    biweekly = rule("WEEKLY", "14:00", byday=["WE"], interval=2)
    late = next_after(biweekly, local("2026-03-18T14:03"), CALENDAR, SHANGHAI)
    assert late == local("2026-04-01T14:00")
    much_later = next_after(biweekly, local("2026-03-20T09:00"), CALENDAR, SHANGHAI, since=date(2026, 3, 18))
    assert much_later == local("2026-04-01T14:00")


@pytest.mark.parametrize("clock", ["01:30", "02:30", "03:00", "08:00"])
@pytest.mark.parametrize("change", [date(2026, 3, 8), date(2026, 11, 1)])
def test_exactly_one_firing_a_day_through_a_change_of_clocks(clock: str, change: date) -> None:
    start = datetime.combine(change - timedelta(days=2), datetime.min.time(), NEW_YORK)
    fired, moment = [], start
    while (due := next_after(rule("DAILY", clock), moment, CALENDAR, NEW_YORK)) is not None:
        if due.date() > change + timedelta(days=2):
            break
        fired.append(due.date())
        moment = due
    assert fired == [change + timedelta(days=step) for step in range(-2, 3)]


def test_a_skipped_wall_time_fires_when_it_would_have_been() -> None:
    due = next_after(rule("DAILY", "02:30"), local("2026-03-08T00:00", NEW_YORK), CALENDAR, NEW_YORK)
    assert due is not None
    assert due.astimezone(UTC) == datetime(2026, 3, 8, 7, 30, tzinfo=UTC)


RULES = st.one_of(
    st.builds(lambda interval: rule("DAILY", interval=interval), st.integers(1, 5)),
    st.builds(lambda workday: rule("DAILY", workday=workday), st.booleans()),
    st.builds(
        lambda days, interval: rule("WEEKLY", byday=sorted(days), interval=interval),
        st.sets(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1),
        st.integers(1, 3),
    ),
    st.builds(
        lambda day, interval, workday: rule("MONTHLY", bymonthday=[day], interval=interval, workday=workday),
        st.sampled_from([1, 2, 15, -1, -2]),
        st.sampled_from([1, 2, 3, 6]),
        st.booleans(),
    ),
    st.builds(lambda interval: rule("MONTHLY", bymonthday=[28], interval=interval), st.sampled_from([1, 2, 3, 6])),
    st.builds(lambda day: rule("MONTHLY", byday=[day]), st.sampled_from(["1MO", "2WE", "-1FR"])),
)
INSTANTS = st.integers(0, 2200 * 24 * 60).map(
    lambda minutes: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


@given(RULES, INSTANTS, st.sampled_from([SHANGHAI, NEW_YORK]))
def test_the_next_instant_is_later_and_at_the_wall_time(
    given_rule: dict[str, Any], after: datetime, zone: ZoneInfo
) -> None:
    due = next_after(given_rule, after, CALENDAR, zone)
    assert due is not None
    assert due > after
    assert due.astimezone(zone).strftime("%H:%M") == "08:00"
    if given_rule["workday"]:
        assert CALENDAR.is_workday(due.date())


@given(
    RULES.filter(lambda given_rule: given_rule["interval"] == 1),
    INSTANTS,
    st.timedeltas(timedelta(0), timedelta(days=40)),
)
def test_no_instant_is_jumped_over(given_rule: dict[str, Any], after: datetime, pause: timedelta) -> None:
    """Asked later but before the next instant, the answer is the same."""
    due = next_after(given_rule, after, CALENDAR, SHANGHAI)
    assert due is not None
    between = min(after + pause, due.astimezone(UTC) - timedelta(seconds=1))
    assert next_after(given_rule, max(between, after), CALENDAR, SHANGHAI) == due
