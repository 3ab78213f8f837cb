"""Offers: after a task, the values that the person chose for it can be remembered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot import naming, overriding
from bot.announcing import tell
from bot.drafts import Draft, is_offered
from bot.questions import Question
from bot.turn import Turn
from bot.types import Option
from memory.types import ALWAYS, Preference, Record, Scene


@dataclass(frozen=True)
class _Change:
    """A value that was chosen, and the remembered one that it differs from."""

    preference: Preference
    record: Record


def offer(turn: Turn, draft: Draft, lines: tuple[str, ...]) -> None:
    """After a run: say `lines`, and offer to remember what the person chose for it."""
    if draft.once:
        aside = "、".join(turn.catalog.phrase(key, value) for key, value in draft.set_aside.items())
        say(turn, (*lines, *([turn.say("offer.set_aside", what=aside)] if aside else [])))
        return
    new, changes = _candidates(turn, draft)
    if new or changes:
        _ask(turn, lines, draft, new, changes)
    else:
        say(turn, lines)


def offer_bare(turn: Turn, told: tuple[Preference, ...]) -> None:
    """What was said without 以后 and outside a task (通知发到企业微信) holds for now; it is offered once for always."""
    proposals = turn.memory.propose(turn.person, told, turn.now)
    if all(each.effect == "same" for each in proposals):
        turn.answer(turn.say("remember.known", what=naming.describe(turn, told)))
        return
    open_ones = [
        each
        for each in proposals
        if each.effect != "same" and not turn.memory.is_refused(turn.person, each.preference, turn.now)
    ]
    if open_ones:
        changes = tuple(_Change(each.preference, each.replaces) for each in open_ones if each.replaces)
        _ask(turn, (), None, tuple(each.preference for each in open_ones if not each.replaces), changes)
    else:
        turn.answer(turn.say("offer.bare_again", what=naming.phrases(turn, told)))


def _ask(
    turn: Turn,
    lines: tuple[str, ...],
    draft: Draft | None,
    new: tuple[Preference, ...],
    changes: tuple[_Change, ...],
) -> None:
    text = "\n".join((*lines, *_asking(turn, draft, new, changes)))
    options = (
        Option("yes", _yes(turn, new, changes), "primary"),
        Option("no", turn.say("label.no_need")),
    )
    about = {
        "preferences": (*new, *(change.preference for change in changes)),
        "draft": draft.to_mapping() if draft else None,
        "changed": {change.preference.key: change.record.value for change in changes},
        "named": tuple(change.record.id for change in changes),
    }
    turn.ask("remember", text, options, about)


def say(turn: Turn, lines: Iterable[str]) -> None:
    """The lines as one answer; nothing for none."""
    if text := "\n".join(lines):
        turn.answer(text)


def _candidates(turn: Turn, draft: Draft) -> tuple[tuple[Preference, ...], tuple[_Change, ...]]:
    """What could be remembered: values of which nothing is known, and values that differ from what is."""
    given = draft.chosen()
    chosen = {slot.name: given[slot.name] for slot in turn.catalog.tasks[draft.task].slots if slot.name in given}
    situation = turn.situation(draft.scene_task, draft.variant)
    recalled = turn.memory.recall_all(turn.person, tuple(chosen), situation)
    new: list[Preference] = []
    changes: list[_Change] = []
    for key, value in chosen.items():
        preference = Preference(key, value, task_scene(turn, key, draft))
        found = recalled.get(key)
        unwanted = value in turn.memory.excluded(turn.person, key, situation)
        refused = turn.memory.is_refused(turn.person, preference, turn.now)
        if unwanted or refused or (found and found.value == value):
            continue
        if found and is_offered(turn.catalog, found.record.preference):
            changes.append(_Change(preference, found.record))
        else:
            new.append(preference)
    return tuple(new), tuple(changes)


def task_scene(turn: Turn, key: str, draft: Draft) -> Scene:
    """A value learned from a task belongs to that task, unless only one task reads its key."""
    return ALWAYS if turn.catalog.is_read_by_one_task(key) else Scene(task=draft.scene_task)


def _asking(
    turn: Turn, draft: Draft | None, new: tuple[Preference, ...], changes: tuple[_Change, ...]
) -> tuple[str, ...]:
    """What differs from the default, and the one question about all of it."""
    differs = tuple(
        turn.say(
            "offer.differs",
            new=turn.catalog.phrase(change.preference.key, change.preference.value),
            name=turn.catalog.key_name(change.preference.key),
            old=turn.catalog.value_name(change.preference.key, change.record.value),
        )
        for change in changes
    )
    if not new:
        return (*differs[:-1], differs[-1] + turn.say("offer.change"))
    what = naming.phrases(turn, (*new, *(change.preference for change in changes)))
    if draft is None:
        return (*differs, turn.say("offer.bare", what=what))
    return (*differs, turn.say("offer.new", title=naming.title_of(turn, draft), what=what))


def _yes(turn: Turn, new: tuple[Preference, ...], changes: tuple[_Change, ...]) -> str:
    """改为研发部 where there is one thing to change, else 记住."""
    if new or len(changes) > 1:
        return turn.say("label.remember")
    return turn.say("label.change_to", value=naming.value_name(turn, changes[0].preference))


def answer_offer(turn: Turn, question: Question, option: Option) -> None:
    """记住 / 改为… / 不用."""
    turn.settle(question, option.label)
    if option.key == "yes":
        _accept(turn, question)
    else:
        _refuse(turn, question)


def _accept(turn: Turn, question: Question) -> None:
    """Store what was offered. Where that would displace what the offer did not name, ask."""
    preferences: tuple[Preference, ...] = question.about["preferences"]
    proposals = turn.memory.propose(turn.person, preferences, turn.now)
    replaced = [each.replaces for each in proposals if each.replaces]
    displaced = {record.id for record in replaced if is_offered(turn.catalog, record.preference)}
    if question.about["changed"] or not displaced.issubset(question.about["named"]):
        overriding.carry_out(turn, proposals, named=question.about["named"], sweeping=False)
        return
    for proposal in proposals:
        turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
    draft = question.about["draft"]
    if draft is None:
        tell(turn, turn.say("remember.stored", what=naming.describe(turn, preferences)))
    else:
        title = naming.title_of(turn, Draft.from_mapping(draft))
        tell(turn, turn.say("offer.stored", title=title, what=naming.phrases(turn, preferences)))


def _refuse(turn: Turn, question: Question) -> None:
    """Keep what is remembered, do not offer this again for a while; a short name becomes a way to ask for it."""
    for preference in question.about["preferences"]:
        turn.memory.refuse(turn.person, preference, turn.now)
    kept = "、".join(turn.catalog.phrase(key, old) for key, old in question.about["changed"].items())
    taught = _teach_variant(turn, question)
    if taught:
        turn.answer(turn.say("offer.kept_with_variant", kept=kept, **taught))
    elif kept:
        turn.answer(turn.say("offer.kept", kept=kept))
    else:
        turn.answer(turn.say("offer.refused"))


def _teach_variant(turn: Turn, question: Question) -> Mapping[str, str] | None:
    """研发 + 周报 → 研发周报 means that value from now on; None when no value has such a short name."""
    if question.about["draft"] is None:
        return None
    draft = Draft.from_mapping(question.about["draft"])
    for preference in question.about["preferences"]:
        short = turn.catalog.short_of(preference.key, preference.value)
        if preference.key in question.about["changed"] and short:
            values = {preference.key: preference.value}
            turn.memory.teach(turn.person, draft.scene_task, short, values, turn.now)
            variant = short + turn.catalog.task_name(draft.scene_task)
            return {"variant": variant, "value": turn.catalog.phrase(preference.key, preference.value)}
    return None
