"""Replies as Feishu messages: text, cards, files, tasks (platform-facts A6, A11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from adapters.feishu.cards import ENVELOPE, Element, lay_out, lines_of, split, wire_size
from bot.types import Body, Chart, FileOut, Heading, Part, Reply, Table

TEXT_BYTES = 150 * 1024
TASK_TEXT = 3000
HIDDEN = "＊"  # no mark of markdown
PICTURE_BYTES = 10 * 1024 * 1024
PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")

_LONG_NUMBER = re.compile(r"\d{5,}")
_EMAIL = re.compile(r"[\w.+-]+(?=@[\w-]+\.)")
_TAG = re.compile(r"<(?=/?(?:at|a|b|i|u|s)\b)", re.IGNORECASE)


def render(reply: Reply) -> tuple[Part, ...]:
    """The messages of one reply in order; a question's buttons are on the last one."""
    if reply.kind == "task" and not reply.to.is_group:
        return (_task(reply.body),)
    files = [_file(attachment) for attachment in reply.attachments]
    said = _cards(reply) if _needs_card(reply) else _texts(reply.body)
    return (*files, *said) if reply.options else (*said, *files)


def settled_card(reply: Reply) -> Element:
    """The card that replaces the one with the buttons, a reply's last: the same title, no buttons."""
    return lay_out(reply.body.title, reply.body.blocks)[-1].json


def escape_text(text: str) -> str:
    """Text in which no `<at …>` or style tag works: an invisible joiner stands behind its bracket."""
    return _TAG.sub("<\u2060", text)


def mask(content: Any) -> Any:
    """The same content with long numbers and mail names hidden; what buttons carry stays."""
    match content:
        case str():
            return _EMAIL.sub(HIDDEN * 3, _LONG_NUMBER.sub(lambda run: HIDDEN * len(run[0]), content))
        case list():
            return [mask(item) for item in content]
        case Mapping():
            return {key: item if key in ("behaviors", "value") else mask(item) for key, item in content.items()}
        case _:
            return content


def content_of(part: Part, media: str | None) -> tuple[str, Element]:
    """`msg_type` and `content` of a rendered part; `media` is the key of its upload."""
    match part.kind:
        case "card":
            return "interactive", part.content["card"]
        case "image":
            return "image", {"image_key": media}
        case "file":
            return "file", {"file_key": media}
        case _:
            return "text", dict(part.content)


def _needs_card(reply: Reply) -> bool:
    is_rich = any(isinstance(block, Heading | Table | Chart) for block in reply.body.blocks)
    return is_rich or bool(reply.options) or reply.body.title is not None


def _texts(body: Body) -> list[Part]:
    text = escape_text("\n".join(_lines(body)))
    if not text.strip():
        return []
    return [Part("text", {"text": piece}) for piece in split(text, TEXT_BYTES - ENVELOPE, wire_size)]


def _lines(body: Body) -> list[str]:
    return [line for block in body.blocks for line in lines_of(block)]


def _cards(reply: Reply) -> list[Part]:
    """A press tells the question and, because its callback does not, that the card is in a group."""
    value = {"q": reply.question_id or "", **({"g": True} if reply.to.is_group else {})}
    cards = lay_out(reply.body.title, reply.body.blocks, reply.options, value)
    parts = [Part("card", {"card": card.json, "plain": escape_text(card.plain)}) for card in cards]
    if reply.options:
        parts[-1] = Part(parts[-1].kind, parts[-1].content, has_options=True)
    return parts


def _file(file: FileOut) -> Part:
    is_picture = file.media_type in PICTURE_TYPES and len(file.content) <= PICTURE_BYTES
    return Part("image" if is_picture else "file", {}, file=file)


def _task(body: Body) -> Part:
    """A Feishu task: the title (else the first line) is its summary; a paragraph that is only an ISO date, or
    a date-time with its offset, is when it is due."""
    lines = _lines(body)
    summary, rest = (body.title, lines) if body.title else (lines[0], lines[1:])
    due = next((due for due in map(_due, rest) if due), None)
    content: dict[str, Any] = {"summary": summary[:TASK_TEXT], "description": "\n".join(rest)[:TASK_TEXT]}
    return Part("task", {**content, **({"due": due} if due else {})})


def _due(line: str) -> Element | None:
    try:
        if len(line) == len("2026-01-01"):
            moment = datetime.combine(date.fromisoformat(line), time(), UTC)
            return {"timestamp": f"{moment.timestamp() * 1000:.0f}", "is_all_day": True}
        moment = datetime.fromisoformat(line)
    except ValueError:
        return None
    return {"timestamp": f"{moment.timestamp() * 1000:.0f}", "is_all_day": False} if moment.tzinfo else None
