"""Questions: what the bot waits for an answer to. Stored, several open at once, each for one person in one chat."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from bot.codec import decode, encode
from bot.stores import questions as rows
from bot.stores.questions import QuestionRow
from bot.types import Address, Body, Option
from config.clock import from_micros, to_micros
from memory.keyring import Keyring
from memory.stores.database import Transaction
from memory.types import Person

QuestionKind = Literal[
    "slot", "run", "remember", "replace", "stale", "forget", "suggest", "conflict", "consent", "link"
]
State = Literal["open", "answered", "void"]
"""void: what it asked about is gone, or its time was over when the person was told so."""

LIVES: Mapping[str, timedelta] = {"slot": timedelta(hours=1), "stale": timedelta(hours=1)}
USUALLY_LIVES = timedelta(hours=24)


@dataclass(frozen=True)
class Question:
    """One thing asked of one person. `about` holds what answering it needs; `body` what was asked, so that the card
    can show the outcome beside it. The first option is the yes, the last one the no."""

    id: str
    kind: QuestionKind
    person: Person
    address: Address
    about: Mapping[str, Any]
    options: tuple[Option, ...]
    body: Body
    created_at: datetime
    expires_at: datetime
    state: State = "open"

    def has_expired(self, now: datetime) -> bool:
        return now >= self.expires_at

    def is_live(self, now: datetime) -> bool:
        """Whether it can still be answered."""
        return self.state == "open" and not self.has_expired(now)

    def option(self, key: str) -> Option | None:
        return next((option for option in self.options if option.key == key), None)


class Questions:
    """Asks, finds and closes questions inside a turn's transaction."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def ask(
        self,
        tx: Transaction,
        person: Person,
        address: Address,
        kind: QuestionKind,
        *,
        body: Body,
        options: tuple[Option, ...],
        about: Mapping[str, Any],
        now: datetime,
    ) -> Question:
        """Store a new question; say it with a reply that carries its id."""
        question = Question(
            id=str(uuid.uuid4()),
            kind=kind,
            person=person,
            address=address,
            about=about,
            options=options,
            body=body,
            created_at=now,
            expires_at=now + LIVES.get(kind, USUALLY_LIVES),
        )
        payload = encode({"address": address, "about": about, "options": options, "body": body})
        rows.add(
            tx,
            QuestionRow(
                id=question.id,
                tenant=person.tenant,
                person=person.id,
                kind=kind,
                address_hash=self._keyring.hash(person.tenant, address.key()),
                payload=self._keyring.seal(tx, person.tenant, payload, "question"),
                state="open",
                created_at=to_micros(now),
                expires_at=to_micros(question.expires_at),
            ),
        )
        return question

    def find(self, tx: Transaction, question: str) -> Question | None:
        """Any question by its id, whoever it was for."""
        row = rows.get(tx, question)
        return self._open(tx, row) if row else None

    def open_in(self, tx: Transaction, person: Person, address: Address) -> tuple[Question, ...]:
        """The person's open questions in that chat, the newest first; those whose time is over are among them."""
        here = self._keyring.hash(person.tenant, address.key())
        return tuple(
            self._open(tx, row) for row in rows.open_of(tx, person.tenant, person.id) if row.address_hash == here
        )

    def unanswered(self, tx: Transaction, person: Person) -> tuple[Question, ...]:
        """As `open_in`, of every chat."""
        return tuple(self._open(tx, row) for row in rows.open_of(tx, person.tenant, person.id))

    def close(self, tx: Transaction, question: Question, state: State, now: datetime) -> None:
        rows.close(tx, question.id, state=state, now=to_micros(now))

    def _open(self, tx: Transaction, row: QuestionRow) -> Question:
        held = decode(dict, self._keyring.open(tx, row.tenant, row.payload, "question"))
        return Question(
            id=row.id,
            kind=row.kind,  # type: ignore[arg-type]  # only QuestionKind is ever written
            person=Person(row.tenant, row.person),
            address=held["address"],
            about=held["about"],
            options=held["options"],
            body=held["body"],
            created_at=from_micros(row.created_at),
            expires_at=from_micros(row.expires_at),
            state=row.state,  # type: ignore[arg-type]  # as above
        )
