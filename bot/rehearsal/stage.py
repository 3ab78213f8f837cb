"""The playground's stage: a world that people talk to by hand, with a clock that runs and can be moved."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from adapters.pages.channel import News
from adapters.pages.loopback import BadRequest
from adapters.pages.transcript import Transcript
from bot import todos
from bot.rehearsal.remembered import remembered
from bot.rehearsal.scenario import Actor
from bot.rehearsal.world import GROUP, SHIPPED, World
from config.clock import ShiftedClock

ACTORS = (
    Actor("晓雯", {"feishu": "ou_xiaowen", "wecom": "XiaoWen"}),
    Actor("李雷", {"feishu": "ou_lilei", "wecom": "LiLei"}),
    Actor("韩梅", {"feishu": "ou_hanmei", "wecom": "HanMei"}),
)

TODOS = (
    ("准备产品发布会物料", -1, True),
    ("提交报销单", 0, True),
    ("评审需求文档", 0, False),
    ("跟客户同步进度", 0, False),
    ("整理测试报告", 2, False),
)
"""Title, day from today, done."""


class PlaygroundStage:
    """Satisfies `adapters.pages.playground.Stage`. Moving the clock and starting afresh happen one at a time."""

    def __init__(self, data: Path | None = None, config: Path = SHIPPED) -> None:
        self._kept = data
        self._config = config
        self._folder: Path | None = None
        self._transcript: Transcript | None = None
        self._world: World | None = None
        self._lock = asyncio.Lock()

    @property
    def world(self) -> World:
        if self._world is None:
            raise RuntimeError("the stage is not open")
        return self._world

    @property
    def transcript(self) -> Transcript:
        if self._transcript is None:
            raise RuntimeError("the stage is not open")
        return self._transcript

    @property
    def bot(self) -> str:
        return self.world.app.office.settings().office.name

    async def open(self) -> None:
        """Start the platforms and the app; the messages of an earlier opening are gone."""
        self._folder = self._kept or Path(tempfile.mkdtemp(prefix="jide-playground-"))
        self._world = World(ShiftedClock(), ACTORS, self._folder, base=self._config, ticking=True)
        await self._world.open()
        if self._transcript is None:
            self._transcript = Transcript(self._world.settings.office.zone)
        self._world.feed.listeners.append(self._transcript.hear)
        if self._kept is None:
            await self._put_todos()

    async def _put_todos(self) -> None:
        """A few to-dos of the week, so that the first report and the first 早 have something to say."""
        person = await self.world.person(ACTORS[0].name)
        keyring, now = self.world.app.office.keyring, self.now()
        for title, days, done in TODOS:
            day = now + timedelta(days=days)
            add = partial(
                todos.add,
                keyring=keyring,
                person=person,
                title=title,
                now=now,
                due=day.date(),
                done_at=min(day.replace(hour=17, minute=0), now) if done else None,
            )
            await self.world.app.database.run(add)

    async def close(self) -> None:
        if self._transcript:
            self._transcript.close()
        await self._close_world()

    async def _close_world(self) -> None:
        if self._world:
            await self._world.close()
        if self._folder and not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)

    # --- looking ---

    def now(self) -> datetime:
        return self.world.clock.now().astimezone(self.world.settings.office.zone)

    def people(self) -> list[dict[str, Any]]:
        return [{"name": actor.name, "platforms": list(actor.accounts)} for actor in ACTORS]

    def groups(self) -> list[dict[str, Any]]:
        return [{"name": GROUP, "platforms": ["feishu"]}]

    def messages(self, after: int) -> list[dict[str, Any]]:
        return self.transcript.messages(after)

    def attachment(self, seq: int, index: int) -> tuple[str, bytes] | None:
        return self.transcript.attachment(seq, index)

    async def memory(self, person: str) -> dict[str, Any]:
        whose = await self.world.person(person)
        office, now = self.world.app.office, self.now()
        return await self.world.app.database.read(lambda tx: remembered(office, tx, whose, now))

    def subscribe(self) -> AbstractContextManager[AsyncIterator[News]]:
        return self.transcript.subscribe()

    # --- doing ---

    async def say(self, person: str, platform: str, text: str, group: str | None, mention: bool) -> str:
        to = group or self.bot
        self.transcript.note_said(
            f"said-{uuid.uuid4()}", platform, person, to, group is not None, text, self.world.clock.now()
        )
        return await self.world.say(person, platform, text, group=group, mention=mention)

    async def press(self, person: str, message_id: str, label: str) -> None:
        """The button of a card as it was first delivered: a client that has not refreshed can still press it."""
        arrival = next(
            (
                arrival
                for arrival in reversed(self.world.feed.arrivals)
                if arrival.message_id == message_id and label in arrival.buttons
            ),
            None,
        )
        if arrival is None:
            raise BadRequest("没有这张卡片，或卡片上没有这个按钮。", "label")
        await self.world.press(person, arrival.platform, message_id, label)

    async def move_clock(self, moment: datetime) -> None:
        async with self._lock:
            await self.world.advance(moment)
        self.transcript.clock_moved(self.now())

    async def reset(self) -> None:
        async with self._lock:
            await self._close_world()
            if self._folder and self._kept:
                shutil.rmtree(self._folder)
            self.transcript.clear()
            await self.open()
