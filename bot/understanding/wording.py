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


def plain(text: str, is_word: Callable[[str], bool], is_known: Callable[[str], bool]) -> str:
    """The normalised, lower-case text in plain Mandarin. Quoted words are masked, except a single catalog word
    (`is_word`) in quotes: 以后都用“市场部”模板. `is_known`: a catalog word of any kind, never taken for dialect."""
    if not _QUOTES_OUT.isdisjoint(text):
        text = _QUOTES.sub(lambda match: _masked(match, is_word), text)
    if not _DIALECT_LETTERS.isdisjoint(text):
        text = _DIALECT.sub(lambda match: match[0] if _cuts_a_word(match, is_known) else DIALECT[match[0]], text)
    if _LATIN.search(text):
        text = _ENGLISH.sub(lambda match: ENGLISH[match[0]], text)
    text = FILLERS.sub("", text)
    text = _PICTURES.sub("", text)
    if " " in text:
        text = _SPACE.sub("", _SPACED.sub(_phrases, text.strip()))
    return text


def _cuts_a_word(match: re.Match[str], is_known: Callable[[str], bool]) -> bool:
    """Whether what looks like dialect runs into a catalog word: 成日 in 生成日报."""
    text, (start, end) = match.string, match.span()
    over_the_end = (text[begin:stop] for begin in range(start + 1, end) for stop in range(end + 1, end + _REACH))
    over_the_start = (
        text[begin:stop] for begin in range(start - _REACH + 1, start) if begin >= 0 for stop in range(start + 1, end)
    )
    return any(is_known(word) for word in over_the_end) or any(is_known(word) for word in over_the_start)


_REACH = 4  # characters of a word that may lie outside
_QUOTES_OUT = frozenset("“「『\"‘'《")


def _masked(match: re.Match[str], is_word: Callable[[str], bool]) -> str:
    inside = match[1] or match[2]
    return inside if match[1] and is_word(inside) else QUOTED * len(inside)


def _phrases(match: re.Match[str]) -> str:
    """Spaces between Chinese words: commas between phrases, nothing where single words are spaced (确 认)."""
    words = match[0].split(" ")
    joint = "," if sum(map(len, words)) >= 4 * len(words) else ""
    return joint.join(words)
