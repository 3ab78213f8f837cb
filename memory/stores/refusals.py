"""The offers that people declined, so that they are not made again; only a hash of each is kept."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, delete, select

from config.clock import from_micros, to_micros
from memory.keyring import Keyring
from memory.sealing import to_json
from memory.stores.dialects import insert_or_update
from memory.stores.tables import refusals
from memory.stores.transaction import Transaction
from memory.types import Person, Preference

_r = refusals.c
_his = (_r.tenant == bindparam("p_tenant"), _r.person == bindparam("p_person"))
_one = select(_r.refused_at).where(*_his, _r.preference_hash == bindparam("p_hash"))
_erase = delete(refusals).where(*_his)


def add(tx: Transaction, keyring: Keyring, person: Person, preference: Preference, now: datetime) -> None:
    row = {
        "tenant": person.tenant,
        "person": person.id,
        "preference_hash": _hash(keyring, person, preference),
        "refused_at": to_micros(now),
    }
    insert_or_update(tx, refusals, row, ("tenant", "person", "preference_hash"))


def refused_at(tx: Transaction, keyring: Keyring, person: Person, preference: Preference) -> datetime | None:
    """When it was last declined."""
    which = {**_whose(person), "p_hash": _hash(keyring, person, preference)}
    found = tx.execute(_one, which).scalar()
    return None if found is None else from_micros(found)


def erase(tx: Transaction, person: Person) -> int:
    """Delete all; how many there were."""
    return tx.execute(_erase, _whose(person)).rowcount


def _hash(keyring: Keyring, person: Person, preference: Preference) -> str:
    """Key, scene and value; whether it was to be set or added makes no other offer of it."""
    what = ("refusal", preference.key, preference.scene.key(), to_json(preference.value))
    return keyring.hash(person.tenant, "\x1f".join(what))


def _whose(person: Person) -> dict[str, object]:
    return {"p_tenant": person.tenant, "p_person": person.id}
