"""Charts as pictures: what WeCom shows where Feishu has a chart card.

matplotlib is imported by the first drawing, not at start-up (it costs half a second), and only its objects
are used, never pyplot, whose global state would mix the pictures of two threads. The letters come from
Noto Sans SC, which ships as a package, so that a server without Chinese fonts draws no boxes.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from pylopdf_fonts_zh_cn import sans_path

from bot.types import Chart

_SIZE = (9.0, 6.0)  # inches; with the resolution below 900×600 px, what a phone shows without scaling up
_DPI = 100
_INK, _GREY, _RULE, _BLUE = "#1f2329", "#646a73", "#e5e6eb", "#3370ff"
_SLICES = ("#34a871", "#3370ff", "#f5554a", "#f5a623", "#8b5cf6", "#14b8a6", "#ec4899", "#94a3b8")
_MOST_TICKS = 16
_LONGEST_LABEL, _LONGEST_TITLE = 8, 26
_STAND_IN = "·"
_NOTHING = "暂无数据"


def draw_chart(chart: Chart) -> bytes:
    """A PNG of 900×600 px. It blocks for some 0.1 s: call it in a worker thread; several may draw at once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, dpi=_DPI, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.08, 0.13, 0.88, 0.72))
    values = [_amount(value) for value in chart.values]
    _write(figure, 0.5, 0.93, drawable(chart.title, _LONGEST_TITLE), size=24, color=_INK)
    if any(values):
        labels = [drawable(label, _LONGEST_LABEL) for label in chart.labels]
        _PLOTS[chart.kind](axes, labels, values)
    else:
        axes.set_axis_off()
        _write(figure, 0.5, 0.48, _NOTHING, size=30, color=_GREY)
    picture = BytesIO()
    canvas.print_png(picture)
    return picture.getvalue()


def missing_glyphs(text: str) -> str:
    """The characters of `text` that the font cannot draw."""
    from matplotlib.font_manager import get_font

    font = get_font(str(sans_path()))  # matplotlib keeps one per thread
    return "".join(char for char in text if not font.get_char_index(ord(char)))


def _bars(axes: Any, labels: Sequence[str], values: Sequence[float]) -> None:
    places = range(len(values))
    axes.bar(places, values, width=min(0.62, 0.12 * len(values)), color=_BLUE, zorder=2)
    _lay_out(axes, labels, values)
    for place, value in enumerate(values):
        if value:
            _label_point(axes, place, value)


def _line(axes: Any, labels: Sequence[str], values: Sequence[float]) -> None:
    places = range(len(values))
    axes.fill_between(places, values, color=_BLUE, alpha=0.10, linewidth=0, zorder=1)
    axes.plot(places, values, color=_BLUE, linewidth=3, marker="o", markersize=8, zorder=3, clip_on=False)
    _lay_out(axes, labels, values)
    for place, value in enumerate(values):
        neighbours = (*values[max(place - 1, 0) : place], *values[place + 1 : place + 2])
        is_peak = value >= max(neighbours, default=0)
        if value and (is_peak or len(values) <= _MOST_TICKS):
            _label_point(axes, place, value, below=value < min(neighbours, default=0))


def _pie(axes: Any, labels: Sequence[str], values: Sequence[float]) -> None:
    axes.set_position((0.04, 0.06, 0.52, 0.78))
    slices = [(label, value) for label, value in zip(labels, values, strict=True) if value]
    total = sum(value for _, value in slices)
    wedges, *_ = axes.pie(
        [value for _, value in slices],
        colors=[_SLICES[place % len(_SLICES)] for place, value in enumerate(values) if value],
        startangle=90,
        counterclock=False,
        wedgeprops={"width": 0.42, "edgecolor": "white", "linewidth": 3},
    )
    _write(axes, 0, 0, _number(total), size=40, color=_INK, transform=axes.transData)
    legend = axes.legend(
        wedges,
        [f"{label}  {_number(value)}（{value / total:.0%}）" for label, value in slices],
        loc="center left",
        bbox_to_anchor=(1.04, 0.5),
        frameon=False,
        prop=_font(18),
        labelcolor=_INK,
        labelspacing=0.9,
        handlelength=1.0,
        handleheight=1.0,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


_PLOTS: dict[str, Callable[[Any, Sequence[str], Sequence[float]], None]] = {
    "bar": _bars,
    "line": _line,
    "pie": _pie,
}


def _lay_out(axes: Any, labels: Sequence[str], values: Sequence[float]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_RULE)
    axes.grid(axis="y", color=_RULE, linewidth=1, zorder=0)
    axes.tick_params(length=0, colors=_GREY, pad=8)
    axes.set_xlim(-0.6, max(len(values) - 0.4, 0.6))
    axes.set_ylim(0, max(values) * 1.18)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=all(value == int(value) for value in values)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))
    for tick in axes.get_yticklabels():
        tick.set_fontproperties(_font(15))
    _label_places(axes, labels)


def _label_places(axes: Any, labels: Sequence[str]) -> None:
    """Every label while there is room, every second or third of many; slanted when they would touch."""
    places = range(0, len(labels), math.ceil(len(labels) / _MOST_TICKS))
    shown = [labels[place] for place in places]
    size = 16 if len(shown) <= 8 else 13
    slanted = len(shown) * (max(map(_width, shown)) + 1) * size > 1150
    if slanted:
        size = 13
        axes.set_position((0.08, 0.25, 0.88, 0.60))
    axes.set_xticks(
        places,
        shown,
        fontproperties=_font(size),
        rotation=40 if slanted else 0,
        ha="right" if slanted else "center",
        rotation_mode="anchor" if slanted else "default",
        parse_math=False,
    )


def _label_point(axes: Any, place: int, value: float, *, below: bool = False) -> None:
    axes.annotate(
        _number(value),
        (place, value),
        xytext=(0, -10 if below else 8),
        textcoords="offset points",
        ha="center",
        va="top" if below else "bottom",
        color=_INK,
        fontproperties=_font(15),
    )


def _write(where: Any, x: float, y: float, text: str, *, size: int, color: str, **more: Any) -> None:
    where.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        color=color,
        fontproperties=_font(size),
        parse_math=False,
        **more,
    )


def _font(size: int) -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=str(sans_path()), size=size)


def _amount(value: float) -> float:
    """A chart counts things: what is no number, or less than nothing, is drawn as nothing."""
    return max(float(value), 0.0) if math.isfinite(value) else 0.0


def _number(value: float) -> str:
    """`1234` as it is, `23000` as 2.3万: what fits beside a bar."""
    if value >= 10_000:
        return f"{value / 10_000:,.1f}".removesuffix(".0") + "万"
    return f"{value:.1f}".removesuffix(".0")


def drawable(text: str, longest: int) -> str:
    """`text` on one line, shortened, with a dot for each run of what the font does not have (emoji)."""
    visible = "".join(char for char in unicodedata.normalize("NFC", " ".join(text.split())) if not _is_invisible(char))
    missing = frozenset(missing_glyphs(visible))
    drawn = ""
    for char in visible:
        if char not in missing:
            drawn += char
        elif not drawn.endswith(_STAND_IN):
            drawn += _STAND_IN
    return drawn if len(drawn) <= longest else drawn[: longest - 1] + "…"


def _width(text: str) -> int:
    """In halves of a Chinese character."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") or "\ufe00" <= char <= "\ufe0f"
