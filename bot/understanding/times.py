"""Time expressions: what a sentence says about when, and the sentence without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from bot.types import When
from bot.understanding.time_days import Fields, Impossible, Office
from bot.understanding.time_patterns import respell
from bot.understanding.time_phrases import Phrase, phrases_of
from bot.understanding.time_points import DATE_FIELDS, Point, clock_of_day, resolve
from bot.understanding.time_recurrence import is_impossible, recurs, rule_of
from bot.understanding.time_values import Clock
from config.normalise import normalise, origins
from config.workdays import WorkCalendar

_RANGE = re.compile(r"\s*(?:[(（].*?[)）]\s*)?(?:开始|起|一直|直|开|忙|做)?\s*(?:到|至|~|～|-+|—+|–|to)\s*")
_LIST = re.compile(r"\s*(?:[、,，和与及跟/&]|还有|以及|或者?|and|or)\s*(?:在|每天|还有)?\s*", re.I)
_CORRECTION = re.compile(
    r"不对|哦不|啊不|噢不|喔不|呃不|哎不|错了|说错|记错|不是|不不|改成|改到|改为|应该是|更正|纠正|挪到|推到|推迟到|延到|延后到|提前到|换成|换到|调到|调成|算了|[,，吧。 ]还是|不行|没空|不方便|来不及|sorry|(?:^|[，,。 ])不[，,]"
)
_DENIAL = re.compile(r"(?:不是|不要|不用)$")
_LEAD_IN = re.compile(r"(?:从|于|(?<![正现存实])在|大约|大概|差不多)$")  # 在明天下午三点: the 在 goes with it
_TRIM = " \t\r\n,，。.、;；:：!！~"
_DEFAULT_CALENDAR = WorkCalendar()


def read_time(
    text: str,
    now: datetime,
    *,
    calendar: WorkCalendar | None = None,
    working_hours: tuple[str, str] = ("09:00", "18:00"),
    digest_time: str = "08:00",
) -> When:
    """What `text`, said at `now` (aware, in the office's zone), says about when. Safe for any text.

    `at` and `end` are local ISO strings, without a time of day when none was said. `problem="ambiguous"` means that
    `at` is the morning reading and twelve hours later would fit as well; `problem="impossible"` that there is no
    such date (2月30日; `at` is None) or not in every month (每月31号; `rule` is kept).
    """
    folded = normalise(text)
    opening, closing, digest = (time.fromisoformat(hour) for hour in (*working_hours, digest_time))
    office = Office(now, calendar or _DEFAULT_CALENDAR, opening, closing, digest)
    phrases = phrases_of(respell(folded))
    chosen = _choose(phrases)
    if chosen is None:
        return When("none", rest=text.strip())
    rest = _rest(text, folded, chosen.used)
    try:
        return replace(_read(chosen, office), rest=rest)
    except (Impossible, OverflowError, ValueError):
        return When("point", problem="impossible", rest=rest)


def read_clock(text: str, *, working_hours: tuple[str, str] = ("09:00", "18:00")) -> str | None:
    """The time of day that a setting names (改到八点半 → 08:30, 下午三点 → 15:00), as it would recur; None without one."""
    opening, closing = (time.fromisoformat(hour) for hour in working_hours)
    office = Office(datetime(2000, 1, 1, tzinfo=UTC), _DEFAULT_CALENDAR, opening, closing)
    chosen = _choose([phrase for phrase in phrases_of(respell(normalise(text))) if "clock" in phrase.fields])
    if chosen is None:
        return None
    try:
        clock = clock_of_day(chosen.fields, chosen.fields.get("part"), office)
    except Impossible:
        return None
    return clock.isoformat("minutes") if clock else None


def to_json(when: When, text: str) -> dict[str, Any]:
    """The fields that `jide when --json` prints."""
    rule = dict(when.rule) if when.rule is not None else None
    return {
        "text": text,
        "kind": when.kind,
        "at": when.at,
        "end": when.end,
        "rule": rule,
        "problem": when.problem,
        "rest": when.rest,
    }


# --- phrases to one meaning ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """The phrase that counts, what was listed with it, where it ends, and the stretches of text all this took."""

    fields: Fields
    listed: tuple[Fields, ...]
    until: Fields | None
    used: tuple[tuple[int, int], ...]


def _choose(phrases: list[Phrase]) -> Chosen | None:
    phrases = [phrase for phrase in phrases if not _hangs_in_the_air(phrase.fields)]
    if not phrases:
        return None
    phrases = _corrected(phrases)
    main = next((index for index, phrase in enumerate(phrases) if recurs(phrase.fields)), None)
    if main is None:
        main = max(range(len(phrases)), key=lambda index: (_sharpness(phrases[index].fields), -index))
    return _gathered(phrases, main)


def _hangs_in_the_air(fields: Fields) -> bool:
    """第五天, 第二周 of nothing that was named."""
    return fields.keys() == {"nth"} and fields["nth"].unit in ("day", "week") and fields["nth"].index > 0


def _sharpness(fields: Fields) -> int:
    """A moment counts before a day, a day before a whole week, month or year (第三季度的报告下周一交)."""
    if "clock" in fields or ("offset" in fields and fields["offset"].seconds):
        return 2
    return 1 if fields.keys() & (DATE_FIELDS - {"year", "month", "week", "quarter"}) else 0


def _corrected(phrases: list[Phrase]) -> list[Phrase]:
    """What is left after 三点，不对，四点: the last phrase wins and inherits what it does not say itself."""
    last = max((i for i, phrase in enumerate(phrases) if i and _CORRECTION.search(phrase.gap)), default=0)
    if not last and len(phrases) > 1 and _DENIAL.search(phrases[0].gap):
        last = 1
    if not last:
        return phrases
    before, after = phrases[last - 1], phrases[last]
    merged = replace(after, fields=_inherit(before.fields, after.fields), start=before.start)
    return [merged, *phrases[last + 1 :]]


def _inherit(before: Fields, after: Fields) -> Fields:
    kept = dict(before)
    if after.keys() & DATE_FIELDS or "every" in after:
        kept = {kind: value for kind, value in kept.items() if kind in ("part", "clock", "every")}
        if (
            "every" in kept
            and "every" not in after
            and not after.keys() <= {"weekday", "weekdays", "monthday", "part", "clock"}
        ):
            del kept["every"]
    if "clock" in after or "part" in after:
        kept.pop("clock", None)
    if "offset" in after:
        kept = {}
    return {**kept, **after}


def _gathered(phrases: Sequence[Phrase], main: int) -> Chosen:
    phrase = phrases[main]
    fields, used = dict(phrase.fields), [(phrase.start, phrase.end)]
    listed: list[Fields] = []
    until: Fields | None = None
    for other in phrases[main + 1 :]:
        if until is None and _RANGE.fullmatch(other.gap):
            until = other.fields
            used[-1] = (used[-1][0], other.end)
        elif until is None and _LIST.fullmatch(other.gap):
            listed.append(other.fields)
            used[-1] = (used[-1][0], other.end)
        else:
            break
    fields, used = _completed(fields, phrases, main, used)
    return Chosen(fields, tuple(listed), until, tuple(used))


def _completed(
    fields: dict[str, Any], phrases: Sequence[Phrase], main: int, used: list[tuple[int, int]]
) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """A day said in one place and its clock in another belong together (明天有会，八点叫我)."""
    for index, other in enumerate(phrases):
        if index == main:
            continue
        said = other.fields.keys()
        clock_is_missing = "clock" not in fields and "offset" not in fields and index > main
        day_is_missing = not fields.keys() & (DATE_FIELDS | {"every", "except"}) and index < main
        if clock_is_missing and said <= {"clock", "part"} and "clock" in said:
            return {**fields, **other.fields}, [*used, (other.start, other.end)]
        if day_is_missing and said & DATE_FIELDS and not said & {"clock", "offset"}:
            return {**other.fields, **fields}, [(other.start, other.end), *used]
    return fields, used


def _read(chosen: Chosen, office: Office) -> When:
    if recurs(chosen.fields):
        rule = rule_of(chosen.fields, chosen.listed, office)
        return When("recurring", rule=rule, problem="impossible" if is_impossible(rule) else None)
    point = resolve(chosen.fields, office)
    end = _end(point, chosen, office)
    return When("point", at=point.text, end=end, problem="ambiguous" if point.ambiguous else None)


def _end(start: Point, chosen: Chosen, office: Office) -> str | None:
    if chosen.until is None:
        return start.last_day.isoformat() if start.last_day else None
    return _until(start, chosen.fields, chosen.until, office).text


def _until(start: Point, fields: Fields, until: Fields, office: Office) -> Point:
    """The end of a range; what it does not say it takes from the start."""
    said = until.keys()
    begin = datetime.combine(start.day, start.clock or time(0), office.now.tzinfo)
    if not said & DATE_FIELDS:
        until = {"part": fields["part"], **until} if "part" in fields else until
        until = {**until, "date": (start.day.year, start.day.month, start.day.day)}
        return _after(start, resolve(until, office), until)
    if not said & {"day", "year", "offset", "week"} and until.get("weekday", (None,))[0] is None:
        office = replace(office, now=begin)
    return resolve(until, office)


def _after(start: Point, end: Point, until: Fields) -> Point:
    """The end moved on to its next reading after the start: 晚上九点半到十点半, 十一点到凌晨一点."""
    if end.clock is None or start.clock is None or end.text > start.text:
        return end
    clock = until.get("clock")
    bare = isinstance(clock, Clock) and not clock.exact and "part" not in until
    moment = datetime.combine(end.day, end.clock)
    while moment <= datetime.combine(start.day, start.clock):
        moment += timedelta(hours=12 if bare else 24)
    return replace(end, day=moment.date(), clock=moment.time())


# --- what is left --------------------------------------------------------------------------------------------


def _rest(text: str, folded: str, used: Sequence[tuple[int, int]]) -> str:
    where: Sequence[int] = range(len(text) + 1) if folded == text else origins(text)
    kept, position = [], 0
    for start, end in used:
        kept.append(_LEAD_IN.sub("", text[position : where[start]]))
        position = where[end]
    kept.append(text[position:].removeprefix("的"))
    return "".join(kept).strip(_TRIM)
