"""Every write to a person's records, so that the cache, the archive and the audit trail always follow."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memory.cache import PersonCache
from memory.keyring import Keyring
from memory.stores import aliases, archive, memories, refusals, trail
from memory.stores.transaction import Transaction
from memory.types import Archived, Person, Preference, Record, Source, Value
from memory.values import each, joined, without

REPLACED = "replaced"


class Keeping:
    """Adds, changes, archives and erases within one transaction."""

    def __init__(self, tx: Transaction, keyring: Keyring, cache: PersonCache) -> None:
        self._tx = tx
        self._keyring = keyring
        self._cache = cache

    def add(self, record: Record, action: str, now: datetime) -> Record:
        self._cache.touch(self._tx, record.person)
        memories.add(self._tx, self._keyring, record, now)
        trail.note(self._tx, record.person, action, now, record.key)
        return record

    def change(self, record: Record, action: str, now: datetime) -> Record:
        self._cache.touch(self._tx, record.person)
        memories.change(self._tx, self._keyring, record)
        trail.note(self._tx, record.person, action, now, record.key)
        return record

    def use(self, person: Person, ids: Sequence[str], now: datetime) -> None:
        self._cache.touch(self._tx, person)
        memories.use(self._tx, person, ids, now)

    def archive(
        self, records: Iterable[Record], *, reason: str, now: datetime, note: str | None = None
    ) -> tuple[Archived, ...]:
        """Take them out of recall; the reason is their line in the audit trail."""
        return tuple([self._archive_one(record, reason, now, note) for record in records])

    def erase(self, person: Person, now: datetime) -> int:
        """Everything of the person, for good; how many active memories there were."""
        self._cache.touch(self._tx, person)
        erased = memories.erase(self._tx, person)
        for store in (archive, aliases, refusals):
            store.erase(self._tx, person)
        trail.receipt(self._tx, person, erased, now)
        trail.note(self._tx, person, "erased", now)
        return erased

    def reduce(self, record: Record, unwanted: Value, now: datetime) -> Record | None:
        """Archive the record; what is left of it without the unwanted values stays in force."""
        self.archive((record,), reason=REPLACED, now=now)
        rest = without(record.value, each(unwanted))
        if rest is None:
            return None
        return self.add(replace(record, id=str(uuid.uuid4()), value=rest, version=record.version + 1), "reduced", now)

    def widen(self, record: Record, more: Value, now: datetime) -> Record:
        """Add values to what it holds already."""
        value = joined(record.value, more)
        wider = replace(record, value=value, confirmed_at=now, used_at=now, status="active", version=record.version + 1)
        return self.change(wider, "widened", now)

    def _archive_one(self, record: Record, reason: str, now: datetime, note: str | None) -> Archived:
        self._cache.touch(self._tx, record.person)
        memories.remove(self._tx, record.person, (record.id,))
        trail.note(self._tx, record.person, reason, now, record.key)
        return archive.add(self._tx, self._keyring, record, reason=reason, now=now, note=note)


def new_record(person: Person, preference: Preference, source: Source, now: datetime) -> Record:
    return Record(
        id=str(uuid.uuid4()),
        person=person,
        kind="preference",
        key=preference.key,
        value=preference.value,
        scene=preference.scene,
        mode=preference.mode,
        source=source,
        status="active",
        created_at=now,
        confirmed_at=now,
        used_at=now,
    )
