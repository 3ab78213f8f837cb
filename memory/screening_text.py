"""The text as the screening reads it: folded to one spelling, each character knowing where it came from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from config.normalise import normalise

BLANK = "\ue000"
"""Stands for a span that is already masked; no value, context word or separator contains it."""

SEPARATOR = r"[ \-.·,，、;；_/()（）]{1,3}"
"""What people put between the digits of one number."""

_KEPT = frozenset("，；！？（）［］")  # sentence marks, not parts of a value
_DOTS = frozenset("·•・‧∙⋅●")
_THREES = frozenset("參叄")  # simplified they become 参, which is a number nowhere
_NUMERALS = {
    **dict.fromkeys("零〇○洞", "0"),
    **dict(zip("一二三四五六七八九", "123456789", strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖", "123456789", strict=True)),
    **dict(zip("幺两拐勾", "1279", strict=True)),
}
_SPOKEN = re.compile(rf"[0-9{''.join(_NUMERALS)}](?:[ \-,，、.·]{{0,3}}[0-9{''.join(_NUMERALS)}]){{3,}}+")


@dataclass(frozen=True)
class Found:
    """One sensitive value in a folded text: `text[start:end]`."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Folded:
    """`text[i]` stands for `original[starts[i]:ends[i]]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def blanked(self, found: Sequence[Found]) -> Folded:
        """The same text with each of the spans (ordered, apart from each other) as one `BLANK`."""
        text: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for one in found:
            text += [self.text[position : one.start], BLANK]
            starts += [*self.starts[position : one.start], self.starts[one.start]]
            ends += [*self.ends[position : one.start], self.ends[one.end - 1]]
            position = one.end
        return Folded(
            "".join([*text, self.text[position:]]),
            [*starts, *self.starts[position:]],
            [*ends, *self.ends[position:]],
        )


def fold(text: str, labels: re.Pattern[str]) -> Folded:
    """Width, script, dashes and digits in one spelling, spoken digits as digits, labels as `BLANK`."""
    pieces = [_LETTERS[character] for character in text]
    whole: dict[int, int] = {}
    for label in labels.finditer(text):
        pieces[label.start() : label.end()] = [BLANK] + [""] * (len(label[0]) - 1)
        whole[label.start()] = label.end()
    folded = "".join(pieces)
    starts = [index for index, piece in enumerate(pieces) for _ in piece]
    ends = [whole.get(index, index + 1) for index in starts]
    return Folded(_SPOKEN.sub(_as_digits, folded), starts, ends)


def matches(
    pattern: re.Pattern[str], text: str, accept: Callable[[re.Match[str]], tuple[int, int] | None]
) -> Iterator[tuple[int, int]]:
    """The spans that `accept` reads out of the matches; a refused match hides nothing that starts inside it."""
    position = 0
    while (match := pattern.search(text, position)) is not None:
        span = accept(match)
        if span is not None:
            yield span
        position = match.start() + 1 if span is None else max(span[1], match.start() + 1)


class _Letters(dict[str, str]):
    """What becomes of each character; fills itself with those that it meets."""

    def __missing__(self, character: str) -> str:
        self[character] = result = _letter(character)
        return result


def _letter(character: str) -> str:
    if character in _KEPT:
        return character
    if character in _DOTS:
        return "·"
    if character in _THREES:
        return "叁"
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    plain = normalise(character)
    category = unicodedata.category(character)
    if category in ("Mn", "Me"):
        return ""
    if category == "Pd" or character == "−":
        return "-" * len(plain)
    return plain


def _as_digits(run: re.Match[str]) -> str:
    return "".join(_NUMERALS.get(character, character) for character in run[0])


_LETTERS = _Letters()
