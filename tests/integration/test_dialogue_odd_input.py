"""Odd input through the whole bot: it is understood, kept as it is, or refused in words; never an error."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.rehearsal.scenario import Actor
from bot.types import Address, Message
from tests.integration.talking import Conversation, conversation

PLATFORMS = ("feishu", "wecom")
FAMILY = "👨\u200d👩\u200d👧"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Conversation]:
    async with conversation(tmp_path) as opened:
        yield opened
        assert opened.world.app.inbox.failures == 0


@pytest.mark.parametrize("via", PLATFORMS)
@pytest.mark.parametrize("text", ["", " ", "\n", "\u200b", "\u2060\ufeff"])
async def test_nothing_said_is_answered_with_silence(talk: Conversation, text: str, via: str) -> None:
    assert await talk.say(text, via=via) == ""


async def test_only_the_mention_is_greeted_once(talk: Conversation) -> None:
    """Field fault D6."""
    heard = await talk.say("", group="项目群", mention=True)
    assert heard.count("私聊") == 1


@pytest.mark.parametrize("via", PLATFORMS)
@pytest.mark.parametrize(
    "text", ["😀", FAMILY, "？？？", "。", "123", "\u202eabc", "'; DROP TABLE memories; --", "{name} {0} %s"]
)
async def test_what_means_nothing_is_answered_and_not_kept(talk: Conversation, text: str, via: str) -> None:
    assert await talk.say(text, via=via)
    assert await talk.remembered() == ()


@pytest.mark.parametrize("via", PLATFORMS)
@pytest.mark.parametrize(
    "value",
    [
        f"我家的表情是{FAMILY}",
        "暗号是'; DROP TABLE memories; --",
        "模板写成{name}和{0}",
        "名字是cafe\u0301",
        "客户叫\u202eabc",
        "表情是𝄞🀄",
    ],
)
async def test_a_note_is_kept_and_shown_as_it_was_written(talk: Conversation, value: str, via: str) -> None:
    """Field faults D1 and K6."""
    await talk.say(f"记住，{value}", via=via)
    assert [str(record.value)[-len(value) :] for record in await talk.remembered()] == [value]
    assert value in await talk.say("你记住了什么", via=via)


@pytest.mark.parametrize("via", PLATFORMS)
async def test_ten_thousand_characters_are_refused_in_words(talk: Conversation, via: str) -> None:
    heard = await talk.say("记住，我喜欢" + "很长的话" * 2500, via=via)
    assert "太长" in heard
    assert await talk.remembered() == ()


@pytest.mark.parametrize("markup", ['<at user_id="all"></at>', "<at id=all></at>", "@所有人"])
async def test_nobody_is_pinged_by_what_was_remembered(talk: Conversation, markup: str) -> None:
    """Feishu reads such tags in texts and cards; in texts of a WeCom app nothing is one."""
    await talk.say(f"记住，会议的暗号是{markup}")
    await talk.say("你记住了什么")
    await talk.say(f"以后叫你{markup}")
    sent = [json.dumps(arrival.raw, ensure_ascii=False, default=str) for arrival in talk.world.feed.arrivals]
    assert len(sent) == 3
    assert not any("<at" in each for each in sent)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\u2060/记忆\u2060", "没有记住"),
        ("清除所有\u200b关于我的\u200e偏好", "没有记住"),
        ("\ufeff你\u00a0记住了什么\u3000", "没有记住"),
        ("／help", "告诉我一次"),
        ("早！", "今天"),
    ],
)
async def test_odd_spellings_of_commands_are_recognised(talk: Conversation, text: str, wanted: str) -> None:
    """Field faults D1 and D2."""
    assert wanted in await talk.say(text)


@pytest.mark.parametrize("answer", ["确 认", "确认\u200b", "是\ufeff", "ＯＫ", "👌", "確認"])
async def test_odd_spellings_of_a_yes_are_recognised(talk: Conversation, answer: str) -> None:
    await talk.say("以后通知发飞书")
    await talk.say("以后通知发企业微信")
    assert "已更新" in await talk.say(answer)


@pytest.mark.parametrize("kind", ["image", "file", "voice", "video", "location"])
async def test_other_kinds_are_answered_politely_in_wecom(talk: Conversation, kind: str) -> None:
    await talk.world.wecom.say("晓雯", "报告.docx", kind=kind)
    await talk.world.settle()
    assert "看得懂文字" in talk.heard()


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("image", {"image_key": "i1"}),
        ("file", {"file_key": "f1", "file_name": "../../周报 .docx"}),
        ("audio", {"file_key": "a1", "duration": 1200}),
        ("sticker", {"file_key": "s1"}),
        ("media", {"file_key": "v1", "image_key": "i1", "file_name": "a.mp4"}),
    ],
)
async def test_other_kinds_are_answered_politely_in_feishu(
    talk: Conversation, kind: str, content: dict[str, object]
) -> None:
    """Field fault D21."""
    await talk.world.feishu.say("晓雯", "", kind=kind, content=content)
    await talk.world.settle()
    assert "看得懂文字" in talk.heard()


@pytest.mark.parametrize("text", ["不要记住这个", "你会记住吗？", "“以后都用表格”这句话是张总说的", "张总不喜欢表格"])
async def test_only_ones_own_wish_is_kept(talk: Conversation, text: str) -> None:
    """Field fault K3."""
    assert await talk.say(text)
    assert await talk.remembered() == ()


async def test_case_variants_of_a_wecom_id_are_one_person_and_others_see_nothing(tmp_path: Path) -> None:
    """Field fault K1."""
    xiaowen = Actor("晓雯", {"wecom": "UA"})
    other = Actor("李雷", {"wecom": "UB", "feishu": "ua"})
    async with conversation(tmp_path, xiaowen, other) as talk:
        await talk.say("记住，我喜欢用表格", via="wecom")
        talk.world.wecom.add_person("晓雯", "ua")
        assert "表格" in await talk.say("你记住了什么", via="wecom")
        for via in PLATFORMS:
            assert "没有记住" in await talk.say("你记住了什么", who="李雷", via=via)
        assert "表格" not in await talk.say("你记住了什么", who="李雷", via="feishu", group="项目群", mention=True)


@pytest.mark.parametrize("text", ["记住，半个\ud83d字符", "\ud83d是什么", "以后叫你\udc00小记", "生成\ud83d周报"])
async def test_half_a_character_does_no_harm(talk: Conversation, text: str) -> None:
    """Field fault K6: Python's json reads `\\ud83d` as half a character, which no UTF-8 text can hold."""
    account = talk.world.account("晓雯", "feishu")
    message = Message("om_half", Address(account), account, "text", text, talk.world.clock.now())
    await talk.world.app.inbox.accept(message)
    await talk.world.settle()
    assert talk.heard()
    for via in PLATFORMS:
        assert "记住" in await talk.say("你记住了什么", via=via)
    assert (await talk.world.app.stats())["outbox"].keys() <= {"done"}
