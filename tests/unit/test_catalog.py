"""The catalog of bot.yaml: what it offers the dialogue, what it lets into memory, what it says about a wrong file."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from memory.catalog import Catalog
from memory.types import ALWAYS, Preference, Scene, Value

SECTION: dict[str, Any] = yaml.safe_load(Path("config/bot.yaml").read_text(encoding="utf-8"))["catalog"]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.from_mapping(SECTION)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("report_template", "market", "市场部"),
        ("report_template", "legal_v2", "法务部V2"),
        ("report_template", "closed_down", "closed_down"),
        ("notify_channel", "wecom", "企业微信"),
        ("notify_channel", ("feishu", "sms"), "飞书、短信"),
        ("hide_completed", True, "不显示"),
        ("hide_completed", False, "显示"),
        ("reminder_lead", 15, "15 分钟"),
        ("email_signature", "蓝底白字", "蓝底白字"),
        ("no_longer_there", "x", "x"),
    ],
)
def test_values_are_said_in_chinese(catalog: Catalog, key: str, value: Value, said: str) -> None:
    assert catalog.value_name(key, value) == said


def test_only_values_with_a_file_are_offered(catalog: Catalog) -> None:
    assert catalog.option_values("report_template") == ("default", "market", "rd", "ops")
    assert catalog.option_values("chart_type") == ("bar", "line", "pie")


def test_short_names_stand_for_values(catalog: Catalog) -> None:
    assert catalog.value_for_short("report_template", "研发") == "rd"
    assert catalog.value_for_short("report_template", "客户") is None


def test_a_version_falls_back_to_its_base(catalog: Catalog) -> None:
    assert catalog.base_value("report_template", "market_v3") == "market"
    assert catalog.value_file("report_template", "market_v3") is None
    assert catalog.value_file("report_template", "market") is not None


def test_tasks_name_their_runs_and_wider_scenes(catalog: Catalog) -> None:
    assert catalog.task_title("report", {"report_kind": "weekly"}) == "生成周报"
    assert catalog.task_title("report", {"report_kind": "weekly", "variant": "研发"}) == "生成研发周报"
    assert catalog.parents("weekly") == ("report",)
    assert catalog.parents("digest") == ()
    report = catalog.task("report")
    assert report is not None
    assert [slot.name for slot in report.slots if slot.prompt] == ["report_template"]
    assert report.kind_slot == "report_kind"
    assert catalog.task("no_such_task") is None


def test_scenes_are_said_in_chinese(catalog: Catalog) -> None:
    assert catalog.scene_name(Scene(task="weekly", time="off_hours")) == "周报、非工作时间"
    assert catalog.scene_name(Scene(time="09:00-12:00", project="A")) == "09:00-12:00、A"
    assert catalog.scene_name(ALWAYS) == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("notify_channel", "wecom"),
        ("notify_channel", ("wecom", "email")),
        ("report_template", "market_v3"),
        ("hide_completed", True),
        ("digest_time", "08:30"),
        ("quiet_hours", "22:00-08:00"),
        ("reminder_lead", 15),
        ("recipients", "李总"),
        ("recipients", ("李总", "王芳")),
        ("note", "老板是张总"),
    ],
)
def test_valid_values_may_be_stored(catalog: Catalog, key: str, value: Value) -> None:
    catalog.validate(Preference(key, value))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("notify_channel", "pigeon"),
        ("notify_channel", ()),
        ("chart_type", ("bar", "line")),
        ("chart_type", "bar_v2"),
        ("report_template", "market_vx"),
        ("hide_completed", "yes"),
        ("digest_time", "8:30"),
        ("digest_time", "25:00"),
        ("quiet_hours", "22:00"),
        ("reminder_lead", -1),
        ("reminder_lead", "15"),
        ("note", ""),
        ("no_such_key", "x"),
    ],
)
def test_other_values_are_refused_naming_the_key(catalog: Catalog, key: str, value: Value) -> None:
    with pytest.raises(ValueError, match=key):
        catalog.validate(Preference(key, value))


def _broken(path: tuple[str, ...], value: object) -> dict[str, Any]:
    section = deepcopy(SECTION)
    place: Any = section
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return section


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("preferences", "theme", "colour"), "red", "colour"),
        (("preferences", "theme", "values"), {}, "choice"),
        (("preferences", "note", "values"), {"x": {"name": "x"}}, "choice"),
        (("preferences", "hide_completed", "enabled"), None, "flag"),
        (("preferences", "chart_type", "default"), "tower", "tower"),
        (("preferences", "digest_time", "tasks"), ["lunch"], "lunch"),
        (("tasks", "report", "slots"), {"paper": {}}, "paper"),
        (("tasks", "todo", "scene"), "lunch", "lunch"),
        (("scenes", "weather"), {}, "weather"),
    ],
)
def test_a_wrong_catalog_is_refused_naming_what_is_wrong(path: tuple[str, ...], value: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Catalog.from_mapping(_broken(path, value))
