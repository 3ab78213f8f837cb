"""The words of time in a sentence: which they are, where they stand and what each one says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.understanding import time_patterns as patterns
from bot.understanding.time_meanings import BUILDERS, Groups


@dataclass(frozen=True)
class Token:
    """One word of time; `kind` names the field it fills. Kind `no` only looks like one and keeps others away."""

    kind: str
    start: int
    end: int
    value: Any


def tokenise(text: str) -> Iterator[Token]:
    """The words of time in a normalised text, in order, without overlaps."""
    position = 0
    while position < len(text):
        token = _token_at(text, position)
        if token is None:
            run = patterns.NUMBER_RUN.match(text, position)
            position = run.end() if run else position + 1
            continue
        yield token
        position = token.end


def _token_at(text: str, position: int) -> Token | None:
    for kind, pattern in patterns.TABLE:
        match = pattern.match(text, position)
        if match is None:
            continue
        groups = Groups((name.split("_")[0], said) for name, said in match.groupdict().items() if said)
        value = BUILDERS[kind](groups, match[0]) if kind in BUILDERS else match[0]
        if value is not None:
            return Token(kind.split(":")[0], position, match.end(), value)
    return None
