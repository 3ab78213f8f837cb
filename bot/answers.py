"""Answers: which open question a press or a typed word belongs to, and what it sets going."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bot import commands, remembering, running
from bot.questions import Question, QuestionKind
from bot.turn import Turn
from bot.types import Option
from config.normalise import normalise
from memory.types import Value

Answer = Callable[[Turn, Question, Option], None]

ANSWERS: Mapping[QuestionKind, Answer] = {
    "slot": running.answer_slot_option,
    "run": running.answer_run,
    "stale": running.answer_stale,
    "remember": remembering.answer_offer,
    "replace": remembering.answer_replace,
    "forget": commands.answer_forget,
}

_PUNCTUATION = re.compile(r"[\s,.!?~;:'\"，。！？～；：、…“”‘’]+")


def press(turn: Turn) -> None:
    """A button or a selection: only its addressee, once, in time."""
    pressed = turn.message.press
    question = turn.office.questions.find(turn.tx, pressed.question_id) if pressed else None
    if pressed is None or question is None:
        turn.nudge(turn.say("press.expired"))
    elif question.person != turn.person:
        turn.nudge(turn.say("press.not_yours"))
    elif question.answered:
        turn.nudge(turn.say("press.done"))
    elif question.has_expired(turn.now) or (option := question.option(pressed.option)) is None:
        turn.nudge(turn.say("press.expired"))
    else:
        ANSWERS[question.kind](turn, question, option)


def typed(turn: Turn) -> bool:
    """Whether the sentence answered an open question of this chat: by a label, a value, or a plain yes or no."""
    questions = turn.open_questions()
    if not questions:
        return False
    return (
        _by_label(turn, questions)
        or _by_value(turn, _live(turn, questions))
        or _by_yes_or_no(turn, questions)
    )


def nothing_open(turn: Turn) -> None:
    """A yes or no to nothing."""
    turn.answer(turn.say("answers.nothing_open"))


def _live(turn: Turn, questions: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(question for question in questions if not question.has_expired(turn.now))


def _by_label(turn: Turn, questions: tuple[Question, ...]) -> bool:
    """The newest question that carries these very words; a live one before a lapsed one."""
    said = _bare(turn.message.text)
    carrying = [
        (question, option)
        for question in questions
        for option in question.options
        if _bare(option.label) == said
    ]
    if not carrying:
        return False
    for question, option in carrying:
        if not question.has_expired(turn.now):
            ANSWERS[question.kind](turn, question, option)
            return True
    turn.answer(turn.say("press.expired"))
    return True


def _by_value(turn: Turn, questions: tuple[Question, ...]) -> bool:
    """A slot question takes a sentence that gives its value, perhaps with others; a run about to be confirmed takes
    a changed value and then runs."""
    understood = turn.understanding
    if understood.intent not in ("choose", "adjust", "other", "run") or understood.preferences:
        return False
    kinds = {task.kind_slot for task in turn.catalog.tasks.values()}
    if kinds & set(understood.slots):  # a task of its own, unless its kind is what was asked
        questions = tuple(question for question in questions[:1] if question.about.get("slot") in kinds)
    for question in questions:
        if question.kind == "slot" and question.about["slot"] in understood.slots:
            running.answer_slot(turn, question, understood.slots)
            return True
        if question.kind == "run" and (values := _values_for(turn, question)):
            running.answer_slot(turn, question, values)
            return True
    return False


def _values_for(turn: Turn, question: Question) -> dict[str, Value]:
    keys = {slot.name for slot in turn.catalog.tasks[question.about["draft"]["task"]].slots}
    return {key: value for key, value in turn.understanding.slots.items() if key in keys}


def _by_yes_or_no(turn: Turn, questions: tuple[Question, ...]) -> bool:
    """A plain yes or no goes to the newest live question; to a lapsed one it is late."""
    intent = turn.understanding.intent
    if intent not in ("confirm", "deny"):
        return False
    live = _live(turn, questions)
    if not live:
        turn.answer(turn.say("press.expired"))
        return True
    question = live[0]
    if question.kind != "slot":
        option = question.options[0] if intent == "confirm" else question.options[-1]
        ANSWERS[question.kind](turn, question, option)
    elif intent == "deny":
        turn.settle(question, turn.say("label.cancel"))
        turn.answer(turn.say("task.cancelled"))
    else:
        labels = "、".join(option.label for option in question.options)
        turn.answer(turn.say("answers.pick_one", labels=labels))
    return True


def _bare(text: str) -> str:
    """Words without punctuation, spaces and case: how a typed label is compared."""
    return _PUNCTUATION.sub("", normalise(text)).casefold()
