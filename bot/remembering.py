"""Remembering: what a person tells is stored at once; what it would override waits for a yes."""

from __future__ import annotations

from bot import naming, offers, overriding
from bot.announcing import tell
from bot.turn import Turn
from bot.understanding.understand import LONGEST
from memory.types import Preference, Proposal


def remember(turn: Turn) -> None:
    """What the sentence says: asked about first where it was said only in passing."""
    told = turn.understanding.preferences
    if not told:
        turn.answer(turn.say("remember.nothing_found"))
    elif len(turn.message.text) > LONGEST:
        turn.answer(turn.say("remember.too_long", count=LONGEST))
    elif turn.understanding.bare:
        offers.offer_bare(turn, told)
    else:
        store(turn, told)


def store(turn: Turn, told: tuple[Preference, ...]) -> None:
    """Store statements; those that would override ask first, in one question."""
    sweeping = turn.understanding.sweeping
    proposals = turn.memory.propose(turn.person, told, turn.now, sweeping=sweeping)
    words = _write(turn, tuple(proposal for proposal in proposals if not overriding.needs_a_yes(proposal)))
    waiting = tuple(proposal for proposal in proposals if overriding.needs_a_yes(proposal))
    if waiting:
        overriding.ask(turn, waiting, sweeping=sweeping, before=words)
    else:
        tell(turn, words)


def _write(turn: Turn, proposals: tuple[Proposal, ...]) -> str:
    """Write proposals that need no yes; the sentence that says what holds now, empty for none."""
    fresh: list[Preference] = []
    known: list[Preference] = []
    for proposal in proposals:
        record = turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
        (known if proposal.effect == "same" else fresh).append(record.preference)
    words = []
    if fresh:
        words.append(turn.say("remember.stored", what=naming.describe(turn, fresh)))
    if known:
        words.append(turn.say("remember.known", what=naming.describe(turn, known)))
    return "\n".join(words)
