"""Answers: which open question a press or a typed word belongs to, and what it sets going."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bot import commands, offers, overriding, running
from bot.drafts import Draft, is_offered
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
    "remember": offers.answer_offer,
    "replace": overriding.answer_replace,
    "forget": commands.answer_forget,
}
GIVING_VALUES = ("choose", "adjust", "other", "run")
TAKING_VALUES = ("slot", "run", "stale")

_PUNCTUATION = re.compile(r"[\s,.!?~;:'\"，。！？～；：、…“”‘’]+")


def press(turn: Turn) -> None:
    """A button or a selection: only its addressee, once, in time."""
    pressed = turn.message.press
    question = turn.office.questions.find(turn.tx, pressed.question_id) if pressed else None
    if pressed is None or question is None:
        turn.nudge(turn.say("press.expired"))
    elif question.person != turn.person:
        turn.nudge(turn.say("press.not_yours"))
    elif question.state == "answered":
        turn.nudge(turn.say("press.done"))
    elif not question.is_live(turn.now) or (option := question.option(pressed.option)) is None:
        turn.withdraw(question)
        turn.nudge(turn.say("press.expired"))
    else:
        _answer(turn, question, option)


def typed(turn: Turn) -> bool:
    """Whether the sentence answered an open question of this chat: by a label, a value, or a plain yes or no."""
    questions = turn.questions_here()
    if not questions:
        return False
    live = tuple(question for question in questions if question.is_live(turn.now))
    return (
        _by_label(turn, live)
        or _by_statement(turn, live)
        or _by_value(turn, live)
        or _by_yes_or_no(turn, live)
        or _too_late(turn, questions)
    )


def nothing_open(turn: Turn) -> None:
    """A yes or no where nothing is open: it may be meant for a question in another chat."""
    waiting = turn.questions_elsewhere()
    if waiting:
        platform = turn.catalog.value_name("notify_channel", waiting[0].address.platform)
        turn.answer(turn.say("answers.elsewhere", platform=platform))
    else:
        turn.answer(turn.say("answers.nothing_open"))


def _answer(turn: Turn, question: Question, option: Option) -> None:
    """Carry out an answer, unless bot.yaml no longer knows what the question was about."""
    if not _is_gone(turn, question, option):
        ANSWERS[question.kind](turn, question, option)


def _is_gone(turn: Turn, question: Question, option: Option | None = None) -> bool:
    """Whether the admin has taken away what was asked about, or the value that `option` stands for; the person is
    told, and the question withdrawn."""
    preferences = question.about.get("preferences", ())
    offered = all(is_offered(turn.catalog, preference) for preference in preferences)
    if offered and _draft_fits(turn, question, option):
        return False
    turn.withdraw(question)
    turn.answer(turn.say("answers.gone"))
    return True


def _draft_fits(turn: Turn, question: Question, option: Option | None) -> bool:
    held = question.about.get("draft")
    if held is None:
        return True
    draft = Draft.from_mapping(held)
    if not draft.fits(turn.catalog):
        return False
    if option is None or question.kind != "slot":
        return True
    return running.given(draft, turn.catalog, {question.about["slot"]: option.key}).fits(turn.catalog)


def _by_label(turn: Turn, live: tuple[Question, ...]) -> bool:
    """The newest question that carries these very words."""
    said = _bare(turn.message.text)
    for question in live:
        option = _labelled(question, said)
        if option is not None:
            _answer(turn, question, option)
            return True
    return False


def _labelled(question: Question, said: str) -> Option | None:
    return next((option for option in question.options if _bare(option.label) == said), None)


def _by_statement(turn: Turn, live: tuple[Question, ...]) -> bool:
    """A value that was asked for, stated for always: 市场部，以后都用这个."""
    if turn.understanding.intent != "remember" or turn.understanding.task is not None:
        return False
    stated = {one.key for one in turn.understanding.preferences if one.mode == "set" and not one.scene}
    for question in live:
        if question.kind == "slot" and question.about["slot"] in stated:
            if not _is_gone(turn, question):
                running.answer_for_good(turn, question)
            return True
    return False


def _by_value(turn: Turn, live: tuple[Question, ...]) -> bool:
    """A question about a task takes a sentence that gives values of it: the newest that asked for one of them, else
    the newest with a use for one. A task asked for anew passes by, unless its kind is what was asked."""
    understood = turn.understanding
    asking = [question for question in live if question.kind in TAKING_VALUES]
    kinds = {task.kind_slot for task in turn.catalog.tasks.values()}
    if understood.intent not in GIVING_VALUES or understood.preferences:
        return False
    if kinds & set(understood.slots):
        asking = [question for question in asking[:1] if question.about.get("slot") in kinds]
    asking.sort(key=lambda question: question.about.get("slot") not in understood.slots)
    for question in asking:
        values = _values_for(turn, question)
        if values and not _is_gone(turn, question):
            running.answer_values(turn, question, values)
        if values:
            return True
    return False


def _values_for(turn: Turn, question: Question) -> dict[str, Value]:
    task = turn.catalog.task(question.about["draft"]["task"])
    if task is None:
        return {}
    wanted = {slot.name for slot in task.slots} | {task.kind_slot}
    return {key: value for key, value in turn.understanding.slots.items() if key in wanted}


def _by_yes_or_no(turn: Turn, live: tuple[Question, ...]) -> bool:
    """A plain yes or no goes to the newest question."""
    intent = turn.understanding.intent
    if intent not in ("confirm", "deny") or not live:
        return False
    question = live[0]
    if question.kind != "slot":
        _answer(turn, question, question.options[0] if intent == "confirm" else question.options[-1])
    elif intent == "deny":
        turn.settle(question, turn.say("label.cancel"))
        turn.answer(turn.say("task.cancelled"))
    else:
        labels = "、".join(option.label for option in question.options)
        turn.answer(turn.say("answers.pick_one", labels=labels))
    return True


def _too_late(turn: Turn, questions: tuple[Question, ...]) -> bool:
    """An answer to questions whose time is over is told so, once: afterwards they are no longer open."""
    said = _bare(turn.message.text)
    is_plain = turn.understanding.intent in ("confirm", "deny")
    late = [question for question in questions if is_plain or _labelled(question, said)]
    if not late or (is_plain and any(question.is_live(turn.now) for question in questions)):
        return False
    for question in late:
        turn.withdraw(question)
    turn.answer(turn.say("press.expired"))
    return True


def _bare(text: str) -> str:
    """Words without punctuation, spaces and case: how a typed label is compared."""
    return _PUNCTUATION.sub("", normalise(text)).casefold()
