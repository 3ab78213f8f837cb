"""A small world: simulated platforms with people on them, the real app beside them, and one clock."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from adapters.simulators.feed import Feed
from adapters.simulators.feishu import FeishuSimulator
from adapters.simulators.wecom import WecomSimulator
from bot.app import App, settings_from
from bot.rehearsal.scenario import PLATFORMS, Actor
from bot.stores.outbox import OutboxRow
from bot.types import Account, Sent
from config.clock import ManualClock, ShiftedClock
from config.documents import merge, read
from config.settings import Settings
from memory.types import Person

SHIPPED = Path(__file__).parents[2] / "config" / "bot.yaml"
_WECOM: dict[str, Any] = {
    "corp_id": "ww0000simulated",
    "agent_id": 1000002,
    "secret": "simulated-secret",
    "token": "simulatedToken",
    "aes_key": "c2ltdWxhdGVkLWtleS1zaW11bGF0ZWQta2V5LTAwMDA",
}
Simulator = FeishuSimulator | WecomSimulator
MovableClock = ManualClock | ShiftedClock
GROUP = "项目群"


class World:
    """Simulators outlive the app: `restart` kills it and starts it again on the same data."""

    def __init__(
        self,
        clock: MovableClock,
        actors: Iterable[Actor],
        data: Path,
        config: Mapping[str, Any] | None = None,
        *,
        base: Path = SHIPPED,
        ticking: bool = False,
    ) -> None:
        self.clock = clock
        self.actors = {actor.name: actor for actor in actors}
        self.feed = Feed()
        self.feishu = FeishuSimulator(self.feed, clock)
        self.wecom = WecomSimulator(self.feed, clock, **_WECOM)
        self.reply_of: dict[tuple[str, str], tuple[str, str]] = {}  # platform message → (reply, its kind)
        self._data = data
        self._base = read(base).tree or {}
        self._config: dict[str, Any] = dict(config or {})
        self._app: App | None = None
        self._ticking = ticking
        self._last: Simulator = self.feishu

    @property
    def app(self) -> App:
        if self._app is None:
            raise RuntimeError("the app is not running")
        return self._app

    @property
    def settings(self) -> Settings:
        return settings_from(self._mapping())

    @property
    def simulators(self) -> tuple[Simulator, ...]:
        return (self.feishu, self.wecom)

    async def open(self) -> None:
        """Start the platforms, then the app on them; the directory introduces the people."""
        for simulator in self.simulators:
            await simulator.start()
        for actor in self.actors.values():
            for platform, account in actor.accounts.items():
                self.simulator(platform).add_person(actor.name, account)
        self.feishu.add_group(GROUP, [name for name, actor in self.actors.items() if "feishu" in actor.accounts])
        await self._start_app()

    async def close(self) -> None:
        if self._app:
            await self._app.close()
        for simulator in self.simulators:
            await simulator.close()

    async def restart(self) -> None:
        """Stop the app as `kill -9` would, and start it again on the same data."""
        await self.app.kill()
        await self._start_app()

    async def reload(self, changes: Mapping[str, Any]) -> None:
        """The admin saves bot.yaml with `changes` merged in."""
        self._config = merge(self._config, changes)
        await self.app.apply(self.settings)

    # --- what people do ---

    def simulator(self, platform: str) -> Simulator:
        return self.feishu if platform == "feishu" else self.wecom

    async def say(self, who: str, platform: str, text: str, *, group: str | None = None, mention: bool = False) -> str:
        self._last = self.simulator(platform)
        if group is None:
            return await self._last.say(who, text)
        return await self.feishu.say(who, text, group=group, mention=mention)

    async def press(self, who: str, platform: str, message_id: str, label: str) -> None:
        self._last = self.simulator(platform)
        await self._last.press(who, message_id, label, as_delivered=True)

    async def redeliver(self) -> None:
        await self._last.redeliver_last()

    # --- time ---

    async def settle(self) -> None:
        """Return when nothing is left that could be done before the clock moves."""
        while True:
            await self.app.work_off()
            if self.app.is_quiet():
                return
            await asyncio.sleep(0.001)

    async def advance(self, until: datetime) -> None:
        """Move time to `until`, and let what falls due on the way happen in its order."""
        await self.settle()
        while (due := await self._next_due()) is not None and due <= until:
            self.clock.move_to(max(due, self.clock.now()))
            for simulator in self.simulators:
                await simulator.run_due()
            await self.settle()
        self.clock.move_to(max(until, self.clock.now()))
        await self.settle()

    async def _next_due(self) -> datetime | None:
        dues = [await self.app.next_due(), *(simulator.next_due() for simulator in self.simulators)]
        return min((due for due in dues if due is not None), default=None)

    # --- people and the app ---

    def account(self, who: str, platform: str) -> Account:
        """The account as the adapters will name it."""
        if platform == "feishu":
            stable = self.feishu.world.people[who].ids["union_id"]
        else:
            stable = self.actors[who].accounts[platform].lower()
        return Account(platform, platform, "default", stable)

    async def person(self, who: str) -> Person:
        """The person behind a name, by their first account."""
        first = next(iter(self.actors[who].accounts))
        account = self.account(who, first)
        people, now = self.app.office.people, self.clock.now()
        return await self.app.database.run(lambda tx: people.resolve(tx, account, now))

    def _directory(self) -> list[dict[str, str]]:
        """Linked people are one entry; of the others every account is a person of its own."""
        entries = []
        for actor in self.actors.values():
            accounts = {platform: self.account(actor.name, platform).user_id for platform in actor.accounts}
            groups = [accounts] if actor.linked else [{platform: user} for platform, user in accounts.items()]
            entries += [{"name": actor.name, **group} for group in groups]
        return entries

    async def _start_app(self) -> None:
        self._app = await App.open(self.settings, clock=self.clock, port=0, sent=self._note, ticking=self._ticking)
        for platform in PLATFORMS:
            url = f"http://127.0.0.1:{self._app.port}{self._app.path_of(platform)}"
            self.simulator(platform).connect(url)

    def _note(self, row: OutboxRow, sent: Sent) -> None:
        self.reply_of[(row.app, sent.message_id)] = (row.id, row.kind)

    def _mapping(self) -> dict[str, Any]:
        platforms = {
            "feishu": {
                "app_id": self.feishu.app_id,
                "app_secret": self.feishu.app_secret,
                "encrypt_key": self.feishu.encrypt_key,
                "verification_token": self.feishu.verification_token,
                "base_url": self.feishu.base_url,
            },
            "wecom": {**_WECOM, "base_url": self.wecom.base_url},
        }
        ours = {
            "platforms": platforms,
            "storage": {"data": str(self._data)},
            "directory": self._directory(),
        }
        return merge(merge(self._base, ours), self._config)
