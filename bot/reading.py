"""`jide understand`, `jide when` and `jide screen`: what the bot makes of a sentence, one JSON object for each line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.types import Understanding
from bot.understanding import times
from bot.understanding.printing import to_json
from bot.understanding.times import read_time
from bot.understanding.understand import understand
from config.loading import load
from config.problems import ConfigError
from config.workdays import WorkCalendar
from memory.catalog import Catalog
from memory.screening import screen
from memory.screening_clauses import split_clauses

FINE, FOUND_WRONG, WRONG_USE = 0, 1, 2


def understand_lines(lines: Iterable[str], *, config: Path, now: str | None) -> int:
    """Print what each line means, in order, an empty line included; the exit code."""
    try:
        settings = load(config).require()
    except ConfigError as error:
        print(error, file=sys.stderr)
        return FOUND_WRONG
    moment = _moment(now, settings.office.timezone)
    if moment is None:
        return WRONG_USE
    catalog = Catalog(settings.catalog, digest_time=f"{settings.office.digest_time:%H:%M}")
    for line in lines:
        _print(to_json(_understood(line, catalog, moment)))
    return FINE


def _understood(line: str, catalog: Catalog, moment: datetime) -> Understanding:
    """As the bot would: the clauses with sensitive values are not read."""
    found = screen(line)
    clean = "".join(clause for clause, touched in split_clauses(line, found) if not touched)
    return replace(understand(clean, catalog, now=moment), text=line, sensitive=found.kinds)


def screen_lines(lines: Iterable[str]) -> int:
    """Print what is sensitive in each line, in order; the exit code."""
    for line in lines:
        _print(dict(screen(line).to_json()))
    return FINE


def when_lines(lines: Iterable[str], *, config: Path, now: str | None) -> int:
    """Print what each line says about time, in order; the exit code."""
    try:
        settings = load(config).require()
    except ConfigError as error:
        print(error, file=sys.stderr)
        return FOUND_WRONG
    moment = _moment(now, settings.office.timezone)
    if moment is None:
        return WRONG_USE
    calendar = WorkCalendar(settings.office.workdays)
    opening, closing = str(settings.office.working_hours).split("-")
    for line in lines:
        when = read_time(
            line,
            moment,
            calendar=calendar,
            working_hours=(opening, closing),
            digest_time=f"{settings.office.digest_time:%H:%M}",
        )
        _print(times.to_json(when, line))
    return FINE


def _print(found: dict[str, Any]) -> None:
    """One line of JSON, whatever the sentence held: a lone surrogate is escaped."""
    text = json.dumps(found, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(found)
    print(text, flush=True)


def _moment(now: str | None, timezone: str) -> datetime | None:
    zone = ZoneInfo(timezone)
    if now is None:
        return datetime.now(zone)
    try:
        moment = datetime.fromisoformat(now)
    except ValueError:
        print(f"--now {now}：不是 ISO 时刻，例如 2026-03-02T09:00", file=sys.stderr)
        return None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
