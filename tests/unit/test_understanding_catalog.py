"""What bot.yaml alone can teach: a new key with its task slot, and a task of the company's own."""

from __future__ import annotations

from pathlib import Path

import yaml

from bot.understanding import understand
from memory.catalog import Catalog
from memory.types import Preference, Scene

NEW_KEY = """
name: 纸张
kind: choice
words: [纸张, 纸, 打印纸]
verbs: [打印, 打]
default: a4
values:
  a3: {name: A3, words: [A3, 大纸]}
  a4: {name: A4, words: [A4, 小纸]}
"""
OWN_TASK = """
name: 报销进度
words: [报销进度, 报销单]
phrases: [我的报销…到哪, 查…报销]
verbs: [查, 查询, 看]
confirm: true
slots:
  paper_size: {prompt: 用什么纸？}
  notify_channel: {}
"""


def _catalog() -> Catalog:
    section = yaml.safe_load(Path("config/bot.yaml").read_text(encoding="utf-8"))["catalog"]
    section["preferences"]["paper_size"] = yaml.safe_load(NEW_KEY)
    section["tasks"]["report"]["slots"]["paper_size"] = {"prompt": "用什么纸？"}
    section["tasks"]["expenses"] = yaml.safe_load(OWN_TASK)
    return Catalog.from_mapping(section)


CATALOG = _catalog()


def test_a_new_key_is_remembered_under_its_task() -> None:
    understood = understand("以后周报都用A3纸", CATALOG)
    assert understood.intent == "remember"
    assert understood.preferences == (Preference("paper_size", "a3", Scene(task="weekly")),)
    CATALOG.validate(understood.preferences[0])


def test_a_new_key_is_remembered_in_general() -> None:
    assert understand("默认打印大纸", CATALOG).preferences == (Preference("paper_size", "a3"),)


def test_the_other_of_two_values_is_meant_by_a_no() -> None:
    assert understand("以后别用A3了", CATALOG).preferences == (Preference("paper_size", "a4"),)


def test_a_new_key_is_chosen() -> None:
    understood = understand("a4", CATALOG)
    assert (understood.intent, dict(understood.slots)) == ("choose", {"paper_size": "a4"})


def test_a_new_key_is_a_slot_of_a_request() -> None:
    understood = understand("生成周报，用A3纸", CATALOG)
    assert (understood.intent, understood.task) == ("run", "report")
    assert dict(understood.slots) == {"paper_size": "a3", "report_kind": "weekly"}
    assert understood.preferences == ()


def test_a_new_key_is_used_once() -> None:
    understood = understand("这次用A3纸", CATALOG)
    assert (understood.once, understood.preferences) == (True, ())


def test_a_new_key_is_forgotten() -> None:
    understood = understand("忘掉我的纸张偏好", CATALOG)
    assert (understood.intent, understood.about) == ("forget", ("paper_size",))


def test_an_own_task_is_asked_for_by_name_and_phrase() -> None:
    for said in ("帮我查一下报销进度", "我的报销单走到哪了", "查上个月的报销"):
        understood = understand(said, CATALOG)
        assert (understood.intent, understood.task) == ("run", "expenses"), said


def test_an_own_task_is_a_scene() -> None:
    understood = understand("以后报销进度都发短信", CATALOG)
    assert understood.preferences == (Preference("notify_channel", "sms", Scene(task="expenses")),)


def test_two_catalogs_are_understood_side_by_side() -> None:
    shipped = Catalog.from_mapping(yaml.safe_load(Path("config/bot.yaml").read_text(encoding="utf-8"))["catalog"])
    assert understand("以后周报都用A3纸", shipped).preferences == ()
    assert understand("以后周报都用A3纸", CATALOG).preferences != ()
