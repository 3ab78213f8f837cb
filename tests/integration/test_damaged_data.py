"""Field fault K5: a data file that was damaged is refused in words, never written to, and kept in a copy."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app import App, settings_from
from config.clock import ManualClock
from config.documents import merge, read
from config.loading import SHIPPED
from memory.keyring import MASTER_FILE, KeyringError
from memory.stores import intact
from memory.stores.database import DatabaseBroken
from tests.integration.talking import START, XIAOWEN, conversation


async def start(folder: Path) -> None:
    """Start on that data and stop again."""
    settings = settings_from(merge(read(SHIPPED).tree or {}, {"storage": {"data": str(folder)}}))
    app = await App.open(settings, clock=ManualClock(START), port=0, ticking=False)
    await app.close()


async def fill(folder: Path, *, kill: bool = False) -> Path:
    """A database with something remembered in it."""
    async with conversation(folder, XIAOWEN) as talk:
        await talk.say("以后周报用市场部模板")
        if kill:
            shutil.copytree(folder, folder / "as_killed")
    return folder / "as_killed" if kill else folder


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def cut_in_half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def cut_within_a_page(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 100)


def cut_to_a_few_bytes(file: Path) -> None:
    os.truncate(file, 50)


def replaced_by_text(file: Path) -> None:
    file.write_text('{"preferences": {}}' * 1000, encoding="utf-8")


def overwritten_inside(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(100)
        opened.write(b"\xff" * (file.stat().st_size - 100))


def back_up(running: Path, backup: Path) -> None:
    """As `.backup` of the sqlite3 command does."""
    source, target = sqlite3.connect(running / "jide.db"), sqlite3.connect(backup / "jide.db")
    source.backup(target)
    source.close()
    target.close()
    shutil.copy2(running / MASTER_FILE, backup)


def copies(folder: Path, pattern: str = "jide.db.damaged-*") -> list[Path]:
    return sorted(folder.glob(pattern))


DAMAGES = (
    emptied,
    cut_in_half,
    cut_within_a_page,
    cut_to_a_few_bytes,
    replaced_by_text,
    overwritten_inside,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_a_damaged_file_is_refused_and_kept(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    file = await fill(tmp_path) / "jide.db"
    damage(file)
    damaged = file.read_bytes()
    for _ in range(3):  # a service manager starts it again and again
        with pytest.raises(DatabaseBroken, match=r"数据文件 .*jide\.db .*备份"):
            await start(tmp_path)
    assert file.read_bytes() == damaged
    (copy,) = copies(tmp_path)
    assert copy.read_bytes() == damaged


async def test_a_whole_file_starts_with_what_was_remembered(tmp_path: Path) -> None:
    await fill(tmp_path)
    await start(tmp_path)
    assert copies(tmp_path) == []
    async with conversation(tmp_path, XIAOWEN) as talk:
        assert await talk.values() == {"report_template": "market"}


async def test_a_file_beside_its_log_starts_after_a_kill(tmp_path: Path) -> None:
    folder = await fill(tmp_path, kill=True)
    assert (folder / "jide.db-wal").stat().st_size > 0
    async with conversation(folder, XIAOWEN) as talk:
        assert await talk.values() == {"report_template": "market"}


async def test_an_emptied_file_does_not_take_its_log_along(tmp_path: Path) -> None:
    """SQLite throws the log of an empty database away; what is in it can still be recovered."""
    folder = await fill(tmp_path, kill=True)
    emptied(folder / "jide.db")
    log = (folder / "jide.db-wal").read_bytes()
    with pytest.raises(DatabaseBroken, match="是空的"):
        await start(folder)
    assert (folder / "jide.db-wal").read_bytes() == log
    (copy,) = copies(folder, "jide.db.damaged-*-wal")
    assert copy.read_bytes() == log


async def test_a_read_only_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intact.os, "access", lambda path, mode: False)
    with pytest.raises(DatabaseBroken, match=r"jide\.db 不可写"):
        await start(tmp_path)


async def test_a_full_disk_is_told_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(intact.shutil, "disk_usage", lambda path: usage._replace(free=3 << 20))
    with pytest.raises(DatabaseBroken, match="只剩 3 MB"):
        await start(tmp_path)
    assert copies(tmp_path, "*") == []


async def test_a_missing_master_key_is_not_replaced(tmp_path: Path) -> None:
    """Another key would open nothing: the right one has to come back."""
    await fill(tmp_path)
    (tmp_path / MASTER_FILE).unlink()
    with pytest.raises(KeyringError, match=r"master\.key 不见了"):
        await start(tmp_path)
    assert not (tmp_path / MASTER_FILE).exists()


async def test_another_master_key_is_told(tmp_path: Path) -> None:
    await fill(tmp_path)
    (tmp_path / MASTER_FILE).write_bytes(b"A" * 43 + b"=\n")
    with pytest.raises(KeyringError, match=r"master\.key 打不开这个数据库"):
        await start(tmp_path)


async def test_a_backup_taken_while_it_runs_can_be_restored(tmp_path: Path) -> None:
    """What docs/operations.md says: the online backup of SQLite and the master key are the whole of it."""
    running, backup = tmp_path / "running", tmp_path / "backup"
    backup.mkdir()
    async with conversation(running, XIAOWEN) as talk:
        await talk.say("以后周报用市场部模板")
        back_up(running, backup)
        await talk.say("以后待办列表里不要显示已完成的")
    async with conversation(backup, XIAOWEN) as talk:
        assert await talk.values() == {"report_template": "market"}
        assert "市场部" in await talk.say("你记住了我的哪些偏好")
