"""The program, wired by hand from top to bottom: storage, memory, dialogue, queues, adapters, web."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from aiohttp import web

from adapters import operations
from adapters.feishu.adapter import FeishuAdapter
from adapters.web import BODY_LIMIT, Webhooks, serve
from adapters.wecom.adapter import WecomAdapter
from bot import schedules, storage
from bot.channels import Channels
from bot.dialogue import Dialogue
from bot.directory import Directory
from bot.inbox import Inbox
from bot.metrics import Metrics
from bot.occasion import Office
from bot.outbox import Outbox, SentHook
from bot.people import People
from bot.pushes import Pushes
from bot.questions import Questions
from bot.screened import without_secrets
from bot.stores import inbox as inbox_rows
from bot.stores import outbox as outbox_rows
from bot.tasks.report import check_template
from bot.tasks.templating import SHIPPED as SHIPPED_TEMPLATES
from bot.troubles import Troubles
from bot.types import Adapter, Message
from bot.vitals import AppVitals
from config.clock import Clock, from_micros
from config.loading import load_mapping
from config.problems import Problem, found
from config.settings import Settings
from config.texts import Texts
from config.watching import Watcher
from config.workdays import WorkCalendar
from memory.cache import PersonCache
from memory.catalog import Catalog
from memory.keyring import Keyring
from memory.memory import Memory, MemoryParts
from memory.scenes import Surroundings
from memory.stores.database import Database
from scheduler.due import RUNNERS, DueSchedules
from scheduler.housekeeping import Housekeeping
from scheduler.jobs import Jobs

log = logging.getLogger("jide.app")


class DataFolderInUse(Exception):
    """Another process works on this data folder: the message says what to do."""


class Standing:
    """What the newest good bot.yaml says, and what follows from it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.catalog = Catalog(settings.catalog, digest_time=f"{settings.office.digest_time:%H:%M}")
        self.calendar = WorkCalendar(settings.office.workdays)
        self.surroundings = Surroundings(self.catalog.parents, self.calendar, str(settings.office.working_hours))
        self.platforms = frozenset(
            [*("feishu" for _ in settings.platforms.feishu), *("wecom" for _ in settings.platforms.wecom)]
        )
        self.templates = (settings.storage.data / "templates", SHIPPED_TEMPLATES)


def check_settings(settings: Settings) -> Iterable[Problem]:
    """What only the whole program can judge of a bot.yaml: that templates exist and render."""
    standing = Standing(settings)
    for value in standing.catalog.option_values("report_template"):
        file = standing.catalog.value_file("report_template", value)
        problem = check_template(standing.templates, file) if file else None
        if problem:
            key = f"catalog.preferences.report_template.values.{value}.file"
            yield found(key, problem, f"把模板放进 {standing.templates[0]}，或改正 file")


CHECKS = (check_settings,)


class App:
    """One running bot. `open` starts it, `close` drains it, `kill` drops it as a power cut would."""

    def __init__(
        self,
        standing: Standing,
        database: Database,
        keyring: Keyring,
        clock: Clock,
        lock: IO[bytes] | None,
        sent: SentHook | None,
    ) -> None:
        self.database = database
        self.clock = clock
        self._standing = standing
        self._lock = lock
        worker = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        people = People(keyring)
        channels = Channels(people, lambda: self._standing.platforms)
        texts = Texts.load()
        self._metrics, troubles = Metrics(), Troubles()
        parts = MemoryParts(
            catalog=lambda: self._standing.catalog,
            around=lambda: self._standing.surroundings,
            keyring=keyring,
            cache=PersonCache(),
        )
        self.outbox = Outbox(
            database,
            keyring,
            clock,
            self._adapter,
            worker=worker,
            elsewhere=Pushes(channels, texts, lambda: self._standing.catalog).elsewhere,
            sent=sent,
            metrics=self._metrics,
            troubles=troubles,
        )
        self.office = Office(
            settings=lambda: self._standing.settings,
            catalog=lambda: self._standing.catalog,
            calendar=lambda: self._standing.calendar,
            texts=texts,
            people=people,
            directory=Directory(lambda: self._standing.settings, people),
            questions=Questions(keyring),
            outbox=self.outbox,
            keyring=keyring,
            channels=channels,
            memory=lambda tx: Memory(tx, parts),
            templates=lambda: self._standing.templates,
        )
        self.inbox = Inbox(
            database,
            people,
            keyring,
            clock,
            Dialogue(self.office, clock),
            worker=worker,
            screen=self._screened,
            metrics=self._metrics,
        )
        self._adapters: dict[str, Adapter] = {}
        self._due = DueSchedules(database, self.office, clock, self._metrics)
        self._jobs = Jobs(self._due.run, Housekeeping(database, clock).run, standing.settings.office.timezone)
        self._watcher: Watcher | None = None
        self._applied: Callable[[Settings], object] | None = None
        self._vitals = AppVitals(
            database,
            clock,
            self._metrics,
            troubles,
            folder=standing.settings.storage.data,
            apps=lambda: self._adapters,
            problems=lambda: self._watcher.last_problems if self._watcher else (),
            tolerances={kind: tolerance for kind, (_, tolerance) in RUNNERS.items()},
        )
        self._runner: web.AppRunner | None = None
        self.port = 0

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        clock: Clock,
        host: str | None = None,
        port: int | None = None,
        sent: SentHook | None = None,
        watched: Path | None = None,
        applied: Callable[[Settings], object] | None = None,
        ticking: bool = True,
    ) -> App:
        """A running app; raises DataFolderInUse, DatabaseUnavailable, KeyringError or OSError when it cannot start.

        `applied` hears of every edit of bot.yaml that took effect."""
        storage.check_folder(settings)
        async with AsyncExitStack() as undo:  # what to take back when a later step fails
            lock = None if settings.storage.database else _lock(settings.storage.data)
            undo.callback(_unlock, lock)
            database = await storage.open_database(settings)
            undo.push_async_callback(database.close)
            await storage.bring_up_to_date(settings, database)
            keyring = await storage.open_keyring(settings, database)
            app = cls(Standing(settings), database, keyring, clock, lock, sent)
            undo.pop_all()
            undo.push_async_callback(app.close)
            await app._start(host or settings.server.host, settings.server.port if port is None else port)
            undo.pop_all()
        app._applied = applied
        if watched:
            app._watcher = Watcher(watched, settings, app.apply, checks=CHECKS)
            await app._watcher.start()
        if ticking:
            app._jobs.start()
        return app

    async def _start(self, host: str, port: int) -> None:
        self._adapters = {adapter.app: adapter for adapter in self._build_adapters(self._standing.settings)}
        await self._link_directory()
        await self.outbox.start(alone=self._lock is not None)
        await self.inbox.start(alone=self._lock is not None)
        application = web.Application(client_max_size=BODY_LIMIT)
        webhooks = Webhooks(self.inbox, lambda: self._adapters.values(), self._metrics)
        application.add_routes([*webhooks.routes(), *operations.routes(self._vitals)])
        self._runner, self.port = await serve(application, host, port)
        await asyncio.gather(*(adapter.start() for adapter in self._adapters.values()))

    async def apply(self, settings: Settings) -> None:
        """Let newer settings hold from the next message on; apps that changed are connected anew."""
        before = self._standing.settings
        self._standing = Standing(settings)
        self._metrics.reloaded()
        if self._applied:
            self._applied(settings)
        if settings.directory != before.directory:
            await self._link_directory()
        if settings.platforms == before.platforms:
            return
        old, self._adapters = self._adapters, {each.app: each for each in self._build_adapters(settings)}
        await asyncio.gather(*(adapter.start() for adapter in self._adapters.values()))
        for adapter in old.values():
            await adapter.close()

    async def _link_directory(self) -> None:
        now = self.clock.now()
        await self.database.run(lambda tx: self.office.directory.link(tx, now))

    def _build_adapters(self, settings: Settings) -> Iterable[Adapter]:
        for feishu in settings.platforms.feishu:
            yield FeishuAdapter(feishu, clock=self.clock)
        for wecom in settings.platforms.wecom:
            yield WecomAdapter(wecom, clock=self.clock)

    def _screened(self, message: Message) -> Message:
        return without_secrets(message, self._standing.settings.office.email_domains)

    def _adapter(self, name: str) -> Adapter | None:
        return self._adapters.get(name)

    async def close(self) -> None:
        """Take nothing new, finish what is at hand; what is not delivered stays in the outbox."""
        self._jobs.close()
        if self._watcher:
            await self._watcher.close()
        if self._runner:
            await self._runner.cleanup()
        await self.inbox.close()
        await self.outbox.close()
        for adapter in self._adapters.values():
            await adapter.close()
        await self.database.close()
        _unlock(self._lock)

    async def kill(self) -> None:
        """Stop in the middle of whatever is going on; claims stay as they are."""
        self.inbox.abandon()
        self.outbox.abandon()
        await self.close()

    # --- for those who move the clock ---

    def is_quiet(self) -> bool:
        """Whether no turn and no delivery is going on."""
        return self.inbox.is_quiet() and self.outbox.is_quiet()

    async def work_off(self) -> None:
        """Start everything that could be done now."""
        await self._due.run()
        await self.inbox.sweep()
        await self.outbox.sweep()

    async def next_due(self) -> datetime | None:
        """The next moment at which something falls due."""
        sending = await self.database.read(outbox_rows.next_due)
        scheduled = await self.database.read(schedules.next_due)
        dues = [from_micros(sending) if sending is not None else None, scheduled]
        return min((due for due in dues if due is not None), default=None)

    def path_of(self, platform: str) -> str:
        return next(adapter.path for adapter in self._adapters.values() if adapter.platform == platform)

    async def stats(self) -> Mapping[str, Mapping[str, int]]:
        """Counts only: rows of the queues by state."""
        return {
            "inbox": await self.database.read(inbox_rows.count),
            "outbox": await self.database.read(outbox_rows.count),
        }


def settings_from(tree: Mapping[str, Any]) -> Settings:
    """The settings of a merged tree; raises ConfigError with every problem."""
    return load_mapping(tree, checks=CHECKS).require()


def _lock(data: Path) -> IO[bytes]:
    """Hold the data folder for this process; the embedded database is for one."""
    handle = (data / ".lock").open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise DataFolderInUse(
            f"数据目录 {data} 正被另一个进程使用：先停掉它，或用 storage.data 换一个目录；"
            "要运行多个进程，请在 storage.database 里配置 PostgreSQL"
        ) from error
    return handle


def _unlock(lock: IO[bytes] | None) -> None:
    if lock is not None:
        lock.close()
