"""Texts are cut so that WeCom never has to."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.wecom.layout import lay_out
from adapters.wecom.pieces import lines_of, pieces
from bot.types import Body, Table

LIMIT = 1940

FAMILY = "👨‍👩‍👧"
FLAG = "🇨🇳"

texts = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
        st.sampled_from(["周报。", "，", FAMILY, FLAG, "👍🏽", "é", "\n", "\r\n", "好" * 700, "\u200d", "\ufe0f"]),
    ),
    max_size=30,
).map("".join)


@settings(deadline=None)
@given(texts, st.integers(8, LIMIT))
@example("好" * 3000, LIMIT)
@example(FLAG * 600, LIMIT)
def test_pieces_fit_and_together_are_the_text(text: str, limit: int) -> None:
    cut = pieces(lines_of(text), limit)
    assert "".join(cut) == text
    assert all(len(piece.encode()) <= limit for piece in cut)
    assert all(cut)


@pytest.mark.parametrize(
    "text",
    ["待" * 700, "😀" * 2048, "字" * 3000, ("评审需求文档；" * 20 + "\n") * 30],
    ids=["2,100 bytes", "2,048 emoji", "no punctuation", "long lines"],
)
def test_f2_bytes_are_counted_not_characters(text: str) -> None:
    cut = pieces(lines_of(text), LIMIT)
    assert len(cut) > 1
    assert "".join(cut) == text
    assert all(len(piece.encode()) <= LIMIT and "\ufffd" not in piece for piece in cut)


@pytest.mark.parametrize("character", [FAMILY, FLAG, "👍🏽", "e\u0301", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])
def test_what_people_see_as_one_character_is_not_torn(character: str) -> None:
    for piece in pieces(lines_of(character * 400), 100):
        assert piece == character * (len(piece) // len(character))


def test_a_cut_prefers_lines_then_sentences_then_commas() -> None:
    lines = "第一行\n" * 10
    assert all(piece.endswith("\n") for piece in pieces(lines_of(lines), 35))
    assert pieces(lines_of("今天开会，明天写周报。后天休息"), 40) == ["今天开会，明天写周报。", "后天休息"]
    assert pieces(lines_of("一二三四五六七，八九十一二三"), 30) == ["一二三四五六七，", "八九十一二三"]


def test_f5_a_table_that_straddles_repeats_its_header() -> None:
    rows = tuple((f"第 {number} 件事", "3月2日") for number in range(200))
    cut = pieces(lay_out(Body((Table(("事项", "截止"), rows),))), LIMIT)
    assert len(cut) > 1
    assert all(piece.startswith("事项 ｜ 截止\n") for piece in cut)
    assert [line for piece in cut for line in piece.splitlines()[1:]] == [" ｜ ".join(row) for row in rows]


def test_f5_a_header_longer_than_a_piece_does_not_loop() -> None:
    table = Table(("列" * 16, "值"), (("甲", "乙"),) * 100)
    assert all(len(piece.encode()) <= 60 for piece in pieces(lay_out(Body((table,))), 60))
