"""The SQLite engine: waiting units of work run on the event loop and are committed together by one thread.

A durable commit costs an fsync; shared by all units that wait, it costs the same once. Only the commit leaves
the loop: SQLite lets go of the GIL at every statement, and in a thread beside a busy loop each of them would
have to wait to get it back.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import Engine as SqlEngine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from memory.stores.transaction import (
    DatabaseBroken,
    DatabaseBusy,
    DatabaseClosed,
    DatabaseUnavailable,
    T,
    Transaction,
)

UNITS_PER_COMMIT = 64
SECONDS_PER_COMMIT = 0.02  # others on the loop wait no longer than this, however many units are due
LOCK_PATIENCE = 5.0  # seconds that another process (`jide db upgrade`) may hold the write lock
LOCK_RETRY = 0.02
# Python's 5 ms is longer than the gaps of a busy event loop, which then starves the committing thread:
# 10 units of work a second instead of 2,700.
SWITCH_INTERVAL = 0.001

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # what was acknowledged survives a power cut
    "PRAGMA secure_delete = ON",  # forgotten bytes are overwritten
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -16000",
)


class SqliteEngine:
    """The database in one file, for one process: a connection that writes and one that only reads."""

    def __init__(self, writer: Connection, reader: Connection) -> None:
        self._writer = writer
        self._reader = reader
        self._waiting: deque[_Unit] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._committer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-commit")
        self._closed = False

    @classmethod
    async def open(cls, url: str) -> SqliteEngine:
        path = make_url(url).database
        if not path or path == ":memory:":
            raise DatabaseBroken("SQLite needs a file: sqlite:///path/jide.db")
        _create_private(Path(path))
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
        # Python's sqlite3 opens no transactions of its own here: BEGIN and COMMIT are said below.
        options = {"isolation_level": None, "check_same_thread": False}
        engine = create_engine(url, poolclass=NullPool, connect_args=options, hide_parameters=True)
        writer = _connect(engine, "PRAGMA busy_timeout = 0")  # waiting for the lock must not stop the loop
        return cls(writer, _connect(engine, "PRAGMA busy_timeout = 1000", "PRAGMA query_only = ON"))

    async def run(self, fn: Callable[[Transaction], T]) -> T:
        self._check_open()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Unit(fn, future))
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain())
        return await future

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        self._check_open()
        transaction = Transaction(self._reader)
        try:
            with self._reader.begin():
                _raw(self._reader).execute("BEGIN")
                return fn(transaction)
        except DBAPIError as error:
            problem = explained(error)
            if problem is error:
                raise
            raise problem from error
        finally:
            transaction.end(committed=False)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._draining is not None:
            await asyncio.wait({self._draining})  # a caller that is cancelled here must not stop it
        await asyncio.to_thread(self._committer.shutdown)
        self._reader.close()
        self._writer.close()

    def _check_open(self) -> None:
        if self._closed:
            raise DatabaseClosed("the database is closed")

    async def _drain(self) -> None:
        try:
            while self._waiting:
                await self._commit_together()
        finally:
            self._draining = None

    async def _commit_together(self) -> None:
        """One transaction over the units that wait; they all hear of it at once."""
        raw = _raw(self._writer)
        units: list[_Unit] = []
        try:
            with self._writer.begin():
                await _begin(raw)
                self._attempt_waiting(raw, units)
                await asyncio.get_running_loop().run_in_executor(self._committer, raw.commit)
        except Exception as error:
            # No lock, no COMMIT, or SQLite gave up the whole transaction (disk full): nothing was written.
            units = units or self._take_waiting()
            for unit in units:
                unit.fail(explained(error))
        for unit in units:
            unit.settle()

    def _attempt_waiting(self, raw: sqlite3.Connection, units: list[_Unit]) -> None:
        enough = perf_counter() + SECONDS_PER_COMMIT
        while self._waiting and len(units) < UNITS_PER_COMMIT and (not units or perf_counter() < enough):
            units.append(self._waiting.popleft())
            units[-1].attempt(self._writer, raw)

    def _take_waiting(self) -> list[_Unit]:
        units = list(self._waiting)
        self._waiting.clear()
        return units


class _Unit:
    """A function that waits for its turn, and the caller that waits for its outcome."""

    __slots__ = ("_error", "_fn", "_future", "_result", "_transaction")

    def __init__(self, fn: Callable[[Transaction], Any], future: asyncio.Future[Any]) -> None:
        self._fn = fn
        self._future = future
        self._transaction: Transaction | None = None
        self._result: Any = None
        self._error: BaseException | None = None

    def attempt(self, connection: Connection, raw: sqlite3.Connection) -> None:
        """Run it in a savepoint: what it raises undoes only what it did itself."""
        self._transaction = Transaction(connection)
        raw.execute("SAVEPOINT unit")
        try:
            self._result = self._fn(self._transaction)
        except BaseException as error:
            self.fail(explained(error))
            raw.execute("ROLLBACK TO unit")
        raw.execute("RELEASE unit")

    def fail(self, error: BaseException) -> None:
        """Nothing of it was written; the first reason is the one its caller gets."""
        if self._error is not None:
            return
        # A future cannot carry StopIteration, which a `next()` in the work may raise.
        self._error = RuntimeError("unit of work ran dry") if isinstance(error, StopIteration) else error
        if self._transaction is not None:
            self._transaction.end(committed=False)

    def settle(self) -> None:
        if self._error is None and self._transaction is not None:
            self._transaction.end(committed=True)
            self._transaction.run_hooks()
        if self._future.cancelled():
            return
        if self._error is None:
            self._future.set_result(self._result)
        else:
            self._future.set_exception(self._error)


async def _begin(raw: sqlite3.Connection) -> None:
    """Take the write lock; another process that holds it gets some seconds to finish."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + LOCK_PATIENCE
    while True:
        try:
            raw.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or loop.time() > give_up:
                raise
        else:
            return
        await asyncio.sleep(LOCK_RETRY)


def explained(error: BaseException) -> BaseException:
    """The error as its caller can act on it: SQLite's own troubles become DatabaseUnavailable."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, sqlite3.Error):
        return error
    kind = _REMEDIES.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)  # absent when Python itself refused
    if kind is None:
        return error
    unavailable = kind(f"SQLite: {cause}")
    unavailable.__cause__ = error
    return unavailable


_REMEDIES: dict[int, type[DatabaseUnavailable]] = {
    sqlite3.SQLITE_BUSY: DatabaseBusy,
    sqlite3.SQLITE_LOCKED: DatabaseBusy,
    sqlite3.SQLITE_NOMEM: DatabaseBusy,
    sqlite3.SQLITE_FULL: DatabaseBroken,
    sqlite3.SQLITE_IOERR: DatabaseBroken,
    sqlite3.SQLITE_CORRUPT: DatabaseBroken,
    sqlite3.SQLITE_NOTADB: DatabaseBroken,
    sqlite3.SQLITE_CANTOPEN: DatabaseBroken,
    sqlite3.SQLITE_READONLY: DatabaseBroken,
    sqlite3.SQLITE_PERM: DatabaseBroken,
}


def _create_private(path: Path) -> None:
    """Create the file readable by its owner only; SQLite gives its -wal and -shm files the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise DatabaseBroken(f"cannot open {path}: {error.strerror}") from error


def _connect(engine: SqlEngine, *more: str) -> Connection:
    try:
        connection = engine.connect()
        for pragma in (*PRAGMAS, *more):
            _raw(connection).execute(pragma)
    except (DBAPIError, sqlite3.Error) as error:
        raise explained(error) from error
    return connection


def _raw(connection: Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
