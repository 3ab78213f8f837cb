"""The few jobs that APScheduler runs: one tick for everybody's schedules, one nightly clean-up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

TICK_SECONDS = 1
GRACE_SECONDS = 60  # a tick that is late is still a tick


class Jobs:
    """Starts and stops APScheduler; no job belongs to a person."""

    def __init__(
        self, tick: Callable[[], Awaitable[object]], nightly: Callable[[], Awaitable[object]], zone: str
    ) -> None:
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        common = {"coalesce": True, "max_instances": 1, "misfire_grace_time": GRACE_SECONDS}
        self._scheduler.add_job(tick, IntervalTrigger(seconds=TICK_SECONDS, timezone=UTC), id="tick", **common)
        nightly_at = CronTrigger(hour=3, minute=17, timezone=zone)
        self._scheduler.add_job(nightly, nightly_at, id="nightly", **{**common, "misfire_grace_time": None})

    def start(self) -> None:
        self._scheduler.start()

    def close(self) -> None:
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
