"""The nouns of what is remembered: scenes, preferences, records and what a write would do to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

Mode = Literal["set", "add", "exclude"]
Source = Literal["told", "inferred"]
Kind = Literal["preference", "fact", "snapshot"]
Status = Literal["active", "dormant", "archived"]
Retention = Literal["permanent", "session", "rolling_30d", "on_demand"]

Value = str | bool | int | tuple[str, ...]
"""A normalised preference value: a catalog value id, a flag, a number of minutes, free text or a list of those."""

SCENE_DIMENSIONS = ("task", "variant", "time", "urgency", "project", "recipient", "place")


@dataclass(frozen=True, init=False)
class Scene(Mapping[str, str]):
    """The conditions under which a preference holds; empty means always. `Scene(task="weekly", urgency="urgent")`."""

    items_: tuple[tuple[str, str], ...]

    def __init__(self, conditions: Mapping[str, str] | None = None, **more: str) -> None:
        merged = {**(conditions or {}), **more}
        unknown = set(merged) - set(SCENE_DIMENSIONS)
        if unknown:
            raise ValueError(f"unknown scene dimension {sorted(unknown)[0]!r}")
        ordered = tuple((name, merged[name]) for name in SCENE_DIMENSIONS if name in merged)
        object.__setattr__(self, "items_", ordered)

    def __getitem__(self, dimension: str) -> str:
        return dict(self.items_)[dimension]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def without(self, dimension: str) -> Scene:
        return Scene({name: value for name, value in self.items_ if name != dimension})

    def key(self) -> str:
        """`task=weekly;time=off_hours`, the form stored and compared; empty for always."""
        return ";".join(f"{name}={value}" for name, value in self.items_)

    @classmethod
    def from_key(cls, key: str) -> Scene:
        return cls(dict(part.split("=", 1) for part in key.split(";") if part))


ALWAYS = Scene()


@dataclass(frozen=True)
class Person:
    """Whose memory it is: the first argument of every memory call. `id` is a UUIDv4."""

    tenant: str
    id: str


@dataclass(frozen=True)
class Preference:
    """A normalised `key: value` of the catalog, as said or as asked for."""

    key: str
    value: Value
    scene: Scene = ALWAYS
    mode: Mode = "set"


@dataclass(frozen=True)
class Record:
    """One memory of one person, decrypted. Times are aware UTC; `score` is in tenths (10 = 1.0)."""

    id: str
    person: Person
    kind: Kind
    key: str
    value: Value
    scene: Scene
    mode: Mode
    source: Source
    status: Status
    created_at: datetime
    confirmed_at: datetime
    used_at: datetime
    uses: int = 0
    score: int = 10
    retention: Retention = "permanent"
    expires_at: datetime | None = None
    topic: str | None = None
    tag: str | None = None
    consent_date: date | None = None
    consent_method: str | None = None
    version: int = 1

    @property
    def preference(self) -> Preference:
        return Preference(self.key, self.value, self.scene, self.mode)


@dataclass(frozen=True)
class Archived:
    """A record that is no longer in force, and why: replaced, forgotten, doubtful."""

    id: str
    record: Record
    reason: str
    archived_at: datetime
    note: str | None = None


@dataclass(frozen=True)
class Situation:
    """What recall matches scenes against: the moment (aware, in the office's zone) and what is being done."""

    now: datetime
    task: str | None = None
    variant: str | None = None
    urgency: str | None = None
    project: str | None = None
    recipient: str | None = None
    place: str | None = None


@dataclass(frozen=True)
class Recalled:
    """The value in force for one key: the record, how sure it is (0..1) and what it beat.

    `stale` says that the record is dormant: ask (还…？) instead of applying it.
    """

    record: Record
    confidence: float
    beat: tuple[Record, ...] = ()
    stale: bool = False

    @property
    def value(self) -> Value:
        return self.record.value


Effect = Literal["new", "same", "add", "replace", "exclude"]


@dataclass(frozen=True)
class Proposal:
    """What storing one preference would do, worked out before anything is written.

    `replaces` is the active record that would go to the archive (override, asks once); `narrower` are records of
    narrower scenes that a general 都/一律 statement contradicts and that the same question names.
    """

    preference: Preference
    effect: Effect
    replaces: Record | None = None
    narrower: tuple[Record, ...] = ()


@dataclass(frozen=True)
class Alias:
    """A variant of a task that a person taught: `variant` said before the task's name stands for `values`."""

    id: str
    task: str
    variant: str
    values: Mapping[str, Value] = field(default_factory=dict)
    created_at: datetime | None = None
