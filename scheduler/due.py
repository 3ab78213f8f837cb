"""What is due: claims schedule rows, carries them out and writes their next instant, in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot import schedules
from bot.metrics import Metrics
from bot.occasion import Occasion, Office
from bot.stores import schedules as rows
from bot.stores.schedules import ScheduleRow
from bot.tasks import digest
from bot.types import Address
from config.clock import Clock, from_micros, to_micros
from memory.stores.database import Database, Transaction
from memory.types import Person

log = logging.getLogger("jide.due")

BATCH = 20  # rows in one transaction: about 20 ms of the loop
ATTEMPTS = 3
AGAIN = timedelta(minutes=1)

Runner = Callable[[Occasion, Address, timedelta], None]

RUNNERS: Mapping[str, tuple[Runner, timedelta]] = {
    "digest": (digest.push, timedelta(hours=2)),
}
"""How each kind is carried out, and how late it may still be (design section 5)."""


class DueSchedules:
    """Any number of replicas may run this at once: a claimed row is skipped by the others."""

    def __init__(self, database: Database, office: Office, clock: Clock, metrics: Metrics | None = None) -> None:
        self._database = database
        self._office = office
        self._clock = clock
        self._metrics = metrics or Metrics()

    async def run(self) -> int:
        """Carry out everything that is due; how many rows."""
        total = 0
        while count := await self._database.run(self._batch):
            total += count
        return total

    def _batch(self, tx: Transaction) -> int:
        now = self._clock.now()
        due = rows.claim_due(tx, to_micros(now), BATCH)
        for row in due:
            self._carry_out(tx, row, now)
        return len(due)

    def _carry_out(self, tx: Transaction, row: ScheduleRow, now: datetime) -> None:
        """One row; a failure leaves the others alone and is tried again a few times."""
        due = from_micros(row.due_at)
        local = now.astimezone(ZoneInfo(row.zone))
        runner, tolerance = RUNNERS[row.kind]
        try:
            with tx.connection.begin_nested():
                if now - due <= tolerance:
                    key = f"schedule/{row.id}/{row.due_at}"
                    occasion = Occasion(self._office, tx, Person(row.tenant, row.person), local, key)
                    runner(occasion, schedules.address_of(occasion, row), now - due)
                    tx.after_commit(lambda: self._metrics.given(row.kind))
                else:
                    tx.after_commit(lambda: self._metrics.missed(row.kind))
                    log.warning("schedule missed", extra={"schedule": row.id, "kind": row.kind})
        except Exception:
            self._metrics.broke(row.kind)
            log.exception("schedule failed", extra={"schedule": row.id, "kind": row.kind})
            if row.attempts + 1 < ATTEMPTS:
                rows.try_again(tx, row.id, due_at=to_micros(now + AGAIN))
                return
        following = schedules.following(row, local, self._office.calendar())
        given_on = due.astimezone(ZoneInfo(row.zone)).date().isoformat()
        rows.move_on(tx, row.id, due_at=to_micros(following), given_on=given_on)
