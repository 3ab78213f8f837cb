"""Template cards: a question with its choices, and what replaces them once it is answered (C5)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.wecom.parsing import press_key
from bot.types import Option, Reply

MAX_OFFERED = 20
_MAX_BUTTONS, _MAX_SELECT = 6, 10
_MAX_TITLE, _MAX_DESC, _MAX_SUB = 36, 44, 160
MAX_LABEL = 10
_STYLES = {"primary": 1, "default": 2, "danger": 3}
_SUBMIT = "提交"  # the platform's own default for this button
DONE = "✓"


@dataclass(frozen=True)
class Headline:
    """The words of a card: a title of at most 36 characters, and the rest below it."""

    title: str
    rest: str = ""

    @staticmethod
    def room(options: int) -> int:
        """How long the rest may be: cards with buttons have a sub-title, selections a short description."""
        return _MAX_SUB if options <= _MAX_BUTTONS else _MAX_DESC

    @classmethod
    def clipped(cls, text: str) -> Headline:
        """Only the end of a text that is too long, which is where it asks."""
        line = text.splitlines()[-1] if text else DONE
        return cls(line if len(line) <= _MAX_TITLE else "…" + line[1 - _MAX_TITLE :])


def headline(text: str, room: int) -> Headline | None:
    """`text` as title and rest in reading order, divided at a line or sentence; None when it does not fit."""
    first, _, below = text.strip().partition("\n")
    if len(first) > _MAX_TITLE:
        ends = [match.end() for match in re.finditer(r"[。！？!?；;，,：:] ?", first[:_MAX_TITLE])]
        if not ends:
            return None
        first, below = first[: ends[-1]], "\n".join(filter(None, (first[ends[-1] :], below)))
    return Headline(first.strip(), below.strip()) if first.strip() and len(below.strip()) <= room else None


def choice_card(reply: Reply, seed: str, words: Headline) -> dict[str, Any]:
    """Up to six options as buttons, up to ten as a drop-down, up to twenty as a list to choose from.

    `task_id` is the seed: the platform shows one id once, so a repeated send cannot show a second card.
    """
    card: dict[str, Any] = {
        "main_title": {"title": words.title},
        "task_id": re.sub(r"[^0-9A-Za-z_@-]", "-", seed)[:128],
    }
    if len(reply.options) <= _MAX_BUTTONS:
        return {
            "card_type": "button_interaction",
            **card,
            **_sub_title(words.rest),
            "button_list": _buttons(reply),
        }
    if words.rest:
        card["main_title"]["desc"] = words.rest
    choices = {"question_key": f"q:{reply.question_id or ''}", "option_list": _choices(reply)}
    card["submit_button"] = {"text": _SUBMIT, "key": "submit"}
    if len(reply.options) <= _MAX_SELECT:
        return {"card_type": "multiple_interaction", **card, "select_list": [choices]}
    return {"card_type": "vote_interaction", **card, "checkbox": {**choices, "mode": 0}}


def settled_card(words: Headline, label: str) -> dict[str, Any]:
    """A card that says `words` over one grey button that cannot be pressed."""
    return {
        "card_type": "button_interaction",
        "main_title": {"title": words.title},
        **_sub_title(words.rest),
        "button_list": [{"text": label, "style": 2, "key": "settled"}],
        "replace_text": label,
    }


def as_text(card: Mapping[str, Any]) -> str:
    """The same words and choices as lines of text."""
    title = card["main_title"]
    words = (title["title"], title.get("desc"), card.get("sub_title_text"))
    labels = (f"• {choice['text']}" for choice in _offered(card))
    return "\n".join((*filter(None, words), *labels))


def _offered(card: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    if "button_list" in card:
        return list(card["button_list"])
    asked = card["select_list"][0] if "select_list" in card else card["checkbox"]
    return list(asked["option_list"])


def _sub_title(text: str) -> dict[str, str]:
    return {"sub_title_text": text} if text else {}


def _buttons(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "text": option.label,
            "style": _STYLES[option.style],
            "key": press_key(reply.question_id, option.key),
        }
        for option in reply.options
    ]


def _choices(reply: Reply) -> list[dict[str, str]]:
    options: Sequence[Option] = reply.options[:MAX_OFFERED]
    return [{"id": press_key(reply.question_id, option.key), "text": option.label} for option in options]
