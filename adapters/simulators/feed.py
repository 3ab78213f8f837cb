"""What simulated people received, in order: the feed that rehearsals, the playground and tests read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Arrival:
    """One thing that reached a simulated person or group.

    `text` is everything a person would read (titles, bodies, captions); `buttons` are the labels that can be
    pressed, in order. `updates` names the message that was replaced in place (a card that changed). `raw` is the
    platform's own payload. `kind` ∈ text | markdown | card | picture | file | task | toast.
    """

    seq: int
    platform: str
    app: str
    message_id: str
    to: str  # the name of the person or of the group
    group: bool
    kind: str
    text: str
    at: datetime
    buttons: tuple[str, ...] = ()
    attachments: tuple[tuple[str, bytes], ...] = ()  # (file name, bytes)
    updates: str | None = None
    raw: Any = None


@dataclass
class Feed:
    """An append-only list with listeners; `seq` counts across all platforms that share the feed."""

    arrivals: list[Arrival] = field(default_factory=list)
    listeners: list[Callable[[Arrival], None]] = field(default_factory=list)

    def next_seq(self) -> int:
        return len(self.arrivals) + 1

    def add(self, arrival: Arrival) -> None:
        self.arrivals.append(arrival)
        for listener in list(self.listeners):
            listener(arrival)
