"""What was remembered once and can be brought back; no recall reads it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Row, bindparam, delete, insert, select

from config.clock import from_micros, to_micros
from memory import sealing
from memory.keyring import Keyring
from memory.stores.tables import archive
from memory.stores.transaction import Transaction
from memory.types import Archived, Person, Record

_a = archive.c
_his = (_a.tenant == bindparam("p_tenant"), _a.person == bindparam("p_person"))
_newest_first = select(archive).where(*_his).order_by(_a.seq.desc())
_of_key = _newest_first.where(_a.key == bindparam("p_key"))
_one = select(archive).where(*_his, _a.id == bindparam("p_id"))
_insert = insert(archive)
_delete = delete(archive).where(*_his, _a.id == bindparam("p_id"))
_erase = delete(archive).where(*_his)


def add(
    tx: Transaction, keyring: Keyring, record: Record, *, reason: str, now: datetime, note: str | None = None
) -> Archived:
    """Keep a copy of `record`; `note` is the reason in the person's own words."""
    kept = Archived(str(uuid.uuid4()), replace(record, status="archived"), reason, now, note)
    person = record.person
    held = {**sealing.columns(record), "body": json.loads(sealing.body(record)), "note": note}
    row = {
        "id": kept.id,
        "tenant": person.tenant,
        "person": person.id,
        "key": record.key,
        "reason": reason,
        "archived_at": to_micros(now),
        "body": keyring.seal(tx, person.tenant, sealing.to_bytes(held), _context(person, kept.id)),
    }
    tx.execute(_insert, row)
    return kept


def newest_first(tx: Transaction, keyring: Keyring, person: Person, key: str | None) -> Iterable[Archived]:
    rows = (
        tx.execute(_newest_first, _whose(person))
        if key is None
        else tx.execute(_of_key, {**_whose(person), "p_key": key})
    )
    return (_archived(tx, keyring, person, row) for row in rows.all())


def find(tx: Transaction, keyring: Keyring, person: Person, id_: str) -> Archived | None:
    row = tx.execute(_one, {**_whose(person), "p_id": id_}).first()
    return None if row is None else _archived(tx, keyring, person, row)


def remove(tx: Transaction, person: Person, id_: str) -> None:
    tx.execute(_delete, {**_whose(person), "p_id": id_})


def erase(tx: Transaction, person: Person) -> int:
    """Delete all; how many there were."""
    return tx.execute(_erase, _whose(person)).rowcount


def _archived(tx: Transaction, keyring: Keyring, person: Person, row: Row[*tuple[object, ...]]) -> Archived:
    held = json.loads(keyring.open(tx, person.tenant, row.body, _context(person, row.id)))
    record = sealing.record_from(person, held, sealing.to_bytes(held["body"]))
    return Archived(row.id, replace(record, status="archived"), row.reason, from_micros(row.archived_at), held["note"])


def _context(person: Person, id_: str) -> str:
    return f"archive\x1f{person.id}\x1f{id_}"


def _whose(person: Person) -> dict[str, object]:
    return {"p_tenant": person.tenant, "p_person": person.id}
