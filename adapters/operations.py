"""The routes for whoever watches the bot: /healthz, /readyz and /metrics."""

from __future__ import annotations

from dataclasses import asdict
from typing import Protocol

from aiohttp import web

from bot.metrics import CONTENT_TYPE
from bot.vitals import Report


class Vitals(Protocol):
    """What a monitor asks."""

    async def health(self) -> Report: ...

    async def readiness(self) -> Report: ...

    async def metrics(self) -> bytes: ...


def routes(vitals: Vitals) -> list[web.RouteDef]:
    """503 means that it does not work; a degraded bot still answers people, so it stays 200."""

    async def healthz(request: web.Request) -> web.Response:
        return _as_response(await vitals.health())

    async def readyz(request: web.Request) -> web.Response:
        return _as_response(await vitals.readiness())

    async def metrics(request: web.Request) -> web.Response:
        return web.Response(body=await vitals.metrics(), headers={"Content-Type": CONTENT_TYPE})

    return [web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)]


def _as_response(report: Report) -> web.Response:
    body = {
        "status": report.status,
        "fatal": [asdict(ailment) for ailment in report.fatal],
        "degraded": [asdict(ailment) for ailment in report.degraded],
    }
    return web.json_response(body, status=503 if report.fatal else 200, headers={"Cache-Control": "no-store"})
