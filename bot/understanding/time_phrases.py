"""Time phrases: words of time put together where nothing but filler stands between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.understanding.time_days import Fields
from bot.understanding.time_points import DATE_FIELDS
from bot.understanding.time_tokens import Token, tokenise
from bot.understanding.time_values import Every

_FILLER = re.compile(
    r"[\s的,，()（）:：]*(?:在|于|at|on|大概|大约|差不多|左右|里|就|是|也|都|份|到了|那天|那时候|整|约|上)?[\s的,，()（）]*"
)


@dataclass(frozen=True)
class Phrase:
    """Words of time that belong together. `gap` is the text between this phrase and the one before."""

    fields: Fields
    start: int
    end: int
    gap: str = ""


def phrases_of(text: str) -> list[Phrase]:
    """The words of time of a sentence, put together where nothing but filler stands between them."""
    phrases: list[Phrase] = []
    open_phrase = False
    for token in tokenise(text):
        if token.kind == "no":
            open_phrase = False
            continue
        last = phrases[-1] if phrases else None
        gap = text[last.end : token.start] if last else text[: token.start]
        if last and open_phrase and _FILLER.fullmatch(gap):
            joined = _join(last.fields, token, gap)
            if joined is not None:
                phrases[-1] = replace(last, fields=joined, end=token.end)
                continue
        if token.kind not in ("shift", "side"):
            phrases.append(Phrase({token.kind: token.value}, token.start, token.end, gap))
            open_phrase = True
    return phrases


def _join(fields: Fields, token: Token, gap: str) -> Fields | None:
    """The fields with the token's added, None when the token starts a phrase of its own."""
    kind, value = token.kind, token.value
    if kind == "every" and kind in fields:
        return {**fields, kind: _finer(fields[kind], value)}
    if kind in ("shift", "side", "offset") and fields.keys() & (DATE_FIELDS - {"offset"}):
        if kind == "offset" and (gap.strip(" 的") or (value.seconds and "clock" not in fields)):
            return None
        return {**fields, ("shift" if kind == "offset" else kind): value}
    if kind in ("shift", "side") and "clock" in fields:
        return {**fields, kind: value} if kind == "side" or value.seconds else None
    if kind in ("shift", "side"):
        return {**fields} if kind == "side" else None
    if kind == "clock" and isinstance(fields.get(kind), str) and not isinstance(value, str):
        return {**fields, kind: value}  # 下班前，五点半
    if kind == "part" and kind in fields and "clock" not in fields:
        return {**fields, kind: value}
    if kind in fields or _is_late(fields, kind, gap):
        return None
    return {**fields, kind: value}


def _is_late(fields: Fields, kind: str, gap: str) -> bool:
    """Whether this kind of word can no longer follow: the clock ends a phrase unless it opened it."""
    if kind in ("every", "except"):
        return False
    if "clock" in fields:
        return kind == "part" or bool(fields.keys() & DATE_FIELDS) or bool(gap.strip(" 的"))
    if kind == "year":
        return bool(fields.keys() & {"month", "monthday", "date"})
    return kind == "month" and "monthday" in fields


def _finer(one: Every, other: Every) -> Every:
    """工作日 and 每天 are one rule; of 每个月 and 每个周五 the later counts."""
    if one.freq == other.freq:
        return replace(one, workday=one.workday or other.workday, interval=max(one.interval, other.interval))
    return other
