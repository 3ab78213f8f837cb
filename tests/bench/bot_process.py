"""One bot for the load bench, in a process of its own: the real app on a null platform, or only verify and decrypt."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from aiohttp import web

from adapters.feishu.adapter import FeishuAdapter
from adapters.web import serve
from bot.app import App, settings_from
from bot.rehearsal.world import SHIPPED
from config.clock import SystemClock
from config.documents import merge, read
from config.settings import Settings

CREDENTIALS = {
    "app_id": "cli_bench",
    "app_secret": "bench-secret",
    "encrypt_key": "bench-key",
    "verification_token": "bench-token",
}


def settings(platform: str, data: Path) -> Settings:
    base = read(SHIPPED).tree or {}
    ours = {
        "platforms": {"feishu": {**CREDENTIALS, "base_url": platform}},
        "storage": {"data": str(data)},
        "logging": {"level": "error"},
    }
    return settings_from(merge(base, ours))


async def real(platform: str, data: Path) -> None:
    app = await App.open(settings(platform, data), clock=SystemClock(), port=0)
    print(app.port, flush=True)
    loop = asyncio.get_running_loop()
    while (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        print((await app.stats())["inbox"].get("done", 0), flush=True)
    await app.kill()


async def bare(platform: str, data: Path) -> None:
    """What no bot can do without: verify, decrypt, parse, answer."""
    adapter = FeishuAdapter(settings(platform, data).platforms.feishu[0], clock=SystemClock())

    async def handle(request: web.Request) -> web.Response:
        received = adapter.receive(request.method, request.query, request.headers, await request.read())
        return web.Response(status=received.answer.status, body=received.answer.body)

    application = web.Application()
    application.add_routes([web.post(adapter.path, handle)])
    runner, port = await serve(application, "127.0.0.1", 0)
    print(port, flush=True)
    loop = asyncio.get_running_loop()
    while (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        print(0, flush=True)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run({"real": real, "bare": bare}[sys.argv[1]](sys.argv[2], Path(sys.argv[3])))
