"""Resident ids and bank cards: numbers with a checksum."""

from __future__ import annotations

import re
from datetime import date

from memory.screening_windows import LINK, Window

_ID_WORD = re.compile(
    rf"(?:身份证件?|证件|身份|\bsfz|\bid\s?card|identity(?:\scard)?|居住证|居留证|社保号?|驾照|驾驶证){LINK}{{0,8}}$",
    re.IGNORECASE,
)
_CARD_WORD = re.compile(
    rf"(?:(?<!会员)(?<!门禁)(?<!充值)(?<!购物)(?<!礼品)(?<!加油)(?<!公交)(?<!电话)(?<!流量)(?<!储值)(?<!考勤)(?<![工房饭点])卡号?|[账帐][号户]|[一-龥]行卡|(?:工商|农业|中国|建设|交通|招商|民生|浦发|兴业|平安|广发|光大|华夏|邮储|邮政|中信|[工农中建交招])银?行|储蓄|借记|信用卡|visa|master(?:card)?|银联|card){LINK}{{0,8}}$",
    re.IGNORECASE,
)
_PROVINCES = frozenset(
    [
        "11",
        "12",
        "13",
        "14",
        "15",
        "21",
        "22",
        "23",
        "31",
        "32",
        "33",
        "34",
        "35",
        "36",
        "37",
        "41",
        "42",
        "43",
        "44",
        "45",
        "46",
        "50",
        "51",
        "52",
        "53",
        "54",
        "61",
        "62",
        "63",
        "64",
        "65",
        "71",
        "81",
        "82",
        "83",
    ]
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ISSUERS = {16: ("62", "60", "4", "51", "52", "53", "54", "55", "35"), 15: ("37", "34")}


def is_resident_id(window: Window) -> bool:
    digits = window.digits
    letter = re.match(r"[ \-]?[xX](?![A-Za-z0-9])", window.after())
    named = bool(_ID_WORD.search(window.before()))
    if len(digits) == 15:
        return named and digits[:2] in _PROVINCES and _is_date("19" + digits[6:12])
    number = digits + "X" if len(digits) == 17 and letter else digits
    if len(number) != 18 or not _is_date(number[6:14]):
        return False
    if named:
        return number[:2] in _PROVINCES or number[0] == "9"
    return number[:2] in _PROVINCES and has_resident_checksum(number)


def has_resident_checksum(number: str) -> bool:
    """ISO 7064 mod 11-2 over the 18 characters of a resident id."""
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()


def is_bank_card(window: Window) -> bool:
    digits = window.digits
    named = bool(_CARD_WORD.search(window.before()))
    issued = digits.startswith(_ISSUERS.get(len(digits), _ISSUERS[16] if len(digits) > 15 else ()))
    if named:
        return (has_luhn(digits) or issued) and not re.match(r"[A-Za-z]", window.after())
    if not (issued and has_luhn(digits) and window.stands_alone()) or window.counts_something():
        return False
    return len(window.sizes) == 1 or (window.opens_run and (max(window.sizes) >= 6 or window.sizes[:3] == (4, 4, 4)))


def has_luhn(digits: str) -> bool:
    """Luhn's checksum, as on every bank card."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _is_date(digits: str) -> bool:
    try:
        born = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return 1880 <= born.year <= 2100
