"""Templates of reports: which one stands in for one without a file, and what the config check finds."""

from pathlib import Path

import pytest

from bot.tasks.report import check_template, resolve_template
from bot.tasks.templating import SHIPPED


@pytest.mark.parametrize(
    ("value", "used", "fell_back"),
    [
        ("market_v3", "market", True),
        ("market_v3.1", "market", True),
        ("market_V12", "market", True),
        ("market", "market", False),
        ("default", "default", False),
        ("finance", "default", True),
        ("finance_v2", "default", True),
        ("rd_v2", "rd_v2", False),
        ("", "default", True),
    ],
)
def test_a_template_without_a_file_falls_back_version_then_base_then_default(
    value: str, used: str, fell_back: bool
) -> None:
    assert resolve_template(value, {"default", "market", "rd", "rd_v2"}) == (used, fell_back)


@pytest.mark.parametrize("template", ["default", "market", "rd", "ops"])
def test_the_shipped_templates_pass_their_own_check(template: str) -> None:
    assert check_template((SHIPPED,), f"{template}.md.j2") is None


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("# {{ title }}\n{{ titel }}", "第 2 行"),
        ("{% for item in done %}\n- {{ item.name }}\n{% endfor %}", "第 2 行"),
        ("{% if not items %}\n{{ nobody }}\n{% endif %}", "第 2 行"),
        ("# {{ title }}\n\n[[items]]\n[[grafik]]", "第 4 行"),
        ("- {{ listing(done) }}", "第 1 行"),
        ("{% if %}", "第 1 行"),
    ],
)
def test_a_template_that_would_fail_for_anybody_is_found_by_the_check(
    source: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "ours.md.j2").write_text(source, encoding="utf-8")

    found = check_template((tmp_path, SHIPPED), "ours.md.j2")

    assert found is not None
    assert found.startswith("ours.md.j2")
    assert problem in found
