"""The moment that a time phrase means, seen from when it was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import islice

from bot.understanding.time_days import Fields, Impossible, Office, add, days_of
from bot.understanding.time_values import Clock, Span

DATE_FIELDS = frozenset(
    {"year", "month", "monthday", "date", "day", "weekday", "weekdays", "week", "edge", "nth", "quarter", "holiday",
     "newyearday", "offset"}
)  # fmt: skip
_PART_ENDS = {"dawn": 6, "morning": 12, "noon": 14, "afternoon": 19, "evening": 24, "night": 24}
_TRIES = 60  # how far a date rolls forward before it counts as impossible (2月29日 comes back within eight years)


@dataclass(frozen=True)
class Point:
    """A resolved phrase: a date, its clock when one was said, the last day when it names a whole week, month…"""

    day: date
    clock: time | None = None
    last_day: date | None = None
    ambiguous: bool = False

    @property
    def text(self) -> str:
        return self.day.isoformat() if self.clock is None else _iso(datetime.combine(self.day, self.clock))


def resolve(fields: Fields, office: Office) -> Point:
    """The first moment at or after now that fits `fields`; a phrase that names its day keeps it, past or not."""
    offset = fields.get("offset")
    if offset is not None and offset.seconds:
        return _after_a_while(offset, office)
    days = list(islice(days_of(fields, office), _TRIES))
    if not days:
        raise Impossible
    if _names_its_weekday(fields, days[0][0]):
        days = days[:1]
    points = (_with_clock(day, fields, office) for day in days)
    point = next((point for point in points if not _is_past(point, fields, office)), None)
    return _shifted(point or _with_clock(days[-1], fields, office), fields)


def _names_its_weekday(fields: Fields, day: date) -> bool:
    """周日，二月十号: a date whose weekday fits this year's is this year's, even when it is past."""
    return fields.keys() >= {"weekday", "month", "monthday"} and fields["weekday"][1] == day.weekday()


def _after_a_while(offset: Span, office: Office) -> Point:
    day = add(office.today, replace(offset, seconds=0), office.calendar)
    moment = datetime.combine(day, office.now.time()) + timedelta(seconds=offset.seconds)
    if offset.seconds % 60 == 0:
        moment = moment.replace(second=0)
    return Point(moment.date(), moment.time().replace(microsecond=0))


def _shifted(point: Point, fields: Fields) -> Point:
    """三点前十分钟: the clock moves too."""
    shift = fields.get("shift")
    if shift is None or not shift.seconds or point.clock is None:
        return point
    moment = datetime.combine(point.day, point.clock) + timedelta(seconds=shift.seconds)
    return replace(point, day=moment.date(), clock=moment.time())


def _is_past(point: Point, fields: Fields, office: Office) -> bool:
    now = office.now.replace(tzinfo=None, second=0, microsecond=0)
    if point.clock is not None:
        return datetime.combine(point.day, point.clock) < now
    if point.day == now.date() and "part" in fields:
        return now.hour >= _PART_ENDS[fields["part"]]
    return (point.last_day or point.day) < now.date()


# --- the clock -----------------------------------------------------------------------------------------------


def _with_clock(days: tuple[date, date | None], fields: Fields, office: Office) -> Point:
    day, last_day = days
    clock = said_clock(fields, office)
    if clock is None:
        return Point(day, last_day=last_day)
    if clock.hour > 24:
        raise Impossible
    readings = [
        Point(day + timedelta(days=later), time(hour, minute, clock.second))
        for later, hour, minute in _readings(clock, fields.get("part"), office)
    ]
    ahead = [point for point in readings if not _is_past(point, {}, office)]
    if day != office.today or not ahead:
        return readings[0]
    unclear = len(ahead) > 1 and clock.spoken and not office.is_open_at(clock.hour, clock.minute)
    return replace(ahead[0], ambiguous=unclear)


def said_clock(fields: Fields, office: Office) -> Clock | None:
    """The clock that was said; 下班前 and 这个时候 are clocks of the office and of now."""
    clock: Clock | str | None = fields.get("clock")
    if isinstance(clock, str):
        moment = {"opening": office.opening, "closing": office.closing, "digest": office.digest}[clock]
    elif clock is None and "now" in fields:
        moment = office.now.time()
    else:
        return clock
    return Clock(moment.hour, moment.minute, exact=True)


def _readings(clock: Clock, part: str | None, office: Office) -> list[tuple[int, int, int]]:
    """(days later, hour, minute) of each way to read a clock, the likelier first."""
    hour, minute = clock.hour, clock.minute
    if part is not None or clock.exact:
        return [(*_in_part(hour, part, clock.exact), minute)]
    if hour == 24:
        return [(1, 0, minute)]
    if hour <= 6 and office.is_open_at(hour + 12, minute):
        return [(0, hour + 12, minute)]
    if hour == 12 or (not clock.spoken and office.is_open_at(hour, minute)):
        return [(0, hour, minute)]
    return [(0, hour, minute), (0, hour + 12, minute)]


def _in_part(hour: int, part: str | None, exact: bool) -> tuple[int, int]:
    if hour == 24:
        return 1, 0
    if part == "evening" and hour == 0:
        return 1, 0
    if exact and hour > 12:
        return 0, hour
    if part == "dawn":
        return 0, hour % 12
    if part == "noon":
        return 0, hour + 12 if hour < 10 else hour
    if part == "afternoon":
        return 0, hour + 12 if 0 < hour < 12 else hour
    if part in ("evening", "night"):
        return _at_night(hour, part)
    return 0, hour


def _at_night(hour: int, part: str) -> tuple[int, int]:
    if hour == 12:
        return 1, 0
    if hour >= 5:
        return 0, hour + 12
    return (1 if part == "evening" else 0), hour


def clock_of_day(fields: Fields, part: str | None, office: Office) -> time | None:
    """The time of day that recurs: 早上九点 of every day, without a date to roll from."""
    clock = said_clock(fields, office)
    if clock is None:
        return None
    if clock.hour > 24:
        raise Impossible
    _, hour, minute = _readings(clock, part, office)[0]
    return time(hour, minute, clock.second)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")
