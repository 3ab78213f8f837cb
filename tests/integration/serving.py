"""What the tests of `jide serve` share: a real process on its own bot.yaml, with simulated platforms in this one."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.simulators.feed import Feed
from adapters.simulators.feishu import FeishuSimulator
from config.clock import SystemClock
from config.documents import dump, read
from config.loading import SHIPPED

ROOT = Path(__file__).parents[2]
PATIENCE = 20.0  # seconds for what takes one or two on a quiet machine


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until(is_so: Callable[[], bool]) -> None:
    """Return once it is so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if is_so():
                return
            await asyncio.sleep(0.005)


class Office:
    """A simulated Feishu with 晓雯 on it, and the bot's folder: bot.yaml and data."""

    def __init__(self, folder: Path) -> None:
        self.feed = Feed()
        self.feishu = FeishuSimulator(self.feed, SystemClock())
        self.feishu.add_person("晓雯", "ou_xiaowen")
        self.config = folder / "bot.yaml"
        self.data = folder / "data"
        self.port = free_port()
        self._running: list[Process] = []

    def write_config(self, port: int | None = None) -> None:
        tree = dict(read(SHIPPED).tree or {})
        tree["platforms"] = {
            "feishu": {
                "app_id": self.feishu.app_id,
                "app_secret": self.feishu.app_secret,
                "encrypt_key": self.feishu.encrypt_key,
                "verification_token": self.feishu.verification_token,
                "base_url": self.feishu.base_url,
            }
        }
        tree["server"] = {"host": "127.0.0.1", "port": port or self.port}
        tree["storage"] = {"data": str(self.data)}
        tree["logging"] = {"level": "debug"}
        self.config.write_text(dump(tree), encoding="utf-8")

    async def start(self, *command: str) -> Process:
        """A `jide serve` that may not be ready yet, or another command."""
        command = (sys.executable, "-m", "bot", *(command or ("serve",)), "--config", str(self.config))
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, cwd=ROOT)
        self._running.append(process)
        return process

    async def serve(self) -> Process:
        """A `jide serve` that has said it is ready."""
        process = await self.start()
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()
        assert "已就绪" in line, (await process.communicate())[1].decode()
        self.feishu.connect(f"http://127.0.0.1:{self.port}/feishu/events")
        return process

    async def end(self, process: Process, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Exit code, output and log of a process, once it has ended; with the signal that ends it."""
        if number is not None:
            process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            out, log = await process.communicate()
        self._running.remove(process)
        assert process.returncode is not None
        return process.returncode, out.decode(), log.decode()

    async def answer_to(self, text: str) -> str:
        """晓雯 says it, and reads what comes back next."""
        seen = len(self.feed.arrivals)
        await self.feishu.say("晓雯", text)
        await until(lambda: len(self.feed.arrivals) > seen)
        return self.feed.arrivals[-1].text

    async def close(self) -> None:
        for process in self._running:
            process.kill()
            await process.communicate()
        await self.feishu.close()


@asynccontextmanager
async def office(folder: Path) -> AsyncIterator[Office]:
    opened = Office(folder)
    await opened.feishu.start()
    opened.write_config()
    try:
        yield opened
    finally:
        await opened.close()
