"""The members of the simulated corp and what each of them has received."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.simulators import wecom_cards
from adapters.simulators.feed import Arrival, Feed
from config.clock import Clock

_CUT = 2048
_INVISIBLE = str.maketrans("", "", "\u200b\u200c")

File = tuple[str, bytes]
"""Name and content."""


@dataclass(frozen=True)
class Member:
    """Someone in the corp; `name` is what scenarios call them."""

    name: str
    userid: str
    mobile: str = ""
    email: str = ""


@dataclass
class Delivered:
    """A message as one member has it: as it came, and as its card looks now."""

    member: Member
    message_id: str
    payload: Mapping[str, Any]
    shown: Mapping[str, Any]


class Members:
    """Who is in the corp; what reaches them goes to the feed."""

    def __init__(self, feed: Feed, clock: Clock, app: str) -> None:
        self._feed = feed
        self._clock = clock
        self._app = app
        self._by_userid: dict[str, Member] = {}
        self._delivered: dict[tuple[str, str], Delivered] = {}

    def __iter__(self) -> Iterator[Member]:
        return iter(self._by_userid.values())

    def add(self, member: Member) -> None:
        self._by_userid[member.userid.lower()] = member

    def named(self, name: str) -> Member:
        return next(member for member in self if member.name == name)

    def find(self, userids: Iterable[str]) -> tuple[list[Member], list[str]]:
        """The members with these ids in whatever case, and the unknown ids in lower case (C4)."""
        lowered = [userid.lower() for userid in userids]
        known = [self._by_userid[userid] for userid in lowered if userid in self._by_userid]
        return known, [userid for userid in lowered if userid not in self._by_userid]

    def received(self, name: str, message_id: str) -> Delivered:
        return self._delivered[name, message_id]

    def deliver(self, to: Member, message_id: str, payload: Mapping[str, Any], file: File | None) -> None:
        """Show a message that the API accepted."""
        content = payload[payload["msgtype"]]
        delivered = Delivered(to, message_id, payload, content)
        self._delivered[to.name, message_id] = delivered
        match payload["msgtype"]:
            case "text" | "markdown" as kind:
                self._arrive(delivered, kind, text=_cut(content["content"]))
            case "template_card":
                self._arrive(delivered, "card", **_card_view(content))
            case kind:
                files = (file,) if file else ()
                self._arrive(delivered, "picture" if kind == "image" else "file", attachments=files)

    def replace(self, of: Member, message_id: str, card: Mapping[str, Any] | None, replace_name: str | None) -> None:
        """Change a card in place: as a whole, or only its choices into one grey word."""
        delivered = self._delivered.get((of.name, message_id))
        if delivered is not None:
            delivered.shown = card or {**delivered.shown, "replace_text": replace_name}
            self._arrive(delivered, "card", updates=message_id, **_card_view(delivered.shown))

    def _arrive(
        self, delivered: Delivered, kind: str, *, text: str = "", updates: str | None = None, **view: Any
    ) -> None:
        arrival = Arrival(
            seq=self._feed.next_seq(),
            platform="wecom",
            app=self._app,
            message_id=delivered.message_id,
            to=delivered.member.name,
            group=False,
            kind=kind,
            text=text.translate(_INVISIBLE),
            at=self._clock.now(),
            updates=updates,
            raw=delivered.shown if updates else delivered.payload,
            **view,
        )
        self._feed.add(arrival)


def _card_view(card: Mapping[str, Any]) -> dict[str, Any]:
    labels = tuple(choice.label for choice in wecom_cards.choices(card))
    return {"text": wecom_cards.readable(card), "buttons": labels}


def _cut(text: str) -> str:
    """The silent cut at 2,048 bytes; half a character becomes U+FFFD."""
    return text.encode()[:_CUT].decode(errors="replace")
