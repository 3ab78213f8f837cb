"""The kinds of text that an admin types into bot.yaml, each with its exact meaning."""

from __future__ import annotations

import difflib
import re
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    SecretStr,
    WithJsonSchema,
)

from config.crons import Cron
from config.problems import Wrong


class Section(BaseModel):
    """A part of bot.yaml: unknown keys are errors, nothing changes after loading, errors repeat no values."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Tidy:
    """Marks ids, times and the like: blanks around them and full-width letters are slips of the keyboard.

    Loading repairs these with a word. Every secret is tidied, marked or not.
    """


class SecretUrl(SecretStr):
    """A URL whose password prints as stars and the rest as it is."""

    def _display(self) -> str:
        return re.sub(r"(?<=://)([^/@]*:)?[^/@]+@", r"***@", self.get_secret_value().partition("?")[0])


@dataclass(frozen=True)
class ClockRange:
    """A stretch of the day, `09:00-18:00`; an end before the start is on the next day."""

    start: time
    end: time

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def __contains__(self, moment: time) -> bool:
        if self.start <= self.end:
            return self.start <= moment < self.end
        return moment >= self.start or moment < self.end


def parse_clock(value: object) -> time:
    """`08:00` as a time of day; raises `Wrong`."""
    if isinstance(value, time):
        return value
    found = re.fullmatch(r"(\d{1,2}):(\d{2})", value) if isinstance(value, str) else None
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        raise Wrong("不是一个时刻", "写成 24 小时制的 HH:MM，如 08:30")
    return time(int(found[1]), int(found[2]))


def parse_clock_range(value: object) -> ClockRange:
    """`09:00-18:00` as a stretch of the day; raises `Wrong`."""
    if isinstance(value, ClockRange):
        return value
    parts = re.split(r"\s*[-~–—至]\s*", value) if isinstance(value, str) else []
    if len(parts) != 2:
        raise Wrong("不是一段时间", "写成 HH:MM-HH:MM，如 09:00-18:00")
    start, end = parse_clock(parts[0]), parse_clock(parts[1])
    if start == end:
        raise Wrong("开始和结束是同一时刻", "写成 HH:MM-HH:MM，如 09:00-18:00")
    return ClockRange(start, end)


def parse_cron(value: object) -> Cron:
    """`30 3 * * *` as a recurring time; raises `Wrong`."""
    if isinstance(value, Cron):
        return value
    if not isinstance(value, str):
        raise Wrong("不是 crontab 的写法", "写成“分 时 日 月 星期”，如 30 3 * * *")
    return Cron.parse(value)


_CHINA = {
    "utc+8", "utc+08:00", "utc+08", "gmt+8", "gmt+08:00", "+8", "+08:00", "utc8", "cst", "china", "beijing",
    "asia/beijing", "asia/peking", "北京", "北京时间", "中国", "中国标准时间", "东八区", "上海",
}  # fmt: skip


def check_zone(value: str) -> str:
    """An IANA zone name; raises `Wrong` that suggests the nearest one."""
    try:
        zoneinfo.ZoneInfo(value)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise Wrong("不是时区名", _zone_cure(value)) from None
    return value


def _zone_cure(value: str) -> str:
    if value.lower().replace(" ", "") in _CHINA:
        return "写成 Asia/Shanghai"
    known = zoneinfo.available_timezones()
    if not known:
        return "这台机器上没有时区数据：安装 tzdata"
    by_name = {name.lower(): name for name in known} | {name.rpartition("/")[2].lower(): name for name in known}
    near = difflib.get_close_matches(value.lower().replace(" ", "_"), by_name, n=1, cutoff=0.75)
    return f"是不是 {by_name[near[0]]}？" if near else "写成“洲/城市”，如 Asia/Shanghai"


def check_origin(value: str) -> str:
    """`https://host[:port]`, without a path; raises `Wrong`."""
    try:
        parts = urlsplit(value)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine or re.search(r"\s", value):
        raise Wrong("不是网址", "写成“https://主机名”，后面不带路径")
    if parts.username or parts.password or parts.path.strip("/") or parts.query or parts.fragment:
        raise Wrong("网址里只能有协议、主机名和端口", f"写成 {parts.scheme}://{parts.hostname}")
    return value.rstrip("/")


def check_url(*schemes: str) -> Callable[[SecretUrl], SecretUrl]:
    """A validator of URLs that begin with one of `schemes`; it never repeats the value."""

    def check(value: SecretUrl) -> SecretUrl:
        if value.get_secret_value().partition("://")[0] not in schemes:
            raise Wrong("地址的开头不对", f"以 {' 或 '.join(f'{scheme}://' for scheme in schemes)} 开头")
        return value

    return check


def _check_identifier(value: str) -> str:
    if not value:
        raise Wrong("是空的", "从平台的管理后台复制过来")
    if re.search(r"\s", value):
        raise Wrong("中间有空格或换行", "从平台的管理后台重新复制")
    return value


def _check_secret(value: SecretStr) -> SecretStr:
    _check_identifier(value.get_secret_value())
    return value


Identifier = Annotated[str, Tidy(), AfterValidator(_check_identifier)]
Secret = Annotated[SecretStr, AfterValidator(_check_secret)]
Origin = Annotated[str, Tidy(), AfterValidator(check_origin)]
Zone = Annotated[str, Tidy(), AfterValidator(check_zone)]
Clock = Annotated[
    time,
    Tidy(),
    PlainValidator(parse_clock),
    PlainSerializer("{:%H:%M}".format),
    WithJsonSchema({"type": "string", "pattern": r"^([01]?\d|2[0-3]):[0-5]\d$"}),
]
Hours = Annotated[
    ClockRange,
    Tidy(),
    PlainValidator(parse_clock_range),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "examples": ["09:00-18:00"]}),
]
Crontab = Annotated[
    Cron,
    Tidy(),
    PlainValidator(parse_cron),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "examples": ["30 3 * * *"]}),
]
