"""Counts of what is kept, for admins: never who, and nothing about fewer than five people."""

from __future__ import annotations

from sqlalchemy import Table, distinct, func, select

from bot.stores import inbox, outbox
from bot.stores.tables import people, schedules, todos
from memory.stores.database import Transaction
from memory.stores.tables import memories

FEWEST = 5
TOO_FEW = f"<{FEWEST}"

Count = int | str


def count(tx: Transaction) -> dict[str, dict[str, int] | Count]:
    """The queues by state, then how much of what is kept; `<5` stands for what fewer than five people have."""
    everybody = tx.execute(select(func.count()).select_from(people)).scalar_one()
    return {
        "inbox": inbox.count(tx),
        "outbox": outbox.count(tx),
        "people": everybody if everybody >= FEWEST else TOO_FEW,
        **{table.name: _kept(tx, table) for table in (memories, todos, schedules)},
    }


def _kept(tx: Transaction, table: Table) -> Count:
    whose = func.count(distinct(table.c.person))
    rows, owners = tuple(tx.execute(select(func.count(), whose).select_from(table)).one())
    return int(rows) if owners >= FEWEST or not rows else TOO_FEW
