"""The rows that say which numbered list a person saw last: a number means that one, in whichever chat."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from bot.stores.tables import shown_lists
from memory.stores.database import Transaction


def put(tx: Transaction, tenant: str, person: str, body: bytes, now: int) -> None:
    tx.execute(delete(shown_lists).where(shown_lists.c.tenant == tenant, shown_lists.c.person == person))
    tx.execute(insert(shown_lists).values(tenant=tenant, person=person, body=body, shown_at=now))


def get(tx: Transaction, tenant: str, person: str) -> bytes | None:
    found: bytes | None = tx.execute(
        select(shown_lists.c.body).where(shown_lists.c.tenant == tenant, shown_lists.c.person == person)
    ).scalar()
    return found
