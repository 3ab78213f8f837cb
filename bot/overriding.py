"""Overriding: what stands in the way of a new or a restored value is named, and goes to the archive after a yes."""

from __future__ import annotations

from collections.abc import Iterable

from bot import naming
from bot.announcing import tell
from bot.questions import Question
from bot.turn import Turn
from bot.types import Option
from memory.types import Archived, Preference, Proposal, Record


def needs_a_yes(proposal: Proposal) -> bool:
    return proposal.effect == "replace" or bool(proposal.narrower)


def ask(turn: Turn, proposals: tuple[Proposal, ...], *, sweeping: bool, before: str = "") -> None:
    """One question for all of them; `before`: what has been stored already."""
    lines = [before] if before else []
    lines += [_asking(turn, proposal) for proposal in proposals]
    about = {
        "preferences": tuple(proposal.preference for proposal in proposals),
        "sweeping": sweeping,
        "named": tuple(record.id for proposal in proposals for record in _displaced(proposal)),
    }
    turn.ask("replace", "\n".join(lines), _yes_or_no(turn), about)


def replace(turn: Turn, proposals: tuple[Proposal, ...]) -> str:
    """Carry out what was agreed to; the sentence that names new and old."""
    lines = []
    for proposal in proposals:
        displaced = _displaced(proposal)
        record = turn.memory.remember(turn.person, proposal, source="told", now=turn.now)
        lines.append(_replaced(turn, record.preference, displaced))
    return "\n".join(lines)


def answer_replace(turn: Turn, question: Question, option: Option) -> None:
    """确认 / 取消 on an override or on a restoration."""
    turn.settle(question, option.label)
    if "restore" in question.about:
        _answer_restore(turn, question, option)
        return
    preferences: tuple[Preference, ...] = question.about["preferences"]
    proposals = turn.memory.propose(turn.person, preferences, turn.now, sweeping=bool(question.about["sweeping"]))
    if option.key == "yes":
        carry_out(turn, proposals, named=question.about["named"], sweeping=bool(question.about["sweeping"]))
        return
    kept = [record.preference for proposal in proposals for record in _displaced(proposal)]
    if kept:
        turn.answer(turn.say("replace.kept", what=naming.mention(turn, kept)))
    else:
        turn.answer(turn.say("replace.not_now"))


def carry_out(turn: Turn, proposals: tuple[Proposal, ...], *, named: Iterable[str], sweeping: bool) -> None:
    """Do what the person agreed to. What would now displace something that their question did not name is asked
    again: they agreed to something else."""
    known = set(named)
    agreed = tuple(p for p in proposals if known.issuperset(record.id for record in _displaced(p)))
    others = tuple(p for p in proposals if p not in agreed)
    words = replace(turn, agreed) if agreed else ""
    if others:
        ask(turn, others, sweeping=sweeping, before=words)
    else:
        tell(turn, words)


def _asking(turn: Turn, proposal: Proposal) -> str:
    """通知渠道现在是飞书，要改成企业微信吗？ — and which narrower memories would go as well."""
    preference = proposal.preference
    name, new = naming.name_of(turn, preference), naming.value_name(turn, preference)
    narrower = naming.mention(turn, [record.preference for record in proposal.narrower])
    if proposal.replaces is None:
        return turn.say("replace.narrower", name=name, new=new, narrower=narrower)
    old = naming.value_name(turn, proposal.replaces.preference)
    if preference.mode == "exclude":
        value = turn.catalog.value_name(preference.key, preference.value)
        line = turn.say("replace.exclude", name=name, old=old, value=value)
    else:
        how = "excluded" if proposal.replaces.mode == "exclude" else "ask"
        line = turn.say(f"replace.{how}", name=name, old=old, new=new)
    return line + turn.say("replace.and_narrower", narrower=narrower) if narrower else line


def _displaced(proposal: Proposal) -> tuple[Record, ...]:
    return (*((proposal.replaces,) if proposal.replaces else ()), *proposal.narrower)


def _replaced(turn: Turn, new: Preference, displaced: tuple[Record, ...]) -> str:
    old = [record.preference for record in displaced]
    if not old:
        return turn.say("remember.stored", what=naming.describe(turn, (new,)))
    alone = len(old) == 1 and (old[0].key, old[0].scene) == (new.key, new.scene)
    return turn.say(
        "replace.done",
        name=naming.name_of(turn, new),
        new=naming.value_name(turn, new),
        old=naming.value_name(turn, old[0]) if alone else naming.mention(turn, old),
        what=turn.catalog.key_name(new.key),
    )


def _yes_or_no(turn: Turn) -> tuple[Option, Option]:
    return (
        Option("yes", turn.say("label.confirm"), "primary"),
        Option("no", turn.say("label.cancel")),
    )


# --- bringing back ---


def restore(turn: Turn, archived: tuple[Archived, ...]) -> None:
    """Bring back what was archived at one stroke; where other values are in force, ask first."""
    conflicts = [(kept.record.preference, record.preference) for kept, record in _in_the_way(turn, archived)]
    if not conflicts:
        _bring_back(turn, tuple(kept.id for kept in archived))
        return
    lines = [
        turn.say(
            "restore.ask",
            name=naming.name_of(turn, old),
            current=naming.value_name(turn, current),
            old=naming.value_name(turn, old),
        )
        for old, current in conflicts
    ]
    turn.ask("replace", "\n".join(lines), _yes_or_no(turn), {"restore": tuple(kept.id for kept in archived)})


def _in_the_way(turn: Turn, archived: tuple[Archived, ...]) -> list[tuple[Archived, Record]]:
    active = turn.memory.active(turn.person, turn.now)
    return [(kept, record) for kept in archived for record in active if same_place(kept.record, record)]


def same_place(one: Record, other: Record) -> bool:
    """Whether only one of the two can be in force."""
    return one.key != "note" and (one.key, one.scene, one.mode) == (other.key, other.scene, other.mode)


def _answer_restore(turn: Turn, question: Question, option: Option) -> None:
    if option.key == "yes":
        _bring_back(turn, question.about["restore"])
    else:
        turn.answer(turn.say("restore.kept"))


def _bring_back(turn: Turn, archived: tuple[str, ...]) -> None:
    """Say what came back, or why that is no longer possible."""
    back: list[Preference] = []
    problem = "nothing"
    for one in archived:
        try:
            back.append(turn.memory.restore(turn.person, one, turn.now).preference)
        except LookupError:
            continue
        except ValueError:
            problem = "dropped"
    if back:
        tell(turn, turn.say("restore.done", what=naming.describe(turn, back)))
    else:
        turn.answer(turn.say(f"restore.{problem}"))
