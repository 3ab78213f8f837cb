"""Running a task: fill its slots (this sentence → memory by scene → prompt or default), confirm, do it, tell, offer."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot import naming, offers, remembering
from bot.channels import Destination
from bot.codec import encode
from bot.drafts import Draft
from bot.filling import fill, wanted
from bot.occasion import CHANNEL
from bot.questions import Question
from bot.stores import runs
from bot.stores.runs import RunRow
from bot.tasks import RUNNERS, Outcome
from bot.turn import Turn
from bot.types import Option, Reply
from config.clock import to_micros
from memory.catalog import Catalog
from memory.types import Preference, Recalled, Value


def start(turn: Turn) -> None:
    """Begin the task that a sentence asks for; what the sentence states for always counts for this run as well."""
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
    proceed(turn, _with_told(turn, draft, understood.preferences))
    if understood.preferences:
        remembering.remember(turn)


def remember(turn: Turn) -> None:
    """A statement, and the task that the same sentence asks for (生成周报，以后都用市场部模板)."""
    if turn.understanding.task in RUNNERS and turn.understanding.preferences:
        start(turn)
    else:
        remembering.remember(turn)


def _with_told(turn: Turn, draft: Draft, told: Iterable[Preference]) -> Draft:
    """Those of the statements that hold for this task whenever it runs."""
    tasks = {draft.scene_task, *turn.catalog.parents(draft.scene_task)}
    for one in told:
        holds = set(one.scene) <= {"task"} and one.scene.get("task", draft.scene_task) in tasks
        if holds and one.mode == "set" and turn.catalog.tasks[draft.task].slot(one.key):
            draft = draft.with_value(one.key, one.value, "told")
    return draft


def proceed(turn: Turn, draft: Draft) -> None:
    """Take a draft as far as it goes: to the next question, or to its result."""
    task = turn.catalog.tasks[draft.task]
    if task.kinds and draft.kind is None:
        options = tuple(Option(kind.id, kind.name) for kind in task.kinds.values())
        _ask(turn, draft, task.kind_slot, turn.say("task.which_kind"), options)
        return
    filled = fill(turn, draft)
    draft = filled.draft
    if filled.stale:
        _ask_stale(turn, draft, filled.stale)
        return
    for key in filled.gone:
        _ask_value(turn, draft, key, turn.say("task.value_gone", name=turn.catalog.key_name(key)))
        return
    for slot in task.slots:
        if slot.prompt and slot.name not in draft.values:
            _ask_value(turn, draft, slot.name, slot.prompt)
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
    unknown = _send_to_recipients(turn, draft, result)
    _record(turn, draft)
    turn.memory.mark_used(turn.person, tuple(draft.records.values()), turn.now)
    if any(destination.missing for destination in destinations):
        draft = draft.without(CHANNEL)  # what led nowhere is not offered
    offers.offer(turn, draft, (*_where_it_went(turn, draft, destinations), *unknown))


def _send_to_recipients(turn: Turn, draft: Draft, result: Outcome) -> tuple[str, ...]:
    """A copy for everybody whom the person has named as recipient; a line about those whom nobody knows."""
    named = draft.values.get("recipients", ())
    unknown = []
    for name in named if isinstance(named, tuple) else (str(named),):
        person = turn.office.directory.find(turn.tx, turn.person.tenant, name, turn.now)
        address = turn.office.channels.near(turn.tx, person, turn.message.address) if person else None
        if address is None:
            unknown.append(name)
        else:
            turn.send(Reply(address, result.kind, result.body))
    return (turn.say("task.no_such_recipient", names="、".join(unknown)),) if unknown else ()


# --- answers ---


def answer_values(turn: Turn, question: Question, values: Mapping[str, Value]) -> None:
    """The person gave what a question about a task asked for, or other values of the task, or both."""
    draft = Draft.from_mapping(question.about["draft"])
    if turn.understanding.once:
        draft = replace(draft, once=True)
    turn.settle(question, "、".join(_value_names(turn, draft, values)))
    proceed(turn, given(draft, turn.catalog, values))


def answer_for_good(turn: Turn, question: Question) -> None:
    """The answer was stated for always (市场部，以后都用这个): it holds for this run and is remembered for the task."""
    draft = Draft.from_mapping(question.about["draft"])
    told = turn.understanding.preferences
    meant = tuple(one if one.scene else replace(one, scene=offers.task_scene(turn, one.key, draft)) for one in told)
    turn.settle(question, "、".join(_value_names(turn, draft, {one.key: one.value for one in told})))
    proceed(turn, _with_told(turn, draft, meant))
    remembering.store(turn, meant)


def answer_slot_option(turn: Turn, question: Question, option: Option) -> None:
    answer_values(turn, question, {str(question.about["slot"]): option.key})


def given(draft: Draft, catalog: Catalog, values: Mapping[str, Value]) -> Draft:
    """The draft with what was answered: its kind, or values of its slots."""
    kind_slot = catalog.tasks[draft.task].kind_slot
    for key, value in values.items():
        is_kind = key == kind_slot
        draft = replace(draft, kind=str(value)) if is_kind else draft.with_value(key, value, "asked")
    return draft


def _value_names(turn: Turn, draft: Draft, values: Mapping[str, Value]) -> list[str]:
    task = turn.catalog.tasks[draft.task]
    kind = values.get(task.kind_slot)
    names = [turn.catalog.task_name(str(kind))] if kind is not None else []
    keys = [slot.name for slot in task.slots if slot.name in values]
    return [*names, *(turn.catalog.value_name(key, values[key]) for key in keys)]


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
        execute(turn, fill(turn, draft).draft)
        return
    key = next(iter(stale))
    _ask_value(turn, draft, key, turn.say("task.which_one", name=turn.catalog.key_name(key)))


# --- asking ---


def _ask_value(turn: Turn, draft: Draft, key: str, prompt: str) -> None:
    options = tuple(Option(value, turn.catalog.value_name(key, value)) for value in wanted(turn, draft, key))
    _ask(turn, draft, key, prompt, options)


def _ask(turn: Turn, draft: Draft, slot: str, prompt: str, options: tuple[Option, ...]) -> None:
    turn.ask("slot", prompt, options, {"draft": draft.to_mapping(), "slot": slot})


def _ask_to_run(turn: Turn, draft: Draft) -> None:
    text = turn.say("task.confirm", title=naming.title_now(turn, draft), values=describe(turn, draft))
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
        turn.say("task.stale", title=naming.title_now(turn, draft), values=values),
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
            lines.append(turn.say("task.delivered", what=naming.result_of(turn, draft), channel=name))
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
