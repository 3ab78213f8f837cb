"""Running a task: fill its slots (this sentence → memory by scene → prompt or default), confirm, do it, tell, offer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from bot import remembering
from bot.channels import Destination
from bot.codec import decode, encode
from bot.drafts import Draft
from bot.occasion import CHANNEL
from bot.questions import Question
from bot.stores import runs
from bot.stores.runs import RunRow
from bot.tasks import RUNNERS
from bot.turn import Turn
from bot.types import Option, Reply
from config.clock import to_micros
from memory.types import Recalled, Value

ADJUSTABLE = timedelta(hours=1)  # a session: how long a result can still be changed by a word


def start(turn: Turn) -> None:
    """Begin the task that a sentence asks for."""
    understood = turn.understanding
    if understood.task is None or understood.task not in RUNNERS:
        turn.answer(turn.say("task.not_yet"))
        return
    task = turn.catalog.tasks[understood.task]
    draft = Draft(
        task=understood.task,
        kind=_text(understood.slots.get(task.kind_slot)),
        variant=_text(understood.slots.get("variant")),
        once=understood.once,
    )
    for key, value in understood.slots.items():
        if key in turn.catalog.keys:
            draft = draft.with_value(key, value, "said")
    proceed(turn, draft)
    if understood.preferences:
        remembering.remember(turn)


def proceed(turn: Turn, draft: Draft) -> None:
    """Take a draft as far as it goes: to the next question, or to its result."""
    task = turn.catalog.tasks[draft.task]
    if task.kinds and draft.kind is None:
        options = tuple(Option(kind.id, kind.name) for kind in task.kinds.values())
        _ask_slot(turn, draft, task.kind_slot, turn.say("task.which_kind"), options)
        return
    filled = _fill(turn, draft)
    draft = filled.draft
    if filled.stale:
        _ask_stale(turn, draft, filled.stale)
        return
    for slot in task.slots:
        if slot.prompt and slot.name not in draft.values:
            options = tuple(
                Option(value, turn.catalog.value_name(slot.name, value))
                for value in turn.catalog.option_values(slot.name)
            )
            _ask_slot(turn, draft, slot.name, slot.prompt, options)
            return
    if task.confirm and not draft.names_a_value() and not filled.direct:
        _ask_to_run(turn, draft)
        return
    execute(turn, draft)


def execute(turn: Turn, draft: Draft) -> None:
    """Do it: send the result where it belongs, record the run, tell the chat, offer to remember."""
    named = draft.values.get(CHANNEL) if draft.origins.get(CHANNEL) != "memory" else None
    destinations = turn.reach(draft.scene_task, turn.message.address, channel=named)
    result = RUNNERS[draft.task](turn, draft, destinations)
    for destination in destinations:
        turn.send(Reply(destination.address, result.kind, result.body))
    _record(turn, draft)
    turn.memory.mark_used(turn.person, tuple(draft.records.values()), turn.now)
    remembering.offer(turn, draft, _where_it_went(turn, draft, destinations))


def adjust(turn: Turn) -> None:
    """Change a result that was just given: the task runs again with the new value; nothing is stored."""
    since = to_micros(turn.now - ADJUSTABLE)
    last = runs.latest(turn.tx, turn.person.tenant, turn.person.id, since)
    if last is None:
        turn.answer(turn.say("task.nothing_to_adjust"))
        return
    held = decode(dict, turn.office.keyring.open(turn.tx, turn.person.tenant, last.body, "run"))
    draft = replace(Draft.from_mapping(held), set_aside={})
    keys = {slot.name for slot in turn.catalog.tasks[draft.task].slots}
    changes = {key: value for key, value in turn.understanding.slots.items() if key in keys}
    if not changes:
        turn.answer(turn.say("task.cannot_adjust"))
        return
    for key, value in changes.items():
        draft = draft.with_value(key, value, "adjusted")
    execute(turn, draft)


# --- answers ---


def answer_slot(turn: Turn, question: Question, values: Mapping[str, Value]) -> None:
    """The person gave what a slot question asked for, perhaps with more."""
    draft = Draft.from_mapping(question.about["draft"])
    task = turn.catalog.tasks[draft.task]
    names = []
    for key, value in values.items():
        if key == task.kind_slot:
            draft = replace(draft, kind=str(value))
            names.append(turn.catalog.task_name(str(value)))
        elif key in turn.catalog.keys:
            draft = draft.with_value(key, value, "asked")
            names.append(turn.catalog.value_name(key, value))
    turn.settle(question, "、".join(names))
    proceed(turn, draft)


def answer_slot_option(turn: Turn, question: Question, option: Option) -> None:
    answer_slot(turn, question, {str(question.about["slot"]): option.key})


def answer_run(turn: Turn, question: Question, option: Option) -> None:
    """继续 / 取消."""
    turn.settle(question, option.label)
    if option.key == "yes":
        execute(turn, Draft.from_mapping(question.about["draft"]))
    else:
        turn.answer(turn.say("task.cancelled"))


def answer_stale(turn: Turn, question: Question, option: Option) -> None:
    """是的: the doubtful values are good again and the task runs; 换一个: they are asked for."""
    turn.settle(question, option.label)
    draft = Draft.from_mapping(question.about["draft"])
    stale: Mapping[str, str] = question.about["records"]
    if option.key == "yes":
        for record in stale.values():
            turn.memory.refresh(turn.person, record, turn.now)
        draft = _fill(turn, draft).draft
        execute(turn, draft)
    else:
        for key in stale:
            name = turn.catalog.keys[key].name
            options = tuple(
                Option(value, turn.catalog.value_name(key, value))
                for value in turn.catalog.option_values(key)
            )
            _ask_slot(turn, draft, key, turn.say("task.which_one", name=name), options)
            return


# --- filling ---


@dataclass(frozen=True)
class _Filled:
    draft: Draft
    stale: Mapping[str, Recalled]
    direct: bool  # the person wants no confirmation


def _fill(turn: Turn, draft: Draft) -> _Filled:
    """Complete a draft from aliases, memory and defaults, without touching what was said."""
    task = turn.catalog.tasks[draft.task]
    keys = tuple(slot.name for slot in task.slots)
    recalled = turn.memory.recall_all(
        turn.person, (*keys, "confirm_tasks"), turn.situation(draft.scene_task, draft.variant)
    )
    draft = _from_variant(turn, draft, keys)
    stale: dict[str, Recalled] = {}
    for slot in task.slots:
        found = recalled.get(slot.name)
        if slot.name in draft.values:
            if found and not found.stale and found.value != draft.values[slot.name]:
                draft = replace(draft, set_aside={**draft.set_aside, slot.name: found.value})
        elif found and found.stale:
            stale[slot.name] = found
        elif found:
            draft = draft.with_value(slot.name, found.value, "memory", found.record.id)
        elif not slot.prompt and slot.default is not None:
            draft = draft.with_value(slot.name, slot.default, "default")
    confirm = recalled.get("confirm_tasks")
    return _Filled(draft, stale, bool(confirm and not confirm.stale and confirm.value == "direct"))


def _from_variant(turn: Turn, draft: Draft, keys: tuple[str, ...]) -> Draft:
    """A word fused to the task's name: what the person taught it to mean, else a value's short name, for once."""
    if draft.variant is None:
        return draft
    variant = draft.variant
    for alias in turn.memory.aliases(turn.person, draft.scene_task):
        if alias.variant == variant:
            for key, value in alias.values.items():
                if key not in draft.values:
                    draft = draft.with_value(key, value, "alias")
            return draft
    for key in keys:
        meant = turn.catalog.value_for_short(key, variant)
        if meant is not None and key not in draft.values:
            draft = draft.with_value(key, meant, "variant")
    return draft


# --- asking ---


def _ask_slot(turn: Turn, draft: Draft, key: str, prompt: str, options: tuple[Option, ...]) -> None:
    turn.ask("slot", prompt, options, {"draft": draft.to_mapping(), "slot": key})


def _ask_to_run(turn: Turn, draft: Draft) -> None:
    text = turn.say("task.confirm", title=remembering.title_of(turn, draft), values=describe(turn, draft))
    options = (
        Option("yes", turn.say("label.continue"), "primary"),
        Option("no", turn.say("label.cancel")),
    )
    turn.ask("run", text, options, {"draft": draft.to_mapping()})


def _ask_stale(turn: Turn, draft: Draft, stale: Mapping[str, Recalled]) -> None:
    values = "、".join(turn.catalog.phrase(key, found.value) for key, found in stale.items())
    options = (
        Option("yes", turn.say("label.still"), "primary"),
        Option("no", turn.say("label.another")),
    )
    about = {"draft": draft.to_mapping(), "records": {key: found.record.id for key, found in stale.items()}}
    turn.ask(
        "stale",
        turn.say("task.stale", title=remembering.title_of(turn, draft), values=values),
        options,
        about,
    )


# --- telling ---


def describe(turn: Turn, draft: Draft, keys: tuple[str, ...] | None = None) -> str:
    """用市场部模板、发到企业微信: the values that somebody chose (or those of `keys`), in the task's order."""
    ordered = [slot.name for slot in turn.catalog.tasks[draft.task].slots]
    chosen = keys or tuple(key for key in ordered if draft.origins.get(key, "default") != "default")
    return "、".join(turn.catalog.phrase(key, draft.values[key]) for key in ordered if key in chosen)


def _where_it_went(turn: Turn, draft: Draft, destinations: tuple[Destination, ...]) -> tuple[str, ...]:
    """A line for each result that is not simply in the chat at hand."""
    lines = []
    for destination in destinations:
        name = turn.catalog.value_name(CHANNEL, destination.channel)
        if destination.missing:
            lines.append(turn.say(f"channel.{destination.missing}", channel=name))
        elif destination.address != turn.message.address:
            lines.append(turn.say("task.delivered", title=remembering.title_of(turn, draft), channel=name))
    return tuple(lines)


def _record(turn: Turn, draft: Draft) -> None:
    sealed = turn.office.keyring.seal(turn.tx, turn.person.tenant, encode(draft.to_mapping()), "run")
    runs.add(
        turn.tx,
        RunRow(
            id=str(uuid.uuid4()),
            tenant=turn.person.tenant,
            person=turn.person.id,
            task=draft.scene_task,
            body=sealed,
            outcome="done",
            started_at=to_micros(turn.now),
        ),
    )


def _text(value: Value | None) -> str | None:
    return str(value) if value is not None else None
