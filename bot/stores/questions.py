"""The rows of open and answered questions."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from bot.stores.tables import questions
from memory.stores.database import Transaction


@dataclass(frozen=True)
class QuestionRow:
    id: str
    tenant: str
    person: str
    kind: str
    address_hash: str
    payload: bytes
    state: str
    created_at: int
    expires_at: int


_columns = (
    questions.c.id, questions.c.tenant, questions.c.person, questions.c.kind, questions.c.address_hash,
    questions.c.payload, questions.c.state, questions.c.created_at, questions.c.expires_at,
)  # fmt: skip


def add(tx: Transaction, row: QuestionRow) -> None:
    tx.execute(insert(questions).values(**{column.name: getattr(row, column.name) for column in _columns}))


def get(tx: Transaction, question: str) -> QuestionRow | None:
    row = tx.execute(select(*_columns).where(questions.c.id == question)).first()
    return QuestionRow(*tuple(row)) if row else None


def open_of(tx: Transaction, tenant: str, person: str) -> list[QuestionRow]:
    """Questions nobody has answered, the newest first; lapsed ones included (their `expires_at` tells)."""
    rows = tx.execute(
        select(*_columns)
        .where(questions.c.tenant == tenant, questions.c.person == person, questions.c.state == "open")
        .order_by(questions.c.created_at.desc(), questions.c.id)
    )
    return [QuestionRow(*tuple(row)) for row in rows]


def close(tx: Transaction, question: str, *, state: str, now: int) -> None:
    tx.execute(update(questions).where(questions.c.id == question).values(state=state, answered_at=now))


def purge(tx: Transaction, before: int) -> int:
    """Remove questions that lapsed before `before`; the number of rows."""
    return int(tx.execute(delete(questions).where(questions.c.expires_at < before)).rowcount)
