"""The admin's edits of bot.yaml while people chat: a good file takes effect, a bad one changes nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from config.documents import parse, read
from config.loading import Check, Loaded, load_document
from config.problems import Problem, found
from config.settings import Settings

_INTERVAL = 0.5  # seconds; a save settles after two looks, so it takes effect well within two seconds
_RESTART = ("server", "storage")  # what a running process cannot change: its port and its database

_log = logging.getLogger("jide.config")


class Watcher:
    """Follows one bot.yaml: `current` is the newest good one, `last_problems` what is wrong with the newest save.

    A save is judged once two looks in a row find the same bytes, so that a file half-written, renamed or briefly
    missing is not mistaken for an edit. `on_change` gets the new settings; when it raises, the old ones stay.
    """

    def __init__(
        self,
        path: Path,
        current: Settings,
        on_change: Callable[[Settings], Awaitable[None]],
        *,
        checks: Sequence[Check] = (),
        interval: float = _INTERVAL,
    ) -> None:
        self.current = self._started_with = current
        self.last_problems: tuple[Problem, ...] = ()
        self._path = path
        self._on_change = on_change
        self._checks = checks
        self._interval = interval
        self._judged = self._seen = _bytes_of(path)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._poll_forever(), name="config-watcher")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def poll_once(self) -> bool:
        """Look once; True when a new file took effect."""
        content = await asyncio.to_thread(_bytes_of, self._path)
        settled, self._seen = content == self._seen, content
        if not settled or content == self._judged:
            return False
        self._judged = content
        return await self._judge(await asyncio.to_thread(self._load, content))

    def _load(self, content: bytes | None) -> Loaded:
        document = read(self._path) if content is None else parse(content, str(self._path))
        return load_document(document, checks=self._checks)

    async def _judge(self, loaded: Loaded) -> bool:
        if loaded.settings is None:
            self._refuse(loaded.errors)
            return False
        changed = loaded.settings != self.current
        if changed:
            try:
                await self._on_change(loaded.settings)
            except Exception as error:
                _log.exception("the new configuration could not be put into effect")
                self._refuse((found("", f"换不上新配置（{type(error).__name__}）", "看日志，或改回原来的内容"),))
                return False
            _log.info("configuration reloaded")
        self.current = loaded.settings
        self.last_problems = (*loaded.problems, *_waiting_for_restart(self._started_with, loaded))
        for problem in self.last_problems:
            _log.warning("configuration: %s", problem)
        return changed

    def _refuse(self, problems: tuple[Problem, ...]) -> None:
        self.last_problems = problems
        for problem in problems:
            _log.error("configuration not taken over: %s", problem)

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self.poll_once()
            except Exception:
                _log.exception("could not look at the configuration file")


def _waiting_for_restart(started_with: Settings, loaded: Loaded) -> tuple[Problem, ...]:
    """The sections that changed since the start and that only a restart can put into effect."""
    changed = [name for name in _RESTART if getattr(started_with, name) != getattr(loaded.settings, name)]
    return tuple(
        Problem(*loaded.locate(name), name, "这一段的改动要重启才生效", "方便时重启", warning=True) for name in changed
    )


def _bytes_of(path: Path) -> bytes | None:
    """What the file holds; None when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
