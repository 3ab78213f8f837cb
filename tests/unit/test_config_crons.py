"""Crontab lines mean what crontab means by them, or are refused when they are read."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.crons import Cron
from config.problems import Wrong

SHANGHAI = ZoneInfo("Asia/Shanghai")
SUNDAY = datetime(2026, 3, 1, 12, tzinfo=SHANGHAI)
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def weekdays(line: str) -> list[str]:
    """The weekdays on which a line fires in the week after a Sunday noon."""
    cron, moment, days = Cron.parse(line), SUNDAY, []
    while (moment := cron.next_after(moment)) < SUNDAY + timedelta(days=7):
        days.append(DAYS[moment.weekday()])
    return days


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("0 9 * * 1-5", "mon tue wed thu fri"),
        ("0 9 * * 0", "sun"),
        ("0 9 * * 7", "sun"),
        ("0 9 * * 5-7", "fri sat sun"),
        ("0 9 * * 0-6", "mon tue wed thu fri sat sun"),
        ("0 9 * * 1,3,5", "mon wed fri"),
        ("0 9 * * sun-sat", "mon tue wed thu fri sat sun"),
        ("0 9 * * FRI-SUN", "fri sat sun"),
        ("0 9 * * Monday", "mon"),
        ("0 9 * * */2", "tue thu sat sun"),
    ],
)
def test_weekdays_are_not_off_by_one(line: str, days: str) -> None:
    assert weekdays(line) == days.split()


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("30 3 * * *", "2026-03-02T03:30"),
        ("0 13 * * *", "2026-03-01T13:00"),
        ("0 12 * * *", "2026-03-02T12:00"),
        ("*/20 * * * *", "2026-03-01T12:20"),
        ("5/20 * * * *", "2026-03-01T12:05"),
        ("0 9 29 2 *", "2028-02-29T09:00"),
        ("0 9 31 * *", "2026-03-31T09:00"),
        ("0 9 15 * mon", "2026-03-02T09:00"),  # of a day and a weekday either is enough
        ("0 9 1 jan,jul *", "2026-07-01T09:00"),
    ],
)
def test_the_next_time(line: str, moment: str) -> None:
    assert Cron.parse(line).next_after(SUNDAY) == datetime.fromisoformat(moment).replace(tzinfo=SHANGHAI)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 9 30 2 *", "永远不会到来"),
        ("0 9 31 4,6,9,11 *", "永远不会到来"),
        ("60 9 * * *", "分应在 0 到 59 之间"),
        ("0 24 * * *", "时应在 0 到 23 之间"),
        ("0 9 0 * *", "日应在 1 到 31 之间"),
        ("0 9 * 13 *", "月应在 1 到 12 之间"),
        ("0 9 * * 8", "星期应在 0 到 7 之间"),
        ("0 9 * * 周一", "星期看不懂"),
        ("0 9 * * xyz", "星期应在"),
        ("0 9 L * *", "日应在"),
        ("0 9 ? * 1#2", "日看不懂"),
        ("0 9-3 * * *", "时的范围倒着写了"),
        ("*/0 * * * *", "分的间隔是 0"),
        ("0 0 9 * * *", "现在有 6 段"),
        ("", "现在有 0 段"),
        ("8:00", "现在有 1 段"),
        ("0 9 * * 1-", "星期看不懂"),
        ("0 9 * * *-3", "星期看不懂"),
        ("0 9 1,,2 * *", "日看不懂"),
        ("-1 9 * * *", "分看不懂"),
    ],
)
def test_an_impossible_line_is_refused_in_words(line: str, said: str) -> None:
    with pytest.raises(Wrong) as refused:
        Cron.parse(line)
    assert said in refused.value.message
    assert refused.value.cure


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        Cron.parse("0 9 * * *").next_after(SUNDAY.replace(tzinfo=None))


fields = st.sampled_from(["*", "0", "1", "*/7", "2-5", "mon", "jan", "31", "59", "1,2", "x", "9-1", ""])


@settings(max_examples=200, deadline=None)
@given(st.lists(fields, min_size=5, max_size=5).map(" ".join) | st.text(max_size=12))
def test_any_line_is_refused_in_words_or_has_a_next_time_that_fits(line: str) -> None:
    try:
        cron = Cron.parse(line)
    except Wrong:
        return
    found = cron.next_after(SUNDAY)
    assert found > SUNDAY
    assert (found.minute in cron.minutes, found.hour in cron.hours, found.month in cron.months) == (True,) * 3
    assert found.day in cron.days or found.isoweekday() % 7 in cron.weekdays
