"""One spelling for the many ways a text can be typed: width, script and invisible characters."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.resources import files

_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Cs"})
_KEPT_CONTROLS = {"\t": " ", "\n": "\n", "\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x85": "\n"}
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_ALSO = {"妳": "你"}  # OpenCC keeps it as a word of its own


def normalise(text: str) -> str:
    """The text in NFKC and simplified script, without invisible characters (joiners, marks, controls, lone
    surrogates); every kind of space is a plain one. Letters keep their case. Safe for any string."""
    if text.isascii() and text.isprintable():
        return text
    visible = text.translate(_table())
    if unicodedata.is_normalized("NFKC", visible):
        return visible
    return unicodedata.normalize("NFKC", visible).translate(_table())


def origins(text: str) -> list[int]:
    """Where in `text` each character of `normalise(text)` comes from, and `len(text)` at the end.

    `text[o[start]:o[end]]` is then the speaker's own form of `normalise(text)[start:end]`.
    """
    found: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _joins(text[start:end], text[end]):
            continue
        found.extend([start] * len(normalise(text[start:end])))
        start = end
    return [*found, len(text)]


def _joins(cluster: str, following: str) -> bool:
    """Whether the next character melts into what stands before it: it is invisible or composes (e + ◌́)."""
    if following.isascii() and following.isprintable():
        return False
    alone = normalise(following)
    return not alone or normalise(cluster + following) != normalise(cluster) + alone


class _Table(dict[int, str]):
    """What becomes of each character; fills itself with the characters that it meets."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        invisible = unicodedata.category(character) in _INVISIBLE_CATEGORIES
        if character in _KEPT_CONTROLS:
            result = _KEPT_CONTROLS[character]
        elif invisible or any(code in block for block in _VARIATION_SELECTORS):
            result = ""
        else:
            result = " " if character.isspace() and character != "\n" else character
        self[code] = result
        return result


@cache
def _table() -> _Table:
    table = _Table()
    listing = files("opencc").joinpath("dictionary", "TSCharacters.txt").read_text(encoding="utf-8")
    for line in listing.splitlines():
        traditional, _, simplified = line.partition("\t")
        if simplified and len(traditional) == 1:
            table[ord(traditional)] = simplified.split()[0]
    table.update({ord(character): simple for character, simple in _ALSO.items()})
    return table
