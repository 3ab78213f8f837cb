"""Cutting a long text into pieces that WeCom shows whole: it cuts silently at 2,048 bytes (C4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_SENTENCE_ENDS = "。！？!?；;…"
_SOFT_ENDS = "，,、 \u3000"
_JOINER = "\u200d"


@dataclass(frozen=True)
class Line:
    """One line with its newline; `header` (of a table) is repeated above it when it begins a piece."""

    text: str
    header: str = ""


def lines_of(text: str) -> list[Line]:
    return [Line(text) for text in text.splitlines(keepends=True)]


def pieces(lines: Iterable[Line], limit: int) -> list[str]:
    """Pieces of at most `limit` UTF-8 bytes, on line borders where possible.

    Without headers their concatenation is the text, unchanged. A header above half the limit is not repeated.
    """
    done: list[str] = []
    current = ""
    for line in lines:
        if _size(current) + _size(line.text) <= limit:
            current += line.text
            continue
        if current:
            done.append(current)
        header = line.header if _size(line.header) <= limit // 2 else ""
        *whole, last = _cut_line(line.text, limit - _size(header))
        done += [header + part for part in whole]
        current = header + last
    return [*done, current] if current else done


def _cut_line(text: str, limit: int) -> Iterator[str]:
    """A line in parts, at sentence ends, else at commas and spaces, else between characters."""
    while (fits := _fitting(text, limit)) < len(text):
        cut = _border(text, fits)
        yield text[:cut]
        text = text[cut:]
    yield text


def _fitting(text: str, limit: int) -> int:
    """How many characters at the beginning of `text` fit into `limit` bytes."""
    return len(text[:limit].encode()[:limit].decode(errors="ignore"))


def _border(text: str, fits: int) -> int:
    """Where to cut so that at most `fits` characters stay: the best border in the second half of them."""
    for ends in (_SENTENCE_ENDS, _SOFT_ENDS):
        last = max(text.rfind(end, fits // 2, fits) for end in ends) + 1
        if last and _is_between_characters(text, last):
            return last
    cut = fits
    while cut and not _is_between_characters(text, cut):
        cut -= 1
    return cut or fits


def _is_between_characters(text: str, at: int) -> bool:
    """Whether a person sees two characters here, not the inside of one (emoji sequence, accent, flag)."""
    if at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _JOINER in (before, after) or _extends(after):
        return False
    return not (_is_flag_half(after) and _flag_halves_before(text, at) % 2)


def _extends(char: str) -> bool:
    """Combining marks, variation selectors, skin tones, the tags of regional flags."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    count = 0
    while count < at and _is_flag_half(text[at - count - 1]):
        count += 1
    return count


def _size(text: str) -> int:
    return len(text.encode())
