"""How a simulated Feishu answers: JSON with `code`, `msg`, `data`; errors come with HTTP 400."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import BodyPartReader, web

Form = Mapping[str, tuple[str, bytes]]
"""Field → (file name, bytes)."""


class Wrong(Exception):
    """A call that Feishu refuses."""

    def __init__(self, code: int, text: str, status: int = 400, wait: float | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.status = status
        self.wait = wait


async def read_body(request: web.Request) -> Mapping[str, Any]:
    try:
        asked = await request.json()
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise Wrong(9499, "the body is not a JSON object")
    return asked


async def read_form(request: web.Request) -> Form:
    """The parts of a multipart upload, with or without a file name: lark-oapi sends its pictures without."""
    form = {}
    async for part in await request.multipart():
        if isinstance(part, BodyPartReader) and part.name:
            form[part.name] = (part.filename or "", bytes(await part.read()))
    return form


def ok(data: Mapping[str, Any]) -> web.Response:
    return web.json_response({"code": 0, "msg": "success", "data": data})


def refusal(code: int, text: str, status: int = 400, headers: Mapping[str, str] | None = None) -> web.Response:
    """Feishu's error answer: a business error comes with HTTP 400 (platform-facts A7)."""
    body = {"code": code, "msg": text, "error": {"log_id": "0"}}
    return web.json_response(body, status=status, headers=headers)
