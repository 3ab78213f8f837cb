"""Which record is in force when several could be, and what storing another one would touch."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.workdays import WorkCalendar
from memory.ageing import aged
from memory.proposing import propose
from memory.recall import choose, excluded
from memory.scenes import Surroundings, applies, covers, specificity
from memory.types import ALWAYS, Mode, Person, Preference, Record, Scene, Situation, Source, Value
from memory.values import each, same

NOW = datetime(2026, 5, 8, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))  # a working Friday
XIAOWEN = Person("acme", "11111111-1111-4111-8111-111111111111")


def parents(task: str) -> tuple[str, ...]:
    return ("report",) if task in ("weekly", "monthly") else ()


AROUND = Surroundings(parents, WorkCalendar())
WEEKLY = Situation(NOW, task="weekly")


def record(
    value: Value,
    scene: Scene = ALWAYS,
    mode: Mode = "set",
    *,
    source: Source = "told",
    days_ago: int = 0,
    id_: str = "",
) -> Record:
    said = NOW - timedelta(days=days_ago)
    name = id_ or f"{value}{scene.key()}{mode}{source}{days_ago}"
    return Record(
        name,
        XIAOWEN,
        "preference",
        "notify_channel",
        value,
        scene,
        mode,
        source,
        "active",
        said,
        said,
        said,
    )


REPORT, WEEK, URGENT, OFF = Scene(task="report"), Scene(task="weekly"), Scene(urgency="urgent"), Scene(time="off_hours")


@pytest.mark.parametrize(
    ("records", "value", "beaten"),
    [
        ([], None, []),
        ([record("feishu")], "feishu", []),
        ([record("sms", OFF)], None, []),
        ([record("feishu"), record("wecom", REPORT), record("email", WEEK)], "email", ["wecom", "feishu"]),
        ([record("feishu"), record("sms", OFF)], "feishu", []),
        ([record("email", WEEK, source="inferred"), record("feishu")], "email", ["feishu"]),
        ([record("sms", source="inferred"), record("feishu", days_ago=80)], "feishu", ["sms"]),
        ([record("sms", days_ago=2), record("feishu", days_ago=1)], "feishu", ["sms"]),
        ([record("feishu"), record("sms", WEEK, "add")], ("feishu", "sms"), []),
        ([record("sms", WEEK, "add")], "sms", []),
        ([record("feishu", mode="exclude")], None, []),
        ([record("feishu"), record("feishu", WEEK, "exclude")], None, []),
        ([record(("feishu", "sms")), record("sms", WEEK, "exclude")], "feishu", []),
        ([record("feishu", mode="exclude"), record("feishu", WEEK)], "feishu", ["feishu"]),
        ([record("wecom"), record("feishu", REPORT), record("feishu", WEEK, "exclude")], "wecom", ["feishu"]),
    ],
)
def test_what_is_in_force(records: list[Record], value: Value | None, beaten: list[Value]) -> None:
    found = choose(records, WEEKLY, AROUND)
    assert (found.value if found else None) == value
    assert [one.value for one in (found.beat if found else ())] == beaten


@pytest.mark.parametrize(
    ("records", "mode"),
    [
        ([record("feishu")], "set"),
        ([record("sms", mode="add")], "add"),
        ([record("sms", mode="add"), record("feishu", mode="exclude")], "add"),
        ([record("feishu"), record("sms", WEEK, "add")], "set"),
    ],
)
def test_the_mode_says_whether_a_default_is_needed(records: list[Record], mode: Mode) -> None:
    found = choose(records, WEEKLY, AROUND)
    assert found is not None
    assert found.record.mode == mode


@pytest.mark.parametrize(
    ("records", "values"),
    [
        ([], ()),
        ([record("feishu")], ()),
        ([record("feishu", mode="exclude")], ("feishu",)),
        ([record(("feishu", "sms"), mode="exclude"), record("sms", WEEK, "exclude")], ("sms", "feishu")),
        ([record("feishu", OFF, "exclude")], ()),
        ([record("feishu"), record("feishu", WEEK, "exclude")], ("feishu",)),
        ([record("feishu", WEEK), record(("feishu", "sms"), mode="exclude")], ("sms",)),
    ],
)
def test_what_must_not_be_used(records: list[Record], values: tuple[str, ...]) -> None:
    assert excluded(records, WEEKLY, AROUND) == values


def test_told_is_sure_and_inferred_a_little_less_until_it_is_confirmed() -> None:
    inferred = record("sms", source="inferred", days_ago=3)
    confirmed = replace(inferred, confirmed_at=NOW)
    found = [choose([one], WEEKLY, AROUND) for one in (record("sms"), inferred, confirmed)]
    assert [one.confidence for one in found if one] == [1.0, 0.9, 1.0]


def test_a_dormant_record_still_wins_but_is_to_be_asked_about() -> None:
    old, fresh = record("email", WEEK, days_ago=91), record("feishu", days_ago=1)
    found = choose(aged([old, fresh], NOW), WEEKLY, AROUND)
    assert found is not None
    assert (found.value, found.stale) == ("email", True)


def test_a_beaten_dormant_record_does_not_matter() -> None:
    found = choose(aged([record("email", days_ago=91), record("feishu", WEEK)], NOW), WEEKLY, AROUND)
    assert found is not None
    assert not found.stale


values = st.sampled_from(["feishu", "wecom", "sms", "email"])
scenes = st.fixed_dictionaries(
    {},
    optional={
        "task": st.sampled_from(["report", "weekly", "monthly"]),
        "time": st.sampled_from(["working_hours", "off_hours", "workday"]),
        "urgency": st.sampled_from(["urgent", "routine"]),
    },
).map(Scene)


@st.composite
def memories(draw: st.DrawFn, modes: tuple[Mode, ...] = ("set",)) -> list[Record]:
    """Records that may stand side by side: one for each scene and sign."""
    found: dict[tuple[Scene, bool], Record] = {}
    for number in range(draw(st.integers(0, 8))):
        one = record(
            draw(values),
            draw(scenes),
            draw(st.sampled_from(modes)),
            source=draw(st.sampled_from(["told", "inferred"])),
            days_ago=draw(st.integers(0, 5)),
            id_=str(number),
        )
        found[one.scene, one.mode == "exclude"] = one
    return list(found.values())


situations = st.builds(
    Situation,
    st.sampled_from([NOW, NOW + timedelta(hours=12)]),
    task=st.sampled_from([None, "weekly", "monthly"]),
    urgency=st.sampled_from([None, "urgent"]),
)
everything: tuple[Mode, ...] = ("set", "add", "exclude")


@given(memories(everything), situations, st.randoms(use_true_random=False))
def test_recall_does_not_depend_on_order(records: list[Record], now: Situation, random: object) -> None:
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(shuffled, now, AROUND) == choose(records, now, AROUND)


@given(memories(), situations)
def test_the_most_specific_record_wins(records: list[Record], now: Situation) -> None:
    applicable = [one for one in records if applies(one.scene, now, AROUND)]
    found = choose(records, now, AROUND)
    if not applicable:
        assert found is None
        return
    assert found is not None
    assert {found.record.id, *(one.id for one in found.beat)} == {one.id for one in applicable}
    for loser in found.beat:
        assert specificity(found.record.scene, parents) >= specificity(loser.scene, parents)
        assert not (covers(found.record.scene, loser.scene, parents) and found.record.scene != loser.scene)


@given(memories(everything), situations)
def test_a_value_in_force_was_said_where_it_applies(records: list[Record], now: Situation) -> None:
    found = choose(records, now, AROUND)
    if found is None:
        return
    applicable = [one for one in records if applies(one.scene, now, AROUND)]
    said = {one for record_ in applicable for one in each(record_.value)}
    assert set(each(found.value)) <= said


@given(memories(everything), values, scenes)
def test_an_override_touches_exactly_one_record(records: list[Record], value: str, scene: Scene) -> None:
    said = Preference("notify_channel", value, scene)
    (proposal,) = propose([said], records, parents=parents, takes_several=lambda key: True)
    touched = [one for one in (proposal.replaces, *proposal.narrower) if one]
    for one in touched:
        assert one.scene == scene
    positive = [one for one in touched if one.mode != "exclude"]
    assert len(positive) <= 1
    assert (proposal.effect == "replace") == bool(touched)
    for one in touched:
        assert one.mode != "set" or not same(one.value, value)


@given(memories(everything), values, scenes)
def test_only_a_sweeping_statement_reaches_narrower_scenes(records: list[Record], value: str, scene: Scene) -> None:
    said = Preference("notify_channel", value, scene)
    (proposal,) = propose([said], records, parents=parents, takes_several=lambda key: True, sweeping=True)
    for one in proposal.narrower:
        assert covers(scene, one.scene, parents)
    reached = {one.id for one in proposal.narrower}
    for one in records:
        if one.mode == "set" and covers(scene, one.scene, parents) and one.scene != scene:
            assert (one.id in reached) == (one.value != value)
