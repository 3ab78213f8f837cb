"""The few statements that SQLite and PostgreSQL share but SQLAlchemy keeps per dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite

from memory.stores.transaction import Transaction


def insert_if_absent(tx: Transaction, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert unless a unique key of the table has it already; whether it was inserted."""
    insert = postgresql.insert if tx.dialect == "postgresql" else sqlite.insert
    return bool(tx.execute(insert(table).on_conflict_do_nothing(), row).rowcount)


def insert_or_update(tx: Transaction, table: Table, row: Mapping[str, Any], unique: Sequence[str]) -> None:
    """Insert, or overwrite the row that has the same values in the columns `unique`."""
    insert = postgresql.insert if tx.dialect == "postgresql" else sqlite.insert
    statement = insert(table).values(row)
    rest = {name: statement.excluded[name] for name in row if name not in unique}
    tx.execute(statement.on_conflict_do_update(index_elements=list(unique), set_=rest))
