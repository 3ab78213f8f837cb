"""Numbers that identify a person, found by their digits, their checksum and what stands around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from memory.screening_cards import is_bank_card, is_resident_id
from memory.screening_telephones import is_landline, is_mobile
from memory.screening_text import SEPARATOR, Found
from memory.screening_windows import LINK, Window

_LONGEST = 20
_RUN = re.compile(rf"[0-9]++(?:{SEPARATOR}[0-9]++)*+")
_GROUP = re.compile(r"[0-9]++")
_EXTENSION = re.compile(r"\s?(?:转|分机号?|ext\.?|extension|x|#|-)\s?[0-9]{1,6}(?![0-9])", re.IGNORECASE)
_CHECK_LETTER = re.compile(r"[ \-]?[xX](?![A-Za-z0-9])")
_NUMBERS: tuple[tuple[str, re.Pattern[str], Callable[[Window], bool]], ...] = (
    (
        "id_card",
        re.compile(r"[1-9]\d{5}(?:18|19|20)\d\d[01]\d[0-3]\d{4,5}|[1-9]\d{7}[01]\d[0-3]\d{4}"),
        is_resident_id,
    ),
    ("bank_card", re.compile(r"[3-9]\d{12,18}"), is_bank_card),
    (
        "mobile",
        re.compile(r"(?:00)?(?:86)?1[3-9]\d{9}|(?:00)?8\d{10,12}|[569]\d{7}|09\d{8}|1[2-9]\d{8,11}|[2-9]\d{9,12}"),
        is_mobile,
    ),
    ("landline", re.compile(r"0[1-9]\d{7,11}|(?:00)?8[568]\d{8,12}|[2-8]\d{6,7}"), is_landline),
)
_MASKED = tuple(
    # somebody's number with a part of it hidden: a mention, masked like the others
    (kind, re.compile(rf"(?i){word}{LINK}{{0,6}}(?P<number>{shape})(?![0-9A-Za-z*])"))
    for kind, word, shape in (
        ("mobile", r"(?:手机|电话|mobile|phone|号码)", r"1[3-9][0-9][*x×•·]{4,8}[0-9]{0,4}"),
        ("id_card", r"(?:身份证|证件|\bsfz)", r"[1-9][0-9]{2,13}[*x×•·]{4,15}[0-9x]{0,4}"),
        (
            "bank_card",
            r"(?:银行卡|卡号|工资卡|信用卡|储蓄卡)",
            r"[3-9][0-9]{3,5}[ ]?(?:[*x×•·]{2,12}[ ]?){1,4}[0-9]{0,4}",
        ),
    )
)


def find_numbers(text: str) -> Iterator[Found]:
    """Resident ids, then bank cards, then telephones; each digit belongs to one of them at most."""
    for run in _RUN.finditer(text):
        if sum(map(str.isdigit, run[0])) >= 7:
            yield from _in_run(text, run)
    for kind, pattern in _MASKED:
        for match in pattern.finditer(text):
            yield Found(kind, *match.span("number"))


def _in_run(text: str, run: re.Match[str]) -> Iterator[Found]:
    groups = [group.span() for group in _GROUP.finditer(text, run.start(), run.end())]
    taken: set[int] = set()
    for kind, shape, accept in _NUMBERS:
        first = 0
        while first < len(groups):
            last = _last(text, groups, first, shape, accept, taken)
            if last is None:
                first += 1
                continue
            taken.update(range(first, last))
            start, end = groups[first][0], groups[last - 1][1]
            yield _whole(text, kind, start, end)
            first = last


def _last(
    text: str,
    groups: list[tuple[int, int]],
    first: int,
    shape: re.Pattern[str],
    accept: Callable[[Window], bool],
    taken: set[int],
) -> int | None:
    """The end of the longest acceptable window that begins with the group `first`."""
    best = None
    digits = ""
    for last in range(first, min(len(groups), first + _LONGEST)):
        digits += text[slice(*groups[last])]
        if last in taken or len(digits) > _LONGEST:
            break
        if not shape.fullmatch(digits):
            continue
        part = groups[first : last + 1]
        window = Window(
            text,
            part[0][0],
            part[-1][1],
            digits,
            tuple(end - start for start, end in part),
            tuple(text[one[1] : two[0]] for one, two in pairwise(part)),
            first == 0 or first - 1 in taken,
            last == len(groups) - 1,
        )
        if accept(window):
            best = last + 1
    return best


def _whole(text: str, kind: str, start: int, end: int) -> Found:
    """The number with its plus sign, bracket, check letter or extension."""
    head = re.search(r"[(（]?\+?$", text[max(0, start - 2) : start])
    tail = _EXTENSION.match(text, end) if kind == "landline" else None
    if kind == "id_card":
        tail = _CHECK_LETTER.match(text, end)
    if head and head[0][:1] in "(（" and not re.search(r"[)）]", text[start:end]):
        head = re.search(r"\+?$", text[max(0, start - 1) : start])
    return Found(kind, start - len(head[0] if head else ""), tail.end() if tail else end)
