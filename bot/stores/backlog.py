"""How far behind the queues are: counts and the oldest instants, nothing of what waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, text

from bot.stores import outbox as outbox_rows
from bot.stores.tables import inbox, outbox, schedules
from memory.stores.database import Transaction

_pending = text(
    "state IN ('new','claimed')"
)  # literal: SQLite uses a partial index only when it can read the condition
_messages = select(func.count(), func.min(inbox.c.received_at)).where(_pending)
_replies = select(func.count()).select_from(outbox).where(_pending)
_schedules = (
    select(schedules.c.kind, func.count().label("rows"), func.min(schedules.c.due_at).label("since"))
    .where(schedules.c.due_at <= bindparam("at"))
    .group_by(schedules.c.kind)
)


@dataclass(frozen=True)
class Waiting:
    """How many rows wait, and since when (microseconds) the oldest is due; None when none is."""

    rows: int
    since: int | None


@dataclass(frozen=True)
class Backlog:
    inbox: Waiting
    outbox: Waiting
    schedules: Mapping[str, Waiting]
    """By kind, those that are due."""


def measure(tx: Transaction, now: int) -> Backlog:
    due = outbox_rows.next_due(tx)
    return Backlog(
        inbox=Waiting(*tuple(tx.execute(_messages).one())),
        outbox=Waiting(tx.execute(_replies).scalar_one(), due if due is not None and due <= now else None),
        schedules={row.kind: Waiting(row.rows, row.since) for row in tx.execute(_schedules, {"at": now})},
    )
