"""Plays one scenario: every step through the simulated platforms, every expectation against what arrived."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from adapters.simulators.feed import Arrival
from bot import todos
from bot.rehearsal.deliveries import Deliveries, captured, differences
from bot.rehearsal.scenario import Scenario, Step, span
from bot.rehearsal.transcript import Transcript
from bot.rehearsal.world import World
from config.clock import ManualClock
from memory.types import Record

PAUSE = timedelta(seconds=2)  # between what a person reads and what they do next
_TRANSPARENT = ("expect", "memory")


class Difference(Exception):
    """The conversation went another way than the scenario says: the first difference."""


@dataclass(frozen=True)
class Outcome:
    """How a rehearsal went; `difference` is None when it went as written."""

    name: str
    transcript: str
    difference: str | None


async def play(scenario: Scenario) -> Outcome:
    """Play `scenario` against a fresh app in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="jide-rehearsal-") as folder:
        clock = ManualClock(scenario.start)
        world = World(clock, scenario.people, Path(folder), scenario.config)
        player = Player(scenario, world)
        await world.open()
        try:
            difference = await player.run()
        finally:
            await world.close()
    return Outcome(scenario.name, str(player.transcript), difference)


class Player:
    """The state of one rehearsal: who spoke last, what is still to be expected, what was captured."""

    def __init__(self, scenario: Scenario, world: World) -> None:
        self._scenario = scenario
        self._world = world
        self._deliveries = Deliveries(world.reply_of)
        self._cards: list[Arrival] = []
        self._captured: dict[str, str] = {}
        first = scenario.people[0]
        self._speaker = first.name
        self._via = next(iter(first.accounts))
        self._chat = first.name
        self.transcript = Transcript(scenario.zone)
        self.transcript.title(scenario.name)
        world.feed.listeners.append(self._arrived)

    async def run(self) -> str | None:
        """Play every step; the first difference, or None."""
        try:
            await self._put_todos()
            for step in self._scenario.steps:
                await self._play(step)
            self._check_nothing_left("the end")
        except Difference as difference:
            self.transcript.failed(str(difference))
            return str(difference)
        return None

    async def _play(self, step: Step) -> None:
        if step.kind not in _TRANSPARENT:
            self._check_nothing_left(f"step {step.number} ({step.kind})")
        handler = getattr(self, f"_{step.kind}")
        try:
            await handler(self._filled(step.what))
        except Difference as difference:
            raise Difference(f"step {step.number} ({step.kind}): {difference}") from None
        if step.kind not in _TRANSPARENT:
            await self._world.settle()

    # --- steps ---

    async def _say(self, what: Any) -> None:
        row = what if isinstance(what, dict) else {"text": what}
        self._speak_as(row)
        group = row.get("group")
        self._chat = group or self._speaker
        mention = str(row.get("mention", "false")) == "true"
        await self._pause()
        self.transcript.said(self._world.clock.now(), self._via, self._speaker, row["text"], group)
        await self._world.say(self._speaker, self._via, row["text"], group=group, mention=mention)

    async def _press(self, what: Any) -> None:
        row = what if isinstance(what, dict) else {"label": what}
        if "as" in row or "via" in row:
            self._speak_as(row)
        label = row["label"]
        card = next(
            (
                card
                for card in reversed(self._cards)
                if label in card.buttons and card.platform == self._via and card.to == self._speaker
            ),
            None,
        )
        if card is None:
            raise Difference(f"no card in {self._via} for {self._speaker} carries {label!r}")
        await self._pause()
        self.transcript.pressed(self._world.clock.now(), self._via, self._speaker, label)
        await self._world.press(self._speaker, self._via, card.message_id, label)

    async def _expect(self, what: Any) -> None:
        if what == "nothing":
            self._check_nothing_left("nothing")
            return
        chat = (what.get("via", self._via), what.get("to", self._chat))
        pending = [delivery for delivery in self._deliveries.pending() if delivery.chat == chat]
        if not pending:
            others = "; ".join(delivery.describe() for delivery in self._deliveries.pending()) or "nothing"
            raise Difference(f"nothing arrived in {chat[0]} for {chat[1]}; there is: {others}")
        found = differences(pending[0], what)
        if found:
            raise Difference(f"{'; '.join(found)} in {pending[0].describe()}")
        self._captured |= captured(pending[0], what)
        self._deliveries.consume(pending[0])

    async def _advance(self, what: Any) -> None:
        await self._move_to(self._world.clock.now() + span(str(what)))

    async def _to(self, what: Any) -> None:
        await self._move_to(datetime.fromisoformat(str(what)).replace(tzinfo=self._scenario.zone))

    async def _memory(self, what: Any) -> None:
        person = await self._world.person(what.get("of", self._scenario.people[0].name))
        app = self._world.app
        now = self._world.clock.now()
        records = await app.database.read(lambda tx: app.office.memory(tx).active(person, now))
        held = {_key(record): _value(record) for record in records}
        for key, value in (what.get("has") or {}).items():
            if held.get(_sorted_key(key)) != str(value):
                raise Difference(f"{key} is {held.get(_sorted_key(key))!r}, not {value!r}; there is {held}")
        for key in what.get("lacks") or []:
            if _sorted_key(key) in held:
                raise Difference(f"{key} is {held[_sorted_key(key)]!r}, and should not be there")

    async def _restart(self, what: Any) -> None:
        if what != "kill":
            raise Difference(f"not built: restart {what!r}")
        self.transcript.happened(self._world.clock.now(), "断电，重启")
        await self._world.restart()

    async def _redeliver(self, what: Any) -> None:
        if what != "last":
            raise Difference(f"not built: redeliver {what!r}")
        await self._pause()
        self.transcript.happened(self._world.clock.now(), "平台重推上一条事件")
        await self._world.redeliver()

    async def _outage(self, what: Any) -> None:
        until = self._world.clock.now() + span(str(what["for"]))
        self.transcript.happened(self._world.clock.now(), f"{what['via']} 停服 {what['for']}")
        self._world.simulator(what["via"]).outage_until = until

    async def _reload(self, what: Any) -> None:
        self.transcript.happened(self._world.clock.now(), "管理员保存了 bot.yaml")
        await self._world.reload(what)

    # --- helpers ---

    def _arrived(self, arrival: Arrival) -> None:
        self.transcript.arrived(arrival)
        self._deliveries.add(arrival)
        if arrival.buttons and arrival.updates is None:
            self._cards.append(arrival)

    def _speak_as(self, row: Mapping[str, Any]) -> None:
        if "as" in row:
            self._speaker = row["as"]
            if self._via not in self._world.actors[self._speaker].accounts:
                self._via = next(iter(self._world.actors[self._speaker].accounts))
        self._via = row.get("via", self._via)

    async def _pause(self) -> None:
        await self._world.advance(self._world.clock.now() + PAUSE)

    async def _move_to(self, moment: datetime) -> None:
        self.transcript.happened(moment, "时间走到这里")
        await self._world.advance(moment)

    def _check_nothing_left(self, before: str) -> None:
        left = self._deliveries.pending()
        if left:
            raise Difference(f"before {before}, nobody expected: {'; '.join(each.describe() for each in left)}")

    def _filled(self, value: Any) -> Any:
        """`{name}` replaced by what was captured."""
        if isinstance(value, str):
            for name, text in self._captured.items():
                value = value.replace(f"{{{name}}}", text)
            return value
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        return value

    async def _put_todos(self) -> None:
        app = self._world.app
        now = self._world.clock.now()
        for name, rows in self._scenario.todos.items():
            person = await self._world.person(name)
            for row in rows:
                due = date.fromisoformat(str(row["due"])) if "due" in row else None
                done = str(row.get("done", "false")) == "true"
                done_at = datetime.combine(due, time(18), self._scenario.zone) if done and due else now
                await app.database.run(
                    partial(
                        todos.add,
                        keyring=app.office.keyring,
                        person=person,
                        title=row["title"],
                        now=now,
                        due=due,
                        urgent=str(row.get("urgent", "false")) == "true",
                        done_at=done_at if done else None,
                    )
                )


def _key(record: Record) -> str:
    mark = "!" if record.mode == "exclude" else ""
    scene = "+".join(sorted(record.scene.values()))
    return f"{record.key}{mark}@{scene}" if scene else f"{record.key}{mark}"


def _sorted_key(key: str) -> str:
    name, at, scene = key.partition("@")
    return f"{name}{at}{'+'.join(sorted(scene.split('+')))}"


def _value(record: Record) -> str:
    """As a scenario writes it: true, 15, market, or several joined by commas."""
    if isinstance(record.value, bool):
        return str(record.value).lower()
    return ",".join(record.value) if isinstance(record.value, tuple) else str(record.value)
