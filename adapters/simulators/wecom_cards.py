"""Template cards as the platform sees them: what it refuses, what people read and can press (C5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Card = Mapping[str, Any]

INTERACTIVE = frozenset({"button_interaction", "vote_interaction", "multiple_interaction"})
_TYPES = INTERACTIVE | {"text_notice", "news_notice"}
_LISTS = {"horizontal_content_list": 6, "jump_list": 3, "vertical_content_list": 4}


class InvalidCard(Exception):
    """Why the platform refuses a card."""


@dataclass(frozen=True)
class Choice:
    """One thing to press: a button (`key`), or an option of a question that is chosen and submitted."""

    label: str
    key: str
    question: str | None = None


def check(card: Card, *, sent: bool = True) -> list[str]:
    """What exceeds the advised lengths; raises InvalidCard for what the platform refuses.

    A card that replaces another (`sent=False`) needs no task_id.
    """
    kind = card.get("card_type")
    _require(kind in _TYPES, "card_type")
    if sent and kind in INTERACTIVE:
        _require(bool(re.fullmatch(r"[0-9A-Za-z_@-]{1,128}", str(card.get("task_id", "")))), "task_id")
    title = card.get("main_title") or {}
    if kind in INTERACTIVE:
        _require(bool(title.get("title")), "main_title.title")
    else:
        _require(bool(title.get("title") or card.get("sub_title_text")), "main_title.title or sub_title_text")
    if kind == "text_notice":
        _require((card.get("card_action") or {}).get("type") in (1, 2), "card_action.type")
    for name, most in _LISTS.items():
        _require(len(card.get(name) or ()) <= most, f"{name} is longer than {most}")
    _check_choices(card, str(kind))
    return list(_advice(card))


def choices(card: Card) -> list[Choice]:
    """What can be pressed, in the order shown; nothing once `replace_text` has taken its place."""
    if card.get("replace_text"):
        return []
    buttons = [Choice(button["text"], button["key"]) for button in card.get("button_list") or ()]
    options = [
        Choice(option["text"], option["id"], str(question["question_key"]))
        for question in _questions(card)
        for option in question["option_list"]
    ]
    return buttons + options


def readable(card: Card) -> str:
    """Everything a person would read on it except the labels of what can be pressed."""
    title, quote = card.get("main_title") or {}, card.get("quote_area") or {}
    emphasis = card.get("emphasis_content") or {}
    texts = [title.get("title"), title.get("desc"), quote.get("title"), quote.get("quote_text")]
    texts += [emphasis.get("title"), emphasis.get("desc"), card.get("sub_title_text")]
    texts += [f"{item.get('keyname')}：{item.get('value', '')}" for item in card.get("horizontal_content_list") or ()]
    for item in card.get("vertical_content_list") or ():
        texts += [item.get("title"), item.get("desc")]
    texts.append(card.get("replace_text"))
    return "\n".join(str(text) for text in texts if text)


def _questions(card: Card) -> Iterator[Card]:
    yield from card.get("select_list") or ()
    for name in ("button_selection", "checkbox"):
        if card.get(name):
            yield card[name]


def _check_choices(card: Card, kind: str) -> None:
    buttons = card.get("button_list") or ()
    if kind == "button_interaction":
        _require(1 <= len(buttons) <= 6, "button_list holds 1 to 6 buttons")
    _check_keys([button.get("key", "") for button in buttons if not button.get("type")], 1024, "button_list.key")
    _require(all(button.get("text") for button in buttons), "button_list.text")
    if kind == "multiple_interaction":
        _require(1 <= len(card.get("select_list") or ()) <= 3, "select_list holds 1 to 3 questions")
    if kind == "vote_interaction":
        _require(bool(card.get("checkbox")), "checkbox")
    if kind in ("multiple_interaction", "vote_interaction"):
        _check_keys([str((card.get("submit_button") or {}).get("key", ""))], 1024, "submit_button.key")
    for question in _questions(card):
        _check_question(question, 20 if question is card.get("checkbox") else 10)


def _check_question(question: Card, most: int) -> None:
    options = question.get("option_list") or ()
    _check_keys([str(question.get("question_key", ""))], 1024, "question_key")
    _require(1 <= len(options) <= most, f"option_list holds 1 to {most} options")
    _check_keys([str(option.get("id", "")) for option in options], 128, "option_list.id")
    _require(all(option.get("text") for option in options), "option_list.text")


def _check_keys(keys: Sequence[str], most: int, name: str) -> None:
    _require(all(0 < len(key.encode()) <= most for key in keys), f"{name} has 1 to {most} bytes")
    _require(len(set(keys)) == len(keys), f"{name} is repeated")


def _advice(card: Card) -> Iterator[str]:
    title = card.get("main_title") or {}
    lengths = [("main_title.title", title.get("title"), 36), ("main_title.desc", title.get("desc"), 44)]
    lengths.append(("sub_title_text", card.get("sub_title_text"), 160))
    lengths += [("button_list.text", button.get("text"), 10) for button in card.get("button_list") or ()]
    for question in _questions(card):
        lengths += [("option_list.text", option.get("text"), 16) for option in question["option_list"]]
    for name, text, most in lengths:
        if len(text or "") > most:
            yield f"{name} is longer than {most}"


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise InvalidCard(what)
