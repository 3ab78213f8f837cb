"""A conversation for tests: a world with people on both platforms, and what has reached them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from adapters.simulators.feed import Arrival
from bot.rehearsal.scenario import Actor
from bot.rehearsal.world import World
from config.clock import ManualClock
from memory.types import Record

ZONE = ZoneInfo("Asia/Shanghai")
START = datetime(2026, 3, 2, 10, tzinfo=ZONE)
XIAOWEN = Actor("晓雯", {"feishu": "ou_xiaowen", "wecom": "XiaoWen"})
LILEI = Actor("李雷", {"feishu": "ou_lilei", "wecom": "LiLei"})


class Conversation:
    """Says things as 晓雯 in Feishu unless told otherwise; `heard` gives what has arrived since it was last asked."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._read = 0

    async def say(self, text: str, who: str = "晓雯", via: str = "feishu", **more: Any) -> str:
        """What came back, as one text."""
        await self._pause()
        await self.world.simulator(via).say(who, text, **more)
        await self.world.settle()
        return self.heard()

    async def press(self, label: str, who: str = "晓雯", via: str = "feishu") -> str:
        """Press the newest card of `who` that carried `label` when it was delivered; what came back."""
        card = next(
            each
            for each in reversed(self.world.feed.arrivals)
            if label in each.buttons and each.updates is None and (each.platform, each.to) == (via, who)
        )
        await self._pause()
        await self.world.press(who, via, card.message_id, label)
        await self.world.settle()
        return self.heard()

    async def _pause(self) -> None:
        """Nobody acts twice within a second: platforms tell events apart by the second."""
        await self.world.advance(self.world.clock.now() + timedelta(seconds=2))

    def heard(self) -> str:
        """What arrived since; cards that only changed are left out."""
        return "\n".join(each.text for each in self.arrived() if each.updates is None)

    def arrived(self) -> list[Arrival]:
        fresh = self.world.feed.arrivals[self._read :]
        self._read += len(fresh)
        return fresh

    async def remembered(self, who: str = "晓雯") -> tuple[Record, ...]:
        person, app = await self.world.person(who), self.world.app
        now = self.world.clock.now()
        return await app.database.read(lambda tx: app.office.memory(tx).active(person, now))

    async def values(self, who: str = "晓雯") -> Mapping[str, Any]:
        """Value by key; enough where no key has two scenes."""
        return {record.key: record.value for record in await self.remembered(who)}


@asynccontextmanager
async def conversation(
    folder: Path, *actors: Actor, config: Mapping[str, Any] | None = None
) -> AsyncIterator[Conversation]:
    world = World(ManualClock(START), actors or (XIAOWEN, LILEI), folder, config)
    await world.open()
    try:
        yield Conversation(world)
    finally:
        await world.close()
