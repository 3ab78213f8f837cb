"""A draft: a task on its way to being run, with the values found so far and where each came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memory.catalog import Catalog
from memory.types import Preference, Value

Origin = Literal["said", "asked", "told", "variant", "alias", "memory", "default", "adjusted"]
"""said: in the sentence; asked: given as an answer; told: stated for always in the sentence or the answer; variant: a
short name fused to the task's name, for once; alias: a variant that the person taught; memory: remembered; default:
the catalog's; adjusted: changed afterwards."""

NAMED: tuple[Origin, ...] = ("said", "asked", "told", "variant", "adjusted")
OFFERED: tuple[Origin, ...] = ("said", "asked")
"""What the person chose this time without having said how it is to be from now on."""


@dataclass(frozen=True)
class Draft:
    """`kind` is the kind of report (weekly…); the task scene is the kind where there is one. `set_aside` holds the
    remembered values that a said one differs from, `records` the memories that filled slots, by key."""

    task: str
    kind: str | None = None
    variant: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    set_aside: Mapping[str, Value] = field(default_factory=dict)
    once: bool = False

    @property
    def scene_task(self) -> str:
        return self.kind or self.task

    def with_value(self, key: str, value: Value, origin: Origin, record: str | None = None) -> Draft:
        records = {name: kept for name, kept in self.records.items() if name != key}
        if record:
            records[key] = record
        return replace(
            self,
            values={**self.values, key: value},
            origins={**self.origins, key: origin},
            records=records,
        )

    def without(self, key: str) -> Draft:
        """The draft as if nothing were known about `key`."""
        return replace(
            self,
            values={name: value for name, value in self.values.items() if name != key},
            origins={name: origin for name, origin in self.origins.items() if name != key},
            records={name: record for name, record in self.records.items() if name != key},
            set_aside={name: value for name, value in self.set_aside.items() if name != key},
        )

    def names_a_value(self) -> bool:
        """The speaker gave a value this time: the task then runs without being confirmed."""
        return any(origin in NAMED for origin in self.origins.values())

    def chosen(self) -> dict[str, Value]:
        """The values that could be offered to be remembered."""
        return {key: value for key, value in self.values.items() if self.origins[key] in OFFERED}

    def fits(self, catalog: Catalog) -> bool:
        """Whether bot.yaml still has the task, its kind and every value."""
        task = catalog.task(self.task)
        if task is None or (self.kind is not None and self.kind not in task.kinds):
            return False
        return all(is_offered(catalog, Preference(key, value)) for key, value in self.values.items())

    def to_mapping(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "kind": self.kind,
            "variant": self.variant,
            "values": dict(self.values),
            "origins": dict(self.origins),
            "records": dict(self.records),
            "set_aside": dict(self.set_aside),
            "once": self.once,
        }

    @classmethod
    def from_mapping(cls, held: Mapping[str, Any]) -> Draft:
        return cls(**held)


def is_offered(catalog: Catalog, preference: Preference) -> bool:
    """Whether bot.yaml still has the key and allows the value."""
    try:
        catalog.validate(preference)
    except ValueError:
        return False
    return True
