"""Who may talk to a page without a login: this machine's own programs, and no other site through them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
BODY_LIMIT = 64 * 1024


class BadRequest(Exception):
    """What the caller sent cannot be used: one Chinese sentence, and the field it is about."""

    def __init__(self, sentence: str, field: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field
        self.status = status


def guarded(handler: Handler) -> Handler:
    """The handler behind the checks: the Host names this machine (a rebound DNS name does not), a POST comes
    from our own page or from no page, and a `BadRequest` becomes its JSON answer."""

    async def checked(request: web.Request) -> web.StreamResponse:
        try:
            _check_sender(request)
            return await handler(request)
        except BadRequest as problem:
            return answer({"error": problem.sentence, "field": problem.field}, problem.status)

    return checked


def answer(data: Any, status: int = 200) -> web.Response:
    text = json.dumps(data, ensure_ascii=False)
    return web.json_response(text=text, status=status, headers={"Cache-Control": "no-store"})


async def read_json(request: web.Request) -> dict[str, Any]:
    """The JSON object of a POST. Another site's page cannot send this content type unasked."""
    if request.content_type != "application/json":
        raise BadRequest("请用 application/json 发送。", "content-type", 415)
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > BODY_LIMIT:
            raise BadRequest(f"内容太大，最多 {BODY_LIMIT // 1024} KB。", "body", 413)
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("这不是有效的 JSON。", "body") from None
    if not isinstance(data, dict):
        raise BadRequest("请发送一个 JSON 对象。", "body")
    return data


def _check_sender(request: web.Request) -> None:
    host = request.headers.get("Host", "")
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    if name.lower() not in LOOPBACK_NAMES:
        raise BadRequest("体验页只接受本机访问，请打开 http://127.0.0.1 的地址。", "host", 403)
    origin = request.headers.get("Origin")
    if request.method == "POST" and origin is not None and origin != f"http://{host}":
        raise BadRequest("只接受体验页自己发出的请求。", "origin", 403)
