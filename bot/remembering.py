"""Remembering: what a person tells, what a task's values offer, and the yes that an override needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from bot import schedules
from bot.drafts import Draft
from bot.questions import Question
from bot.turn import Turn
from bot.types import Option
from memory.types import ALWAYS, Preference, Proposal, Scene, Value

OFFERED = ("said", "asked")


# --- told ---


def remember(turn: Turn) -> None:
    """Store what the sentence says at once; ask first where it would override or was said only in passing."""
    told = turn.understanding.preferences
    if not told:
        turn.answer(turn.say("remember.nothing_found"))
        return
    if turn.understanding.bare:
        _offer_bare(turn, told)
        return
    proposals = turn.memory.propose(turn.person, told, turn.now, sweeping=turn.understanding.sweeping)
    overriding = tuple(proposal for proposal in proposals if _needs_a_yes(proposal))
    words = _store(turn, tuple(proposal for proposal in proposals if not _needs_a_yes(proposal)))
    if overriding:
        _ask_to_replace(turn, overriding, words)
    else:
        tell(turn, words)


def tell(turn: Turn, words: str) -> None:
    """Say what has changed in memory, and what that means for the schedule that follows from it."""
    due = schedules.keep_digest(turn, turn.message.address)
    turn.answer(f"{words}\n{_scheduled(turn, due)}" if due else words)


def _scheduled(turn: Turn, due: datetime) -> str:
    """每天 08:00 发到企业微信，下一次是 03-03 08:00。"""
    recalled = turn.memory.recall_all(
        turn.person, ("digest_days", "notify_channel"), turn.situation(schedules.DIGEST)
    )
    days = recalled["digest_days"].value if "digest_days" in recalled else "daily"
    channel = recalled["notify_channel"].value if "notify_channel" in recalled else turn.message.address.platform
    return turn.say(
        "digest.scheduled",
        days=turn.catalog.value_name("digest_days", days),
        time=due.strftime("%H:%M"),
        channel=turn.catalog.value_name("notify_channel", channel),
        next=due.strftime("%m-%d %H:%M"),
    )


def _needs_a_yes(proposal: Proposal) -> bool:
    return proposal.effect == "replace" or bool(proposal.narrower)


def _store(turn: Turn, proposals: tuple[Proposal, ...]) -> str:
    """Write proposals that need no yes; the sentence that says so, empty for none."""
    fresh = tuple(proposal.preference for proposal in proposals if proposal.effect != "same")
    known = tuple(proposal.preference for proposal in proposals if proposal.effect == "same")
    for proposal in proposals:
        turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
    words = []
    if fresh:
        words.append(turn.say("remember.stored", what=describe(turn, fresh)))
    if known:
        words.append(turn.say("remember.known", what=describe(turn, known)))
    return "\n".join(words)


def _ask_to_replace(turn: Turn, proposals: tuple[Proposal, ...], before: str) -> None:
    lines = [before] if before else []
    lines += [_replacing(turn, proposal) for proposal in proposals]
    options = (
        Option("yes", turn.say("label.confirm"), "primary"),
        Option("no", turn.say("label.cancel")),
    )
    about = {
        "preferences": tuple(proposal.preference for proposal in proposals),
        "sweeping": turn.understanding.sweeping,
    }
    turn.ask("replace", "\n".join(lines), options, about)


def _replacing(turn: Turn, proposal: Proposal) -> str:
    """通知渠道现在是飞书，要改成企业微信吗？ — and which narrower memories would go as well."""
    preference = proposal.preference
    new = value_name(turn, preference)
    narrower = "、".join(name_and_value(turn, record.preference) for record in proposal.narrower)
    if proposal.replaces is None:
        return turn.say("replace.narrower", name=name_of(turn, preference), new=new, narrower=narrower)
    old = value_name(turn, proposal.replaces.preference)
    line = turn.say("replace.ask", name=name_of(turn, preference), old=old, new=new)
    return line + turn.say("replace.and_narrower", narrower=narrower) if narrower else line


def answer_replace(turn: Turn, question: Question, option: Option) -> None:
    """确认 / 取消 on an override or on a restoration."""
    turn.settle(question, option.label)
    if (archived := question.about.get("restore")) is not None:
        _answer_restore(turn, str(archived), option)
        return
    proposals = turn.memory.propose(
        turn.person, question.about["preferences"], turn.now, sweeping=bool(question.about["sweeping"])
    )
    if option.key == "yes":
        tell(turn, _replace(turn, proposals))
    else:
        kept = [proposal.replaces.preference for proposal in proposals if proposal.replaces]
        kept = kept or [record.preference for proposal in proposals for record in proposal.narrower]
        turn.answer(turn.say("replace.kept", what=describe(turn, kept)))


def _replace(turn: Turn, proposals: tuple[Proposal, ...]) -> str:
    """Carry out overrides; the sentence that names new and old."""
    words = []
    for proposal in proposals:
        turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
        gone = [*([proposal.replaces] if proposal.replaces else []), *proposal.narrower]
        name, new = name_of(turn, proposal.preference), value_name(turn, proposal.preference)
        if gone:
            old = "、".join(value_name(turn, record.preference) for record in gone)
            words.append(turn.say("replace.done", name=name, new=new, old=old))
        else:
            words.append(turn.say("remember.stored", what=describe(turn, (proposal.preference,))))
    return "\n".join(words)


def ask_to_restore(turn: Turn, archived: str, old: Preference, current: Preference) -> None:
    """Bringing an archived value back overrides the one in force: that needs a yes as well."""
    text = turn.say(
        "restore.ask", name=name_of(turn, old), current=value_name(turn, current), old=value_name(turn, old)
    )
    options = (
        Option("yes", turn.say("label.confirm"), "primary"),
        Option("no", turn.say("label.cancel")),
    )
    turn.ask("replace", text, options, {"restore": archived})


def _answer_restore(turn: Turn, archived: str, option: Option) -> None:
    if option.key != "yes":
        turn.answer(turn.say("restore.kept"))
        return
    restore(turn, archived)


def restore(turn: Turn, archived: str) -> None:
    """Bring an archived value back, and say so; or say why that is no longer possible."""
    try:
        record = turn.memory.restore(turn.person, archived, turn.now)
    except LookupError:
        turn.answer(turn.say("restore.nothing"))
    except ValueError:
        turn.answer(turn.say("restore.dropped"))
    else:
        tell(turn, turn.say("restore.done", what=describe(turn, (record.preference,))))


# --- offered ---


def offer(turn: Turn, draft: Draft, lines: tuple[str, ...]) -> None:
    """After a run: say `lines`, and offer to remember what the person chose for it."""
    if draft.once:
        aside = "、".join(turn.catalog.phrase(key, value) for key, value in draft.set_aside.items())
        _say(turn, (*lines, *([turn.say("offer.set_aside", what=aside)] if aside else [])))
        return
    new, changed = _candidates(turn, draft)
    if not new and not changed:
        _say(turn, lines)
        return
    title = title_of(turn, draft)
    text = list(lines)
    text += [
        turn.say(
            "offer.change",
            new=turn.catalog.phrase(preference.key, preference.value),
            name=turn.catalog.key_name(preference.key),
            old=turn.catalog.value_name(preference.key, old),
        )
        for preference, old in changed
    ]
    if new:
        text.append(turn.say("offer.new", title=title, what=phrases(turn, new)))
    _ask_offer(turn, "\n".join(text), new, changed, title, draft)


def _say(turn: Turn, lines: Iterable[str]) -> None:
    if text := "\n".join(lines):
        turn.answer(text)


def _candidates(
    turn: Turn, draft: Draft
) -> tuple[tuple[Preference, ...], tuple[tuple[Preference, Value], ...]]:
    """What could be remembered: values of which nothing is known, and values that differ from what is."""
    chosen = {key: value for key, value in draft.values.items() if draft.origins[key] in OFFERED}
    recalled = turn.memory.recall_all(
        turn.person, tuple(chosen), turn.situation(draft.scene_task, draft.variant)
    )
    new: list[Preference] = []
    changed: list[tuple[Preference, Value]] = []
    for key, value in chosen.items():
        preference = Preference(key, value, task_scene(turn, key, draft))
        found = recalled.get(key)
        if (found and found.value == value) or turn.memory.is_refused(turn.person, preference, turn.now):
            continue
        if found:
            changed.append((preference, found.value))
        else:
            new.append(preference)
    return tuple(new), tuple(changed)


def task_scene(turn: Turn, key: str, draft: Draft) -> Scene:
    """A value learned from a task belongs to that task, unless only one task reads its key."""
    return ALWAYS if turn.catalog.is_read_by_one_task(key) else Scene(task=draft.scene_task)


def _ask_offer(
    turn: Turn,
    text: str,
    new: tuple[Preference, ...],
    changed: tuple[tuple[Preference, Value], ...],
    title: str,
    draft: Draft,
) -> None:
    single = changed[0][0] if len(changed) == 1 and not new else None
    yes = (
        turn.say("label.change_to", value=value_name(turn, single)) if single else turn.say("label.remember")
    )
    options = (Option("yes", yes, "primary"), Option("no", turn.say("label.no_need")))
    about = {
        "preferences": (*new, *(preference for preference, _ in changed)),
        "title": title,
        "draft": draft.to_mapping(),
        "changed": {preference.key: old for preference, old in changed},
    }
    turn.ask("remember", text, options, about)


def _offer_bare(turn: Turn, told: tuple[Preference, ...]) -> None:
    """Said without 以后: asked once whether it holds for always."""
    proposals = turn.memory.propose(turn.person, told, turn.now)
    if all(proposal.effect == "same" for proposal in proposals):
        turn.answer(_store(turn, proposals))
        return
    changed = {p.preference.key: p.replaces.value for p in proposals if p.replaces}
    options = (
        Option("yes", turn.say("label.remember"), "primary"),
        Option("no", turn.say("label.no_need")),
    )
    about = {"preferences": told, "title": "", "draft": None, "changed": changed}
    turn.ask("remember", turn.say("offer.bare", what=describe(turn, told)), options, about)


def answer_offer(turn: Turn, question: Question, option: Option) -> None:
    """记住 / 改为… / 不用."""
    turn.settle(question, option.label)
    preferences: tuple[Preference, ...] = question.about["preferences"]
    if option.key != "yes":
        _refuse(turn, question, preferences)
        return
    proposals = turn.memory.propose(turn.person, preferences, turn.now)
    for proposal in proposals:
        turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
    title = str(question.about["title"])
    if title:
        tell(turn, turn.say("offer.stored", title=title, what=phrases(turn, preferences)))
    else:
        tell(turn, turn.say("remember.stored", what=describe(turn, preferences)))


def _refuse(turn: Turn, question: Question, preferences: tuple[Preference, ...]) -> None:
    """Keep what is remembered, do not offer this again for a while; a short name becomes a way to ask for it."""
    for preference in preferences:
        turn.memory.refuse(turn.person, preference, turn.now)
    changed: Mapping[str, Value] = question.about["changed"]
    kept = "、".join(turn.catalog.phrase(key, old) for key, old in changed.items())
    taught = _teach_variant(turn, question, preferences, changed) if question.about["draft"] else None
    if taught:
        turn.answer(turn.say("offer.kept_with_variant", kept=kept, **taught))
    elif kept:
        turn.answer(turn.say("offer.kept", kept=kept))
    else:
        turn.answer(turn.say("offer.refused"))


def _teach_variant(
    turn: Turn, question: Question, preferences: tuple[Preference, ...], changed: Mapping[str, Value]
) -> dict[str, str] | None:
    """研发 + 周报 → 研发周报 means that value from now on; None when no value has such a short name."""
    draft = Draft.from_mapping(question.about["draft"])
    task_name = turn.catalog.task_name(draft.scene_task)
    for preference in preferences:
        short = turn.catalog.short_of(preference.key, preference.value)
        if preference.key in changed and short:
            turn.memory.teach(
                turn.person, draft.scene_task, short, {preference.key: preference.value}, turn.now
            )
            value = turn.catalog.phrase(preference.key, preference.value)
            return {"variant": short + task_name, "value": value}
    return None


# --- wording ---


def name_of(turn: Turn, preference: Preference) -> str:
    """周报的模板."""
    name = turn.catalog.key_name(preference.key)
    return (
        turn.say("name.in_scene", scene=scene_name(turn, preference), name=name) if preference.scene else name
    )


def title_of(turn: Turn, draft: Draft) -> str:
    """生成周报."""
    kind = {turn.catalog.tasks[draft.task].kind_slot: draft.kind} if draft.kind else {}
    return turn.catalog.task_title(draft.task, kind)


def scene_name(turn: Turn, preference: Preference) -> str:
    return turn.catalog.scene_name(preference.scene)


def value_name(turn: Turn, preference: Preference) -> str:
    name = turn.catalog.value_name(preference.key, preference.value)
    return turn.say("value.excluded", value=name) if preference.mode == "exclude" else name


def name_and_value(turn: Turn, preference: Preference) -> str:
    """周报的模板：市场部."""
    return turn.say("name.value", name=name_of(turn, preference), value=value_name(turn, preference))


def describe(turn: Turn, preferences: Iterable[Preference]) -> str:
    """通知渠道：企业微信；周报的模板：市场部."""
    return "；".join(name_and_value(turn, preference) for preference in preferences)


def phrases(turn: Turn, preferences: Iterable[Preference]) -> str:
    """用市场部模板、发到企业微信."""
    return "、".join(turn.catalog.phrase(preference.key, preference.value) for preference in preferences)
