"""Fields of a request: read, or refused in one sentence that a person understands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from adapters.pages.loopback import BadRequest

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def text_of(data: Mapping[str, Any], field: str, limit: int = 200) -> str:
    value = data.get(field)
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(f"{field} 不能为空。", field)
    if len(value) > limit:
        raise BadRequest(f"{field} 太长，最多 {limit} 个字。", field)
    return value


def number(value: str, field: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 16):
        raise BadRequest(f"{field} 应该是一个非负整数。", field)
    return int(value)


def moment_of(text: str, now: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest("to 应该写成 2026-03-09T09:00 这样。", "to") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


def span(text: str) -> timedelta:
    written = re.fullmatch(r"(\d{1,6})([smhdw])", text, re.ASCII)
    if written is None:
        raise BadRequest("advance 应该写成 90s、10m、1h 或 7d 这样。", "advance")
    return timedelta(**{_UNITS[written[2]]: int(written[1])})
