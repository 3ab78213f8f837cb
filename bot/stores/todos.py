"""The rows of to-dos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, or_, select, update

from bot.stores.tables import todos
from memory.stores.database import Transaction


@dataclass(frozen=True)
class TodoRow:
    id: str
    tenant: str
    person: str
    title: bytes
    due_on: str | None
    due_at: int | None
    urgent: bool
    created_at: int
    done_at: int | None
    removed_at: int | None = None
    rule: bytes | None = None


_columns = (
    todos.c.id, todos.c.tenant, todos.c.person, todos.c.title, todos.c.due_on, todos.c.due_at, todos.c.urgent,
    todos.c.created_at, todos.c.done_at, todos.c.removed_at, todos.c.rule,
)  # fmt: skip
_insert = insert(todos)
_open_or_done = (
    select(*_columns)
    .where(
        todos.c.tenant == bindparam("tenant"),
        todos.c.person == bindparam("person"),
        todos.c.removed_at.is_(None),
        or_(todos.c.done_at.is_(None), todos.c.done_at >= bindparam("since")),
    )
    .order_by(todos.c.due_on.is_(None), todos.c.due_on, todos.c.created_at)
)


def add(tx: Transaction, row: TodoRow) -> None:
    tx.execute(_insert, vars(row))


def get(tx: Transaction, tenant: str, person: str, ids: Sequence[str]) -> list[TodoRow]:
    """Those of the person's to-dos, removed ones included."""
    rows = tx.execute(select(*_columns).where(todos.c.tenant == tenant, todos.c.person == person, todos.c.id.in_(ids)))
    return [TodoRow(*tuple(row)) for row in rows]


def change(tx: Transaction, tenant: str, person: str, todo: str, values: Mapping[str, object]) -> None:
    """Set `due_on`, `urgent`, `done_at` or `removed_at` of one to-do."""
    tx.execute(
        update(todos).where(todos.c.tenant == tenant, todos.c.person == person, todos.c.id == todo).values(**values)
    )


def open_or_done_since(tx: Transaction, tenant: str, person: str, since: int) -> list[TodoRow]:
    """What is still open, and what was done since then; the earliest due first."""
    rows = tx.execute(_open_or_done, {"tenant": tenant, "person": person, "since": since})
    return [TodoRow(*tuple(row)) for row in rows]
