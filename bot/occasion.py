"""An occasion to speak to one person: the transaction, the moment, and what the office works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.channels import Channels, Destination
from bot.directory import Directory
from bot.outbox import Outbox
from bot.people import People
from bot.questions import Questions
from bot.types import Address, Reply
from config.settings import Settings
from config.texts import Texts
from config.workdays import WorkCalendar
from memory.catalog import Catalog
from memory.keyring import Keyring
from memory.memory import Memory
from memory.stores.database import Transaction
from memory.types import Person, Situation, Value


@dataclass(frozen=True)
class Office:
    """What everybody works with; the callables give what the newest good bot.yaml says."""

    settings: Callable[[], Settings]
    catalog: Callable[[], Catalog]
    calendar: Callable[[], WorkCalendar]
    texts: Texts
    people: People
    directory: Directory
    questions: Questions
    outbox: Outbox
    keyring: Keyring
    channels: Channels
    memory: Callable[[Transaction], Memory]
    templates: Callable[[], tuple[Path, ...]]


CHANNEL = "notify_channel"


class Occasion:
    """Everything that may be read and written for one person now. `key` makes the replies of a repeated occasion
    the same ones."""

    def __init__(self, office: Office, tx: Transaction, person: Person, now: datetime, key: str) -> None:
        self.office = office
        self.tx = tx
        self.person = person
        self.now = now  # aware, in the office's zone
        self.settings = office.settings()
        self.catalog = office.catalog()
        self.memory = office.memory(tx)
        self._key = key
        self._said = 0

    def say(self, key: str, **fields: object) -> str:
        """A sentence of texts.zh.yaml."""
        return self.office.texts.say(key, **fields)

    def send(self, reply: Reply) -> str:
        """Put a reply into the outbox; its row id."""
        self._said += 1
        return self.office.outbox.put(self.tx, self.person, reply, key=f"{self._key}/{self._said}", now=self.now)

    def reach(self, task: str | None, here: Address, *, channel: Value | None = None) -> tuple[Destination, ...]:
        """Where something of this task goes: `channel` when it was said, else as remembered, else `here`.

        An added channel (也发一份到…) comes beside `here`; an excluded one is avoided where there is another.
        """
        situation = self.situation(task)
        if channel is None:
            found = self.memory.recall(self.person, CHANNEL, situation)
            if found and not found.stale:
                added = found.record.mode == "add"
                channel = (here.platform, *_each(found.value)) if added else found.value
        avoid = frozenset(str(value) for value in self.memory.excluded(self.person, CHANNEL, situation))
        return self.office.channels.destinations(self.tx, self.person, channel, here, avoid)

    def situation(self, task: str | None = None, variant: str | None = None) -> Situation:
        return Situation(now=self.now, task=task, variant=variant)


def _each(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)
