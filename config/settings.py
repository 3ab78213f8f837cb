"""Everything that bot.yaml can say, typed and frozen; the descriptions are what editors show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, PlainSerializer

from config.catalog import CatalogConfig
from config.fields import (
    Clock,
    Crontab,
    Hours,
    Secret,
    SecretUrl,
    Section,
    Tidy,
    Zone,
    check_url,
    parse_clock,
    parse_clock_range,
    parse_cron,
)
from config.platforms import FeishuEntry, PlatformSettings, WecomEntry
from config.problems import Wrong

__all__ = ["FeishuEntry", "PlatformSettings", "Settings", "WecomEntry"]


class ServerSettings(Section):
    """Where the platforms reach the bot."""

    host: Annotated[str, Tidy()] = Field(default="127.0.0.1", min_length=1, description="监听地址；对外服务写 0.0.0.0")
    port: int = Field(default=8080, ge=1, le=65535, description="监听端口")


_as_stars = PlainSerializer(str, when_used="json")
DatabaseUrl = Annotated[SecretUrl, AfterValidator(check_url("postgresql+asyncpg", "sqlite")), _as_stars]
RedisUrl = Annotated[SecretUrl, AfterValidator(check_url("redis", "rediss", "unix")), _as_stars]


class StorageSettings(Section):
    """Where memory is kept."""

    data: Path = Field(default=Path("data"), description="数据目录：SQLite 文件和主密钥")
    database: DatabaseUrl | None = Field(
        default=None, description="数据库地址；留空为数据目录里的 SQLite，或 postgresql+asyncpg://…"
    )
    redis: RedisUrl | None = Field(default=None, description="Redis 地址 redis://…；留空则不用")
    housekeeping: Crontab = Field(
        default=parse_cron("30 3 * * *"), description="夜间整理的时间，crontab 写法：分 时 日 月 星期"
    )
    master_key: Secret | None = Field(default=None, description="主密钥；留空则在数据目录里生成一个")


class Workdays(Section):
    """One year's corrections to the public calendar."""

    off: tuple[date, ...] = Field(default=(), description="放假的日子，如 2027-02-05")
    work: tuple[date, ...] = Field(default=(), description="调休上班的日子")


def _check_workdays(years: Mapping[int, Workdays]) -> Mapping[int, Workdays]:
    for year, days in years.items():
        for name, listed in (("off", days.off), ("work", days.work)):
            for index, day in enumerate(listed):
                if day.year != year:
                    raise Wrong(f"{day} 不在 {year} 年", f"把它移到 {day.year} 之下", at=(str(year), name, index))
        for day in set(days.off) & set(days.work):
            raise Wrong(f"{day} 既放假又上班", "从 off 或 work 里删掉它", at=(str(year), "work", days.work.index(day)))
    return years


class OfficeSettings(Section):
    """The company's habits: what holds for everybody who has said nothing else."""

    name: str = Field(default="记得", min_length=1, max_length=20, description="机器人怎么称呼自己")
    timezone: Zone = Field(default="Asia/Shanghai", description="时区，如 Asia/Shanghai")
    working_hours: Hours = Field(default=parse_clock_range("09:00-18:00"), description="工作时间，如 09:00-18:00")
    digest_time: Clock = Field(default=parse_clock("08:00"), description="每日早报的时刻，如 08:00")
    email_domains: tuple[str, ...] = Field(default=(), description="公司邮箱的域名；这些邮箱可以作为收件人记住")
    years: Annotated[Mapping[int, Workdays], AfterValidator(_check_workdays)] = Field(
        default={}, alias="workdays", description="按年修正官方的放假与调休安排"
    )

    @property
    def workdays(self) -> dict[int, dict[str, tuple[date, ...]]]:
        """The corrections as `WorkCalendar` takes them."""
        return {year: {"off": days.off, "work": days.work} for year, days in self.years.items()}

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


class LoggingSettings(Section):
    """What the log says."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="日志级别")
    as_json: bool = Field(default=False, alias="json", description="每行一个 JSON 对象，便于收集")


class DirectoryEntry(Section):
    """One colleague: the name that others say, and the accounts that belong to one person."""

    name: str = Field(min_length=1, max_length=40, description="同事们怎么叫这个人")
    feishu: Annotated[str, Tidy()] | None = Field(default=None, description="飞书 union_id（on_…）；没有时写 user_id")
    wecom: Annotated[str, Tidy()] | None = Field(default=None, description="企业微信 userid")
    email: Annotated[str, Tidy()] | None = Field(default=None, description="工作邮箱")
    tenant: Annotated[str, Tidy()] = Field(default="default", description="租户名，和 platforms 里的一致")


class Settings(Section):
    """One bot.yaml."""

    platforms: PlatformSettings = Field(default=PlatformSettings(), description="飞书和企业微信的应用")
    server: ServerSettings = Field(default=ServerSettings(), description="监听地址")
    storage: StorageSettings = Field(default=StorageSettings(), description="记忆存在哪里")
    office: OfficeSettings = Field(default=OfficeSettings(), description="公司的时区、工作时间和日历")
    directory: tuple[DirectoryEntry, ...] = Field(default=(), description="通讯录：谁在哪个平台是哪个账号")
    logging: LoggingSettings = Field(default=LoggingSettings(), description="日志")
    catalog: CatalogConfig = Field(description="能记住什么、能做什么")
