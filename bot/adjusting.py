"""Adjusting: a result that was just given is made again with another value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from bot import running
from bot.codec import decode
from bot.drafts import Draft
from bot.stores import runs
from bot.turn import Turn
from config.clock import to_micros
from memory.types import Value

ADJUSTABLE = timedelta(hours=1)  # a session: how long a result can still be changed by a word


def adjust(turn: Turn) -> None:
    """Change a result that was just given: the task runs again with the new value; nothing is stored or offered."""
    draft = _last_run(turn)
    if draft is None:
        turn.answer(turn.say("task.nothing_to_adjust"))
        return
    changes = _values_of(turn, draft, turn.understanding.slots)
    if not changes:
        turn.answer(turn.say("task.cannot_adjust"))
        return
    aside = _set_aside(turn, draft, changes) if turn.understanding.once else {}
    for key, value in changes.items():
        draft = draft.with_value(key, value, "adjusted")
    running.execute(turn, replace(draft, once=True, set_aside=aside))


def choose(turn: Turn) -> None:
    """A bare value where nobody asked: it changes the result just given, where there is one."""
    if turn.questions_elsewhere() or _last_run(turn) is None:
        turn.answer(turn.say("answers.nothing_asked"))
    else:
        adjust(turn)


def _set_aside(turn: Turn, draft: Draft, changes: Mapping[str, Value]) -> dict[str, Value]:
    """What is remembered otherwise."""
    recalled = turn.memory.recall_all(turn.person, changes, turn.situation(draft.scene_task, draft.variant))
    return {key: found.value for key, found in recalled.items() if not found.stale and found.value != changes[key]}


def _last_run(turn: Turn) -> Draft | None:
    """The run whose result can still be changed, unless bot.yaml no longer has its task."""
    since = to_micros(turn.now - ADJUSTABLE)
    row = runs.latest(turn.tx, turn.person.tenant, turn.person.id, since)
    if row is None:
        return None
    held = decode(dict, turn.office.keyring.open(turn.tx, turn.person.tenant, row.body, "run"))
    draft = Draft.from_mapping(held)
    return draft if draft.fits(turn.catalog) else None


def _values_of(turn: Turn, draft: Draft, said: Mapping[str, Value]) -> dict[str, Value]:
    keys = {slot.name for slot in turn.catalog.tasks[draft.task].slots}
    return {key: value for key, value in said.items() if key in keys}
