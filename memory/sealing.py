"""How a record is written down: readable columns, and a sealed body with everything that says something."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from config.clock import from_micros, to_micros
from memory.proposing import NOTE
from memory.types import Person, Record, Scene, Value

_TIMES = ("created_at", "confirmed_at", "used_at", "expires_at")
_SEALED = ("value", "scene", "topic")
_COLUMNS = tuple(
    one.name for one in fields(Record) if one.name not in (*_TIMES, *_SEALED, "person", "status", "consent_date")
)


def identity(record: Record) -> str:
    """What may exist once among a person's active records: to be hashed, it contains values."""
    if record.kind == "preference" and record.key != NOTE:
        return "\x1f".join(("place", record.key, to_json(dict(record.scene)), str(record.mode == "exclude")))
    return "\x1f".join(("value", record.kind, record.key, to_json(record.value)))


def columns(record: Record) -> dict[str, Any]:
    """The readable part of a record."""
    times = {name: _micros(getattr(record, name)) for name in _TIMES}
    day = record.consent_date.isoformat() if record.consent_date else None
    return {**{name: getattr(record, name) for name in _COLUMNS}, **times, "consent_date": day}


def body(record: Record) -> bytes:
    """The part to be sealed."""
    return to_bytes({"value": record.value, "scene": dict(record.scene), "topic": record.topic})


def record_from(person: Person, row: Mapping[Any, Any], opened: bytes) -> Record:
    """The record that `columns` and `body` were made of; its status is for `ageing` to say."""
    held = json.loads(opened)
    times: dict[str, Any] = {name: None if row[name] is None else from_micros(row[name]) for name in _TIMES}
    day = row["consent_date"]
    return Record(
        person=person,
        value=value_from(held["value"]),
        scene=Scene(held["scene"]),
        topic=held["topic"],
        status="active",
        consent_date=date.fromisoformat(day) if day else None,
        **{name: row[name] for name in _COLUMNS},
        **times,
    )


def value_from(parsed: Any) -> Value:
    """A value as JSON gave it back: a list was a tuple."""
    return tuple(parsed) if isinstance(parsed, list) else parsed


def to_json(held: object) -> str:
    return json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def to_bytes(held: object) -> bytes:
    """JSON that survives whatever people paste, half an emoji included; `json.loads` reads it back."""
    return to_json(held).encode("utf-8", "surrogatepass")


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)
