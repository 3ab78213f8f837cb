"""Periods: which days a report covers, how its title says so, and the steps of its chart."""

from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import config
from bot.tasks.periods import KINDS, period_of, span_text, steps

TODAY = date(2026, 3, 4)
TEXTS = yaml.safe_load((Path(config.__file__).parent / "texts.zh.yaml").read_text(encoding="utf-8"))


def say(key: str, **values: object) -> str:
    found = TEXTS
    for part in key.split("."):
        found = found[part]
    return str(found).format(**values)


@pytest.mark.parametrize(
    ("kind", "today", "period", "title"),
    [
        ("daily", date(2026, 3, 4), (date(2026, 3, 4), date(2026, 3, 4)), "日报（03-04）"),
        ("weekly", date(2026, 3, 2), (date(2026, 3, 2), date(2026, 3, 8)), "周报（03-02 至 03-08）"),
        ("weekly", date(2026, 3, 8), (date(2026, 3, 2), date(2026, 3, 8)), "周报（03-02 至 03-08）"),
        (
            "weekly",
            date(2027, 1, 1),
            (date(2026, 12, 28), date(2027, 1, 3)),
            "周报（2026-12-28 至 2027-01-03）",
        ),
        ("monthly", date(2028, 2, 29), (date(2028, 2, 1), date(2028, 2, 29)), "月报（2028 年 2 月）"),
        ("monthly", date(2026, 12, 31), (date(2026, 12, 1), date(2026, 12, 31)), "月报（2026 年 12 月）"),
        ("quarterly", date(2026, 3, 4), (date(2026, 1, 1), date(2026, 3, 31)), "季报（2026 年第 1 季度）"),
        (
            "quarterly",
            date(2026, 11, 30),
            (date(2026, 10, 1), date(2026, 12, 31)),
            "季报（2026 年第 4 季度）",
        ),
    ],
)
def test_a_report_covers_the_current_period_and_its_title_says_which(
    kind: str, today: date, period: tuple[date, date], title: str
) -> None:
    assert period_of(kind, today) == period
    assert say("report.title", name=say(f"report.name.{kind}"), span=span_text(kind, period, say)) == title


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="hourly"):
        period_of("hourly", TODAY)


@given(kind=st.sampled_from(KINDS), today=st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_the_steps_of_a_chart_cover_the_period_without_gap_or_overlap(kind: str, today: date) -> None:
    period = period_of(kind, today)
    days = [step for _, step in steps(kind, period, say)]

    assert period[0] <= today <= period[1]
    assert days[0][0] <= period[0]
    assert days[-1][1] >= period[1]
    assert all((after[0] - before[1]).days == 1 for before, after in pairwise(days))
    assert span_text(kind, period, say)
