"""`jide doctor`: looks at everything that a running bot needs, and says what would help."""

from __future__ import annotations

import asyncio
import shutil
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from bot import drawing, storage
from bot.types import Misconfigured, RetryLater
from config.clock import Clock
from config.loading import Check, load
from config.settings import Settings
from config.workdays import WorkCalendar
from memory.keyring import MASTER_FILE, KeyringError
from memory.stores import schema
from memory.stores.database import DatabaseUnavailable

FINE, FOUND_WRONG = 0, 1
PATIENCE = 15.0  # seconds for one platform
TIGHT = 1 << 30  # bytes free below which a disk is worth a word
ASK_FOR_NEXT_YEAR_FROM = 12  # the holidays of a year are published in November
SAMPLE = "记得周报待办月"
NEVER_STARTED = "还没有数据，第一次 jide serve 时建立"

Reach = Callable[[Any, Clock], Awaitable[None]]
"""Asks one platform whether it takes an entry of bot.yaml; raises Misconfigured or RetryLater."""


@dataclass(frozen=True)
class Finding:
    """What one look has found: `level` ∈ fine | note | wrong."""

    subject: str
    says: str
    level: str = "fine"

    def __str__(self) -> str:
        return f"{_MARKS[self.level]} {self.subject}：{self.says}"


_MARKS = {"fine": "✓", "note": "·", "wrong": "✗"}


async def run(config: Path, checks: tuple[Check, ...], reach: Mapping[str, Reach], clock: Clock) -> int:
    """Print every finding; the exit code is 1 when something is wrong."""
    wrong = 0
    async for finding in examine(config, checks, reach, clock):
        print(finding, flush=True)
        wrong += finding.level == "wrong"
    print(f"{wrong} 处要处理" if wrong else "都好")
    return FOUND_WRONG if wrong else FINE


async def examine(
    config: Path, checks: tuple[Check, ...], reach: Mapping[str, Reach], clock: Clock
) -> AsyncIterator[Finding]:
    """One finding after the other; without usable settings only theirs."""
    loaded = load(config, checks=checks)
    for problem in loaded.problems:
        yield Finding("配置", str(problem), "note" if problem.warning else "wrong")
    if loaded.settings is None:
        return
    if not loaded.problems:
        yield Finding("配置", f"{loaded.file} 没有问题")
    settings = loaded.settings
    async for finding in _data(settings):
        yield finding
    yield _master_key(settings)
    yield _time(settings, clock)
    yield _holidays(settings, clock)
    yield _font()
    async for finding in _platforms(settings, reach, clock):
        yield finding


async def _data(settings: Settings) -> AsyncIterator[Finding]:
    """The folder and the database, which is only read."""
    if not settings.storage.database and not storage.database_file(settings).exists():
        yield Finding("数据库", NEVER_STARTED, "note")
        return
    try:
        storage.check_folder(settings)
        async for finding in _contents(settings):
            yield finding
    except (DatabaseUnavailable, KeyringError) as error:
        yield Finding("数据库", str(error), "wrong")
        return
    free = shutil.disk_usage(settings.storage.data).free
    if free < TIGHT:
        yield Finding("磁盘", f"{settings.storage.data} 只剩 {free >> 20} MB，腾些空间", "note")


async def _contents(settings: Settings) -> AsyncIterator[Finding]:
    database = await storage.open_database(settings)
    try:
        revision = await database.read(schema.revision)
        if revision != schema.NEWEST:
            says = f"表结构是 {revision or '空的'}，程序要 {schema.NEWEST}：运行 jide db upgrade，或直接启动"
            yield Finding("数据库", says, "note")
            return
        if database.url.startswith("sqlite"):
            try:
                damage = await database.read(lambda tx: tx.execute(text("PRAGMA quick_check(1)")).scalar())
            except DBAPIError as error:
                damage = type(error).__name__
            if damage != "ok":
                yield Finding("数据库", "文件里有损坏的地方：停下机器人，换上备份", "wrong")
                return
        await storage.open_keyring(settings, database)
        yield Finding("数据库", f"完好，表结构 {revision}，密钥对得上")
    finally:
        await database.close()


def _master_key(settings: Settings) -> Finding:
    if settings.storage.master_key is not None:
        return Finding("主密钥", "来自 storage.master_key")
    file = settings.storage.data / MASTER_FILE
    if not file.exists():
        return Finding("主密钥", NEVER_STARTED, "note")
    if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Finding("主密钥", f"别的用户读得到 {file}：chmod 600 {file}", "wrong")
    return Finding("主密钥", f"在 {file}，记得和数据库分开备份")


def _time(settings: Settings, clock: Clock) -> Finding:
    local = clock.now().astimezone(settings.office.zone)
    return Finding("时间", f"现在是 {local:%Y-%m-%d %H:%M}（{settings.office.timezone}），不对就校准这台机器的时钟")


def _holidays(settings: Settings, clock: Clock) -> Finding:
    """Whether the make-up days that will be asked for soon are known."""
    local = clock.now().astimezone(settings.office.zone)
    calendar = WorkCalendar(settings.office.workdays)
    years = [local.year, local.year + 1] if local.month >= ASK_FOR_NEXT_YEAR_FROM else [local.year]
    unknown = [str(year) for year in years if not calendar.is_published(year)]
    if not unknown:
        return Finding("日历", f"{'、'.join(map(str, years))} 年的放假和调休都有")
    says = f"没有 {'、'.join(unknown)} 年的调休安排：升级 chinesecalendar，或写进 office.workdays"
    return Finding("日历", says, "note")


def _font() -> Finding:
    missing = drawing.missing_glyphs(SAMPLE)
    if missing:
        return Finding("字体", f"画不出 {missing}：重新安装 pylopdf-fonts-zh-cn", "wrong")
    return Finding("字体", "图片里的汉字画得出来")


async def _platforms(settings: Settings, reach: Mapping[str, Reach], clock: Clock) -> AsyncIterator[Finding]:
    entries = [
        *(("feishu", entry) for entry in settings.platforms.feishu),
        *(("wecom", entry) for entry in settings.platforms.wecom),
    ]
    if not entries:
        yield Finding("平台", "没有配置任何平台：在 platforms 里写上", "note")
    for platform, entry in entries:
        yield await _reached(entry.name, reach[platform](entry, clock))


async def _reached(name: str, asking: Awaitable[None]) -> Finding:
    try:
        async with asyncio.timeout(PATIENCE):
            await asking
    except Misconfigured as error:
        return Finding(name, str(error), "wrong")
    except RetryLater as error:
        return Finding(name, f"{error}：检查网络、代理和 base_url，或稍后再试", "wrong")
    except TimeoutError:
        return Finding(name, f"{PATIENCE:.0f} 秒没有回应：检查网络、代理和 base_url", "wrong")
    return Finding(name, "连得上，凭证和权限都好")
