"""The rows of task runs: what was done, with which values."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import insert, select

from bot.stores.tables import runs
from memory.stores.database import Transaction


@dataclass(frozen=True)
class RunRow:
    id: str
    tenant: str
    person: str
    task: str
    body: bytes
    outcome: str
    started_at: int


_columns = (
    runs.c.id, runs.c.tenant, runs.c.person, runs.c.task, runs.c.body, runs.c.outcome, runs.c.started_at
)  # fmt: skip


def add(tx: Transaction, row: RunRow) -> None:
    tx.execute(insert(runs).values(**{column.name: getattr(row, column.name) for column in _columns}))


def latest(tx: Transaction, tenant: str, person: str, since: int) -> RunRow | None:
    """The person's newest run since then."""
    row = tx.execute(
        select(*_columns)
        .where(runs.c.tenant == tenant, runs.c.person == person, runs.c.started_at >= since)
        .order_by(runs.c.started_at.desc())
        .limit(1)
    ).first()
    return RunRow(*tuple(row)) if row else None


def between(tx: Transaction, tenant: str, person: str, since: int, until: int) -> list[RunRow]:
    """The person's runs of a period, the oldest first."""
    rows = tx.execute(
        select(*_columns)
        .where(
            runs.c.tenant == tenant,
            runs.c.person == person,
            runs.c.started_at >= since,
            runs.c.started_at < until,
        )
        .order_by(runs.c.started_at)
    )
    return [RunRow(*tuple(row)) for row in rows]
