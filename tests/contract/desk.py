"""A program in miniature around the door: keys, cache, a small catalog and a clock moved by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from config.workdays import WorkCalendar
from memory.cache import PersonCache
from memory.catalog import Catalog
from memory.keyring import Keyring
from memory.memory import Memory, MemoryParts
from memory.scenes import Surroundings
from memory.stores.database import Database
from memory.types import ALWAYS, Mode, Person, Preference, Record, Scene, Situation, Source, Value

T = TypeVar("T")

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)  # a Monday, 09:00 in Shanghai
XIAOWEN = Person("acme", "11111111-1111-4111-8111-111111111111")
LILEI = Person("acme", "22222222-2222-4222-8222-222222222222")
ELSEWHERE = Person("globex", XIAOWEN.id)

WEEKLY, MONTHLY, REPORT = Scene(task="weekly"), Scene(task="monthly"), Scene(task="report")
URGENT = Scene(urgency="urgent")

CATALOG = Catalog.from_mapping(
    {
        "preferences": {
            "notify_channel": {
                "name": "通知渠道",
                "kind": "choice",
                "multiple": True,
                "values": {one: {"name": one} for one in ("feishu", "wecom", "sms", "email")},
            },
            "report_template": {
                "name": "模板",
                "kind": "choice",
                "values": {one: {"name": one} for one in ("default", "market", "rd", "ops")},
            },
            "note": {"name": "备注", "kind": "text"},
        },
        "tasks": {
            "report": {
                "name": "报告",
                "kinds": {"weekly": {"name": "周报"}, "monthly": {"name": "月报"}},
                "slots": {"report_template": {}, "notify_channel": {}},
            }
        },
    }
)
AROUND = Surroundings(CATALOG.parents, WorkCalendar())


def pref(key: str, value: Value, scene: Scene = ALWAYS, mode: Mode = "set") -> Preference:
    return Preference(key, value, scene, mode)


class Desk:
    """One program with its keys and cache over a database, and a clock moved by hand."""

    def __init__(self, database: Database, keyring: Keyring, catalog: Catalog = CATALOG) -> None:
        self.database = database
        self.catalog = catalog
        self.now = START
        self.parts = MemoryParts(lambda: self.catalog, lambda: AROUND, keyring, PersonCache())

    async def run(self, act: Callable[[Memory], T]) -> T:
        return await self.database.run(lambda tx: act(Memory(tx, self.parts)))

    async def read(self, look: Callable[[Memory], T]) -> T:
        return await self.database.read(lambda tx: look(Memory(tx, self.parts)))

    async def tell(
        self, *said: Preference, to: Person = XIAOWEN, source: Source = "told", sweeping: bool = False
    ) -> list[Record]:
        """Store a statement, saying yes to everything that it would replace."""

        def act(memory: Memory) -> list[Record]:
            proposals = memory.propose(to, said, self.now, sweeping)
            return [memory.remember(to, one, source=source, now=self.now) for one in proposals]

        self.now += timedelta(seconds=1)
        return await self.run(act)

    async def effects(self, *said: Preference, sweeping: bool = False) -> list[str]:
        proposals = await self.read(lambda memory: memory.propose(XIAOWEN, said, self.now, sweeping))
        return [one.effect for one in proposals]

    async def holds(self, person: Person = XIAOWEN) -> dict[str, Value]:
        """Active values as scenarios write them: key, `!` for an exclusion, `+` for an addition, @scene."""
        marks = {"set": "", "exclude": "!", "add": "+"}
        records = await self.read(lambda memory: memory.active(person, self.now))
        return {f"{one.key}{marks[one.mode]}@{'+'.join(one.scene.values())}".rstrip("@"): one.value for one in records}

    async def recall(self, key: str, **situation: Any) -> Value | None:
        asked = Situation(self.now, **situation)
        found = await self.read(lambda memory: memory.recall(XIAOWEN, key, asked))
        return found.value if found else None

    async def archived(self) -> list[tuple[str, Value]]:
        found = await self.read(lambda memory: memory.archived(XIAOWEN, self.now))
        return [(one.reason, one.record.value) for one in found]

    async def forget(self, key: str, reason: str = "forgotten", note: str | None = None) -> None:
        def act(memory: Memory) -> None:
            records = [one for one in memory.active(XIAOWEN, self.now) if one.key == key]
            memory.forget(XIAOWEN, records, reason=reason, now=self.now, note=note)

        await self.run(act)

    async def restore_newest(self) -> Record:
        newest = (await self.read(lambda memory: memory.archived(XIAOWEN, self.now)))[0]
        return await self.run(lambda memory: memory.restore(XIAOWEN, newest.id, self.now))
