"""Whom and what a simulated Feishu tenant holds: people, groups, messages, uploads."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from adapters.simulators import feishu_cards as cards
from adapters.simulators.feed import Arrival, Feed
from config.clock import Clock

Content = Mapping[str, Any]
TENANT_KEY = "simulated-tenant"


@dataclass(frozen=True)
class Person:
    """One employee; the ids derive from the open_id: `ou_x` is `on_x` in the tenant and has user_id `u_x`."""

    name: str
    open_id: str
    email: str | None = None

    @property
    def rest(self) -> str:
        return self.open_id.removeprefix("ou_")

    @property
    def ids(self) -> dict[str, str]:
        return {"open_id": self.open_id, "union_id": f"on_{self.rest}", "user_id": f"u_{self.rest}"}

    @property
    def chat_id(self) -> str:
        """The private chat with the bot."""
        return f"oc_p2p_{self.rest}"


@dataclass(frozen=True)
class Group:
    name: str
    chat_id: str
    members: tuple[str, ...]


Chat = Person | Group


@dataclass
class Stored:
    """A message in a chat; a card keeps the content it was delivered with beside the present one."""

    message_id: str
    chat: Chat
    msg_type: str
    content: Content
    delivered: Content
    at: datetime
    by_app: bool
    sender_id: str
    parent_id: str = ""


@dataclass
class World:
    """The tenant as one app sees it; `app` is the bot.yaml name that arrivals carry."""

    feed: Feed
    clock: Clock
    app: str
    people: dict[str, Person] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    messages: dict[str, Stored] = field(default_factory=dict)
    uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # key → (file name, bytes)
    _made: dict[tuple[str, ...], tuple[datetime, Any]] = field(default_factory=dict)
    _series: str = field(default_factory=lambda: secrets.token_hex(4))
    _count: int = 0

    def new_id(self, prefix: str) -> str:
        """An id that no other simulator, nor this one after a restart, gives out."""
        self._count += 1
        return f"{prefix}{self._series}{self._count:08d}"

    def made_before(self, key: tuple[str, ...], life: timedelta) -> Any:
        """What the first call with this idempotency key made, while the key lives."""
        at, made = self._made.get(key, (None, None))
        return made if at and self.clock.now() - at < life else None

    def remember(self, key: tuple[str, ...], made: Any) -> None:
        self._made[key] = (self.clock.now(), made)

    def arrive(self, chat: Chat, message_id: str, kind: str, text: str, **more: Any) -> None:
        """Put something before its reader."""
        self.feed.add(
            Arrival(
                seq=self.feed.next_seq(),
                platform="feishu",
                app=self.app,
                message_id=message_id,
                to=chat.name,
                group=not isinstance(chat, Person),
                kind=kind,
                text=text,
                at=self.clock.now(),
                **more,
            )
        )

    def person_by(self, id_type: str, value: str) -> Person | None:
        if id_type == "email":
            return next((person for person in self.people.values() if person.email == value), None)
        return next((person for person in self.people.values() if person.ids.get(id_type) == value), None)

    def chat_by(self, id_type: str, value: str) -> Chat | None:
        if id_type != "chat_id":
            return self.person_by(id_type, value)
        chats: list[Chat] = [*self.groups.values(), *self.people.values()]
        return next((chat for chat in chats if chat.chat_id == value), None)

    def with_placeholders(self, text: str, bot: Content) -> tuple[str, list[Content]]:
        """A text as the client sends it: placeholders for the people, and the bot, that it mentions."""
        known: dict[str, Content] = {
            person.name: {"id": person.ids, "mentioned_type": "user", "name": person.name}
            for person in self.people.values()
        }
        known[str(bot["name"])] = bot
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        mentions: list[Content] = []

        def placeholder(found: re.Match[str]) -> str:
            key = f"@_user_{len(mentions) + 1}"
            mentions.append({**known[found[1]], "key": key, "tenant_key": TENANT_KEY})
            return key

        return re.sub(rf"@({names})", placeholder, text.replace("@所有人", "@_all")), mentions

    def written_as(self, msg_type: str, text: str) -> Content:
        """What the client sends for a text, or for a file, picture or place of that name."""
        key = self.new_id("key_")
        contents: dict[str, Content] = {
            "post": {"title": "", "content": [[{"tag": "text", "text": text}]]},
            "image": {"image_key": key},
            "file": {"file_key": key, "file_name": text},
            "audio": {"file_key": key, "duration": 1200},
            "media": {"file_key": key, "image_key": key, "file_name": text, "duration": 1200},
            "sticker": {"file_key": key},
            "merge_forward": {"content": "Merged and Forwarded Message"},
            "interactive": {"title": text, "elements": []},
            "location": {"name": text, "longitude": "116.4", "latitude": "39.9"},
        }
        return contents.get(msg_type, {"text": text})

    def read(self, msg_type: str, content: Content) -> str:
        """What a person reads in a message."""
        match msg_type:
            case "interactive":
                return cards.read(content)
            case "text":
                return self._unmark(str(content.get("text", "")))
            case "post":
                return "\n".join(self._post_lines(content))
            case "image" | "file":
                return self.uploads[self.upload_key(content)][0]
            case _:
                return ""

    def upload_key(self, content: Content) -> str:
        return str(content.get("image_key") or content.get("file_key") or "")

    def _post_lines(self, content: Content) -> list[str]:
        body = next(iter(content.values()))
        lines = ["".join(str(piece.get("text", "")) for piece in line) for line in body.get("content", [])]
        return [line for line in [body.get("title", ""), *lines] if line]

    def _unmark(self, text: str) -> str:
        """A text as the client shows it: mentions as names, style tags gone, invisible joiners not seen."""

        def mention(at: re.Match[str]) -> str:
            if at[1] == "all":
                return "@所有人"
            found = next((one for one in self.people.values() if at[1] in one.ids.values()), None)
            return f"@{found.name if found else at[2]}"

        text = re.sub(r'<at user_id="([^"]*)">(.*?)</at>', mention, text)
        text = re.sub(r"<([bius])>(.*?)</\1>", r"\2", text, flags=re.DOTALL)
        return text.replace("\u2060", "")
