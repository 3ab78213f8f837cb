"""One database, one way to use it: a unit of work is a plain function over a `Transaction`, all or nothing.

database = await Database.open("sqlite:////path/jide.db")
result = await database.run(lambda tx: store.insert(tx, row))  # commits, then runs the hooks
rows = await database.read(lambda tx: tx.execute(select(...)).all())
await database.close()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from memory.stores.transaction import (
    DatabaseBroken,
    DatabaseBusy,
    DatabaseClosed,
    DatabaseUnavailable,
    T,
    Transaction,
)

__all__ = [
    "Database",
    "DatabaseBroken",
    "DatabaseBusy",
    "DatabaseClosed",
    "DatabaseUnavailable",
    "Transaction",
]

Work = Callable[[Transaction], T]


class Engine(Protocol):
    """What a kind of database has to offer."""

    async def run(self, fn: Work[T]) -> T: ...

    async def read(self, fn: Work[T]) -> T: ...

    async def close(self) -> None: ...


class Database:
    """Where everything durable lives; safe to use from any task of the event loop that opened it."""

    def __init__(self, url: str, engine: Engine) -> None:
        self.url = url
        self._engine = engine

    @classmethod
    async def open(cls, url: str) -> Database:
        """Connect to `sqlite:///path` or `postgresql+asyncpg://…`; raises DatabaseUnavailable."""
        try:
            kind = make_url(url).drivername
        except ArgumentError as error:
            raise DatabaseBroken("not a database URL; sqlite:///path would do") from error
        if kind == "sqlite":
            from memory.stores.sqlite import SqliteEngine

            return cls(url, await SqliteEngine.open(url))
        if kind == "postgresql+asyncpg":
            from memory.stores.postgresql import PostgresEngine

            return cls(url, await PostgresEngine.open(url))
        raise DatabaseBroken(f"no engine for {kind}: use sqlite:///path or postgresql+asyncpg://…")

    async def run(self, fn: Work[T]) -> T:
        """`fn(tx)` in one transaction, committed durably when this returns.

        What `fn` raises undoes it and comes out here. Once handed over, the work is carried out even when the
        caller stops waiting. `fn` runs on the event loop: it fetches its rows itself and stays short.
        """
        return await self._engine.run(fn)

    async def read(self, fn: Work[T]) -> T:
        """`fn(tx)` over one consistent state that includes every finished `run`; it cannot write."""
        return await self._engine.read(fn)

    async def close(self) -> None:
        """Finish what was handed over, then let go of the files and connections."""
        await self._engine.close()
