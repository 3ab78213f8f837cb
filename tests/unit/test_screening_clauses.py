"""The clause with the value is set apart; the others stay usable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.screening import screen
from memory.screening_clauses import split_clauses


@pytest.mark.parametrize(
    ("text", "untouched"),
    [
        ("记住，我喜欢用表格，手机号13812345678", ["记住，", "我喜欢用表格，"]),
        ("记住 我喜欢用表格 手机号 13812345678", ["记住 我喜欢用表格 "]),
        ("手机号13812345678。以后都用列表！", ["以后都用列表！"]),
        ("家住上海市浦东新区，示例路1288弄16号602室，以后周报用列表", ["以后周报用列表"]),
        ("以后通知发企业微信\n密码是Abc12345\n周报用表格", ["以后通知发企业微信\n", "周报用表格"]),
        ("以后都用table, 我的邮箱是li@example.com; 周报用列表", ["以后都用table, ", "周报用列表"]),
        ("连接 https://admin:Pa55w0rd@wiki.example.com/?a=1;b=2，以后用表格", ["连接 ", "以后用表格"]),
        ("以后 通知 发飞书", ["以后 通知 发飞书"]),
        ("金额1,000元", ["金额1,000元"]),
        ("手机13812345678", []),
        ("", [""]),
    ],
)
def test_clauses_without_a_value_still_count(text: str, untouched: list[str]) -> None:
    assert [clause for clause, touched in split_clauses(text, screen(text)) if not touched] == untouched


PARTS = st.sampled_from(
    [
        "手机13812345678",
        "密码是Abc12345",
        "以后用表格",
        "，",
        ",",
        " ",
        "；",
        "\n",
        "？",
        "a@b.com",
        "1,000",
        "上海市示例区，示例路1号",
    ]
)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_clauses_put_together_are_the_sentence(text: str) -> None:
    assert "".join(clause for clause, _ in split_clauses(text, screen(text))) == text


@given(st.lists(PARTS, max_size=12).map("".join))
def test_untouched_clauses_hold_no_value(text: str) -> None:
    screened = screen(text)
    position = 0
    for clause, touched in split_clauses(text, screened):
        end = position + len(clause)
        assert touched or not any(span.start < end and position < span.end for span in screened.spans)
        position = end
    assert position == len(text)
