"""The rows of task runs: what was done, with which values."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select

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
_insert = insert(runs)
_his = (
    runs.c.tenant == bindparam("tenant"),
    runs.c.person == bindparam("person"),
    runs.c.started_at >= bindparam("since"),
)
_latest = select(*_columns).where(*_his).order_by(runs.c.started_at.desc()).limit(1)
_between = select(*_columns).where(*_his, runs.c.started_at < bindparam("until")).order_by(runs.c.started_at)


def add(tx: Transaction, row: RunRow) -> None:
    tx.execute(_insert, vars(row))


def latest(tx: Transaction, tenant: str, person: str, since: int) -> RunRow | None:
    """The person's newest run since then."""
    row = tx.execute(_latest, {"tenant": tenant, "person": person, "since": since}).first()
    return RunRow(*tuple(row)) if row else None


def between(tx: Transaction, tenant: str, person: str, since: int, until: int) -> list[RunRow]:
    """The person's runs of a period, the oldest first."""
    rows = tx.execute(_between, {"tenant": tenant, "person": person, "since": since, "until": until})
    return [RunRow(*tuple(row)) for row in rows]
