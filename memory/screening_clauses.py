"""A screened sentence in its clauses: the one that holds a sensitive value stores nothing, the others count."""

from __future__ import annotations

import re

from memory.screening import Screened

_BREAK = re.compile(r"[，。；！？\n]++\s*+|(?<![!-~])[,;!?]++\s*+|[,;!?]++(?:\s++|(?![!-~])|$)")
_SPACE = re.compile(r"\s++")
_EXPECTS_A_VALUE = re.compile(
    r"(?:号码?|电话|手机|座机|密码|口令|码|证|卡|车|址|住在?|邮箱|是|为|用|[:：=（(]|[A-Za-z.])$", re.IGNORECASE
)


def split_clauses(text: str, screened: Screened) -> tuple[tuple[str, bool], ...]:
    """The clauses in order, each with its closing mark, and whether it holds a sensitive value.

    `"".join(clause for clause, _ in …) == text`. A break inside a value divides nothing. Spaces divide only around
    the clause with the value: 记住 我喜欢用表格 手机号13812345678 has the clauses 记住 我喜欢用表格 and 手机号….
    """
    pieces: list[tuple[str, bool]] = []
    for start, end in _divide(_BREAK, 0, len(text), text, screened):
        if not _holds_a_value(screened, start, end):
            pieces.append((text[start:end], False))
        else:
            pieces += _around_the_value(text, screened, start, end)
    return tuple(pieces)


def _around_the_value(text: str, screened: Screened, start: int, end: int) -> list[tuple[str, bool]]:
    """The parts of one clause: what is on the value's side of a space is touched, with the word that leads to it."""
    words = list(_divide(_SPACE, start, end, text, screened))
    touched = [_holds_a_value(screened, *word) for word in words]
    for index in reversed(range(len(words) - 1)):
        begins_with_value = any(span.start == words[index + 1][0] for span in screened.spans)
        if begins_with_value and _EXPECTS_A_VALUE.search(text[slice(*words[index])].rstrip()):
            touched[index] = True
    parts: list[tuple[str, bool]] = []
    for word, is_touched in zip(words, touched, strict=True):
        if parts and parts[-1][1] == is_touched:
            parts[-1] = (parts[-1][0] + text[slice(*word)], is_touched)
        else:
            parts.append((text[slice(*word)], is_touched))
    return parts


def _divide(mark: re.Pattern[str], start: int, end: int, text: str, screened: Screened) -> list[tuple[int, int]]:
    """The stretches of `text[start:end]` between marks; a mark inside a value is none."""
    found: list[tuple[int, int]] = []
    spans = [span for span in screened.spans if span.start < end and span.end > start]
    begin = start
    for match in mark.finditer(text, start, end):
        while spans and spans[0].end <= match.start():
            spans.pop(0)
        if not (spans and spans[0].start < match.end() and match.start() < spans[0].end):
            found.append((begin, match.end()))
            begin = match.end()
    if begin < end or not found:
        found.append((begin, end))
    return found


def _holds_a_value(screened: Screened, start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in screened.spans)
