"""`jide serve` as a process: from a message over the wire to its answer, and what signals and kills leave behind."""

import asyncio
import json
import re
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot import serving
from bot.rehearsal.world import World
from config.clock import ShiftedClock
from tests.integration.serving import PATIENCE, Office, office, until
from tests.integration.talking import XIAOWEN

ASKED = "你记住了我的哪些偏好"


@pytest.fixture
async def bureau(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path) as opened:
        yield opened


async def test_a_message_is_answered_and_a_monitor_served_until_the_signal(bureau: Office) -> None:
    process = await bureau.serve()
    assert await bureau.answer_to("帮助")
    async with aiohttp.ClientSession(f"http://127.0.0.1:{bureau.port}") as session:
        for path in ("/healthz", "/readyz"):
            async with session.get(path) as response:
                assert (response.status, (await response.json())["status"]) == (200, "ok")
        async with session.get("/metrics") as response:
            assert 'jide_delivered_total{app="feishu",kind="answer"} 1.0' in await response.text()
    code, _, log = await bureau.end(process, signal.SIGTERM)
    assert code == 0
    assert "stopped" in log
    assert "帮助" not in log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_a_signal_during_delivery_loses_and_doubles_nothing(bureau: Office, number: signal.Signals) -> None:
    """Field fault L6."""
    process = await bureau.serve()
    bureau.feishu.faults.latency = 0.3
    await bureau.feishu.say("晓雯", ASKED)
    await until(lambda: bureau.feishu.faults.count_of("/im/v1/messages") > 0)
    code, _, _ = await bureau.end(process, number)
    assert code == (-number if number is signal.SIGKILL else 0)
    bureau.feishu.faults.latency = 0.0
    await bureau.serve()
    await until(lambda: len(bureau.feed.arrivals) > 0)
    first = bureau.feed.arrivals[0].text
    second = await bureau.answer_to("帮助")  # a chat keeps its order: what came before is settled by now
    assert [arrival.text for arrival in bureau.feed.arrivals] == [first, second]


async def test_a_second_signal_does_not_wait(bureau: Office) -> None:
    process = await bureau.serve()
    bureau.feishu.faults.hang_next("/im/v1/messages")
    await bureau.feishu.say("晓雯", ASKED)
    await until(lambda: len(bureau.feed.arrivals) > 0)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    while b"draining" not in await process.stderr.readline():
        pass
    code, _, _ = await bureau.end(process, signal.SIGTERM)
    assert code == 128 + signal.SIGTERM
    await bureau.serve()
    second = await bureau.answer_to("帮助")
    assert [arrival.text for arrival in bureau.feed.arrivals[1:]] == [second]


async def test_the_drain_is_bounded_and_what_is_left_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform that takes a message and never answers holds nobody up."""
    world = World(ShiftedClock(), (XIAOWEN,), tmp_path)
    await world.open()
    world.feishu.faults.hang_next("/im/v1/messages")
    await world.say("晓雯", "feishu", ASKED)
    await until(lambda: len(world.feed.arrivals) > 0)
    monkeypatch.setattr(serving, "DRAIN_SECONDS", 0.05)
    await serving._close(world.app)
    await world._start_app()
    await world.say("晓雯", "feishu", "帮助")
    await until(lambda: len(world.feed.arrivals) > 1)
    assert len({arrival.text for arrival in world.feed.arrivals}) == 2
    await world.close()


async def test_a_signal_before_it_is_ready_stops_the_start(bureau: Office) -> None:
    bureau.feishu.faults.latency = 30.0
    process = await bureau.start()
    await until(lambda: bureau.feishu.faults.count_of("tenant_access_token") > 0)
    code, out, _ = await bureau.end(process, signal.SIGTERM)
    assert (code, out) == (0, "")


async def test_a_second_process_on_the_same_data_is_refused(bureau: Office) -> None:
    """Field fault H7."""
    process = await bureau.serve()
    bureau.write_config(port=bureau.port + 1)
    code, _, said = await bureau.end(await bureau.start())
    assert code == 1
    assert re.search(r"数据目录 .*data 正被另一个进程使用：先停掉它，或用 storage.data 换一个目录", said)
    assert "Traceback" not in said
    assert (await bureau.end(process, signal.SIGTERM))[0] == 0


async def test_a_bad_config_is_refused_with_line_key_and_cure(bureau: Office) -> None:
    text = bureau.config.read_text(encoding="utf-8").replace("  port:", "  prot:")
    bureau.config.write_text(text, encoding="utf-8")
    code, out, said = await bureau.end(await bureau.start())
    assert (code, out) == (1, "")
    assert re.search(r"bot\.yaml:\d+ server\.prot: 没有这个键，是不是 port？", said)
    assert not bureau.data.exists()


async def test_a_port_in_use_is_refused_in_a_sentence(bureau: Office) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", bureau.port))
        taken.listen()
        code, _, said = await bureau.end(await bureau.start())
    assert code == 1
    assert f"端口 {bureau.port} 已被别的程序占用，停掉它，或改 server.port" in said
    assert "Traceback" not in said


async def test_an_edit_of_the_log_level_holds_at_once(bureau: Office) -> None:
    process = await bureau.serve()
    text = bureau.config.read_text(encoding="utf-8")
    bureau.config.write_text(text.replace("level: debug", "level: error"), encoding="utf-8")
    async with aiohttp.ClientSession(f"http://127.0.0.1:{bureau.port}") as session, asyncio.timeout(PATIENCE):
        while True:
            async with session.get("/metrics") as response:
                if "jide_config_reloads_total 1.0" in await response.text():
                    break
    _, _, log = await bureau.end(process, signal.SIGTERM)
    assert "draining" not in log


async def test_counts_and_upgrades_are_for_the_admin(bureau: Office) -> None:
    """`jide stats` before there is anything, then beside a running bot; `jide db upgrade` on what it left."""
    code, out, said = await bureau.end(await bureau.start("stats"))
    assert (code, out) == (1, "")
    assert "先运行一次 jide serve" in said
    process = await bureau.serve()
    assert await bureau.answer_to("帮助")
    code, out, _ = await bureau.end(await bureau.start("stats"))
    counts = json.loads(out)
    assert (code, counts["people"], counts["memories"]) == (0, "<5", 0)
    assert counts["inbox"] == {"done": 1}
    assert (await bureau.end(process, signal.SIGTERM))[0] == 0
    code, out, _ = await bureau.end(await bureau.start("db", "upgrade"))
    assert (code, out) == (0, "表结构已是最新\n")
