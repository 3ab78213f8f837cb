"""The open API of a simulated Feishu: tokens, messages, uploads, tasks, contacts (platform-facts A)."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from aiohttp import web

from adapters.simulators.feishu_faults import Faults
from adapters.simulators.feishu_messages import Messages
from adapters.simulators.feishu_wire import Form, Wrong, ok, read_body, read_form, refusal
from adapters.simulators.feishu_world import World

TOKEN_LIFE, SAME_TOKEN_ABOVE = timedelta(hours=2), timedelta(minutes=30)
CLIENT_TOKEN_LIFE = timedelta(minutes=5)
IMAGE_BYTES, FILE_BYTES = 10 * 1024 * 1024, 30 * 1024 * 1024
FILE_TYPES = ("opus", "mp4", "pdf", "doc", "xls", "ppt", "stream")
CHINA = timezone(timedelta(hours=8))

Handle = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class FeishuApi:
    """The server's side of one app. `token_error_status` is the HTTP status of a refused token (400 or 200)."""

    world: World
    messages: Messages
    faults: Faults
    app_id: str
    app_secret: str
    bot_open_id: str
    bot_name: str
    token_error_status: int = 400
    _tokens: dict[str, datetime] = field(default_factory=dict)

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=64 * 1024 * 1024)
        root = "/open-apis"
        at, messages = f"{root}/im/v1/messages", self.messages
        app.add_routes(
            [
                web.post(f"{root}/auth/v3/tenant_access_token/internal", self._issue_token),
                web.get(f"{root}/bot/v3/info", self._bot_info),
                web.post(at, messages.send),
                web.post(at + "/{message_id}/reply", messages.reply),
                web.patch(at + "/{message_id}", messages.patch),
                web.get(at + "/{message_id}", messages.get),
                web.post(f"{root}/im/v1/images", self._upload_image),
                web.post(f"{root}/im/v1/files", self._upload_file),
                web.post(f"{root}/task/v2/tasks", self._create_task),
                web.post(f"{root}/contact/v3/users/batch_get_id", self._batch_get_id),
            ]
        )
        return app

    def revoke_tokens(self) -> None:
        """Every token issued so far is refused from now on."""
        self._tokens.clear()

    # --- the frame of every call ---

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handle) -> web.StreamResponse:
        struck = await self.faults.before(request)
        if struck:
            return struck
        try:
            if not request.path.endswith("/tenant_access_token/internal"):
                self._authorise(request)
            answer = await handler(request)
        except Wrong as wrong:
            wait = {} if wrong.wait is None else {"x-ogw-ratelimit-reset": str(math.ceil(wrong.wait))}
            return refusal(wrong.code, wrong.text, wrong.status, wait)
        await self.faults.after(request)
        return answer

    def _authorise(self, request: web.Request) -> None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not token:
            raise Wrong(99991661, "Missing access token for authorization", self.token_error_status)
        if self._tokens.get(token, self.world.clock.now()) <= self.world.clock.now():
            raise Wrong(99991663, "Invalid access token for authorization", self.token_error_status)

    # --- token, bot, contacts ---

    async def _issue_token(self, request: web.Request) -> web.Response:
        asked = await read_body(request)
        if asked.get("app_id") != self.app_id:
            raise Wrong(10003, "invalid param")
        if asked.get("app_secret") != self.app_secret:
            raise Wrong(10014, "app secret invalid")
        now = self.world.clock.now()
        fresh = [token for token, until in self._tokens.items() if until - now >= SAME_TOKEN_ABOVE]
        token = fresh[-1] if fresh else self.world.new_id("t-")
        self._tokens.setdefault(token, now + TOKEN_LIFE)
        expire = int((self._tokens[token] - now).total_seconds())
        return web.json_response({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": expire})

    async def _bot_info(self, request: web.Request) -> web.Response:
        bot = {"activate_status": 2, "app_name": self.bot_name, "open_id": self.bot_open_id}
        return web.json_response({"code": 0, "msg": "ok", "bot": bot})

    async def _batch_get_id(self, request: web.Request) -> web.Response:
        id_type = request.query.get("user_id_type", "open_id")
        users = []
        for email in (await read_body(request)).get("emails", []):
            person = self.world.person_by("email", email)
            users.append({"email": email, **({"user_id": person.ids[id_type]} if person else {})})
        return ok({"user_list": users})

    # --- uploads ---

    async def _upload_image(self, request: web.Request) -> web.Response:
        form = await read_form(request)
        if _field(form, "image_type") not in ("message", "avatar"):
            raise Wrong(234001, "image_type")
        name, content = form.get("image", ("", b""))
        return ok({"image_key": self._keep("img_", name or "image.png", content, IMAGE_BYTES)})

    async def _upload_file(self, request: web.Request) -> web.Response:
        form = await read_form(request)
        name = _field(form, "file_name")
        if _field(form, "file_type") not in FILE_TYPES or not name:
            raise Wrong(234001, "file_type or file_name")
        return ok({"file_key": self._keep("file_", name, form.get("file", ("", b""))[1], FILE_BYTES)})

    def _keep(self, prefix: str, name: str, content: bytes, most: int) -> str:
        if not content:
            raise Wrong(234010, "the file is empty")
        if len(content) > most:
            raise Wrong(234006, "the file is too big")
        key = self.world.new_id(prefix)
        self.world.uploads[key] = (name, content)
        return key

    # --- tasks ---

    async def _create_task(self, request: web.Request) -> web.Response:
        asked = await read_body(request)
        summary = str(asked.get("summary", ""))
        token = str(asked.get("client_token") or self.world.new_id("token-"))
        members = asked.get("members", [])
        if not summary or len(summary) > 3000 or len(members) > 50 or not 10 <= len(token) <= 100:
            raise Wrong(1470400, "invalid parameter")
        task = self.world.made_before(("task", token), CLIENT_TOKEN_LIFE)
        if task is None:
            task = {
                "guid": self.world.new_id("task-"),
                "summary": summary,
                "due": asked.get("due"),
                "members": members,
            }
            self.world.remember(("task", token), task)
            lines = [summary, str(asked.get("description", "")), _due_text(asked.get("due"))]
            text = "\n".join(line for line in lines if line)
            for member in members:
                person = self.world.person_by(request.query.get("user_id_type", "open_id"), member["id"])
                if person and member.get("role") == "assignee":
                    self.world.arrive(person, task["guid"], "task", text, raw=asked)
        return ok({"task": task})


def _field(form: Form, name: str) -> str:
    return form.get(name, ("", b""))[1].decode("utf-8", "replace")


def _due_text(due: Any) -> str:
    if not isinstance(due, dict) or not str(due.get("timestamp", "")).isdecimal():
        return ""
    moment = datetime.fromtimestamp(int(due["timestamp"]) / 1000, UTC)
    if due.get("is_all_day"):
        return moment.date().isoformat()
    return f"{moment.astimezone(CHINA):%Y-%m-%d %H:%M}"
