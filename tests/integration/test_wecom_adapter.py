"""The adapter against the simulated platform, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.simulators.feed import Arrival, Feed
from adapters.simulators.wecom import WecomSimulator
from adapters.wecom.adapter import WecomAdapter
from adapters.wecom.client import TokenKey, WecomClient
from bot.types import (
    Account,
    Address,
    Block,
    Body,
    Chart,
    FileOut,
    Group,
    Misconfigured,
    Option,
    Paragraph,
    Part,
    Reply,
    RetryLater,
    Sent,
    Unreachable,
    Unsendable,
)
from config.clock import ManualClock
from config.platforms import WecomEntry

CORP: dict[str, Any] = {"corp_id": "ww1", "agent_id": 1000002}
SECRETS: dict[str, Any] = {"secret": "s1", "token": "t1", "aes_key": "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"}
XIAOWEN = Address(Account("wecom", "wecom", "default", "xiaowen"))
CHOICES = (Option("yes", "记住", "primary"), Option("no", "不用"))


@dataclass
class Corp:
    """A simulated corp with 晓雯 and 李雷 in it, and the adapter of its app."""

    clock: ManualClock
    feed: Feed
    simulator: WecomSimulator
    adapter: WecomAdapter

    def reply(self, *blocks: Block | str, options: tuple[Option, ...] = (), **more: Any) -> Reply:
        body = Body(tuple(Paragraph(block) if isinstance(block, str) else block for block in blocks))
        return Reply(XIAOWEN, "answer", body, options, "42" if options else None, **more)

    async def deliver(self, reply: Reply, seed: str = "row-1") -> list[Sent]:
        """What the outbox does with a row."""
        sent = []
        for number, part in enumerate(self.adapter.render(reply, seed)):
            media = await self.adapter.upload(part) if part.picture or part.file else None
            sent.append(await self.adapter.send(reply.to, part, f"{seed}-{number}", media))
        return sent

    async def say(self, text: str, seed: str = "row-1") -> Sent:
        return (await self.deliver(self.reply(text), seed))[0]

    @property
    def read(self) -> list[str]:
        return [arrival.text for arrival in self.feed.arrivals]

    @property
    def last(self) -> Arrival:
        return self.feed.arrivals[-1]


def entry(base_url: str, **changes: Any) -> WecomEntry:
    secrets = {name: SecretStr(value) for name, value in SECRETS.items()}
    return WecomEntry(**{"name": "wecom", "tenant": "default", "base_url": base_url, **CORP, **secrets, **changes})


@pytest.fixture
async def corp() -> AsyncIterator[Corp]:
    clock, feed = ManualClock(datetime(2026, 3, 2, 1, 0, tzinfo=UTC)), Feed()
    simulator = WecomSimulator(feed, clock, **CORP, **SECRETS)
    await simulator.start()
    simulator.add_person("晓雯", "XiaoWen")
    simulator.add_person("李雷", "LiLei")
    adapter = WecomAdapter(entry(simulator.base_url), clock=clock)
    await adapter.start()
    yield Corp(clock, feed, simulator, adapter)
    await adapter.close()
    await simulator.close()


# --- sending


async def test_a_text_reaches_its_member(corp: Corp) -> None:
    sent = await corp.say("早，晓雯 <b>&")
    assert (corp.last.to, corp.last.kind, corp.last.text) == ("晓雯", "text", "早，晓雯 <b>&")
    assert corp.last.message_id == sent.message_id


async def test_f2_no_long_text_is_cut_by_the_platform(corp: Corp) -> None:
    text = "待办事项" * 1000
    await corp.deliver(corp.reply(text))
    assert len(corp.read) > 1
    assert "".join(corp.read) == text


async def test_a_report_arrives_with_its_picture_and_file(corp: Corp) -> None:
    chart = Chart("bar", "本周完成", ("周一", "周二"), (3.0, 5.0))
    file = FileOut("市场部 周报.md", "# 周报".encode())
    await corp.deliver(corp.reply("周报如下", chart, attachments=(file,)))
    text, picture, document = corp.feed.arrivals
    assert text.text == "周报如下"
    assert (picture.kind, picture.attachments[0][1][:4]) == ("picture", b"\x89PNG")
    assert (document.kind, document.attachments) == ("file", (("市场部 周报.md", "# 周报".encode()),))


async def test_a_group_cannot_be_reached(corp: Corp) -> None:
    group = Address(Group("wecom", "wecom", "default", "chat"))
    (part,) = corp.adapter.render(corp.reply("早"), "row-1")
    with pytest.raises(Unreachable):
        await corp.adapter.send(group, part, "row-1-0", None)


async def test_an_empty_file_is_refused_for_good(corp: Corp) -> None:
    with pytest.raises(Unsendable):
        await corp.deliver(corp.reply(attachments=(FileOut("空.txt", b""),)))


# --- once and only once


async def test_a_repeated_row_is_seen_once_and_an_equal_text_of_another_row_again(corp: Corp) -> None:
    for seed in ("row-1", "row-1", "row-2"):
        await corp.say("好的", seed)
    assert corp.read == ["好的", "好的"]


async def test_a_card_sent_again_hours_later_is_seen_once(corp: Corp) -> None:
    question = corp.reply("需要我记住吗？", options=CHOICES)
    await corp.deliver(question)
    corp.clock.move_to(corp.clock.now() + timedelta(hours=5))
    await corp.deliver(question)
    assert len(corp.feed.arrivals) == 1


async def test_a_lost_answer_leaves_the_outcome_unknown_and_the_retry_doubles_nothing(corp: Corp) -> None:
    await corp.say("你好", "row-0")
    corp.simulator.faults.lose_answers = 1
    with pytest.raises(RetryLater) as caught:
        await corp.say("好的")
    assert caught.value.unknown
    await corp.say("好的")
    assert corp.read == ["你好", "好的"]


async def test_a_platform_that_hangs_is_given_up_after_the_timeout(corp: Corp) -> None:
    corp.simulator.faults.hang_next = 1
    client = WecomClient(TokenKey("ww1", "s1", corp.simulator.base_url), corp.clock, seconds=0.2)
    with pytest.raises(RetryLater) as caught:
        await client.post("message/send", {})
    assert not caught.value.unknown  # it hung while a token was asked for, so nothing was sent
    await client.close()


async def test_an_unreachable_platform_is_tried_again_without_doubt() -> None:
    nowhere = WecomAdapter(entry("http://127.0.0.1:9"), clock=ManualClock(datetime(2026, 3, 2, tzinfo=UTC)))
    with pytest.raises(RetryLater) as caught:
        await nowhere.send(XIAOWEN, Part("text", {"msgtype": "text", "text": {"content": "早"}}), "k", None)
    assert not caught.value.unknown
    assert "s1" not in str(caught.value)
    await nowhere.close()


async def test_an_outage_ends(corp: Corp) -> None:
    corp.simulator.outage_until = corp.clock.now() + timedelta(minutes=10)
    with pytest.raises(RetryLater) as caught:
        await corp.say("早")
    assert not caught.value.unknown  # a 5xx is a refusal
    corp.clock.move_to(corp.clock.now() + timedelta(minutes=10))
    await corp.say("早")
    assert corp.read == ["早"]


# --- errors by remedy


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-1, RetryLater),
        (45009, RetryLater),
        (60020, Misconfigured),
        (60111, Unreachable),
        (45002, Unsendable),
    ],
)
async def test_an_error_code_is_raised_as_its_remedy(corp: Corp, code: int, kind: type[Exception]) -> None:
    corp.simulator.fail_next("message/send", code)
    with pytest.raises(kind):
        await corp.say("早")
    await corp.say("早")
    assert corp.read == ["早"]


async def test_a_stranger_is_unreachable(corp: Corp) -> None:
    (part,) = corp.adapter.render(corp.reply("早"), "row-1")
    stranger = Address(Account("wecom", "wecom", "default", "nobody"))
    with pytest.raises(Unreachable):
        await corp.adapter.send(stranger, part, "row-1-0", None)


async def test_a_refused_card_arrives_as_text_that_offers_the_same(corp: Corp) -> None:
    corp.simulator.fail_next("message/send", 40058)
    await corp.deliver(corp.reply("需要我记住吗？", options=CHOICES))
    assert (corp.last.kind, corp.last.text) == ("text", "需要我记住吗？\n• 记住\n• 不用")


# --- tokens


async def test_g1_a_revoked_token_is_fetched_once_and_the_message_arrives(corp: Corp) -> None:
    await corp.say("一", "row-1")
    corp.simulator.revoke_tokens()
    await asyncio.gather(*(corp.say(f"第 {number} 条", f"row-{number}") for number in range(10, 20)))
    assert len(corp.read) == 11
    assert corp.simulator.calls["gettoken"] == 2


@pytest.mark.parametrize("code", [40014, 42001, 41001])
async def test_g1_a_token_refused_twice_is_not_fetched_again_and_again(corp: Corp, code: int) -> None:
    corp.simulator.fail_next("message/send", code, times=5)
    with pytest.raises(RetryLater):
        await corp.say("早")
    assert corp.simulator.calls["message/send"] == 2
    assert corp.simulator.calls["gettoken"] == 2


async def test_one_token_serves_many_calls_until_five_minutes_before_its_end(corp: Corp) -> None:
    await asyncio.gather(*(corp.say("早", f"row-{number}") for number in range(10)))
    corp.clock.move_to(corp.clock.now() + timedelta(minutes=114))
    await corp.say("早", "row-a")
    assert corp.simulator.calls["gettoken"] == 1
    corp.clock.move_to(corp.clock.now() + timedelta(minutes=2))
    await corp.say("早", "row-b")
    assert corp.simulator.calls["gettoken"] == 2


async def test_in_its_last_minutes_a_token_is_not_asked_for_with_every_call(corp: Corp) -> None:
    await corp.say("早", "row-a")
    corp.clock.move_to(corp.clock.now() + timedelta(minutes=115))
    for number in range(24):
        await corp.say("早", f"row-{number}")
        corp.clock.move_to(corp.clock.now() + timedelta(seconds=10))
    assert corp.simulator.calls["gettoken"] <= 6
    assert len(corp.read) == 25


async def test_g4_a_changed_secret_does_not_keep_the_old_token(corp: Corp) -> None:
    await corp.say("早")
    changed = WecomAdapter(entry(corp.simulator.base_url, secret=SecretStr("s2")), clock=corp.clock)
    (part,) = changed.render(corp.reply("早"), "row-2")
    with pytest.raises(Misconfigured, match="secret"):
        await changed.send(XIAOWEN, part, "row-2-0", None)
    await changed.close()


# --- limits


async def test_the_excess_over_thirty_a_minute_is_discarded_without_a_word(corp: Corp) -> None:
    for number in range(40):
        await corp.say(f"{number}", f"row-{number}")
    assert len(corp.read) == 30


async def test_the_adapter_names_the_limits_that_avoid_it(corp: Corp) -> None:
    limits = corp.adapter.limits(XIAOWEN)
    assert (30, timedelta(minutes=1)) in [(count, per) for _, count, per in limits]
    assert (1000, timedelta(hours=1)) in [(count, per) for _, count, per in limits]
    assert len({bucket for bucket, _, _ in limits}) == len(limits)


# --- updating cards


async def ask(corp: Corp, *blocks: str) -> Sent:
    (sent,) = await corp.deliver(corp.reply(*blocks or ("需要我记住吗？",), options=CHOICES))
    assert corp.last.buttons == ("记住", "不用")
    return sent


async def test_an_answered_card_shows_its_outcome(corp: Corp) -> None:
    sent = await ask(corp)
    await corp.adapter.update(XIAOWEN, sent, corp.reply("已记住"), None)
    assert (corp.last.updates, corp.last.buttons) == (sent.message_id, ())
    assert corp.last.text == "需要我记住吗？\n已记住"


async def test_a_longer_outcome_replaces_the_whole_card(corp: Corp) -> None:
    sent = await ask(corp)
    await corp.adapter.update(XIAOWEN, sent, corp.reply("好的，以后周报都用研发部模板。"), None)
    assert (corp.last.updates, corp.last.buttons) == (sent.message_id, ())
    assert corp.last.text.startswith("好的，以后周报都用研发部模板。")


async def test_a_used_up_code_changes_nothing_and_hurts_nobody(corp: Corp) -> None:
    sent = await ask(corp)
    await corp.adapter.update(XIAOWEN, sent, corp.reply("已记住"), None)
    await corp.adapter.update(XIAOWEN, sent, corp.reply("已过期"), None)
    assert "已过期" not in corp.last.text


async def test_a_card_older_than_three_days_stays_as_it_is(corp: Corp) -> None:
    sent = await ask(corp)
    corp.clock.move_to(corp.clock.now() + timedelta(hours=72))
    await corp.adapter.update(XIAOWEN, sent, corp.reply("已记住"), None)
    assert corp.last.updates is None


async def test_cards_keep_the_advised_lengths(corp: Corp) -> None:
    await corp.deliver(corp.reply("甲乙丙丁，" * 30, "需要我记住吗？", options=CHOICES))
    assert corp.simulator.advice == []
