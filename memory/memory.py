"""The door: the only way in or out of what is remembered about a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory import sealing
from memory.ageing import REFUSED_FOR, aged, is_restorable
from memory.cache import PersonCache
from memory.catalog import Catalog
from memory.keeping import REPLACED, Keeping, new_record
from memory.keyring import Keyring
from memory.proposing import as_stored, neighbours, propose, says_already
from memory.recall import choose, excluded
from memory.scenes import Surroundings
from memory.stores import aliases, archive, memories, refusals, trail
from memory.stores.transaction import Transaction
from memory.types import (
    Alias,
    Archived,
    Person,
    Preference,
    Proposal,
    Recalled,
    Record,
    Situation,
    Source,
    Value,
)
from memory.values import One


@dataclass(frozen=True)
class MemoryParts:
    """What every door shares. `catalog` and `around` give what the newest good bot.yaml says."""

    catalog: Callable[[], Catalog]
    around: Callable[[], Surroundings]
    keyring: Keyring
    cache: PersonCache


class Memory:
    """What is remembered, read and changed within one transaction. Times are aware."""

    def __init__(self, tx: Transaction, parts: MemoryParts) -> None:
        self._tx = tx
        self._parts = parts
        self._keeping = Keeping(tx, parts.keyring, parts.cache)

    # --- reading -----------------------------------------------------------------------------------------

    def active(self, person: Person, now: datetime) -> tuple[Record, ...]:
        """Everything in force, the oldest first; unused ones are marked dormant."""
        cached = self._parts.cache.get(person, now)
        if cached is None:
            loaded = memories.load(self._tx, self._parts.keyring, person, now)
            cached = self._parts.cache.put(self._tx, person, loaded, now)
        if cached.ages_at is None or now <= cached.ages_at:
            return cached.records
        return aged(cached.records, now)

    def recall(self, person: Person, key: str, situation: Situation) -> Recalled | None:
        """The value of `key` that holds in this situation, with what it beat."""
        return self.recall_all(person, (key,), situation).get(key)

    def recall_all(self, person: Person, keys: Iterable[str], situation: Situation) -> dict[str, Recalled]:
        """`recall` for several keys; those without a value are missing."""
        around = self._parts.around()
        found: dict[str, Recalled] = {}
        for key in keys:
            records = self._preferences(person, key, situation.now)
            if records and (recalled := choose(records, situation, around)) is not None:
                found[key] = recalled
        return found

    def excluded(self, person: Person, key: str, situation: Situation) -> tuple[One, ...]:
        """The values of `key` that the person does not want in this situation, not even as a default."""
        records = self._preferences(person, key, situation.now)
        return excluded(records, situation, self._parts.around()) if records else ()

    def archived(self, person: Person, now: datetime, key: str | None = None) -> tuple[Archived, ...]:
        """What can be restored, the newest first."""
        found = archive.newest_first(self._tx, self._parts.keyring, person, key)
        return tuple(one for one in found if is_restorable(one, now))

    def count(self, person: Person) -> int:
        """How many memories there are."""
        return memories.count(self._tx, person)

    # --- remembering -------------------------------------------------------------------------------------

    def propose(
        self, person: Person, preferences: Sequence[Preference], now: datetime, sweeping: bool = False
    ) -> tuple[Proposal, ...]:
        """What storing these preferences of one statement would do. ValueError when the catalog refuses one."""
        for preference in preferences:
            self._parts.catalog().validate(preference)
        return propose(
            preferences,
            self.active(person, now),
            parents=self._parts.around().parents,
            takes_several=self._takes_several,
            sweeping=sweeping,
        )

    def remember(self, person: Person, proposal: Proposal, *, source: Source, now: datetime) -> Record:
        """Store it as things stand now; what stands in its place, and what the proposal named, is archived."""
        self._parts.catalog().validate(proposal.preference)
        preference = as_stored(proposal.preference, self._takes_several)
        named = {record.id for record in proposal.narrower}
        narrower = [one for one in self.active(person, now) if one.id in named and one.scene != preference.scene]
        self._keeping.archive(narrower, reason=REPLACED, now=now)

        met = neighbours(preference, self.active(person, now))
        if met.opposite is not None:
            rest = self._keeping.reduce(met.opposite, preference.value, now)
            if rest is not None and preference.mode == "exclude":
                return rest  # what is left of the positive value keeps the excluded ones out already
        elif met.place is not None and says_already(met.place, preference):
            return self._keeping.change(replace(met.place, used_at=now), "repeated", now)
        if met.place is not None and preference.mode != "set":
            return self._keeping.widen(met.place, preference.value, now)
        if met.place is not None:
            self._keeping.archive((met.place,), reason=REPLACED, now=now)
        return self._keeping.add(new_record(person, preference, source, now), "remembered", now)

    def mark_used(self, person: Person, record_ids: Sequence[str], now: datetime) -> None:
        """They were applied just now."""
        if record_ids:
            self._keeping.use(person, record_ids, now)

    def refresh(self, person: Person, record_id: str, now: datetime) -> Record | None:
        """The person confirmed it: it is awake again. None when it is gone by now."""
        for record in self.active(person, now):
            if record.id == record_id:
                awake = replace(record, confirmed_at=now, used_at=now, status="active")
                return self._keeping.change(awake, "confirmed", now)
        return None

    # --- forgetting and restoring ------------------------------------------------------------------------

    def forget(
        self, person: Person, records: Iterable[Record], *, reason: str, now: datetime, note: str | None = None
    ) -> tuple[Archived, ...]:
        """Move the records that are still active to the archive. `note`: why, in the person's own words."""
        gone = {record.id for record in records}
        still = [record for record in self.active(person, now) if record.id in gone]
        return self._keeping.archive(still, reason=reason, now=now, note=note)

    def forget_everything(self, person: Person, now: datetime) -> int:
        """Erase memories, archive, aliases and refusals for good; how many memories there were."""
        return self._keeping.erase(person, now)

    def restore(self, person: Person, archived_id: str, now: datetime) -> Record:
        """Bring value and scene back; what that displaces goes to the archive.

        LookupError when it is no longer restorable, ValueError when the catalog has dropped its value since.
        """
        kept = archive.find(self._tx, self._parts.keyring, person, archived_id)
        if kept is None or not is_restorable(kept, now):
            raise LookupError(f"nothing to restore under {archived_id}")
        self._parts.catalog().validate(kept.record.preference)
        archive.remove(self._tx, person, archived_id)

        return self._put_back(replace(kept.record, confirmed_at=now, used_at=now), now)

    # --- aliases and refusals ----------------------------------------------------------------------------

    def aliases(self, person: Person, task: str | None = None) -> tuple[Alias, ...]:
        """The variants that the person taught, of one task or of all."""
        found = aliases.of_person(self._tx, self._parts.keyring, person)
        return tuple(alias for alias in found if task in (None, alias.task))

    def teach(self, person: Person, task: str, variant: str, values: Mapping[str, Value], now: datetime) -> Alias:
        """`variant` said before the task's name stands for `values` from now on."""
        for key, value in values.items():
            self._parts.catalog().validate(Preference(key, value))
        trail.note(self._tx, person, "taught", now, task)
        return aliases.teach(self._tx, self._parts.keyring, person, task, variant, values, now)

    def unteach(self, person: Person, task: str, variant: str, now: datetime) -> bool:
        """Forget a variant; whether there was one."""
        had = aliases.unteach(self._tx, self._parts.keyring, person, task, variant)
        if had:
            trail.note(self._tx, person, "untaught", now, task)
        return had

    def refuse(self, person: Person, preference: Preference, now: datetime) -> None:
        """The person declined the offer to remember this: it is not made again for 90 days."""
        refusals.add(self._tx, self._parts.keyring, person, preference, now)
        trail.note(self._tx, person, "refused", now, preference.key)

    def is_refused(self, person: Person, preference: Preference, now: datetime) -> bool:
        refused_at = refusals.refused_at(self._tx, self._parts.keyring, person, preference)
        return refused_at is not None and now - refused_at < REFUSED_FOR

    def _preferences(self, person: Person, key: str, now: datetime) -> list[Record]:
        return [one for one in self.active(person, now) if one.key == key and one.kind == "preference"]

    def _put_back(self, record: Record, now: datetime) -> Record:
        active = self.active(record.person, now)
        place = next((one for one in active if sealing.identity(one) == sealing.identity(record)), None)
        if place is not None and place.preference == record.preference:
            return self._keeping.change(replace(place, used_at=now), "repeated", now)
        opposite = neighbours(record.preference, active).opposite
        if opposite is not None:
            self._keeping.reduce(opposite, record.value, now)
        if place is not None:
            self._keeping.archive((place,), reason=REPLACED, now=now)
        return self._keeping.add(replace(record, status="active", version=record.version + 1), "restored", now)

    def _takes_several(self, key: str) -> bool:
        entry = self._parts.catalog().key(key)
        return entry is not None and entry.multiple
