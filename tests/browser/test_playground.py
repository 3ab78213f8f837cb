"""The playground in a real browser: a newcomer's first minute, at desk width and on a phone."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp
import pytest
from aiohttp import web

from adapters.pages.playground import routes
from adapters.pages.transcript import Transcript
from adapters.simulators.feed import Arrival

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)
PATIENCE = 20.0  # seconds, for a busy machine; a good run needs a few
SHANGHAI = ZoneInfo("Asia/Shanghai")
CHART = {
    "type": "bar",
    "title": {"text": "完成的事项"},
    "data": {"values": [{"day": day, "count": count} for day, count in (("周一", 3), ("周二", 5), ("周三", 2))]},
    "xField": "day",
    "yField": "count",
}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


class InMemoryStage:
    """A tiny office: asks with a card, answers a press by changing the card and sending a report to WeCom."""

    bot = "记得"

    def __init__(self) -> None:
        self.transcript = Transcript(SHANGHAI)
        self.messages = self.transcript.messages
        self.attachment = self.transcript.attachment
        self.subscribe = self.transcript.subscribe
        self.time = datetime(2026, 3, 2, 9, 0, tzinfo=SHANGHAI)
        self.remembered: list[dict[str, Any]] = []
        self.ids = itertools.count(1)

    def now(self) -> datetime:
        return self.time

    def people(self) -> list[dict[str, Any]]:
        both = ["feishu", "wecom"]
        return [
            {"name": "晓雯", "platforms": both},
            {"name": "李雷", "platforms": both},
            {"name": "韩梅", "platforms": ["feishu"]},
        ]

    def groups(self) -> list[dict[str, Any]]:
        return [{"name": "项目群", "platforms": ["feishu"]}]

    async def say(self, person: str, platform: str, text: str, group: str | None, mention: bool) -> str:
        message_id = f"m{next(self.ids)}"
        to = group or self.bot
        self.transcript.note_said(message_id, platform, person, to, group is not None, text, self.time)
        if group is None or mention:
            question = f"请问使用哪个模板？{text}"
            self.deliver(platform, group or person, group is not None, "card", question, ("市场部", "研发部"))
        return message_id

    async def press(self, person: str, message_id: str, label: str) -> None:
        self.deliver("feishu", person, False, "card", f"已选择{label}", updates=message_id)
        self.deliver("wecom", person, False, "markdown", f"**{label}周报**\n- 完成 8 项\n- 进行中 2 项")
        self.remembered.append(
            {
                "key": "report_template@weekly",
                "value": "market",
                "name": "报告模板",
                "says": label,
                "scene": "周报",
                "source": "你主动告诉我",
                "date": "2026-03-02",
            }
        )

    def deliver(
        self,
        platform: str,
        to: str,
        group: bool,
        kind: str,
        text: str,
        labels: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        raw: dict[str, Any] = {"markdown": {"content": text}}
        if kind == "card":
            elements: list[dict[str, Any]] = [{"tag": "markdown", "content": text}]
            elements += [{"tag": "chart", "chart_spec": CHART}] if labels else []
            elements += [
                {"tag": "button", "type": "primary", "text": {"tag": "plain_text", "content": label}}
                for label in labels
            ]
            header = {"title": {"tag": "plain_text", "content": "生成周报"}, "template": "blue"}
            raw = {"schema": "2.0", "header": header, "body": {"elements": elements}}
        message_id = f"m{next(self.ids)}"
        self.transcript.hear(
            Arrival(0, platform, platform, message_id, to, group, kind, text, self.time, labels, raw=raw, **more)
        )

    async def memory(self, person: str) -> dict[str, Any]:
        return {"preferences": self.remembered, "archived": [], "facts": [], "aliases": [], "questions": []}

    async def move_clock(self, moment: datetime) -> None:
        self.time = moment
        self.transcript.clock_moved(moment)

    async def reset(self) -> None:
        self.remembered.clear()
        self.transcript.clear()


@pytest.fixture
async def address() -> AsyncIterator[str]:
    stage = InMemoryStage()
    app = web.Application()
    app.add_routes(routes(stage))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    stage.transcript.close()
    await runner.cleanup()


@asynccontextmanager
async def chromium(profile: Path) -> AsyncIterator[str]:
    """A headless browser, gone afterwards; the value is the address of its DevTools, said on stderr."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE):
            line = b""
            while not line.startswith(b"DevTools listening on "):
                line = await process.stderr.readline()
                assert line, "the browser ended before it was ready"
        yield line.decode().split("ws://")[1].split("/")[0]
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()


class Tab:
    """A page of the browser, driven through the DevTools protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.ids = itertools.count(1)
        self.complaints: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        call_id = next(self.ids)
        await self.socket.send_json({"id": call_id, "method": method, "params": parameters})
        while True:
            event = await self.socket.receive_json(timeout=PATIENCE)
            self.note(event)
            if event.get("id") == call_id:
                assert "error" not in event, event
                return dict(event["result"])

    def note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning"):
                self.complaints.append(str(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.complaints.append(str(parameters["entry"]))

    async def evaluate(self, expression: str) -> Any:
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def see(self, expression: str) -> Any:
        """The value of `expression` as soon as it is truthy; the page itself waits for it."""
        seen = await self.evaluate(
            f"new Promise((found) => {{ const end = performance.now() + {PATIENCE * 900};"
            f"const look = () => {{ const value = ({expression});"
            "value || performance.now() > end ? found(value instanceof Node || value) : setTimeout(look, 20); };"
            "look(); })"
        )
        assert seen, f"never saw {expression}"
        return seen

    async def open(self, url: str, width: int, height: int) -> None:
        for domain in ("Runtime", "Log", "Page"):
            await self.call(f"{domain}.enable")
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        await self.call("Page.navigate", url=url)
        await self.see("document.querySelectorAll('.pane').length === 2 && document.querySelector('.try')")

    async def type_and_enter(self, pane: str, text: str) -> None:
        await self.evaluate(f"document.querySelector('#pane-{pane} textarea').focus()")
        await self.call("Input.insertText", text=text)
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)


@asynccontextmanager
async def opened(url: str, profile: Path, width: int, height: int) -> AsyncIterator[Tab]:
    async with chromium(profile) as devtools, aiohttp.ClientSession() as session:
        async with session.put(f"http://{devtools}/json/new?about:blank") as answer:
            target = await answer.json(content_type=None)
        async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            tab = Tab(socket)
            await tab.open(url, width, height)
            yield tab
            assert tab.complaints == []


def text_of(selector: str) -> str:
    return f"[...document.querySelectorAll({selector!r})].map((node) => node.innerText).join('|')"


async def test_a_newcomer_asks_presses_and_sees_what_is_remembered(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 1280, 800) as tab:
        await tab.type_and_enter("feishu", "帮我生成周报 <b>现在</b>")
        assert "<b>现在</b>" in await tab.see(text_of("#pane-feishu .mine .bubble"))
        assert "请问使用哪个模板" in await tab.see(text_of("#pane-feishu .theirs .card"))
        assert await tab.evaluate("document.querySelectorAll('#pane-feishu .card svg.chart rect').length") == 3

        await tab.evaluate("document.querySelector('#pane-feishu .card button').click()")
        assert "市场部周报" in await tab.see(text_of("#pane-wecom .theirs .bubble"))
        await tab.see("document.querySelector('#pane-feishu .card').innerText.includes('已选择市场部')")
        assert await tab.evaluate("document.querySelectorAll('#pane-feishu .card button').length") == 0
        assert await tab.see(text_of("#pane-wecom .badge")) == "1"
        assert "市场部" in await tab.see(text_of("#memory-body li"))

        await tab.evaluate("document.querySelector('[data-advance=\"1d\"]').click()")
        await tab.see("document.querySelector('#clock-time').innerText.startsWith('3月3日')")


async def test_nothing_is_sent_while_an_input_method_composes(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 1280, 800) as tab:
        await tab.evaluate("document.querySelector('#pane-wecom textarea').focus()")
        await tab.call("Input.insertText", text="zhoubao")
        await tab.evaluate(
            "document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
        )
        assert await tab.evaluate("document.activeElement.value") == "zhoubao"


async def test_a_group_hears_only_what_is_said_in_it(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 1280, 800) as tab:
        await tab.evaluate("document.querySelectorAll('#pane-feishu .chats button')[1].click()")
        await tab.type_and_enter("feishu", "大家好")
        assert "大家好" in await tab.see(text_of("#pane-feishu .theirs .card"))
        await tab.evaluate("document.querySelectorAll('#pane-feishu .chats button')[0].click()")
        await tab.see("document.querySelector('#pane-feishu .try')")


async def test_after_a_reset_the_page_is_as_on_the_first_day(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 1280, 800) as tab:
        await tab.evaluate("document.querySelector('#pane-feishu .try').click()")
        await tab.see(text_of("#pane-feishu .theirs .card"))
        await tab.evaluate("document.querySelector('#reset').click()")
        await tab.evaluate("document.querySelector('#reset-dialog [value=yes]').click()")
        await tab.see("!document.querySelector('.message') && document.querySelector('#pane-feishu .try')")
        await tab.evaluate("document.querySelector('#pane-feishu .try').click()")
        await tab.see(text_of("#pane-feishu .theirs .card"))


MARKUP = {
    "**粗** *斜* `码` ~~删~~": "<p><strong>粗</strong> <em>斜</em> <code>码</code> <s>删</s></p>",
    "# 周报\n- 一\n- 二\n1. 甲": '<h4 class="h1">周报</h4><ul><li>一</li><li>二</li></ul><ol start="1"><li>甲</li></ol>',
    "<font color='grey'>一\n二</font>": '<p><span class="soft">一</span></p><p><span class="soft">二</span></p>',
    "&#42;&#42;不粗&#42;&#42;": "<p>**不粗**</p>",
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
    "[点](javascript:alert(1))": "<p>[点](javascript:alert(1))</p>",
    "<at id=ou_1>李雷</at> 看": '<p><span class="at">@李雷</span> 看</p>',
    "> 引用": "<blockquote><p>引用</p></blockquote>",
}


async def test_markdown_is_drawn_and_markup_of_people_is_not(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 1280, 800) as tab:
        drawn = await tab.evaluate(
            "import('/playground/static/markup.js').then(({markup}) => {"
            "const draw = (text) => { const box = document.createElement('div'); box.append(markup(text));"
            f"return box.innerHTML; }}; return {json.dumps(list(MARKUP))}.map(draw); }})"
        )
        assert dict(zip(MARKUP, drawn, strict=True)) == MARKUP


async def test_a_phone_shows_one_pane_and_never_scrolls_sideways(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, 390, 844) as tab:
        await tab.evaluate("document.querySelector('#pane-feishu .try').click()")
        await tab.see(text_of("#pane-feishu .theirs .card"))
        await tab.evaluate("document.querySelector('#pane-feishu .card button').click()")
        assert await tab.see("document.querySelector('#tab-wecom').dataset.unread") == "1"
        assert await tab.evaluate("document.querySelector('#pane-wecom').offsetWidth") == 0
        await tab.evaluate("document.querySelector('#tab-wecom').click()")
        assert "市场部周报" in await tab.see(text_of("#pane-wecom .theirs .bubble"))
        await tab.evaluate("document.querySelector('#memory-toggle').click()")
        await tab.see("document.querySelector('#memory').getBoundingClientRect().right <= innerWidth")
        assert await tab.evaluate("document.documentElement.scrollWidth") == 390
