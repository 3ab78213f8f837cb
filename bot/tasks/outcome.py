"""What a task hands back: the words for the person and which kind of reply they are."""

from __future__ import annotations

from dataclasses import dataclass

from bot.types import Body, ReplyKind


@dataclass(frozen=True)
class Outcome:
    kind: ReplyKind
    body: Body
