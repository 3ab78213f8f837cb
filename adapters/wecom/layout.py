"""A platform-neutral Body as lines of plain text that read well on a phone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from adapters.wecom.pieces import Line
from bot.types import Block, Body, Bullets, Chart, Heading, Paragraph, Table

_PHONE_COLUMNS = 34
"""Half-width columns that fit into one line of a chat bubble."""
_BETWEEN = " ｜ "


def lay_out(body: Body) -> list[Line]:
    """The readable lines of a body, each with its newline; charts are pictures and not in here."""
    lines = [Line(f"【{_clean(body.title)}】\n")] if body.title else []
    for block in body.blocks:
        if lines and isinstance(block, (Heading, Table)):
            lines.append(Line("\n"))
        lines += _lines(block)
    return lines


def plain(body: Body) -> str:
    """The readable lines of a body as one text."""
    return "".join(line.text for line in lay_out(body)).removesuffix("\n")


def charts_of(body: Body) -> tuple[Chart, ...]:
    return tuple(block for block in body.blocks if isinstance(block, Chart))


def _lines(block: Block) -> Iterator[Line]:
    match block:
        case Heading(text):
            yield Line(f"■ {_clean(text)}\n")
        case Paragraph(text):
            yield from _text_lines(text)
        case Bullets(items, numbered):
            for number, item in enumerate(items, start=1):
                yield from _text_lines(f"{number}. {item}" if numbered else f"• {item}")
        case Table():
            yield from _table_lines(block)


def _text_lines(text: str) -> Iterator[Line]:
    for line in _clean(text).splitlines():
        yield Line(line + "\n")


def _table_lines(table: Table) -> Iterator[Line]:
    """A narrow table as rows under its header; a wide one, which a phone would wrap oddly, as `列：值`."""
    columns = [_cell(column) for column in table.columns]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if all(_width(_BETWEEN.join(row)) <= _PHONE_COLUMNS for row in (columns, *rows)):
        header = _BETWEEN.join(columns) + "\n"
        yield Line(header)
        for row in rows:
            yield Line(_BETWEEN.join(row) + "\n", header)
    else:
        for row in rows:
            for index, (column, cell) in enumerate(zip(columns, row, strict=False)):
                yield Line(f"{'▪ ' if index == 0 else '　'}{column}：{cell}\n")


def _cell(text: str) -> str:
    return " ".join(_clean(text).split())


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _clean(text: str) -> str:
    """Text that can be encoded: a lone surrogate (half an emoji from a broken client) becomes `?`."""
    return text.encode("utf-8", "replace").decode()
