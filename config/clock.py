"""The one source of time: real, or moved by hand in rehearsals and the playground."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC, the form of every time in the database. `moment` must be aware."""
    if moment.tzinfo is None:
        raise ValueError(f"naive time {moment.isoformat()}")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """The aware UTC moment of `to_micros`."""
    return _EPOCH + timedelta(microseconds=micros)


class Clock(Protocol):
    def now(self) -> datetime:
        """The moment, aware, in UTC."""

    async def wait_until(self, moment: datetime) -> None:
        """Return when `now()` has reached `moment`."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def wait_until(self, moment: datetime) -> None:
        delay = (moment - self.now()).total_seconds()
        while delay > 0:
            await asyncio.sleep(min(delay, 60.0))
            delay = (moment - self.now()).total_seconds()


class ManualClock:
    """A clock that stands still until it is moved; waiters wake when it passes their moment."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    def move_to(self, moment: datetime) -> None:
        if moment < self._now:
            raise ValueError(f"time runs forward: {moment.isoformat()} is before {self._now.isoformat()}")
        self._now = moment.astimezone(UTC)
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def wait_until(self, moment: datetime) -> None:
        while self._now < moment:
            await self._moved.wait()


class ShiftedClock:
    """The machine's clock plus an offset that can grow: the playground's."""

    def __init__(self) -> None:
        self._offset = timedelta(0)
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def move_to(self, moment: datetime) -> None:
        self._offset += max(moment - self.now(), timedelta(0))
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def wait_until(self, moment: datetime) -> None:
        while (delay := (moment - self.now()).total_seconds()) > 0:
            try:
                async with asyncio.timeout(min(delay, 60.0)):
                    await self._moved.wait()
            except TimeoutError:
                continue
