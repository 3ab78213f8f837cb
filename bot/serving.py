"""`jide serve` and its small companions: the app on real platforms, until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from bot import counting, logs, storage
from bot.app import CHECKS, App, DataFolderInUse
from config.clock import SystemClock
from config.loading import load
from config.problems import ConfigError
from config.settings import Settings
from memory.keyring import KeyringError
from memory.stores import schema
from memory.stores.database import DatabaseUnavailable

log = logging.getLogger("jide.serving")

FINE, FOUND_WRONG = 0, 1
DRAIN_SECONDS = 10.0  # Docker kills after ten of its own by default: docs/operations.md asks for more
KILLED = 128  # plus the signal's number: how a shell tells that a signal ended a program


def run(config: Path) -> int:
    """Serve until SIGTERM or Ctrl+C; the exit code."""
    return _told(config, _serve)


def upgrade(config: Path) -> int:
    """Bring the database to the newest schema."""
    return _told(config, _upgrade)


def stats(config: Path) -> int:
    """Counts only, as JSON."""
    return _told(config, _stats)


def _told(config: Path, command: Callable[[Settings, Path], Coroutine[Any, Any, int]]) -> int:
    """Run one command; what stops it is told in a sentence, and where it was a bug only its place."""
    try:
        settings = load(config, checks=CHECKS).require()
        logs.configure(settings)
        return asyncio.run(command(settings, config))
    except (ConfigError, DataFolderInUse, DatabaseUnavailable, KeyringError) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"起不来：{error}", file=sys.stderr)
    except Exception as error:
        log.exception("stopped by a bug")
        print(f"程序出错了（{type(error).__name__}），位置在日志的最后一行", file=sys.stderr)
    return FOUND_WRONG


async def _serve(settings: Settings, config: Path) -> int:
    stop = asyncio.Event()
    _listen_to_signals(stop)
    app = await _opened(settings, config, stop)
    if app is None:
        return FINE
    print(f"记得已就绪：http://{settings.server.host}:{app.port}", flush=True)
    await stop.wait()
    log.info("draining")
    await _close(app)
    log.info("stopped")
    return FINE


async def _opened(settings: Settings, config: Path, stop: asyncio.Event) -> App | None:
    """The running app; None when it was told to stop before it was ready."""
    opening = asyncio.ensure_future(App.open(settings, clock=SystemClock(), watched=config, applied=logs.configure))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((opening, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not opening.done():
        opening.cancel()
        await asyncio.wait((opening,))
        return None
    try:
        return opening.result()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        port = settings.server.port
        raise OSError(f"端口 {port} 已被别的程序占用，停掉它，或改 server.port") from error


async def _close(app: App) -> None:
    """Finish what is at hand, within bounds; what is left is in the queues, and goes on with the next start."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            await app.close()
    except TimeoutError:
        log.warning("not everything was finished in %d s: the rest is kept for the next start", DRAIN_SECONDS)
        await app.kill()


def _listen_to_signals(stop: asyncio.Event) -> None:
    """The first signal asks the app to stop, the second does not wait for it: the queues survive that as well."""

    def heard(number: int) -> None:
        if stop.is_set():
            os._exit(KILLED + number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, partial(heard, number))


async def _upgrade(settings: Settings, config: Path) -> int:
    storage.check_folder(settings)
    database = await storage.open_database(settings)
    try:
        before = await schema.upgrade(database)
    finally:
        await database.close()
    print("表结构已是最新" if before == schema.NEWEST else f"表结构已升级到 {schema.NEWEST}")
    return FINE


async def _stats(settings: Settings, config: Path) -> int:
    if not settings.storage.database and not storage.database_file(settings).exists():
        print(f"还没有数据：{storage.database_file(settings)} 不存在，先运行一次 jide serve", file=sys.stderr)
        return FOUND_WRONG
    storage.check_folder(settings)
    database = await storage.open_database(settings)
    try:
        counts = await database.read(counting.count)
    finally:
        await database.close()
    print(json.dumps(counts, ensure_ascii=False))
    return FINE
