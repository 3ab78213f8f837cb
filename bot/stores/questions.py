"""The rows of open and answered questions."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select, update

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
_insert = insert(questions)
_get = select(*_columns).where(questions.c.id == bindparam("asked"))
_open_of = (
    select(*_columns)
    .where(
        questions.c.tenant == bindparam("tenant"),
        questions.c.person == bindparam("person"),
        questions.c.state == "open",
    )
    .order_by(questions.c.created_at.desc(), questions.c.id)
)
_close = (
    update(questions)
    .where(questions.c.id == bindparam("asked"))
    .values(state=bindparam("ended"), answered_at=bindparam("at"))
)


def add(tx: Transaction, row: QuestionRow) -> None:
    tx.execute(_insert, vars(row))


def get(tx: Transaction, question: str) -> QuestionRow | None:
    row = tx.execute(_get, {"asked": question}).first()
    return QuestionRow(*tuple(row)) if row else None


def open_of(tx: Transaction, tenant: str, person: str) -> list[QuestionRow]:
    """Questions nobody has answered, the newest first; lapsed ones included (their `expires_at` tells)."""
    rows = tx.execute(_open_of, {"tenant": tenant, "person": person})
    return [QuestionRow(*tuple(row)) for row in rows]


def close(tx: Transaction, question: str, *, state: str, now: int) -> None:
    tx.execute(_close, {"asked": question, "ended": state, "at": now})


def purge(tx: Transaction, before: int) -> int:
    """Remove questions that lapsed before `before`; the number of rows."""
    return int(tx.execute(delete(questions).where(questions.c.expires_at < before)).rowcount)
