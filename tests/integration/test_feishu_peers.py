"""lark-oapi as an independent peer: its client against the simulator, its event handler against what we push."""

from __future__ import annotations

import asyncio
import io
import json
import uuid
import warnings
from datetime import UTC, datetime

import pytest
from aiohttp import web
from pydantic import SecretStr

from adapters.feishu.adapter import FeishuAdapter
from adapters.feishu.sdk import open_client
from adapters.simulators.feed import Feed
from adapters.simulators.feishu import FeishuSimulator
from config.clock import ManualClock
from config.platforms import FeishuEntry

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # lark-oapi and the protobuf code it ships warn on import
    import lark_oapi as lark
    from lark_oapi.api.im import v1 as im
    from lark_oapi.core.model import RawRequest
    from lark_oapi.event.callback.model.p2_card_action_trigger import P2CardActionTriggerResponse

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)


@pytest.fixture
async def simulator():
    # lark-oapi keeps its tokens in the process, by app_id alone: each test is another app.
    simulator = FeishuSimulator(Feed(), ManualClock(START), app_id=f"cli_{uuid.uuid4().hex}")
    await simulator.start()
    simulator.add_person("晓雯", "ou_xiaowen", email="xiaowen@example.com")
    yield simulator
    await simulator.close()


@pytest.fixture
def peer(simulator):
    return (
        lark.Client.builder()
        .app_id(simulator.app_id)
        .app_secret(simulator.app_secret)
        .domain(simulator.base_url)
        .timeout(5)
        .build()
    )


def create(msg_type: str, content: dict):
    body = im.CreateMessageRequestBody.builder().receive_id("on_xiaowen").msg_type(msg_type)
    body = body.content(json.dumps(content)).uuid("u1").build()
    return im.CreateMessageRequest.builder().receive_id_type("union_id").request_body(body).build()


async def test_its_client_sends_a_text(simulator, peer):
    answer = await asyncio.to_thread(peer.im.v1.message.create, create("text", {"text": "你好"}))
    assert answer.success(), answer.msg
    (arrival,) = simulator.world.feed.arrivals
    assert (arrival.message_id, arrival.to, arrival.text) == (answer.data.message_id, "晓雯", "你好")


async def test_its_client_sends_changes_and_reads_a_card(simulator, peer):
    def card(text: str) -> dict:
        return {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": text}]}}

    sent = await asyncio.to_thread(peer.im.v1.message.create, create("interactive", card("**旧**")))
    body = im.PatchMessageRequestBody.builder().content(json.dumps(card("新"))).build()
    patch = im.PatchMessageRequest.builder().message_id(sent.data.message_id).request_body(body).build()
    assert (await asyncio.to_thread(peer.im.v1.message.patch, patch)).success()
    get = im.GetMessageRequest.builder().message_id(sent.data.message_id).build()
    found = await asyncio.to_thread(peer.im.v1.message.get, get)
    assert json.loads(found.data.items[0].body.content) == card("新")
    assert [arrival.text for arrival in simulator.world.feed.arrivals] == ["旧", "新"]


async def test_its_client_uploads_a_picture(simulator, peer):
    picture = io.BytesIO(b"\x89PNG")
    picture.name = "a.png"
    body = im.CreateImageRequestBody.builder().image_type("message").image(picture).build()
    request = im.CreateImageRequest.builder().request_body(body).build()
    answer = await asyncio.to_thread(peer.im.v1.image.create, request)
    assert answer.success(), answer.msg
    assert simulator.world.uploads[answer.data.image_key][1] == b"\x89PNG"


@pytest.mark.parametrize(
    ("msg_type", "content", "code"),
    [
        ("text", {"text": ""}, 230001),
        ("interactive", {"schema": "2.0", "body": {"elements": [{"tag": "note"}]}}, 230099),
        ("interactive", {"schema": "2.0", "elements": []}, 230099),
    ],
)
async def test_its_client_is_told_what_is_wrong(simulator, peer, msg_type, content, code):
    answer = await asyncio.to_thread(peer.im.v1.message.create, create(msg_type, content))
    assert (answer.code, answer.raw.status_code) == (code, 400)


async def test_its_client_hears_the_rate_limit(simulator, peer):
    simulator.fail_next("/messages", 99991400, 429)
    answer = await asyncio.to_thread(peer.im.v1.message.create, create("text", {"text": "x"}))
    assert (answer.code, answer.raw.status_code) == (99991400, 429)


# --- what we push ---


@pytest.fixture
async def heard(simulator):
    """What lark-oapi's event handler makes of the simulator's pushes."""
    kept: list = []

    def press(event):
        kept.append(event)
        return P2CardActionTriggerResponse({"toast": {"type": "info", "content": "已处理"}})

    handler = (
        lark.EventDispatcherHandler.builder(simulator.encrypt_key, simulator.verification_token)
        .register_p2_im_message_receive_v1(kept.append)
        .register_p2_card_action_trigger(press)
        .build()
    )

    async def handle(request: web.Request) -> web.Response:
        raw = RawRequest()
        raw.uri, raw.headers, raw.body = request.path, request.headers, await request.read()
        answer = handler.do(raw)
        return web.Response(status=answer.status_code, body=answer.content)

    app = web.Application()
    app.router.add_post("/events", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    simulator.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/events")
    yield kept
    await runner.cleanup()


async def test_its_handler_reads_a_message(simulator, heard):
    simulator.add_group("项目群", ["晓雯"])
    message_id = await simulator.say("晓雯", "生成周报😀", group="项目群", mention=True)
    (event,) = heard
    message = event.event.message
    assert (message.message_id, message.chat_type, message.message_type) == (message_id, "group", "text")
    assert json.loads(message.content) == {"text": "@_user_1 生成周报😀"}
    assert message.mentions[0].id.open_id == simulator.bot_open_id
    assert event.event.sender.sender_id.union_id == "on_xiaowen"
    assert simulator.next_due() is None


async def test_its_handler_reads_a_press_and_its_toast_is_shown(simulator, heard, peer):
    button = {
        "tag": "button",
        "text": {"tag": "plain_text", "content": "确认"},
        "behaviors": [{"type": "callback", "value": {"q": "q1", "o": "yes"}}],
    }
    card = {"schema": "2.0", "body": {"elements": [button]}}
    sent = await asyncio.to_thread(peer.im.v1.message.create, create("interactive", card))
    assert await simulator.press("晓雯", sent.data.message_id, "确认") == "已处理"
    assert heard[0].event.action.value == {"q": "q1", "o": "yes"}
    assert heard[0].event.context.open_message_id == sent.data.message_id


async def test_its_handler_refuses_what_another_app_signed(simulator, heard):
    simulator.encrypt_key = "another-key"
    assert await simulator.push("im.message.receive_v1", {}) != 200
    assert heard == []


# --- our use of it ---


async def test_the_long_tail_speaks_with_our_token(simulator):
    entry = FeishuEntry(
        name="feishu",
        app_id=simulator.app_id,
        app_secret=SecretStr(simulator.app_secret),
        verification_token=SecretStr("vt"),
        base_url=simulator.base_url,
    )
    adapter = FeishuAdapter(entry, clock=simulator.clock)
    token = await adapter.client.token()
    tail = await open_client(entry, token)
    found = await tail.union_ids_by_email(["xiaowen@example.com", "nobody@example.com"])
    assert found == {"xiaowen@example.com": "on_xiaowen"}
    assert simulator.faults.count_of("tenant_access_token") == 1
    assert simulator.faults.asked[-1].authorization == f"Bearer {token}"
    await adapter.close()
