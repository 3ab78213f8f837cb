"""When scenes hold, and which of two is the more specific one."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.workdays import WorkCalendar
from memory.scenes import WEEKDAYS, Surroundings, applies, covers, specificity
from memory.types import ALWAYS, Scene, Situation

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YEAR = datetime(2025, 1, 1, tzinfo=SHANGHAI)


def parents(task: str) -> tuple[str, ...]:
    return ("report",) if task in ("daily", "weekly", "monthly") else ()


AROUND = Surroundings(parents, WorkCalendar())


def at(moment: str, **situation: str) -> Situation:
    return Situation(datetime.fromisoformat(moment).replace(tzinfo=SHANGHAI), **situation)


@pytest.mark.parametrize(
    ("time", "moment", "holds"),
    [
        ("working_hours", "2026-05-08T09:00", True),
        ("working_hours", "2026-05-08T08:59", False),
        ("working_hours", "2026-05-08T18:00", False),
        ("working_hours", "2026-05-09T10:00", True),  # a Saturday that is worked
        ("working_hours", "2026-05-10T10:00", False),
        ("working_hours", "2026-05-01T10:00", False),  # Labour Day, a Friday
        ("off_hours", "2026-05-08T21:30", True),
        ("off_hours", "2026-05-09T10:00", False),
        ("off_hours", "2026-05-10T10:00", True),
        ("workday", "2026-05-09T23:00", True),
        ("workday", "2026-05-01T10:00", False),
        ("weekend", "2026-05-10T10:00", True),
        ("weekend", "2026-05-09T10:00", False),
        ("weekend", "2026-05-01T10:00", False),
        ("holiday", "2026-05-01T10:00", True),
        ("holiday", "2026-05-10T10:00", False),
        ("daytime", "2026-05-08T06:00", True),
        ("daytime", "2026-05-08T18:00", False),
        ("night", "2026-05-08T23:59", True),
        ("night", "2026-05-08T12:00", False),
        ("friday", "2026-05-08T12:00", True),
        ("thursday", "2026-05-08T12:00", False),
        ("12:00-13:30", "2026-05-08T13:29", True),
        ("12:00-13:30", "2026-05-08T13:30", False),
        ("22:00-08:00", "2026-05-08T23:00", True),
        ("22:00-08:00", "2026-05-08T07:59", True),
        ("22:00-08:00", "2026-05-08T08:00", False),
        ("when pigs fly", "2026-05-08T08:00", False),
    ],
)
def test_times(time: str, moment: str, holds: bool) -> None:
    assert applies(Scene(time=time), at(moment), AROUND) is holds


@pytest.mark.parametrize(
    ("scene", "situation", "holds"),
    [
        (ALWAYS, {}, True),
        (ALWAYS, {"task": "weekly", "urgency": "urgent"}, True),
        (Scene(task="weekly"), {"task": "weekly"}, True),
        (Scene(task="report"), {"task": "weekly"}, True),
        (Scene(task="weekly"), {"task": "report"}, False),
        (Scene(task="weekly"), {"task": "monthly"}, False),
        (Scene(task="weekly"), {}, False),
        (Scene(task="weekly", variant="研发"), {"task": "weekly"}, False),
        (Scene(task="weekly", variant="研发"), {"task": "weekly", "variant": "研发"}, True),
        (Scene(urgency="urgent"), {"urgency": "urgent"}, True),
        (Scene(urgency="urgent"), {}, False),
        (Scene(urgency="routine"), {}, True),  # what nobody calls urgent is routine
        (Scene(urgency="routine"), {"urgency": "urgent"}, False),
        (Scene(project="灯塔", time="workday"), {"project": "灯塔"}, True),
        (Scene(project="灯塔", time="weekend"), {"project": "灯塔"}, False),
        (Scene(recipient="external"), {"recipient": "internal"}, False),
        (Scene(place="home"), {"place": "home"}, True),
    ],
)
def test_conditions(scene: Scene, situation: dict[str, str], holds: bool) -> None:
    assert applies(scene, at("2026-05-08T10:00", **situation), AROUND) is holds


@pytest.mark.parametrize(
    ("greater", "lesser"),
    [
        (Scene(task="weekly"), Scene(task="report")),
        (Scene(task="report"), ALWAYS),
        (Scene(task="weekly", variant="研发"), Scene(task="weekly")),
        (Scene(task="weekly", time="off_hours"), Scene(task="weekly")),
        (Scene(time="working_hours"), Scene(time="workday")),
        (Scene(time="weekend"), Scene(time="off_hours")),
        (Scene(time="12:00-13:00"), Scene(time="11:00-15:00")),
        (Scene(time="22:00-02:00"), Scene(time="night")),
        (Scene(urgency="urgent"), Scene(time="working_hours")),  # what it is about before when it is
    ],
)
def test_the_more_specific_scene(greater: Scene, lesser: Scene) -> None:
    assert specificity(greater, parents) > specificity(lesser, parents)


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        (ALWAYS, Scene(task="weekly"), True),
        (Scene(task="report"), Scene(task="weekly"), True),
        (Scene(task="weekly"), Scene(task="report"), False),
        (Scene(task="report"), Scene(task="weekly", urgency="urgent"), True),
        (Scene(task="report", urgency="urgent"), Scene(task="weekly"), False),
        (Scene(time="off_hours"), Scene(time="weekend"), True),
        (Scene(time="22:00-08:00"), Scene(time="23:00-07:00"), True),
        (Scene(time="22:00-08:00"), Scene(time="07:00-09:00"), False),
        (Scene(time="00:00-00:00"), Scene(time="22:00-08:00"), True),
    ],
)
def test_covering(wide: Scene, narrow: Scene, covered: bool) -> None:
    assert covers(wide, narrow, parents) is covered


clock = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
times = st.one_of(
    st.sampled_from(["working_hours", "off_hours", "workday", "weekend", "holiday", "daytime", "night", *WEEKDAYS]),
    st.builds("{}-{}".format, clock, clock),
)
scenes = st.fixed_dictionaries(
    {},
    optional={
        "task": st.sampled_from(["report", "weekly", "monthly", "digest"]),
        "time": times,
        "urgency": st.sampled_from(["urgent", "routine"]),
        "project": st.sampled_from(["灯塔", "星火"]),
    },
).map(Scene)
situations = st.builds(
    Situation,
    st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: NEW_YEAR + timedelta(minutes=minutes)),
    task=st.sampled_from([None, "weekly", "monthly", "digest"]),
    urgency=st.sampled_from([None, "urgent", "routine"]),
    project=st.sampled_from([None, "灯塔", "星火"]),
)


@given(scenes, scenes, situations)
def test_a_covering_scene_holds_wherever_the_other_does(wide: Scene, narrow: Scene, now: Situation) -> None:
    if covers(wide, narrow, parents) and applies(narrow, now, AROUND):
        assert applies(wide, now, AROUND)


@given(scenes, scenes)
def test_a_covered_scene_is_the_more_specific_one(wide: Scene, narrow: Scene) -> None:
    if covers(wide, narrow, parents) and not covers(narrow, wide, parents):
        assert specificity(narrow, parents) > specificity(wide, parents)


@given(scenes)
def test_a_scene_survives_its_key(scene: Scene) -> None:
    assert Scene.from_key(scene.key()) == scene
