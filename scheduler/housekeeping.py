"""Nightly clean-up: what no query can see any more is removed for good."""

from __future__ import annotations

from datetime import timedelta

from bot.stores import inbox, outbox, questions
from config.clock import Clock, to_micros
from memory.stores.database import Database, Transaction

MESSAGE_KEYS_KEPT = timedelta(days=2)  # the platforms' last re-push comes after 6 h
DELIVERED_KEPT = timedelta(days=15)  # a card can be changed for 14 days
QUESTIONS_KEPT = timedelta(days=15)  # a late press on an old card still hears 已过期


class Housekeeping:
    """Purges the queues and lapsed questions."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def run(self) -> int:
        """How many rows were removed."""
        return await self._database.run(self._purge)

    def _purge(self, tx: Transaction) -> int:
        now = self._clock.now()
        return (
            inbox.purge_done(tx, to_micros(now - MESSAGE_KEYS_KEPT))
            + outbox.purge_done(tx, to_micros(now - DELIVERED_KEPT))
            + questions.purge(tx, to_micros(now - QUESTIONS_KEPT))
        )
