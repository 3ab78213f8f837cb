"""The webhook routes: picks the adapter by path, accepts durably, then answers the platform."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from aiohttp import web

from bot.inbox import Inbox
from bot.metrics import Metrics
from bot.types import Adapter, HttpAnswer, Received
from memory.stores.database import DatabaseUnavailable

log = logging.getLogger("jide.web")

BODY_LIMIT = 1 << 20  # bytes; the platforms' largest push is a 150 KB text in base64
PRESS_WAITS = 2.5  # seconds of the platform's 3 (platform-facts A15)
REFUSALS_LOGGED = 10  # lines a minute: port scanners must not fill the disk


class Webhooks:
    """One handler for every app; refusals are counted and logged in moderation."""

    def __init__(self, inbox: Inbox, adapters: Callable[[], Iterable[Adapter]], metrics: Metrics | None = None) -> None:
        self._inbox = inbox
        self._adapters = adapters
        self._metrics = metrics or Metrics()
        self._minute = 0
        self._logged = 0
        self.refused = 0

    def routes(self) -> list[web.RouteDef]:
        """Paths are looked up for each request: an edit of bot.yaml may add an app."""
        return [
            web.route(method, f"/{platform}/{{rest:.+}}", self.handle)
            for method in ("GET", "POST")
            for platform in ("feishu", "wecom")
        ]

    async def handle(self, request: web.Request) -> web.Response:
        """Verify and parse; what is a message is in the inbox before the platform hears 200."""
        adapter = next((each for each in self._adapters() if each.path == request.path), None)
        if adapter is None:
            return web.Response(status=404)
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            self._count_refusal(adapter, "body too large")
            return web.Response(status=413)
        began = time.perf_counter()
        received = adapter.receive(request.method, request.query, request.headers, body)
        if received.refused:
            self._count_refusal(adapter, received.refused)
        if received.message is None:
            return _response(received.answer)
        try:
            return _response(await self._take(adapter, received))
        except DatabaseUnavailable as error:
            log.error("event refused, the platform will push it again: %s", error)
            return web.Response(status=503)
        finally:
            kind = "press" if received.message.kind == "press" else "message"
            self._metrics.acknowledged(adapter.app, kind, time.perf_counter() - began)

    async def _take(self, adapter: Adapter, received: Received) -> HttpAnswer:
        message = received.message
        assert message is not None
        if message.kind != "press" or not adapter.has_toast:
            await self._inbox.accept(message)
            return received.answer
        handled = await self._inbox.accept_and_wait(message, PRESS_WAITS)
        return adapter.answer_press(handled.toast if handled else None)

    def _count_refusal(self, adapter: Adapter, reason: str) -> None:
        self.refused += 1
        self._metrics.refused(adapter.app)
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._logged = minute, 0
        self._logged += 1
        if self._logged <= REFUSALS_LOGGED:
            log.warning("refused on %s: %s", adapter.path, reason)


def _response(answer: HttpAnswer) -> web.Response:
    return web.Response(status=answer.status, body=answer.body, content_type=answer.content_type)


async def serve(application: web.Application, host: str, port: int) -> tuple[web.AppRunner, int]:
    """Listen; the runner to clean up and the port in use (`port` 0 takes a free one)."""
    runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=5.0)
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    await site.start()
    await asyncio.sleep(0)
    address = runner.addresses[0]
    return runner, int(address[1])
