"""What a sentence means, from rules alone: `understand(text, catalog)`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from bot.types import Understanding
from bot.understanding import answers, commands, cues, notes, requests
from bot.understanding.clauses import Reading, read
from bot.understanding.grammar import Grammar, grammar_of
from bot.understanding.statements import Statement, state
from bot.understanding.texts import texts_said
from bot.understanding.wording import plain
from config.normalise import normalise
from memory.catalog import Catalog
from memory.types import Preference

LONGEST = 1000  # characters read; nobody states a preference later than that
_CHANGE = re.compile(r"换成?|改成?|改用|改为|变成|调成|切成|切换|换个|重新|再来|不要.*要|画成|做成|变")


def understand(text: str, catalog: Catalog, *, now: datetime | None = None) -> Understanding:
    """The meaning of one sentence. Knows no person and no dialogue; never raises, whatever the text holds."""
    grammar = grammar_of(catalog)
    spelling = normalise(text[:LONGEST]).lower().strip()
    if not spelling:
        return Understanding(text)
    wording = plain(spelling, grammar.is_word)
    return _answer(text, spelling, wording, grammar) or _meaning(text, wording, grammar)


def _answer(text: str, spelling: str, wording: str, grammar: Grammar) -> Understanding | None:
    """A yes, a no or a link code; the same words inside a longer sentence are none."""
    code = answers.link_code(spelling)
    if code is not None:
        return Understanding(text, "link", slots={"code": code}, confidence=0.9)
    for spoken in dict.fromkeys((wording, spelling)):
        if answers.is_no(spoken):
            return Understanding(text, "deny", confidence=1.0)
        if answers.is_yes(spoken):
            return Understanding(text, "confirm", confidence=1.0)
    return None


def _meaning(text: str, wording: str, grammar: Grammar) -> Understanding:
    reading = read(grammar.lexicon.repair(wording), grammar.lexicon)
    complaint = commands.is_complaint(reading)
    worded = texts_said(text[:LONGEST], grammar)
    statement = state(reading, worded, grammar, is_complaint=complaint)
    if statement.clashes:
        statement.lasting = [Preference("note", text.strip())]
    understanding = Understanding(
        text,
        slots=dict(statement.slots),
        once=statement.is_once,
        sweeping=bool(statement.lasting) and cues.SWEEPING.search(reading.plain) is not None,
    )
    return _decided(understanding, reading, statement, grammar, complaint=complaint)


def _decided(
    base: Understanding, reading: Reading, statement: Statement, grammar: Grammar, *, complaint: bool
) -> Understanding:
    lasting = tuple(statement.lasting)
    command = commands.command_of(reading, grammar, is_statement=bool(lasting), has_cue=statement.has_cue)
    if command is not None:
        return _commanded(base, command)
    if complaint or (commands.is_correction(reading) and not (lasting and statement.has_cue)):
        slots = {**base.slots, **{p.key: p.value for p in lasting if p.mode != "exclude"}}
        return replace(base, intent="correct", preferences=lasting if complaint else (), slots=slots, confidence=0.9)
    if lasting:
        asked = requests.task_slots(reading, grammar)
        task = asked.task if asked else None
        slots = {**base.slots, **(asked.slots if asked else {})}
        return replace(base, intent="remember", preferences=lasting, task=task, slots=slots, confidence=1.0)
    return _undecided(base, reading, statement, grammar)


def _undecided(base: Understanding, reading: Reading, statement: Statement, grammar: Grammar) -> Understanding:
    """Nothing lasting was said: a request, a question, a choice, a note, or talk."""
    if answers.starts_with_no(reading.plain) and not statement.slots:
        return replace(base, intent="deny", confidence=0.9)
    note = notes.note_of(base.text, reading)
    if note is not None and not statement.is_once:
        return replace(base, intent="remember", preferences=(Preference("note", note),), confidence=0.8)
    asked = None if reading.clauses and all(c.is_reported for c in reading.clauses) and not _assigns(reading) else requests.request_of(reading, grammar)
    if asked is not None and (not reading.is_question or asked.intent in ("digest", "todo")):
        return replace(base, intent=asked.intent, task=asked.task, slots={**base.slots, **asked.slots}, confidence=0.9)
    if statement.slots and statement.is_once:
        return replace(base, intent="adjust", confidence=0.8)
    question = commands.question_of(reading, grammar)
    if question is not None:
        return replace(_commanded(base, question), confidence=0.8)
    if statement.bare and not statement.is_once:
        return replace(base, intent="remember", preferences=tuple(statement.bare), bare=True, confidence=0.8)
    if statement.slots:
        chooses = statement.is_only_values and not _CHANGE.search(reading.plain)
        return replace(base, intent="choose" if chooses else "adjust", confidence=0.8)
    unclear = statement.has_cue or reading.mentions("key") or reading.mentions("value")
    return replace(base, intent="other", confidence=0.4 if unclear else 0.7)


def _assigns(reading: Reading) -> bool:
    return re.search(r"任务|分配|指派|通知|提醒|待办", reading.plain) is not None


def _commanded(base: Understanding, command: commands.Command) -> Understanding:
    slots = {**base.slots, **command.slots}
    return replace(base, intent=command.intent, about=command.about, slots=slots, confidence=0.9)
