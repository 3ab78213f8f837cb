"""How a simulated Feishu misbehaves (outages, errors, slowness, rate limits), and what it was asked."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from aiohttp import web

from adapters.simulators.feishu_wire import refusal
from config.clock import Clock


@dataclass
class _Scripted:
    path_part: str
    times: int
    code: int = 0
    http_status: int = 400
    text: str = "scripted"
    hangs: bool = False


@dataclass(frozen=True)
class Asked:
    """One request that reached the simulator; `body` is empty for an upload."""

    method: str
    path: str
    authorization: str
    body: bytes


@dataclass
class Faults:
    """Switches of one simulator. `limit_scale` multiplies the documented rate limits; 0 switches them off."""

    clock: Clock
    outage_until: datetime | None = None
    latency: float = 0.0  # real seconds before every answer
    limit_scale: float = 1.0
    calls: Counter[str] = field(default_factory=Counter)
    asked: list[Asked] = field(default_factory=list)
    _scripted: list[_Scripted] = field(default_factory=list)
    _windows: dict[tuple[str, timedelta], deque[datetime]] = field(default_factory=dict)
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    def fail_next(self, path_part: str, code: int, http_status: int = 400, times: int = 1, text: str = "") -> None:
        """Answer the next `times` calls whose path contains `path_part` with an error code."""
        self._scripted.append(_Scripted(path_part, times, code, http_status, text or f"scripted {code}"))

    def hang_next(self, path_part: str, times: int = 1) -> None:
        """Carry the next `times` calls out, but never answer them: the caller cannot know."""
        self._scripted.append(_Scripted(path_part, times, hangs=True))

    def release(self) -> None:
        """Let hanging calls go, so that the server can stop."""
        self._closing.set()

    async def before(self, request: web.Request) -> web.StreamResponse | None:
        """Note the call; the answer of a fault that strikes before the call is carried out."""
        self.calls[f"{request.method} {request.path}"] += 1
        authorization = request.headers.get("Authorization", "")
        body = b"" if request.content_type.startswith("multipart/") else await request.read()
        self.asked.append(Asked(request.method, request.path, authorization, body))
        if self.latency:
            await asyncio.sleep(self.latency)
        if self.outage_until and self.clock.now() < self.outage_until:
            return web.Response(status=502, text="<h1>502 Bad Gateway</h1>", content_type="text/html")
        scripted = self._take(request.path, hangs=False)
        if scripted:
            return refusal(scripted.code, scripted.text, scripted.http_status)
        return None

    async def after(self, request: web.Request) -> None:
        if self._take(request.path, hangs=True):
            await self._closing.wait()

    def count_of(self, path_part: str) -> int:
        return sum(count for path, count in self.calls.items() if path_part in path)

    def throttle(self, key: str, limit: int, per: timedelta) -> float | None:
        """Count one call against a limit; when it is over, the seconds until the window is free again."""
        if not self.limit_scale:
            return None
        now = self.clock.now()
        window = self._windows.setdefault((key, per), deque())
        while window and window[0] <= now - per:
            window.popleft()
        if len(window) >= max(1, round(limit * self.limit_scale)):
            return (window[0] + per - now).total_seconds()
        window.append(now)
        return None

    def _take(self, path: str, *, hangs: bool) -> _Scripted | None:
        for scripted in self._scripted:
            if scripted.hangs == hangs and scripted.times > 0 and scripted.path_part in path:
                scripted.times -= 1
                return scripted
        return None
