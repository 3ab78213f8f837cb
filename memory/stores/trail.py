"""Who changed what when, without a word of what it said; and receipts for what was erased."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import insert

from config.clock import to_micros
from memory.stores.tables import audit, receipts
from memory.stores.transaction import Transaction
from memory.types import Person

_note = insert(audit)
_receipt = insert(receipts)


def note(tx: Transaction, person: Person, action: str, now: datetime, key: str | None = None) -> None:
    """One line of the audit trail."""
    row = {"tenant": person.tenant, "person": person.id, "at": to_micros(now), "action": action, "key": key}
    tx.execute(_note, row)


def receipt(tx: Transaction, person: Person, erased: int, now: datetime) -> None:
    """The proof that so many memories were erased."""
    row = {"tenant": person.tenant, "person": person.id, "erased": erased, "erased_at": to_micros(now)}
    tx.execute(_receipt, {"id": str(uuid.uuid4()), **row})
