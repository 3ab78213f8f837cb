"""The outbox: replies that were decided are delivered, in order per chat, until the platform has them or gives up."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.codec import decode, encode
from bot.limits import RateLimits
from bot.metrics import Metrics
from bot.stores import outbox as rows
from bot.stores.outbox import OutboxRow
from bot.troubles import Troubles, summary
from bot.types import (
    Adapter,
    Address,
    Misconfigured,
    Reply,
    RetryLater,
    Sent,
    Unreachable,
    Unsendable,
)
from config.clock import Clock, from_micros, to_micros
from memory.keyring import Keyring
from memory.stores.database import Database, Transaction
from memory.types import Person

log = logging.getLogger("jide.outbox")

CLAIM = timedelta(seconds=60)  # longer than the calls of one reply: each has a timeout of a few seconds
FIRST_RETRY = timedelta(seconds=1)
SLOWEST_RETRY = timedelta(seconds=30)
UNKNOWN_LIVES = timedelta(hours=1)  # how long a platform still recognises a repeated send (platform-facts A6)
PUSH_WAITS = timedelta(minutes=15)  # then a push goes to the person's other channel
UPDATE_GIVES_UP = timedelta(hours=1)
PUSHES = ("push", "report")
AT_ONCE = 64

Elsewhere = Callable[[Transaction, Person, Reply], Reply | None]
"""The same push for the person's other channel, saying so; None when there is no other."""

SentHook = Callable[[OutboxRow, Sent], None]
"""Told of every platform message that a reply became."""


class _Throttled(RetryLater):
    """Our own rate limit, not the platform's refusal."""


@dataclass(frozen=True)
class _Progress:
    """What the platform already has: the parts sent, and the media uploaded for the part at hand."""

    sent: tuple[Sent, ...] = ()
    media: str | None = None


@dataclass(frozen=True)
class _Claimed:
    """A row that this process is delivering."""

    row: OutboxRow
    reply: Reply
    progress: _Progress


class Outbox:
    """Takes replies inside a turn's transaction and delivers them afterwards."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        clock: Clock,
        adapters: Callable[[str], Adapter | None],
        *,
        worker: str,
        elsewhere: Elsewhere,
        sent: SentHook | None = None,
        metrics: Metrics | None = None,
        troubles: Troubles | None = None,
    ) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock
        self._adapters = adapters
        self._worker = worker
        self._elsewhere = elsewhere
        self._sent = sent
        self._metrics = metrics or Metrics()
        self._troubles = troubles or Troubles()
        self._limits = RateLimits()
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: dict[str, bool] = {}  # chats being delivered; True when a row came in meanwhile
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._loop: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._stopping = False

    # --- taking ---

    def put(self, tx: Transaction, person: Person, reply: Reply, *, key: str, now: datetime) -> str:
        """Store `reply` for delivery once `tx` commits; its row id, which is the same for the same `key`."""
        row_id = str(uuid.uuid5(uuid.NAMESPACE_OID, key))
        where = self._keyring.hash(person.tenant, reply.to.key())
        rows.add(
            tx,
            id=row_id,
            tenant=person.tenant,
            person=person.id,
            app=reply.to.app,
            address_hash=where,
            kind="update" if reply.replaces else reply.kind,
            body=self._keyring.seal(tx, person.tenant, encode(reply), "outbox"),
            question=None if reply.replaces else reply.question_id,
            now=to_micros(now),
        )
        tx.after_commit(lambda: self._start(where))
        return row_id

    # --- delivering ---

    async def start(self, *, alone: bool) -> None:
        """Take up what an earlier process left. `alone`: no other process shares this database."""
        if alone:
            await self._database.run(rows.release_all)
        self._loop = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Finish the sends at hand, start no new ones."""
        self._stopping = True
        if self._loop:
            self._loop.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def abandon(self) -> None:
        """Drop everything at hand without finishing it, as a power cut would."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()

    def is_quiet(self) -> bool:
        return not self._tasks

    async def _run(self) -> None:
        """Start what is due, then sleep until the next row is, or something wakes us."""
        while not self._stopping:
            self._wake.clear()
            try:
                due = await self.sweep()
                wait = self._clock.wait_until(due) if due else asyncio.sleep(5.0)
            except Exception:
                log.exception("outbox sweep failed")
                wait = asyncio.sleep(1.0)
            waiting = [asyncio.ensure_future(wait), asyncio.ensure_future(self._wake.wait())]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=5.0)
            finally:
                for task in waiting:
                    task.cancel()

    async def sweep(self) -> datetime | None:
        """Start the delivery of every chat that is due; the moment of the next one that is not."""
        now = to_micros(self._clock.now())
        for where in await self._database.read(lambda tx: rows.due_addresses(tx, now, 10 * AT_ONCE)):
            self._start(where)
        due = await self._database.read(rows.next_due)
        return from_micros(due) if due is not None and due > now else None

    def _start(self, where: str) -> None:
        if self._stopping:
            return
        if where in self._busy:
            self._busy[where] = True
            return
        self._busy[where] = False
        task = asyncio.create_task(self._deliver_chat(where))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver_chat(self, where: str) -> None:
        """Deliver one chat's rows in order until none is due."""
        try:
            async with self._slots:
                claimed: _Claimed | None = None
                while not self._stopping:
                    self._busy[where] = False
                    claimed = claimed or await self._database.run(lambda tx: self._claim(tx, where))
                    if claimed is not None:
                        claimed = await self._deliver(claimed)
                    elif not self._busy[where]:
                        break
        except Exception:
            log.exception("delivery failed; the claim will run out")
        finally:
            del self._busy[where]

    def _claim(self, tx: Transaction, where: str) -> _Claimed | None:
        now = self._clock.now()
        until = to_micros(now + CLAIM)
        row = rows.claim_next(tx, where, by=self._worker, now=to_micros(now), until=until)
        return self._unseal(tx, row) if row else None

    async def _deliver(self, claimed: _Claimed) -> _Claimed | None:
        """Deliver one row; the chat's next row when this one went through and that one is due."""
        row, reply, progress = claimed.row, claimed.reply, claimed.progress
        person = Person(row.tenant, row.person)
        adapter = self._adapters(row.app)
        try:
            if adapter is None:
                raise Misconfigured(f"bot.yaml no longer has the app {row.app}")
            if reply.replaces:
                await self._update(adapter, row, reply)
            else:
                progress = await self._send(adapter, row, reply, progress)
        except RetryLater as error:
            await self._retry(row, person, reply, error)
        except Unreachable as error:
            await self._give_up(row, person, reply, summary(error))
        except (Misconfigured, Unsendable) as error:
            if isinstance(error, Misconfigured):
                self._troubles.misconfigured(row.app, str(error))
            log.error("cannot deliver: %s", summary(error), extra={"row": row.id, "app": row.app})
            await self._give_up(row, person, reply, summary(error))
        else:
            self._troubles.reached(row.app)
            self._metrics.delivered(row.app, row.kind)
            return await self._database.run(lambda tx: self._finish(tx, row, progress))
        return None

    def _finish(self, tx: Transaction, row: OutboxRow, progress: _Progress) -> _Claimed | None:
        rows.finish(tx, row.id, progress=self._seal_progress(tx, row, progress), now=self._now())
        return None if self._stopping else self._claim(tx, row.address_hash)

    async def _send(self, adapter: Adapter, row: OutboxRow, reply: Reply, progress: _Progress) -> _Progress:
        parts = adapter.render(reply, row.id)
        for number in range(len(progress.sent), len(parts)):
            part = parts[number]
            self._reserve(adapter, reply.to)
            media = progress.media
            if media is None and (part.picture or part.file):
                media = await adapter.upload(part)
                progress = replace(progress, media=media)
                await self._save(row, progress)
            sent = await adapter.send(reply.to, part, f"{row.id}-{number}", media)
            if self._sent:
                self._sent(row, sent)
            progress = _Progress((*progress.sent, sent))
            if number + 1 < len(parts):
                await self._save(row, progress)
        return progress

    async def _update(self, adapter: Adapter, row: OutboxRow, reply: Reply) -> None:
        card = reply.replaces or ""
        sealed = await self._database.read(lambda tx: rows.progress_of(tx, card))
        if sealed is None:
            return
        original = await self._database.read(lambda tx: self._open_progress(tx, row.tenant, sealed))
        if not original.sent:
            return
        self._reserve(adapter, reply.to)
        await adapter.update(reply.to, original.sent[-1], reply, reply.receipt)

    def _reserve(self, adapter: Adapter, to: Address) -> None:
        now = self._clock.now()
        free_at = self._limits.reserve(adapter.limits(to), now)
        if free_at > now:
            raise _Throttled("our own rate limit", after=free_at - now)

    # --- when it does not go through ---

    async def _retry(self, row: OutboxRow, person: Person, reply: Reply, error: RetryLater) -> None:
        now = self._clock.now()
        if not isinstance(error, _Throttled):
            self._troubles.refused(row.app)
            self._metrics.retried(row.app, row.kind)
        age = now - from_micros(row.created_at)
        since = row.unknown_since
        if error.unknown and since is None:
            since = to_micros(now)
        if since is not None and now - from_micros(since) > UNKNOWN_LIVES:
            await self._bury(row, f"outcome unknown for too long: {summary(error)}")
        elif reply.replaces and age > UPDATE_GIVES_UP:
            await self._bury(row, f"card not updated: {summary(error)}")
        elif row.kind in PUSHES and age >= PUSH_WAITS:
            await self._give_up(row, person, reply, f"refused for too long: {summary(error)}")
        else:
            doubled = FIRST_RETRY * 2 ** min(row.attempts - 1, 10)
            wait = error.after or min(doubled, SLOWEST_RETRY)
            log.info("retry in %.1fs: %s", wait.total_seconds(), summary(error), extra={"row": row.id})
            await self._database.run(
                lambda tx: rows.postpone(
                    tx, row.id, due_at=to_micros(now + wait), unknown_since=since, error=summary(error)[:200]
                )
            )
            self._wake.set()

    async def _give_up(self, row: OutboxRow, person: Person, reply: Reply, why: str) -> None:
        """A push goes to the person's other channel; anything else becomes a dead letter."""

        def elsewhere(tx: Transaction) -> None:
            other = self._elsewhere(tx, person, reply) if row.kind in PUSHES else None
            rows.bury(tx, row.id, error=why[:200], now=to_micros(self._clock.now()))
            if other is not None:
                self.put(tx, person, other, key=f"{row.id}/elsewhere", now=self._clock.now())

        self._metrics.buried(row.app, row.kind)
        await self._database.run(elsewhere)

    async def _bury(self, row: OutboxRow, why: str) -> None:
        self._metrics.buried(row.app, row.kind)
        log.error("dead letter: %s", why, extra={"row": row.id, "app": row.app})
        now = to_micros(self._clock.now())
        await self._database.run(lambda tx: rows.bury(tx, row.id, error=why[:200], now=now))

    # --- what a row holds ---

    def _unseal(self, tx: Transaction, row: OutboxRow) -> _Claimed:
        reply = decode(Reply, self._keyring.open(tx, row.tenant, row.body or b"", "outbox"))
        progress = self._open_progress(tx, row.tenant, row.progress) if row.progress else _Progress()
        return _Claimed(row, reply, progress)

    def _open_progress(self, tx: Transaction, tenant: str, sealed: bytes) -> _Progress:
        sent, media = decode(tuple, self._keyring.open(tx, tenant, sealed, "progress"))
        return _Progress(sent, media)

    def _seal_progress(self, tx: Transaction, row: OutboxRow, progress: _Progress) -> bytes:
        data = encode((progress.sent, progress.media))
        return self._keyring.seal(tx, row.tenant, data, "progress")

    async def _save(self, row: OutboxRow, progress: _Progress) -> None:
        await self._database.run(lambda tx: rows.save_progress(tx, row.id, self._seal_progress(tx, row, progress)))

    def _now(self) -> int:
        return to_micros(self._clock.now())
