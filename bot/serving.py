"""`jide serve` and its small companions: the app on real platforms, until it is told to stop."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from pathlib import Path

from bot.app import CHECKS, App, DataFolderInUse
from config.clock import SystemClock
from config.loading import load
from config.problems import ConfigError
from config.settings import Settings
from memory.stores import schema
from memory.stores.database import Database, DatabaseUnavailable

FINE, FOUND_WRONG = 0, 1


def run(config: Path) -> int:
    """Serve until SIGTERM or Ctrl+C; the exit code."""
    try:
        return asyncio.run(_serve(_settings(config), config))
    except (ConfigError, DataFolderInUse, DatabaseUnavailable) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"起不来：{error}", file=sys.stderr)
    return FOUND_WRONG


async def upgrade(config: Path) -> int:
    """Bring the database to the newest schema."""
    database = await Database.open(database_url(_settings(config)))
    await schema.upgrade(database)
    await database.close()
    print("表结构已是最新")
    return FINE


async def stats(config: Path) -> int:
    """Counts only, as JSON."""
    from bot.stores import inbox, outbox

    database = await Database.open(database_url(_settings(config)))
    counts = {"inbox": await database.read(inbox.count), "outbox": await database.read(outbox.count)}
    await database.close()
    print(json.dumps(counts, ensure_ascii=False))
    return FINE


def database_url(settings: Settings) -> str:
    url = settings.storage.database
    return url.get_secret_value() if url else f"sqlite:///{settings.storage.data.resolve()}/jide.db"


def _settings(config: Path) -> Settings:
    return load(config, checks=CHECKS).require()


async def _serve(settings: Settings, config: Path) -> int:
    logging.basicConfig(
        level=settings.logging.level.upper(), format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    app = await App.open(settings, clock=SystemClock(), watched=config)
    print(f"记得已就绪：http://{settings.server.host}:{app.port}", flush=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    await app.close()
    return FINE
