"""Replies as Feishu messages: everything said, nothing injected, within the platform's limits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.feishu.cards import escape_markdown, split, wire_size
from adapters.feishu.rendering import content_of, escape_text, mask, render, settled_card
from adapters.simulators import feishu_cards as reader
from bot.types import (
    Account,
    Address,
    Body,
    Bullets,
    Chart,
    FileOut,
    Group,
    Heading,
    Option,
    Paragraph,
    Reply,
    Table,
)

HERE = Address(Account("feishu", "feishu", "default", "on_a"))
GROUP = Address(Group("feishu", "feishu", "default", "oc_1"))
YES_NO = (Option("yes", "确认", "primary"), Option("no", "取消"))

LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1)
MARKUP = st.text("*_~`[]()<>#+-=!|\\:$&;/ab1. \n", min_size=1)
WORDS = LINE | MARKUP


def body(*blocks, title: str | None = None) -> Body:
    return Body(blocks, title)


def reply(*blocks, title: str | None = None, options=(), to: Address = HERE, kind="answer", **more) -> Reply:
    return Reply(to, kind, body(*blocks, title=title), tuple(options), "q1" if options else None, **more)


def request_size(part) -> int:
    msg_type, content = content_of(part, None)
    content = json.dumps(content, ensure_ascii=False)
    request = {"receive_id": "x" * 64, "msg_type": msg_type, "content": content, "uuid": "u" * 50}
    return len(json.dumps(request, ensure_ascii=False).encode())


# --- which kind of message ---


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (reply(Paragraph("好")), "text"),
        (reply(Paragraph("好"), Bullets(("甲", "乙"))), "text"),
        (reply(Paragraph("好"), options=YES_NO), "card"),
        (reply(Paragraph("好"), title="周报"), "card"),
        (reply(Heading("好")), "card"),
        (reply(Table(("名",), ())), "card"),
        (reply(Chart("pie", "图", ("a",), (1,))), "card"),
    ],
)
def test_a_card_only_where_it_is_needed(one, kind):
    assert [part.kind for part in render(one)] == [kind]


def test_attachments_come_before_a_question_because_its_card_must_be_last():
    paper = FileOut("a.pdf", b"x")
    assert [part.kind for part in render(reply(Paragraph("好"), attachments=(paper,)))] == ["text", "file"]
    asked = render(reply(Paragraph("好"), options=YES_NO, attachments=(paper,)))
    assert [part.kind for part in asked] == ["file", "card"]
    assert [part.has_options for part in asked] == [False, True]


def test_only_a_file_needs_no_words():
    assert [part.kind for part in render(reply(attachments=(FileOut("a.pdf", b"x"),)))] == ["file"]


def test_a_task_has_a_summary_and_a_due_day():
    (part,) = render(reply(Paragraph("2026-03-04"), Paragraph("晓雯分配"), title="整理会议纪要", kind="task"))
    assert part.kind == "task"
    assert part.content["summary"] == "整理会议纪要"
    assert part.content["due"] == {"timestamp": "1772582400000", "is_all_day": True}


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("2026-03-04T18:00+08:00", {"timestamp": "1772618400000", "is_all_day": False}),
        ("2026-03-04T18:00", None),
        ("周三", None),
        ("2026-13-45", None),
    ],
)
def test_a_due_moment_needs_its_offset(line, due):
    (part,) = render(reply(Paragraph(line), title="任务", kind="task"))
    assert part.content.get("due") == due


# --- what people write stays what they wrote ---


@given(WORDS)
def test_escaped_text_reads_as_it_was_written(text):
    shown = reader.unmark(escape_markdown(text))
    assert shown == text


@pytest.mark.parametrize(
    "text",
    ['<at user_id="all"></at>', "<AT user_id='ou_x'>", "</at>", "<b>粗</b>", "<a href=x>"],
)
def test_no_tag_of_a_persons_text_works(text):
    assert "<\u2060" in escape_text(text)
    assert escape_text(text).replace("\u2060", "") == text


@pytest.mark.parametrize("text", ["a < b", "3<5", "<b1>", "I <3 U"])
def test_what_is_no_tag_stays(text):
    assert escape_text(text) == text


@pytest.mark.parametrize(
    "text", ["<at id=all></at>", "**粗**", "[x](http://a.cn)", "# 大", "`x`", ":OK:", "1. 一", "---"]
)
def test_no_mark_of_a_persons_text_works_in_a_card(text):
    assert escape_markdown(text) != text


@pytest.mark.parametrize("text", ["https://a.cn/x_y?z=1&w=2", "08:30 开会（3-4 人）", "完成 2/3。"])
def test_links_and_plain_words_stay_readable_in_the_source(text):
    assert escape_markdown(text) == text


# --- limits ---


BLOCKS = st.one_of(
    st.builds(Heading, WORDS),
    st.builds(Paragraph, st.text(max_size=20) | WORDS, st.booleans()),
    st.builds(Bullets, st.lists(WORDS, max_size=4).map(tuple), st.booleans()),
    st.lists(WORDS, min_size=2, max_size=2).flatmap(
        lambda columns: st.builds(
            Table, st.just(tuple(columns)), st.lists(st.tuples(WORDS, WORDS), max_size=4).map(tuple)
        )
    ),
    st.lists(st.tuples(WORDS, st.floats(-1e6, 1e6)), min_size=1, max_size=4).map(
        lambda points: Chart("bar", "图", tuple(p[0] for p in points), tuple(p[1] for p in points))
    ),
)


@given(st.lists(BLOCKS, max_size=12), st.none() | LINE, st.sampled_from([0, 2, 6, 7, 30]))
@settings(max_examples=60)
def test_every_reply_is_a_valid_message(blocks, title, count):
    options = [Option(f"k{number}", f"第{number}个") for number in range(count)]
    parts = render(reply(*blocks, title=title, options=options))
    for part in parts:
        assert request_size(part) <= (150 if part.kind == "text" else 30) * 1024
        if part.kind == "card":
            reader.check(part.content["card"])
    assert [part.has_options for part in parts] == [False] * (len(parts) - 1) + [bool(options)] * bool(parts)
    if options:
        pressed = reader.pressables(parts[-1].content["card"])
        assert [one.label for one in pressed] == [option.label for option in options]


@pytest.mark.parametrize(
    "block",
    [
        Paragraph("*" * 40_000),
        Paragraph("一" * 40_000, True),
        Heading("大" * 20_000),
        Bullets(("项" * 20_000, "二")),
        Bullets(tuple(f"第{number}项" * 30 for number in range(500)), True),
        Table(("名",), (("格" * 20_000,),)),
        Table(("名", "值"), tuple((f"第{number}行", '"' * 50) for number in range(2000))),
        Chart("line", "图", tuple(f"第{number}天" for number in range(3000)), tuple(map(float, range(3000)))),
    ],
    ids=["marks", "muted", "heading", "item", "numbered", "cell", "rows", "chart"],
)
def test_f5_one_block_larger_than_a_card_arrives_whole(block):
    parts = render(reply(block, title="周报"))
    assert len(parts) > 1
    assert max(map(request_size, parts)) <= 30 * 1024
    said = "".join(reader.read(part.content["card"]) for part in parts)
    for wanted in ("*", "一", "大", "项", "格", "第"):
        held = str(block).count(wanted)
        assert said.count(wanted) >= held


def test_f5_a_split_table_repeats_its_header():
    rows = tuple((f"第{number}行", "值" * 100) for number in range(200))
    parts = render(reply(Table(("事项", "状态"), rows)))
    tables = [element for part in parts for element in part.content["card"]["body"]["elements"]]
    assert len(tables) > 1
    assert {column["display_name"] for table in tables for column in table["columns"]} == {"事项", "状态"}
    assert [row["c0"] for table in tables for row in table["rows"]] == [row[0] for row in rows]


def test_cards_of_one_reply_are_numbered():
    tables = [Table(("名",), ((f"{number}",),)) for number in range(6)]
    titles = [part.content["card"]["header"]["title"]["content"] for part in render(reply(*tables, title="周报"))]
    assert titles == ["周报（1/2）", "周报（2/2）"]


@given(st.text(min_size=1), st.integers(20, 60))
def test_pieces_join_to_the_whole(text, room):
    pieces = list(split(text, room, wire_size))
    assert "".join(pieces) == text
    assert all(wire_size(piece) <= room for piece in pieces)


# --- the card afterwards, and when it is refused ---


def test_the_settled_card_has_no_buttons_and_the_same_title():
    card = settled_card(reply(Paragraph("已确认"), title="周报", options=YES_NO))
    assert reader.pressables(card) == ()
    assert reader.read(card) == "周报\n已确认"


def test_only_the_card_with_the_buttons_is_replaced():
    tables = [Table(("名",), ((f"第{number}行",),)) for number in range(6)]
    card = settled_card(reply(*tables, Paragraph("已确认", True), title="周报"))
    assert reader.read(card) == "周报（2/2）\n名\n第5行\n已确认"


def test_masking_leaves_what_the_buttons_carry():
    (part,) = render(reply(Paragraph("13800138000"), options=(Option("1234567", "好"),)))
    masked = mask(part.content)["card"]
    assert "13800138000" not in json.dumps(masked)
    assert reader.pressables(masked)[0].action["value"]["o"] == "1234567"
    assert reader.pressables(masked)[0].action["value"]["q"] == "q1"


def test_a_group_card_says_that_it_is_in_a_group():
    (part,) = render(reply(Paragraph("好"), options=YES_NO, to=GROUP))
    assert reader.pressables(part.content["card"])[0].action["value"] == {"q": "q1", "g": True, "o": "yes"}
