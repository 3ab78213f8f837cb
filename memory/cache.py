"""The active memories of the people who are talking just now, decrypted, until somebody changes them."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from memory.ageing import changes_at
from memory.stores.transaction import Transaction, tick
from memory.types import Person, Record

CAPACITY = 10_000  # people; about 20 kB each
KEPT_FOR = timedelta(minutes=10)  # bounds what another replica's write can leave unseen


@dataclass(frozen=True)
class Cached:
    """All active records of one person; from `ages_at` on some of them must be looked at anew."""

    records: tuple[Record, ...]
    loaded_at: datetime
    ages_at: datetime | None


class PersonCache:
    """LRU with a time to live; silent about a person from a write until its transaction has ended."""

    def __init__(self, capacity: int = CAPACITY, kept_for: timedelta = KEPT_FOR) -> None:
        self._capacity = capacity
        self._kept_for = kept_for
        self._people: OrderedDict[Person, Cached] = OrderedDict()
        self._in_doubt: Counter[Person] = Counter()
        self._changed: OrderedDict[Person, int] = OrderedDict()
        self._oldest_change = 0

    def get(self, person: Person, now: datetime) -> Cached | None:
        found = self._people.get(person)
        if found is None:
            return None
        if not timedelta(0) <= now - found.loaded_at < self._kept_for:
            del self._people[person]
            return None
        self._people.move_to_end(person)
        return found

    def put(self, tx: Transaction, person: Person, records: Sequence[Record], now: datetime) -> Cached:
        """What `tx` read; kept unless it may be older, or newer, than what is committed."""
        ages_at = min(map(changes_at, records), default=None)
        loaded = Cached(tuple(records), now, ages_at)
        if person not in self._in_doubt and tx.began > self._changed.get(person, self._oldest_change):
            self._people[person] = loaded
            self._people.move_to_end(person)
            if len(self._people) > self._capacity:
                self._people.popitem(last=False)
        return loaded

    def touch(self, tx: Transaction, person: Person) -> None:
        """`tx` changes what is remembered about `person`."""
        if person in tx.touched:
            return
        tx.touched.add(person)
        self._people.pop(person, None)
        self._in_doubt[person] += 1
        tx.at_end(partial(self._settle, person))

    def _settle(self, person: Person, committed: bool) -> None:
        self._in_doubt[person] -= 1
        if not self._in_doubt[person]:
            del self._in_doubt[person]
        # A transaction that began before this moment may have read the old state.
        self._changed[person] = tick()
        self._changed.move_to_end(person)
        if len(self._changed) > self._capacity:
            _, self._oldest_change = self._changed.popitem(last=False)
