"""Edits of bot.yaml while the bot runs: good ones take effect, bad ones are told and change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest

from config.loading import SHIPPED, load
from config.problems import Problem, found
from config.settings import Settings
from config.watching import Watcher

TEXT = SHIPPED.read_text("utf-8")


def called(name: str) -> str:
    changed = TEXT.replace("  name: 记得  ", f"  name: {name}  ")
    assert changed != TEXT
    return changed


class Watched:
    """A file, its watcher and the names that took effect."""

    def __init__(self, path: Path, checks: Iterable[Callable[[Settings], Iterable[Problem]]] = ()) -> None:
        self.path = path
        self.names: list[str] = []
        path.write_text(TEXT, "utf-8")
        self.watcher = Watcher(path, load(path).require(), self._take_over, checks=tuple(checks), interval=0)

    async def _take_over(self, settings: Settings) -> None:
        if settings.office.name == "坏了":
            raise OSError("cannot")
        self.names.append(settings.office.name)

    async def save(self, text: str | bytes) -> None:
        """Write in place and let it settle."""
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        await self.settle()

    async def settle(self) -> None:
        await self.watcher.poll_once()
        await self.watcher.poll_once()

    @property
    def said(self) -> str:
        return "\n".join(map(str, self.watcher.last_problems))


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "bot.yaml")


async def test_a_good_save_takes_effect(watched: Watched) -> None:
    await watched.save(called("小记"))
    assert watched.names == ["小记"]
    assert watched.watcher.current.office.name == "小记"
    assert watched.said == ""


async def test_a_bad_save_changes_nothing_and_is_told(watched: Watched, caplog: pytest.LogCaptureFixture) -> None:
    await watched.save(TEXT.replace("Asia/Shanghai", "UTC+8"))
    assert watched.names == []
    assert watched.watcher.current.office.timezone == "Asia/Shanghai"
    assert "写成 Asia/Shanghai" in watched.said
    assert "写成 Asia/Shanghai" in caplog.text


async def test_a_bad_save_that_is_taken_back_is_told_no_longer(watched: Watched) -> None:
    await watched.save("office: [")
    assert watched.said
    await watched.save(TEXT)
    assert watched.said == ""
    assert watched.names == []


async def test_a_bad_save_is_told_once(watched: Watched, caplog: pytest.LogCaptureFixture) -> None:
    await watched.save("office: [")
    told = len(caplog.records)
    await watched.settle()
    assert len(caplog.records) == told


async def test_a_good_save_after_a_bad_one_takes_effect(watched: Watched) -> None:
    await watched.save("office: [")
    await watched.save(called("小记"))
    assert watched.names == ["小记"]
    assert watched.said == ""


async def test_the_same_content_is_no_edit(watched: Watched) -> None:
    await watched.save(TEXT)
    await watched.save(TEXT + "# 一句注释\n")
    assert watched.names == []


async def test_a_half_written_file_is_not_judged(watched: Watched) -> None:
    text = called("小记")
    half = text[: text.index("catalog:") + 30]
    for part in (half, half[:-5], text):
        watched.path.write_text(part, "utf-8")
        await watched.watcher.poll_once()
        assert (watched.names, watched.said) == ([], "")
    await watched.watcher.poll_once()
    assert watched.names == ["小记"]


async def test_a_file_that_an_editor_renames_into_place_takes_effect(watched: Watched) -> None:
    watched.path.rename(watched.path.with_suffix(".bak"))
    await watched.watcher.poll_once()
    fresh = watched.path.with_suffix(".tmp")
    fresh.write_text(called("小记"), "utf-8")
    fresh.replace(watched.path)
    await watched.settle()
    assert (watched.names, watched.said) == (["小记"], "")


async def test_a_file_that_stays_away_is_told_and_changes_nothing(watched: Watched) -> None:
    watched.path.unlink()
    await watched.settle()
    assert "文件不存在" in watched.said
    assert watched.watcher.current.office.name == "记得"
    await watched.save(TEXT)
    assert watched.said == ""


async def test_of_ten_saves_in_a_row_the_last_one_stands(watched: Watched) -> None:
    for number in range(10):
        watched.path.write_text(called(f"小记{number}"), "utf-8")
        await watched.watcher.poll_once()
    await watched.watcher.poll_once()
    assert watched.names == ["小记9"]


async def test_ten_settled_saves_take_effect_in_order(watched: Watched) -> None:
    for number in range(10):
        await watched.save(called(f"小记{number}"))
    assert watched.names == [f"小记{number}" for number in range(10)]


async def test_settings_that_cannot_be_put_into_effect_are_told_and_the_old_ones_stay(watched: Watched) -> None:
    await watched.save(called("坏了"))
    assert watched.watcher.current.office.name == "记得"
    assert "换不上新配置（OSError）" in watched.said
    await watched.save(called("小记"))
    assert watched.names == ["小记"]


async def test_checks_hold_on_reload_too(tmp_path: Path) -> None:
    def refuse(settings: Settings) -> Iterable[Problem]:
        if settings.office.name == "别人":
            yield found("office.name", "名字被占用了", "换一个")

    watched = Watched(tmp_path / "bot.yaml", [refuse])
    await watched.save(called("别人"))
    assert watched.names == []
    assert "名字被占用了，换一个" in watched.said


async def test_what_needs_a_restart_says_so(watched: Watched) -> None:
    await watched.save(called("小记").replace("port: 8080", "port: 8081"))
    assert watched.names == ["小记"]
    line = TEXT.splitlines().index(next(each for each in TEXT.splitlines() if each.startswith("server:"))) + 1
    assert watched.said == f"{watched.path}:{line} server: 提醒：这一段的改动要重启才生效，方便时重启"
    await watched.save(called("小记二").replace("port: 8080", "port: 8081"))
    assert "重启" in watched.said
    await watched.save(TEXT)
    assert watched.said == ""


async def test_it_watches_until_it_is_closed(watched: Watched) -> None:
    took_over = asyncio.Event()
    watched.watcher = Watcher(watched.path, watched.watcher.current, _setting(took_over), interval=0)
    await watched.watcher.start()
    watched.path.write_text(called("小记"), "utf-8")
    async with asyncio.timeout(10):
        await took_over.wait()
    await watched.watcher.close()
    assert watched.watcher.current.office.name == "小记"
    await watched.watcher.close()


def _setting(event: asyncio.Event) -> Callable[[Settings], Awaitable[None]]:
    async def take_over(settings: Settings) -> None:
        event.set()

    return take_over
