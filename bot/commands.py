"""Commands about memory: list, forget, restore; and the words for help."""

from __future__ import annotations

from bot import remembering
from bot.questions import Question
from bot.turn import Turn
from bot.types import Body, Bullets, Option, Paragraph, Reply
from memory.types import Preference, Record


def list_memories(turn: Turn) -> None:
    """Everything remembered, or what is remembered of the keys that the sentence names."""
    records = _concerned(turn, turn.memory.active(turn.person, turn.now))
    if not records:
        turn.answer(
            turn.say("list.nothing_of", name=_names(turn)) if _keys(turn) else turn.say("list.nothing")
        )
        return
    items = tuple(_line(turn, record) for record in records)
    body = Body((Paragraph(turn.say("list.head", count=len(items))), Bullets(items, numbered=True)))
    turn.send(Reply(turn.message.address, "answer", body))


def _line(turn: Turn, record: Record) -> str:
    return turn.say(
        "list.line",
        what=remembering.name_and_value(turn, record.preference),
        date=record.created_at.astimezone(turn.now.tzinfo).date().isoformat(),
        source=turn.say(f"source.{record.source}"),
    )


def forget(turn: Turn) -> None:
    """忘掉 + a key forgets every scene of it at once; everything only after a yes."""
    if "all" in turn.understanding.about:
        _ask_to_forget_everything(turn)
        return
    if not _keys(turn):
        turn.answer(turn.say("forget.which"))
        return
    records = _concerned(turn, turn.memory.active(turn.person, turn.now))
    if not records:
        turn.answer(turn.say("list.nothing_of", name=_names(turn)))
        return
    turn.memory.forget(turn.person, records, reason="forgotten", now=turn.now)
    what = remembering.describe(turn, [record.preference for record in records])
    remembering.tell(turn, turn.say("forget.done", what=what, name=_names(turn)))


def _ask_to_forget_everything(turn: Turn) -> None:
    count = turn.memory.count(turn.person)
    if not count:
        turn.answer(turn.say("list.nothing"))
        return
    options = (
        Option("yes", turn.say("label.confirm"), "danger"),
        Option("no", turn.say("label.cancel")),
    )
    turn.ask("forget", turn.say("forget.ask_all", count=count), options, {})


def answer_forget(turn: Turn, question: Question, option: Option) -> None:
    """确认 / 取消 on 清除所有."""
    turn.settle(question, option.label)
    if option.key != "yes":
        turn.answer(turn.say("forget.kept_all"))
        return
    count = turn.memory.forget_everything(turn.person, turn.now)
    turn.office.questions.withdraw_all(turn.tx, turn.person, turn.now)
    remembering.tell(turn, turn.say("forget.done_all", count=count))


def restore(turn: Turn) -> None:
    """Bring the newest archived value of a key back; where another is in force, ask first."""
    keys = _keys(turn)
    archived = [
        kept
        for kept in turn.memory.archived(turn.person, turn.now)
        if not keys or _is_concerned(turn, kept.record, keys)
    ]
    if not archived:
        turn.answer(turn.say("restore.nothing"))
        return
    newest = archived[0]
    old = newest.record.preference
    current = next(
        (
            record
            for record in turn.memory.active(turn.person, turn.now)
            if _same_place(record.preference, old)
        ),
        None,
    )
    if current is not None:
        remembering.ask_to_restore(turn, newest.id, old, current.preference)
        return
    remembering.restore(turn, newest.id)


def help_out(turn: Turn) -> None:
    """What one can say."""
    turn.answer(turn.say("help", name=turn.settings.office.name))


def not_understood(turn: Turn) -> None:
    turn.answer(turn.say("not_understood"))


# --- which memories a sentence means ---


def _keys(turn: Turn) -> tuple[str, ...]:
    return tuple(key for key in turn.understanding.about if key != "all")


def _names(turn: Turn) -> str:
    return "、".join(turn.catalog.key_name(key) for key in _keys(turn))


def _concerned(turn: Turn, records: tuple[Record, ...]) -> tuple[Record, ...]:
    keys = _keys(turn)
    return tuple(record for record in records if not keys or _is_concerned(turn, record, keys))


def _is_concerned(turn: Turn, record: Record, keys: tuple[str, ...]) -> bool:
    """Of the named keys, and of the named kind of report where the sentence names one."""
    kinds = {
        turn.understanding.slots.get(task.kind_slot) for task in turn.catalog.tasks.values() if task.kinds
    } - {None}
    return record.key in keys and (not kinds or record.scene.get("task") in {*kinds, None})


def _same_place(preference: Preference, other: Preference) -> bool:
    return (preference.key, preference.scene, preference.mode) == (other.key, other.scene, other.mode)
