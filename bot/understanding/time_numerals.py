"""Numbers as people write them in a time: 23, 二十三, 廿三, 二零二六, 两千零四, 半."""

from __future__ import annotations

DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
}  # fmt: skip
TENS = {"廿": 20, "卅": 30}
SCALES = {"十": 10, "百": 100, "千": 1000}
CHINESE = "".join((*DIGITS, *TENS, *SCALES))
NUMBER = rf"(?:\d+|[{CHINESE}]+)"


def number(text: str) -> int | None:
    """The whole number that `text` spells, None when it spells none."""
    if text.isdecimal():
        return int(text) if len(text) <= 9 else None
    if not text or any(char not in CHINESE for char in text):
        return None
    if all(char in DIGITS for char in text):
        return int("".join(str(DIGITS[char]) for char in text))
    return _scaled(text)


def fuzzy_hour(text: str) -> int | None:
    """The earlier of two hours said in one breath (七八点, 两三点), else the number itself."""
    if len(text) == 2 and all(char in DIGITS for char in text) and DIGITS[text[0]] + 1 == DIGITS[text[1]]:
        return DIGITS[text[0]]
    return number(text)


def _scaled(text: str) -> int | None:
    total, digit = 0, 0
    for char in text:
        if char in DIGITS:
            digit = DIGITS[char]
        elif char in TENS:
            total += TENS[char]
        else:
            total += (digit or 1) * SCALES[char]
            digit = 0
    return total + digit
