"""A simulated Feishu: its server, its people at their clients, and the events it pushes to the bot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import aiohttp
from aiohttp import web

from adapters.feishu.crypto import encrypt, signature
from adapters.simulators import feishu_cards as cards
from adapters.simulators.feed import Feed
from adapters.simulators.feishu_api import FeishuApi
from adapters.simulators.feishu_faults import Faults
from adapters.simulators.feishu_messages import Messages
from adapters.simulators.feishu_wire import Wrong
from adapters.simulators.feishu_world import TENANT_KEY, Group, Person, Stored, World
from config.clock import Clock

REPUSHES = (timedelta(seconds=15), timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6))
CALLBACK_FAILED = "操作失败，请稍后重试（{code}）"
"""What Feishu's client shows when a card callback fails: 200341 no answer in time, 200671 not a 200."""


@dataclass
class _Push:
    """An event that was not acknowledged, and when it is pushed again."""

    body: bytes
    first_at: datetime
    attempt: int = 0

    @property
    def due_at(self) -> datetime:
        return self.first_at + REPUSHES[self.attempt]


class FeishuSimulator:
    """One app of a simulated tenant. It outlives the bot: `connect` again after a restart.

    Events go to the webhook that `connect` names; what is not acknowledged in 3 s is pushed again after 15 s,
    5 min, 1 h and 6 h of the clock (platform-facts A1).
    """

    platform = "feishu"

    def __init__(
        self,
        feed: Feed,
        clock: Clock,
        *,
        app: str = "feishu",
        app_id: str = "cli_simulated",
        app_secret: str = "simulated-secret",
        encrypt_key: str = "simulated-encrypt-key",
        verification_token: str = "simulated-token",
        bot_name: str = "记得",
        limit_scale: float = 1.0,
    ) -> None:
        self.app_id = app_id
        self.app_secret = app_secret
        self.encrypt_key = encrypt_key
        self.verification_token = verification_token
        self.bot_open_id = f"ou_bot_{app_id.removeprefix('cli_')}"
        self.bot_name = bot_name
        self.clock = clock
        self.faults = Faults(clock, limit_scale=limit_scale)
        self.world = World(feed, clock, app)
        self.messages = Messages(self.world, self.faults, app_id)
        self.api = FeishuApi(self.world, self.messages, self.faults, app_id, app_secret, self.bot_open_id, bot_name)
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._webhook = ""
        self._waiting: list[_Push] = []
        self._last_body: bytes | None = None
        self._duplicates = 0
        self.deadline = 3.0  # seconds that the bot has to answer
        self.base_url = ""

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; `base_url` says where."""
        self._session = aiohttp.ClientSession()
        self._runner = web.AppRunner(self.api.application(), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        self.faults.release()
        if self._session:
            await self._session.close()
        if self._runner:
            await self._runner.cleanup()

    def connect(self, webhook_url: str) -> None:
        """Where events go from now on."""
        self._webhook = webhook_url

    # --- people ---

    def add_person(self, name: str, open_id: str, email: str | None = None) -> Person:
        return self.world.people.setdefault(name, Person(name, open_id, email))

    def add_group(self, name: str, members: tuple[str, ...] | list[str]) -> Group:
        chat_id = f"oc_{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        self.world.groups[name] = Group(name, chat_id, tuple(members))
        return self.world.groups[name]

    # --- switches ---

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each `METHOD path` was called."""
        return self.faults.calls

    @property
    def limit_scale(self) -> float:
        return self.faults.limit_scale

    @limit_scale.setter
    def limit_scale(self, scale: float) -> None:
        self.faults.limit_scale = scale

    @property
    def outage_until(self) -> datetime | None:
        return self.faults.outage_until

    @outage_until.setter
    def outage_until(self, until: datetime | None) -> None:
        self.faults.outage_until = until

    def fail_next(self, path_part: str, code: int, http_status: int = 400, times: int = 1, text: str = "") -> None:
        self.faults.fail_next(path_part, code, http_status, times, text)

    def revoke_tokens(self) -> None:
        self.api.revoke_tokens()

    def duplicate_next(self, times: int = 1) -> None:
        """Push the next `times` events twice although the first push is acknowledged."""
        self._duplicates += times

    # --- what people do ---

    async def say(
        self,
        person: str,
        text: str,
        *,
        group: str | None = None,
        mention: bool = False,
        kind: str = "text",
        content: Mapping[str, Any] | None = None,
        quoted: str | None = None,
        sent_at: datetime | None = None,
    ) -> str:
        """`person` writes to the bot, or in `group`, mentioning the bot if so; the message id.

        `@name` of somebody known and `@所有人` in the text become mentions. `kind` is Feishu's message_type,
        `content` its raw content where the text does not say enough. Returns once the push has been answered
        or has failed.
        """
        speaker = self.world.people[person]
        chat = self.world.groups[group] if group else speaker
        bot = {"id": {"open_id": self.bot_open_id}, "mentioned_type": "bot", "name": self.bot_name}
        written, mentions = self.world.with_placeholders(f"@{self.bot_name} {text}" if mention else text, bot)
        content = content if content is not None else self.world.written_as(kind, written)
        at = sent_at or self.clock.now()
        message_id = self.world.new_id("om_")
        self.world.messages[message_id] = Stored(
            message_id, chat, kind, content, content, at, False, speaker.open_id, quoted or ""
        )
        message = {
            "message_id": message_id,
            "root_id": quoted or "",
            "parent_id": quoted or "",
            "create_time": _millis(at),
            "update_time": _millis(at),
            "chat_id": chat.chat_id,
            "chat_type": "group" if group else "p2p",
            "message_type": kind,
            "content": json.dumps(content, ensure_ascii=False),
            "mentions": mentions,
        }
        sender = {"sender_id": speaker.ids, "sender_type": "user", "tenant_key": TENANT_KEY}
        await self.push("im.message.receive_v1", {"sender": sender, "message": message})
        return message_id

    async def enter(self, person: str) -> None:
        """`person` opens the private chat with the bot."""
        who = self.world.people[person]
        event = {"chat_id": who.chat_id, "operator_id": who.ids, "last_message_id": ""}
        await self.push("im.chat.access_event.bot_p2p_chat_entered_v1", event)

    async def press(self, person: str, message_id: str, label: str, *, as_delivered: bool = True) -> str | None:
        """Press a button, or choose an option, of a card: as it was first delivered (a client that has
        not refreshed), or as it is now. The toast that came back; a callback is never retried. LookupError
        without such a button."""
        stored = self.world.messages[message_id]
        found = cards.pressables(stored.delivered if as_delivered else stored.content)
        action = next((one.action for one in found if one.label == label), None)
        if action is None:
            raise LookupError(f"no {label} on {message_id}")
        who = self.world.people[person]
        event = {
            "operator": {"tenant_key": TENANT_KEY, **who.ids},
            "token": self.world.new_id("c-"),
            "action": dict(action),
            "host": "im_message",
            "context": {"open_message_id": message_id, "open_chat_id": stored.chat.chat_id},
        }
        self._last_body = self.body("card.action.trigger", event)
        status, answer = await self._post(self._last_body)
        if status == 200:
            return self._show_callback_answer(stored, who, answer)
        return self._toast(who, CALLBACK_FAILED.format(code=200671 if status else 200341))

    # --- pushing ---

    async def push(self, event_type: str, event: Mapping[str, Any]) -> int:
        """Push any event; the status of the first attempt, 0 for no answer in time."""
        body = self._last_body = self.body(event_type, event)
        status, _ = await self._post(body)
        if status != 200:
            self._waiting.append(_Push(body, self.clock.now()))
        if self._duplicates:
            self._duplicates -= 1
            await self._post(body)
        return status

    async def redeliver_last(self) -> int:
        """The last inbound event again, byte for byte, under fresh signature headers; the status."""
        if self._last_body is None:
            raise LookupError("nothing was delivered yet")
        status, _ = await self._post(self._last_body)
        return status

    def next_due(self) -> datetime | None:
        return min((push.due_at for push in self._waiting), default=None)

    async def run_due(self) -> int:
        """Push again what is due, oldest first; how many there were. After the fourth try an event is dropped."""
        now = self.clock.now()
        due = sorted((push for push in self._waiting if push.due_at <= now), key=lambda push: push.due_at)
        for push in due:
            self._waiting.remove(push)
            status, _ = await self._post(push.body)
            push.attempt += 1
            if status != 200 and push.attempt < len(REPUSHES):
                self._waiting.append(push)
        return len(due)

    def body(self, event_type: str, event: Mapping[str, Any]) -> bytes:
        """A v2 event as it goes over the wire: encrypted when the app has an Encrypt Key."""
        header = {
            "event_id": self.world.new_id("ev-"),
            "token": self.verification_token,
            "create_time": _millis(self.clock.now()),
            "event_type": event_type,
            "tenant_key": TENANT_KEY,
            "app_id": self.app_id,
        }
        return self.sealed({"schema": "2.0", "header": header, "event": event})

    def sealed(self, plain: Mapping[str, Any]) -> bytes:
        raw = json.dumps(plain, ensure_ascii=False).encode()
        return json.dumps({"encrypt": encrypt(self.encrypt_key, raw)}).encode() if self.encrypt_key else raw

    def signed_headers(self, body: bytes) -> dict[str, str]:
        timestamp, nonce = str(int(self.clock.now().timestamp())), self.world.new_id("n-")
        return {
            "Content-Type": "application/json; charset=utf-8",
            "X-Lark-Request-Timestamp": timestamp,
            "X-Lark-Request-Nonce": nonce,
            "X-Lark-Signature": signature(timestamp, nonce, self.encrypt_key, body),
        }

    async def _post(self, body: bytes) -> tuple[int, bytes]:
        if self._session is None:
            raise RuntimeError("the simulator is not started")
        timeout = aiohttp.ClientTimeout(total=self.deadline)
        try:
            async with self._session.post(
                self._webhook, data=body, headers=self.signed_headers(body), timeout=timeout
            ) as response:
                return response.status, await response.read()
        except (TimeoutError, aiohttp.ClientError, ValueError):
            return 0, b""

    # --- helpers ---

    def _show_callback_answer(self, stored: Stored, who: Person, answer: bytes) -> str | None:
        """What the client does with the answer to a callback: a new card in place, a toast."""
        try:
            said = json.loads(answer or b"{}")
        except ValueError:
            return self._toast(who, CALLBACK_FAILED.format(code=200672))
        card = said.get("card")
        if card:
            try:
                self.messages.change(stored, card["data"])
            except Wrong:
                return self._toast(who, CALLBACK_FAILED.format(code=200673))
        toast = said.get("toast")
        return self._toast(who, toast["content"]) if toast else None

    def _toast(self, who: Person, text: str) -> str:
        self.world.arrive(who, self.world.new_id("toast-"), "toast", text)
        return text


def _millis(moment: datetime) -> str:
    return str(int(moment.timestamp() * 1000))
