"""Whether the running bot is alive and ready, and what is wrong where: for monitors, with nothing personal."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from bot.metrics import Metrics
from bot.stores import backlog
from bot.stores.backlog import Backlog, Waiting
from bot.troubles import Troubles
from config.clock import Clock, from_micros, to_micros
from config.problems import Problem
from memory.stores.database import Database, DatabaseUnavailable

PATIENCE = 2.0  # seconds for the database to answer
UNHANDLED = timedelta(minutes=5)  # a turn takes milliseconds; three failed attempts and a lost claim some minutes
UNSENT = timedelta(minutes=15)  # then even a push has gone to the other channel or was given up
TIGHT = 100 << 20  # bytes free below which the disk is worth a word
BEHIND = timedelta(minutes=2)  # a schedule that is due this long is late, though not yet too late


@dataclass(frozen=True)
class Ailment:
    """One thing that is wrong. `part` ∈ database | inbox | outbox | schedules | platform | config."""

    part: str
    says: str


@dataclass(frozen=True)
class Report:
    """`fatal`: restart it or mend it, it does not work. `degraded`: it works, something needs a look."""

    fatal: tuple[Ailment, ...] = ()
    degraded: tuple[Ailment, ...] = ()

    @property
    def status(self) -> str:
        return "down" if self.fatal else "degraded" if self.degraded else "ok"


class AppVitals:
    """Looks when it is asked; `tolerances` says by kind how late a schedule may be carried out."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        metrics: Metrics,
        troubles: Troubles,
        *,
        folder: Path,
        apps: Callable[[], Iterable[str]],
        problems: Callable[[], tuple[Problem, ...]],
        tolerances: Mapping[str, timedelta],
    ) -> None:
        self._database = database
        self._clock = clock
        self._metrics = metrics
        self._troubles = troubles
        self._folder = folder
        self._apps = apps
        self._problems = problems
        self._tolerances = tolerances

    async def health(self) -> Report:
        """Alive: the event loop and the database answer, and nothing has been due for longer than it may be."""
        return Report(fatal=tuple(self._fatal(await self._measure())))

    async def readiness(self) -> Report:
        """As `health`, and what is wrong with the platforms, the schedules, the disk and the newest bot.yaml."""
        measured = await self._measure()
        fatal = tuple(self._fatal(measured))
        late = _late(measured, self._clock.now()) if measured and not fatal else ()
        return Report(fatal, (*late, *self._disk(), *self._unreached(), *map(_as_ailment, self._problems())))

    async def metrics(self) -> bytes:
        """The counters, with the queues as they are now."""
        measured, now = await self._measure(), self._clock.now()
        if measured:
            self._metrics.waiting("inbox", measured.inbox.rows, _lag(measured.inbox, now).total_seconds())
            self._metrics.waiting("outbox", measured.outbox.rows, _lag(measured.outbox, now).total_seconds())
            for kind in self._tolerances:
                due = measured.schedules.get(kind, Waiting(0, None))
                self._metrics.waiting(f"schedule {kind}", due.rows, _lag(due, now).total_seconds())
        self._metrics.wrong(len(self._problems()))
        return self._metrics.text()

    async def _measure(self) -> Backlog | None:
        now = to_micros(self._clock.now())
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._database.read(lambda tx: backlog.measure(tx, now))
        except (TimeoutError, DatabaseUnavailable):
            return None

    def _fatal(self, measured: Backlog | None) -> Iterator[Ailment]:
        if measured is None:
            yield Ailment("database", "数据库没有回应，看日志")
            return
        now = self._clock.now()
        if _lag(measured.inbox, now) > UNHANDLED:
            yield Ailment("inbox", f"有消息 {UNHANDLED.seconds // 60} 分钟没有处理，重启试试")
        if _lag(measured.outbox, now) > UNSENT:
            yield Ailment("outbox", f"有回复到点 {UNSENT.seconds // 60} 分钟没有发送，重启试试")
        for kind, due in measured.schedules.items():
            if _lag(due, now) > self._tolerances.get(kind, BEHIND):
                yield Ailment("schedules", f"{kind} 到点后太久没有执行，重启试试")

    def _disk(self) -> Iterator[Ailment]:
        free = shutil.disk_usage(self._folder).free
        if free < TIGHT:
            yield Ailment("database", f"数据目录所在的磁盘只剩 {free >> 20} MB，满了就收不下消息：腾些空间")

    def _unreached(self) -> Iterator[Ailment]:
        if not list(self._apps()):
            yield Ailment("platform", "没有配置任何平台：在 bot.yaml 的 platforms 里写上")
        for app, says in self._troubles:
            yield Ailment("platform", f"{app}：{says}")


def _late(measured: Backlog, now: datetime) -> Iterator[Ailment]:
    for kind, due in measured.schedules.items():
        if _lag(due, now) > BEHIND:
            yield Ailment(
                "schedules", f"{kind} 晚了 {_lag(due, now).total_seconds() // 60:.0f} 分钟，还有 {due.rows} 条"
            )


def _lag(waiting: Waiting, now: datetime) -> timedelta:
    return timedelta(0) if waiting.since is None else max(now - from_micros(waiting.since), timedelta(0))


def _as_ailment(problem: Problem) -> Ailment:
    """Where and what would do; what was written there stays in the log, which fewer people read."""
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return Ailment("config", " ".join(part for part in (place, problem.key) if part) + f"：{problem.cure or '看日志'}")
