"""The playground: one page and a JSON API through which simulated people talk to the bot."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractContextManager, aclosing, suppress
from datetime import datetime, timedelta
from typing import Any, Protocol

from aiohttp import web

from adapters.pages import assets
from adapters.pages.channel import News
from adapters.pages.fields import moment_of, number, span, text_of
from adapters.pages.loopback import BadRequest, answer, guarded, read_json
from adapters.pages.messages import media_type
from adapters.pages.stream import SIGN_OF_LIFE, event, resumes_after, with_heartbeat

TEXT_LIMIT = 10_000  # characters of one message; Feishu's own limit is 150 KB, WeCom's 2 KB
FARTHEST_MOVE = timedelta(days=400)
SHOWN_IN_PAGE = ("image/png", "image/jpeg")  # every other attachment is only offered for saving


class Stage(Protocol):
    """What the playground asks of the world behind it. Raises `BadRequest` for what cannot be done."""

    @property
    def bot(self) -> str:
        """What the bot calls itself."""

    def now(self) -> datetime:
        """The moment, aware, in the office's zone."""

    def people(self) -> list[dict[str, Any]]:
        """`{name, platforms}` of everybody, the default speaker first; `platforms` from feishu, wecom."""

    def groups(self) -> list[dict[str, Any]]:
        """`{name, platforms}` of every group chat."""

    async def say(self, person: str, platform: str, text: str, group: str | None, mention: bool) -> str:
        """The platform's id of the message that the person sent."""

    async def press(self, person: str, message_id: str, label: str) -> None:
        """The person presses the button, or chooses the option, of that label."""

    def messages(self, after: int) -> list[dict[str, Any]]:
        """What was said and delivered with a `seq` above `after`, in order (`as_message`, `as_said`)."""

    def attachment(self, seq: int, index: int) -> tuple[str, bytes] | None:
        """The name and content of one attachment."""

    async def memory(self, person: str) -> dict[str, Any]:
        """What is remembered, in words: `preferences`, `archived`, `facts`, `aliases`, `questions`.

        A preference is `{key, value, name, says, scene, source, date}`: key and value normalised
        (`report_template@weekly`, `market`), the rest as people read it; an archived one also has `reason`.
        A fact is `{says, source, date}`, an alias `{name, says, date}`, a question `{text, options, until}`.
        """

    async def move_clock(self, moment: datetime) -> None:
        """Move time forward to `moment` and run what falls due on the way."""

    async def reset(self) -> None:
        """Forget everything and begin again."""

    def subscribe(self) -> AbstractContextManager[AsyncIterator[News]]:
        """Messages as they come (they have a `seq`), `{"type": "clock", "now"}` and `{"type": "reset"}`."""


def routes(stage: Stage) -> list[web.RouteDef]:
    """Every route of the playground; the caller binds them to the loopback interface only."""
    playground = Playground(stage)
    api = "/playground/api"
    table = [
        web.get("/", playground.page),
        web.get("/playground", playground.page),
        web.get("/playground/static/{name}", playground.asset),
        web.get(f"{api}/people", playground.people),
        web.get(f"{api}/messages", playground.messages),
        web.get(f"{api}/memory", playground.memory),
        web.get(f"{api}/stream", playground.stream),
        web.get(f"{api}/attachment/{{seq:\\d+}}/{{index:\\d+}}", playground.attachment),
        web.post(f"{api}/say", playground.say),
        web.post(f"{api}/press", playground.press),
        web.post(f"{api}/clock", playground.clock),
        web.post(f"{api}/reset", playground.reset),
    ]
    return [web.RouteDef(route.method, route.path, guarded(route.handler), route.kwargs) for route in table]


class Playground:
    """The handlers. `epoch` marks stream ids: one from before a reset or a restart is not resumed."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.epoch = secrets.token_hex(4)
        self.files = assets.load()

    # --- the page ---

    async def page(self, request: web.Request) -> web.StreamResponse:
        return assets.serve(self.files["playground.html"], "playground.html")

    async def asset(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in self.files:
            raise BadRequest("没有这个文件。", "name", 404)
        return assets.serve(self.files[name], name)

    # --- looking ---

    async def people(self, request: web.Request) -> web.StreamResponse:
        return answer(
            {
                "bot": self.stage.bot,
                "people": self.stage.people(),
                "groups": self.stage.groups(),
                "now": self._now(),
            }
        )

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """What the bot delivered; `said=1` adds what people said themselves."""
        after = number(request.query.get("after", "0"), "after")
        everything = request.query.get("said") == "1"
        messages = self.stage.messages(after)
        return answer([message for message in messages if everything or not message.get("from")])

    async def memory(self, request: web.Request) -> web.StreamResponse:
        person = self._person(request.query.get("person"))["name"]
        return answer(await self.stage.memory(person))

    async def attachment(self, request: web.Request) -> web.StreamResponse:
        found = self.stage.attachment(int(request.match_info["seq"]), int(request.match_info["index"]))
        if found is None:
            raise BadRequest("没有这个附件。", "attachment", 404)
        name, content = found
        kind = media_type(name, content)
        headers = {
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        if kind not in SHOWN_IN_PAGE:
            kind, headers["Content-Disposition"] = "application/octet-stream", "attachment"
        return web.Response(body=content, content_type=kind, headers=headers)

    # --- doing ---

    async def say(self, request: web.Request) -> web.StreamResponse:
        data = await read_json(request)
        person = self._person(data.get("person"))
        platform = text_of(data, "platform")
        if platform not in person["platforms"]:
            raise BadRequest(f"{person['name']}没有这个平台的账号。", "platform")
        text = text_of(data, "text", TEXT_LIMIT)
        group = self._group(data, platform)
        mention = data.get("mention", False)
        if not isinstance(mention, bool):
            raise BadRequest("mention 只能是 true 或 false。", "mention")
        message_id = await self.stage.say(person["name"], platform, text, group, mention)
        return answer({"message_id": message_id})

    async def press(self, request: web.Request) -> web.StreamResponse:
        data = await read_json(request)
        person = self._person(data.get("person"))
        await self.stage.press(person["name"], text_of(data, "message_id"), text_of(data, "label"))
        return answer({})

    async def clock(self, request: web.Request) -> web.StreamResponse:
        """`to` is an ISO time, in the office's zone unless it names one; `advance` a span like 90s, 1h, 7d."""
        data = await read_json(request)
        if ("to" in data) == ("advance" in data):
            raise BadRequest("请给出 to 或 advance 其中一个。", "to")
        now = self.stage.now()
        field = "to" if "to" in data else "advance"
        ahead = moment_of(text_of(data, "to"), now) - now if field == "to" else span(text_of(data, "advance"))
        if ahead < timedelta(0):
            raise BadRequest("时间只能往前走。", field)
        if ahead > FARTHEST_MOVE:
            raise BadRequest(f"一次最多往前 {FARTHEST_MOVE.days} 天。", field)
        await self.stage.move_clock(now + ahead)
        return answer({"now": self._now()})

    async def reset(self, request: web.Request) -> web.StreamResponse:
        await read_json(request)
        self.epoch = secrets.token_hex(4)
        await self.stage.reset()
        return answer({"now": self._now()})

    # --- the stream ---

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events; see `frames`."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        with self.stage.subscribe() as news:
            await response.prepare(request)
            frames = self.frames(request.headers.get("Last-Event-ID", ""), news)
            with suppress(ConnectionError):  # the reader left; it comes back with its last id
                async with aclosing(frames):
                    async for frame in frames:
                        await response.write(frame)
        return response

    async def frames(self, last_id: str, news: AsyncIterator[News]) -> AsyncGenerator[bytes, None]:
        """`message` for what the reader missed, `ready`, then `message`, `clock` and `reset` as they come.

        A reader whose id is from before a reset or a restart is first told `reset`, then everything.
        """
        told = resumes_after(last_id, self.epoch)
        if told is None and last_id:
            yield event("reset", {}, f"{self.epoch}.0")
        told = told or 0
        for message in self.stage.messages(told):
            told = message["seq"]
            yield event("message", message, f"{self.epoch}.{told}")
        yield event("ready", {"now": self._now()})
        async with aclosing(with_heartbeat(news)) as items:
            async for item in items:
                if item is None:
                    yield SIGN_OF_LIFE
                elif item.get("type") == "reset":
                    told = 0
                    yield event("reset", item, f"{self.epoch}.0")
                elif item.get("type") == "clock":
                    yield event("clock", item)
                elif item["seq"] > told:
                    told = item["seq"]
                    yield event("message", item, f"{self.epoch}.{told}")

    # --- reading what was sent ---

    def _now(self) -> str:
        return self.stage.now().isoformat(timespec="seconds")

    def _person(self, name: object) -> dict[str, Any]:
        for person in self.stage.people():
            if person["name"] == name:
                return person
        known = "、".join(person["name"] for person in self.stage.people())
        raise BadRequest(f"没有这个人，可以是：{known}。", "person")

    def _group(self, data: Mapping[str, Any], platform: str) -> str | None:
        name = data.get("group")
        if name is None:
            return None
        for group in self.stage.groups():
            if group["name"] == name and platform in group["platforms"]:
                return str(name)
        raise BadRequest("这个平台上没有这个群。", "group")
