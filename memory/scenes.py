"""When a scene holds, and which of two scenes is the more specific one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time

from config.workdays import WorkCalendar
from memory.types import Scene, Situation

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYTIME = "06:00-18:00"

_RANGE = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_DAY = 24 * 60

# What a message is about counts more than when or where it is said.
_MATTER = ("task", "variant", "urgency", "project", "recipient")
# A time that lies wholly within another.
_WIDER_TIMES = {"working_hours": "workday", "weekend": "off_hours", "holiday": "off_hours"}

Parents = Callable[[str], tuple[str, ...]]
"""The wider task scenes of a task scene: `catalog.parents`."""


@dataclass(frozen=True)
class Surroundings:
    """What scenes are judged by: the task hierarchy and the office's days and hours."""

    parents: Parents
    calendar: WorkCalendar
    working_hours: str = "09:00-18:00"


def applies(scene: Scene, situation: Situation, around: Surroundings) -> bool:
    """Whether every condition of the scene is met."""
    return all(_is_met(dimension, wanted, situation, around) for dimension, wanted in scene.items_)


def covers(wide: Scene, narrow: Scene, parents: Parents) -> bool:
    """Whether `wide` holds wherever `narrow` does."""
    return all(
        dimension in narrow and _implies(dimension, narrow[dimension], wanted, parents)
        for dimension, wanted in wide.items_
    )


def specificity(scene: Scene, parents: Parents) -> tuple[int, int, float]:
    """Greater is more specific: more conditions, then more of them about the matter, then narrower ones.

    A scene that another one covers is always the greater of the two.
    """
    matter = sum(dimension in scene for dimension in _MATTER)
    depth = len(parents(scene["task"])) if "task" in scene else 0
    return len(scene), matter, depth + _time_depth(scene.get("time", ""))


def _is_met(dimension: str, wanted: str, situation: Situation, around: Surroundings) -> bool:
    if dimension == "time":
        return _is_time(wanted, situation.now, around)
    actual: str | None = getattr(situation, dimension)
    if dimension == "task":
        return actual is not None and (wanted == actual or wanted in around.parents(actual))
    if dimension == "urgency":
        return wanted == (actual or "routine")
    return wanted == actual


def _is_time(wanted: str, now: datetime, around: Surroundings) -> bool:
    day, moment = now.date(), now.time()
    match wanted:
        case "working_hours":
            return _is_working(now, around)
        case "off_hours":
            return not _is_working(now, around)
        case "workday":
            return around.calendar.is_workday(day)
        case "weekend":  # a Saturday that is worked is none
            return day.weekday() >= 5 and not around.calendar.is_workday(day)
        case "holiday":
            return around.calendar.is_holiday(day)
        case "daytime":
            return _is_within(moment, DAYTIME)
        case "night":
            return not _is_within(moment, DAYTIME)
    if wanted in WEEKDAYS:
        return WEEKDAYS[day.weekday()] == wanted
    return _is_within(moment, wanted)


def _is_working(now: datetime, around: Surroundings) -> bool:
    return around.calendar.is_workday(now.date()) and _is_within(now.time(), around.working_hours)


def _is_within(moment: time, clock_range: str) -> bool:
    """Start included, end not; a range may run over midnight. What is no range holds never."""
    if (minutes := _minutes(clock_range)) is None:
        return False
    start, length = minutes
    return (moment.hour * 60 + moment.minute - start) % _DAY < length


def _minutes(clock_range: str) -> tuple[int, int] | None:
    """Start and length in minutes; from a time to itself is a whole day."""
    found = _RANGE.fullmatch(clock_range)
    if found is None:
        return None
    start_hour, start_minute, end_hour, end_minute = map(int, found.groups())
    start = start_hour * 60 + start_minute
    return start, (end_hour * 60 + end_minute - start) % _DAY or _DAY


def _implies(dimension: str, narrow: str, wide: str, parents: Parents) -> bool:
    if narrow == wide:
        return True
    if dimension == "task":
        return wide in parents(narrow)
    return dimension == "time" and (_WIDER_TIMES.get(narrow) == wide or _lies_within(narrow, wide))


def _lies_within(narrow: str, wide: str) -> bool:
    inner, outer = _minutes(narrow), _minutes(wide)
    if inner is None or outer is None:
        return False
    return (inner[0] - outer[0]) % _DAY + inner[1] <= outer[1] or outer[1] == _DAY


def _time_depth(when: str) -> float:
    if (minutes := _minutes(when)) is not None:
        return 2 + (_DAY - minutes[1]) / (2 * _DAY)
    return float(when in _WIDER_TIMES or when in WEEKDAYS)
