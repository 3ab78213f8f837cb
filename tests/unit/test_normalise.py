"""The normaliser: what is the same text, and where each of its characters came from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.normalise import normalise, origins


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("請將預設範本由市場部改為營運部", "请将预设范本由市场部改为营运部"),
        ("\u2060/记忆\u2060", "/记忆"),
        ("确认\u200b", "确认"),
        ("是\ufeff", "是"),
        ("清除\u200e所有\u00a0关于\u3000我的偏好", "清除所有 关于 我的偏好"),
        ("／help　ａ", "/help a"),
        ("１５：００", "15:00"),
        ("\ud83d好\x00的", "好的"),
        ("abc\u202e", "abc"),
        ("第一行\r第二行", "第一行\n第二行"),
        ("cafe\u0301", "café"),
        ("", ""),
    ],
)
def test_the_same_text_has_one_spelling(typed: str, meant: str) -> None:
    assert normalise(typed) == meant


@given(st.text(st.characters()))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(st.characters()))
def test_every_character_knows_its_origin(text: str) -> None:
    places = origins(text)
    assert len(places) == len(normalise(text)) + 1
    assert places == sorted(places)


def test_the_original_form_of_a_span_keeps_joined_emoji() -> None:
    text = "簽名：👨\u200d👩\u200d👧 王"
    start = normalise(text).index("👨")
    places = origins(text)
    assert text[places[start] :] == "👨\u200d👩\u200d👧 王"
