"""Any text at all is understood without an error, as the same JSON fields, within bounded work."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.understanding import to_json, understand
from memory.catalog import Catalog

CATALOG = Catalog.from_mapping(yaml.safe_load(Path("config/bot.yaml").read_text(encoding="utf-8"))["catalog"])
NOW = datetime(2026, 3, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
FIELDS = ["text", "intent", "preferences", "task", "slots", "about", "when", "once", "sensitive", "domain", "confidence"]  # fmt: skip
PIECES = st.sampled_from(
    ["以后", "这次", "周报", "市场部", "模板", "用", "别", "不要", "发", "飞书", "“", "”", "如果", "他说", "吗", "？", "，", "。", "记住", "8点", "提前", "十五分钟", "抄送", "叫我", "签名", "把", "改成", "第1条", "忘掉", ":", "…", "�", "\x00", "👨\u200d👩\u200d👧", "default"]
)  # fmt: skip


@given(st.one_of(st.text(), st.text(st.characters()), st.lists(PIECES, max_size=30).map("".join)))
def test_any_text_has_a_meaning(text: str) -> None:
    understood = to_json(understand(text, CATALOG, now=NOW))
    assert list(understood) == FIELDS
    assert understood["text"] == text
    json.dumps(understood)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_what_is_understood_may_be_stored(text: str) -> None:
    for preference in understand(text, CATALOG).preferences:
        CATALOG.validate(preference)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3000\n", "🎉", "\ud83d", "\x00", "。。。"])
def test_nothing_said_is_nothing_meant(text: str) -> None:
    understood = understand(text, CATALOG)
    assert (understood.intent, understood.preferences) == ("other", ())


@pytest.mark.parametrize("piece", ["以后周报用市场部模板，", "的", "((((", "“", "8点到", "a", "，"])
def test_a_long_text_is_read_only_so_far(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    assert understand(text, CATALOG).text == text


@pytest.mark.parametrize(
    "text",
    [
        "\u2060以后周报用市场部模板\u2060",
        "以后\u200b周报用市场\ufeff部模板",
        "以後週報用市場部範本",
        "以后　周报　用市场部模板",
        "以后周报用“市场部”模板",
        "以后 周报 用 市场部 模板",
        "以后周抱用市场部摸板",
    ],
)
def test_spelling_does_not_matter(text: str) -> None:
    [preference] = understand(text, CATALOG).preferences
    assert (preference.key, preference.value, dict(preference.scene)) == (
        "report_template",
        "market",
        {"task": "weekly"},
    )


def test_free_words_stay_as_they_were_written() -> None:
    text = "以后郵件簽名用：👨\u200d👩\u200d👧 小記"
    [preference] = understand(text, CATALOG).preferences
    assert (preference.key, preference.value) == ("email_signature", "👨\u200d👩\u200d👧 小記")


@pytest.mark.parametrize(
    ("text", "kinds", "kept"),
    [
        ("记住，我喜欢用表格，手机号13812345678", ("mobile",), ["output_format"]),
        ("记住，我喜欢用表格，手机号［手机号］", ("mobile",), ["output_format"]),
        ("以后通知发到18600001111这个手机上", ("mobile",), []),
        ("默认密码用 Passw0rd!2026", ("password",), []),
        ("以后周报抄送 wang@example.com", ("email",), ["recipients"]),
    ],
)
def test_the_clause_with_a_secret_stores_nothing(text: str, kinds: tuple[str, ...], kept: list[str]) -> None:
    understood = understand(text, CATALOG)
    assert understood.sensitive == kinds
    assert [preference.key for preference in understood.preferences] == kept


def test_a_time_is_read_when_it_is_known_when_it_was_said() -> None:
    text = "提醒我下午五点给客户回电话"
    assert understand(text, CATALOG).when is None
    when = understand(text, CATALOG, now=NOW).when
    assert when is not None
    assert when.at == "2026-03-02T17:00"
