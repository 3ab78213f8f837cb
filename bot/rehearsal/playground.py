"""`jide playground`: the stage behind its page, on the loopback interface."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from aiohttp import web

from adapters.pages.playground import routes
from adapters.web import serve
from bot.rehearsal.stage import PlaygroundStage
from config.problems import ConfigError

FINE, FOUND_WRONG = 0, 1


async def run(port: int, data: Path | None, config: Path) -> int:
    """Serve until interrupted; the exit code."""
    stage = PlaygroundStage(data, config)
    try:
        await stage.open()
    except ConfigError as error:
        print(error)
        return FOUND_WRONG
    application = web.Application()
    application.add_routes(routes(stage))
    try:
        runner, bound = await serve(application, "127.0.0.1", port)
    except OSError:
        print(f"端口 {port} 已被占用：换一个，例如 jide playground --port {port + 1}")
        await stage.close()
        return FOUND_WRONG
    print(f"记得已就绪：http://127.0.0.1:{bound}/  （Ctrl+C 结束）", flush=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    await stage.close()
    await runner.cleanup()
    return FINE
