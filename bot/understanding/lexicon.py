"""The catalog's words in a sentence: which keys, values, tasks and scenes it mentions, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from bot.understanding.cues import REPAIRABLE
from bot.understanding.homophones import mistypings
from config.normalise import normalise
from memory.catalog import Catalog, Key

GAP = "…"  # in a word of bot.yaml: some characters may stand between


class Meaning(NamedTuple):
    """What a word may mean. `of` is a key, a task or a scene dimension; `id` a value, a kind of task or a scene."""

    kind: Literal["value", "short", "key", "task", "scene"]
    of: str
    id: str = ""


class Token(NamedTuple):
    start: int
    end: int
    meanings: tuple[Meaning, ...]

    def find(self, kind: str, of: str | None = None) -> Meaning | None:
        for meaning in self.meanings:
            if meaning.kind == kind and (of is None or meaning.of == of):
                return meaning
        return None


class Lexicon:
    """The words of one catalog, ready to be found in a sentence."""

    def __init__(self, catalog: Catalog) -> None:
        self.words: dict[str, tuple[Meaning, ...]] = {}
        for word, meaning in _entries(catalog):
            known = self.words.get(spelt(word), ())
            if meaning not in known and GAP not in word:
                self.words[spelt(word)] = (*known, meaning)
        self.repairs = mistypings({*self.words, *REPAIRABLE})
        lengths: dict[str, set[int]] = {}
        for word in (*self.words, *self.repairs):
            lengths.setdefault(word[0], set()).add(len(word))
        self.lengths = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def repair(self, text: str) -> str:
        """The text with mistyped words put right; it keeps its length."""
        pieces: list[str] = []
        done = 0
        for start, end, word in self._matches(text):
            right = self.repairs.get(word)
            if right is not None:
                pieces += (text[done:start], right)
                done = end
        return "".join((*pieces, text[done:])) if pieces else text

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The catalog's words in the (repaired) text, from left to right; the longest at each place."""
        return tuple(
            Token(start, end, self.words[word]) for start, end, word in self._matches(text) if word in self.words
        )

    def _matches(self, text: str) -> Iterator[tuple[int, int, str]]:
        words, repairs, lengths = self.words, self.repairs, self.lengths
        place, size = 0, len(text)
        while place < size:
            step = 1
            for length in lengths.get(text[place], ()):
                word = text[place : place + length]
                known = word in words or word in repairs
                if known and len(word) == length and _stands_alone(text, place, place + length):
                    yield place, place + length, word
                    step = length
                    break
            place += step


def spelt(word: str) -> str:
    """A word of bot.yaml as it looks in a sentence that has been read."""
    return normalise(word).lower()


def gapped(word: str) -> str:
    """The pattern of a word of bot.yaml whose … may be any few characters of the same sentence."""
    return "[^,。!?]{0,8}?".join(re.escape(spelt(part)) for part in word.split(GAP))


def is_schedule(key: Key) -> bool:
    """Whether a choice says when or whether something comes (早间待办的日子): its words are phrases with 不要, 也
    or a recurrence in them, found as patterns and only where its task is spoken of."""
    return key.kind == "choice" and bool(key.tasks) and not key.named


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Latin words must not be a part of a longer one (`line` in `deadline`)."""
    first, last = text[start], text[end - 1]
    if first.isascii() and first.isalnum() and start and text[start - 1].isascii() and text[start - 1].isalnum():
        return False
    following = text[end : end + 1]
    return not (last.isascii() and last.isalnum() and following.isascii() and following.isalpha())


def _entries(catalog: Catalog) -> Iterator[tuple[str, Meaning]]:
    for key in catalog.keys.values():
        for word in (*key.words, key.name):
            yield word, Meaning("key", key.id)
        for choice in () if is_schedule(key) else key.values.values():
            for word in (*choice.words, choice.name):
                kind: Literal["value", "short"] = "short" if word == choice.short else "value"
                yield word, Meaning(kind, key.id, choice.id)
            yield choice.id, Meaning("value", key.id, choice.id)
            if choice.short:
                yield choice.short, Meaning("short", key.id, choice.id)
    for task in catalog.tasks.values():
        for word in task.words:
            yield word, Meaning("task", task.name)
        for kind_ in task.kinds.values():
            for word in (*kind_.words, kind_.name):
                yield word, Meaning("task", task.name, kind_.id)
    for dimension, values in catalog.scenes.items():
        for named in values.values():
            for word in (*named.words, named.name):
                yield word, Meaning("scene", dimension, named.id)
