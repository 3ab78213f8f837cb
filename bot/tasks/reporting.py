"""The report task: gathers a person's to-dos and runs of the period and has them composed as the draft says."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from bot import todos
from bot.channels import Destination
from bot.drafts import Draft
from bot.stores import runs
from bot.tasks.outcome import Outcome
from bot.tasks.periods import Period
from bot.tasks.report import ReportItem, ReportRequest, compose, period_of, resolve_template
from bot.turn import Turn
from config.clock import from_micros, to_micros


def run_report(turn: Turn, draft: Draft, destinations: tuple[Destination, ...]) -> Outcome:
    """The report of the current day, week, month or quarter."""
    kind = draft.kind or "weekly"
    today = turn.now.date()
    period = period_of(kind, today)
    asked = str(draft.values.get("report_template", "default"))
    template, fell_back = resolve_template(asked, turn.catalog.option_values("report_template"))
    chart = draft.values.get("chart_type")
    request = ReportRequest(
        kind=kind,
        owner_name=turn.office.directory.name_of(turn.message.sender),
        period=period,
        today=today,
        items=_items(turn, period),
        runs=_runs(turn, period),
        template=template,
        template_name=turn.catalog.value_name("report_template", template),
        template_file=turn.catalog.value_file("report_template", template) or "default.md.j2",
        fallback_from=turn.catalog.value_name("report_template", asked) if fell_back else None,
        chart=str(chart) if chart else None,
        chart_name=turn.catalog.value_name("chart_type", chart) if chart else None,
        layout=str(draft.values.get("output_format", "list")),
        channel_name="、".join(_channel_name(turn, destination) for destination in destinations),
        reasons=tuple(
            turn.say(f"reason.{draft.origins.get(key, 'default')}")
            for key in ("report_template", "chart_type", "notify_channel")
        ),
    )
    return Outcome("report", compose(request, turn.office.templates(), turn.say))


def _channel_name(turn: Turn, destination: Destination) -> str:
    return turn.catalog.value_name("notify_channel", destination.address.platform)


def _items(turn: Turn, period: Period) -> tuple[ReportItem, ...]:
    zone = turn.now.tzinfo
    since, _ = _bounds(turn, period)
    return tuple(
        ReportItem(
            title=todo.title,
            done=todo.done_at is not None,
            due=todo.due,
            done_on=todo.done_at.astimezone(zone).date() if todo.done_at else None,
            urgent=todo.urgent,
        )
        for todo in todos.open_or_done_since(turn.tx, turn.office.keyring, turn.person, since)
    )


def _runs(turn: Turn, period: Period) -> tuple[tuple[date, str], ...]:
    zone = turn.now.tzinfo
    since, until = _bounds(turn, period)
    rows = runs.between(turn.tx, turn.person.tenant, turn.person.id, to_micros(since), to_micros(until))
    return tuple(
        (from_micros(row.started_at).astimezone(zone).date(), turn.catalog.task_name(row.task)) for row in rows
    )


def _bounds(turn: Turn, period: Period) -> tuple[datetime, datetime]:
    zone = turn.now.tzinfo
    first, last = period
    return (
        datetime.combine(first, time.min, zone),
        datetime.combine(last + timedelta(days=1), time.min, zone),
    )
