"""The HTTP API of the simulated WeCom: tokens, media, messages, card updates, look-ups (C4 to C12)."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from aiohttp import BodyPartReader, web

from adapters.simulators import wecom_cards
from adapters.simulators.wecom_faults import Faults
from adapters.simulators.wecom_members import File, Member, Members
from adapters.simulators.wecom_wire import Wire
from config.clock import Clock

_TOKEN_LIFE = timedelta(seconds=7200)
_CODE_LIFE = timedelta(hours=72)
_MB = 1024 * 1024
_MEDIA_SIZES = {"image": 10 * _MB, "voice": 2 * _MB, "video": 10 * _MB, "file": 20 * _MB}

Answer = dict[str, Any]


class ApiError(Exception):
    """An answer with an errcode."""

    def __init__(self, errcode: int, errmsg: str) -> None:
        super().__init__(errmsg)
        self.errcode = errcode


@dataclass(frozen=True)
class _Code:
    """A response_code: one update of one message, for 72 hours (C5)."""

    message_id: str
    expires_at: datetime


@dataclass
class WecomApi:
    """Everything below `/cgi-bin/`, and what it remembers."""

    clock: Clock
    wire: Wire
    secret: str
    members: Members
    faults: Faults
    advice: list[str] = field(default_factory=list)  # advised lengths that cards exceeded
    _token: tuple[str, datetime] | None = None
    _media: dict[str, tuple[str, File]] = field(default_factory=dict)  # kind and file by media_id
    _codes: dict[str, _Code] = field(default_factory=dict)
    _task_ids: set[str] = field(default_factory=set)
    _recent: dict[str, tuple[datetime, str]] = field(default_factory=dict)  # payload → until, message id

    def web_app(self) -> web.Application:
        app = web.Application(client_max_size=32 * _MB)
        app.router.add_get("/cgi-bin/gettoken", self._serve("gettoken", self._get_token, needs_token=False))
        for path, handler in (
            ("message/send", self._send),
            ("message/update_template_card", self._update),
            ("media/upload", self._upload),
            ("user/getuserid", self._find_by("mobile")),
            ("user/get_userid_by_email", self._find_by("email")),
        ):
            app.router.add_post(f"/cgi-bin/{path}", self._serve(path, handler))
        return app

    def revoke_tokens(self) -> None:
        """What the platform may do at any time (C7): the next call with the old token fails."""
        self._token = None

    def issue_code(self, message_id: str) -> str:
        code = secrets.token_urlsafe(24)
        self._codes[code] = _Code(message_id, self.clock.now() + _CODE_LIFE)
        return code

    # --- the frame of every call

    def _serve(
        self, path: str, handler: Callable[[web.Request], Awaitable[Answer]], *, needs_token: bool = True
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            self.faults.calls[path] += 1
            await asyncio.sleep(self.faults.latency)
            if self.faults.takes("hang_next"):
                await self.faults.released.wait()
            failure = self.faults.next_failure(path)
            if self.faults.is_out(self.clock.now()) or (failure and failure.status >= 500):
                return web.Response(status=failure.status if failure else 503, text="Service Unavailable")
            if failure:
                return web.json_response({"errcode": failure.errcode, "errmsg": failure.errmsg})
            try:
                if self.faults.exceeds_api_limit(path, self.clock.now()):
                    raise ApiError(45009, "api freq out of limit")
                if needs_token:
                    self._check_token(request.query.get("access_token"))
                answer = {"errcode": 0, "errmsg": "ok", **await handler(request)}
            except ApiError as error:
                answer = {"errcode": error.errcode, "errmsg": str(error)}
            if path != "gettoken" and self.faults.takes("lose_answers") and request.transport:
                request.transport.abort()
            return web.json_response(answer)

        return serve

    def _check_token(self, value: str | None) -> None:
        if not value:
            raise ApiError(41001, "access_token missing")
        if self._token is None or value != self._token[0]:
            raise ApiError(40014, "invalid access_token")
        if self.clock.now() >= self._token[1]:
            raise ApiError(42001, "access_token expired")

    async def _get_token(self, request: web.Request) -> Answer:
        if request.query.get("corpid") != self.wire.corp_id:
            raise ApiError(40013, "invalid corpid")
        if request.query.get("corpsecret") != self.secret:
            raise ApiError(40001, "invalid credential")
        now = self.clock.now()
        if self._token is None or now >= self._token[1]:
            self._token = (secrets.token_urlsafe(32), now + _TOKEN_LIFE)
        value, expires_at = self._token
        return {"access_token": value, "expires_in": int((expires_at - now).total_seconds())}

    # --- sending

    async def _send(self, request: web.Request) -> Answer:
        payload = await _json(request)
        if payload.get("agentid") != self.wire.agent_id:
            raise ApiError(40056, "invalid agentid")
        userids = [userid for userid in str(payload.get("touser") or "").split("|") if userid]
        if not userids:
            raise ApiError(82001, "no receiver given")
        reached, unknown = self.members.find(userids)
        if not reached:
            raise ApiError(81013, "user & party & tag all invalid")
        self._check_content(payload)
        answer: Answer = {"invaliduser": "|".join(unknown)}
        if (earlier := self._repeated(payload)) is not None:
            return {**answer, "msgid": earlier}  # accepted, and nobody sees it twice
        message_id = secrets.token_urlsafe(24)
        self._remember(payload, message_id)
        if not self._is_task_id_used(payload):
            for member in reached:
                self._deliver(member, message_id, payload)
        if payload["msgtype"] == "template_card" and payload["template_card"].get("task_id"):
            answer["response_code"] = self.issue_code(message_id)
        return {**answer, "msgid": message_id}

    def _check_content(self, payload: Mapping[str, Any]) -> None:
        kind = payload.get("msgtype")
        content = payload.get(str(kind))
        if not isinstance(content, dict):
            raise ApiError(40008, "invalid message type")
        if kind in ("text", "markdown") and not content.get("content"):
            raise ApiError(44004, "empty content")
        if kind in ("image", "file", "voice", "video"):
            media_kind, _ = self._media.get(content.get("media_id", ""), ("", None))
            if media_kind != kind:
                raise ApiError(40007, "invalid media_id")
        if kind == "template_card":
            try:
                self.advice += wecom_cards.check(content)
            except wecom_cards.InvalidCard as error:
                raise ApiError(40058, f"invalid parameter: {error}") from None

    def _repeated(self, payload: Mapping[str, Any]) -> str | None:
        """The whole JSON is compared (C4), within the interval of the first one."""
        until, message_id = self._recent.get(_canonical(payload), (self.clock.now(), ""))
        return message_id if payload.get("enable_duplicate_check") and self.clock.now() < until else None

    def _remember(self, payload: Mapping[str, Any], message_id: str) -> None:
        if payload.get("enable_duplicate_check"):
            seconds = min(int(payload.get("duplicate_check_interval", 1800)), 4 * 3600)
            self._recent[_canonical(payload)] = (self.clock.now() + timedelta(seconds=seconds), message_id)

    def _is_task_id_used(self, payload: Mapping[str, Any]) -> bool:
        """A second card with the same task_id is answered with ok and shown to nobody."""
        task_id = (payload.get("template_card") or {}).get("task_id")
        is_used = task_id in self._task_ids
        if task_id:
            self._task_ids.add(task_id)
        return is_used

    def _deliver(self, member: Member, message_id: str, payload: Mapping[str, Any]) -> None:
        is_over = self.faults.exceeds_member_limit(member.userid, self.clock.now())
        if is_over or self.faults.takes("drop_next"):
            return
        _, file = self._media.get(payload[payload["msgtype"]].get("media_id", ""), ("", None))
        self.members.deliver(member, message_id, payload, file)

    # --- updating a card

    async def _update(self, request: web.Request) -> Answer:
        payload = await _json(request)
        code = self._codes.get(str(payload.get("response_code")))
        if payload.get("agentid") != self.wire.agent_id:
            raise ApiError(40056, "invalid agentid")
        if code is None or self.clock.now() >= code.expires_at:
            raise ApiError(40058, "invalid parameter: response_code is unknown, used or expired")
        replace_name = (payload.get("button") or {}).get("replace_name")
        card = payload.get("template_card")
        try:
            if not replace_name:
                self.advice += wecom_cards.check(card or {}, sent=False)
        except wecom_cards.InvalidCard as error:
            raise ApiError(40058, f"invalid parameter: {error}") from None
        del self._codes[str(payload["response_code"])]
        reached, unknown = self.members.find(map(str, payload.get("userids") or ()))
        for member in reached:
            self.members.replace(member, code.message_id, card, replace_name)
        return {"invaliduser": unknown}

    # --- media and look-ups

    async def _upload(self, request: web.Request) -> Answer:
        kind = request.query.get("type", "")
        if kind not in _MEDIA_SIZES:
            raise ApiError(40004, "invalid media type")
        part = await (await request.multipart()).next()
        if not isinstance(part, BodyPartReader) or part.name != "media":
            raise ApiError(41005, "media data missing")
        if "filename*" in part.headers.get("Content-Disposition", ""):
            raise ApiError(44001, "empty media data")  # RFC 5987 names are not understood
        content = bytes(await part.read())
        if len(content) <= 5:
            raise ApiError(44001, "empty media data")
        if len(content) > _MEDIA_SIZES[kind]:
            raise ApiError(40009 if kind == "image" else 40006, "invalid media size")
        if kind == "image" and not content.startswith((b"\x89PNG", b"\xff\xd8")):
            raise ApiError(40005, "invalid file type")
        media_id = secrets.token_urlsafe(32)
        self._media[media_id] = (kind, (part.filename or "", content))
        return {"type": kind, "media_id": media_id, "created_at": str(int(self.clock.now().timestamp()))}

    def _find_by(self, attribute: str) -> Callable[[web.Request], Awaitable[Answer]]:
        async def find(request: web.Request) -> Answer:
            wanted = (await _json(request)).get(attribute)
            for member in self.members:
                if wanted and getattr(member, attribute) == wanted:
                    return {"userid": member.userid}
            raise ApiError(46004, "user not exist")

        return find


def _canonical(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, sort_keys=True, ensure_ascii=False)


async def _json(request: web.Request) -> Mapping[str, Any]:
    try:
        payload = await request.json()
    except ValueError:
        raise ApiError(47001, "data format error") from None
    if not isinstance(payload, dict):
        raise ApiError(47001, "data format error")
    return payload
