"""The dialogue: what one message leads to — an answer to a question, a statement about memory, or a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from bot import adjusting, answers, commands, running
from bot.inbox import Handled
from bot.occasion import Office
from bot.tasks import digest, todo
from bot.turn import Turn
from bot.types import Intent, Message
from bot.understanding.understand import understand
from config.clock import Clock
from config.normalise import normalise
from memory.screening import LABELS
from memory.stores.database import Transaction
from memory.types import Person

INTENTS: Mapping[Intent, Callable[[Turn], None]] = {
    "remember": running.remember,
    "run": running.start,
    "adjust": adjusting.adjust,
    "choose": adjusting.choose,
    "digest": digest.give,
    "list": commands.list_memories,
    "recall": commands.list_memories,
    "forget": commands.forget,
    "restore": commands.restore,
    "todo": todo.handle,
    "help": commands.help_out,
    "confirm": answers.nothing_open,
    "deny": answers.nothing_open,
}
"""What each intent does once no open question claims the sentence; the others are answered as not understood."""

READABLE = ("text", "post")
SILENT = ("entered",)


class Dialogue:
    """Decides turns; satisfies `bot.inbox.TurnHandler`."""

    def __init__(self, office: Office, clock: Clock) -> None:
        self._office = office
        self._clock = clock

    def handle(self, tx: Transaction, person: Person, message: Message, *, waiting: bool) -> Handled:
        """Everything one message leads to, written through `tx`."""
        turn = self._turn(tx, person, message, waiting=waiting)
        if message.kind == "press":
            answers.press(turn)
        elif message.address.is_group:
            self._in_group(turn)
        elif message.kind in READABLE:
            self._sentence(turn)
        elif message.kind not in SILENT:
            turn.answer(turn.say("odd.kind", kind=turn.say(f"odd.{message.kind}")))
        return Handled(turn.toast)

    def apologise(self, tx: Transaction, person: Person, message: Message) -> None:
        """One sentence instead of silence when a message could not be handled."""
        turn = self._turn(tx, person, message, waiting=False)
        turn.answer(turn.say("sorry"))

    def _turn(self, tx: Transaction, person: Person, message: Message, *, waiting: bool) -> Turn:
        zone = ZoneInfo(self._office.settings().office.timezone)
        return Turn(self._office, tx, person, message, self._clock.now().astimezone(zone), waiting=waiting)

    def _in_group(self, turn: Turn) -> None:
        """A group hears one polite word when it speaks to the bot; nothing is remembered or told there."""
        if turn.message.mentions_bot:
            turn.answer(turn.say("group.come_to_private"))

    def _sentence(self, turn: Turn) -> None:
        """What was said, without the clauses that held a sensitive value; the person hears that those are not kept."""
        sensitive = turn.message.sensitive
        if sensitive:
            turn.preface = turn.say("sensitive.not_kept", what=_kinds(turn, sensitive))
        if not normalise(turn.message.text).strip():
            if sensitive:
                commands.only_sensitive(turn)
            elif turn.message.mentions_bot:
                commands.help_out(turn)
            return
        turn.understanding = understand(turn.message.text, turn.catalog, now=turn.now)
        if answers.typed(turn):
            return
        unclear = commands.only_sensitive if sensitive else commands.not_understood
        INTENTS.get(turn.understanding.intent, unclear)(turn)


def _kinds(turn: Turn, sensitive: tuple[str, ...]) -> str:
    """手机号、银行卡号."""
    return "、".join(LABELS[kind].strip("［］") for kind in sensitive)
