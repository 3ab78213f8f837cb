"""One turn: a message being handled inside its transaction, and what it has said so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.occasion import Occasion, Office
from bot.questions import Question, QuestionKind
from bot.stores import outbox as outbox_rows
from bot.types import Address, Body, Message, Option, Paragraph, Reply, ReplyKind, Understanding
from memory.stores.database import Transaction
from memory.types import Person


class Turn(Occasion):
    """Everything one message may read and write. Replies get keys from the message, so a repeated turn is the same."""

    def __init__(
        self, office: Office, tx: Transaction, person: Person, message: Message, now: datetime, *, waiting: bool
    ) -> None:
        super().__init__(office, tx, person, now, f"{message.app}/{message.id}")
        self.message = message
        self.understanding = Understanding(message.text)
        self.toast: str | None = None
        self._waiting = waiting

    # --- saying ---

    def answer(self, text: str) -> None:
        """Say something in the chat at hand."""
        self.send(Reply(self.message.address, "answer", Body.say(text)))

    def answer_privately(self, text: str) -> None:
        """Say something to the speaker alone, whatever chat this is."""
        self.send(Reply(Address(self.message.sender), "answer", Body.say(text)))

    def nudge(self, text: str) -> None:
        """Words that matter only for the press at hand: a toast while the platform holds the line, else a text."""
        if self._waiting:
            self.toast = text
        else:
            self.answer(text)

    # --- asking ---

    def ask(
        self,
        kind: QuestionKind,
        text: str,
        options: tuple[Option, ...],
        about: Mapping[str, Any],
        *,
        reply_kind: ReplyKind = "answer",
    ) -> None:
        """Ask the speaker in the chat at hand; the question is stored and its buttons carry its id."""
        body = Body.say(text)
        question = self.office.questions.ask(
            self.tx,
            self.person,
            self.message.address,
            kind,
            body=body,
            options=options,
            about=about,
            now=self.now,
        )
        self.send(Reply(self.message.address, reply_kind, body, options, question.id))

    def open_questions(self) -> tuple[Question, ...]:
        return self.office.questions.open_in(self.tx, self.person, self.message.address)

    def settle(self, question: Question, outcome: str) -> None:
        """Close `question` and let its card show `outcome` instead of the buttons."""
        self.office.questions.close(self.tx, question, self.now)
        card = outbox_rows.card_of(self.tx, question.id)
        if card is None:
            return
        press = self.message.press
        receipt = press.receipt if press and press.question_id == question.id else None
        settled = replace(
            question.body,
            blocks=(*question.body.blocks, Paragraph(self.say("card.settled", outcome=outcome), True)),
        )
        self.send(Reply(question.address, "answer", settled, replaces=card, receipt=receipt))
