"""Templates: what the markup becomes, that people's words never become markup, and what an admin is told."""

from collections import namedtuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tasks.templating import Marker, Page, TemplateProblem, mentioning, not_mentioning, one_line, render
from bot.types import Block, Bullets, Heading, Paragraph

SLOTS = {"chart": lambda _: (Heading("图在这里"),), "items": lambda number: (Heading(f"第 {number} 组"),)}

NASTY = (
    "# 标题",
    "## 小标题",
    "- 一项",
    "1. 一项",
    "> 小字",
    "[[chart]]",
    "[[没有]]",
    "{{ 7 * 7 }}",
    "{% for x in y %}",
    "{# 注释",
    "<at id=all></at>",
    "第一行\n# 第二行\n[[chart]]",
    "第一行\u2028- 第二行\x0b- 第三行\x85- 第四行",
    "\ufdd0\ufdd1items 0",
    "\u202e反的",
    "",
)


def page_of(source: str, folder: Path, **values: object) -> Page:
    (folder / "page.md.j2").write_text(source, encoding="utf-8")
    return render((folder,), "page.md.j2", values, SLOTS)


def problem_of(source: str, folder: Path, **values: object) -> str:
    with pytest.raises(TemplateProblem) as caught:
        page_of(source, folder, **values)
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("正文", (Paragraph("正文"),)),
        ("## 小标题", (Heading("小标题"),)),
        ("### 更小的", (Heading("更小的"),)),
        ("- 一\n- 二", (Bullets(("一", "二")),)),
        ("* 一\n\n* 二", (Bullets(("一", "二")),)),
        ("1. 一\n2. 二", (Bullets(("一", "二"), numbered=True),)),
        ("- 一\n1. 二", (Bullets(("一",)), Bullets(("二",), numbered=True))),
        ("> 小字", (Paragraph("小字", muted=True),)),
        ("[[chart]]", (Heading("图在这里"),)),
        ("[[ items ]]", (Heading("第 None 组"),)),
        ("看 [[chart]]", (Paragraph("看 [[chart]]"),)),
        ("#没有空格", (Paragraph("#没有空格"),)),
        ("-没有空格", (Paragraph("-没有空格"),)),
        ("3.5 倍", (Paragraph("3.5 倍"),)),
        ("{% for n in [1, 2] %}\n{{ loop.index }}. 第 {{ n }} 个\n{% endfor %}",
         (Bullets(("第 1 个", "第 2 个"), numbered=True),)),
        ("", ()),
    ],
)  # fmt: skip
def test_each_line_is_one_thing(source: str, blocks: tuple[Block, ...], tmp_path: Path) -> None:
    assert page_of(source, tmp_path) == Page(None, blocks)


def test_the_first_title_is_the_title_and_a_later_one_a_heading(tmp_path: Path) -> None:
    assert page_of("# 周报\n# 附录", tmp_path) == Page("周报", (Heading("附录"),))


def test_a_marker_made_by_code_is_a_slot(tmp_path: Path) -> None:
    assert page_of("{{ slot }}", tmp_path, slot=Marker.of("items", 3)).blocks == (Heading("第 3 组"),)


@pytest.mark.parametrize("typed", NASTY)
def test_typed_text_never_becomes_markup(typed: str, tmp_path: Path) -> None:
    source = "# {{ typed }}\n## {{ typed }}\n- {{ typed }}\n{{ typed }}\n{{ typed }}{{ typed }}\n> {{ typed }}"
    shown = one_line(typed)

    page = page_of(source, tmp_path, typed=typed)

    assert page.title == shown
    assert page.blocks == (
        Heading(shown),
        Bullets((shown,)),
        Paragraph(shown),
        Paragraph(shown + shown),
        Paragraph(shown, muted=True),
    )


@given(typed=st.text())
def test_any_text_keeps_to_its_place(typed: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    page = page_of("{{ typed }}\n- {{ typed }}", tmp_path_factory.getbasetemp(), typed=typed)

    assert page == Page(None, (Paragraph(one_line(typed)), Bullets((one_line(typed),))))


@given(typed=st.text())
def test_one_line_is_one_line_that_a_database_and_a_platform_take(typed: str) -> None:
    shown = one_line(typed)

    assert len(shown.splitlines()) <= 1
    assert "\x00" not in shown
    shown.encode()


def test_an_emoji_made_of_several_characters_survives() -> None:
    assert one_line("👩‍💻 写代码") == "👩‍💻 写代码"


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("一\n{% if %}", "第 2 行"),
        ("一\n\n{{ nobody }}", "第 3 行"),
        ("一\n{{ line.titel }}", "第 2 行"),
        ("一\n{{ 1 / 0 }}", "第 2 行"),
        ("一\n{{ ''.__class__.__mro__ }}", "第 2 行"),
        ("一\n{{ line | nofilter }}", "第 2 行"),
        ("一\n{% include 'gone.j2' %}", "gone.j2"),
        ("一\n  [[chrat]]", "第 2 行：没有 [[chrat]] 这样的位置，可以写 [[chart]]、[[items]]"),
        ("{{ listing() }}\n- {{ listing() }}", "第 2 行：listing(…) 要独占一行"),
    ],
)
def test_a_broken_template_is_reported_with_its_file_and_line(source: str, where: str, tmp_path: Path) -> None:
    Item = namedtuple("Item", "title")

    problem = problem_of(source, tmp_path, line=Item("甲"), listing=lambda: Marker.of("items", 0))

    assert problem.startswith("page.md.j2")
    assert where in problem


def test_a_missing_template_is_reported(tmp_path: Path) -> None:
    with pytest.raises(TemplateProblem, match=r"找不到模板文件 gone\.md\.j2"):
        render((tmp_path,), "gone.md.j2", {}, SLOTS)


def test_a_template_outside_the_folders_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md.j2").write_text("密", encoding="utf-8")
    (tmp_path / "templates").mkdir()

    with pytest.raises(TemplateProblem):
        render((tmp_path / "templates",), "../secret.md.j2", {}, SLOTS)


def test_a_template_saved_as_gbk_is_reported_as_such(tmp_path: Path) -> None:
    (tmp_path / "page.md.j2").write_bytes("# 周报".encode("gbk"))

    with pytest.raises(TemplateProblem, match="UTF-8"):
        render((tmp_path,), "page.md.j2", {}, SLOTS)


def test_a_template_saved_by_notepad_is_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "page.md.j2").write_bytes("# 周报\r\n- 一\r\n- 二\r\n".encode("utf-8-sig"))

    assert render((tmp_path,), "page.md.j2", {}, SLOTS) == Page("周报", (Bullets(("一", "二")),))


def test_the_first_folder_wins_and_the_others_stand_behind_it(tmp_path: Path) -> None:
    ours, shipped = tmp_path / "ours", tmp_path / "shipped"
    for folder, names in ((ours, ("a",)), (shipped, ("a", "b"))):
        folder.mkdir()
        for name in names:
            (folder / name).write_text(folder.name, encoding="utf-8")

    assert render((ours, shipped), "a", {}, SLOTS).blocks == (Paragraph("ours"),)
    assert render((ours, shipped), "b", {}, SLOTS).blocks == (Paragraph("shipped"),)


def test_an_edited_template_takes_effect(tmp_path: Path) -> None:
    assert page_of("旧", tmp_path).blocks == (Paragraph("旧"),)
    assert page_of("新的一版", tmp_path).blocks == (Paragraph("新的一版"),)


def test_lines_are_chosen_by_the_words_in_their_titles() -> None:
    Item = namedtuple("Item", "title")
    lines = [Item("回访客户"), Item("写文档"), Item("VIP 邀约")]

    assert mentioning(lines, ["客户", "vip"]) == [lines[0], lines[2]]
    assert not_mentioning(lines, ["客户", "vip"]) == [lines[1]]
