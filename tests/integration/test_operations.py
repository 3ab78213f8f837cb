"""What monitors see: alive, ready, the counters; all of it over the real routes, none of it personal."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text

from bot import counting, logs, vitals
from bot.metrics import Metrics
from bot.rehearsal.scenario import Actor
from bot.rehearsal.world import World
from bot.troubles import Troubles, summary
from bot.types import Misconfigured, RetryLater, Unreachable, Unsendable
from config.clock import ManualClock, to_micros
from config.problems import Problem
from memory.stores.database import DatabaseBroken
from tests.integration.talking import START, Conversation, conversation

PERSONAL = ("晓雯", "ou_xiaowen", "xiaowen", "市场部", "周报", "on_")


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Conversation]:
    async with conversation(tmp_path) as opened:
        yield opened


async def get(world: World, path: str) -> tuple[int, str]:
    url = f"http://127.0.0.1:{world.app.port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def report(world: World, path: str) -> tuple[int, Mapping[str, Any]]:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{world.app.port}") as session, session.get(path) as response:
        return response.status, await response.json()


async def figures(world: World) -> Mapping[str, float]:
    _, body = await get(world, "/metrics")
    return {name: float(value) for name, value in re.findall(r"^(\w+(?:\{.*?\})?) (\S+)$", body, re.MULTILINE)}


# --- alive ---


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_a_bot_at_work_is_ok(talk: Conversation, path: str) -> None:
    await talk.say("以后每天早上把待办发到我的企业微信")
    assert await report(talk.world, path) == (200, {"status": "ok", "fatal": [], "degraded": []})


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_a_database_that_does_not_answer_is_down(
    talk: Conversation, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(fn: object) -> object:
        raise DatabaseBroken("SQLite: disk I/O error")

    monkeypatch.setattr(talk.world.app.database, "read", broken)
    status, body = await report(talk.world, path)
    assert (status, body["status"], body["fatal"][0]["part"]) == (503, "down", "database")


@pytest.mark.parametrize(
    ("late", "status", "says"),
    [
        (timedelta(seconds=30), 200, "ok"),
        (timedelta(minutes=10), 200, "degraded"),
        (timedelta(hours=2, minutes=1), 503, "down"),
    ],
)
async def test_a_schedule_that_nobody_carries_out_is_noticed(
    talk: Conversation, late: timedelta, status: int, says: str
) -> None:
    await talk.say("以后每天早上把待办发到我的企业微信")
    due = to_micros(talk.world.clock.now() - late)
    await talk.world.app.database.run(lambda tx: tx.execute(text("UPDATE schedules SET due_at = :due"), {"due": due}))
    code, body = await report(talk.world, "/readyz")
    assert (code, body["status"]) == (status, says)
    assert (await report(talk.world, "/healthz"))[0] == status
    assert (await figures(talk.world))['jide_lag_seconds{kind="schedule digest"}'] == late.total_seconds()


@pytest.mark.parametrize(("queue", "column"), [("inbox", "received_at"), ("outbox", "due_at")])
async def test_a_queue_that_stands_still_is_down(talk: Conversation, queue: str, column: str) -> None:
    await talk.say("你好")
    since = to_micros(talk.world.clock.now() - timedelta(hours=1))
    last = f"(SELECT MAX(id) FROM {queue})"
    await talk.world.app.database.run(
        lambda tx: tx.execute(
            text(f"UPDATE {queue} SET state = 'new', {column} = :since WHERE id = {last}"), {"since": since}
        )
    )
    talk.world.app.inbox.abandon()
    talk.world.app.outbox.abandon()
    code, body = await report(talk.world, "/healthz")
    assert (code, [ailment["part"] for ailment in body["fatal"]]) == (503, [queue])
    assert (await figures(talk.world))[f'jide_queue_depth{{kind="{queue}"}}'] == 1


# --- ready ---


async def test_a_wrong_edit_is_told_by_place_and_cure_without_its_value(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot goes on with the last good file, so it stays ready."""
    problem = Problem("bot.yaml", 12, "directory[0].email", "不是邮箱（现在是 lilei）", "写成 名字@公司域名")
    monkeypatch.setattr(talk.world.app, "_watcher", type("Watching", (), {"last_problems": (problem,)}))
    status, body = await report(talk.world, "/readyz")
    assert (status, body["status"]) == (200, "degraded")
    assert body["degraded"] == [{"part": "config", "says": "bot.yaml:12 directory[0].email：写成 名字@公司域名"}]
    assert (await figures(talk.world))["jide_config_problems"] == 1
    monkeypatch.undo()


async def test_what_the_admin_has_to_mend_at_a_platform_is_told_until_it_is_mended(talk: Conversation) -> None:
    talk.world.feishu.fail_next("/im/v1/messages", 99991672, text="Access denied. im:message:send_as_bot")
    await talk.say("帮助")
    _, body = await report(talk.world, "/readyz")
    (ailment,) = body["degraded"]
    assert ailment["part"] == "platform"
    assert ailment["says"].startswith("feishu：飞书 99991672：应用缺少权限")
    await talk.say("帮助")
    assert (await report(talk.world, "/readyz"))[1]["status"] == "ok"


async def test_a_platform_that_is_down_is_told_while_it_is(talk: Conversation) -> None:
    now = talk.world.clock.now()
    talk.world.feishu.outage_until = now + timedelta(minutes=5)
    await talk.say("帮助")
    await talk.world.advance(now + timedelta(minutes=1))
    _, body = await report(talk.world, "/readyz")
    assert re.fullmatch(r"feishu：连续 \d+ 次送不出去，会继续重试", body["degraded"][0]["says"])
    await talk.world.advance(now + timedelta(minutes=6))
    assert (await report(talk.world, "/readyz"))[1]["status"] == "ok"


async def test_a_disk_that_fills_up_is_told(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(vitals.shutil, "disk_usage", lambda folder: usage._replace(free=20 << 20))
    _, body = await report(talk.world, "/readyz")
    assert body["degraded"][0]["says"].startswith("数据目录所在的磁盘只剩 20 MB")


async def test_a_bot_without_platforms_says_so(tmp_path: Path) -> None:
    async with conversation(tmp_path) as talk:
        await talk.world.reload({"platforms": {"feishu": None, "wecom": None}})
        assert (await report(talk.world, "/readyz"))[1]["degraded"][0]["says"].startswith("没有配置任何平台")


# --- the counters ---


async def test_what_happens_is_counted_by_app_and_kind(talk: Conversation) -> None:
    await talk.say("以后通知都发到企业微信")
    await talk.world.redeliver()
    await talk.say("帮助", via="wecom")
    talk.world.feishu.fail_next("/im/v1/messages", 2200, http_status=500)
    talk.world.feishu.fail_next("/im/v1/messages", 230001)
    await talk.say("帮助")
    await talk.world.advance(talk.world.clock.now() + timedelta(seconds=10))
    await talk.world.reload({"office": {"name": "小记"}})
    counted = await figures(talk.world)
    expected = {
        'jide_accepted_total{app="feishu",kind="text"}': 2,
        'jide_accepted_total{app="wecom",kind="text"}': 1,
        'jide_repeats_total{app="feishu"}': 1,
        'jide_acknowledge_seconds_count{app="feishu",kind="message"}': 3,
        "jide_turn_seconds_count": 3,
        'jide_delivered_total{app="wecom",kind="answer"}': 1,
        'jide_retried_total{app="feishu",kind="answer"}': 1,
        'jide_dead_letters_total{app="feishu",kind="answer"}': 1,
        "jide_turn_failures_total": 0,
        "jide_config_reloads_total": 1,
        'jide_queue_depth{kind="inbox"}': 0,
        'jide_queue_depth{kind="outbox"}': 0,
    }
    assert {name: counted.get(name) for name in expected} == expected


async def test_a_turn_that_raises_is_counted(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(talk.world.app.inbox._handler, "handle", handle)
    await talk.say("帮助")
    assert (await figures(talk.world))["jide_turn_failures_total"] == 3


async def test_the_labels_are_apps_and_kinds_only(talk: Conversation) -> None:
    await talk.say("以后周报用市场部模板")
    await talk.say("生成周报")
    _, body = await get(talk.world, "/metrics")
    assert set(re.findall(r"[{,](\w+)=", body)) <= {"app", "kind", "le"}
    assert [each for each in PERSONAL if each in body] == []


def test_the_manual_explains_every_counter_and_no_other() -> None:
    manual = (Path(__file__).parents[2] / "docs/operations.md").read_text(encoding="utf-8")
    kept = set(re.findall(r"^# HELP (jide_\w+)", Metrics().text().decode(), re.MULTILINE))
    named = set(re.findall(r"`(jide_\w+)(?:\{.*?\})?`", manual))
    assert named == {name for name in kept if not name.endswith("_created")}


async def test_scanners_are_refused_quickly_and_leave_ten_lines(
    talk: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    """Field fault C11: a thousand requests without parameters."""
    base = f"http://127.0.0.1:{talk.world.app.port}"
    paths = ("/wecom/callback", "/feishu/events", "/.env", "/wecom/callback?msg_signature=1&timestamp=2&nonce=3")

    async def knock(session: aiohttp.ClientSession, number: int) -> int:
        async with session.request("POST" if number % 2 else "GET", base + paths[number % 4]) as response:
            return response.status

    async with aiohttp.ClientSession() as session:
        for start in range(0, 1000, 100):
            statuses = await asyncio.gather(*(knock(session, start + each) for each in range(100)))
            assert all(400 <= status < 500 for status in statuses)
    assert len(caplog.records) <= 20  # ten a minute; the thousand may straddle two
    assert all(record.exc_info is None for record in caplog.records)
    assert (await report(talk.world, "/healthz"))[1]["status"] == "ok"


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST /feishu/events HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    ],
    ids=["tls", "half a line", "negative length"],
)
async def test_bytes_that_are_not_http_are_refused_without_a_line(talk: Conversation, junk: bytes) -> None:
    stream = StringIO()
    logs.configure(talk.world.settings, stream)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", talk.world.app.port)
        writer.write(junk)
        assert (await reader.read(12)).endswith(b" 400")
        writer.close()
        await writer.wait_closed()
    finally:
        logs.release()
    assert stream.getvalue() == ""


# --- what is kept of a refusal ---


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (Unsendable("230099 Failed to create card, ErrorValue: 老板是张总"), "Unsendable: 230099"),
        (
            Unreachable("企业微信返回 60111：userid not found: XiaoWen（userid 不存在）"),
            "Unreachable: 企业微信返回 60111",
        ),
        (RetryLater("no answer from Feishu: TimeoutError"), "RetryLater: no answer from Feishu: TimeoutError"),
        (Misconfigured("飞书 99991672：请开通 im:message"), "Misconfigured: 飞书 99991672：请开通 im:message"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_of_a_refusal_only_its_code_is_kept(error: Exception, kept: str) -> None:
    assert summary(error) == kept


async def test_what_a_platform_repeats_of_a_message_reaches_no_disk(talk: Conversation) -> None:
    """Feishu quotes the value that it refuses; a dead letter keeps the code alone."""
    talk.world.feishu.fail_next("/im/v1/messages", 230001, text="invalid content: 老板是张总")
    await talk.say("帮助")
    errors = await talk.world.app.database.read(
        lambda tx: list(tx.execute(text("SELECT error FROM outbox WHERE state = 'dead'")).scalars())
    )
    assert errors == ["Unsendable: 230001"]


async def test_our_own_patience_is_no_trouble_of_the_platform(talk: Conversation) -> None:
    """More than five answers in one second wait for their turn."""
    for _ in range(9):
        await talk.world.say("晓雯", "feishu", "帮助")
    await talk.world.advance(talk.world.clock.now() + timedelta(seconds=5))
    counted = await figures(talk.world)
    assert counted['jide_delivered_total{app="feishu",kind="answer"}'] == 9
    assert not any(name.startswith("jide_retried_total") for name in counted)
    assert (await report(talk.world, "/readyz"))[1]["status"] == "ok"


def test_one_refusal_is_weather_three_in_a_row_a_trouble() -> None:
    troubles = Troubles()
    for _ in range(2):
        troubles.refused("feishu")
    assert list(troubles) == []
    troubles.refused("feishu")
    assert [app for app, _ in troubles] == ["feishu"]
    troubles.reached("feishu")
    assert list(troubles) == []


# --- counts ---


@asynccontextmanager
async def people_who_said_something(folder: Path, count: int) -> AsyncIterator[World]:
    actors = [Actor(f"同事{number}", {"feishu": f"ou_{number}"}) for number in range(count)]
    world = World(ManualClock(START), actors, folder)
    await world.open()
    for actor in actors:
        await world.say(actor.name, "feishu", "以后周报用市场部模板")
    await world.settle()
    yield world
    await world.close()


@pytest.mark.parametrize(("people", "shown"), [(4, "<5"), (5, 5)])
async def test_nothing_is_counted_about_fewer_than_five_people(tmp_path: Path, people: int, shown: object) -> None:
    async with people_who_said_something(tmp_path, people) as world:
        counts = await world.app.database.read(counting.count)
    assert (counts["people"], counts["memories"]) == (shown, shown)
    assert counts["inbox"] == {"done": people}
    assert counts["todos"] == 0
