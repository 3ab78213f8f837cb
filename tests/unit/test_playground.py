"""The playground's API: what it hands to the stage, what it refuses and how its stream resumes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.pages import assets, stream
from adapters.pages.channel import Channel
from adapters.pages.loopback import BODY_LIMIT, BadRequest
from adapters.pages.playground import Playground, routes

API = "/playground/api"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


class FakeStage:
    """Notes what it is asked to do; holds two messages, the second one the bot's."""

    bot = "记得"

    def __init__(self) -> None:
        self.channel = Channel()
        self.subscribe = self.channel.subscribe
        self.done: list[tuple[Any, ...]] = []
        self.time = MONDAY
        self.told: list[dict[str, Any]] = [
            {"seq": 1, "from": "晓雯", "to": "记得", "text": "你好"},
            {"seq": 2, "from": None, "to": "晓雯", "text": "你好，晓雯"},
        ]

    def now(self) -> datetime:
        return self.time

    def people(self) -> list[dict[str, Any]]:
        return [{"name": "晓雯", "platforms": ["feishu", "wecom"]}, {"name": "李雷", "platforms": ["feishu"]}]

    def groups(self) -> list[dict[str, Any]]:
        return [{"name": "项目群", "platforms": ["feishu"]}]

    async def say(self, *said: Any) -> str:
        self.done.append(("say", *said))
        return "om_1"

    async def press(self, person: str, message_id: str, label: str) -> None:
        if label == "没有的":
            raise BadRequest("这张卡片上没有这个按钮。", "label")
        self.done.append(("press", person, message_id, label))

    def messages(self, after: int) -> list[dict[str, Any]]:
        return [message for message in self.told if message["seq"] > after]

    def attachment(self, seq: int, index: int) -> tuple[str, bytes] | None:
        return {(2, 0): ("报告", PNG), (2, 1): ("页面.html", b"<script>")}.get((seq, index))

    async def memory(self, person: str) -> dict[str, Any]:
        return {"preferences": [], "of": person}

    async def move_clock(self, moment: datetime) -> None:
        self.time = moment

    async def reset(self) -> None:
        self.done.append(("reset",))
        self.told.clear()
        self.channel.publish({"type": "reset"})


@pytest.fixture
def stage() -> FakeStage:
    return FakeStage()


@pytest.fixture
async def client(stage: FakeStage) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    app = web.Application()
    app.add_routes(routes(stage))
    async with TestClient(TestServer(app)) as client:
        yield client
        stage.channel.close()


Client = TestClient[web.Request, web.Application]

SAYING = {"person": "晓雯", "platform": "feishu", "text": "帮我生成周报"}


async def test_a_saying_reaches_the_stage(client: Client, stage: FakeStage) -> None:
    answer = await client.post(f"{API}/say", json=SAYING)
    assert (answer.status, await answer.json()) == (200, {"message_id": "om_1"})
    await client.post(f"{API}/say", json={**SAYING, "group": "项目群", "mention": True})
    assert stage.done == [
        ("say", "晓雯", "feishu", "帮我生成周报", None, False),
        ("say", "晓雯", "feishu", "帮我生成周报", "项目群", True),
    ]


async def test_a_press_reaches_the_stage_and_its_refusal_the_caller(client: Client, stage: FakeStage) -> None:
    press = {"person": "晓雯", "message_id": "om_1", "label": "记住"}
    assert (await client.post(f"{API}/press", json=press)).status == 200
    assert stage.done == [("press", "晓雯", "om_1", "记住")]
    refused = await client.post(f"{API}/press", json={**press, "label": "没有的"})
    assert (refused.status, await refused.json()) == (
        400,
        {"error": "这张卡片上没有这个按钮。", "field": "label"},
    )


async def test_messages_are_what_the_bot_delivered_unless_asked_for_more(client: Client) -> None:
    async def texts(query: str) -> list[str]:
        return [message["text"] for message in await (await client.get(f"{API}/messages{query}")).json()]

    assert await texts("") == ["你好，晓雯"]
    assert await texts("?said=1") == ["你好", "你好，晓雯"]
    assert await texts("?after=2&said=1") == []


async def test_people_and_memory(client: Client) -> None:
    world = await (await client.get(f"{API}/people")).json()
    assert [person["name"] for person in world["people"]] == ["晓雯", "李雷"]
    assert (world["bot"], world["now"]) == ("记得", "2026-03-02T09:00:00+08:00")
    assert (await (await client.get(f"{API}/memory", params={"person": "李雷"})).json())["of"] == "李雷"


@pytest.mark.parametrize(
    ("move", "now"),
    [
        ({"advance": "90s"}, "2026-03-02T09:01:30+08:00"),
        ({"advance": "7d"}, "2026-03-09T09:00:00+08:00"),
        ({"to": "2026-03-03T07:55"}, "2026-03-03T07:55:00+08:00"),
        ({"to": "2026-03-03T00:00+00:00"}, "2026-03-03T08:00:00+08:00"),
    ],
)
async def test_the_clock_moves_forward(client: Client, move: dict[str, str], now: str) -> None:
    answer = await client.post(f"{API}/clock", json=move)
    assert (answer.status, await answer.json()) == (200, {"now": now})


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("say", {**SAYING, "person": "张三"}, "person"),
        ("say", {**SAYING, "person": ["晓雯"]}, "person"),
        ("say", {**SAYING, "platform": "sms"}, "platform"),
        ("say", {**SAYING, "person": "李雷", "platform": "wecom"}, "platform"),
        ("say", {**SAYING, "text": "  "}, "text"),
        ("say", {**SAYING, "text": 5}, "text"),
        ("say", {**SAYING, "text": "长" * 10_001}, "text"),
        ("say", {**SAYING, "group": "没有的群"}, "group"),
        ("say", {**SAYING, "platform": "wecom", "group": "项目群"}, "group"),
        ("say", {**SAYING, "group": "项目群", "mention": "yes"}, "mention"),
        ("say", ["晓雯"], "body"),
        ("press", {"person": "晓雯", "label": "记住"}, "message_id"),
        ("press", {"person": "晓雯", "message_id": "om_1", "label": ""}, "label"),
        ("clock", {}, "to"),
        ("clock", {"to": "2026-03-03T09:00", "advance": "1d"}, "to"),
        ("clock", {"to": "明天"}, "to"),
        ("clock", {"to": "2026-03-02T08:59"}, "to"),
        ("clock", {"to": "9999-12-31T23:59"}, "to"),
        ("clock", {"advance": "1 day"}, "advance"),
        ("clock", {"advance": "-1d"}, "advance"),
        ("clock", {"advance": "999999w"}, "advance"),
    ],
)
async def test_bad_input_is_named_in_one_sentence(
    client: Client, stage: FakeStage, path: str, body: Any, field: str
) -> None:
    answer = await client.post(f"{API}/{path}", json=body)
    problem = await answer.json()
    assert (answer.status, problem["field"]) == (400, field)
    assert problem["error"].endswith("。")
    assert stage.done == []


@pytest.mark.parametrize(
    "query", ["/messages?after=x", "/messages?after=-1", "/messages?after=٣", "/memory", "/memory?person=x"]
)
async def test_a_bad_question_is_refused(client: Client, query: str) -> None:
    assert (await client.get(API + query)).status == 400


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 20_000, b""])
async def test_broken_json_is_refused(client: Client, body: bytes) -> None:
    answer = await client.post(f"{API}/say", data=body, headers={"Content-Type": "application/json"})
    assert (answer.status, (await answer.json())["field"]) == (400, "body")


async def test_a_large_body_is_refused_before_it_is_read_to_its_end(client: Client) -> None:
    body = json.dumps({**SAYING, "text": "x" * BODY_LIMIT}).encode()
    answer = await client.post(f"{API}/say", data=body, headers={"Content-Type": "application/json"})
    assert answer.status == 413


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8300", "127.0.0.1.evil.example", "[::2]:8300", ""])
@pytest.mark.parametrize("path", ["/", f"{API}/messages", f"{API}/stream", "/playground/static/playground.js"])
async def test_a_rebound_name_sees_nothing(client: Client, host: str, path: str) -> None:
    assert (await client.get(path, headers={"Host": host})).status == 403


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8300", "127.0.0.1:8300", "[::1]", "[::1]:8300", "LOCALHOST:1"]
)
async def test_this_machine_goes_by_several_names(client: Client, host: str) -> None:
    assert (await client.get("/playground", headers={"Host": host})).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost:8300"])
async def test_another_site_cannot_speak_for_the_person(client: Client, stage: FakeStage, origin: str) -> None:
    headers = {"Origin": origin, "Host": "localhost:8300"}
    assert (await client.post(f"{API}/say", json=SAYING, headers=headers)).status == 403
    assert (await client.post(f"{API}/reset", json={}, headers=headers)).status == 403
    assert stage.done == []


async def test_our_own_page_may_speak(client: Client) -> None:
    headers = {"Origin": "http://localhost:8300", "Host": "localhost:8300"}
    assert (await client.post(f"{API}/say", json=SAYING, headers=headers)).status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_a_form_of_another_site_is_not_json(client: Client, kind: str) -> None:
    answer = await client.post(f"{API}/reset", data=b"{}", headers={"Content-Type": kind})
    assert answer.status == 415


async def test_pictures_are_shown_and_other_files_only_saved(client: Client) -> None:
    picture = await client.get(f"{API}/attachment/2/0")
    assert (picture.content_type, await picture.read()) == ("image/png", PNG)
    page = await client.get(f"{API}/attachment/2/1")
    assert (page.content_type, page.headers["Content-Disposition"]) == (
        "application/octet-stream",
        "attachment",
    )
    assert (await client.get(f"{API}/attachment/2/9")).status == 404


@pytest.mark.parametrize("path", ["/", "/playground"])
async def test_the_page_loads_nothing_from_elsewhere(client: Client, path: str) -> None:
    page = await client.get(path)
    assert page.content_type == "text/html"
    assert "default-src 'none'; script-src 'self'" in page.headers["Content-Security-Policy"]
    assert "http" not in (await page.text()).replace("http-equiv", "")


async def test_every_file_that_the_page_names_ships(client: Client) -> None:
    files = assets.load()
    page = files["playground.html"].decode()
    assert set(re.findall(r'"/playground/static/([^"]+)"', page)) <= set(files)
    for name in files:
        assert (await client.get(f"/playground/static/{name}")).status == 200
    for absent in ("missing.js", "..%2Fplayground.py", "playground.py"):
        assert (await client.get(f"/playground/static/{absent}")).status == 404


# --- the stream ----------------------------------------------------------------------------------------------


async def told(page: Playground, stage: FakeStage, last_id: str = "") -> list[tuple[str, str]]:
    """(event, id) of everything that a reader with this last id is told before the channel closes."""
    with stage.subscribe() as news:
        stage.told.append({"seq": 3, "from": None, "to": "晓雯", "text": "三"})
        stage.channel.publish(stage.told[-1])
        stage.channel.publish({"type": "clock", "now": "2026-03-03T09:00:00+08:00"})
        stage.channel.close()
        frames = [frame.decode() async for frame in page.frames(last_id, news)]
    return [(_line(frame, "event"), _line(frame, "id")) for frame in frames]


def _line(frame: str, name: str) -> str:
    return next((line.removeprefix(f"{name}: ") for line in frame.splitlines() if line.startswith(f"{name}: ")), "")


async def test_a_new_reader_is_told_everything_once(stage: FakeStage) -> None:
    page = Playground(stage)
    assert await told(page, stage) == [
        ("message", f"{page.epoch}.1"),
        ("message", f"{page.epoch}.2"),
        ("message", f"{page.epoch}.3"),
        ("ready", ""),
        ("clock", ""),
    ]


async def test_a_returning_reader_is_told_what_it_missed(stage: FakeStage) -> None:
    page = Playground(stage)
    assert await told(page, stage, f"{page.epoch}.2") == [
        ("message", f"{page.epoch}.3"),
        ("ready", ""),
        ("clock", ""),
    ]


@pytest.mark.parametrize("last_id", ["00000000.2", "2", "nonsense", "."])
async def test_a_reader_from_before_a_restart_starts_afresh(stage: FakeStage, last_id: str) -> None:
    page = Playground(stage)
    events = await told(page, stage, last_id)
    assert events[:2] == [("reset", f"{page.epoch}.0"), ("message", f"{page.epoch}.1")]


async def test_messages_after_a_reset_are_told_though_their_numbers_began_again(stage: FakeStage) -> None:
    page = Playground(stage)
    with stage.subscribe() as news:
        stage.channel.publish({"type": "reset"})
        stage.channel.publish({"seq": 1, "from": None, "to": "晓雯", "text": "新的"})
        stage.channel.close()
        events = [_line(frame.decode(), "event") async for frame in page.frames("", news)]
    assert events == ["message", "message", "ready", "reset", "message"]


async def test_an_id_from_before_a_reset_is_not_resumed(client: Client, stage: FakeStage) -> None:
    async def first_event(last_id: str) -> tuple[str, str]:
        async with client.get(f"{API}/stream", headers={"Last-Event-ID": last_id} if last_id else {}) as answer:
            assert answer.content_type == "text/event-stream"
            frame = (await answer.content.readuntil(b"\n\n")).decode()
            return _line(frame, "event"), _line(frame, "id")

    assert (await first_event(""))[0] == "message"
    seen = (await first_event(""))[1]
    assert (await client.post(f"{API}/reset", json={})).status == 200
    assert (await first_event(seen))[0] == "reset"


async def test_a_reader_that_falls_far_behind_is_let_go() -> None:
    channel = Channel()
    with channel.subscribe() as news:
        for seq in range(2000):
            channel.publish({"seq": seq})
        assert [item["seq"] async for item in news] == list(range(1000))


async def test_a_quiet_stream_shows_signs_of_life(monkeypatch: pytest.MonkeyPatch, stage: FakeStage) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT", 0)
    with stage.subscribe() as news:
        frames = Playground(stage).frames("", news)
        events = [_line((await anext(frames)).decode(), "event") for _ in range(3)]
        assert events == ["message", "message", "ready"]
        assert await anext(frames) == stream.SIGN_OF_LIFE
        stage.channel.publish({"type": "clock", "now": "2026-03-03T09:00:00+08:00"})
        while (frame := await anext(frames)) == stream.SIGN_OF_LIFE:
            pass
        assert _line(frame.decode(), "event") == "clock"
        await frames.aclose()


# --- properties ----------------------------------------------------------------------------------------------

_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_fields = ("person", "platform", "text", "group", "mention", "message_id", "label", "to", "advance")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(("say", "press", "clock")),
    body=st.fixed_dictionaries(
        {}, optional={name: _anything | st.sampled_from(("晓雯", "feishu", "1d")) for name in _fields}
    ),
)
async def test_no_body_breaks_the_api(client: Client, stage: FakeStage, path: str, body: dict[str, Any]) -> None:
    stage.time = MONDAY
    assert (await client.post(f"{API}/{path}", json=body)).status in (200, 400)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    moment=st.datetimes() | st.datetimes(timezones=st.timezones()),
    days=st.integers(0, 400),
)
async def test_time_never_runs_backwards(client: Client, stage: FakeStage, moment: datetime, days: int) -> None:
    stage.time = before = MONDAY + timedelta(days=days)
    answer = await client.post(f"{API}/clock", json={"to": moment.isoformat()})
    assert answer.status in (200, 400)
    assert timedelta(0) <= stage.time - before <= timedelta(days=400)
