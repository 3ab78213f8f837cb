"""One turn: a message being handled inside its transaction, and what it has said so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.occasion import Occasion, Office
from bot.questions import Question, QuestionKind
from bot.stores import outbox as outbox_rows
from bot.types import Address, Body, Message, Option, Paragraph, Reply, ReplyKind, Understanding
from memory.stores.database import Transaction
from memory.types import Person

APART = timedelta(microseconds=1)  # between the questions of one turn, so that one of them is the newest


class Turn(Occasion):
    """Everything one message may read and write. Replies get keys from the message, so a repeated turn is the same."""

    def __init__(
        self, office: Office, tx: Transaction, person: Person, message: Message, now: datetime, *, waiting: bool
    ) -> None:
        super().__init__(office, tx, person, now, f"{message.app}/{message.id}")
        self.message = message
        self.understanding = Understanding(message.text)
        self.toast: str | None = None
        self.preface: str | None = None  # words that the next reply to the chat at hand begins with
        self._waiting = waiting
        self._asked = 0

    def send(self, reply: Reply) -> str:
        """As always; the first reply to the chat at hand carries the preface."""
        if self.preface and reply.to == self.message.address and not reply.replaces:
            blocks = (Paragraph(self.preface), *reply.body.blocks)
            reply = replace(reply, body=replace(reply.body, blocks=blocks))
            self.preface = None
        return super().send(reply)

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
        """Ask the speaker in the chat at hand; the question is stored and its buttons carry its id. The same question
        asked again takes the place of the older one."""
        for older in self.questions_here():
            if (older.kind, older.about) == (kind, about):
                self.withdraw(older)
        body = Body.say(text)
        question = self.office.questions.ask(
            self.tx,
            self.person,
            self.message.address,
            kind,
            body=body,
            options=options,
            about=about,
            now=self.now + self._asked * APART,
        )
        self._asked += 1
        self.send(Reply(self.message.address, reply_kind, body, options, question.id))

    def questions_here(self) -> tuple[Question, ...]:
        """The speaker's unanswered questions in the chat at hand, the newest first."""
        return self.office.questions.open_in(self.tx, self.person, self.message.address)

    def questions_elsewhere(self) -> tuple[Question, ...]:
        """Those in other chats that still wait for an answer."""
        return tuple(
            question
            for question in self._unanswered()
            if question.address != self.message.address and question.is_live(self.now)
        )

    def settle(self, question: Question, outcome: str) -> None:
        """The question is answered: its card shows `outcome` instead of the buttons."""
        self.office.questions.close(self.tx, question, "answered", self.now)
        self._show(question, self.say("card.settled", outcome=outcome))

    def withdraw(self, question: Question) -> None:
        """The question can no longer be answered, and its card says so."""
        self.office.questions.close(self.tx, question, "void", self.now)
        self._show(question, self.say("card.void"))

    def withdraw_all(self) -> None:
        """Withdraw everything that still waits for an answer: what it asked about is gone."""
        for question in self._unanswered():
            self.withdraw(question)

    def _unanswered(self) -> tuple[Question, ...]:
        return self.office.questions.unanswered(self.tx, self.person)

    def _show(self, question: Question, outcome: str) -> None:
        card = outbox_rows.card_of(self.tx, question.id)
        if card is None:
            return
        press = self.message.press
        receipt = press.receipt if press and press.question_id == question.id else None
        settled = replace(question.body, blocks=(*question.body.blocks, Paragraph(outcome, muted=True)))
        self.send(Reply(question.address, "answer", settled, replaces=card, receipt=receipt))
