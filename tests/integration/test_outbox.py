"""The outbox: what was decided is delivered once, in order, however the platform behaves."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.outbox import PUSH_WAITS, UNKNOWN_LIVES
from bot.stores import outbox as rows
from bot.stores.tables import outbox as table
from bot.types import Body, Misconfigured, Paragraph, RetryLater, Unreachable, Unsendable
from config.clock import from_micros
from tests.integration.queueing import Queues, answer, queues


async def states(q: Queues) -> dict[str, int]:
    return await q.database.read(rows.count)


async def test_replies_to_one_chat_keep_their_order(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        for number in range(20):
            await q.put(answer(str(number)), f"k{number}")
        await q.settle()
        assert q.platforms["feishu"].texts == [str(number) for number in range(20)]
        assert await states(q) == {"done": 20}


async def test_back_off_doubles_to_half_a_minute_on_the_apps_clock(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [RetryLater("busy") for _ in range(8)]
        await q.put(answer("hello"), "k")
        waits = []
        await q.settle()
        while not q.platforms["feishu"].sent:
            due = await q.database.read(rows.next_due)
            assert due is not None
            waits.append(from_micros(due) - q.clock.now())
            await q.advance(waits[-1])
        assert [wait.total_seconds() for wait in waits] == [1, 2, 4, 8, 16, 30, 30, 30]
        assert await states(q) == {"done": 1}


async def test_platform_says_how_long_to_wait(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [RetryLater("429", after=timedelta(seconds=7))]
        await q.put(answer("hello"), "k")
        await q.settle()
        await q.advance(timedelta(seconds=6))
        assert q.platforms["feishu"].sent == []
        await q.advance(timedelta(seconds=1))
        assert q.platforms["feishu"].texts == ["hello"]


async def test_one_refused_chat_does_not_hold_up_another(tmp_path: Path) -> None:
    """Field fault H2."""
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [RetryLater("busy")]
        await q.put(answer("slow"), "k1")
        await q.settle()
        await q.put(answer("quick", to="on_b"), "k2", name="on_b")
        await q.settle()
        assert q.platforms["feishu"].texts == ["quick"]


async def test_repeated_send_carries_the_same_key(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        keys = []
        send = q.platforms["feishu"].send

        async def noting(to, part, key, media):  # type: ignore[no-untyped-def]
            keys.append(key)
            return await send(to, part, key, media)

        q.platforms["feishu"].send = noting  # type: ignore[method-assign]
        q.platforms["feishu"].errors = [RetryLater("timeout", unknown=True)]
        await q.put(answer("hello"), "k")
        await q.settle()
        await q.advance(timedelta(seconds=1))
        assert len(keys) == 2
        assert keys[0] == keys[1]
        assert len(keys[0]) <= 50


async def test_unknown_outcome_is_not_repeated_once_the_platform_has_forgotten_the_key(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [RetryLater("timeout", unknown=True), *(RetryLater("down") for _ in range(500))]
        await q.put(answer("hello"), "k")
        await q.settle()
        for _ in range(3 * int(UNKNOWN_LIVES / timedelta(minutes=1))):
            await q.advance(timedelta(minutes=1))
        assert await states(q) == {"dead": 1}


async def test_answer_is_retried_for_hours_when_nothing_was_sent(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [RetryLater("down") for _ in range(100)]
        await q.put(answer("hello"), "k")
        await q.settle()
        for _ in range(101):
            await q.advance(timedelta(minutes=3))
        assert q.platforms["feishu"].texts == ["hello"]


@pytest.mark.parametrize(
    "error", [Unreachable("gone"), Misconfigured("scope"), Unsendable("230022")], ids=lambda error: type(error).__name__
)
async def test_answer_refused_for_good_is_a_dead_letter(tmp_path: Path, error: Exception) -> None:
    """Field fault G8: and the next one goes out."""
    async with queues(tmp_path) as q:
        q.platforms["feishu"].errors = [error]
        await q.put(answer("lost"), "k1")
        await q.put(answer("next"), "k2")
        await q.settle()
        assert q.platforms["feishu"].texts == ["next"]
        assert await states(q) == {"dead": 1, "done": 1}


async def test_push_refused_for_good_goes_to_the_other_channel(tmp_path: Path) -> None:
    async with queues(tmp_path, other=answer("elsewhere", platform="wecom")) as q:
        q.platforms["feishu"].errors = [Unreachable("left the company")]
        await q.put(answer("report", kind="report"), "k")
        await q.settle()
        assert q.platforms["wecom"].texts == ["elsewhere"]
        assert q.platforms["feishu"].texts == []


async def test_push_refused_for_a_quarter_of_an_hour_goes_to_the_other_channel(tmp_path: Path) -> None:
    async with queues(tmp_path, other=answer("elsewhere", platform="wecom")) as q:
        q.platforms["feishu"].errors = [RetryLater("down") for _ in range(1000)]
        await q.put(answer("digest", kind="push"), "k")
        await q.settle()
        for _ in range(int(PUSH_WAITS / timedelta(seconds=30)) - 1):
            await q.advance(timedelta(seconds=30))
        assert q.platforms["wecom"].texts == []
        for _ in range(4):
            await q.advance(timedelta(seconds=30))
        assert q.platforms["wecom"].texts == ["elsewhere"]


async def test_parts_already_sent_are_not_sent_again(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        three = replace(answer(""), body=Body(tuple(Paragraph(text) for text in ("1", "2", "3"))))
        await q.put(three, "k")
        q.platforms["feishu"].errors = []
        send, calls = q.platforms["feishu"].send, []

        async def fails_at_the_third(to, part, key, media):  # type: ignore[no-untyped-def]
            calls.append(key)
            if len(calls) == 3:
                raise RetryLater("busy")
            return await send(to, part, key, media)

        q.platforms["feishu"].send = fails_at_the_third  # type: ignore[method-assign]
        await q.settle()
        await q.advance(timedelta(seconds=1))
        assert q.platforms["feishu"].texts == ["1", "2", "3"]
        assert len(calls) == 4


async def test_send_interrupted_by_a_kill_is_taken_up_after_the_restart(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.outbox.abandon()
        await q.put(answer("hello"), "k")
    async with queues(tmp_path) as q:
        await q.settle()
        assert q.platforms["feishu"].texts == ["hello"]
        assert await states(q) == {"done": 1}


async def test_our_own_rate_limit_delays_and_loses_nothing(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.platforms["feishu"].rate = (("receiver", 5, timedelta(seconds=1)),)
        for number in range(12):
            await q.put(answer(str(number)), f"k{number}")
        await q.settle()
        assert len(q.platforms["feishu"].sent) == 5
        await q.advance(timedelta(seconds=1))
        await q.advance(timedelta(seconds=1))
        assert q.platforms["feishu"].texts == [str(number) for number in range(12)]


async def test_words_are_unreadable_on_disk_and_blank_when_delivered(tmp_path: Path) -> None:
    async with queues(tmp_path) as q:
        q.outbox.abandon()
        await q.put(answer("磁盘上不能有这句话"), "k")
        on_disk = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
        assert "磁盘上不能有".encode() not in on_disk
    async with queues(tmp_path) as q:
        await q.settle()
        assert await q.database.read(lambda tx: tx.execute(select(table.c.body)).scalar_one()) is None
