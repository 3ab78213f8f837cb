"""Telephone numbers: mobile and fixed, of the mainland, its neighbours and other countries."""

from __future__ import annotations

import re

from memory.screening_windows import LINK, Window

_PHONE_WORD = re.compile(
    rf"(?:手机|电话|联系方式|联系人|联系|来电|致电|拨打|呼叫|短信|微信(?:同号)?|支付宝|手提|号码|机主|打|拨|座机|固话|传真|热线|家里|办公室"
    rf"|call|phone|mobile|cell|tel|sms|whatsapp|wechat|fax|landline){LINK}{{0,8}}$",
    re.IGNORECASE,
)
_LANDLINE_WORD = re.compile(
    rf"(?:座机|固话|固定电话|电话|传真|办公室|家里|公司|\btel|\bphone|\bfax|landline){LINK}{{0,8}}$", re.IGNORECASE
)
_REGIONS = re.compile(r"(?:香港|澳门|台湾|海外|hong\s?kong|macau|taiwan|\bhk)[^\d。；！？\n]{0,12}$", re.IGNORECASE)
_COUNTRIES = (
    "1",
    "7",
    "33",
    "34",
    "39",
    "44",
    "49",
    "55",
    "60",
    "61",
    "62",
    "63",
    "65",
    "66",
    "81",
    "82",
    "84",
    "91",
    "971",
)


def is_mobile(window: Window) -> bool:
    before = window.before()
    abroad = _is_abroad(window)
    local = re.sub(r"^(?:00)?86(?=1)", "", window.digits)
    regional = _REGIONS.search(before) and re.fullmatch(r"[569]\d{7}|09\d{8}", window.digits)
    taiwanese = re.fullmatch(r"09\d{8}", window.digits) and _PHONE_WORD.search(before)
    if not (abroad or regional or taiwanese or re.fullmatch(r"1[3-9]\d{9}", local)):
        return False
    if _PHONE_WORD.search(before) and not window.has_unit():
        return True
    prefixed = abroad or local != window.digits
    return (
        (window.stands_alone() or before.endswith("+"))
        and not window.counts_something()
        and (prefixed or _is_grouped(window))
    )


def is_landline(window: Window) -> bool:
    before = window.before()
    if not window.stands_alone() and not before.endswith("+") and not _LANDLINE_WORD.search(before):
        return False
    digits = re.sub(r"^(?:00)?860?(?=10|[2-9])", "0", window.digits)
    named = bool(_LANDLINE_WORD.search(before))
    if re.fullmatch(r"(?:00)?85[23][23]\d{7}|(?:00)?886[2-8]\d{7,8}", window.digits):
        return before.endswith("+") or named or window.digits.startswith("00")
    if re.fullmatch(r"[2-8]\d{6,7}", digits) and digits == window.digits:
        return named and window.opens_run and window.sizes in ((7,), (8,), (4, 4), (3, 4)) and not window.has_unit()
    if named and re.fullmatch(r"0[2-8][2-8]\d{6,7}", digits) and window.opens_run:
        return True
    if not re.fullmatch(r"0(?:10|2\d)[2-8]\d{7}|0[3-9]\d{2}[2-8]\d{6,7}", digits):
        return False
    if named:
        return not window.has_unit()
    area = 3 if digits[1] in "12" else 4
    split = digits != window.digits or (window.sizes[0] == area and len(window.sizes) <= 3)
    return split and window.opens_run and not window.counts_something()


def _is_grouped(window: Window) -> bool:
    """Whether the groups are those of a telephone number and not of a list, an amount or an address."""
    if len(window.sizes) == 1:
        return True
    marks = {gap.strip() for gap in window.gaps}
    if not (window.opens_run and (window.closes_run or " " not in window.gaps)):
        return window.sizes == (3, 4, 4) and window.text[window.start - 1 : window.start] != "."
    if marks & {",", "，", "、", ".", "/", ";", "；", "_"}:
        return (
            window.sizes in ((3, 4, 4), (3, 3, 5), (3, 8))
            and len(marks) == 1
            and (len(window.sizes) > 2 or "." not in marks)
        )
    return min(window.sizes[:-1]) >= 3 or set(window.sizes) == {1} or window.sizes == (3, 2, 2, 2, 2)


def _is_abroad(window: Window) -> bool:
    """+852 6…, 00853 6…, +886 9…, or another country's number after a plus sign."""
    digits = window.digits.removeprefix("00")
    plus = window.text[max(0, window.start - 1) : window.start] == "+" or digits != window.digits
    if re.fullmatch(r"852[5679]\d{7}|8536\d{7}|8860?9\d{8}", digits):
        return plus or window.sizes[0] == 3 or bool(_PHONE_WORD.search(window.before()))
    if digits.startswith(("86", "852", "853", "886")):
        return False
    return plus and digits == window.digits and 10 <= len(digits) <= 13 and digits.startswith(_COUNTRIES)
