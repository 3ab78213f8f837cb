"""What the page draws of platform payloads: Feishu cards, WeCom messages and template cards, attachments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.feishu.cards import lay_out
from adapters.pages.cards import look_at
from adapters.pages.messages import as_message, as_said
from adapters.pages.transcript import Transcript
from adapters.simulators.feed import Arrival
from adapters.wecom.cards import Headline, choice_card
from bot.types import Account, Address, Body, Bullets, Chart, Heading, Option, Paragraph, Reply, Table

SHANGHAI = ZoneInfo("Asia/Shanghai")
AT = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)


def plain(content: str) -> dict[str, str]:
    return {"tag": "plain_text", "content": content}


FEISHU_CARD: dict[str, Any] = {
    "schema": "2.0",
    "config": {"update_multi": True},
    "header": {"title": plain("市场部周报"), "template": "green"},
    "body": {
        "elements": [
            {"tag": "markdown", "content": "**完成** 8 项"},
            {
                "tag": "table",
                "columns": [
                    {"name": "item", "display_name": "事项"},
                    {"name": "days", "display_name": "天数"},
                ],
                "rows": [{"item": "评审", "days": 2}, {"item": "报销"}],
            },
            {
                "tag": "chart",
                "chart_spec": {
                    "type": "line",
                    "title": {"text": "完成的事项"},
                    "data": {"values": [{"x": "周一", "y": 3}, {"x": "周二", "y": "5"}]},
                    "xField": "x",
                    "yField": "y",
                },
            },
            {"tag": "hr"},
            {"tag": "markdown", "content": "模板：市场部", "text_size": "notation"},
            {
                "tag": "column_set",
                "columns": [
                    {
                        "tag": "column",
                        "elements": [{"tag": "button", "type": "primary", "text": plain("记住")}],
                    },
                    {
                        "tag": "column",
                        "elements": [{"tag": "button", "type": "danger_filled", "text": plain("不用")}],
                    },
                ],
            },
            {
                "tag": "select_static",
                "placeholder": plain("模板"),
                "options": [{"text": plain("市场部"), "value": "1"}, {"text": plain("研发部"), "value": "2"}],
            },
        ]
    },
}

WRAPPINGS = (
    FEISHU_CARD,
    {"msg_type": "interactive", "content": json.dumps(FEISHU_CARD)},
    {"toast": {}, "card": {"type": "raw", "data": FEISHU_CARD}},
    json.dumps(FEISHU_CARD),
)


@pytest.mark.parametrize("raw", WRAPPINGS)
def test_a_feishu_card_is_read_in_reading_order(raw: Any) -> None:
    look = look_at("feishu", raw)
    assert look is not None
    assert (look.title, look.theme) == ("市场部周报", "green")
    assert look.blocks == (
        {"type": "markdown", "text": "**完成** 8 项", "size": "normal"},
        {"type": "table", "columns": ["事项", "天数"], "rows": [["评审", "2"], ["报销", ""]]},
        {
            "type": "chart",
            "kind": "line",
            "title": "完成的事项",
            "labels": ["周一", "周二"],
            "values": [3.0, 5.0],
        },
        {"type": "rule"},
        {"type": "markdown", "text": "模板：市场部", "size": "small"},
    )
    assert look.controls == (
        {"type": "button", "label": "记住", "style": "primary"},
        {"type": "button", "label": "不用", "style": "danger"},
        {"type": "select", "label": "模板", "options": ["市场部", "研发部"]},
    )


def test_a_pie_chart_names_its_fields_otherwise() -> None:
    spec = {
        "type": "pie",
        "data": [{"id": "id0", "values": [{"k": "开会", "v": 12}]}],
        "categoryField": "k",
        "valueField": "v",
    }
    look = look_at("feishu", {"body": {"elements": [{"tag": "chart", "chart_spec": spec}]}})
    assert look is not None
    assert look.blocks == ({"type": "chart", "kind": "pie", "title": "", "labels": ["开会"], "values": [12.0]},)


def test_a_wecom_template_card_shows_its_parts_and_buttons() -> None:
    card = {
        "card_type": "button_interaction",
        "source": {"desc": "记得"},
        "main_title": {"title": "生成周报", "desc": "用你记住的偏好"},
        "sub_title_text": "是否继续？",
        "horizontal_content_list": [{"keyname": "模板", "value": "市场部"}],
        "button_selection": {
            "question_key": "q",
            "title": "模板",
            "option_list": [{"id": "1", "text": "市场部"}],
        },
        "button_list": [{"text": "继续", "style": 1, "key": "a"}, {"text": "取消", "style": 2, "key": "b"}],
    }
    look = look_at("wecom", {"msgtype": "template_card", "template_card": card})
    assert look is not None
    assert (look.title, look.theme) == ("生成周报", "记得")
    assert look.blocks == (
        {"type": "plain", "text": "用你记住的偏好", "size": "small"},
        {"type": "plain", "text": "是否继续？"},
        {"type": "facts", "rows": [["模板", "市场部"]]},
    )
    assert look.controls == (
        {"type": "select", "label": "模板", "options": ["市场部"]},
        {"type": "button", "label": "继续", "style": "primary"},
        {"type": "button", "label": "取消", "style": "default"},
    )


def test_a_settled_wecom_card_shows_one_grey_word() -> None:
    card = {
        "card_type": "button_interaction",
        "main_title": {"title": "已记住"},
        "button_list": [{"text": "记住", "key": "a"}, {"text": "不用", "key": "b"}],
        "replace_text": "✓",
    }
    look = look_at("wecom", card)
    assert look is not None
    assert look.controls == ({"type": "button", "label": "✓", "style": "default"},)


BODY = (
    Heading("本周"),
    Bullets(("评审", "报销")),
    Table(("事项", "天数"), (("评审", "2"),)),
    Paragraph("脚注", muted=True),
)
CHART = Chart("pie", "时间", ("开会", "写文档"), (12, 9))


def test_what_the_feishu_adapter_lays_out_is_drawn_in_full() -> None:
    options = tuple(Option(str(number), f"选项{number}") for number in range(8))
    (card,) = lay_out("周报", (*BODY, CHART), options, {"q": "1"})
    look = look_at("feishu", card.json)
    assert look is not None
    assert look.title == "周报"
    assert [block["type"] for block in look.blocks] == ["markdown", "markdown", "table", "markdown", "chart"]
    assert [block.get("size") for block in look.blocks] == ["large", "normal", None, "small", None]
    assert look.blocks[4]["values"] == [12.0, 9.0]
    assert look.controls[0]["options"] == [option.label for option in options]


@pytest.mark.parametrize("count", [2, 8, 15])
def test_what_the_wecom_adapter_asks_can_be_pressed(count: int) -> None:
    options = tuple(Option(str(number), f"选项{number}") for number in range(count))
    to = Address(Account("wecom", "wecom", "t", "xiaowen"))
    reply = Reply(to, "answer", Body.say("请问使用哪个模板？"), options, "q1")
    look = look_at("wecom", choice_card(reply, "seed", Headline("请问使用哪个模板？")))
    assert look is not None
    labels = [label for control in look.controls for label in control.get("options", [control["label"]])]
    assert labels == [option.label for option in options]


def test_wecom_markdown_is_one_block() -> None:
    look = look_at("wecom", {"msgtype": "markdown", "markdown": {"content": "# 周报"}})
    assert look is not None
    assert look.blocks == ({"type": "markdown", "text": "# 周报"},)


@pytest.mark.parametrize("platform", ["feishu", "wecom"])
@pytest.mark.parametrize(
    "raw", [None, "文字", {"msg_type": "text", "content": '{"text":"好"}'}, {"text": {"content": "好"}}]
)
def test_plain_text_has_no_look(platform: str, raw: Any) -> None:
    assert look_at(platform, raw) is None


def test_an_arrival_keeps_the_fields_of_the_api() -> None:
    arrival = Arrival(
        7, "feishu", "feishu", "om_7", "晓雯", False, "card", "市场部周报", AT, ("记住", "不用"),
        (("报告", b"\x89PNG\r\n\x1a\n"), ("假图.png", b"<svg>")), "om_3", FEISHU_CARD,
    )  # fmt: skip
    message = as_message(arrival, SHANGHAI)
    assert {name: message[name] for name in ("seq", "message_id", "to", "group", "kind", "buttons", "updates")} == {
        "seq": 7,
        "message_id": "om_7",
        "to": "晓雯",
        "group": False,
        "kind": "card",
        "buttons": ["记住", "不用"],
        "updates": "om_3",
    }
    assert message["at"] == "2026-03-02T09:00:00+08:00"
    assert [(one["media_type"], one["url"]) for one in message["attachments"]] == [
        ("image/png", "/playground/api/attachment/7/0"),
        ("application/octet-stream", "/playground/api/attachment/7/1"),
    ]
    json.dumps(message)


def test_buttons_without_a_known_payload_are_still_offered() -> None:
    arrival = Arrival(1, "feishu", "feishu", "om_1", "晓雯", False, "card", "继续？", AT, ("继续", "取消"))
    assert [control["label"] for control in as_message(arrival, SHANGHAI)["controls"]] == ["继续", "取消"]


def test_what_a_person_said_looks_like_what_they_received() -> None:
    arrival = Arrival(1, "feishu", "feishu", "om_1", "晓雯", False, "text", "好", AT)
    said = as_said(2, "om_2", "feishu", "晓雯", "记得", False, "好", AT.astimezone(SHANGHAI))
    assert said.keys() == as_message(arrival, SHANGHAI).keys()
    assert (said["from"], said["at"]) == ("晓雯", "2026-03-02T09:00:00+08:00")


async def test_a_transcript_numbers_what_was_said_and_heard_together() -> None:
    transcript = Transcript(SHANGHAI)
    with transcript.subscribe() as news:
        transcript.note_said("om_1", "feishu", "晓雯", "记得", False, "生成周报", AT)
        picture = (("周报.png", b"\x89PNG\r\n\x1a\n"),)
        transcript.hear(Arrival(1, "wecom", "wecom", "w_1", "晓雯", False, "picture", "", AT, attachments=picture))
        transcript.clock_moved(AT)
        transcript.clear()
        transcript.note_said("om_2", "feishu", "晓雯", "记得", False, "又来了", AT)
        transcript.close()
        told = [(item.get("seq"), item.get("type")) async for item in news]
    assert told == [(1, None), (2, None), (None, "clock"), (None, "reset"), (1, None)]
    assert [message["text"] for message in transcript.messages(0)] == ["又来了"]
    assert transcript.messages(1) == []


def test_an_attachment_is_found_by_the_address_that_its_message_tells() -> None:
    transcript = Transcript(SHANGHAI)
    transcript.note_said("om_1", "feishu", "晓雯", "记得", False, "生成周报", AT)
    transcript.hear(
        Arrival(1, "wecom", "wecom", "w_1", "晓雯", False, "file", "", AT, attachments=(("周报.xlsx", b"x"),))
    )
    assert transcript.messages(1)[0]["attachments"][0]["url"].endswith("/attachment/2/0")
    assert transcript.attachment(2, 0) == ("周报.xlsx", b"x")
    assert transcript.attachment(2, 1) is None
    assert transcript.attachment(1, 0) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from((
            "tag", "body", "elements", "columns", "header", "title", "text", "content", "card", "data",
            "values", "chart_spec", "rows", "card_type", "button_list", "button_selection", "option_list", "main_title",
            "horizontal_content_list", "markdown", "template_card", "options", "xField", "yField", "style",
        )),
        inner | st.sampled_from(("chart", "table", "button", "select_static", "markdown", "x")),
        max_size=6,
    ),
    max_leaves=25,
)  # fmt: skip


@given(platform=st.sampled_from(("feishu", "wecom")), raw=_json)
def test_no_payload_breaks_the_page(platform: str, raw: Any) -> None:
    arrival = Arrival(1, platform, platform, "m", "晓雯", False, "card", "", AT, raw=raw)
    json.dumps(as_message(arrival, SHANGHAI))
