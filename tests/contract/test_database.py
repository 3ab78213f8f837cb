"""What every database engine promises to the units of work that run in it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from memory.stores.database import (
    Database,
    DatabaseBroken,
    DatabaseBusy,
    DatabaseClosed,
    DatabaseUnavailable,
    Transaction,
)
from memory.stores.tables import audit, receipts


def note(tx: Transaction, action: str) -> int:
    row = {"tenant": "t", "person": "p", "at": 0, "action": action}
    number: int = tx.execute(insert(audit).values(row).returning(audit.c.seq)).scalar_one()
    return number


def notes(tx: Transaction) -> list[str]:
    return list(tx.execute(select(audit.c.action).order_by(audit.c.seq)).scalars())


class TestDatabase:
    async def test_a_unit_is_visible_once_run_returns(self, database: Database) -> None:
        await database.run(lambda tx: note(tx, "one"))
        assert await database.read(notes) == ["one"]

    async def test_integer_keys_count_up(self, database: Database) -> None:
        first = await database.run(lambda tx: note(tx, "one"))
        assert await database.run(lambda tx: note(tx, "two")) == first + 1

    async def test_two_hundred_units_at_once_all_arrive(self, database: Database) -> None:
        numbers = await asyncio.gather(
            *(database.run(lambda tx, n=n: note(tx, str(n))) for n in range(200))  # type: ignore[misc]
        )
        assert len(set(numbers)) == 200
        assert sorted(await database.read(notes), key=int) == [str(n) for n in range(200)]

    async def test_a_failing_unit_does_not_hurt_its_neighbours(self, database: Database) -> None:
        def fail(tx: Transaction) -> None:
            note(tx, "half done")
            raise RuntimeError("no")

        outcomes = await asyncio.gather(
            database.run(lambda tx: note(tx, "before")),
            database.run(fail),
            database.run(lambda tx: note(tx, "after")),
            return_exceptions=True,
        )
        assert isinstance(outcomes[1], RuntimeError)
        assert sorted(await database.read(notes)) == ["after", "before"]

    async def test_a_broken_rule_reaches_its_caller_as_it_is(self, database: Database) -> None:
        row = {"id": "r", "tenant": "t", "person": "p", "erased": 1, "erased_at": 0}
        await database.run(lambda tx: tx.execute(insert(receipts), row) and None)
        with pytest.raises(IntegrityError):
            await database.run(lambda tx: tx.execute(insert(receipts), row) and None)

    async def test_a_unit_may_run_dry(self, database: Database) -> None:
        with pytest.raises(RuntimeError):
            await database.run(lambda tx: next(iter(())))
        await database.run(lambda tx: note(tx, "still alive"))

    async def test_a_unit_may_undo_a_part_of_itself(self, database: Database) -> None:
        def unit(tx: Transaction) -> None:
            note(tx, "kept")
            part = tx.connection.begin_nested()
            note(tx, "undone")
            part.rollback()

        await database.run(unit)
        assert await database.read(notes) == ["kept"]

    async def test_a_hook_runs_after_its_commit_and_before_run_returns(self, database: Database) -> None:
        order: list[str] = []

        def unit(tx: Transaction) -> None:
            tx.after_commit(lambda: order.append("hook"))
            order.append("unit")

        await database.run(unit)
        order.append("returned")
        assert order == ["unit", "hook", "returned"]

    async def test_a_hook_runs_on_the_event_loop(self, database: Database) -> None:
        loops: list[asyncio.AbstractEventLoop] = []
        await database.run(lambda tx: tx.after_commit(lambda: loops.append(asyncio.get_running_loop())))
        assert loops == [asyncio.get_running_loop()]

    async def test_a_failed_unit_runs_no_hook(self, database: Database) -> None:
        ran: list[str] = []

        def unit(tx: Transaction) -> None:
            tx.after_commit(lambda: ran.append("hook"))
            tx.at_end(lambda committed: ran.append(f"ended, committed: {committed}"))
            raise RuntimeError("no")

        with pytest.raises(RuntimeError):
            await database.run(unit)
        assert ran == ["ended, committed: False"]

    async def test_a_failing_hook_does_not_undo_what_is_committed(
        self, database: Database, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail() -> None:
            raise RuntimeError("too late")

        def unit(tx: Transaction) -> int:
            tx.after_commit(fail)
            return note(tx, "kept")

        await database.run(unit)
        assert await database.read(notes) == ["kept"]
        assert "after-commit hook failed" in caplog.text

    async def test_work_goes_on_when_its_caller_stops_waiting(self, database: Database) -> None:
        hooks: list[str] = []

        def unit(tx: Transaction) -> None:
            note(tx, "done")
            tx.after_commit(lambda: hooks.append("hook"))

        waiting = asyncio.create_task(database.run(unit))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await database.close()
        assert hooks == ["hook"]

    async def test_a_read_cannot_write(self, database: Database) -> None:
        with pytest.raises((DatabaseUnavailable, DBAPIError)):
            await database.read(lambda tx: note(tx, "sneaked in"))
        assert await database.read(notes) == []

    async def test_closing_finishes_what_was_handed_over(self, database: Database, database_url: str) -> None:
        units = [asyncio.create_task(database.run(lambda tx: note(tx, "in time"))) for _ in range(80)]
        await asyncio.sleep(0)
        await database.close()
        await asyncio.gather(*units)
        reopened = await Database.open(database_url)
        assert await reopened.read(notes) == ["in time"] * 80
        await reopened.close()

    async def test_a_closed_database_says_so(self, database: Database) -> None:
        await database.close()
        await database.close()
        with pytest.raises(DatabaseClosed):
            await database.run(notes)
        with pytest.raises(DatabaseClosed):
            await database.read(notes)


@pytest.mark.parametrize(
    "url",
    ["sqlite://", "sqlite:///:memory:", "sqlite:////no/such/folder/jide.db", "mysql://localhost/jide", "jide.db"],
)
async def test_a_database_that_cannot_be_opened_is_for_an_admin_to_mend(url: str) -> None:
    with pytest.raises(DatabaseBroken):
        await Database.open(url)


async def test_a_file_that_is_no_database_is_for_an_admin_to_mend(tmp_path: Path) -> None:
    (tmp_path / "jide.db").write_text("今天的待办" * 1000)
    with pytest.raises(DatabaseBroken):
        await Database.open(f"sqlite:///{tmp_path}/jide.db")


def modes_under(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


async def test_the_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    opened = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    await opened.run(lambda tx: tx.execute(text("CREATE TABLE t (x)")) and None)
    assert modes_under(tmp_path) == {"jide.db": 0o600, "jide.db-wal": 0o600, "jide.db-shm": 0o600}
    await opened.close()


@pytest.fixture
def other_process(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another program's connection to the same file, which holds the write lock."""
    connection = sqlite3.connect(tmp_path / "jide.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def insert_one(tx: Transaction) -> None:
    tx.execute(text("INSERT INTO t VALUES (1)"))


async def test_a_unit_waits_for_another_process_that_writes(tmp_path: Path, other_process: sqlite3.Connection) -> None:
    opened = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    waiting = asyncio.create_task(opened.run(insert_one))
    asyncio.get_running_loop().call_later(0, other_process.commit)
    await waiting
    assert await opened.read(lambda tx: tx.execute(text("SELECT count(*) FROM t")).scalar_one()) == 1
    await opened.close()


async def test_a_unit_that_waited_too_long_for_another_process_may_be_tried_again(
    tmp_path: Path, other_process: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.stores.sqlite.LOCK_PATIENCE", 0.0)
    opened = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    with pytest.raises(DatabaseBusy):
        await opened.run(insert_one)
    other_process.rollback()
    await opened.run(insert_one)
    await opened.close()


async def test_a_failing_commit_reaches_every_unit_in_it(tmp_path: Path) -> None:
    opened = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    await opened.run(lambda tx: tx.execute(text("CREATE TABLE a (x PRIMARY KEY)")) and None)
    await opened.run(
        lambda tx: tx.execute(text("CREATE TABLE b (x REFERENCES a DEFERRABLE INITIALLY DEFERRED)")) and None
    )
    outcomes = await asyncio.gather(
        opened.run(lambda tx: tx.execute(text("INSERT INTO a VALUES (1)")) and None),
        opened.run(lambda tx: tx.execute(text("INSERT INTO b VALUES (2)")) and None),  # found out at COMMIT
        return_exceptions=True,
    )
    assert [type(outcome).__name__ for outcome in outcomes] == ["IntegrityError", "IntegrityError"]
    assert await opened.read(lambda tx: tx.execute(text("SELECT count(*) FROM a")).scalar_one()) == 0
    await opened.run(lambda tx: tx.execute(text("INSERT INTO a VALUES (3)")) and None)
    await opened.close()
