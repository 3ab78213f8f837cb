"""Replies become WeCom messages that fit and read well."""

from typing import Any

import pytest

from adapters.simulators import wecom_cards
from adapters.wecom.rendering import as_text_part, outcome, render
from bot.types import (
    Account,
    Address,
    Block,
    Body,
    Bullets,
    Chart,
    FileOut,
    Heading,
    Option,
    Paragraph,
    Part,
    Reply,
    Table,
)

SEED = "0b8e2d7c-4a55-4c35-9d0a-7f3f6f1f2a11"
TO = Address(Account("wecom", "wecom", "default", "xiaowen"))
CHART = Chart("bar", "本周完成", ("周一", "周二"), (3, 5))


def reply(*blocks: Block, options: int = 0, title: str | None = None, **more: Any) -> Reply:
    offered = tuple(Option(f"k{number}", f"选项{number}") for number in range(options))
    return Reply(TO, "answer", Body(blocks, title), offered, question_id="42" if options else None, **more)


def shown(part: Part) -> str:
    return str(part.content["text"]["content"]).translate(str.maketrans("", "", "\u200b\u200c"))


def card_of(part: Part) -> Any:
    card = part.content["template_card"]
    assert wecom_cards.check(card) == []
    return card


def test_every_kind_of_block_is_readable_as_text() -> None:
    body = reply(
        Paragraph("本周共完成 2 项。"),
        Heading("进展"),
        Bullets(("需求评审", "联调"), numbered=True),
        Table(("事项", "状态"), (("评审", "完成"), ("联调", "进行中"))),
        Table(("事项", "说明"), (("评审", "一段在手机上一行放不下的很长很长的说明文字"),)),
        Paragraph("按市场部模板生成。", muted=True),
        title="周报",
    )
    (part,) = render(body, SEED)
    assert shown(part) == (
        "【周报】\n本周共完成 2 项。\n\n■ 进展\n1. 需求评审\n2. 联调\n"
        "\n事项 ｜ 状态\n评审 ｜ 完成\n联调 ｜ 进行中\n"
        "\n▪ 事项：评审\n　说明：一段在手机上一行放不下的很长很长的说明文字\n按市场部模板生成。"
    )


def test_a_report_is_text_then_picture_then_file_then_card() -> None:
    file = FileOut("周报.md", b"# report")
    parts = render(reply(Paragraph("周" * 2000), CHART, Paragraph("继续吗？"), options=2, attachments=(file,)), SEED)
    assert [part.kind for part in parts] == ["text", "text", "text", "text", "picture", "file", "card"]
    assert (parts[4].picture, parts[5].file) == (CHART, file)
    assert card_of(parts[-1])["main_title"]["title"] == "继续吗？"
    assert [part.has_options for part in parts] == [False] * 6 + [True]


def test_text_with_its_mark_stays_within_the_limit() -> None:
    parts = render(reply(Paragraph("早" * 3000 + "😀" * 900)), SEED)
    assert all(len(part.content["text"]["content"].encode()) <= 2000 for part in parts)
    assert "".join(map(shown, parts)) == "早" * 3000 + "😀" * 900


def test_equal_texts_of_two_rows_differ_and_one_row_is_the_same_twice() -> None:
    said = reply(Paragraph("好的"))
    assert render(said, SEED) == render(said, SEED)
    assert render(said, SEED) != render(said, SEED[::-1])
    assert shown(render(said, SEED)[0]) == shown(render(said, SEED[::-1])[0]) == "好的"


def test_a_lone_surrogate_can_be_sent() -> None:
    assert shown(render(reply(Paragraph("好\ud83d")), SEED)[0]) == "好?"


def test_a_short_question_is_only_a_card() -> None:
    options = (Option("yes", "记住", "primary"), Option("no", "不用"), Option("stop", "取消", "danger"))
    (part,) = render(Reply(TO, "answer", Body.say("是否需要我记住？"), options, "42"), SEED)
    card = card_of(part)
    assert card["card_type"] == "button_interaction"
    assert card["task_id"] == SEED
    assert card["main_title"] == {"title": "是否需要我记住？"}
    assert [button["key"] for button in card["button_list"]] == ["q:42:yes", "q:42:no", "q:42:stop"]
    assert [button["style"] for button in card["button_list"]] == [1, 2, 3]


def test_a_longer_question_is_divided_at_a_sentence_in_reading_order() -> None:
    text = "这次按研发部模板生成了周报，和你记住的市场部模板不一样。以后周报都改用研发部模板吗？"
    (part,) = render(reply(Paragraph(text), options=2), SEED)
    card = card_of(part)
    assert card["main_title"]["title"] + card["sub_title_text"] == text


def test_what_does_not_fit_on_a_card_is_said_before_it() -> None:
    text, card = render(reply(Paragraph("甲。" * 100), Paragraph("继续吗？"), options=2), SEED)
    assert shown(text) == "甲。" * 100
    assert card_of(card)["main_title"]["title"] == "继续吗？"


def test_a_question_that_fits_nowhere_is_said_in_full_and_repeated_in_short() -> None:
    question = "字" * 300
    text, card = render(reply(Paragraph(question), options=2), SEED)
    assert shown(text) == question
    assert card_of(card)["main_title"]["title"] == "…" + "字" * 35


@pytest.mark.parametrize(
    ("count", "kind"),
    [(6, "button_interaction"), (7, "multiple_interaction"), (10, "multiple_interaction"),
     (11, "vote_interaction"), (20, "vote_interaction")],
)  # fmt: skip
def test_many_options_become_a_selection(count: int, kind: str) -> None:
    (part,) = render(reply(Paragraph("请问使用哪个模板？"), options=count), SEED)
    card = card_of(part)
    assert card["card_type"] == kind
    assert [choice.label for choice in wecom_cards.choices(card)] == [f"选项{n}" for n in range(count)]
    assert [choice.key for choice in wecom_cards.choices(card)] == [f"q:42:k{n}" for n in range(count)]


def test_options_beyond_twenty_can_still_be_read_and_typed() -> None:
    (part,) = render(reply(Paragraph("请问使用哪个模板？"), options=23), SEED)
    card = card_of(part)
    assert wecom_cards.readable(card) == "请问使用哪个模板？\n• 选项20\n• 选项21\n• 选项22"
    assert len(wecom_cards.choices(card)) == 20


@pytest.mark.parametrize("options", [2, 8, 15])
def test_a_refused_card_can_be_said_as_text(options: int) -> None:
    (part,) = render(reply(Paragraph("请问使用哪个模板？"), options=options), SEED)
    words = shown(as_text_part(part, "key"))
    assert words.startswith("请问使用哪个模板？\n• 选项0\n")
    assert words.count("•") == options


def test_a_settled_card_keeps_its_question_over_a_grey_button() -> None:
    card = outcome(reply(Paragraph("请问使用哪个模板？"), Paragraph("✓ 市场部", muted=True)))["template_card"]
    assert wecom_cards.check(card, sent=False) == []
    assert wecom_cards.choices(card) == []
    assert (card["main_title"]["title"], card["replace_text"]) == ("请问使用哪个模板？", "✓ 市场部")


def test_an_outcome_without_a_question_only_changes_the_button() -> None:
    assert outcome(reply(Paragraph("已记住"))) == {"button": {"replace_name": "已记住"}}


def test_of_a_long_settled_reply_the_card_keeps_the_question() -> None:
    body = (Paragraph("周报正文。" * 100), CHART, Paragraph("需要我记住吗？"), Paragraph("✓ 记住", muted=True))
    card = outcome(reply(*body))["template_card"]
    assert (card["main_title"]["title"], card["replace_text"]) == ("需要我记住吗？", "✓ 记住")


@pytest.mark.parametrize("text", ["以后周报都用研发部模板。已经替你改好了。", "字" * 500])
def test_a_longer_outcome_is_said_on_the_card(text: str) -> None:
    card = outcome(reply(Paragraph(text)))["template_card"]
    assert wecom_cards.check(card, sent=False) == []
    assert wecom_cards.choices(card) == []
    assert text.endswith(card["main_title"]["title"].lstrip("…"))
