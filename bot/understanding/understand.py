"""What a sentence means, from rules alone: `understand(text, catalog)`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from bot.types import Understanding, When
from bot.understanding import answers, commands, cues, notes, requests
from bot.understanding.clauses import Reading, read
from bot.understanding.grammar import Grammar, grammar_of
from bot.understanding.private import without_secrets
from bot.understanding.statements import Statement, state
from bot.understanding.texts import texts_said
from bot.understanding.times import read_time
from bot.understanding.wording import plain
from config.normalise import normalise
from memory.catalog import Catalog
from memory.types import Preference

LONGEST = 1000  # characters read; nobody states a preference later than that
_TIMED = frozenset({"run", "remind", "todo", "digest", "adjust", "forget", "other"})
_TIME_WORDS = re.compile(
    r"[0-9点點时時号號日周週月年天晚早午夜今明后後昨每刻分]|[０-９]|day|tmr|week|month", re.IGNORECASE
)
_FOR_OTHERS = re.compile(r"任务|分配|指派|通知|提醒|待办")
_CHANGE = re.compile(r"换成?|改成?|改用|改为|变成|调成|切成|切换|换个|重新|再来|不要.*要|画成|做成|变")


def understand(text: str, catalog: Catalog, *, now: datetime | None = None) -> Understanding:
    """The meaning of one sentence. Knows no person and no dialogue; never raises, whatever the text holds.

    `now` (aware, in the office's zone) is when it was said; without it no time is read.
    """
    grammar = grammar_of(catalog)
    said, kinds = without_secrets(text[:LONGEST])
    spelling = normalise(said).lower().strip()
    if not spelling:
        return Understanding(text, sensitive=kinds)
    wording = plain(spelling, grammar.is_word, grammar.lexicon.words.__contains__)
    understanding = _answer(said, spelling, wording) or _meaning(said, wording, grammar)
    when = _when(said, understanding, now, catalog) if now is not None else None
    return replace(understanding, text=text, sensitive=kinds, when=when)


def _when(text: str, understanding: Understanding, now: datetime, catalog: Catalog) -> When | None:
    """When it is to be, for what can have a time."""
    if understanding.intent not in _TIMED or not _TIME_WORDS.search(text):
        return None
    when = read_time(text, now, digest_time=catalog.digest_time)
    return when if when.kind != "none" else None


def _answer(text: str, spelling: str, wording: str) -> Understanding | None:
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
    worded = texts_said(text, grammar)
    if complaint:
        reading = reading.as_told()
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
        return replace(base, intent="deny", once=False, confidence=0.9)
    note = notes.note_of(base.text, reading)
    if note is not None and not statement.is_once:
        return replace(base, intent="remember", preferences=(Preference("note", note),), confidence=0.8)
    asked = _requested(reading, grammar)
    if asked is not None:
        slots, once = {**base.slots, **asked.slots}, base.once and asked.intent == "run"
        return replace(base, intent=asked.intent, task=asked.task, slots=slots, once=once, confidence=0.9)
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


def _requested(reading: Reading, grammar: Grammar) -> requests.Request | None:
    """The task that is asked for; somebody else's words ask for none, a question only for what it is a phrase of."""
    phrased = requests.phrased(reading, grammar)
    if phrased is not None:
        return phrased
    if all(clause.is_reported for clause in reading.clauses) and not _FOR_OTHERS.search(reading.plain):
        return None
    asked = requests.request_of(reading, grammar)
    return asked if asked and (not reading.is_question or asked.intent in ("digest", "todo")) else None


def _commanded(base: Understanding, command: commands.Command) -> Understanding:
    slots = {**base.slots, **command.slots}
    return replace(base, intent=command.intent, about=command.about, slots=slots, once=False, confidence=0.9)
