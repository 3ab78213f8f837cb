"""Schedules: a person's digest at its time, derived from what is remembered, kept in step with it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot.codec import decode, encode
from bot.occasion import Occasion
from bot.recurrence import next_after
from bot.stores import schedules as rows
from bot.stores.schedules import ScheduleRow
from bot.types import Address
from config.clock import from_micros, to_micros
from config.workdays import WorkCalendar
from memory.stores.database import Transaction

DIGEST = "digest"
DIGEST_KEYS = ("digest_time", "digest_days")
_DAYS: Mapping[str, Mapping[str, Any]] = {
    "daily": {"freq": "DAILY", "workday": False},
    "workdays": {"freq": "DAILY", "workday": True},
    "weekdays": {"freq": "WEEKLY", "byday": ["MO", "TU", "WE", "TH", "FR"], "workday": False},
}


def keep_digest(occasion: Occasion, here: Address) -> datetime | None:
    """Bring the person's digest schedule in step with what is remembered; its next instant when that has changed.

    `here`: where a digest without a channel of its own will go.
    """
    person = occasion.person
    existing = rows.find(occasion.tx, person.tenant, person.id, DIGEST)
    rule = _digest_rule(occasion)
    if rule is None:
        if existing:
            rows.remove(occasion.tx, person.tenant, person.id, DIGEST)
        return None
    zone = occasion.settings.office.timezone
    text = json.dumps(rule, sort_keys=True)
    if existing and (existing.rule, existing.zone) == (text, zone):
        return None
    due = _next(rule, occasion.now, occasion.office.calendar(), zone)
    if existing and existing.given_on == due.date().isoformat():
        due = _next(rule, due, occasion.office.calendar(), zone)
    if existing:
        rows.change(occasion.tx, existing.id, rule=text, zone=zone, due_at=to_micros(due))
    else:
        rows.add(
            occasion.tx,
            ScheduleRow(
                id=str(uuid.uuid4()),
                tenant=person.tenant,
                person=person.id,
                kind=DIGEST,
                rule=text,
                zone=zone,
                address=occasion.office.keyring.seal(occasion.tx, person.tenant, encode(here), "schedule"),
                due_at=to_micros(due),
                given_on=None,
                attempts=0,
                created_at=to_micros(occasion.now),
            ),
        )
    return due


def digest_of(occasion: Occasion) -> ScheduleRow | None:
    """The person's digest schedule."""
    return rows.find(occasion.tx, occasion.person.tenant, occasion.person.id, DIGEST)


def address_of(occasion: Occasion, row: ScheduleRow) -> Address:
    """The chat that a schedule was asked for in."""
    return decode(Address, occasion.office.keyring.open(occasion.tx, row.tenant, row.address, "schedule"))


def skip_today(occasion: Occasion, row: ScheduleRow) -> None:
    """What it would bring was asked for and given: this day's one is not sent as well."""
    today = occasion.now.date()
    due = from_micros(row.due_at).astimezone(ZoneInfo(row.zone))
    if due.date() == today:
        due = following(row, due, occasion.office.calendar())
    rows.move_on(occasion.tx, row.id, due_at=to_micros(due), given_on=today.isoformat())


def following(row: ScheduleRow, after: datetime, calendar: WorkCalendar) -> datetime:
    """The row's next instant after `after`."""
    return _next(json.loads(row.rule), after, calendar, row.zone)


def next_due(tx: Transaction) -> datetime | None:
    """The next instant of anybody's schedule."""
    due = rows.next_due(tx)
    return from_micros(due) if due is not None else None


def _digest_rule(occasion: Occasion) -> Mapping[str, Any] | None:
    """None for a person who has asked for no schedule."""
    recalled = occasion.memory.recall_all(occasion.person, DIGEST_KEYS, occasion.situation(DIGEST))
    if not recalled:
        return None
    time = recalled["digest_time"].value if "digest_time" in recalled else occasion.catalog.digest_time
    days = recalled["digest_days"].value if "digest_days" in recalled else "daily"
    base = {"interval": 1, "byday": [], "bymonthday": [], "bymonth": [], "times": []}
    return {**base, **_DAYS[str(days)], "time": time}


def _next(rule: Mapping[str, Any], after: datetime, calendar: WorkCalendar, zone: str) -> datetime:
    due = next_after(rule, after, calendar, ZoneInfo(zone))
    if due is None:
        raise ValueError(f"rule {rule} never falls due again")
    return due
