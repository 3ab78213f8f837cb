"""Everything that was said and delivered in the rehearsed world, numbered, for the page and its stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from adapters.pages.channel import Channel, News
from adapters.pages.messages import as_message, as_said
from adapters.simulators.feed import Arrival


class Transcript:
    """One list of what people said and received, in order, with news of each to whoever is subscribed.

    Listen to the simulators' feed with `hear`; its `seq` is replaced, because people's own messages count here.
    """

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._channel = Channel()
        self._messages: list[dict[str, Any]] = []
        self._attachments: dict[int, tuple[tuple[str, bytes], ...]] = {}

    def hear(self, arrival: Arrival) -> None:
        """What reached a person or a group."""
        seq = self._next_seq()
        self._attachments[seq] = arrival.attachments
        self._tell(as_message(replace(arrival, seq=seq), self._zone))

    def note_said(
        self, message_id: str, platform: str, person: str, to: str, group: bool, text: str, at: datetime
    ) -> None:
        """What a person said themselves, to a group or to the bot."""
        at = at.astimezone(self._zone)
        self._tell(as_said(self._next_seq(), message_id, platform, person, to, group, text, at))

    def messages(self, after: int) -> list[dict[str, Any]]:
        return self._messages[after:]

    def attachment(self, seq: int, index: int) -> tuple[str, bytes] | None:
        files = self._attachments.get(seq, ())
        return files[index] if index < len(files) else None

    def clock_moved(self, now: datetime) -> None:
        local = now.astimezone(self._zone).isoformat(timespec="seconds")
        self._channel.publish({"type": "clock", "now": local})

    def clear(self) -> None:
        """Begin again from number one, and say so."""
        self._messages.clear()
        self._attachments.clear()
        self._channel.publish({"type": "reset"})

    def subscribe(self) -> AbstractContextManager[AsyncIterator[News]]:
        return self._channel.subscribe()

    def close(self) -> None:
        """End every open stream."""
        self._channel.close()

    def _next_seq(self) -> int:
        return len(self._messages) + 1

    def _tell(self, message: dict[str, Any]) -> None:
        self._messages.append(message)
        self._channel.publish(message)
