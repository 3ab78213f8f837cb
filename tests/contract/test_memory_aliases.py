"""What the door promises about variants that people teach, on every database engine."""

from __future__ import annotations

import pytest

from memory.types import Value
from tests.contract.desk import WEEKLY, XIAOWEN, Desk, pref


class TestAliases:
    async def test_a_taught_variant_stands_for_its_values(self, desk: Desk) -> None:
        values: dict[str, Value] = {"report_template": "rd", "notify_channel": ("feishu", "wecom")}
        taught = await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", "研发", values, desk.now))
        assert await desk.read(lambda memory: memory.aliases(XIAOWEN, "weekly")) == (taught,)
        assert await desk.read(lambda memory: memory.aliases(XIAOWEN, "monthly")) == ()

    async def test_teaching_a_variant_again_replaces_it(self, desk: Desk) -> None:
        for value in ("rd", "ops"):
            await desk.run(
                lambda memory, v=value: memory.teach(  # type: ignore[misc]
                    XIAOWEN, "weekly", "研发", {"report_template": v}, desk.now
                )
            )
        (alias,) = await desk.read(lambda memory: memory.aliases(XIAOWEN))
        assert alias.values == {"report_template": "ops"}

    async def test_an_alias_stays_when_the_preference_changes(self, desk: Desk) -> None:
        await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", "研发", {"report_template": "rd"}, desk.now))
        await desk.tell(pref("report_template", "market", WEEKLY))
        await desk.forget("report_template")
        assert len(await desk.read(lambda memory: memory.aliases(XIAOWEN))) == 1

    async def test_a_variant_can_be_untaught(self, desk: Desk) -> None:
        await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", "研发", {"report_template": "rd"}, desk.now))
        assert await desk.run(lambda memory: memory.unteach(XIAOWEN, "weekly", "研发", desk.now))
        assert not await desk.run(lambda memory: memory.unteach(XIAOWEN, "weekly", "研发", desk.now))

    async def test_a_variant_of_a_wrong_value_is_not_taught(self, desk: Desk) -> None:
        with pytest.raises(ValueError, match="report_template"):
            await desk.run(lambda memory: memory.teach(XIAOWEN, "weekly", "研发", {"report_template": "?"}, desk.now))
