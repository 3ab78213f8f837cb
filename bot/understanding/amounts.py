"""Clock times, ranges and durations as values of preferences: 早上八点半 → 08:30, 晚十点到早八点, 半小时 → 30."""

from __future__ import annotations

import re
from itertools import pairwise

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
NUMBER = r"(?:\d{1,3}|[零〇一二两三四五六七八九十百俩]{1,5})"
_PART = (
    r"(凌晨|清晨|清早|大清早|一大早|早晨|早上|早间|上午|中午|午间|下午|傍晚|晚上|晚间|夜里|夜间|半夜|深夜|早|晚|夜)?"
)
_CLOCK = re.compile(
    rf"{_PART}的?(?:(\d{{1,2}}):(\d{{2}})|({NUMBER})[点时](?!候|间)钟?(?:(半)|(一刻|三刻)|(?:过|零)?({NUMBER})分?)?)\s*(am|pm)?"
    r"|(\d{1,2})\s*(am|pm)"
)
_RANGE = re.compile(r"(?:到|至|-|~|—|–)+(?:第二天|次日|隔天|转天)?")
_DURATION = re.compile(
    rf"({NUMBER})?(个)?(半)?(?:个)?(分钟|分|小时|钟头|钟|刻钟|天|日|周)(半)?|(半)(?:个)?(小时|钟头|天)"
)
_MINUTES = {"分钟": 1, "分": 1, "小时": 60, "钟头": 60, "钟": 60, "刻钟": 15, "天": 1440, "日": 1440, "周": 10080}
_AFTERNOON = ("下午", "傍晚", "晚上", "晚间", "晚", "夜里", "夜间", "夜")
_UNTIL_MORNING = "08:00"


def number(text: str) -> int | None:
    """8, 十五, 二十, 一百二 as a number; None when it is none."""
    if text.isdecimal():
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character == "十":
            total, digit = total + (digit or 1) * 10, 0
        elif character == "百":
            total, digit = total + (digit or 1) * 100, 0
        else:
            return None
    return total + digit if text else None


def clocks(text: str) -> list[tuple[int, int, str]]:
    """The clock times in the text: where they start and end, and HH:MM. Impossible ones are left out."""
    found = []
    for match in _CLOCK.finditer(text):
        clock = _clock(match)
        if clock is not None:
            found.append((match.start(), match.end(), clock))
    return found


def clock_range(text: str) -> str | None:
    """`22:00-08:00` for 晚十点到早八点; an open end (晚上十点以后) lasts until the morning."""
    times = clocks(text)
    for (_, end, first), (start, _, second) in pairwise(times):
        if _RANGE.fullmatch(text[end:start].strip()):
            return f"{first}-{_after(first, second)}"
    if len(times) == 1 and re.match(r"钟?(?:之?后|以后|过后|往后|开始|起)", text[times[0][1] :]):
        return f"{times[0][2]}-{_UNTIL_MORNING}"
    return None


def _after(first: str, second: str) -> str:
    """12点到1点半 ends at 13:30: around noon the end is the next such time."""
    later = f"{int(second[:2]) + 12:02}{second[2:]}"
    return later if second < first <= "12:59" and later > first else second


def minutes(text: str) -> int | None:
    """The first duration in the text, in minutes."""
    match = _DURATION.search(text)
    if match is None:
        return None
    if match[6]:
        return _MINUTES[match[7]] // 2
    count = number(match[1]) if match[1] else (0 if match[3] else None)
    if count is None:
        return None
    unit = _MINUTES[match[4]]
    return count * unit + (unit // 2 if match[3] or match[5] else 0)


def _clock(match: re.Match[str]) -> str | None:
    part, half, mark = match[1] or "", match[5], match[8] or match[10]
    hour = number(match[2] or match[4] or match[9])
    minute = int(match[3]) if match[3] else 30 if half else {"一刻": 15, "三刻": 45}.get(match[6] or "", 0)
    if match[7]:
        minute = number(match[7]) or 0
    if hour is None:
        return None
    if hour < 12 and (part in _AFTERNOON or mark == "pm" or (part in ("中午", "午间") and hour < 6)):
        hour += 12
    elif hour == 12 and (part in ("凌晨", "半夜", "深夜", "晚上", "夜里") or mark == "am"):
        hour = 0
    elif hour < 12 and part in ("半夜", "深夜") and hour >= 9:
        hour += 12
    if hour == 24:
        hour = 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None
