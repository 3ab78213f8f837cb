"""What the door promises about forgetting, restoring and growing old, on every database engine."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from memory.catalog import Catalog
from memory.stores.tables import receipts
from memory.types import Preference, Situation
from tests.contract.desk import MONTHLY, URGENT, WEEKLY, XIAOWEN, Desk, pref


class TestForgettingAndRestoring:
    async def test_a_forgotten_key_is_gone_in_every_scene(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"), pref("notify_channel", "sms", URGENT), pref("note", "x"))
        await desk.forget("notify_channel")
        assert await desk.holds() == {"note": "x"}
        assert await desk.recall("notify_channel") is None

    async def test_restoring_brings_value_and_scene_back(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market", WEEKLY))
        await desk.tell(pref("report_template", "ops", WEEKLY))
        back = await desk.restore_newest()
        assert (back.value, back.scene, back.status) == ("market", WEEKLY, "active")
        assert await desk.holds() == {"report_template@weekly": "market"}
        assert await desk.archived() == [("replaced", "ops")]

    async def test_restoring_what_is_in_force_again_changes_nothing(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market"))
        await desk.tell(pref("report_template", "ops"))
        await desk.tell(pref("report_template", "market"))
        await desk.tell(pref("report_template", "rd"))
        await desk.tell(pref("report_template", "market"))  # archive: rd, market, ops, market
        older = (await desk.read(lambda memory: memory.archived(XIAOWEN, desk.now)))[1]
        await desk.run(lambda memory: memory.restore(XIAOWEN, older.id, desk.now))
        assert await desk.holds() == {"report_template": "market"}
        assert await desk.archived() == [("replaced", "rd"), ("replaced", "ops"), ("replaced", "market")]

    async def test_a_restored_exclusion_displaces_the_value_that_it_excludes(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "sms", mode="exclude"))
        await desk.forget("notify_channel")
        await desk.tell(pref("notify_channel", "sms"))
        await desk.restore_newest()
        assert await desk.holds() == {"notify_channel!": "sms"}

    async def test_a_forgotten_memory_can_be_restored_for_thirty_days(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"))
        await desk.forget("notify_channel", note="换工作了")
        (kept,) = await desk.read(lambda memory: memory.archived(XIAOWEN, desk.now, "notify_channel"))
        assert (kept.note, kept.record.status) == ("换工作了", "archived")
        desk.now += timedelta(days=30)
        assert len(await desk.archived()) == 1
        desk.now += timedelta(seconds=1)
        assert await desk.archived() == []
        with pytest.raises(LookupError):
            await desk.run(lambda memory: memory.restore(XIAOWEN, kept.id, desk.now))

    async def test_a_value_that_the_catalog_dropped_is_not_restored(self, desk: Desk) -> None:
        await desk.tell(pref("note", "x"))
        await desk.forget("note")
        desk.catalog = Catalog.from_mapping({"preferences": {}})
        with pytest.raises(ValueError, match="note"):
            await desk.restore_newest()
        assert len(await desk.archived()) == 1

    async def test_the_archive_is_listed_newest_first_and_by_key(self, desk: Desk) -> None:
        for value in ("market", "rd", "ops"):
            await desk.tell(pref("report_template", value), pref("note", value))
        assert await desk.archived() == [("replaced", "rd"), ("replaced", "market")]
        assert await desk.read(lambda memory: memory.archived(XIAOWEN, desk.now, "note")) == ()

    async def test_erasing_everything_leaves_a_receipt_without_content(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market"), pref("note", "x"))
        await desk.tell(pref("report_template", "rd"))
        await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", "研发", {"report_template": "rd"}, desk.now))
        await desk.run(lambda memory: memory.refuse(XIAOWEN, pref("report_template", "ops"), desk.now))
        assert await desk.run(lambda memory: memory.forget_everything(XIAOWEN, desk.now)) == 2

        assert await desk.holds() == {}
        assert await desk.archived() == []
        assert await desk.read(lambda memory: memory.aliases(XIAOWEN)) == ()
        offer = pref("report_template", "ops")
        assert not await desk.read(lambda memory: memory.is_refused(XIAOWEN, offer, desk.now))
        (receipt,) = await desk.database.read(lambda tx: tx.execute(select(receipts)).all())
        assert (receipt.person, receipt.erased) == (XIAOWEN.id, 2)


class TestAgeing:
    async def test_ninety_unused_days_make_a_memory_stale(self, desk: Desk) -> None:
        (record,) = await desk.tell(pref("report_template", "market", WEEKLY))
        for days, stale in ((90, False), (91, True)):
            desk.now = record.used_at + timedelta(days=days)
            asked = Situation(desk.now, task="weekly")
            found = await desk.read(lambda memory, at=asked: memory.recall(XIAOWEN, "report_template", at))  # type: ignore[misc]
            assert found is not None
            assert found.stale is stale

    @pytest.mark.parametrize("act", ["used", "refreshed", "repeated"])
    async def test_use_and_confirmation_keep_it_awake(self, desk: Desk, act: str) -> None:
        (record,) = await desk.tell(pref("report_template", "market"))
        desk.now += timedelta(days=95)
        if act == "used":
            await desk.run(lambda memory: memory.mark_used(XIAOWEN, (record.id,), desk.now))
        elif act == "refreshed":
            await desk.run(lambda memory: memory.refresh(XIAOWEN, record.id, desk.now))
        else:
            await desk.tell(pref("report_template", "market"))
        desk.now += timedelta(days=45)
        (awake,) = await desk.read(lambda memory: memory.active(XIAOWEN, desk.now))
        assert awake.status == "active"
        assert awake.uses == (1 if act == "used" else 0)

    async def test_refreshing_what_is_gone_does_nothing(self, desk: Desk) -> None:
        assert await desk.run(lambda memory: memory.refresh(XIAOWEN, "no such record", desk.now)) is None

    async def test_a_refused_offer_is_not_repeated_for_ninety_days(self, desk: Desk) -> None:
        offer = pref("report_template", "rd", WEEKLY)
        await desk.run(lambda memory: memory.refuse(XIAOWEN, offer, desk.now))

        async def refused(one: Preference) -> bool:
            return await desk.read(lambda memory: memory.is_refused(XIAOWEN, one, desk.now))

        assert await refused(offer)
        assert not await refused(pref("report_template", "rd", MONTHLY))
        assert not await refused(pref("report_template", "ops", WEEKLY))
        desk.now += timedelta(days=90)
        assert not await refused(offer)
        await desk.run(lambda memory: memory.refuse(XIAOWEN, offer, desk.now))
        assert await refused(offer)
