"""`jide doctor`: each thing that can be wrong is found and comes with what would help; nobody gets a message."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from adapters.feishu import checking as feishu
from adapters.simulators.wecom_faults import Failure
from adapters.wecom import checking as wecom
from bot import doctoring
from bot.app import CHECKS
from bot.doctoring import Finding
from bot.rehearsal.world import World
from config.clock import ManualClock
from config.documents import dump
from memory.keyring import MASTER_FILE
from tests.integration.talking import START, XIAOWEN, ZONE

REACH: dict[str, doctoring.Reach] = {"feishu": feishu.check, "wecom": wecom.check}


class Patient:
    """A configured bot that is not running, with its platforms."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.config = folder / "bot.yaml"
        self.data = folder / "data"
        self.config.write_text(dump(world._mapping()), encoding="utf-8")

    def spoil(self, was: str, now: str) -> None:
        text = self.config.read_text(encoding="utf-8")
        assert was in text
        self.config.write_text(text.replace(was, now), encoding="utf-8")

    async def findings(self, now: datetime = START) -> list[Finding]:
        return [each async for each in doctoring.examine(self.config, CHECKS, REACH, ManualClock(now))]

    async def wrong(self) -> list[tuple[str, str]]:
        return [(each.subject, each.says) for each in await self.findings() if each.level == "wrong"]

    async def note(self, subject: str, now: datetime = START) -> str:
        return next(each.says for each in await self.findings(now) if (each.subject, each.level) == (subject, "note"))


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Patient]:
    world = World(ManualClock(START), (XIAOWEN,), tmp_path / "data")
    await world.open()
    await world.say("晓雯", "feishu", "以后周报用市场部模板")
    await world.settle()
    await world.app.close()
    world.feed.arrivals.clear()
    yield Patient(world, tmp_path)
    for simulator in world.simulators:
        await simulator.close()


async def test_a_healthy_bot_is_told_so_and_nobody_is_written_to(
    patient: Patient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await doctoring.run(patient.config, CHECKS, REACH, ManualClock(START)) == 0
    out = capsys.readouterr().out
    assert [line[0] for line in out.splitlines()[:-1]] == ["✓"] * 8
    assert out.splitlines()[-1] == "都好"
    assert patient.world.feed.arrivals == []


async def test_it_can_look_while_the_bot_runs(patient: Patient) -> None:
    await patient.world._start_app()
    assert await patient.wrong() == []
    await patient.world.app.close()


async def test_a_bad_config_is_all_there_is_to_say(patient: Patient) -> None:
    patient.spoil("port: ", "prot: ")
    ((subject, says),) = await patient.wrong()
    assert subject == "配置"
    assert "server.prot: 没有这个键，是不是 port？" in says


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        (99991672, "应用缺少权限，请到开发者后台“权限管理”里开通并发布版本"),
        (99991401, "本机 IP 不在应用的白名单里"),
        (230006, "应用没有开启机器人能力"),
    ],
)
async def test_what_feishu_misses_is_named(patient: Patient, code: int, cure: str) -> None:
    patient.world.feishu.fail_next("/im/v1/messages", code)
    ((subject, says),) = await patient.wrong()
    assert subject == "feishu"
    assert cure in says


async def test_a_wrong_feishu_secret_is_told_without_it(patient: Patient) -> None:
    patient.spoil("simulated-secret", "another-secret")
    wrong = dict(await patient.wrong())
    assert "重新复制" in wrong["feishu"]
    assert "重新复制" in wrong["wecom"]
    assert "another-secret" not in str(wrong)


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        (60020, "把服务器出口 IP 加入应用的企业可信IP"),
        (40056, "agent_id 不对"),
        (50003, "应用已停用"),
    ],
)
async def test_what_wecom_misses_is_named(patient: Patient, code: int, cure: str) -> None:
    patient.world.wecom.faults.scripted["message/send"].append(Failure(code))
    ((subject, says),) = await patient.wrong()
    assert subject == "wecom"
    assert cure in says


async def test_a_platform_out_of_reach_is_told(patient: Patient) -> None:
    await patient.world.feishu.close()
    ((subject, says),) = await patient.wrong()
    assert subject == "feishu"
    assert "检查网络" in says


async def test_a_master_key_that_others_can_read_is_wrong(patient: Patient) -> None:
    (patient.data / MASTER_FILE).chmod(0o644)
    ((subject, says),) = await patient.wrong()
    assert (subject, says.partition("：")[2].startswith("chmod 600")) == ("主密钥", True)


async def test_a_lost_master_key_is_told(patient: Patient) -> None:
    (patient.data / MASTER_FILE).unlink()
    assert (await patient.wrong())[0][1].endswith("从备份放回来；没有它，已有的记忆打不开")


async def test_damage_inside_the_file_is_found(patient: Patient) -> None:
    file = patient.data / "jide.db"
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 2)
        opened.write(b"\xff" * (size // 4))
    assert "数据库" in dict(await patient.wrong())


async def test_an_office_that_has_not_started_yet_is_told_so(patient: Patient) -> None:
    patient.spoil(str(patient.data), str(patient.data / "new"))
    assert "第一次 jide serve" in await patient.note("数据库")
    assert not (patient.data / "new").exists()


async def test_a_year_whose_make_up_days_are_unknown_is_noted(patient: Patient) -> None:
    says = await patient.note("日历", datetime(2026, 12, 1, tzinfo=ZONE))
    assert says.startswith("没有 2027 年的调休安排")
