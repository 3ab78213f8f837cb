"""The lines of a report: the to-dos of its period, grouped, put into words and laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date

from bot.tasks.periods import Period, Say
from bot.tasks.templating import Marker, one_line
from bot.types import Block, Bullets, Paragraph, Table

_MOST_LINES = 30  # per list: more is read by nobody, and a Feishu card holds 30 KB
_LONGEST_TITLE = 80


@dataclass(frozen=True)
class ReportItem:
    """A to-do as it is stored. `done_on` is None while it is open, or when nobody knows the day."""

    title: str
    done: bool = False
    due: date | None = None
    done_on: date | None = None
    urgent: bool = False


@dataclass(frozen=True)
class Line:
    """A to-do as a report shows it and a template sees it: in words, with what is true of it.

    `planned` is due after the period, `on_time` was done by its day. `text` is the whole line."""

    title: str
    status: str
    due: str
    text: str
    done: bool
    on_time: bool
    urgent: bool
    overdue: bool
    planned: bool


@dataclass(frozen=True)
class Groups:
    """The lines of the period: `items` is `done` and then `open`; every open line is in one of `at_risk`
    (overdue or urgent), `planned` and `ongoing`."""

    items: tuple[Line, ...]
    done: tuple[Line, ...]
    on_time: tuple[Line, ...]
    open: tuple[Line, ...]
    overdue: tuple[Line, ...]
    urgent: tuple[Line, ...]
    at_risk: tuple[Line, ...]
    ongoing: tuple[Line, ...]
    planned: tuple[Line, ...]

    def by_name(self) -> dict[str, object]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def completion_rate(self) -> str:
        """Of what was due or begun; what is planned for later does not lower it."""
        wanted = len(self.items) - len(self.planned)
        return f"{len(self.done) / wanted:.0%}" if wanted else "—"


def group(items: Sequence[ReportItem], period: Period, today: date, say: Say) -> Groups:
    """What was done in the period and what is still open, in the order in which people want to read it."""
    finished = sorted((item for item in items if was_done_in(item, period)), key=_by_day_done)
    pending = sorted((item for item in items if not item.done), key=lambda item: _by_pressure(item, today))
    done = tuple(_line(item, period, today, say) for item in finished)
    still_open = tuple(_line(item, period, today, say) for item in pending)
    calm = [line for line in still_open if not (line.overdue or line.urgent)]
    return Groups(
        items=done + still_open,
        done=done,
        on_time=tuple(line for line in done if line.on_time),
        open=still_open,
        overdue=tuple(line for line in still_open if line.overdue),
        urgent=tuple(line for line in still_open if line.urgent),
        at_risk=tuple(line for line in still_open if line.overdue or line.urgent),
        ongoing=tuple(line for line in calm if not line.planned),
        planned=tuple(line for line in calm if line.planned),
    )


def run_counts(runs: Sequence[tuple[date, str]], period: Period, say: Say) -> tuple[str, ...]:
    """周报 2 次, 晨报 5 次: the tasks carried out in the period, the most frequent first."""
    counted = Counter(one_line(name) for day, name in runs if period[0] <= day <= period[1])
    return tuple(say("report.run", name=name, count=count) for name, count in counted.most_common())


def was_done_in(item: ReportItem, period: Period) -> bool:
    """What is done on a day that nobody knows counts for every period."""
    return item.done and (item.done_on is None or period[0] <= item.done_on <= period[1])


def is_overdue(item: ReportItem, today: date) -> bool:
    return not item.done and item.due is not None and item.due < today


class Lists:
    """The lists that a template places on its page, in the layout that the person wants: `[[items]]` is
    everything, `{{ listing(done) }}` leaves a numbered marker for the lines that it was given."""

    def __init__(self, everything: Sequence[Line], layout: str, say: Say) -> None:
        self._everything = everything
        self._layout = layout
        self._say = say
        self._placed: list[Sequence[Line]] = []

    def place(self, lines: Sequence[Line]) -> Marker:
        self._placed.append(lines)
        return Marker.of("items", len(self._placed) - 1)

    def blocks(self, number: int | None) -> list[Block]:
        lines = self._everything if number is None else self._placed[number]
        if not lines:
            return [Paragraph(self._say("report.none"), muted=True)]
        blocks = [self._lay_out(lines[:_MOST_LINES])]
        if len(lines) > _MOST_LINES:
            blocks.append(Paragraph(self._say("report.more", count=len(lines) - _MOST_LINES), muted=True))
        return blocks

    def _lay_out(self, lines: Sequence[Line]) -> Block:
        if self._layout == "table":
            columns = tuple(self._say(f"report.column.{name}") for name in ("item", "status", "due"))
            return Table(columns, tuple((line.title, line.status, line.due or "—") for line in lines))
        if self._layout == "paragraph":
            return Paragraph(self._say("report.sentence", lines="；".join(line.text for line in lines)))
        return Bullets(tuple(line.text for line in lines))


def _line(item: ReportItem, period: Period, today: date, say: Say) -> Line:
    title = one_line(item.title)
    if len(title) > _LONGEST_TITLE:
        title = title[: _LONGEST_TITLE - 1] + "…"
    planned = not item.done and item.due is not None and item.due > period[1]
    status, due = _status(item, planned, today, say), _day(item.due, today)
    shape = "report.line.due" if due and not item.done else "report.line.plain"
    return Line(
        title=title,
        status=status,
        due=due,
        text=say(shape, title=title, status=status, due=due),
        done=item.done,
        on_time=item.done_on is not None and item.due is not None and item.done_on <= item.due,
        urgent=item.urgent,
        overdue=is_overdue(item, today),
        planned=planned,
    )


def _status(item: ReportItem, planned: bool, today: date, say: Say) -> str:
    if item.done:
        day = _day(item.done_on, today)
        return say("report.status.done_on", day=day) if day else say("report.state.done")
    status = say("report.status.planned") if planned else say("report.state.open")
    if item.due is not None and is_overdue(item, today):
        status = say("report.status.overdue", days=(today - item.due).days)
    return say("report.status.urgent", status=status) if item.urgent else status


def _day(day: date | None, today: date) -> str:
    if day is None:
        return ""
    return f"{day:%m-%d}" if day.year == today.year else f"{day:%Y-%m-%d}"


def _by_day_done(item: ReportItem) -> date:
    return item.done_on or date.max


def _by_pressure(item: ReportItem, today: date) -> tuple[bool, bool, date]:
    return not is_overdue(item, today), not item.urgent, item.due or date.max
