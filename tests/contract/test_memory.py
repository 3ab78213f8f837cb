"""What the door promises about remembering, on every database engine."""

from __future__ import annotations

import pytest

from memory.types import Preference, Scene, Situation
from tests.contract.desk import MONTHLY, REPORT, URGENT, WEEKLY, XIAOWEN, Desk, pref


class TestRemembering:
    async def test_a_new_value_is_recalled(self, desk: Desk) -> None:
        assert await desk.effects(pref("notify_channel", "wecom")) == ["new"]
        (record,) = await desk.tell(pref("notify_channel", "wecom"))
        assert (record.source, record.score, record.created_at) == ("told", 10, desk.now)
        assert await desk.holds() == {"notify_channel": "wecom"}
        assert await desk.recall("notify_channel") == "wecom"

    async def test_every_kind_of_value_comes_back_as_it_was(self, desk: Desk) -> None:
        value = ("feishu", "sms")
        (record,) = await desk.tell(pref("notify_channel", value, Scene(task="weekly", project="灯塔")))
        assert await desk.read(lambda memory: memory.active(XIAOWEN, desk.now)) == (record,)

    async def test_saying_the_same_again_changes_only_when_it_was_used(self, desk: Desk) -> None:
        (first,) = await desk.tell(pref("notify_channel", ("feishu", "sms")))
        assert await desk.effects(pref("notify_channel", ("sms", "feishu"))) == ["same"]
        (again,) = await desk.tell(pref("notify_channel", ("sms", "feishu")))
        assert again.used_at > first.used_at
        assert (again.id, again.value, again.uses, again.version) == (first.id, first.value, 0, 1)
        assert await desk.archived() == []

    @pytest.mark.parametrize("text", ["👌🏽", "\ud83d", "a\0b", "\u202e右", "a;b=c", "字" * 2000, " "])
    async def test_odd_text_survives(self, desk: Desk, text: str) -> None:
        await desk.tell(pref("note", text, Scene(project=text)))
        await desk.forget("note", note=text)
        await desk.restore_newest()
        (record,) = await desk.read(lambda memory: memory.active(XIAOWEN, desk.now))
        assert (record.value, record.scene["project"]) == (text, text)

    async def test_an_override_archives_the_old_value_and_nothing_else(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market", WEEKLY), pref("report_template", "rd", MONTHLY))
        assert await desk.effects(pref("report_template", "ops", WEEKLY)) == ["replace"]
        await desk.tell(pref("report_template", "ops", WEEKLY))
        assert await desk.holds() == {"report_template@weekly": "ops", "report_template@monthly": "rd"}
        assert await desk.archived() == [("replaced", "market")]

    async def test_a_proposal_names_what_it_would_replace(self, desk: Desk) -> None:
        (old,) = await desk.tell(pref("report_template", "market"))
        (proposal,) = await desk.read(
            lambda memory: memory.propose(XIAOWEN, (pref("report_template", "rd"),), desk.now)
        )
        assert proposal.replaces == old
        assert await desk.holds() == {"report_template": "market"}

    async def test_another_scene_is_a_new_dimension(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "feishu"))
        assert await desk.effects(pref("notify_channel", "sms", URGENT)) == ["new"]

    async def test_an_added_value_makes_a_list_without_asking(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "feishu"))
        added = pref("notify_channel", "wecom", mode="add")
        assert await desk.effects(added) == ["add"]
        await desk.tell(added)
        assert await desk.holds() == {"notify_channel": ("feishu", "wecom")}
        assert await desk.effects(added) == ["same"]
        assert await desk.archived() == []

    async def test_a_value_added_in_a_scene_joins_the_wider_one(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "feishu"))
        await desk.tell(pref("notify_channel", "email", WEEKLY, "add"))
        assert await desk.recall("notify_channel", task="weekly") == ("feishu", "email")
        assert await desk.recall("notify_channel", task="monthly") == "feishu"

    async def test_a_value_added_to_a_key_that_takes_one_is_an_override(self, desk: Desk) -> None:
        await desk.tell(pref("report_template", "market"))
        assert await desk.effects(pref("report_template", "rd", mode="add")) == ["replace"]
        await desk.tell(pref("report_template", "rd", mode="add"))
        assert await desk.holds() == {"report_template": "rd"}

    async def test_an_exclusion_beside_a_positive_value_is_dropped(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "wecom"), pref("notify_channel", "feishu", mode="exclude"))
        assert await desk.holds() == {"notify_channel": "wecom"}

    async def test_lone_exclusions_are_a_record_of_their_own(self, desk: Desk) -> None:
        assert await desk.effects(pref("notify_channel", "feishu", mode="exclude")) == ["exclude"]
        await desk.tell(pref("notify_channel", "feishu", mode="exclude"))
        await desk.tell(pref("notify_channel", "sms", mode="exclude"))
        assert await desk.holds() == {"notify_channel!": ("feishu", "sms")}

    async def test_an_exclusion_is_no_value_but_keeps_defaults_out(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "feishu", mode="exclude"))
        assert await desk.recall("notify_channel") is None
        asked = Situation(desk.now)
        assert await desk.read(lambda memory: memory.excluded(XIAOWEN, "notify_channel", asked)) == ("feishu",)

    async def test_excluding_the_value_in_force_is_an_override(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", "feishu"))
        excluded = pref("notify_channel", "feishu", mode="exclude")
        assert await desk.effects(excluded) == ["replace"]
        await desk.tell(excluded)
        assert await desk.holds() == {"notify_channel!": "feishu"}
        assert await desk.archived() == [("replaced", "feishu")]

    async def test_excluding_one_of_several_leaves_the_others(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", ("feishu", "sms", "wecom")))
        await desk.tell(pref("notify_channel", "sms", mode="exclude"))
        assert await desk.holds() == {"notify_channel": ("feishu", "wecom")}

    async def test_a_value_that_was_excluded_is_an_override(self, desk: Desk) -> None:
        await desk.tell(pref("notify_channel", ("feishu", "sms"), mode="exclude"))
        assert await desk.effects(pref("notify_channel", "feishu")) == ["replace"]
        assert await desk.effects(pref("notify_channel", "wecom")) == ["new"]
        await desk.tell(pref("notify_channel", "feishu"))
        assert await desk.holds() == {"notify_channel": "feishu", "notify_channel!": "sms"}

    async def test_a_sweeping_statement_names_and_archives_narrower_records(self, desk: Desk) -> None:
        await desk.tell(
            pref("report_template", "market", WEEKLY),
            pref("report_template", "rd", MONTHLY),
            pref("report_template", "ops", URGENT),
        )
        said = (pref("report_template", "rd", REPORT),)
        (plain,) = await desk.read(lambda memory: memory.propose(XIAOWEN, said, desk.now))
        (sweeping,) = await desk.read(lambda memory: memory.propose(XIAOWEN, said, desk.now, sweeping=True))
        assert plain.narrower == ()
        assert [record.scene for record in sweeping.narrower] == [WEEKLY]
        await desk.tell(*said, sweeping=True)
        assert await desk.holds() == {
            "report_template@monthly": "rd",
            "report_template@urgent": "ops",
            "report_template@report": "rd",
        }
        assert await desk.archived() == [("replaced", "market")]

    async def test_notes_stand_side_by_side_and_repeat_only_themselves(self, desk: Desk) -> None:
        await desk.tell(pref("note", "老板是张总"), pref("note", "王芳管报销"))
        assert await desk.effects(pref("note", "老板是张总")) == ["same"]
        await desk.tell(pref("note", "老板是张总"))
        records = await desk.read(lambda memory: memory.active(XIAOWEN, desk.now))
        assert {record.value for record in records} == {"老板是张总", "王芳管报销"}
        assert len(records) == 2

    @pytest.mark.parametrize("wrong", [pref("notify_channel", "pigeon"), pref("shoe_size", "42"), pref("note", 7)])
    async def test_what_the_catalog_does_not_know_is_not_stored(self, desk: Desk, wrong: Preference) -> None:
        with pytest.raises(ValueError, match=wrong.key):
            await desk.tell(wrong)
        assert await desk.holds() == {}

    async def test_a_yes_that_comes_late_meets_what_has_changed_since(self, desk: Desk) -> None:
        said = (pref("report_template", "rd"),)
        (late,) = await desk.read(lambda memory: memory.propose(XIAOWEN, said, desk.now))
        await desk.tell(pref("report_template", "market"))
        await desk.run(lambda memory: memory.remember(XIAOWEN, late, source="told", now=desk.now))
        assert await desk.holds() == {"report_template": "rd"}
        assert await desk.archived() == [("replaced", "market")]
