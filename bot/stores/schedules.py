"""The rows of schedules: when something falls due for a person, and the rule for the next time."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, func, insert, select, update

from bot.stores.tables import schedules
from memory.stores.database import Transaction


@dataclass(frozen=True)
class ScheduleRow:
    id: str
    tenant: str
    person: str
    kind: str
    rule: str
    zone: str
    address: bytes
    due_at: int
    given_on: str | None
    attempts: int
    created_at: int


_columns = (
    schedules.c.id, schedules.c.tenant, schedules.c.person, schedules.c.kind, schedules.c.rule, schedules.c.zone,
    schedules.c.address, schedules.c.due_at, schedules.c.given_on, schedules.c.attempts, schedules.c.created_at,
)  # fmt: skip
_insert = insert(schedules)
_his = (
    schedules.c.tenant == bindparam("tenant"),
    schedules.c.person == bindparam("person"),
    schedules.c.kind == bindparam("which"),
)
_find = select(*_columns).where(*_his)
_due = (
    select(*_columns)
    .where(schedules.c.due_at <= bindparam("at"))
    .order_by(schedules.c.due_at)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_next_due = select(func.min(schedules.c.due_at))


def add(tx: Transaction, row: ScheduleRow) -> None:
    tx.execute(_insert, vars(row))


def find(tx: Transaction, tenant: str, person: str, kind: str) -> ScheduleRow | None:
    row = tx.execute(_find, {"tenant": tenant, "person": person, "which": kind}).first()
    return ScheduleRow(*tuple(row)) if row else None


def claim_due(tx: Transaction, now: int, limit: int) -> list[ScheduleRow]:
    """The rows that are due, the longest first, held by this transaction: another replica skips them."""
    rows = tx.execute(_due, {"at": now, "most": limit})
    return [ScheduleRow(*tuple(row)) for row in rows]


def change(tx: Transaction, schedule: str, *, rule: str, zone: str, due_at: int) -> None:
    tx.execute(
        update(schedules).where(schedules.c.id == schedule).values(rule=rule, zone=zone, due_at=due_at, attempts=0)
    )


def move_on(tx: Transaction, schedule: str, *, due_at: int, given_on: str | None = None) -> None:
    """The next instant; `given_on` when it was given just now, or asked for earlier that day."""
    values: dict[str, object] = {"due_at": due_at, "attempts": 0}
    if given_on is not None:
        values["given_on"] = given_on
    tx.execute(update(schedules).where(schedules.c.id == schedule).values(**values))


def try_again(tx: Transaction, schedule: str, *, due_at: int) -> None:
    """It failed: later, and one attempt more."""
    tx.execute(
        update(schedules).where(schedules.c.id == schedule).values(due_at=due_at, attempts=schedules.c.attempts + 1)
    )


def remove(tx: Transaction, tenant: str, person: str, kind: str) -> None:
    tx.execute(delete(schedules).where(*_his), {"tenant": tenant, "person": person, "which": kind})


def next_due(tx: Transaction) -> int | None:
    found: int | None = tx.execute(_next_due).scalar()
    return found
