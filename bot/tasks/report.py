"""What a report says: a person's to-dos and task runs of a period, laid out by a template, with a chart.

Whoever calls has read the rows and chosen template, chart, layout and channel; the closing line tells the
person which were used and why.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from pathlib import Path

from bot.tasks.periods import Period, Say, period_of, span_text, steps
from bot.tasks.report_lines import Groups, Lists, ReportItem, group, is_overdue, run_counts, was_done_in
from bot.tasks.templating import SHIPPED, Page, TemplateProblem, one_line, render
from bot.types import Block, Body, Chart, Paragraph

__all__ = ["ReportItem", "ReportRequest", "check_template", "compose", "period_of", "resolve_template"]

log = logging.getLogger(__name__)

CHARTS = ("bar", "line", "pie")
LAYOUTS = ("list", "table", "paragraph")  # the first one stands in for those that are not built
DEFAULT_TEMPLATE = "default"

_DEFAULT_FILE = "default.md.j2"
_VERSION = re.compile(r"_v[0-9][0-9._]*$", re.IGNORECASE)


@dataclass(frozen=True)
class ReportRequest:
    """All that decides a report. `kind` ∈ periods.KINDS; `chart` is None for a report without one.

    `template` is the catalog value in use, `template_name` its Chinese name, `fallback_from` the name of the
    value that was asked for and has no file. `runs` holds the day and the Chinese name of each task that ran.
    `reasons` says why template, chart and channel are what they are, in this order: 你的默认, 默认, 这次指定…
    """

    kind: str
    owner_name: str | None
    period: Period
    today: date
    items: tuple[ReportItem, ...]
    runs: tuple[tuple[date, str], ...]
    template: str
    template_name: str
    template_file: str
    fallback_from: str | None
    chart: str | None
    chart_name: str | None
    layout: str
    channel_name: str
    reasons: tuple[str, ...] = ()
    language: str = "zh"


def compose(request: ReportRequest, folders: Sequence[Path], say: Say) -> Body:
    """The report. A template that fails is logged, replaced by the shipped default and owned up to."""
    try:
        page, notes = _page(request, folders, say), []
    except TemplateProblem as error:
        # The reason may quote what a person typed: the log has the place, `check_template` tells the rest.
        log.warning("report template %s does not render: %s, line %s", request.template, error.file, error.line)
        notes = [say("report.note.broken", template=request.template_name)]
        request = replace(
            request,
            template_name=say("report.default_template"),
            template_file=_DEFAULT_FILE,
            fallback_from=None,
        )
        page = _page(request, (SHIPPED,), say)
    closing = Paragraph(_closing(request, say, notes), muted=True)
    return Body((*page.blocks, closing), page.title or _title(request, say))


def resolve_template(value: str, available: Collection[str]) -> tuple[str, bool]:
    """The value whose file is used for `value`, and whether that is another one: version → base → default."""
    for candidate in (value, _VERSION.sub("", value)):
        if candidate in available:
            return candidate, candidate != value
    return DEFAULT_TEMPLATE, value != DEFAULT_TEMPLATE


def check_template(folders: Sequence[Path], file: str) -> str | None:
    """What is wrong with a template file, in Chinese, with its line: found by composing with it."""
    for trial in _trials(file):
        try:
            _page(trial, folders, lambda key, **fields: key)
        except TemplateProblem as problem:
            return str(problem)
    return None


def _page(request: ReportRequest, folders: Sequence[Path], say: Say) -> Page:
    groups = group(request.items, request.period, request.today, say)
    runs = run_counts(request.runs, request.period, say)
    layout = request.layout if request.layout in LAYOUTS else LAYOUTS[0]
    lists = Lists(groups.items, layout, say)
    chart = _chart(request, say)
    page = render(
        folders,
        request.template_file,
        {
            **groups.by_name(),
            "title": _title(request, say),
            "owner": request.owner_name or "",
            "this": say(f"report.this.{request.kind}"),
            "next": say(f"report.next.{request.kind}"),
            "runs": runs,
            "rate": groups.completion_rate(),
            "listing": lists.place,
        },
        {"items": lists.blocks, "chart": lambda _: chart},
    )
    return replace(page, blocks=(*_greeting(request, groups, runs, say), *page.blocks))


def _title(request: ReportRequest, say: Say) -> str:
    name = say(f"report.name.{request.kind}")
    return say("report.title", name=name, span=span_text(request.kind, request.period, say))


def _greeting(request: ReportRequest, groups: Groups, runs: Sequence[str], say: Say) -> tuple[Block, ...]:
    if groups.items or runs:
        return ()
    return (Paragraph(say("report.empty", this=say(f"report.this.{request.kind}"))),)


def _chart(request: ReportRequest, say: Say) -> tuple[Block, ...]:
    """Bars and lines walk through the period and count what was done; a pie, and every chart of a single day,
    compares done, open and overdue. With nothing to count the title says so."""
    if request.chart is None or request.chart not in CHARTS:
        return ()
    if request.chart == "pie" or request.kind == "daily":
        what, counts = "by_state", _count_states(request, say)
    else:
        what, counts = "by_week" if request.kind == "quarterly" else "by_day", _count_steps(request, say)
    this = say(f"report.this.{request.kind}")
    title = say(f"report.chart.{what}", chart=request.chart_name or "", this=this)
    if not any(counts.values()):
        title = say("report.chart.nothing", title=title)
    return (Chart(request.chart, title, tuple(counts), tuple(map(float, counts.values()))),)


def _count_steps(request: ReportRequest, say: Say) -> dict[str, int]:
    dated = [item for item in request.items if item.done_on]
    return {
        label: sum(was_done_in(item, step) for item in dated)
        for label, step in steps(request.kind, request.period, say)
    }


def _count_states(request: ReportRequest, say: Say) -> dict[str, int]:
    late = sum(is_overdue(item, request.today) for item in request.items)
    counts = {
        "done": sum(was_done_in(item, request.period) for item in request.items),
        "open": sum(not item.done for item in request.items) - late,
        "overdue": late,
    }
    return {say(f"report.state.{state}"): count for state, count in counts.items()}


def _closing(request: ReportRequest, say: Say, notes: Sequence[str]) -> str:
    """Which template, chart and channel were used and why, then what could not be done as asked."""
    chart_name = request.chart_name if request.chart in CHARTS else None
    used = {"template": request.template_name, "chart": chart_name, "channel": request.channel_name}
    parts = [
        _used(part, name, reason, say)
        for (part, name), reason in zip_longest(used.items(), request.reasons[: len(used)])
        if name
    ]
    return say("report.closing", used="；".join(parts)) + "".join([*notes, *_notes(request, say)])


def _used(part: str, name: str, reason: str | None, say: Say) -> str:
    text = say(f"report.used.{part}", name=one_line(name))
    return say("report.used.because", used=text, reason=one_line(reason)) if reason else text


def _notes(request: ReportRequest, say: Say) -> list[str]:
    notes = []
    if request.fallback_from:
        notes.append(say("report.note.fallback", asked=request.fallback_from, used=request.template_name))
    if request.chart and request.chart not in CHARTS:
        notes.append(say("report.note.chart", chart=request.chart_name or request.chart))
    if request.layout not in LAYOUTS:
        notes.append(say("report.note.layout", layout=request.layout))
    if request.language != "zh":
        notes.append(say("report.note.language"))
    return notes


def _trials(file: str) -> list[ReportRequest]:
    day = date(2026, 3, 4)
    items = (
        ReportItem("甲", done=True, done_on=day, due=day),
        ReportItem("乙", due=date(2026, 3, 2), urgent=True),
        ReportItem("丙", due=date(2026, 3, 12)),
        ReportItem("丁"),
    )
    full = ReportRequest(
        kind="weekly",
        owner_name="晓雯",
        period=period_of("weekly", day),
        today=day,
        items=items,
        runs=((day, "周报"),),
        template=DEFAULT_TEMPLATE,
        template_name=DEFAULT_TEMPLATE,
        template_file=file,
        fallback_from=None,
        chart="bar",
        chart_name="柱状图",
        layout="list",
        channel_name="飞书",
    )
    return [full, replace(full, items=(), runs=(), owner_name=None, chart=None, chart_name=None)]
