"""A sentence in plain Mandarin: quotations masked, fillers out, dialect and English function words translated."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.understanding.cues import DIALECT, ENGLISH, FILLERS

QUOTED = "\ue000"  # stands for each character of somebody's quoted words
_QUOTES = re.compile(r"[“「『\"‘']([^“”「」『』\"‘’']{1,200})[”」』\"’']|《([^》]{1,60})》")
_DIALECT = re.compile("|".join(sorted(map(re.escape, DIALECT), key=len, reverse=True)))
_DIALECT_LETTERS = frozenset("".join(DIALECT))
_ENGLISH = re.compile(r"(?<![a-z])(?:" + "|".join(sorted(ENGLISH, key=len, reverse=True)) + r")(?![a-z])")
_LATIN = re.compile(r"[a-z]")
_SPACED = re.compile(r"[\u4e00-\u9fff]+(?: [\u4e00-\u9fff]+)+")
_SPACE = re.compile(r"(?<=[^a-z0-9]) +| +(?=[^a-z0-9])")
_PICTURES = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff]+")


def plain(text: str, is_word: Callable[[str], bool]) -> str:
    """The normalised, lower-case text in plain Mandarin. Quoted words are masked, except a single catalog word
    (`is_word`) in quotes: 以后都用“市场部”模板."""
    if not _QUOTES_OUT.isdisjoint(text):
        text = _QUOTES.sub(lambda match: _masked(match, is_word), text)
    if not _DIALECT_LETTERS.isdisjoint(text):
        text = _DIALECT.sub(lambda match: DIALECT[match[0]], text)
    if _LATIN.search(text):
        text = _ENGLISH.sub(lambda match: ENGLISH[match[0]], text)
    text = FILLERS.sub("", text)
    text = _PICTURES.sub("", text)
    if " " in text:
        text = _SPACE.sub("", _SPACED.sub(_phrases, text.strip()))
    return text


_QUOTES_OUT = frozenset("“「『\"‘'《")


def _masked(match: re.Match[str], is_word: Callable[[str], bool]) -> str:
    inside = match[1] or match[2]
    return inside if match[1] and is_word(inside) else QUOTED * len(inside)


def _phrases(match: re.Match[str]) -> str:
    """Spaces between Chinese words: commas between phrases, nothing where single words are spaced (确 认)."""
    words = match[0].split(" ")
    joint = "," if sum(map(len, words)) >= 4 * len(words) else ""
    return joint.join(words)
