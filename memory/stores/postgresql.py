"""The PostgreSQL engine: every unit of work is one transaction on a pooled asyncpg connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from memory.stores.transaction import (
    DatabaseBroken,
    DatabaseBusy,
    DatabaseClosed,
    DatabaseUnavailable,
    T,
    Transaction,
)

CONNECTIONS = 10
WAIT_FOR_CONNECTION = 10.0  # seconds

# SQLSTATE classes: connection trouble, resources, operator intervention, rolled back for another's sake.
RETRY_CLASSES = ("08", "53", "57", "40")
# Invalid login, no such database.
MEND_CLASSES = ("28", "3D")


class PostgresEngine:
    """A PostgreSQL server, shared by any number of processes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._snapshots = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._running: set[asyncio.Task[object]] = set()
        self._closed = False

    @classmethod
    async def open(cls, url: str) -> PostgresEngine:
        opened = cls(
            create_async_engine(
                url,
                pool_size=CONNECTIONS,
                max_overflow=0,
                pool_timeout=WAIT_FOR_CONNECTION,
                pool_pre_ping=True,
                hide_parameters=True,
            )
        )
        await opened.read(lambda tx: tx.execute(text("SELECT 1")).scalar_one())
        return opened

    async def run(self, fn: Callable[[Transaction], T]) -> T:
        return await self._to_its_end(fn, self._engine)

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        return await self._to_its_end(fn, self._snapshots)

    async def _to_its_end(self, fn: Callable[[Transaction], T], engine: AsyncEngine) -> T:
        """A task of its own: a caller that stops waiting must not leave hooks unrun behind a COMMIT."""
        if self._closed:
            raise DatabaseClosed("the database is closed")
        task = asyncio.create_task(_run(fn, engine))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._engine.dispose()


async def _run(fn: Callable[[Transaction], T], engine: AsyncEngine) -> T:
    units: list[Transaction] = []

    def unit(connection: Connection) -> T:
        units.append(Transaction(connection))
        return fn(units[0])

    committed = False
    try:
        async with engine.begin() as connection:
            result = await connection.run_sync(unit)
        committed = True
    except (DBAPIError, PoolTimeout, OSError) as error:
        problem = explained(error)
        if problem is error:
            raise
        raise problem from error
    finally:
        for transaction in units:
            transaction.end(committed)
    units[0].run_hooks()
    return result


def explained(error: Exception) -> Exception:
    """The error as its caller can act on it: the server's own troubles become DatabaseUnavailable."""
    kind = _remedy(error)
    return error if kind is None else kind(f"PostgreSQL: {type(error).__name__}")


def _remedy(error: Exception) -> type[DatabaseUnavailable] | None:
    if isinstance(error, PoolTimeout | OSError):
        return DatabaseBusy
    if not isinstance(error, DBAPIError):
        return None
    if error.connection_invalidated:
        return DatabaseBusy
    state = getattr(error.orig, "sqlstate", None) or ""
    if state.startswith(MEND_CLASSES):
        return DatabaseBroken
    return DatabaseBusy if state.startswith(RETRY_CLASSES) else None
