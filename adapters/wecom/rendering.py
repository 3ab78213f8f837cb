"""A Reply as WeCom messages: text in pieces, pictures, files, and a card when something can be chosen.

Everything readable goes out as plain text: to people who read through the WeChat plug-in, markdown shows as
"unsupported" (platform-facts C4), and plain text needs no escaping.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adapters.wecom.cards import DONE, MAX_LABEL, MAX_OFFERED, Headline, as_text, choice_card, headline, settled_card
from adapters.wecom.layout import charts_of, lay_out, plain
from adapters.wecom.pieces import lines_of, pieces
from bot.types import Block, Body, Bullets, Paragraph, Part, Reply

MAX_BYTES = 2000
"""Text is cut silently above 2,048 bytes (C4)."""

_MARK_BITS = 20


def render(reply: Reply, seed: str) -> tuple[Part, ...]:
    """The messages of one reply in order; a card comes last, next to where people type."""
    body, card = (reply.body, None) if not reply.options else _with_card(reply, seed)
    texts = pieces(lay_out(body), MAX_BYTES - len(_mark("").encode()))
    parts = [text_part(text, f"{seed}:{number}") for number, text in enumerate(texts) if text.strip()]
    parts += [Part("picture", {"msgtype": "image"}, picture=chart) for chart in charts_of(body)]
    parts += [Part("file", {"msgtype": "file"}, file=file) for file in reply.attachments]
    return (*parts, card) if card else tuple(parts)


def text_part(text: str, seed: str) -> Part:
    """One text message of at most 2,000 bytes."""
    return Part("text", {"msgtype": "text", "text": {"content": text.removesuffix("\n") + _mark(seed)}})


def as_text_part(card: Part, seed: str) -> Part:
    """The words and choices of a card that the platform refused, for typing an answer."""
    text = pieces(lines_of(as_text(card.content["template_card"])), MAX_BYTES - len(_mark("").encode()))[0]
    return text_part(text, seed)


def outcome(reply: Reply) -> dict[str, Any]:
    """What an update puts in place of a card: its words, and the last short line as a grey button.

    With nothing but such a line the words stay as they are.
    """
    body, label = reply.body, DONE
    last = plain(Body(body.blocks[-1:]))
    if "\n" not in last and 0 < len(last) <= MAX_LABEL:
        body, label = replace(body, blocks=body.blocks[:-1]), last
    if not plain(body):
        return {"button": {"replace_name": label}}
    _, words = _divided(body, Headline.room(0))
    return {"template_card": settled_card(words, label)}


def _with_card(reply: Reply, seed: str) -> tuple[Body, Part]:
    """What is said before the card, and the card with the question."""
    body = reply.body
    if more := tuple(option.label for option in reply.options[MAX_OFFERED:]):
        # No card holds so many: these can be typed.
        body = replace(body, blocks=(*body.blocks, Bullets(more)))
    rest, words = _divided(body, Headline.room(len(reply.options)))
    content = {"msgtype": "template_card", "template_card": choice_card(reply, seed, words)}
    return rest, Part("card", content, has_options=True)


def _divided(body: Body, room: int) -> tuple[Body, Headline]:
    """All of the body on the card if it fits, else its question with the rest before it."""
    whole = plain(body)
    if not charts_of(body) and (fits := headline(whole, room)):
        return Body(()), fits
    rest, question = _split_question(body)
    if fits := headline(question, room):
        return rest, fits
    return body, Headline.clipped(question or whole)


def _split_question(body: Body) -> tuple[Body, str]:
    """The last paragraph that is no footnote, which is what the options answer, and the body without it."""
    blocks: Sequence[Block] = body.blocks
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if isinstance(block, Paragraph) and not block.muted:
            return replace(body, blocks=(*blocks[:index], *blocks[index + 1 :])), plain(Body((block,)))
    return body, ""


def _mark(seed: str) -> str:
    """An invisible suffix that differs from row to row.

    `enable_duplicate_check` compares the whole JSON (C4). Without a mark, a second 好的 within the interval
    would pass for a repeat and be dropped silently; with one, only a real repeat of the same row is. The
    zero-width space and non-joiner are drawn as nothing, and cannot fuse with an emoji as the joiner does.
    """
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big") >> (32 - _MARK_BITS)
    return "".join("\u200b" if number >> bit & 1 else "\u200c" for bit in range(_MARK_BITS))
