"""What storing a statement would do to what is remembered, worked out before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory.scenes import Parents, covers
from memory.types import Effect, Preference, Proposal, Record
from memory.values import each, overlap, same, without

NOTE = "note"


@dataclass(frozen=True)
class Neighbours:
    """The active records that one preference meets: one in its place, and one of the opposite sign."""

    place: Record | None
    opposite: Record | None


def propose(
    preferences: Sequence[Preference],
    active: Sequence[Record],
    *,
    parents: Parents,
    takes_several: Callable[[str], bool],
    sweeping: bool = False,
) -> tuple[Proposal, ...]:
    """One proposal for each preference of a statement, in order.

    An exclusion beside a positive value of the same key and scene (发企业微信，不要发飞书) says nothing more and
    gets none. `sweeping`: the statement is meant for everything narrower as well (都, 一律).
    """
    positive = {(said.key, said.scene) for said in preferences if said.mode != "exclude"}
    wanted = [said for said in preferences if said.mode != "exclude" or (said.key, said.scene) not in positive]
    return tuple(_proposal(as_stored(said, takes_several), active, parents, sweeping) for said in wanted)


def as_stored(preference: Preference, takes_several: Callable[[str], bool]) -> Preference:
    """A value added to a key that holds only one takes its place."""
    if preference.mode == "add" and not takes_several(preference.key):
        return replace(preference, mode="set")
    return preference


def neighbours(preference: Preference, active: Sequence[Record]) -> Neighbours:
    """Who stands in the way of `preference`: `opposite` only when their values clash."""
    place = opposite = None
    for record in active:
        if record.key != preference.key or record.kind != "preference":
            continue
        if preference.key == NOTE:
            place = record if record.value == preference.value else place
        elif record.scene == preference.scene:
            if (record.mode == "exclude") == (preference.mode == "exclude"):
                place = record
            elif overlap(record.value, preference.value):
                opposite = record
    return Neighbours(place, opposite)


def _proposal(preference: Preference, active: Sequence[Record], parents: Parents, sweeping: bool) -> Proposal:
    met = neighbours(preference, active)
    effect = _effect(preference, met)
    replaced = (met.place if _clashes(preference, met.place) else None, met.opposite)
    clashing = [record for record in replaced if record is not None]
    narrower = [record for record in active if sweeping and _contradicts(preference, record, parents)]
    return Proposal(
        preference=preference,
        effect=effect,
        replaces=clashing[0] if clashing else None,
        narrower=(*clashing[1:], *narrower),
    )


def _effect(preference: Preference, met: Neighbours) -> Effect:
    if met.opposite is not None or _clashes(preference, met.place):
        return "replace"
    if met.place is not None and says_already(met.place, preference):
        return "same"
    if preference.mode == "set":
        return "new"
    return preference.mode


def _clashes(preference: Preference, place: Record | None) -> bool:
    return place is not None and preference.mode == "set" and not says_already(place, preference)


def says_already(place: Record, preference: Preference) -> bool:
    if preference.mode == "set":
        return place.mode == "set" and same(place.value, preference.value)
    return without(preference.value, each(place.value)) is None


def _contradicts(preference: Preference, record: Record, parents: Parents) -> bool:
    """Whether a record of a narrower scene keeps `preference` from holding there."""
    if record.key != preference.key or preference.key == NOTE or record.scene == preference.scene:
        return False
    if not covers(preference.scene, record.scene, parents):
        return False
    if (record.mode == "exclude") != (preference.mode == "exclude"):
        return overlap(record.value, preference.value)
    return preference.mode == "set" and not same(record.value, preference.value)
