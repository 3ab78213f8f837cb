"""One self-built WeCom app as the bot's Adapter: its webhook, its messages and its limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import timedelta

import aiohttp

from adapters.wecom.client import TokenKey, TokenStore, WecomClient
from adapters.wecom.crypto import Seal
from adapters.wecom.errors import Refused, unreached
from adapters.wecom.parsing import parse
from adapters.wecom.rendering import as_text_part, outcome, render
from adapters.wecom.sdk import read_xml
from bot.drawing import draw_chart
from bot.types import Account, Address, HttpAnswer, Part, Received, Reply, Sent, Unreachable, Unsendable
from config.clock import Clock
from config.platforms import WecomEntry

_DUPLICATE_SECONDS = 4 * 60 * 60
"""How long a repeated send is recognised: the platform's maximum, for rows differ by their marks anyway."""

_PER_MEMBER = ((30, timedelta(minutes=1)), (1000, timedelta(hours=1)))
_PER_CORP = (10_000, timedelta(minutes=1))

_NOTHING = HttpAnswer(200, b"", "text/plain")


class WecomAdapter:
    """Sends and receives for one entry of `platforms.wecom`."""

    platform = "wecom"
    has_toast = False

    def __init__(
        self,
        entry: WecomEntry,
        *,
        clock: Clock,
        session: aiohttp.ClientSession | None = None,
        tokens: TokenStore | None = None,
    ) -> None:
        self.app = entry.name
        self.tenant = entry.tenant
        self.path = f"/wecom/callback{entry.suffix}"
        self._corp_id = entry.corp_id
        self._agent_id = entry.agent_id
        self._clock = clock
        self._seal = Seal(entry.token.get_secret_value(), entry.aes_key.get_secret_value(), entry.corp_id)
        key = TokenKey(entry.corp_id, entry.secret.get_secret_value(), entry.base_url)
        self._client = WecomClient(key, clock, session=session, tokens=tokens)

    async def start(self) -> None:
        """Nothing to open: the session opens with the first call, the platform comes to our webhook."""

    async def close(self) -> None:
        await self._client.close()

    def receive(self, method: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes) -> Received:
        try:
            if method == "GET":
                return Received(HttpAnswer(200, self._seal.open_check(query).encode(), "text/plain"))
            if method != "POST":
                raise Refused("只接受 GET 与 POST", 405)
            pushed = read_xml(self._seal.open_push(query, body))
        except Refused as refusal:
            reason = str(refusal)
            return Received(HttpAnswer(refusal.status, reason.encode(), "text/plain"), refused=reason)
        return Received(_NOTHING, parse(pushed, app=self.app, tenant=self.tenant, now=self._clock.now()))

    def answer_press(self, toast: str | None) -> HttpAnswer:
        return _NOTHING

    def render(self, reply: Reply, seed: str) -> tuple[Part, ...]:
        return render(reply, seed)

    async def upload(self, part: Part) -> str:
        if part.picture is not None:
            picture = await asyncio.to_thread(draw_chart, part.picture)
            return await self._client.upload("image", "chart.png", picture)
        if part.file is None:
            raise ValueError(f"a {part.kind} part has nothing to upload")
        return await self._client.upload("file", _file_name(part.file.name), part.file.content)

    async def send(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        user_id = _member(to)
        try:
            return await self._send(user_id, part, media)
        except Unsendable:
            if "template_card" not in part.content:
                raise
            return await self._send(user_id, as_text_part(part, key), None)

    async def _send(self, user_id: str, part: Part, media: str | None) -> Sent:
        content = dict(part.content)
        if media is not None:
            content[content["msgtype"]] = {"media_id": media}
        envelope = {
            "touser": user_id,
            "agentid": self._agent_id,
            "enable_duplicate_check": 1,
            "duplicate_check_interval": _DUPLICATE_SECONDS,
        }
        answer = await self._client.post("message/send", {**envelope, **content})
        if (error := unreached(answer, user_id)) is not None:
            raise error
        return Sent(str(answer.get("msgid", "")), answer.get("response_code"))

    async def update(self, to: Address, sent: Sent, reply: Reply, receipt: str | None) -> None:
        code = receipt or sent.receipt
        if code is None:
            return
        change = {
            "userids": [_member(to)],
            "agentid": self._agent_id,
            "response_code": code,
            **outcome(reply),
        }
        try:
            await self._client.post("message/update_template_card", change)
        except (Unsendable, Unreachable):
            return  # the code works once and for 72 hours (C5); the answer itself reaches the person anyway

    def limits(self, to: Address) -> tuple[tuple[str, int, timedelta], ...]:
        """Per member, whose excess the platform discards without a word, and per corp (platform-facts C6)."""
        member = f"wecom:{self._corp_id}:{self._agent_id}:{_member(to)}"
        return (
            *((f"{member}:{per.total_seconds():.0f}", count, per) for count, per in _PER_MEMBER),
            (f"wecom:{self._corp_id}", *_PER_CORP),
        )


def _member(to: Address) -> str:
    if not isinstance(to.to, Account):
        raise Unreachable("企业微信自建应用只能与成员单聊")
    return to.to.user_id


def _file_name(name: str) -> str:
    """A name that survives a multipart header: one component, no quotes or line ends."""
    return re.sub(r'["\\/\x00-\x1f]', "_", name)[-100:] or "file"
