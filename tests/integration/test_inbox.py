"""The inbox: nothing acknowledged is lost, nothing is handled twice, a person's messages keep their order."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from bot.inbox import ATTEMPTS, CLAIM, Inbox
from bot.stores import inbox as rows
from bot.stores.tables import inbox as table
from memory.stores.database import Transaction
from tests.integration.queueing import NotingHandler, message, queues


async def test_same_message_is_handled_once_however_often_it_is_pushed(tmp_path: Path) -> None:
    """Field fault A1."""
    async with queues(tmp_path) as q:
        assert await q.inbox.accept(message(1))
        assert not await q.inbox.accept(message(1))
        await q.settle()
        for later in (timedelta(seconds=15), timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6)):
            await q.advance(later)
            assert not await q.inbox.accept(message(1))
        await q.settle()
        assert q.handler.seen == ["om_1"]


async def test_repeat_is_known_after_a_restart(tmp_path: Path) -> None:
    """Field fault A1: the table outlives the process."""
    async with queues(tmp_path) as q:
        await q.inbox.accept(message(1))
        await q.settle()
    async with queues(tmp_path) as q:
        assert not await q.inbox.accept(message(1))
        assert q.handler.seen == []


async def test_two_apps_each_handle_their_copy(tmp_path: Path) -> None:
    """Field fault A8: the key is app and message."""
    async with queues(tmp_path) as q:
        assert await q.inbox.accept(message(1, app="feishu/a"))
        assert await q.inbox.accept(message(1, app="feishu/b"))
        await q.settle()
        assert q.handler.seen == ["om_1", "om_1"]


async def test_refused_write_is_not_taken_for_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field fault A3: the store refuses the first write, the platform pushes again."""
    async with queues(tmp_path) as q:
        add = rows.add

        def refuse(*args: object, **fields: object) -> None:
            monkeypatch.setattr(rows, "add", add)
            raise OSError("disk full")

        monkeypatch.setattr(rows, "add", refuse)
        with pytest.raises(OSError, match="disk full"):
            await q.inbox.accept(message(1))
        assert await q.inbox.accept(message(1))
        await q.settle()
        assert q.handler.seen == ["om_1"]


async def test_message_claimed_by_a_killed_process_is_handled_after_the_restart(tmp_path: Path) -> None:
    """Field fault A3, variant: kill between acknowledgement and work."""
    async with queues(tmp_path) as q:
        await q.inbox.accept(message(1))
        q.inbox.abandon()
    async with queues(tmp_path) as q:
        await q.settle()
        assert q.handler.seen == ["om_1"]


async def test_claim_of_a_dead_replica_runs_out(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        await q.inbox.accept(message(1))
        await q.settle()

        def as_if_another_held_it(tx: Transaction) -> None:
            until = select(table.c.received_at).scalar_subquery() + CLAIM // timedelta(microseconds=1)
            held = {"state": "claimed", "claimed_by": "dead", "claimed_until": until}
            tx.execute(update(table).values(**held, body=b""))

        sealed = await q.database.read(lambda tx: tx.execute(select(table.c.id)).scalar_one())
        await q.database.run(as_if_another_held_it)
        await q.advance(CLAIM - timedelta(seconds=1))
        assert await q.database.read(lambda tx: rows.waiting_people(tx, 0, 10)) == []
        q.clock.move_to(q.clock.now() + timedelta(seconds=2))
        now = int(q.clock.now().timestamp() * 1_000_000)
        person = await q.person()
        claimed = await q.database.run(lambda tx: rows.claim_next(tx, person.id, by="alive", now=now, until=now + 1))
        assert claimed is not None
        assert claimed.id == sealed


async def test_messages_of_one_person_keep_their_order(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        await asyncio.gather(*(q.inbox.accept(message(n, sender=f"on_{n % 5}")) for n in range(60)))
        await q.settle()
        assert len(q.handler.seen) == 60
        for person in range(5):
            own = [int(seen[3:]) for seen in q.handler.seen if int(seen[3:]) % 5 == person]
            assert own == sorted(own)


async def test_a_bug_is_tried_again_and_then_apologised_for_once(tmp_path: Path) -> None:
    """Field fault B5."""
    async with queues(tmp_path) as q:
        q.handler.failures = 100
        await q.inbox.accept(message(1))
        await q.settle()
        assert q.handler.seen == ["om_1"] * ATTEMPTS
        assert q.handler.apologies == ["om_1"]
        assert await q.database.read(rows.count) == {"failed": 1}


async def test_next_message_is_handled_after_one_that_failed(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.handler.failures = ATTEMPTS
        await asyncio.gather(q.inbox.accept(message(1)), q.inbox.accept(message(2)))
        await q.settle()
        assert q.handler.seen[-1] == "om_2"
        assert q.handler.apologies == ["om_1"]


async def test_press_gets_the_toast_of_its_turn(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.handler.toast = "已处理"
        handled = await q.inbox.accept_and_wait(message(1), 2.5)
        assert handled is not None
        assert handled.toast == "已处理"
        assert await q.inbox.accept_and_wait(message(1), 2.5) is None


async def test_body_is_unreadable_on_disk_and_blank_when_done(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.inbox.abandon()  # nobody takes it up
        await q.inbox.accept(message(1, text="没有人应该在磁盘上读到这句话"))
        stored = await q.database.read(lambda tx: tx.execute(select(table.c.body)).scalar_one())
        assert stored
        on_disk = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
        assert "没有人应该".encode() not in on_disk
        again = Inbox(q.database, q.people, q.keyring, q.clock, NotingHandler(), worker="second")
        await again.start(alone=True)
        while not again.is_quiet():
            await asyncio.sleep(0)
        await again.close()
        assert await q.database.read(lambda tx: tx.execute(select(table.c.body)).scalar_one()) is None
