"""What the door promises about failure, neighbours and other programs on the same database."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from memory.cache import PersonCache
from memory.keyring import Keyring
from memory.memory import Memory
from memory.stores.database import Database
from memory.types import ALWAYS, Mode, Value
from memory.values import overlap, same
from tests.contract.desk import REPORT, URGENT, WEEKLY, XIAOWEN, Desk, pref


async def test_a_neighbour_in_the_same_commit_sees_the_write(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    await desk.tell(pref("notify_channel", "wecom"))
    await desk.holds()  # in the cache now
    _, seen = await asyncio.gather(
        desk.tell(pref("notify_channel", "sms")),
        desk.run(lambda memory: memory.active(XIAOWEN, desk.now)),
    )
    assert [record.value for record in seen] == ["sms"]


class TestTransactions:
    async def test_a_failed_turn_leaves_nothing_behind(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"))

        def act(memory: Memory) -> None:
            (proposal,) = memory.propose(XIAOWEN, (pref("notify_channel", "sms"),), desk.now)
            memory.remember(XIAOWEN, proposal, source="told", now=desk.now)
            assert memory.active(XIAOWEN, desk.now)[0].value == "sms"  # its own write is seen within
            raise RuntimeError("the turn failed")

        with pytest.raises(RuntimeError):
            await desk.run(act)
        assert await desk.holds() == {"notify_channel": "wecom"}
        assert await desk.archived() == []

    async def test_the_first_memory_of_a_tenant_may_fail(self, desk: Desk) -> None:
        def act(memory: Memory) -> None:
            (proposal,) = memory.propose(XIAOWEN, (pref("note", "x"),), desk.now)
            memory.remember(XIAOWEN, proposal, source="told", now=desk.now)
            raise RuntimeError("the turn failed, and the tenant's key with it")

        with pytest.raises(RuntimeError):
            await desk.run(act)
        await desk.tell(pref("note", "y"))
        stranger = Desk(desk.database, desk.parts.keyring)  # with nothing in its cache
        stranger.now = desk.now
        assert await stranger.holds() == {"note": "y"}

    async def test_reading_beside_a_write_leaves_nothing_old_behind(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"))
        for value in ("sms", "email", "feishu", "wecom"):
            await asyncio.gather(desk.holds(), desk.tell(pref("notify_channel", value)), desk.holds(), desk.holds())
            assert await desk.holds() == {"notify_channel": value}

    async def test_another_program_over_the_same_database_reads_it_all(
        self, desk: Desk, database_url: str, tmp_path: Path
    ) -> None:
        await desk.tell(pref("notify_channel", "wecom"), pref("note", "老板是张总"))
        other_database = await Database.open(database_url)
        other = Desk(other_database, Keyring.from_folder(tmp_path))
        other.now = desk.now
        await other_database.read(other.parts.keyring.load)
        assert await other.holds() == await desk.holds()
        await other_database.close()


@pytest.mark.parametrize("seed", range(6))
async def test_any_history_leaves_one_record_in_each_place(desk: Desk, seed: int) -> None:
    random = Random(seed)
    modes: tuple[Mode, ...] = ("set", "add", "exclude")
    channels: list[Value] = ["feishu", "wecom", "sms", ("feishu", "sms"), ("wecom", "email", "sms")]
    stranger = Desk(desk.database, desk.parts.keyring)  # its cache is emptied below: it always reads SQL
    for _ in range(40):
        archived = await desk.read(lambda memory: memory.archived(XIAOWEN, desk.now))
        match random.choice(["tell", "tell", "tell", "sweep", "forget", "restore"]):
            case "restore" if archived:
                chosen = random.choice(archived)
                back = await desk.run(lambda memory, c=chosen: memory.restore(XIAOWEN, c.id, desk.now))  # type: ignore[misc]
                assert same(back.value, chosen.record.value)
            case "forget":
                await desk.forget(random.choice(["notify_channel", "note"]))
            case act:
                said = pref(
                    "notify_channel",
                    random.choice(channels),
                    random.choice([ALWAYS, REPORT, WEEKLY, URGENT]),
                    random.choice(modes),
                )
                await desk.tell(said, pref("note", random.choice("甲乙丙")), sweeping=act == "sweep")
        stranger.parts = replace(stranger.parts, cache=PersonCache())
        stranger.now = desk.now
        records = await desk.read(lambda memory: memory.active(XIAOWEN, desk.now))
        assert records == await stranger.read(lambda memory: memory.active(XIAOWEN, desk.now))
        places = Counter(
            (one.key, one.scene, one.mode == "exclude", one.value if one.key == "note" else None) for one in records
        )
        assert set(places.values()) <= {1}
        assert not [
            (one, other)
            for one in records
            for other in records
            if one.mode == "exclude"
            and other.mode != "exclude"
            and one.scene == other.scene
            and overlap(one.value, other.value)
        ]
