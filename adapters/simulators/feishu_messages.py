"""The message API of a simulated Feishu: send, reply, change, get (platform-facts A6, A9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from aiohttp import web

from adapters.simulators import feishu_cards as cards
from adapters.simulators.feishu_faults import Faults
from adapters.simulators.feishu_wire import Wrong, ok, read_body
from adapters.simulators.feishu_world import Chat, Stored, World
from config.clock import Clock

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
UUID_LIFE, UPDATE_LIFE = timedelta(hours=1), timedelta(days=14)
TEXT_BYTES, CARD_BYTES = 150 * 1024, 30 * 1024


@dataclass
class Messages:
    """Messages of the app `app_id`. `unreachable` names people or groups and the code that a send gets."""

    world: World
    faults: Faults
    app_id: str
    unreachable: dict[str, int] = field(default_factory=dict)

    @property
    def clock(self) -> Clock:
        return self.world.clock

    async def send(self, request: web.Request) -> web.Response:
        asked = await read_body(request)
        id_type, receiver = request.query.get("receive_id_type", ""), str(asked.get("receive_id", ""))
        chat = self.world.chat_by(id_type, receiver)
        if chat is None:
            raise Wrong(*((230002, "bot not in group") if id_type == "chat_id" else (99992351, "id unknown")))
        return await self._deliver(request, asked, chat, "")

    async def reply(self, request: web.Request) -> web.Response:
        parent = self._message(request)
        return await self._deliver(request, await read_body(request), parent.chat, parent.message_id)

    async def _deliver(
        self, request: web.Request, asked: Mapping[str, Any], chat: Chat, parent_id: str
    ) -> web.Response:
        self._throttle("app", 50, SECOND, 99991400, 429)
        self._throttle("app", 1000, MINUTE, 99991400, 429)
        once = ("message", str(asked.get("uuid") or self.world.new_id("uuid")), chat.chat_id)
        if len(once[1]) > 50:
            raise Wrong(230001, "uuid is longer than 50")
        stored = self.world.made_before(once, UUID_LIFE)
        if stored is None:
            self._throttle(chat.chat_id, 5, SECOND, 230020, 400)
            if chat.name in self.unreachable:
                raise Wrong(self.unreachable[chat.name], "the user cannot be reached")
            msg_type = str(asked.get("msg_type", ""))
            content = self._content(msg_type, asked.get("content"), len(await request.read()))
            stored = Stored(
                self.world.new_id("om_"),
                chat,
                msg_type,
                content,
                content,
                self.clock.now(),
                True,
                self.app_id,
                parent_id,
            )
            self.world.messages[stored.message_id] = stored
            self.world.remember(once, stored)
            self._show(stored)
        return ok(_item(stored))

    def _content(self, msg_type: str, content: Any, size: int) -> Mapping[str, Any]:
        """The checked content of a message that is sent or changed."""
        if size > (TEXT_BYTES if msg_type == "text" else CARD_BYTES):
            raise Wrong(230025, "the message content is too long")
        try:
            loaded = json.loads(content) if isinstance(content, str) else None
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            raise Wrong(230001, "content is not a string of a JSON object")
        match msg_type:
            case "interactive":
                self._check_card(loaded)
            case "text" if not str(loaded.get("text", "")).strip():
                raise Wrong(230001, "text is empty")
            case "image" | "file" if self.world.upload_key(loaded) not in self.world.uploads:
                raise Wrong(230017, "the key is not of this app")
            case "text" | "image" | "file":
                pass
            case "post" if all("content" in body for body in loaded.values()):
                pass
            case _:
                raise Wrong(230001, f"msg_type {msg_type}")
        return loaded

    def _check_card(self, card: Mapping[str, Any]) -> None:
        try:
            cards.check(card)
        except cards.Invalid as invalid:
            raise Wrong(230099, str(invalid)) from invalid

    async def patch(self, request: web.Request) -> web.Response:
        stored = self._message(request)
        self._throttle(stored.message_id, 5, SECOND, 230020, 400)
        if not (stored.by_app and stored.msg_type == "interactive"):
            raise Wrong(230001, "only cards of this app can be changed")
        if self.clock.now() - stored.at > UPDATE_LIFE:
            raise Wrong(230031, "the message is too old to be changed")
        size = len(await request.read())
        self.change(stored, self._content("interactive", (await read_body(request)).get("content"), size))
        return ok({})

    def change(self, stored: Stored, card: Mapping[str, Any]) -> None:
        """Replace a delivered card in place."""
        self._check_card(card)
        stored.content = card
        self._show(stored, updates=stored.message_id)

    async def get(self, request: web.Request) -> web.Response:
        return ok({"items": [_item(self._message(request))]})

    def _message(self, request: web.Request) -> Stored:
        stored = self.world.messages.get(request.match_info["message_id"])
        if stored is None:
            raise Wrong(230001, "no such message")
        return stored

    def _show(self, stored: Stored, updates: str | None = None) -> None:
        """Put a message before its reader."""
        kinds = {"interactive": "card", "image": "picture"}
        upload = self.world.uploads.get(self.world.upload_key(stored.content))
        pressables = cards.pressables(stored.content) if stored.msg_type == "interactive" else ()
        self.world.arrive(
            stored.chat,
            stored.message_id,
            kinds.get(stored.msg_type, stored.msg_type),
            self.world.read(stored.msg_type, stored.content),
            buttons=tuple(pressable.label for pressable in pressables),
            attachments=(upload,) if upload else (),
            updates=updates,
            raw=stored.content,
        )

    def _throttle(self, key: str, limit: int, per: timedelta, code: int, status: int) -> None:
        wait = self.faults.throttle(key, limit, per)
        if wait is not None:
            raise Wrong(code, "request trigger frequency limit", status, wait)


def _item(stored: Stored) -> Mapping[str, Any]:
    millis = str(int(stored.at.timestamp() * 1000))
    sender = {"id": stored.sender_id, "id_type": "app_id" if stored.by_app else "open_id"}
    return {
        "message_id": stored.message_id,
        "parent_id": stored.parent_id,
        "msg_type": stored.msg_type,
        "create_time": millis,
        "update_time": millis,
        "deleted": False,
        "chat_id": stored.chat.chat_id,
        "sender": {**sender, "sender_type": "app" if stored.by_app else "user"},
        "body": {"content": json.dumps(stored.content, ensure_ascii=False)},
    }
