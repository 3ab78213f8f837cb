"""Sentences and clauses of a text, each with the catalog's words in it and how it is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from bot.understanding import cues
from bot.understanding.lexicon import Lexicon, Token
from bot.understanding.wording import QUOTED

_SENTENCES = re.compile(r"[^。!?\n]+[。!?\n]*")
_CLAUSES = re.compile(r"([,;]|\.{2,}|(?<!\d):|:(?!\d)|\.(?= |$)|~|——|—)")
_MARKS = frozenset(",;:.~—") | {"——", "..", "...", "......"}
_ASKED = re.compile(r"(?:[吗么]|没有|了没|没|不|呢)[?。!]*$|[?]$")
MOST_CLAUSES = 40


@dataclass(frozen=True)
class Clause:
    """One clause. `sentence` counts the sentences of the text; the flags say how it is meant."""

    text: str
    sentence: int
    tokens: tuple[Token, ...]
    is_question: bool = False
    is_request: bool = False  # a question in form only: 能不能以后都用表格？
    is_reported: bool = False  # somebody else's words or wishes, a supposition, the object of a task verb
    is_quoting: bool = False
    is_alone: bool = True  # the only clause of its sentence

    def _has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.text) is not None

    @cached_property
    def is_always(self) -> bool:
        return self._has(cues.ALWAYS) and not self._has(cues.NO_CUE)

    @cached_property
    def is_once(self) -> bool:
        text = cues.SINCE.sub("", self.text)
        if self.is_always and cues.FROM_NOW_ON.search(self.text):
            return cues.ONCE.search(cues.ONCE_TOPIC.sub("", text)) is not None
        return once(text)

    @cached_property
    def is_past(self) -> bool:
        return self._has(cues.PAST) and not self._has(cues.NOW_CHANGED)

    @cached_property
    def is_liking(self) -> bool:
        return self._has(cues.LIKING)

    @property
    def counts(self) -> bool:
        """Whether the clause states something of the speaker's own, here and now."""
        return not self.is_quoting and self.is_own

    @property
    def is_own(self) -> bool:
        """As `counts`, though something may stand in quotation marks: 邮件签名用“…”."""
        return not (self.is_reported or self.is_past or self.is_told_tale or self._only_asks)

    @property
    def _only_asks(self) -> bool:
        return self.is_question and not self.is_request

    @cached_property
    def is_told_tale(self) -> bool:
        """都下班了还在发飞书: tells what happens, asks for nothing."""
        return (self._has(cues.NARRATED) and not self.is_always) or self._has(cues.OWN_DOING)


@dataclass(frozen=True)
class Reading:
    """A text, read: its plain wording and its clauses."""

    plain: str
    clauses: tuple[Clause, ...]
    is_question: bool = False

    def as_told(self) -> Reading:
        """The same with its questions read as statements: 不是让你发企业微信吗 tells."""
        return replace(self, clauses=tuple(replace(clause, is_question=False) for clause in self.clauses))

    def mentions(self, kind: str, of: str | None = None) -> bool:
        return any(token.find(kind, of) for clause in self.clauses for token in clause.tokens)


def read(text: str, lexicon: Lexicon) -> Reading:
    """The clauses of a plain text."""
    forwarded = cues.FORWARDED.search(text) is not None
    clauses: list[Clause] = []
    asked = False
    for number, match in enumerate(_SENTENCES.finditer(text)):
        sentence = _sentence(match[0], number, lexicon, forwarded)
        asked = asked or (bool(sentence) and sentence[-1].is_question and not sentence[-1].is_request)
        clauses += sentence
        if len(clauses) >= MOST_CLAUSES:
            break
    return Reading(text, tuple(clauses[:MOST_CLAUSES]), asked)


def _sentence(sentence: str, number: int, lexicon: Lexicon, forwarded: bool) -> list[Clause]:
    sentence = sentence.rstrip("。!\n")
    untagged = cues.TAG.sub("", sentence)
    request = untagged != sentence or cues.REQUEST.search(sentence) is not None
    pieces = [piece for piece in _CLAUSES.split(untagged.rstrip("?")) if piece and piece.strip()]
    parts = [piece for piece in pieces if piece not in _MARKS]
    asks_at_end = bool(parts) and (request or _asks(parts[-1], sentence))
    clauses: list[Clause] = []
    voice = "object" if forwarded else ""
    for place, part in enumerate(parts):
        tokens = lexicon.tokens(part)
        has_colon = _follows(pieces, part) == ":"
        voice, reported = _voice(part + ":" if has_colon else part, tokens, voice)
        asks = (
            asks_at_end
            if place == len(parts) - 1
            else (asks_at_end and not request and not once(part)) or _asks(part, part)
        )
        clauses.append(
            Clause(
                part,
                number,
                tokens,
                asks,
                request,
                reported or forwarded,
                is_quoting=QUOTED * 2 in part,
                is_alone=len(parts) == 1,
            )
        )
    return clauses


def _follows(pieces: list[str], part: str) -> str:
    place = pieces.index(part) + 1
    return pieces[place] if place < len(pieces) else ""


def _asks(part: str, ending: str) -> bool:
    neutral = cues.NO_QUESTION.sub("", part)
    return cues.QUESTION_WORD.search(neutral) is not None or _ASKED.search(cues.NO_QUESTION.sub("", ending)) is not None


def _voice(part: str, tokens: tuple[Token, ...], before: str) -> tuple[str, bool]:
    """Whose words a clause is, and those after it: `object` of a task verb or a supposition lasts to the end of the
    sentence, what `another` says until the speaker comes back (我…, 你…). Empty: the speaker's own."""
    writes = cues.OBJECT_OF.search(part) and not _names_kind(tokens)
    if writes or cues.TELLS.search(part) or _is_supposed(part, tokens):
        return "object", True
    if cues.REPORTED.search(part):
        return before or "another", True
    if cues.ANOTHER.search(part):
        return before, True
    if before == "another" and cues.BACK_TO_ME.search(part):
        return "", False
    return before, bool(before)


def _is_supposed(part: str, tokens: tuple[Token, ...]) -> bool:
    """A supposition; 如果是紧急的… and 没有待办的话… are conditions of the catalog, not suppositions."""
    match = cues.HYPOTHESIS.search(part)
    if match is None or any(_is_condition(token) for token in tokens):
        return False
    return not any(token.start < match.end() and match.start() < token.end for token in tokens)


def _is_condition(token: Token) -> bool:
    scene = token.find("scene")
    return scene is not None and scene.of != "task" and token.find("value") is None


def _names_kind(tokens: tuple[Token, ...]) -> bool:
    """Whether a kind of report is named: 写周报 is a task, not a text with something in it."""
    return any(meaning.kind == "task" and meaning.id for token in tokens for meaning in token.meanings)


def once(text: str) -> bool:
    """Whether words for this once (这次, 今天, 先用) stand in a text."""
    return cues.ONCE.search(text) is not None or cues.THIS_ONE.search(text) is not None
