"""Time expressions: the shipped samples, our own labelled cases, and what must hold for any text."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.types import When
from bot.understanding.times import read_clock, read_time, to_json
from config.workdays import WorkCalendar

DATA = Path(__file__).parents[1] / "data"
ZONE = ZoneInfo("Asia/Shanghai")
TUESDAY = "2026-03-17T10:20:00"


def read(text: str, now: str = TUESDAY, **more: Any) -> When:
    return read_time(text, datetime.fromisoformat(now).replace(tzinfo=ZONE), **more)


def cases(name: str) -> list[Any]:
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=f"{row['text']}@{row['now']}") for row in rows]


def meaning(when: When) -> Any:
    return when.at if when.rule is None else dict(when.rule)


@pytest.mark.parametrize("case", [*cases("time.jsonl"), *cases("time_cases.jsonl")])
def test_labelled_case(case: dict[str, Any]) -> None:
    when = read(case["text"], case["now"])
    assert when.kind == case["kind"]
    assert meaning(when) in [case["expect"], *case.get("alt", [])]
    assert when.problem == case.get("problem")
    assert when.end == case.get("end", when.end)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("明天上午9:15的站会帮我请个假", "站会帮我请个假"),
        ("提醒我明天下午三点给王芳打电话", "提醒我给王芳打电话"),
        ("每周五下午三點提醒我寫週報", "提醒我寫週報"),
        ("10分钟后提醒我给客户回电话", "提醒我给客户回电话"),
        ("明天０９：３０提醒我开会👨‍👩‍👧", "提醒我开会👨‍👩‍👧"),
        ("明天下午三点半，哦不对，四点半", ""),
        ("下午两点到四点开会", "开会"),
        ("明天有个会，记得八点叫我", "有个会，记得叫我"),
        ("三分钟热度", "三分钟热度"),
    ],
)
def test_rest_is_the_text_without_the_time_words(text: str, rest: str) -> None:
    assert read(text).rest == rest


def test_a_bare_hour_reads_against_the_working_hours() -> None:
    assert read("三点").at == "2026-03-17T15:00"
    assert read("八点", "2026-03-17T06:00:00").problem == "ambiguous"
    assert read("八点", "2026-03-17T06:00:00", working_hours=("08:00", "17:00")).at == "2026-03-17T08:00"
    assert read("五点", "2026-03-17T03:00:00", working_hours=("05:00", "14:00")).problem is None
    assert read("五点", "2026-03-17T03:00:00", working_hours=("06:00", "14:00")).problem == "ambiguous"


def test_office_hours_are_clocks() -> None:
    assert read("下班前提醒我填工时", working_hours=("09:30", "18:30")).at == "2026-03-17T18:30"
    assert read("明天晨报的时候一起提醒我", digest_time="08:15").at == "2026-03-18T08:15"


def test_working_days_follow_the_given_calendar() -> None:
    calendar = WorkCalendar({2026: {"off": ["2026-03-18"]}})
    assert read("下一个工作日", calendar=calendar).at == "2026-03-19"


def test_relative_times_count_from_when_it_was_said() -> None:
    assert read("明天9点提醒我", "2026-03-17T23:59:50").at == "2026-03-18T09:00"
    assert read("10分钟后提醒我喝水", "2026-03-17T23:55:00").at == "2026-03-18T00:05"


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("改到八点半", "08:30"),
        ("晨报改成下午三点", "15:00"),
        ("以后7:45发给我", "07:45"),
        ("每天晚上九点", "21:00"),
        ("八点，不对，九点", "09:00"),
        ("三点吧", "15:00"),
        ("25点", None),
        ("明天", None),
        ("我有两点建议", None),
    ],
)
def test_a_setting_s_clock_does_not_roll(text: str, clock: str | None) -> None:
    assert read_clock(text) == clock


def test_json_has_the_fields_of_jide_when() -> None:
    text = "每周五下午三点提醒我写周报"
    assert to_json(read(text), text) == {
        "text": text,
        "kind": "recurring",
        "at": None,
        "end": None,
        "rule": {"freq": "WEEKLY", "interval": 1, "byday": ["FR"], "time": "15:00", "workday": False},
        "problem": None,
        "rest": "提醒我写周报",
    }


WORDS = [
    "每", "每隔", "逢", "天", "日", "周", "周一", "一三五", "下", "上", "这", "个", "月", "年", "季度", "号", "点",
    "半", "一刻", "分钟", "小时", "后", "前", "到", "至", "-", "和", "、", "，", "的", "不对", "哦不是", "早上",
    "下午", "晚上", "凌晨", "明", "今", "后天", "昨天", "工作日", "最后一个", "第", "一", "二", "三", "十", "廿",
    "两", "3", "12", "31", "2026", "25", "国庆", "春节", "节", "初", "月底", "年底", "除了", "除外", "周末",
    "节假日", "差", "pm", ":", "/", ".", "every", "Monday", "9999年", "0", "下班前", "现在", "农历", "大年初一",
    "隔", "一次", "晏晝", "點", "再过", "in", "min",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=2)), max_size=9).map("".join)
MOMENTS = st.integers(0, 3_600_000).map(lambda hours: datetime(1600, 1, 1, tzinfo=UTC) + timedelta(hours=hours))


@given(TEXTS, MOMENTS)
def test_any_text_is_read_without_an_error(text: str, now: datetime) -> None:
    when = read_time(text, now)
    assert (when.kind == "recurring") == (when.rule is not None)
    assert (when.at is None) == (when.kind != "point" or when.problem == "impossible")
    for moment in (when.at, when.end):
        assert moment is None or datetime.fromisoformat(moment)
    assert not set(when.rest) - set(text)


@given(st.integers(1, 500), st.sampled_from(["分钟", "小时", "天"]), MOMENTS)
def test_a_length_from_now_is_that_far_away(count: int, unit: str, now: datetime) -> None:
    when = read_time(f"{count}{unit}后", now)
    span = timedelta(**{{"分钟": "minutes", "小时": "hours", "天": "days"}[unit]: count})
    expected = (now + span).replace(tzinfo=None, second=0)
    assert when.at == (expected.date().isoformat() if unit == "天" else expected.isoformat(timespec="minutes"))


@given(st.integers(0, 6), MOMENTS)
def test_a_bare_weekday_is_within_the_coming_week_and_the_next_one_is_in_the_next(day: int, now: datetime) -> None:
    name = "一二三四五六日"[day]
    bare, following = read_time(f"周{name}", now).at, read_time(f"下周{name}", now).at
    assert bare is not None
    assert following is not None
    monday = now.date() - timedelta(days=now.weekday())
    assert timedelta(0) <= datetime.fromisoformat(bare).date() - now.date() < timedelta(days=7)
    assert datetime.fromisoformat(following).date() == monday + timedelta(days=7 + day)


@pytest.mark.parametrize("piece", ["10分钟", "半小时", "、1", "1:1", "上", "周一和", "每", "除周一、", "一", " "])
def test_a_long_monotonous_text_does_not_take_the_parser_hostage(piece: str) -> None:
    """Repetition must stay bounded: one pattern with an open repetition once took minutes for 5,000 characters."""
    assert read(piece * 2000).kind in ("none", "point", "recurring")
