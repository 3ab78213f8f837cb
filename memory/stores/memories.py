"""The active memories of one person at a time, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, or_, select, update

from config.clock import to_micros
from memory import sealing
from memory.keyring import Keyring
from memory.stores.tables import memories
from memory.stores.transaction import Transaction
from memory.types import Person, Record

_m = memories.c
_his = (_m.tenant == bindparam("p_tenant"), _m.person == bindparam("p_person"))
_one = (*_his, _m.id == bindparam("p_id"))
_lasting = or_(_m.expires_at.is_(None), _m.expires_at > bindparam("p_now"))

_load = select(memories).where(*_his, _lasting).order_by(_m.created_at, _m.key, _m.id)
_insert = insert(memories)
_update = update(memories).where(*_one)
_make_room = delete(memories).where(
    *_his, _m.identity_hash == bindparam("p_identity"), _m.expires_at <= bindparam("p_now")
)
_delete = delete(memories).where(*_one)
_use = update(memories).where(*_one).values(used_at=bindparam("p_now"), uses=_m.uses + 1)
_count = select(func.count()).select_from(memories).where(*_his)
_erase = delete(memories).where(*_his)


def load(tx: Transaction, keyring: Keyring, person: Person, now: datetime) -> list[Record]:
    """All that has not expired, oldest first."""
    rows = tx.execute(_load, {**_whose(person), "p_now": to_micros(now)}).mappings()
    return [
        sealing.record_from(person, row, keyring.open(tx, person.tenant, row["body"], _context(person, row["id"])))
        for row in rows
    ]


def add(tx: Transaction, keyring: Keyring, record: Record, now: datetime) -> None:
    """Insert; IntegrityError when another active record has the same identity."""
    row = _row(tx, keyring, record)
    room = {"p_identity": row["identity_hash"], "p_now": to_micros(now)}
    tx.execute(_make_room, {**_whose(record.person), **room})
    tx.execute(_insert, row)


def change(tx: Transaction, keyring: Keyring, record: Record) -> None:
    """Overwrite the record of the same id."""
    tx.execute(_update, {**_which(record.person, record.id), **_row(tx, keyring, record)})


def remove(tx: Transaction, person: Person, ids: Sequence[str]) -> None:
    tx.execute(_delete, [_which(person, one) for one in ids])


def use(tx: Transaction, person: Person, ids: Sequence[str], now: datetime) -> None:
    """Note that they were applied."""
    tx.execute(_use, [{**_which(person, one), "p_now": to_micros(now)} for one in ids])


def count(tx: Transaction, person: Person) -> int:
    found: int = tx.execute(_count, _whose(person)).scalar_one()
    return found


def erase(tx: Transaction, person: Person) -> int:
    """Delete all; how many there were."""
    return tx.execute(_erase, _whose(person)).rowcount


def _row(tx: Transaction, keyring: Keyring, record: Record) -> dict[str, object]:
    person = record.person
    return {
        **sealing.columns(record),
        "tenant": person.tenant,
        "person": person.id,
        "identity_hash": keyring.hash(person.tenant, sealing.identity(record)),
        "body": keyring.seal(tx, person.tenant, sealing.body(record), _context(person, record.id)),
    }


def _context(person: Person, id_: str) -> str:
    return f"memory\x1f{person.id}\x1f{id_}"


def _whose(person: Person) -> dict[str, object]:
    return {"p_tenant": person.tenant, "p_person": person.id}


def _which(person: Person, id_: str) -> dict[str, object]:
    return {**_whose(person), "p_id": id_}
