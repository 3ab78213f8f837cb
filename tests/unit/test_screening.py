"""Screening: what is sensitive in a sentence, what is not, and what is left of it."""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.screening import LABELS, screen
from memory.screening_cards import has_luhn, has_resident_checksum

DATA = Path(__file__).parents[1] / "data"
SPOKEN = str.maketrans("0123456789", "零幺二三四五六七八九")
WIDE = str.maketrans("0123456789X", "０１２３４５６７８９Ｘ")


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def resident_id(numbers: random.Random, ending: str = "0123456789") -> str:
    """A synthetic resident id that ends with one of the characters of `ending`."""
    while True:
        born = f"{numbers.randint(1955, 2010)}{numbers.randint(1, 12):02}{numbers.randint(1, 28):02}"
        body = f"{numbers.choice(['110101', '310104', '440306', '510107'])}{born}{numbers.randint(0, 999):03}"
        for last in ending:
            if has_resident_checksum(body + last):
                return body + last


def bank_card(numbers: random.Random, issuer: str, length: int) -> str:
    body = issuer + "".join(numbers.choices(string.digits, k=length - len(issuer) - 1))
    return next(body + last for last in string.digits if has_luhn(body + last))


def split(number: str, sizes: tuple[int, ...], mark: str) -> str:
    pieces, position = [], 0
    for size in (*sizes, len(number)):
        pieces.append(number[position : position + size])
        position += size
    return mark.join(piece for piece in pieces if piece)


def filled(text: str, seed: int) -> str:
    """The case's text with fresh synthetic values for its `{placeholders}`."""
    numbers = random.Random(seed)

    def characters(alphabet: str, length: int) -> str:
        return "A1" + "".join(numbers.choices(alphabet, k=length - 4)) + "z9"

    resident, ending_x = resident_id(numbers), resident_id(numbers, "X")
    short, long = bank_card(numbers, "62", 16), bank_card(numbers, "6217", 19)
    visa = bank_card(numbers, "4", 16)
    mixed = string.ascii_letters + string.digits
    values = {
        "id": resident,
        "id_x": ending_x,
        "id_x_low": ending_x.lower(),
        "id_spaced": split(resident, (6, 8), " "),
        "id_dashed": split(resident, (4, 4, 4, 4), "-"),
        "id_dotted": split(resident, (6, 4, 4), "."),
        "id_wide": resident.translate(WIDE),
        "id_spoken": resident.translate(SPOKEN),
        "id_tail": ("110101" + resident[6:])[6:17].translate(SPOKEN) + checksum("110101" + resident[6:17]),
        "card": short,
        "card19": long,
        "card_spaced": split(short, (4, 4, 4), " "),
        "card_dashed": split(short, (4, 4, 4), "-"),
        "card_dotted": split(short, (4, 4, 4), "."),
        "card_wide": short.translate(WIDE),
        "card_spoken": short.translate(SPOKEN),
        "card19_spaced": split(long, (4, 4, 4, 4), " "),
        "visa": visa,
        "visa_spaced": split(visa, (4, 4, 4), " "),
        "visa_dashed": split(visa, (4, 4, 4), "-"),
        "master": bank_card(numbers, "52", 16),
        "amex": bank_card(numbers, "37", 15),
        "jcb": bank_card(numbers, "35", 16),
        "hex32": "3f" + "".join(numbers.choices("0123456789abcdef", k=30)),
        "hex40": "a9" + "".join(numbers.choices("0123456789abcdef", k=38)),
        "uuid": "-".join("a1" + "".join(numbers.choices("0123456789abcdef", k=n - 2)) for n in (8, 4, 4, 4, 12)),
        "tok": characters(mixed, 32),
        "tok20": characters(mixed, 20),
        "tok35": characters(mixed, 35),
        "up16": "".join(numbers.choices(string.ascii_uppercase + string.digits, k=16)),
    }
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), text)


def checksum(body: str) -> str:
    return next(last for last in "0123456789X" if has_resident_checksum(body + last))


CASES = [(filled(str(row["text"]), seed), row["kinds"]) for seed, row in enumerate(rows("screening_cases.jsonl"))] + [
    (str(row["text"]), row["kinds"]) for row in rows("sensitive.jsonl")
]


@pytest.mark.parametrize(("text", "kinds"), CASES)
def test_kinds_found_in_a_sentence(text: str, kinds: list[str]) -> None:
    assert sorted(screen(text).kinds) == sorted(kinds)


def test_ordinary_speech_trips_nothing() -> None:
    labelled = {"mobile", "otp", "hk_macau_permit", "id_card"}
    tripped = {row["text"]: screen(str(row["text"])).kinds for row in rows("utterances.jsonl")}
    sensitive = {text: kinds for text, kinds in tripped.items() if kinds}
    assert len(sensitive) == 5
    assert {kind for kinds in sensitive.values() for kind in kinds} == labelled


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("打我手机（138 1234 5678）好了", "打我手机（［手机号］）好了"),
        ("座机010-61234567转808找我", "座机［座机］找我"),
        ("身份证 11010119900307757X吗", "身份证 ［身份证号］吗"),
        ("ｐｗｄ：Ａｂｃ１２３４５，好", "ｐｗｄ：［密码］，好"),
        ("幺三八\u200b一二三四 五六七八是我", "［手机号］是我"),
        ("家住上海市浦东新区，示例路1288弄16号602室。", "家住［地址］。"),
        ("mysql://root:Dev2026@10.0.0.3/app", "mysql://root:［密码］@10.0.0.3/app"),
        ("以后周报发到 li.lei@example.com 吧", "以后周报发到 ［邮箱］ 吧"),
        ("密码 Abc12345，再说一遍 Abc12345", "密码 ［密码］，再说一遍 ［密码］"),
        ("👨\u200d👩\u200d👧 手机13812345678 👌🏽", "👨\u200d👩\u200d👧 手机［手机号］ 👌🏽"),
    ],
)
def test_only_the_value_is_masked(text: str, masked: str) -> None:
    assert screen(text).masked == masked


@pytest.mark.parametrize("text", [text for text, kinds in CASES if kinds])
def test_a_masked_sentence_holds_nothing_more(text: str) -> None:
    screened = screen(text)
    assert screen(screened.masked).kinds == ()
    for span in screened.spans:
        assert text[span.start : span.end] not in screened.masked


FRAGMENTS = st.one_of(
    st.sampled_from([text for text, _ in CASES]),
    st.sampled_from(list(LABELS.values())),
    st.sampled_from(["密码", "是", "：", "，", " ", "一", "3", "138", "@", "号", "路", "验证码", "\n", "［", "A1b2"]),
    st.text(st.characters(), max_size=6),
)


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=6).map("".join))
def test_screening_twice_finds_nothing_new(text: str) -> None:
    screened = screen(text)
    assert screen(screened.masked).masked == screened.masked


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=6).map("".join))
def test_what_lies_between_the_values_stays_as_it_was(text: str) -> None:
    screened = screen(text)
    rebuilt, position = "", 0
    for span in screened.spans:
        assert position <= span.start < span.end <= len(text)
        rebuilt += text[position : span.start] + LABELS[span.kind]
        position = span.end
    assert rebuilt + text[position:] == screened.masked


@given(st.text(st.characters(), max_size=60))
def test_any_string_can_be_screened(text: str) -> None:
    assert screen(text).text == text


def test_the_sentence_is_not_printed_with_its_result() -> None:
    assert "13812345678" not in repr(screen("手机13812345678"))


def test_the_command_line_form_has_the_fields_of_the_contract() -> None:
    assert screen("手机13812345678").to_json() == {
        "text": "手机13812345678",
        "kinds": ["mobile"],
        "masked": "手机［手机号］",
        "domain": None,
    }
