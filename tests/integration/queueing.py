"""What the tests of the queues share: a database in a folder, a handler that notes, a platform that obeys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.inbox import Handled, Inbox
from bot.outbox import Outbox
from bot.people import People
from bot.types import Account, Address, Body, HttpAnswer, Message, Part, Received, Reply, Sent
from config.clock import ManualClock
from memory.keyring import Keyring
from memory.stores import schema
from memory.stores.database import Database, Transaction
from memory.types import Person

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
KEYRING_SECRET = bytes(range(32))


def account(name: str, platform: str = "feishu") -> Account:
    return Account(platform, platform, "default", name)


def message(number: int | str, sender: str = "on_a", text: str = "你好", app: str = "feishu") -> Message:
    who = Account("feishu", app, "default", sender)
    return Message(f"om_{number}", Address(who), who, "text", text, START)


def answer(text: str, to: str = "on_a", kind: str = "answer", platform: str = "feishu") -> Reply:
    return Reply(Address(account(to, platform)), kind, Body.say(text))  # type: ignore[arg-type]


@dataclass
class NotingHandler:
    """Notes what it is given; raises as often as `failures` says."""

    seen: list[str] = field(default_factory=list)
    apologies: list[str] = field(default_factory=list)
    failures: int = 0
    toast: str | None = None

    def handle(self, tx: Transaction, person: Person, message: Message, *, waiting: bool) -> Handled:
        self.seen.append(message.id)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("a bug")
        return Handled(self.toast)

    def apologise(self, tx: Transaction, person: Person, message: Message) -> None:
        self.apologies.append(message.id)


@dataclass
class ObedientPlatform:
    """An adapter without a wire: keeps what it was sent, and raises what it is told to, one error a call."""

    platform: str = "feishu"
    app: str = "feishu"
    tenant: str = "default"
    path: str = "/feishu/events"
    has_toast: bool = True
    errors: list[Exception] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    rate: tuple[tuple[str, int, timedelta], ...] = ()

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def receive(self, method: str, query: object, headers: object, body: bytes) -> Received:
        return Received(HttpAnswer())

    def answer_press(self, toast: str | None) -> HttpAnswer:
        return HttpAnswer()

    def render(self, reply: Reply, seed: str) -> tuple[Part, ...]:
        return tuple(Part("text", {"text": getattr(block, "text", "")}) for block in reply.body.blocks)

    async def upload(self, part: Part) -> str:
        return "media"

    async def send(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        if self.errors:
            raise self.errors.pop(0)
        self.sent.append((key, str(part.content["text"])))
        return Sent(f"sent-{key}")

    async def update(self, to: Address, sent: Sent, reply: Reply, receipt: str | None) -> None:
        self.updated.append(sent.message_id)

    def limits(self, to: Address) -> tuple[tuple[str, int, timedelta], ...]:
        return self.rate

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.sent]


@dataclass
class Queues:
    """One process's worth of queues."""

    database: Database
    keyring: Keyring
    people: People
    clock: ManualClock
    handler: NotingHandler
    platforms: dict[str, ObedientPlatform]
    inbox: Inbox
    outbox: Outbox

    async def person(self, name: str = "on_a", platform: str = "feishu") -> Person:
        return await self.database.run(lambda tx: self.people.resolve(tx, account(name, platform), self.clock.now()))

    async def put(self, reply: Reply, key: str, name: str = "on_a") -> None:
        person = await self.person(name)
        await self.database.run(lambda tx: self.outbox.put(tx, person, reply, key=key, now=self.clock.now()))

    async def settle(self) -> None:
        import asyncio

        while True:
            await self.inbox.sweep()
            await self.outbox.sweep()
            if self.inbox.is_quiet() and self.outbox.is_quiet():
                return
            await asyncio.sleep(0)

    async def advance(self, by: timedelta) -> None:
        self.clock.move_to(self.clock.now() + by)
        await self.settle()


@asynccontextmanager
async def queues(
    folder: Path, *, clock: ManualClock | None = None, other: Reply | None = None
) -> AsyncIterator[Queues]:
    database = await Database.open(f"sqlite:///{folder}/jide.db")
    await schema.ensure_newest(database)
    keyring = Keyring(KEYRING_SECRET)
    people = People(keyring)
    clock = clock or ManualClock(START)
    handler = NotingHandler()
    platforms = {"feishu": ObedientPlatform(), "wecom": ObedientPlatform("wecom", "wecom")}
    inbox = Inbox(database, people, keyring, clock, handler, worker="test")
    outbox = Outbox(database, keyring, clock, platforms.get, worker="test", elsewhere=lambda tx, person, reply: other)
    await outbox.start(alone=True)
    await inbox.start(alone=True)
    try:
        yield Queues(database, keyring, people, clock, handler, platforms, inbox, outbox)
    finally:
        await inbox.close()
        await outbox.close()
        await database.close()
