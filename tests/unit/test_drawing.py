"""Chart pictures: size, shapes, Chinese letters instead of boxes, and whatever people put into labels."""

import math
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.image import imread

from bot.drawing import draw_chart, drawable, missing_glyphs
from bot.types import Chart

WEEK = tuple(f"周{day}" for day in "一二三四五六日")
KINDS = ("bar", "line", "pie")


def chart(kind: str = "bar", title: str = "柱状图：本周每天完成的事项", labels: tuple[str, ...] = WEEK,
          values: tuple[float, ...] = (2, 1, 3, 0, 4, 0, 0)) -> Chart:  # fmt: skip
    return Chart(kind, title, labels, values)


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def share_of_ink(png: bytes, left: float, top: float, right: float, bottom: float) -> float:
    """How much of a part of the picture is not white, 0..1."""
    pixels = imread(BytesIO(png))[:, :, :3]
    height, width, _ = pixels.shape
    part = pixels[int(top * height) : int(bottom * height), int(left * width) : int(right * width)]
    return float((part.min(axis=2) < 0.9).mean())


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_a_picture_that_a_phone_shows_whole(kind: str) -> None:
    assert size_of(draw_chart(chart(kind))) == (900, 600)


def test_the_three_kinds_look_different() -> None:
    assert len({draw_chart(chart(kind)) for kind in KINDS}) == 3


def test_the_same_chart_is_the_same_picture() -> None:
    assert draw_chart(chart()) == draw_chart(chart())


def test_a_bar_stands_where_there_is_a_value_and_none_where_there_is_not() -> None:
    png = draw_chart(chart(labels=("一", "二"), values=(5, 0)))

    assert share_of_ink(png, 0.2, 0.4, 0.45, 0.8) > 0.15
    assert share_of_ink(png, 0.6, 0.4, 0.9, 0.8) < 0.02


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", [(), (0.0, 0.0), (math.nan, -1.0)])
def test_a_chart_of_nothing_says_so_instead_of_showing_axes(kind: str, values: tuple[float, ...]) -> None:
    png = draw_chart(chart(kind, labels=WEEK[: len(values)], values=values))

    assert png == draw_chart(chart("bar", labels=(), values=()))
    assert share_of_ink(png, 0.3, 0.45, 0.7, 0.6) > 0.03
    assert share_of_ink(png, 0.0, 0.7, 1.0, 1.0) == 0


def test_the_font_has_every_character_that_charts_of_ours_use() -> None:
    titles = "柱状图折线图饼图：本周今天本月本季度每天每周完成的事项的状态（暂无数据）"
    labels = "已完成进行中已逾期周一二三四五六日0123456789-%万·…"

    assert missing_glyphs(titles + labels) == ""


def test_a_character_that_the_font_lacks_is_found() -> None:
    assert missing_glyphs("好😀") == "😀"


@pytest.mark.parametrize(
    ("typed", "drawn"),
    [
        ("研发部", "研发部"),
        ("😀好", "·好"),
        ("好👩‍💻😀的", "好·的"),
        ("❤\ufe0f", "·"),
        ("第一行\n第二行", "第一行 第二行"),
        ("\u202e反的\u200b", "反的"),
        ("\x00\ud83d坏", "坏"),
        ("一二三四五六七八九十", "一二三四五六七…"),
        ("$x_{", "$x_{"),
    ],
)
def test_what_cannot_be_drawn_becomes_a_dot_and_not_a_box(typed: str, drawn: str) -> None:
    assert drawable(typed, 8) == drawn


# matplotlib warns of a glyph that its font lacks, and a warning is an error here: a box fails the test.
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "typed", ["😀📈", "$x_{$ \\frac", "_私有", "𠮷野家龘", "e\u0301", "ﷺ ไทย עברית", "\n", "<at id=all>"]
)
def test_labels_of_any_script_are_drawn_without_boxes(kind: str, typed: str) -> None:
    assert size_of(draw_chart(chart(kind, title=typed, labels=(typed, "二"), values=(1, 2)))) == (900, 600)


@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    title=st.text(max_size=40),
    series=st.lists(st.tuples(st.text(max_size=20), st.floats(width=32)), max_size=40),
)
def test_any_chart_can_be_drawn(kind: str, title: str, series: list[tuple[str, float]]) -> None:
    labels, values = tuple(label for label, _ in series), tuple(value for _, value in series)

    assert size_of(draw_chart(Chart(kind, title, labels, values))) == (900, 600)


@pytest.mark.parametrize(
    "labels",
    [
        tuple(f"{day}日" for day in range(1, 32)),
        tuple(f"03-{day:02}" for day in range(1, 14)),
        tuple("很长很长的名字" + str(n) for n in range(8)),
    ],
    ids=["a month", "a quarter", "long names"],
)
def test_many_or_long_labels_stay_inside_the_picture(labels: tuple[str, ...]) -> None:
    png = draw_chart(chart(labels=labels, values=tuple(float(n % 5) for n in range(len(labels)))))

    assert share_of_ink(png, 0.0, 0.0, 0.005, 1.0) == 0
    assert share_of_ink(png, 0.0, 0.99, 1.0, 1.0) == 0
    assert share_of_ink(png, 0.995, 0.0, 1.0, 1.0) == 0


def test_pictures_drawn_at_once_are_those_drawn_one_by_one() -> None:
    charts = [chart(kind, title=f"第 {n} 张") for n in range(4) for kind in KINDS]
    alone = [draw_chart(each) for each in charts]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(draw_chart, charts)) == alone


def test_start_up_does_not_pay_for_matplotlib() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import sys, bot.drawing; print('matplotlib' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == "False"


def test_drawing_leaves_no_global_figures_behind() -> None:
    draw_chart(chart())

    assert "matplotlib.pyplot" not in sys.modules
