"""A draft: a task on its way to being run, with the values found so far and where each came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memory.types import Value

Origin = Literal["said", "asked", "variant", "alias", "memory", "default", "adjusted"]
"""said: in the sentence; asked: given as an answer; variant: a short name fused to the task's name, for once;
alias: a variant that the person taught; memory: remembered; default: the catalog's; adjusted: changed afterwards."""

NAMED: tuple[Origin, ...] = ("said", "asked", "variant", "adjusted")


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

    def names_a_value(self) -> bool:
        """The speaker gave a value this time: the task then runs without being confirmed."""
        return any(origin in NAMED for origin in self.origins.values())

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
