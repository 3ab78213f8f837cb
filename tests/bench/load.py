"""Event → outbox: how many messages a second one embedded bot takes, and how long a platform waits for its 200."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from adapters.feishu.crypto import encrypt, signature
from adapters.web import serve
from tests.bench.bot_process import CREDENTIALS
from tests.bench.table import Figure, percentile

PEOPLE = 200
EVENTS = 6000
AT_ONCE = 64
PACED = 150
PACED_EVENTS = 3000

STATEMENTS = (
    "以后通知发企业微信", "确认", "以后周报用市场部模板", "周报默认用表格形式", "以后通知发飞书", "记住", "算了",
    "以后待办列表里不要显示已完成的", "好的", "以后图表用折线图", "不用",
)  # fmt: skip
REPORTS = ("生成周报", "生成周报，用研发部模板", "生成月报，用市场部模板")
TALK = ("你记住了我的哪些偏好？", "早", "今天还有什么", "你好", "我去吃饭了")


async def measure() -> list[Figure]:
    bodies = events(EVENTS, seed=1)
    async with null_platform() as platform:
        async with process("bare", platform) as (port, _):
            bare, _ = await flood(port, bodies)
        async with process("real", platform) as (port, done):
            started = time.perf_counter()
            accepted, _ = await flood(port, bodies)
            while await done() < EVENTS:
                await asyncio.sleep(0.05)
            handled = EVENTS / (time.perf_counter() - started)
        async with process("real", platform) as (port, done):
            _, waits = await flood(port, events(PACED_EVENTS, seed=2), rate=PACED)
    p99 = percentile(waits, 0.99) * 1000
    return [
        Figure("bare handler: verify, decrypt, parse", f"{bare:,.0f} events/s"),
        Figure("accepted (durable, then 200)", f"{accepted:,.0f} events/s"),
        Figure("event → outbox, sustained", f"{handled:,.0f} messages/s", "≥ 300", handled >= 300),
        Figure("ratio to the bare handler", f"1 : {bare / handled:.1f}"),
        Figure(f"acknowledgement p99 at {PACED}/s", f"{p99:.1f} ms", "< 100 ms", p99 < 100),
        Figure(f"acknowledgement median at {PACED}/s", f"{percentile(waits, 0.5) * 1000:.1f} ms"),
    ]


def events(count: int, seed: int) -> list[bytes]:
    """Encrypted bodies: half statements and answers, a quarter reports, a quarter lists and small talk."""
    chance = random.Random(seed)
    kinds = (STATEMENTS, STATEMENTS, REPORTS, TALK)
    now = str(int(time.time() * 1000))
    return [
        body(number + seed * 1_000_000, chance.choice(chance.choice(kinds)), chance, now) for number in range(count)
    ]


def body(number: int, text: str, chance: random.Random, now: str) -> bytes:
    person = chance.randrange(PEOPLE)
    event = {
        "schema": "2.0",
        "header": {
            "event_id": f"ev-{number}",
            "event_type": "im.message.receive_v1",
            "create_time": now,
            "token": CREDENTIALS["verification_token"],
            "app_id": CREDENTIALS["app_id"],
            "tenant_key": "bench",
        },
        "event": {
            "sender": {
                "sender_id": {"open_id": f"ou_{person}", "union_id": f"on_{person}"},
                "sender_type": "user",
                "tenant_key": "bench",
            },
            "message": {
                "message_id": f"om_{number}",
                "create_time": now,
                "chat_id": f"oc_{person}",
                "chat_type": "p2p",
                "message_type": "text",
                "content": json.dumps({"text": text}, ensure_ascii=False),
                "mentions": [],
            },
        },
    }
    plain = json.dumps(event, ensure_ascii=False).encode()
    return json.dumps({"encrypt": encrypt(CREDENTIALS["encrypt_key"], plain)}).encode()


async def flood(port: int, bodies: list[bytes], rate: float | None = None) -> tuple[float, list[float]]:
    """Send everything, `AT_ONCE` at a time, or paced; events a second and how long each waited for its 200."""
    url = f"http://127.0.0.1:{port}/feishu/events"
    waits: list[float] = []
    slots = asyncio.Semaphore(AT_ONCE if rate is None else 10_000)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:

        async def one(data: bytes) -> None:
            stamp, nonce = str(int(time.time())), "n"
            headers = {
                "X-Lark-Request-Timestamp": stamp,
                "X-Lark-Request-Nonce": nonce,
                "X-Lark-Signature": signature(stamp, nonce, CREDENTIALS["encrypt_key"], data),
            }
            sent = time.perf_counter()
            async with session.post(url, data=data, headers=headers) as response:
                assert response.status == 200, await response.text()
                await response.read()
            waits.append(time.perf_counter() - sent)
            slots.release()

        started = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number, data in enumerate(bodies):
                await slots.acquire()
                if rate is not None:
                    await asyncio.sleep(max(0.0, started + number / rate - time.perf_counter()))
                group.create_task(one(data))
        return len(bodies) / (time.perf_counter() - started), waits


@asynccontextmanager
async def null_platform() -> AsyncIterator[str]:
    """Feishu's answers and nothing behind them."""

    async def answer(request: web.Request) -> web.Response:
        if request.path.endswith("tenant_access_token/internal"):
            return web.json_response({"code": 0, "tenant_access_token": "t", "expire": 7200})
        if request.path.endswith("bot/v3/info"):
            return web.json_response({"code": 0, "bot": {"open_id": "ou_bot"}})
        return web.json_response({"code": 0, "data": {"message_id": "om_x"}})

    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", answer)
    runner, port = await serve(application, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def process(kind: str, platform: str):  # type: ignore[no-untyped-def]
    """A bot process; its port, and a call that says how many messages it has handled."""
    with tempfile.TemporaryDirectory() as folder:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.bench.bot_process",
            kind,
            platform,
            folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert child.stdin is not None
        assert child.stdout is not None

        async def done() -> int:
            child.stdin.write(b"count\n")
            return int(await child.stdout.readline())

        try:
            yield int(await child.stdout.readline()), done
        finally:
            child.stdin.close()
            await asyncio.wait_for(child.wait(), 30)
