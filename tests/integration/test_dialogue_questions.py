"""Questions in the dialogue: whose they are, and what becomes of them when bot.yaml changes underneath."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.app import settings_from
from bot.rehearsal.world import World
from config.documents import read
from tests.integration.talking import Conversation, conversation

SHIPPED = Path(__file__).parents[2] / "config" / "bot.yaml"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Conversation]:
    async with conversation(tmp_path) as opened:
        yield opened


async def _take_away(world: World, *path: str) -> None:
    """The admin saves bot.yaml without the entry at `path`."""
    tree: dict[str, Any] = json.loads(json.dumps(read(SHIPPED).tree))
    *above, last = path
    entry = tree
    for name in above:
        entry = entry[name]
    del entry[last]
    running = world.settings
    settings = settings_from({**tree, "platforms": {}, "storage": {"data": str(running.storage.data)}})
    await world.app.apply(settings.model_copy(update={"platforms": running.platforms}))


async def test_a_press_by_somebody_else_changes_nothing(talk: Conversation) -> None:
    """Field fault E7: the callback of a card that was for another person."""
    await talk.say("以后通知发飞书")
    await talk.say("以后通知发企业微信")
    card = next(each for each in reversed(talk.world.feed.arrivals) if "确认" in each.buttons)
    await talk.world.feishu.press("李雷", card.message_id, "确认")
    await talk.world.settle()
    assert "这不是给你的" in talk.heard()
    assert await talk.values() == {"notify_channel": "feishu"}
    assert "已更新" in await talk.press("确认")


async def test_wecom_has_no_toast_and_hears_the_same_as_a_text(talk: Conversation) -> None:
    await talk.say("以后通知发飞书", via="wecom")
    await talk.say("以后通知发企业微信", via="wecom")
    assert "已更新" in await talk.press("确认", via="wecom")
    assert "已处理" in await talk.press("确认", via="wecom")


async def test_a_typed_answer_settles_the_card_too(talk: Conversation) -> None:
    await talk.say("生成周报")
    await talk.world.feishu.say("晓雯", "市场部")
    await talk.world.settle()
    changed = [each for each in talk.arrived() if each.updates is not None]
    assert len(changed) == 1
    assert "✓ 市场部" in changed[0].text
    assert not changed[0].buttons


async def test_a_lapsed_card_loses_its_buttons_when_it_is_pressed(talk: Conversation) -> None:
    await talk.say("生成周报")
    await talk.world.advance(talk.world.clock.now().replace(hour=12))
    talk.arrived()
    await talk.world.press("晓雯", "feishu", talk.world.feed.arrivals[-1].message_id, "市场部")
    await talk.world.settle()
    arrived = talk.arrived()
    assert any("已过期" in each.text and each.kind == "toast" for each in arrived)
    assert any(each.updates is not None and not each.buttons for each in arrived)


@pytest.mark.parametrize(
    ("sentences", "label"),
    [
        (["以后周报用市场部模板", "生成周报"], "继续"),
        (["生成周报", "折线图"], "市场部"),
        (["生成周报，用市场部模板"], "记住"),
        (["以后周报用研发部模板", "以后周报用市场部模板"], "确认"),
    ],
)
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "pressed"])
async def test_a_question_about_a_value_that_is_gone_gets_words(
    talk: Conversation, sentences: list[str], label: str, typed: bool
) -> None:
    for sentence in sentences:
        await talk.say(sentence)
    await _take_away(talk.world, "catalog", "preferences", "report_template", "values", "market")
    heard = await (talk.say(label) if typed else talk.press(label))
    assert "已经没有" in heard
    assert "market" not in heard
    assert not any(record.value == "market" for record in await talk.remembered() if record.uses)
    assert talk.world.app.inbox.failures == 0


async def test_a_question_about_a_task_that_is_gone_gets_words(talk: Conversation) -> None:
    await talk.say("以后周报用市场部模板")
    await talk.say("生成周报")
    await _take_away(talk.world, "catalog", "tasks", "report", "kinds", "weekly")
    assert "已经没有" in await talk.press("继续")
    assert "没有刚做好的结果" in await talk.say("换成折线图")


async def test_a_stored_value_that_bot_yaml_dropped_is_asked_for_again(talk: Conversation) -> None:
    await talk.say("以后周报用市场部模板")
    await _take_away(talk.world, "catalog", "preferences", "report_template", "values", "market")
    heard = await talk.say("生成周报")
    assert "以前记的模板已经不提供了" in heard
    assert "研发部模板" in await talk.say("研发部")
    assert "已记住" in await talk.press("记住")
    assert await talk.values() == {"report_template": "rd"}


async def test_destructive_words_that_arrive_late_are_confirmed(talk: Conversation) -> None:
    """Field fault A5: typed while the bot was down, delivered two hours later."""
    await talk.say("以后通知发飞书")
    sent_at = talk.world.clock.now()
    await talk.world.advance(sent_at.replace(hour=12))
    heard = await talk.say("清除所有关于我的偏好", sent_at=sent_at)
    assert "要清除" in heard
    assert await talk.values() == {"notify_channel": "feishu"}
