"""The inbox: accepted messages are durable before the platform hears 200, and handled once, in order per person."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Protocol

from bot.codec import decode, encode
from bot.metrics import Metrics
from bot.people import People
from bot.screened import without_secrets
from bot.stores import inbox as rows
from bot.stores.inbox import InboxRow
from bot.types import Message
from config.clock import Clock, to_micros
from memory.keyring import Keyring
from memory.stores.database import Database, Transaction
from memory.types import Person

log = logging.getLogger("jide.inbox")

CLAIM = timedelta(seconds=60)  # longer than any turn: a turn makes no outgoing call
SWEEP = timedelta(seconds=1)
ATTEMPTS = 3
AT_ONCE = 64


@dataclass(frozen=True)
class Handled:
    """What a turn left for the platform's synchronous answer: a toast, when nothing else reaches the person."""

    toast: str | None = None


class TurnHandler(Protocol):
    """What the inbox needs of the dialogue: decide one message inside the transaction that also finishes its row."""

    def handle(self, tx: Transaction, person: Person, message: Message, *, waiting: bool) -> Handled:
        """Decide one message. `waiting`: the platform still holds the line for a toast."""

    def apologise(self, tx: Transaction, person: Person, message: Message) -> None:
        """Tell the person that this message could not be handled."""


class Inbox:
    """Accepts, claims and finishes. `waiting` presses get their turn's toast through `accept_and_wait`."""

    def __init__(
        self,
        database: Database,
        people: People,
        keyring: Keyring,
        clock: Clock,
        handler: TurnHandler,
        *,
        worker: str,
        screen: Callable[[Message], Message] = without_secrets,
        metrics: Metrics | None = None,
    ) -> None:
        self._database = database
        self._people = people
        self._keyring = keyring
        self._clock = clock
        self._handler = handler
        self._worker = worker
        self._screen = screen
        self._metrics = metrics or Metrics()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[int, asyncio.Future[Handled]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._sweeper: asyncio.Task[None] | None = None
        self._stopping = False
        self.failures = 0

    async def start(self, *, alone: bool) -> None:
        """Take up what an earlier process left. `alone`: no other process shares this database."""
        if alone:
            await self._database.run(rows.release_all)
        await self.sweep()
        self._sweeper = asyncio.create_task(self._sweep_forever())

    async def close(self) -> None:
        """Finish the turns at hand, start no new ones."""
        self._stopping = True
        if self._sweeper:
            self._sweeper.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def abandon(self) -> None:
        """Drop everything at hand without finishing it, as a power cut would."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()

    async def accept(self, message: Message) -> bool:
        """Durably take `message`, screened before it touches anything; False when it was there already.

        Raises when the database refuses: the platform must then get an error status, so that it pushes again."""
        row, _ = await self._take(message)
        return row

    async def accept_and_wait(self, message: Message, seconds: float) -> Handled | None:
        """As `accept`, and then the turn's outcome, or None when it took longer than `seconds` (or was a repeat)."""
        outcome: asyncio.Future[Handled] = asyncio.get_running_loop().create_future()
        accepted, row_id = await self._take(message, outcome)
        if not accepted or row_id is None:
            return None
        try:
            async with asyncio.timeout(seconds):
                return await outcome
        except TimeoutError:
            self._waiting.pop(row_id, None)
            return None

    def is_quiet(self) -> bool:
        return not self._tasks

    async def sweep(self) -> None:
        """Claim what nobody holds."""
        now = to_micros(self._clock.now())
        for person in await self._database.read(lambda tx: rows.waiting_people(tx, now, AT_ONCE)):
            row = await self._database.run(partial(self._claim, person=person))
            if row:
                self._spawn(row, None)

    async def _sweep_forever(self) -> None:
        while not self._stopping:
            await asyncio.sleep(SWEEP.total_seconds())
            try:
                await self.sweep()
            except Exception:
                log.exception("inbox sweep failed")

    async def _take(self, message: Message, outcome: asyncio.Future[Handled] | None = None) -> tuple[bool, int | None]:
        message = self._screen(message)
        tenant = message.sender.tenant
        body = encode(message)

        def add(tx: Transaction) -> tuple[int | None, InboxRow | None]:
            now = self._clock.now()
            person = self._people.resolve(tx, message.sender, now)
            added = rows.add(
                tx,
                app=message.app,
                message_hash=self._keyring.hash(tenant, f"message\x1f{message.id}"),
                tenant=tenant,
                person=person.id,
                body=self._keyring.seal(tx, tenant, body, "inbox"),
                now=to_micros(now),
            )
            return added, self._claim(tx, person.id) if added is not None and not self._stopping else None

        added, claimed = await self._database.run(add)
        if added is None:
            self._metrics.repeated(message.app)
        else:
            self._metrics.accepted(message.app, message.kind)
        if added is not None and outcome is not None:
            self._waiting[added] = outcome
        if claimed:
            self._spawn(claimed, message if claimed.id == added else None)
        return added is not None, added

    def _claim(self, tx: Transaction, person: str) -> InboxRow | None:
        now = self._clock.now()
        return rows.claim_next(tx, person, by=self._worker, now=to_micros(now), until=to_micros(now + CLAIM))

    def _spawn(self, row: InboxRow, message: Message | None) -> None:
        task = asyncio.create_task(self._work(row, message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, row: InboxRow, message: Message | None) -> None:
        async with self._slots:
            following = await self._turn(row, message)
        if following and not self._stopping:
            self._spawn(following, None)

    async def _turn(self, row: InboxRow, message: Message | None) -> InboxRow | None:
        """Handle one row; the person's next row, already claimed, if there is one."""
        person = Person(row.tenant, row.person)

        def turn(tx: Transaction) -> tuple[Handled, InboxRow | None]:
            now = to_micros(self._clock.now())
            said = message or decode(Message, self._keyring.open(tx, row.tenant, row.body, "inbox"))
            if row.attempts > ATTEMPTS:
                self._handler.apologise(tx, person, said)
                rows.finish(tx, row.id, state="failed", now=now)
                handled = Handled()
            else:
                handled = self._handler.handle(tx, person, said, waiting=row.id in self._waiting)
                rows.finish(tx, row.id, state="done", now=now)
            return handled, None if self._stopping else self._claim(tx, person.id)

        began = time.perf_counter()
        try:
            handled, following = await self._database.run(turn)
        except Exception:
            self.failures += 1
            self._metrics.failed()
            log.exception("turn failed", extra={"row": row.id, "attempt": row.attempts})
            return await self._retry(row)
        self._metrics.turned(time.perf_counter() - began)
        if (outcome := self._waiting.pop(row.id, None)) and not outcome.done():
            outcome.set_result(handled)
        return following

    async def _retry(self, row: InboxRow) -> InboxRow | None:
        """Claim a failed row again; after `ATTEMPTS` the next claim apologises. If the database itself is away,
        the claim runs out and a sweep finds the row."""

        def again(tx: Transaction) -> InboxRow | None:
            rows.give_back(tx, row.id)
            return self._claim(tx, row.person)

        try:
            return await self._database.run(again)
        except Exception:
            log.exception("inbox row left for the sweep", extra={"row": row.id})
            return None
