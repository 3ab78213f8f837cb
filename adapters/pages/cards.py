"""What a Feishu or WeCom payload looks like: its title, its blocks in reading order, its controls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
"""`type` ∈ markdown {text, size} | plain {text, size} | table {columns, rows} | rule |
chart {kind, title, labels, values} | facts {rows: [[name, value]]}."""

Control = dict[str, Any]
"""`type` ∈ button {label, style} | select {label, options}; `style` ∈ primary | default | danger."""


@dataclass(frozen=True)
class Look:
    title: str | None = None
    theme: str | None = None  # a Feishu header template: blue, green, red…
    blocks: tuple[Block, ...] = ()
    controls: tuple[Control, ...] = ()


def look_at(platform: str, raw: Any) -> Look | None:
    """The look of a payload; None where there is nothing beyond its plain text."""
    payload = _unwrapped(raw)
    if payload is None:
        return None
    return _feishu(payload) if platform == "feishu" else _wecom(payload)


def _unwrapped(raw: Any) -> Mapping[str, Any] | None:
    """The card itself: as sent, or in a message's `content` (a JSON string in Feishu), `card` or `data`."""
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return None
    if not isinstance(raw, Mapping):
        return None
    for wrapper in ("content", "card", "template_card", "data"):
        inner = raw.get(wrapper)
        if isinstance(inner, Mapping) or (isinstance(inner, str) and inner.startswith("{")):
            return _unwrapped(inner)
    return raw


# --- Feishu card JSON 2.0 (platform-facts A14) --------------------------------------------------------------


def _feishu(card: Mapping[str, Any]) -> Look | None:
    header, body = _mapping(card.get("header")), _mapping(card.get("body"))
    elements = list(_leaves(body.get("elements") or card.get("elements")))
    if not header and not elements:
        return None
    blocks = (_feishu_block(element) for element in elements)
    controls = (_feishu_control(element) for element in elements)
    return Look(
        title=_words(header.get("title")) or None,
        theme=str(header.get("template") or "blue"),
        blocks=tuple(block for block in blocks if block),
        controls=tuple(control for control in controls if control),
    )


def _leaves(elements: Any) -> Iterator[Mapping[str, Any]]:
    """Elements in reading order, containers (columns, forms, action rows) opened."""
    for element in _mappings(elements):
        inner = [key for key in ("columns", "elements", "actions") if isinstance(element.get(key), list)]
        if element.get("tag") == "table" or not inner:
            yield element
        for key in inner if element.get("tag") != "table" else ():
            yield from _leaves(element[key])


_SIZES = {"heading": "large", "notation": "small", "x-small": "small"}


def _feishu_block(element: Mapping[str, Any]) -> Block | None:
    match element.get("tag"):
        case "markdown":
            size = _SIZES.get(str(element.get("text_size")), "normal")
            return {"type": "markdown", "text": _words(element), "size": size}
        case "div":
            return {"type": "plain", "text": _words(element.get("text"))}
        case "plain_text" | "lark_md":
            return {"type": "plain", "text": _words(element), "size": "small"}
        case "table":
            return _feishu_table(element)
        case "chart":
            return _feishu_chart(_mapping(element.get("chart_spec")))
        case "hr":
            return {"type": "rule"}
    return None


def _feishu_table(element: Mapping[str, Any]) -> Block:
    columns = _mappings(element.get("columns"))
    names = [str(column.get("name")) for column in columns]
    return {
        "type": "table",
        "columns": [str(column.get("display_name") or column.get("name")) for column in columns],
        "rows": [[_words(row.get(name)) for name in names] for row in _mappings(element.get("rows"))],
    }


def _feishu_chart(spec: Mapping[str, Any]) -> Block | None:
    data = spec.get("data")
    first = next(iter(_mappings(data)), {}) if isinstance(data, list) else _mapping(data)
    label = str(spec.get("categoryField") or spec.get("xField"))
    value = str(spec.get("valueField") or spec.get("yField"))
    points = [point for point in _mappings(first.get("values")) if label in point and value in point]
    if not points:
        return None
    return {
        "type": "chart",
        "kind": str(spec.get("type")),
        "title": _words(_mapping(spec.get("title")).get("text")),
        "labels": [str(point[label]) for point in points],
        "values": [_number(point[value]) for point in points],
    }


def _feishu_control(element: Mapping[str, Any]) -> Control | None:
    match element.get("tag"):
        case "button":
            style = str(element.get("type") or "default").removesuffix("_filled")
            known = style if style in ("primary", "danger") else "default"
            return {"type": "button", "label": _words(element.get("text")), "style": known}
        case "select_static" | "overflow":
            options = [_words(option.get("text")) for option in _mappings(element.get("options"))]
            return {"type": "select", "label": _words(element.get("placeholder")), "options": options}
    return None


# --- WeCom messages and template cards (platform-facts C4, C5) ----------------------------------------------


def _wecom(message: Mapping[str, Any]) -> Look | None:
    markdown = message.get("markdown") or message.get("markdown_v2")
    if markdown:
        return Look(blocks=({"type": "markdown", "text": _words(markdown)},))
    if "card_type" not in message:
        return None
    title = _mapping(message.get("main_title"))
    return Look(
        title=_words(title.get("title")) or None,
        theme=_words(_mapping(message.get("source")).get("desc")) or None,
        blocks=tuple(_wecom_blocks(message, _words(title.get("desc")))),
        controls=tuple(_wecom_controls(message)),
    )


def _wecom_blocks(card: Mapping[str, Any], description: str) -> Iterator[Block]:
    if description:
        yield {"type": "plain", "text": description, "size": "small"}
    quote = _mapping(card.get("quote_area"))
    for text in (quote.get("title"), quote.get("quote_text")):
        if text:
            yield {"type": "plain", "text": str(text), "size": "small"}
    if card.get("sub_title_text"):
        yield {"type": "plain", "text": str(card["sub_title_text"])}
    facts = [
        [_words(row.get("keyname")), _words(row.get("value"))] for row in _mappings(card.get("horizontal_content_list"))
    ]
    if facts:
        yield {"type": "facts", "rows": facts}


def _wecom_controls(card: Mapping[str, Any]) -> Iterator[Control]:
    """Selections and buttons; once a card is settled, one grey word stands in their place."""
    if card.get("replace_text"):
        yield {"type": "button", "label": str(card["replace_text"]), "style": "default"}
        return
    selections = [
        _mapping(card.get("button_selection")),
        *_mappings(card.get("select_list")),
        _mapping(card.get("checkbox")),
    ]
    for selection in selections:
        options = [_words(option.get("text")) for option in _mappings(selection.get("option_list"))]
        if options:
            yield {"type": "select", "label": _words(selection.get("title")), "options": options}
    for index, button in enumerate(_mappings(card.get("button_list"))):
        style = _words(button.get("style")) or ("1" if index == 0 else "4")
        known = {"1": "primary", "3": "danger"}.get(style, "default")
        yield {"type": "button", "label": _words(button.get("text")), "style": known}


# --- reading what others wrote ------------------------------------------------------------------------------


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _words(value: Any) -> str:
    """The text of a string, a number or a text object (`{"tag": "plain_text", "content": …}`)."""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("text", ""))
    return "" if value is None or isinstance(value, (Mapping, list)) else str(value)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0
