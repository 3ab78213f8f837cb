"""One Feishu app as a `bot.types.Adapter`: webhook requests in, messages and cards out."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import aiohttp

from adapters.feishu.cards import Element, to_json
from adapters.feishu.client import FeishuClient, TokenStore
from adapters.feishu.crypto import decrypt, same_secret, signature
from adapters.feishu.errors import Refusal, Remedy, translate
from adapters.feishu.parsing import Malformed, Me, parse_event, safe_name
from adapters.feishu.rendering import content_of, mask, render, settled_card
from bot.types import (
    Account,
    Address,
    HttpAnswer,
    Misconfigured,
    Part,
    Received,
    Reply,
    RetryLater,
    Sent,
    Unsendable,
)
from config.clock import Clock
from config.platforms import FeishuEntry

log = logging.getLogger(__name__)

FRESH = timedelta(hours=7)
"""Feishu re-pushes for six hours (platform-facts A1); a signature older than that is somebody's replay."""

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)

MESSAGES = "/open-apis/im/v1/messages"
IMAGES = "/open-apis/im/v1/images"
FILES = "/open-apis/im/v1/files"
TASKS = "/open-apis/task/v2/tasks"
BOT_INFO = "/open-apis/bot/v3/info"

FILE_TYPES = ("pdf", "doc", "xls", "ppt", "mp4", "opus")


class Refused(Exception):
    """An inbound request that is not Feishu's or not well formed: HTTP status and reason for the log."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class FeishuAdapter:
    """Everything Feishu about one entry of bot.yaml. `session` and `tokens` may be shared between entries."""

    platform = "feishu"
    has_toast = True

    def __init__(
        self,
        entry: FeishuEntry,
        *,
        clock: Clock,
        session: aiohttp.ClientSession | None = None,
        tokens: TokenStore | None = None,
    ) -> None:
        self.app = entry.name
        self.tenant = entry.tenant
        self.path = f"/feishu/events{entry.suffix}"
        self._clock = clock
        self._encrypt_key = entry.encrypt_key.get_secret_value() if entry.encrypt_key else ""
        self._token = entry.verification_token.get_secret_value()
        self._me = Me(entry.name, entry.tenant)
        self.client = FeishuClient(
            base_url=entry.base_url,
            app_id=entry.app_id,
            app_secret=entry.app_secret.get_secret_value(),
            clock=clock,
            session=session,
            tokens=tokens,
        )

    async def start(self) -> None:
        """Learn the bot's own open_id; when Feishu is down now, the next send learns it."""
        await self._know_myself()

    def introduce(self, open_id: str) -> None:
        """Tell the adapter the bot's own open_id: what it looks for among the mentions."""
        self._me = replace(self._me, open_id=open_id)

    async def close(self) -> None:
        await self.client.close()

    # --- in ---

    def receive(self, method: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes) -> Received:
        try:
            return self._receive(method, {name.lower(): value for name, value in headers.items()}, body)
        except Refused as refused:
            return Received(HttpAnswer(refused.status, b"{}"), refused=str(refused))

    def answer_press(self, toast: str | None) -> HttpAnswer:
        return _answer({"toast": {"type": "info", "content": toast}} if toast else {})

    def _receive(self, method: str, headers: Mapping[str, str], body: bytes) -> Received:
        if method != "POST":
            raise Refused(405, "not a POST")
        inner = self._decrypted(_read_object(body))
        header = inner.get("header")
        header = header if isinstance(header, Mapping) else {}
        self._check_token(header.get("token", inner.get("token")))
        if inner.get("type") == "url_verification":
            return Received(_answer({"challenge": str(inner.get("challenge", ""))}))
        if self._encrypt_key:
            self._check_signature(headers, body)
        event = inner.get("event")
        if not isinstance(event, Mapping):
            raise Refused(400, "no event")
        try:
            message = parse_event(self._me, header, event, self._clock.now())
        except Malformed as malformed:
            raise Refused(400, f"malformed event: {malformed}") from malformed
        return Received(_answer({}), message)

    def _decrypted(self, outer: Mapping[str, Any]) -> Mapping[str, Any]:
        encrypted = outer.get("encrypt")
        if not self._encrypt_key:
            if encrypted is not None:
                raise Refused(400, "encrypted, but bot.yaml has no encrypt_key")
            return outer
        if not isinstance(encrypted, str):
            raise Refused(403, "plain text although an Encrypt Key is set")
        try:
            plain = decrypt(self._encrypt_key, encrypted)
        except ValueError as error:
            raise Refused(400, "cannot decrypt: is encrypt_key the app's?") from error
        return _read_object(plain)

    def _check_token(self, token: Any) -> None:
        if not (isinstance(token, str) and self._token and same_secret(token, self._token)):
            raise Refused(403, "wrong verification token")

    def _check_signature(self, headers: Mapping[str, str], body: bytes) -> None:
        names = ("x-lark-request-timestamp", "x-lark-request-nonce", "x-lark-signature")
        timestamp, nonce, given = (headers.get(name, "") for name in names)
        if not (timestamp and nonce and given):
            raise Refused(401, "signature headers are missing")
        if not same_secret(given, signature(timestamp, nonce, self._encrypt_key, body)):
            raise Refused(401, "wrong signature")
        if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 10):
            raise Refused(401, "odd timestamp")
        if abs(self._clock.now().timestamp() - int(timestamp)) > FRESH.total_seconds():
            raise Refused(401, "signature too old")

    # --- out ---

    def render(self, reply: Reply, seed: str) -> tuple[Part, ...]:
        return render(reply)

    def limits(self, to: Address) -> tuple[tuple[str, int, timedelta], ...]:
        """Five a second for one person or one chat, whose limit all bots in it share (platform-facts A9)."""
        app = f"feishu:{self.app}"
        where = f"{app}:{to.to.user_id}" if isinstance(to.to, Account) else f"feishu:{to.to.chat_id}"
        return ((where, 5, SECOND), (f"{app}:second", 50, SECOND), (f"{app}:minute", 1000, MINUTE))

    async def upload(self, part: Part) -> str:
        file = part.file
        if file is None or not file.content:
            raise Unsendable("nothing to upload")
        name = safe_name(file.name)
        try:
            if part.kind == "image":
                return await self.client.upload(IMAGES, {"image_type": "message"}, "image", name, file.content)
            fields = {"file_type": _file_type(name), "file_name": name}
            return await self.client.upload(FILES, fields, "file", name, file.content)
        except Refusal as refusal:
            raise translate(refusal) from refusal

    async def send(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        try:
            if self._me.open_id is None:
                await self._know_myself()
            if part.kind == "task":
                return await self._create_task(to, part, key)
            return await self._send_or_fall_back(to, part, key, media)
        except Refusal as refusal:
            raise translate(refusal) from refusal

    async def update(self, to: Address, sent: Sent, reply: Reply, receipt: str | None) -> None:
        message_id = receipt or sent.receipt
        if message_id is None:
            return  # it went out as text, which shows no buttons
        try:
            await self._change_card(message_id, settled_card(reply))
        except Refusal as refusal:
            if refusal.remedy is not Remedy.GONE:
                raise translate(refusal) from refusal

    async def _change_card(self, message_id: str, card: Element) -> None:
        """Replace a card; a refused wording once more with its digits hidden."""
        path = f"{MESSAGES}/{message_id}"
        try:
            await self.client.call("PATCH", path, body={"content": to_json(card)})
        except Refusal as refusal:
            if refusal.remedy is not Remedy.MASK:
                raise
            await self.client.call("PATCH", path, body={"content": to_json(mask(card))})

    async def _send_or_fall_back(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        """A refused card goes out as text, a refused wording once with its digits hidden (field fault F1)."""
        try:
            return await self._create_message(to, part, key, media)
        except Refusal as refusal:
            if refusal.remedy is Remedy.PLAIN and part.kind == "card":
                instead, suffix = Part("text", {"text": part.content["plain"]}), "plain"
            elif refusal.remedy is Remedy.MASK:
                instead, suffix = replace(part, content=mask(part.content)), "masked"
            else:
                raise
            log.warning("%s: %s, sent once more as %s", self.app, refusal.code, suffix, extra={"row": key})
        return await self._create_message(to, instead, _derived(key, suffix), media)

    async def _create_message(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        receive_id, id_type = _receiver(to)
        msg_type, content = content_of(part, media)
        body = {"receive_id": receive_id, "msg_type": msg_type, "content": to_json(content), "uuid": key}
        answer = await self.client.call("POST", MESSAGES, query={"receive_id_type": id_type}, body=body)
        message_id = str(_data(answer).get("message_id", ""))
        return Sent(message_id, message_id if msg_type == "interactive" else None)

    async def _create_task(self, to: Address, part: Part, key: str) -> Sent:
        user_id, id_type = _receiver(to)
        members = [{"id": user_id, "type": "user", "role": "assignee"}]
        body = {**part.content, "members": members, "client_token": key}
        answer = await self.client.call("POST", TASKS, query={"user_id_type": id_type}, body=body)
        task = _data(answer).get("task") or {}
        return Sent(str(task.get("guid", "")))

    async def _know_myself(self) -> None:
        try:
            answer = await self.client.call("GET", BOT_INFO)
        except (Refusal, RetryLater, Misconfigured) as error:
            log.warning("%s: the bot's own id is unknown: %s", self.app, error)
            return
        open_id = (answer.get("bot") or {}).get("open_id")
        if open_id:
            self.introduce(str(open_id))


def _receiver(to: Address) -> tuple[str, str]:
    if not isinstance(to.to, Account):
        return to.to.chat_id, "chat_id"
    user_id = to.to.user_id
    prefixes = {"on_": "union_id", "ou_": "open_id"}
    return user_id, prefixes.get(user_id[:3], "user_id")


def _derived(key: str, suffix: str) -> str:
    """Another idempotency key, the same for every retry, within Feishu's 50 characters."""
    return hashlib.sha256(f"{key}:{suffix}".encode()).hexdigest()[:40]


def _file_type(name: str) -> str:
    ending = name.rpartition(".")[2].lower()
    return next((kind for kind in FILE_TYPES if ending in (kind, f"{kind}x")), "stream")


def _read_object(raw: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "not JSON") from error
    if not isinstance(value, dict):
        raise Refused(400, "not a JSON object")
    return value


def _data(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    data = answer.get("data")
    return data if isinstance(data, Mapping) else {}


def _answer(content: Mapping[str, Any]) -> HttpAnswer:
    return HttpAnswer(200, json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))
