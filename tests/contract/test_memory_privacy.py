"""What the door promises about other eyes: other people, auditors, whoever copies the disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from memory.stores.database import Transaction
from memory.stores.tables import audit, metadata
from memory.types import Scene
from tests.contract.desk import ELSEWHERE, LILEI, XIAOWEN, Desk, pref


class TestIsolation:
    async def test_nobody_sees_anothers_memories(self, desk: Desk) -> None:
        for person, value in ((XIAOWEN, "wecom"), (LILEI, "sms"), (ELSEWHERE, "email")):
            await desk.tell(pref("notify_channel", value), to=person)
        assert await desk.holds(XIAOWEN) == {"notify_channel": "wecom"}
        assert await desk.holds(LILEI) == {"notify_channel": "sms"}
        assert await desk.holds(ELSEWHERE) == {"notify_channel": "email"}
        assert await desk.read(lambda memory: memory.count(LILEI)) == 1

    async def test_nobody_changes_anothers_memories(self, desk: Desk) -> None:
        (record,) = await desk.tell(pref("notify_channel", "wecom"))
        for stranger in (LILEI, ELSEWHERE):
            gone = await desk.run(
                lambda memory, who=stranger: memory.forget(who, (record,), reason="forgotten", now=desk.now)  # type: ignore[misc]
            )
            assert gone == ()
            await desk.run(lambda memory, who=stranger: memory.mark_used(who, (record.id,), desk.now))  # type: ignore[misc]
            await desk.run(lambda memory, who=stranger: memory.forget_everything(who, desk.now))  # type: ignore[misc]
        assert await desk.read(lambda memory: memory.active(XIAOWEN, desk.now)) == (record,)

    async def test_nobody_restores_anothers_memories(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"))
        await desk.forget("notify_channel")
        (kept,) = await desk.read(lambda memory: memory.archived(XIAOWEN, desk.now))
        for stranger in (LILEI, ELSEWHERE):
            with pytest.raises(LookupError):
                await desk.run(lambda memory, who=stranger: memory.restore(who, kept.id, desk.now))  # type: ignore[misc]


class TestPrivacy:
    async def test_the_audit_trail_says_who_what_and_when_but_no_value(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market"))
        await desk.tell(pref("report_template", "rd"))
        await desk.forget("report_template")
        await desk.restore_newest()
        trail = await desk.database.read(lambda tx: tx.execute(select(audit).order_by(audit.c.seq)).all())
        assert [(row.person, row.action, row.key) for row in trail] == [
            (XIAOWEN.id, action, "report_template")
            for action in ("remembered", "replaced", "remembered", "forgotten", "restored")
        ]

    async def test_no_table_holds_a_readable_value(self, desk: Desk) -> None:
        secret, project, variant = "紫藤花开", "灯塔计划", "海棠"
        scene = Scene(project=project)
        await desk.tell(pref("note", secret, scene), pref("notify_channel", "email", scene))
        await desk.tell(pref("notify_channel", "sms", scene))
        await desk.forget("note", note=secret)
        await desk.restore_newest()
        await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", variant, {"note": secret}, desk.now))
        await desk.run(lambda memory: memory.refuse(XIAOWEN, pref("note", secret, scene), desk.now))
        stored = await desk.database.read(everything)
        for private in (secret, project, variant, "email", "sms"):
            assert private.encode() not in stored


def everything(tx: Transaction) -> bytes:
    """All values of all tables in one string of bytes."""
    cells = (cell for table in metadata.tables.values() for row in tx.execute(select(table)) for cell in row)
    return b"\0".join(bytes(cell) if isinstance(cell, bytes | memoryview) else str(cell).encode() for cell in cells)


async def test_forgotten_bytes_are_in_no_file(tmp_path: Path, sqlite_desk: Desk) -> None:
    desk, database = sqlite_desk, sqlite_desk.database
    secret = "紫藤花开在三月" * 20
    await desk.tell(pref("note", secret))
    sealed = await database.read(lambda tx: tx.execute(select(metadata.tables["memories"].c.body)).scalar_one())
    assert sealed in files_under(tmp_path)
    await desk.run(lambda memory: memory.forget_everything(XIAOWEN, desk.now))
    await database.close()
    assert secret.encode() not in files_under(tmp_path)
    assert sealed not in files_under(tmp_path)


def files_under(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.name.startswith("jide.db"))
