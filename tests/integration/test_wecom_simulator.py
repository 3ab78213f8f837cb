"""The simulated platform, checked by an independent peer (wechatpy) and by a bot that fails it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr
from wechatpy.enterprise import WeChatClient, parse_message
from wechatpy.enterprise.crypto import WeChatCrypto
from wechatpy.exceptions import WeChatClientException

from adapters.simulators.feed import Feed
from adapters.simulators.wecom import WecomSimulator
from adapters.wecom.adapter import WecomAdapter
from bot.types import Account, Address, Body, Message, Option, Reply, Sent
from config.clock import ManualClock
from config.platforms import WecomEntry

CORP: dict[str, Any] = {"corp_id": "ww1", "agent_id": 1000002}
SECRETS: dict[str, Any] = {"secret": "s1", "token": "t1", "aes_key": "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"}

EMPTY_CARD = {"msgtype": "template_card", "template_card": {}}


class PeerClient(WeChatClient):  # type: ignore[misc]  # wechatpy has no types
    """wechatpy's client with its fixed token URL overridden, nothing else."""

    def __init__(self, base_url: str) -> None:
        self.API_BASE_URL = f"{base_url}/cgi-bin/"
        super().__init__("ww1", "s1", timeout=5)

    def fetch_access_token(self) -> Any:
        params = {"corpid": self.corp_id, "corpsecret": self.secret}
        return self._fetch_access_token(url=f"{self.API_BASE_URL}gettoken", params=params)


@dataclass
class Bot:
    """A webhook on loopback; `status` is what it answers, `requests` what it got."""

    adapter: WecomAdapter
    status: int | None = None
    hangs: bool = False
    released: asyncio.Event = field(default_factory=asyncio.Event)  # ends the hanging
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.requests.append((dict(request.query), body))
        if self.hangs:
            await self.released.wait()
        received = self.adapter.receive(request.method, request.query, request.headers, body)
        if received.message is not None:
            self.messages.append(received.message)
        answer = received.answer
        return web.Response(status=self.status or answer.status, body=answer.body)


@dataclass
class World:
    clock: ManualClock
    feed: Feed
    simulator: WecomSimulator
    bot: Bot
    webhook: str

    def pass_seconds(self, seconds: float) -> None:
        self.clock.move_to(self.clock.now() + timedelta(seconds=seconds))

    async def ask(self, *labels: str) -> str:
        """The bot asks 晓雯; the id of its card."""
        to = Address(Account("wecom", "wecom", "default", "xiaowen"))
        options = tuple(Option(f"key-{label}", label) for label in labels)
        reply = Reply(to, "answer", Body.say("请问使用哪个模板？"), options, question_id="42")
        (part,) = self.bot.adapter.render(reply, f"row-{len(self.feed.arrivals)}")
        return (await self.bot.adapter.send(to, part, "key", None)).message_id


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock, feed = ManualClock(datetime(2026, 3, 2, 1, 0, tzinfo=UTC)), Feed()
    simulator = WecomSimulator(feed, clock, **CORP, **SECRETS)
    await simulator.start()
    simulator.add_person("晓雯", "XiaoWen", mobile="m-1", email="xiaowen@example.com")
    secrets: dict[str, Any] = {name: SecretStr(value) for name, value in SECRETS.items()}
    entry = WecomEntry(name="wecom", tenant="default", base_url=simulator.base_url, **CORP, **secrets)
    bot = Bot(WecomAdapter(entry, clock=clock))
    app = web.Application()
    app.router.add_route("*", "/wecom/callback", bot.serve)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    webhook = f"http://127.0.0.1:{runner.addresses[0][1]}/wecom/callback"
    simulator.connect(webhook)
    yield World(clock, feed, simulator, bot, webhook)
    bot.released.set()
    await bot.adapter.close()
    await simulator.close()
    await runner.cleanup()


# --- wechatpy as a peer


async def test_wechatpy_decrypts_what_the_simulator_pushes(world: World) -> None:
    text = "早 ]]> <b>&amp; 😀"
    message_id = await world.simulator.say("晓雯", text)
    query, body = world.bot.requests[0]
    peer = WeChatCrypto(SECRETS["token"], SECRETS["aes_key"], "ww1")
    plain = peer.decrypt_message(body, query["msg_signature"], query["timestamp"], query["nonce"])
    message = parse_message(plain)
    assert (message.content, str(message.id), message.source) == (text, message_id, "XiaoWen")


async def test_wechatpy_accepts_the_url_check(world: World) -> None:
    assert await world.simulator.check_url()
    query, _ = world.bot.requests[0]
    peer = WeChatCrypto(SECRETS["token"], SECRETS["aes_key"], "ww1")
    assert peer.check_signature(query["msg_signature"], query["timestamp"], query["nonce"], query["echostr"])


async def with_peer(world: World, use: Callable[[PeerClient], Any]) -> Any:
    def run() -> Any:
        client = PeerClient(world.simulator.base_url)
        try:
            return use(client)
        finally:
            client._http.close()

    return await asyncio.to_thread(run)


async def test_wechatpys_client_sends_to_the_simulator(world: World) -> None:
    answer = await with_peer(world, lambda peer: peer.message.send_text(1000002, ["XiaoWen", "Ghost"], "你好"))
    assert answer["invaliduser"] == "ghost"
    arrival = world.feed.arrivals[0]
    assert (arrival.to, arrival.kind, arrival.text) == ("晓雯", "text", "你好")
    await with_peer(world, lambda peer: peer.message.send_markdown(1000002, "XiaoWen", "**你好**"))
    assert world.feed.arrivals[1].kind == "markdown"


async def test_the_platform_cuts_long_texts_silently(world: World) -> None:
    await with_peer(world, lambda peer: peer.message.send_text(1000002, "XiaoWen", "待" * 700))
    assert world.feed.arrivals[0].text == "待" * 682 + "\ufffd"


async def test_wechatpys_client_uploads_to_the_simulator(world: World) -> None:
    picture = ("chart.png", b"\x89PNG\r\n\x1a\n...")
    uploaded = await with_peer(world, lambda peer: peer.media.upload("image", picture))
    await with_peer(world, lambda peer: peer.message.send_image(1000002, "XiaoWen", uploaded["media_id"]))
    assert world.feed.arrivals[0].attachments == (picture,)


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda peer: peer.message.send_text(7, "XiaoWen", "你好"), 40056),
        (lambda peer: peer.message.send_text(1000002, "Ghost", "你好"), 81013),
        (lambda peer: peer.message.send_text(1000002, "", "你好"), 82001),
        (lambda peer: peer.message.send_text(1000002, "XiaoWen", ""), 44004),
        (lambda peer: peer.message.send_image(1000002, "XiaoWen", "unknown"), 40007),
        (lambda peer: peer.media.upload("image", ("a.png", b"GIF89a...")), 40005),
        (lambda peer: peer.media.upload("file", ("a.txt", b"12345")), 44001),
        (lambda peer: peer.message.send(1000002, "XiaoWen", msg=EMPTY_CARD), 40058),
        (lambda peer: peer.post("user/getuserid", data={"mobile": "m-2"}), 46004),
    ],
)  # fmt: skip
async def test_the_simulator_refuses_as_the_platform_does(world: World, use: Any, code: int) -> None:
    with pytest.raises(WeChatClientException) as caught:
        await with_peer(world, use)
    assert caught.value.errcode == code


async def test_people_are_found_by_mobile_and_email(world: World) -> None:
    found = await with_peer(world, lambda peer: peer.post("user/getuserid", data={"mobile": "m-1"}))
    assert found["userid"] == "XiaoWen"
    asked = {"email": "xiaowen@example.com", "email_type": 1}
    found = await with_peer(world, lambda peer: peer.post("user/get_userid_by_email", data=asked))
    assert found["userid"] == "XiaoWen"


# --- towards the bot


@pytest.mark.parametrize("kind", ["text", "image", "voice", "video", "location", "link", "file"])
async def test_what_people_send_reaches_the_bot(world: World, kind: str) -> None:
    message_id = await world.simulator.say("晓雯", "周报.docx", kind=kind)
    (message,) = world.bot.messages
    assert (message.id, message.sender.user_id) == (message_id, "xiaowen")
    assert message.sent_at == world.clock.now()


async def test_a_message_may_have_been_written_earlier(world: World) -> None:
    earlier = world.clock.now() - timedelta(minutes=30)
    await world.simulator.say("晓雯", "10分钟后提醒我喝水", sent_at=earlier)
    assert world.bot.messages[0].sent_at == earlier


async def test_a_push_that_is_not_acknowledged_comes_three_times(world: World) -> None:
    world.bot.status = 500
    await world.simulator.say("晓雯", "早")
    for _ in range(3):
        world.pass_seconds(5)
        await world.simulator.run_due()
    assert len(world.bot.requests) == 3
    assert len({message.id for message in world.bot.messages}) == 1
    assert world.simulator.next_due() is None
    assert len(world.simulator.lost) == 1


async def test_a_push_to_a_killed_bot_arrives_after_its_restart(world: World) -> None:
    world.simulator.connect("http://127.0.0.1:9/wecom/callback")
    await world.simulator.say("晓雯", "早")
    assert world.simulator.next_due() == world.clock.now() + timedelta(seconds=5)
    assert await world.simulator.run_due() == 0
    world.pass_seconds(5)
    world.simulator.connect(world.webhook)
    assert await world.simulator.run_due() == 1
    assert [message.text for message in world.bot.messages] == ["早"]
    assert world.simulator.next_due() is None


async def test_a_bot_that_is_too_slow_has_not_acknowledged(world: World) -> None:
    world.simulator.deadline = 0.05
    world.bot.hangs = True
    await world.simulator.say("晓雯", "早")
    assert world.simulator.next_due() is not None


async def test_redelivery_and_duplicates_are_the_same_message(world: World) -> None:
    world.simulator.duplicate_next()
    await world.simulator.say("晓雯", "早")
    world.pass_seconds(3600)
    await world.simulator.redeliver_last()
    assert [message.text for message in world.bot.messages] == ["早"] * 3
    assert len({(message.id, message.sent_at) for message in world.bot.messages}) == 1
    assert len({query["nonce"] for query, _ in world.bot.requests}) == 3


async def test_entering_and_other_events_are_acknowledged(world: World) -> None:
    await world.simulator.enter("晓雯")
    await world.simulator.emit("晓雯", "LOCATION", {"Latitude": "23.1"})
    assert [message.kind for message in world.bot.messages] == ["entered"]
    assert world.simulator.next_due() is None


# --- pressing


@pytest.mark.parametrize("count", [2, 8, 15])
async def test_a_press_names_the_option_and_brings_a_code_for_one_update(world: World, count: int) -> None:
    card = await world.ask(*(f"模板{number}" for number in range(count)))
    await world.simulator.press("晓雯", card, "模板1")
    press = world.bot.messages[-1].press
    assert press is not None
    assert (press.question_id, press.option) == ("42", "key-模板1")
    outcome = Reply(world.bot.messages[-1].address, "answer", Body.say("模板1"))
    await world.bot.adapter.update(outcome.to, Sent(card), outcome, press.receipt)
    assert world.feed.arrivals[-1].updates == card
    assert world.feed.arrivals[-1].buttons == ()


async def test_a_stale_client_can_press_a_changed_card_and_brings_a_fresh_code(world: World) -> None:
    card = await world.ask("市场部", "研发部")
    for label in ("市场部", "研发部"):
        await world.simulator.press("晓雯", card, label)
        message = world.bot.messages[-1]
        assert message.press is not None
        settled = Reply(message.address, "answer", Body.say(label))
        await world.bot.adapter.update(settled.to, Sent(card), settled, message.press.receipt)
        assert world.feed.arrivals[-1].text == f"请问使用哪个模板？\n{label}"
    with pytest.raises(LookupError):
        await world.simulator.press("晓雯", card, "研发部", as_delivered=False)


async def test_two_presses_at_different_seconds_are_two_messages(world: World) -> None:
    card = await world.ask("市场部", "研发部")
    await world.simulator.press("晓雯", card, "市场部")
    await world.simulator.redeliver_last()
    world.pass_seconds(2)
    await world.simulator.press("晓雯", card, "市场部")
    first, again, second = (message.id for message in world.bot.messages)
    assert first == again
    assert first != second
