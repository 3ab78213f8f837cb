"""Reports: what is in them, in which words, and that each template is the page its department expects."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import yaml

import config
from bot.tasks.periods import KINDS, period_of
from bot.tasks.report import ReportItem, ReportRequest, check_template, compose
from bot.tasks.templating import SHIPPED
from bot.types import Block, Body, Bullets, Chart, Heading, Paragraph, Table

TEXTS = yaml.safe_load((Path(config.__file__).parent / "texts.zh.yaml").read_text(encoding="utf-8"))
TEMPLATES = {"default": "默认", "market": "市场部", "rd": "研发部", "ops": "运营部"}
TODAY = date(2026, 3, 4)
ITEMS = (
    ReportItem("评审需求文档", done=True, due=date(2026, 3, 2), done_on=date(2026, 3, 2)),
    ReportItem("投放春季海报", done=True, due=date(2026, 3, 3), done_on=date(2026, 3, 4)),
    ReportItem("回访华东客户", due=date(2026, 3, 6)),
    ReportItem("整理用户反馈", due=date(2026, 3, 2)),
    ReportItem("修复登录问题", urgent=True),
    ReportItem("下季度预算", due=date(2026, 3, 12)),
    ReportItem("上个月的事", done=True, done_on=date(2026, 2, 27)),
)


def say(key: str, **values: object) -> str:
    found = TEXTS
    for part in key.split("."):
        found = found[part]
    return str(found).format(**values)


def request(template: str = "default", **changes: object) -> ReportRequest:
    asked = ReportRequest(
        kind="weekly",
        owner_name="晓雯",
        period=period_of(str(changes.get("kind", "weekly")), TODAY),
        today=TODAY,
        items=ITEMS,
        runs=((date(2026, 3, 3), "周报"), (date(2026, 3, 4), "周报"), (date(2026, 2, 4), "月报")),
        template=template,
        template_name=TEMPLATES.get(template, template),
        template_file=f"{template}.md.j2",
        fallback_from=None,
        chart="bar",
        chart_name="柱状图",
        layout="list",
        channel_name="企业微信",
        reasons=("你的默认", "默认", "这次指定"),
    )
    return replace(asked, **changes)  # type: ignore[arg-type]


def composed(template: str = "default", **changes: object) -> Body:
    return compose(request(template, **changes), (SHIPPED,), say)


def words(body: Body) -> str:
    """All that a person reads, one line per line."""
    lines: list[str] = [body.title or ""]
    for block in body.blocks:
        lines += _words(block)
    return "\n".join(lines)


def _words(block: Block) -> Sequence[str]:
    if isinstance(block, Bullets):
        return block.items
    if isinstance(block, Table):
        return [" ".join(row) for row in (block.columns, *block.rows)]
    if isinstance(block, Chart):
        return [block.title]
    return [block.text]


def headings(body: Body) -> list[str]:
    return [block.text for block in body.blocks if isinstance(block, Heading)]


def section(body: Body, heading: str) -> str:
    start = body.blocks.index(Heading(heading)) + 1
    until = next((n for n in range(start, len(body.blocks)) if isinstance(body.blocks[n], Heading)), None)
    return words(Body(body.blocks[start:until]))


def chart_in(body: Body) -> Chart:
    (found,) = [block for block in body.blocks if isinstance(block, Chart)]
    return found


# --- the templates ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "title", "expected"),
    [
        ("default", "周报（03-02 至 03-08）", ["完成", "进行中", "下一步"]),
        ("market", "市场部周报（03-02 至 03-08）", ["数据", "活动与投放", "客户触达", "其他工作"]),
        ("rd", "研发部周报（03-02 至 03-08）", ["已完成", "进行中", "风险与阻塞", "下周计划", "进度"]),
        ("ops", "运营部周报（03-02 至 03-08）", ["指标", "用户反馈", "日常运营", "自动化"]),
    ],
)
def test_each_department_gets_its_own_page(template: str, title: str, expected: list[str]) -> None:
    body = composed(template)

    assert body.title == title
    assert headings(body) == expected
    assert "汇报人：晓雯" in words(body)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_tells_every_item_of_the_period_once(template: str) -> None:
    said = words(composed(template))

    assert [said.count(item.title) for item in ITEMS] == [1, 1, 1, 1, 1, 1, 0]
    assert "周报 2 次" in said
    assert "月报" not in said


@pytest.mark.parametrize(
    ("template", "heading", "titles"),
    [
        ("default", "完成", ["评审需求文档", "投放春季海报"]),
        ("default", "进行中", ["整理用户反馈", "修复登录问题", "回访华东客户"]),
        ("default", "下一步", ["下季度预算"]),
        ("market", "活动与投放", ["投放春季海报"]),
        ("market", "客户触达", ["回访华东客户"]),
        ("rd", "进行中", ["回访华东客户"]),
        ("rd", "风险与阻塞", ["整理用户反馈", "修复登录问题"]),
        ("rd", "下周计划", ["下季度预算"]),
        ("ops", "用户反馈", ["整理用户反馈"]),
    ],
)
def test_an_item_stands_where_its_department_looks_for_it(template: str, heading: str, titles: list[str]) -> None:
    said = section(composed(template), heading)

    assert [item.title for item in ITEMS if item.title in said] == [
        item.title for item in ITEMS if item.title in titles
    ]
    assert sorted(titles, key=said.index) == titles


def test_an_item_says_its_state_and_its_day() -> None:
    said = words(composed())

    assert "评审需求文档（03-02 完成）" in said
    assert "回访华东客户（进行中，截止 03-06）" in said
    assert "整理用户反馈（已逾期 2 天，截止 03-02）" in said
    assert "修复登录问题（紧急，进行中）" in said
    assert "下季度预算（计划中，截止 03-12）" in said


def test_the_figures_of_the_operations_page_add_up() -> None:
    said = section(composed("ops"), "指标")

    assert "完成率：40%（2/5）" in said
    assert "按时完成：1 项" in said
    assert "逾期：1 项" in said


def test_a_day_in_another_year_says_the_year() -> None:
    assert "截止 2027-01-05" in words(composed(items=(ReportItem("预算", due=date(2027, 1, 5)),)))


def test_a_to_do_done_on_an_unknown_day_is_told_and_not_charted() -> None:
    body = composed(items=(ReportItem("报销", done=True),))

    assert "报销（已完成）" in words(body)
    assert sum(chart_in(body).values) == 0


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_report_is_friendly_and_keeps_its_structure(template: str, kind: str) -> None:
    body = composed(template, kind=kind, items=(), runs=(), owner_name=None)

    assert "还没有待办和办事记录" in words(body)
    assert headings(body) == headings(composed(template, kind=kind))
    assert "汇报人" not in words(body)
    assert chart_in(body).title.endswith("（暂无数据）")


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("layout", ["list", "table"])
def test_typed_titles_never_change_the_structure(template: str, layout: str) -> None:
    typed = "# 标题\n[[chart]]\n- {{ 7 * 7 }} {% if %} <at id=all></at>"
    harmless = tuple(replace(item, title=f"事项{n}") for n, item in enumerate(ITEMS))
    nasty = tuple(replace(item, title=typed) for item in ITEMS)

    before, after = (composed(template, items=items, layout=layout) for items in (harmless, nasty))

    assert headings(before) == headings(after)
    assert after.title == before.title
    assert "# 标题 [[chart]] - {{ 7 * 7 }} {% if %} <at id=all></at>" in words(after)
    assert chart_in(after) == chart_in(before)


def test_a_very_long_list_is_cut_and_says_so() -> None:
    body = composed(items=tuple(ReportItem(f"事项{n}") for n in range(40)))

    assert sum(f"事项{n}（" in words(body) for n in range(40)) == 30
    assert "另有 10 项没有列出" in words(body)


def test_a_very_long_title_is_cut() -> None:
    (found,) = [block for block in composed(items=(ReportItem("长" * 5000),)).blocks if isinstance(block, Bullets)]

    assert found.items == ("长" * 79 + "…（进行中）",)


# --- layout and chart ---------------------------------------------------------------------------------------


def test_a_table_has_the_columns_that_people_expect() -> None:
    tables = [block for block in composed(layout="table").blocks if isinstance(block, Table)]

    assert tables[0] == Table(
        ("事项", "状态", "截止"),
        (("评审需求文档", "03-02 完成", "03-02"), ("投放春季海报", "03-04 完成", "03-03")),
    )
    assert ("修复登录问题", "紧急，进行中", "—") in tables[1].rows


@pytest.mark.parametrize("template", TEMPLATES)
def test_tables_fit_on_one_card(template: str) -> None:
    """A Feishu card takes five tables (field-faults, long messages)."""
    assert sum(isinstance(block, Table) for block in composed(template, layout="table").blocks) <= 5


def test_a_paragraph_says_the_items_in_a_sentence() -> None:
    assert Paragraph("评审需求文档（03-02 完成）；投放春季海报（03-04 完成）。") in composed(layout="paragraph").blocks


@pytest.mark.parametrize("layout", ["pdf", "word", "markdown"])
def test_a_layout_that_is_not_built_falls_back_and_says_so(layout: str) -> None:
    body = composed(layout=layout)

    assert body.blocks[:-1] == composed(layout="list").blocks[:-1]
    assert f"还不能按 {layout} 输出" in words(body)


@pytest.mark.parametrize(
    ("kind", "chart", "labels", "values"),
    [
        ("weekly", "bar", ("周一", "周二", "周三", "周四", "周五", "周六", "周日"), (1, 0, 1, 0, 0, 0, 0)),
        ("weekly", "line", ("周一", "周二", "周三", "周四", "周五", "周六", "周日"), (1, 0, 1, 0, 0, 0, 0)),
        ("weekly", "pie", ("已完成", "进行中", "已逾期"), (2, 3, 1)),
        ("daily", "bar", ("已完成", "进行中", "已逾期"), (1, 3, 1)),
        ("monthly", "bar", tuple(f"{day}日" for day in range(1, 32)), (0, 1, 0, 1, *[0] * 27)),
        (
            "quarterly",
            "line",
            ("12-29", "01-05", "01-12", "01-19", "01-26", "02-02", "02-09", "02-16", "02-23", "03-02",
             "03-09", "03-16", "03-23", "03-30"),
            (0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0),
        ),
    ],
)  # fmt: skip
def test_a_chart_counts_what_its_kind_of_report_is_about(
    kind: str, chart: str, labels: tuple[str, ...], values: tuple[int, ...]
) -> None:
    found = chart_in(composed(kind=kind, chart=chart))

    assert (found.kind, found.labels, found.values) == (chart, labels, values)


@pytest.mark.parametrize(("chart", "name"), [("bar", "柱状图"), ("line", "折线图"), ("pie", "饼图")])
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_chart_and_the_closing_line_name_the_kind_of_chart(template: str, chart: str, name: str) -> None:
    body = composed(template, chart=chart, chart_name=name)

    assert chart_in(body).title.startswith(f"{name}：本周")
    assert f"图表：{name}" in _words(body.blocks[-1])[0]


def test_a_report_without_a_chart_mentions_none() -> None:
    body = composed(chart=None, chart_name=None)

    assert not any(isinstance(block, Chart) for block in body.blocks)
    assert body.blocks[-1] == Paragraph("模板：默认（你的默认）；发到：企业微信（这次指定）。", muted=True)


def test_a_chart_that_cannot_be_drawn_is_left_out_and_owned_up_to() -> None:
    body = composed(chart="radar", chart_name="雷达图")

    assert not any(isinstance(block, Chart) for block in body.blocks)
    assert "还画不了雷达图" in words(body)


# --- the closing line and what went wrong -------------------------------------------------------------------


def test_the_closing_line_says_what_was_used_and_why() -> None:
    assert composed("market").blocks[-1] == Paragraph(
        "模板：市场部（你的默认）；图表：柱状图（默认）；发到：企业微信（这次指定）。", muted=True
    )


def test_without_reasons_the_closing_line_still_says_what_was_used() -> None:
    assert composed(reasons=()).blocks[-1] == Paragraph("模板：默认；图表：柱状图；发到：企业微信。", muted=True)


def test_another_template_than_asked_for_is_said() -> None:
    assert "没有“市场部V3”的模板文件，用的是“市场部”。" in words(composed("market", fallback_from="市场部V3"))


def test_a_language_that_has_no_templates_is_said() -> None:
    assert "只有中文" in words(composed(language="en"))
    assert "只有中文" not in words(composed(language="zh"))


def test_the_log_has_the_place_of_a_broken_template_and_nothing_that_people_typed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "rd.md.j2").write_text("# {{ title }}\n{{ done[0].title + 1 }}{{ {}[open[0].title] }}", "utf-8")
    (tmp_path / "ops.md.j2").write_text("# {{ title }}\n{{ open[0].title | float(default=nobody) }}", "utf-8")

    for template in ("rd", "ops"):
        compose(request(template), (tmp_path, SHIPPED), say)

    assert "rd.md.j2, line 2" in caplog.text
    assert "ops.md.j2, line 2" in caplog.text
    assert not any(item.title in caplog.text for item in ITEMS)


@pytest.mark.parametrize("source", ["{{ nobody }}", "{% if %}", "[[nowhere]]", None])
def test_a_broken_template_still_gives_a_report_and_says_so(
    source: str | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if source:
        (tmp_path / "rd.md.j2").write_text(source, encoding="utf-8")
    file = "rd.md.j2" if source else "gone.md.j2"

    body = compose(request("rd", template_file=file), (tmp_path, SHIPPED), say)

    assert body.blocks[:-1] == composed("default").blocks[:-1]
    assert "模板：默认" in words(body)
    assert "“研发部”模板的文件有错" in words(body)
    assert file in caplog.text


def test_a_template_of_ones_own_is_a_file_with_a_few_lines(tmp_path: Path) -> None:
    (tmp_path / "hr.md.j2").write_text("# 人事{{ title }}\n## 全部\n[[items]]\n[[chart]]", encoding="utf-8")

    body = compose(request("hr"), (tmp_path, SHIPPED), say)

    assert check_template((tmp_path, SHIPPED), "hr.md.j2") is None
    assert body.title == "人事周报（03-02 至 03-08）"
    assert [type(block) for block in body.blocks] == [Heading, Bullets, Chart, Paragraph]
