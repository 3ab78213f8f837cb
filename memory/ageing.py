"""What time does to memories: unused go dormant, limited ones expire, forgotten ones stop being restorable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from memory.types import Archived, Record

DORMANT_AFTER = timedelta(days=90)
REFUSED_FOR = timedelta(days=90)
RESTORABLE_FOR = timedelta(days=30)  # what was forgotten; what was replaced stays until everything is erased

FORGOTTEN = "forgotten"


def is_dormant(record: Record, now: datetime) -> bool:
    """Neither used nor confirmed for more than 90 days."""
    return now - max(record.used_at, record.confirmed_at) > DORMANT_AFTER


def has_expired(record: Record, now: datetime) -> bool:
    return record.expires_at is not None and record.expires_at <= now


def changes_at(record: Record) -> datetime:
    """Until this moment, inclusive, the record stays as it is if nobody touches it."""
    dormant_at = max(record.used_at, record.confirmed_at) + DORMANT_AFTER
    if record.expires_at is None:
        return dormant_at
    return min(dormant_at, record.expires_at - timedelta(microseconds=1))


def aged(records: Iterable[Record], now: datetime) -> tuple[Record, ...]:
    """The records as they stand at `now`: expired ones gone, unused ones dormant."""
    return tuple(
        replace(record, status="dormant") if is_dormant(record, now) else record
        for record in records
        if not has_expired(record, now)
    )


def is_restorable(archived: Archived, now: datetime) -> bool:
    if has_expired(archived.record, now):
        return False
    return archived.reason != FORGOTTEN or now - archived.archived_at <= RESTORABLE_FOR
