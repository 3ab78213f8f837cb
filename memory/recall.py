"""Which record is in force: the most specific that applies, told before inferred, newer before older."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from memory.scenes import Surroundings, applies, specificity
from memory.types import Mode, Recalled, Record, Situation
from memory.values import One, each, joined, without

SURE = 1.0
GUESSED = 0.9

Rank = tuple[tuple[int, int, float], bool, datetime, datetime, str]


def choose(records: Iterable[Record], situation: Situation, around: Surroundings) -> Recalled | None:
    """What holds for one key, given all of its records.

    An exclusion takes its values out of what is less specific than itself. An added value joins the next less
    specific one; without one it comes back alone with its mode, for the caller to add to the default.
    """
    banned: list[One] = []
    adding: list[Record] = []
    beaten: list[Record] = []
    ranked = _ranked(records, situation, around)
    for place, record in enumerate(ranked):
        if record.mode == "exclude":
            banned += each(record.value)
        elif (kept := without(record.value, banned)) is None:
            beaten.append(record)
        elif record.mode == "add":
            adding.append(replace(record, value=kept))
        else:
            losers = (*beaten, *ranked[place + 1 :])
            return _recalled([*adding, replace(record, value=kept)], "set", losers)
    return _recalled(adding, "add", beaten) if adding else None


def excluded(records: Iterable[Record], situation: Situation, around: Surroundings) -> tuple[One, ...]:
    """The values that must not be used for the key, not even as a default."""
    wanted: list[One] = []
    banned: list[One] = []
    for record in _ranked(records, situation, around):
        if record.mode == "exclude":
            banned += each(without(record.value, wanted) or ())
        else:
            wanted += each(record.value)
    return tuple(dict.fromkeys(banned))


def confidence(record: Record) -> float:
    """How sure a record is whose scene matches: told, or confirmed since it was inferred, leaves no doubt."""
    return SURE if record.source == "told" or record.confirmed_at > record.created_at else GUESSED


def _ranked(records: Iterable[Record], situation: Situation, around: Surroundings) -> list[Record]:
    """The records that apply, the strongest first."""
    applicable = (record for record in records if applies(record.scene, situation, around))
    return sorted(applicable, key=lambda record: _rank(record, around), reverse=True)


def _rank(record: Record, around: Surroundings) -> Rank:
    return (
        specificity(record.scene, around.parents),
        record.source == "told",
        record.confirmed_at,
        record.created_at,
        record.id,
    )


def _recalled(parts: list[Record], mode: Mode, beaten: Iterable[Record]) -> Recalled:
    """The most specific part stands for all that make up the value."""
    first = parts[0]
    value = parts[-1].value
    for part in parts[-2::-1]:
        value = joined(value, part.value)
    return Recalled(
        record=replace(first, value=value, mode=mode),
        confidence=min(confidence(part) for part in parts),
        beat=tuple(beaten),
        stale=any(part.status == "dormant" for part in parts),
    )
