"""The variants of tasks that people taught: 研发周报 is the weekly report with the research template."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import bindparam, delete, select

from config.clock import from_micros, to_micros
from memory.keyring import Keyring
from memory.sealing import to_bytes, value_from
from memory.stores.dialects import insert_or_update
from memory.stores.tables import aliases
from memory.stores.transaction import Transaction
from memory.types import Alias, Person, Value

_a = aliases.c
_his = (_a.tenant == bindparam("p_tenant"), _a.person == bindparam("p_person"))
_all = select(aliases).where(*_his).order_by(_a.created_at, _a.id)
_delete = delete(aliases).where(*_his, _a.task == bindparam("p_task"), _a.variant_hash == bindparam("p_variant"))
_erase = delete(aliases).where(*_his)


def teach(
    tx: Transaction,
    keyring: Keyring,
    person: Person,
    task: str,
    variant: str,
    values: Mapping[str, Value],
    now: datetime,
) -> Alias:
    """Keep it in place of what the same variant of the task stood for."""
    alias = Alias(str(uuid.uuid4()), task, variant, dict(values), now)
    held = to_bytes({"variant": variant, "values": alias.values})
    row = {
        "id": alias.id,
        "tenant": person.tenant,
        "person": person.id,
        "task": task,
        "variant_hash": _hash(keyring, person, variant),
        "body": keyring.seal(tx, person.tenant, held, _context(person, alias.id)),
        "created_at": to_micros(now),
    }
    insert_or_update(tx, aliases, row, ("tenant", "person", "task", "variant_hash"))
    return alias


def of_person(tx: Transaction, keyring: Keyring, person: Person) -> list[Alias]:
    """All of them, the oldest first."""
    found = []
    for row in tx.execute(_all, _whose(person)).all():
        held = json.loads(keyring.open(tx, person.tenant, row.body, _context(person, row.id)))
        values = {key: value_from(value) for key, value in held["values"].items()}
        found.append(Alias(row.id, row.task, held["variant"], values, from_micros(row.created_at)))
    return found


def unteach(tx: Transaction, keyring: Keyring, person: Person, task: str, variant: str) -> bool:
    """Whether there was such a variant."""
    which = {"p_task": task, "p_variant": _hash(keyring, person, variant)}
    return tx.execute(_delete, {**_whose(person), **which}).rowcount > 0


def erase(tx: Transaction, person: Person) -> int:
    """Delete all; how many there were."""
    return tx.execute(_erase, _whose(person)).rowcount


def _hash(keyring: Keyring, person: Person, variant: str) -> str:
    return keyring.hash(person.tenant, f"variant\x1f{variant}")


def _context(person: Person, id_: str) -> str:
    return f"alias\x1f{person.id}\x1f{id_}"


def _whose(person: Person) -> dict[str, object]:
    return {"p_tenant": person.tenant, "p_person": person.id}
