"""The pages' static files as they ship in the package, with the headers that keep them to themselves."""

from __future__ import annotations

from importlib.resources import files

from aiohttp import web

CONTENT_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def load() -> dict[str, bytes]:
    """Every static file by its name."""
    folder = files("adapters.pages") / "static"
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if _suffix(entry.name) in CONTENT_TYPES}


def serve(content: bytes, name: str) -> web.Response:
    return web.Response(body=content, content_type=CONTENT_TYPES[_suffix(name)], charset="utf-8", headers=HEADERS)


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
