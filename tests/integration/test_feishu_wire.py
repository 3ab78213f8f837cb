"""The Feishu adapter and the simulated Feishu over real HTTP: pushes, presses, sends, tokens, errors."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from aiohttp import web
from pydantic import SecretStr

from adapters.feishu import client as feishu_client
from adapters.feishu.adapter import FeishuAdapter
from adapters.feishu.client import FeishuClient, InMemoryTokens
from adapters.simulators.feed import Feed
from adapters.simulators.feishu import FeishuSimulator
from bot.types import (
    Account,
    Address,
    Body,
    Chart,
    FileOut,
    Group,
    HttpAnswer,
    Message,
    Misconfigured,
    Option,
    Paragraph,
    Reply,
    RetryLater,
    Sent,
    Table,
    Unreachable,
    Unsendable,
)
from config.clock import ManualClock
from config.platforms import FeishuEntry

START = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
YES_NO = (Option("yes", "确认", "primary"), Option("no", "取消"))


@dataclass
class Bot:
    """A web server around one adapter: it keeps what it heard and answers as told."""

    adapter: FeishuAdapter
    heard: list[Message] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    fails: int = 0
    toast: str | None = None
    before_answer: object = None

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.bodies.append(body)
        received = self.adapter.receive(request.method, request.query, request.headers, body)
        if self.fails:
            self.fails -= 1
            return web.Response(status=500)
        answer = received.answer
        if received.message:
            self.heard.append(received.message)
            if received.message.kind == "press":
                if self.before_answer:
                    await self.before_answer(received.message)
                answer = self.adapter.answer_press(self.toast)
        return to_response(answer)


def to_response(answer: HttpAnswer) -> web.Response:
    return web.Response(status=answer.status, body=answer.body, content_type=answer.content_type)


@asynccontextmanager
async def serving(handler, path: str):
    app = web.Application()
    app.router.add_route("*", path, handler)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}{path}"
    finally:
        await runner.cleanup()


def entry_of(simulator: FeishuSimulator, name: str = "feishu", **more) -> FeishuEntry:
    values = {
        "name": name,
        "app_id": simulator.app_id,
        "app_secret": SecretStr(simulator.app_secret),
        "encrypt_key": SecretStr(simulator.encrypt_key),
        "verification_token": SecretStr(simulator.verification_token),
        "base_url": simulator.base_url,
    }
    return FeishuEntry(**{**values, **more})


@dataclass
class Office:
    clock: ManualClock
    feed: Feed
    simulator: FeishuSimulator
    bot: Bot

    @property
    def adapter(self) -> FeishuAdapter:
        return self.bot.adapter

    @property
    def texts(self) -> list[str]:
        return [arrival.text for arrival in self.feed.arrivals]

    async def deliver(self, reply: Reply, key: str = "row-0001", adapter: FeishuAdapter | None = None) -> list[Sent]:
        adapter = adapter or self.adapter
        sent = []
        for number, part in enumerate(adapter.render(reply, key)):
            media = await adapter.upload(part) if part.file else None
            sent.append(await adapter.send(reply.to, part, f"{key}-{number}", media))
        return sent


@pytest.fixture
async def office():
    clock, feed = ManualClock(START), Feed()
    simulator = FeishuSimulator(feed, clock)
    await simulator.start()
    simulator.add_person("晓雯", "ou_xiaowen", email="xiaowen@example.com")
    simulator.add_person("李雷", "ou_lilei")
    simulator.add_group("项目群", ["晓雯", "李雷"])
    bot = Bot(FeishuAdapter(entry_of(simulator), clock=clock))
    await bot.adapter.start()
    async with serving(bot.handle, bot.adapter.path) as url:
        simulator.connect(url)
        yield Office(clock, feed, simulator, bot)
    await bot.adapter.close()
    await simulator.close()


def account(user_id: str = "on_xiaowen") -> Address:
    return Address(Account("feishu", "feishu", "default", user_id))


def answer(text: str = "好的", **more) -> Reply:
    return Reply(account(), "answer", Body.say(text), **more)


def question(text: str = "确认吗？", options=YES_NO, title: str | None = None, to: Address | None = None) -> Reply:
    return Reply(to or account(), "answer", Body((Paragraph(text),), title), tuple(options), "q1")


# --- pushes ---


async def test_what_a_person_says_reaches_the_bot(office):
    message_id = await office.simulator.say("晓雯", "以后周报用表格")
    (heard,) = office.bot.heard
    assert (heard.id, heard.text, heard.sender.user_id) == (message_id, "以后周报用表格", "on_xiaowen")
    assert office.simulator.next_due() is None


async def test_a_mention_in_a_group(office):
    await office.simulator.say("晓雯", "把会议室交给@李雷", group="项目群", mention=True)
    (heard,) = office.bot.heard
    assert (heard.text, heard.mentions_bot, heard.address.is_group) == ("把会议室交给@李雷", True, True)
    assert [one.account.user_id for one in heard.mentions if one.account and not one.is_bot] == ["on_lilei"]


async def test_a1_missed_acknowledgement_is_pushed_again_byte_for_byte(office):
    office.bot.fails = 4
    await office.simulator.say("晓雯", "早")
    for wait in (timedelta(seconds=15), timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6)):
        assert office.simulator.next_due() == START + wait
        office.clock.move_to(START + wait)
        await office.simulator.run_due()
    assert len(office.bot.heard) == 1
    assert len(office.bot.bodies) == 5
    assert len(set(office.bot.bodies)) == 1
    assert office.simulator.next_due() is None


async def test_an_answer_after_the_deadline_is_none(office):
    forever = asyncio.Event()

    async def hang(request: web.Request) -> web.Response:
        await forever.wait()
        return web.Response()

    office.simulator.deadline = 0.05
    async with serving(hang, "/slow") as url:
        office.simulator.connect(url)
        await office.simulator.say("晓雯", "早")
        forever.set()
    assert office.simulator.next_due() == START + timedelta(seconds=15)


async def test_a_dead_app_gets_its_message_after_the_restart(office):
    office.simulator.connect("http://127.0.0.1:9/feishu/events")
    await office.simulator.say("晓雯", "早")
    async with serving(office.bot.handle, "/feishu/events") as url:
        office.simulator.connect(url)
        office.clock.move_to(START + timedelta(seconds=15))
        await office.simulator.run_due()
    assert [heard.text for heard in office.bot.heard] == ["早"]


async def test_a_repeat_carries_the_same_message_id(office):
    office.simulator.duplicate_next()
    await office.simulator.say("晓雯", "早")
    office.clock.move_to(START + timedelta(hours=6))
    await office.simulator.redeliver_last()
    assert len(office.bot.heard) == 3
    assert len({heard.id for heard in office.bot.heard}) == 1


async def test_an_old_message_keeps_the_moment_it_was_said(office):
    await office.simulator.say("晓雯", "10分钟后提醒我喝水", sent_at=START - timedelta(minutes=30))
    assert office.bot.heard[0].sent_at == START - timedelta(minutes=30)


async def test_b1_unknown_events_are_acknowledged(office):
    assert await office.simulator.push("foo.bar_v9", {}) == 200
    await office.simulator.enter("晓雯")
    assert [heard.kind for heard in office.bot.heard] == ["entered"]


# --- sending ---


async def test_a_short_answer_is_a_text(office):
    await office.deliver(answer('你好 <at user_id="all">所有人</at> <b>粗</b>'))
    (arrival,) = office.feed.arrivals
    assert (arrival.kind, arrival.to, arrival.group) == ("text", "晓雯", False)
    assert arrival.text == '你好 <at user_id="all">所有人</at> <b>粗</b>'


async def test_a_report_is_a_card_that_says_everything(office):
    table = Table(("事项", "状态"), (("**评审** <at id=all></at>", "完成"), ("报销_单", "未完成")))
    chart = Chart("bar", "每天完成", ("周一", "周二"), (2, 3.5))
    body = Body(
        (Paragraph("# 用*市场部*模板 :OK: [x](http://a.cn) 1. `a`"), table, chart, Paragraph("注", True)), "周报"
    )
    await office.deliver(Reply(account(), "report", body))
    (arrival,) = office.feed.arrivals
    assert arrival.kind == "card"
    for said in (
        "周报",
        "# 用*市场部*模板 :OK: [x](http://a.cn) 1. `a`",
        "**评审** <at id=all></at> | 完成",
        "报销_单",
    ):
        assert said in arrival.text
    for said in ("每天完成", "周二：3.5", "注"):
        assert said in arrival.text
    assert arrival.buttons == ()


async def test_a_group_gets_its_answer_and_nobody_else(office):
    group = office.simulator.world.groups["项目群"]
    to = Address(Group("feishu", "feishu", "default", group.chat_id))
    await office.deliver(Reply(to, "answer", Body.say("请私聊我")))
    (arrival,) = office.feed.arrivals
    assert (arrival.to, arrival.group) == ("项目群", True)


@pytest.mark.parametrize("user_id", ["on_xiaowen", "ou_xiaowen", "u_xiaowen"])
async def test_any_kind_of_id_reaches_the_person(office, user_id):
    await office.deliver(Reply(account(user_id), "answer", Body.say("好")))
    assert office.feed.arrivals[0].to == "晓雯"


async def test_the_same_key_is_one_message_for_an_hour(office):
    first, second = await office.deliver(answer()), await office.deliver(answer())
    assert first == second
    assert len(office.feed.arrivals) == 1
    office.clock.move_to(START + timedelta(hours=1, seconds=1))
    await office.deliver(answer())
    assert len(office.feed.arrivals) == 2


async def test_d13_picture_and_file_follow_the_text(office):
    picture = FileOut("图.png", b"\x89PNG", "image/png")
    paper = FileOut('周报"一".docx', b"PK", "application/zip")
    await office.deliver(answer("给你", attachments=(picture, paper)))
    assert [arrival.kind for arrival in office.feed.arrivals] == ["text", "picture", "file"]
    assert office.feed.arrivals[1].attachments[0][1] == b"\x89PNG"
    assert office.feed.arrivals[2].attachments == (('周报"一".docx', b"PK"),)


async def test_an_empty_file_is_unsendable(office):
    with pytest.raises(Unsendable):
        await office.deliver(answer(attachments=(FileOut("a.txt", b""),)))


async def test_a_task_appears_with_its_due_date(office):
    body = Body((Paragraph("2026-03-04"), Paragraph("晓雯分配")), "整理会议纪要")
    reply = Reply(account("on_lilei"), "task", body)
    assert await office.deliver(reply) == await office.deliver(reply)
    (arrival,) = office.feed.arrivals
    assert (arrival.kind, arrival.to) == ("task", "李雷")
    assert "整理会议纪要" in arrival.text
    assert "2026-03-04" in arrival.text


# --- cards: presses and updates ---


async def test_a_pressed_button_names_question_and_option(office):
    (sent,) = await office.deliver(question())
    assert office.feed.arrivals[0].buttons == ("确认", "取消")
    await office.simulator.press("晓雯", sent.message_id, "取消")
    press = office.bot.heard[0].press
    assert (press.question_id, press.option, press.receipt) == ("q1", "no", sent.message_id)
    assert len(office.feed.arrivals) == 1


async def test_more_than_six_options_become_a_selection(office):
    options = [Option(f"k{number}", f"第{number}个") for number in range(7)]
    (sent,) = await office.deliver(question(options=options))
    assert office.feed.arrivals[0].buttons == tuple(option.label for option in options)
    await office.simulator.press("晓雯", sent.message_id, "第6个")
    assert office.bot.heard[0].press.option == "k6"


async def test_a_press_in_a_group_comes_from_the_group(office):
    group = office.simulator.world.groups["项目群"]
    to = Address(Group("feishu", "feishu", "default", group.chat_id))
    (sent,) = await office.deliver(question(to=to))
    await office.simulator.press("李雷", sent.message_id, "确认")
    heard = office.bot.heard[0]
    assert heard.address == to
    assert heard.sender.user_id == "on_lilei"


async def test_an_answered_card_loses_its_buttons_and_keeps_its_title(office):
    (sent,) = await office.deliver(question(title="周报"))
    outcome = Body((Paragraph("确认吗？"), Paragraph("已确认", True)), "周报")
    await office.adapter.update(account(), sent, Reply(account(), "answer", outcome), None)
    update = office.feed.arrivals[-1]
    assert (update.updates, update.buttons) == (sent.message_id, ())
    assert update.text == "周报\n确认吗？\n已确认"


async def test_a_client_that_has_not_refreshed_presses_the_old_card(office):
    (sent,) = await office.deliver(question())
    await office.adapter.update(account(), sent, answer("已确认"), None)
    with pytest.raises(LookupError):
        await office.simulator.press("晓雯", sent.message_id, "确认", as_delivered=False)
    office.bot.toast = "已处理"
    assert await office.simulator.press("晓雯", sent.message_id, "确认") == "已处理"
    assert (office.feed.arrivals[-1].kind, office.feed.arrivals[-1].text) == ("toast", "已处理")


async def test_e1_card_patched_before_the_callback_answer_stays_patched(office):
    (sent,) = await office.deliver(question())

    async def patch(message: Message) -> None:
        await office.adapter.update(account(), sent, answer("已确认"), message.press.receipt)

    office.bot.before_answer = patch
    await office.simulator.press("晓雯", sent.message_id, "确认")
    assert office.feed.arrivals[-1].text == "已确认"
    assert office.feed.arrivals[-1].buttons == ()


async def test_a_failed_callback_is_shown_and_not_repeated(office):
    (sent,) = await office.deliver(question())
    office.bot.fails = 1
    assert "200671" in (await office.simulator.press("晓雯", sent.message_id, "确认") or "")
    assert office.simulator.next_due() is None


@pytest.mark.parametrize("code", [230011, 230031, 230110])
async def test_a_card_too_old_to_change_is_left_alone(office, code):
    (sent,) = await office.deliver(question())
    office.simulator.fail_next("/messages/", code)
    await office.adapter.update(account(), sent, answer("已确认"), None)
    assert len(office.feed.arrivals) == 1


async def test_a_card_of_a_fortnight_ago_is_left_alone(office):
    (sent,) = await office.deliver(question())
    office.clock.move_to(START + timedelta(days=15))
    await office.adapter.update(account(), sent, answer("已确认"), None)
    assert len(office.feed.arrivals) == 1


async def test_a_question_that_went_out_as_text_is_left_alone(office):
    office.simulator.fail_next("/messages", 230099)
    (sent,) = await office.deliver(question())
    await office.adapter.update(account(), sent, answer("已确认"), None)
    assert [arrival.kind for arrival in office.feed.arrivals] == ["text"]


async def test_the_outcome_is_masked_too_when_it_must_be(office):
    (sent,) = await office.deliver(question())
    office.simulator.fail_next("/messages/", 230028)
    await office.adapter.update(account(), sent, answer("已记下 13800138000"), None)
    assert office.texts[-1] == "已记下 ＊＊＊＊＊＊＊＊＊＊＊"


@pytest.mark.parametrize("kind", ["post", "image", "file", "audio", "media", "sticker", "merge_forward", "location"])
async def test_every_kind_that_people_send_is_heard(office, kind):
    await office.simulator.say("晓雯", "周报.docx", kind=kind)
    assert len(office.bot.heard) == 1
    assert office.bot.heard[0].kind != "text"


# --- size ---


@pytest.mark.parametrize("count", [3, 5, 6, 12])
async def test_f1_more_than_five_tables_become_several_cards(office, count):
    tables = [Table(("名",), ((f"第{number}行",),)) for number in range(count)]
    await office.deliver(Reply(account(), "report", Body(tuple(tables), "周报")))
    assert len(office.feed.arrivals) == -(-count // 5)
    said = "\n".join(office.texts)
    assert [said.count(f"第{number}行") for number in range(count)] == [1] * count


async def test_f1_a_refused_card_arrives_as_text_and_is_not_repeated(office):
    office.simulator.fail_next("/messages", 230099, text="ext=ErrCode: 11310; ErrMsg: element exceeds the limit")
    body = Body((Paragraph("好"), Table(("名",), (("甲",),))), "周报")
    await office.deliver(Reply(account(), "report", body, YES_NO, "q1"))
    (arrival,) = office.feed.arrivals
    assert (arrival.kind, arrival.text) == ("text", "周报\n好\n名\n甲\n［确认］　［取消］")
    bodies = [asked.body for asked in office.simulator.faults.asked if asked.path.endswith("/messages")]
    assert len(bodies) == 2
    assert bodies[0] != bodies[1]


async def test_a_long_report_is_several_cards_within_thirty_kilobytes(office):
    rows = tuple((f"第{number}项「任务」" * 8, '进行中"引号"') for number in range(400))
    body = Body((Paragraph("长" * 9000), Table(("事项", "状态"), rows)), "周报")
    await office.deliver(Reply(account(), "report", body, YES_NO, "q1"))
    sizes = [len(asked.body) for asked in office.simulator.faults.asked if asked.path.endswith("/messages")]
    assert max(sizes) <= 30 * 1024
    said = "".join(office.texts)
    assert said.count("长") == 9000
    assert all(f"第{number}项" in said for number in range(400))
    assert [bool(arrival.buttons) for arrival in office.feed.arrivals] == [False] * (len(sizes) - 1) + [True]


async def test_a_long_text_arrives_whole_in_order(office):
    text = "\n".join(f"{number}：" + "事" * 500 for number in range(200))
    await office.deliver(answer(text))
    assert len(office.texts) > 1
    assert "".join(office.texts) == text


# --- errors by remedy ---


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        (99991400, 429, RetryLater),
        (230020, 400, RetryLater),
        (230049, 400, RetryLater),
        (2200, 500, RetryLater),
        (230013, 400, Unreachable),
        (230029, 400, Unreachable),
        (230053, 400, Unreachable),
        (230002, 400, Unreachable),
        (99992361, 400, Unreachable),
        (230006, 400, Misconfigured),
        (99991401, 400, Misconfigured),
        (99991672, 400, Misconfigured),
        (230001, 400, Unsendable),
        (230025, 400, Unsendable),
        (4242424, 400, Unsendable),
    ],
)
async def test_an_error_code_names_its_remedy(office, code, status, error):
    office.simulator.fail_next("/messages", code, status)
    with pytest.raises(error):
        await office.deliver(answer())
    assert office.simulator.faults.count_of("/messages") == 1


async def test_g8_missing_scope_is_named_with_its_link(office):
    text = "Access denied. One of the following scopes is required: [im:message, im:message:send_as_bot]. "
    link = "https://open.feishu.cn/app/cli_t/auth?q=im:message"
    office.simulator.fail_next("/messages", 99991672, text=f"{text}{link}")
    with pytest.raises(Misconfigured, match="im:message、im:message:send_as_bot") as caught:
        await office.deliver(answer())
    assert link in str(caught.value)
    assert "权限管理" in str(caught.value)


async def test_g8_one_unreachable_person_does_not_stop_the_others(office):
    office.simulator.messages.unreachable["晓雯"] = 230013
    with pytest.raises(Unreachable):
        await office.deliver(answer(), "row-1")
    await office.deliver(Reply(account("on_lilei"), "push", Body.say("早")), "row-2")
    assert [arrival.to for arrival in office.feed.arrivals] == ["李雷"]


async def test_sensitive_words_are_masked_and_sent_once_more(office):
    office.simulator.fail_next("/messages", 230028)
    await office.deliver(question("电话 13800138000，邮箱 a.b@example.com，3月"))
    (arrival,) = office.feed.arrivals
    assert arrival.text == "电话 ＊＊＊＊＊＊＊＊＊＊＊，邮箱 ＊＊＊@example.com，3月"
    await office.simulator.press("晓雯", arrival.message_id, "确认")
    assert office.bot.heard[0].press.question_id == "q1"


async def test_words_refused_twice_are_unsendable(office):
    office.simulator.fail_next("/messages", 230028, times=2)
    with pytest.raises(Unsendable):
        await office.deliver(answer("13800138000"))
    assert office.simulator.faults.count_of("/messages") == 2


async def test_the_sixth_message_in_a_second_has_to_wait(office):
    for number in range(5):
        await office.deliver(answer(), f"row-{number}")
    with pytest.raises(RetryLater) as caught:
        await office.deliver(answer(), "row-5")
    assert caught.value.after == timedelta(seconds=1)
    assert not caught.value.unknown
    office.clock.move_to(START + timedelta(seconds=1))
    await office.deliver(answer(), "row-5")
    assert len(office.feed.arrivals) == 6


async def test_our_limits_are_the_platforms(office):
    limits = office.adapter.limits(account())
    assert [(count, per.total_seconds()) for _, count, per in limits] == [(5, 1), (50, 1), (1000, 60)]


async def test_an_outage_is_a_refusal_that_is_tried_again(office):
    office.simulator.outage_until = START + timedelta(minutes=10)
    with pytest.raises(RetryLater) as caught:
        await office.deliver(answer())
    assert not caught.value.unknown
    office.clock.move_to(START + timedelta(minutes=10))
    await office.deliver(answer())
    assert office.texts == ["好的"]


async def test_no_answer_is_an_unknown_outcome_and_the_retry_does_not_double(office, monkeypatch):
    monkeypatch.setattr(feishu_client, "CALL_TIMEOUT", aiohttp.ClientTimeout(total=0.2))
    office.simulator.faults.hang_next("/messages")
    with pytest.raises(RetryLater) as caught:
        await office.deliver(answer())
    assert caught.value.unknown
    await office.deliver(answer())
    assert office.texts == ["好的"]


async def test_nobody_listening_is_a_known_outcome(office):
    adapter = FeishuAdapter(entry_of(office.simulator, base_url="http://127.0.0.1:9"), clock=office.clock)
    await adapter.start()
    with pytest.raises(RetryLater) as caught:
        await office.deliver(answer(), adapter=adapter)
    await adapter.close()
    assert not caught.value.unknown


async def test_a_wrong_base_url_is_the_admins_to_mend(office):
    async def lost(request: web.Request) -> web.Response:
        return web.Response(status=404, text="<html>nginx</html>", content_type="text/html")

    async with serving(lost, "/{any:.*}") as url:
        client = FeishuClient(base_url=url.partition("/{")[0], app_id="a", app_secret="s", clock=office.clock)
        with pytest.raises(Misconfigured, match="base_url"):
            await client.token()
        await client.close()


# --- tokens ---


def tokens_asked(office) -> int:
    return office.simulator.faults.count_of("tenant_access_token")


async def test_one_token_serves_all_calls_and_is_fetched_once(office):
    client = FeishuClient(
        base_url=office.simulator.base_url,
        app_id=office.simulator.app_id,
        app_secret=office.simulator.app_secret,
        clock=office.clock,
    )
    before = tokens_asked(office)
    assert len(set(await asyncio.gather(*(client.token() for _ in range(20))))) == 1
    assert tokens_asked(office) == before + 1
    await client.close()


async def test_a_token_is_renewed_before_it_expires(office):
    first = await office.adapter.client.token()
    office.clock.move_to(START + timedelta(minutes=94))
    assert await office.adapter.client.token() == first
    office.clock.move_to(START + timedelta(minutes=96))
    assert await office.adapter.client.token() != first


async def test_a_token_that_still_lives_is_used_when_the_renewal_fails(office):
    first = await office.adapter.client.token()
    office.clock.move_to(START + timedelta(minutes=96))
    office.simulator.fail_next("tenant_access_token", 0, 502)
    assert await office.adapter.client.token() == first


@pytest.mark.parametrize("code", [99991661, 99991663, 99991664, 99991668])
@pytest.mark.parametrize("status", [200, 400])
async def test_g1_refused_token_is_renewed_once_and_nothing_is_lost(office, code, status):
    before = tokens_asked(office)
    office.simulator.revoke_tokens()
    office.simulator.fail_next("/messages", code, status)
    await office.deliver(answer())
    assert office.texts == ["好的"]
    assert tokens_asked(office) == before + 1


async def test_g1_many_refused_calls_renew_the_token_together(office):
    before = tokens_asked(office)
    office.simulator.revoke_tokens()
    await asyncio.gather(*(office.deliver(answer(), f"row-{number}") for number in range(5)))
    assert len(office.feed.arrivals) == 5
    assert tokens_asked(office) == before + 1


async def test_g1_a_token_refused_twice_is_not_fetched_for_ever(office):
    before = tokens_asked(office)
    office.simulator.fail_next("/messages", 99991663, times=2)
    with pytest.raises(RetryLater):
        await office.deliver(answer())
    assert tokens_asked(office) == before + 1


async def test_g4_tokens_of_two_apps_are_never_mixed(office):
    other = FeishuSimulator(office.feed, office.clock, app="feishu/sales", app_id="cli_sales", app_secret="s2")
    await other.start()
    other.add_person("晓雯", "ou_xiaowen")
    tokens = InMemoryTokens()
    adapters = [
        FeishuAdapter(entry_of(office.simulator), clock=office.clock, tokens=tokens),
        FeishuAdapter(entry_of(other, "feishu/sales"), clock=office.clock, tokens=tokens),
    ]
    for number in range(3):
        for adapter in adapters:
            await office.deliver(answer(), f"row-{number}", adapter)
    seen = [
        {asked.authorization for asked in simulator.faults.asked if asked.path.endswith("/messages")}
        for simulator in (office.simulator, other)
    ]
    assert [len(one) for one in seen] == [1, 1]
    assert seen[0] != seen[1]
    for adapter in adapters:
        await adapter.close()
    await other.close()


async def test_g4_a_changed_secret_takes_effect(office):
    tokens = InMemoryTokens()
    good = FeishuAdapter(entry_of(office.simulator), clock=office.clock, tokens=tokens)
    await good.client.token()
    wrong = FeishuAdapter(entry_of(office.simulator, app_secret=SecretStr("old")), clock=office.clock, tokens=tokens)
    with pytest.raises(Misconfigured, match="app_secret"):
        await office.deliver(answer(), adapter=wrong)
    await good.close()
    await wrong.close()


async def test_the_bots_own_id_is_learned_later_when_feishu_was_down(office):
    office.simulator.outage_until = START + timedelta(minutes=1)
    adapter = FeishuAdapter(entry_of(office.simulator), clock=office.clock)
    await adapter.start()
    office.clock.move_to(START + timedelta(minutes=1))
    await office.deliver(answer(), adapter=adapter)
    bot = Bot(adapter)
    async with serving(bot.handle, adapter.path) as url:
        office.simulator.connect(url)
        await office.simulator.say("晓雯", "早", group="项目群", mention=True)
    await adapter.close()
    assert bot.heard[0].mentions_bot


async def test_j4_no_secret_is_logged(office, caplog):
    caplog.set_level(logging.DEBUG)
    office.simulator.revoke_tokens()
    office.simulator.fail_next("tenant_access_token", 10014)
    with pytest.raises(Misconfigured) as caught:
        await office.deliver(answer("13800138000"))
    office.simulator.fail_next("/messages", 230028)
    await office.deliver(answer("13800138000"))
    token = await office.adapter.client.token()
    written = caplog.text + str(caught.value)
    for secret in (office.simulator.app_secret, office.simulator.encrypt_key, token, "13800138000"):
        assert secret not in written


async def test_a_quoted_message_can_be_fetched(office):
    (sent,) = await office.deliver(answer("原话"))
    await office.simulator.say("晓雯", "按这个来", quoted=sent.message_id)
    quoted = office.bot.heard[0].quoted
    found = await office.adapter.client.call("GET", f"/open-apis/im/v1/messages/{quoted}")
    assert json.loads(found["data"]["items"][0]["body"]["content"]) == {"text": "原话"}
