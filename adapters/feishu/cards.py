"""Cards (JSON 2.0): elements for blocks, packed within Feishu's limits (platform-facts A14)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bot.types import Block, Bullets, Chart, Heading, Option, Paragraph, Table

Element = dict[str, Any]
T = TypeVar("T")

CARD_BYTES = 30 * 1024
ENVELOPE = 512
"""What the request adds around `content`: receiver, type, uuid."""
ELEMENT_BYTES = 6 * 1024
"""A block longer than this becomes several elements."""
MOST_ELEMENTS = 150  # Feishu counts 200, nested ones included
MOST_DATA = 5  # tables and charts in one card
MOST_BUTTONS = 6
PAGE_ROWS = 10

_URL = re.compile(r"(https?://[A-Za-z0-9\-._~:/?#@!$&'+,;=%]+)")
_MARK = re.compile(r"[&<>*_~`\[\]\\|!$]|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|:(?=[A-Za-z0-9_]+:)", re.MULTILINE)


@dataclass(frozen=True)
class Card:
    """One card and the plain text that stands in for it when Feishu refuses it."""

    json: Element
    plain: str


def lay_out(
    title: str | None,
    blocks: Iterable[Block],
    options: Sequence[Option] = (),
    value: Mapping[str, Any] | None = None,
) -> list[Card]:
    """The blocks in order on as few cards as Feishu's limits allow; `options` on the last, each press
    carrying `value` and the option's key."""
    pieces = [piece for block in blocks for piece in _pieces(block)]
    choices = _choices(options, value or {})
    groups = _pack(pieces, CARD_BYTES - ENVELOPE - wire_size(_card(title, 99, 99, choices)))
    cards = []
    for number, group in enumerate(groups, 1):
        is_last = number == len(groups)
        elements = [piece.element for piece in group] + (choices if is_last else [])
        labels = ["　".join(f"［{option.label}］" for option in options)] if options and is_last else []
        lines = [*([title] if title else []), *(piece.plain for piece in group), *labels]
        cards.append(Card(_card(title, number, len(groups), elements), "\n".join(lines)))
    return cards


def to_json(value: Any) -> str:
    """Compact JSON as it goes over the wire: Chinese stays Chinese, so that sizes are what Feishu counts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def wire_size(content: Any) -> int:
    """Bytes of `content` in a request, where it is a JSON string inside JSON."""
    return len(to_json(to_json(content)).encode("utf-8", "replace"))


def lines_of(block: Block) -> list[str]:
    """What a person reads in a block, as plain lines."""
    match block:
        case Heading(text) | Paragraph(text):
            return [text]
        case Bullets(items, numbered):
            return [f"{number}. {item}" if numbered else f"• {item}" for number, item in enumerate(items, 1)]
        case Table(columns, rows):
            return [" | ".join(row) for row in (columns, *rows)]
        case Chart(_, title, labels, values):
            return [title, *(f"{label}：{value:g}" for label, value in zip(labels, values, strict=True))]


def split(text: str, room: int, size: Callable[[str], int]) -> Iterator[str]:
    """Pieces of at most `room` by `size` that join to `text` again, broken after a line if there is one."""
    while size(text) > room:
        low, high = 1, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if size(text[:middle]) <= room else (low, middle - 1)
        at = text.rfind("\n", 0, low) + 1 or low
        yield text[:at]
        text = text[at:]
    yield text


def escape_markdown(text: str) -> str:
    """Text as it is, in a markdown element: no mark, tag, mention or emoji code in it works; links stay."""
    text_and_links = enumerate(_URL.split(text))
    return "".join(piece if place % 2 else _MARK.sub(_entity, piece) for place, piece in text_and_links)


def _entity(mark: re.Match[str]) -> str:
    return f"&#{ord(mark[0])};"


# --- packing ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Piece:
    element: Element
    plain: str
    is_data: bool  # a table or a chart

    @property
    def size(self) -> int:
        return wire_size(self.element)


def _pack(pieces: Sequence[_Piece], room: int) -> list[list[_Piece]]:
    groups: list[list[_Piece]] = [[]]
    used = data = 0
    for piece in pieces:
        size = piece.size
        is_full = used + size > room or data + piece.is_data > MOST_DATA or len(groups[-1]) >= MOST_ELEMENTS
        if groups[-1] and is_full:
            groups.append([])
            used = data = 0
        groups[-1].append(piece)
        used, data = used + size, data + piece.is_data
    return groups


def _card(title: str | None, number: int, count: int, elements: Sequence[Element]) -> Element:
    card: Element = {"schema": "2.0", "config": {"update_multi": True}}
    if title:
        shown = title if count == 1 else f"{title}（{number}/{count}）"
        card["header"] = {"title": {"tag": "plain_text", "content": shown}, "template": "blue"}
    return {**card, "body": {"elements": list(elements)}}


def _pieces(block: Block) -> Iterator[_Piece]:
    """A block as elements that each fit: a long table repeats its header, long text breaks after lines."""
    for part in _parts(block):
        element = _element(part)
        if wire_size(element) <= ELEMENT_BYTES or (isinstance(part, Chart) and wire_size(element) < CARD_BYTES // 2):
            yield _Piece(element, "\n".join(lines_of(part)), isinstance(part, Table | Chart))
        else:
            yield from _text_pieces(part)


def _text_pieces(block: Block) -> Iterator[_Piece]:
    is_muted = isinstance(block, Paragraph) and block.muted
    room = ELEMENT_BYTES - wire_size(_element(Paragraph("", muted=True)))
    for text in split("\n".join(lines_of(block)), room, lambda piece: wire_size(escape_markdown(piece))):
        yield _Piece(_element(Paragraph(text, is_muted)), text.removesuffix("\n"), False)


def _parts(block: Block) -> Iterator[Block]:
    match block:
        case Heading(text) | Paragraph(text) if not text.strip():
            return
        case Bullets(items, numbered=False):
            yield from (Bullets(some) for some in _chunks(items, lambda some: Bullets(some)))
        case Table(columns, rows):
            yield from (Table(columns, some) for some in _chunks(rows, lambda some: Table(columns, some)))
        case _:
            yield block


def _chunks(items: tuple[T, ...], block: Callable[[tuple[T, ...]], Block]) -> Iterator[tuple[T, ...]]:
    """Runs of items whose block fits one element; an item too long by itself stands alone."""
    if len(items) < 2 or wire_size(_element(block(items))) <= ELEMENT_BYTES:
        yield items
        return
    middle = len(items) // 2
    yield from _chunks(items[:middle], block)
    yield from _chunks(items[middle:], block)


# --- elements -----------------------------------------------------------------------------------------------


def _element(block: Block) -> Element:
    match block:
        case Heading(text):
            return {"tag": "markdown", "content": f"**{escape_markdown(text)}**", "text_size": "heading"}
        case Paragraph(text, muted=True):
            colour = f"<font color='grey'>{escape_markdown(text)}</font>"
            return {"tag": "markdown", "content": colour, "text_size": "notation"}
        case Paragraph(text):
            return {"tag": "markdown", "content": escape_markdown(text)}
        case Bullets(items, numbered):
            lines = (escape_markdown(" ".join(item.splitlines())) for item in items)
            signed = (f"{number}. {line}" if numbered else f"- {line}" for number, line in enumerate(lines, 1))
            return {"tag": "markdown", "content": "\n".join(signed)}
        case Table():
            return _table(block)
        case Chart():
            return _chart(block)


def _table(table: Table) -> Element:
    names = [f"c{number}" for number in range(len(table.columns))]
    return {
        "tag": "table",
        "page_size": max(1, min(PAGE_ROWS, len(table.rows))),
        "row_height": "auto",
        "header_style": {"bold": True, "background_style": "grey"},
        "columns": [
            {"name": name, "display_name": title, "data_type": "text", "width": "auto"}
            for name, title in zip(names, table.columns, strict=True)
        ],
        "rows": [dict(zip(names, row, strict=False)) for row in table.rows],
    }


def _chart(chart: Chart) -> Element:
    """VChart as pure JSON; `media: []` keeps the axes on phones."""
    values = [{"x": label, "y": value} for label, value in zip(chart.labels, chart.values, strict=True)]
    if chart.kind == "pie":
        fields = {"categoryField": "x", "valueField": "y", "legends": {"visible": True, "orient": "right"}}
    else:
        fields = {"xField": "x", "yField": "y"}
    spec = {"type": chart.kind, "title": {"text": chart.title}, "data": {"values": values}, **fields}
    return {
        "tag": "chart",
        "aspect_ratio": "16:9",
        "chart_spec": {**spec, "label": {"visible": True}, "media": []},
    }


def _choices(options: Sequence[Option], value: Mapping[str, Any]) -> list[Element]:
    """Buttons side by side; more than six become a selection."""
    if not options:
        return []
    if len(options) > MOST_BUTTONS:
        return [
            {
                "tag": "select_static",
                "width": "fill",
                "options": [{"text": _label(option), "value": option.key} for option in options],
                "behaviors": [{"type": "callback", "value": dict(value)}],
            }
        ]
    columns = [{"tag": "column", "width": "auto", "elements": [_button(option, value)]} for option in options]
    return [{"tag": "column_set", "flex_mode": "flow", "horizontal_spacing": "small", "columns": columns}]


def _button(option: Option, value: Mapping[str, Any]) -> Element:
    return {
        "tag": "button",
        "text": _label(option),
        "type": option.style,
        "behaviors": [{"type": "callback", "value": {**value, "o": option.key}}],
    }


def _label(option: Option) -> Element:
    return {"tag": "plain_text", "content": option.label}
