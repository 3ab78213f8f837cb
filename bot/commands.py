"""Commands about memory: list, recall, forget, restore; and the words for help."""

from __future__ import annotations

from bot import naming, overriding
from bot.announcing import tell
from bot.occasion import CHANNEL
from bot.questions import Question
from bot.turn import Turn
from bot.types import Block, Body, Bullets, Option, Paragraph, Reply
from config.normalise import normalise
from memory.types import Archived, Record

NOTE = "note"
_SAYS_NOTHING = frozenset("的了我你他她它这那条个把将给跟对和与就都也再还吧请忘掉记删除清备注关于不要")
"""Characters by which no note is told from another."""


def list_memories(turn: Turn) -> None:
    """Everything remembered, or what is remembered of the keys that the sentence names and where it comes from."""
    if _keys(turn):
        _recall(turn)
        return
    records = turn.memory.active(turn.person, turn.now)
    taught = _taught(turn)
    if not records and not taught:
        turn.answer(turn.say("list.nothing"))
        return
    blocks: list[Block] = []
    if records:
        lines = tuple(_line(turn, record) for record in records)
        blocks += [Paragraph(turn.say("list.head", count=len(lines))), Bullets(lines, numbered=True)]
    if taught:
        blocks += [Paragraph(turn.say("list.taught")), Bullets(taught)]
    turn.send(Reply(turn.message.address, "answer", Body(tuple(blocks))))


def _recall(turn: Turn, *more: Block) -> None:
    """The values of the named keys, and what holds where nothing is remembered; then `more`."""
    records = _concerned(turn)
    general = {record.key for record in records if not record.scene and record.mode == "set"}
    defaults = [line for key in _keys(turn) if key not in general and (line := _default(turn, key))]
    known = {record.key for record in records}
    unknown = naming.key_names(turn, (key for key in _keys(turn) if key not in known))
    lines = [turn.say("list.nothing_of", name=unknown)] if unknown else []
    if len(records) == 1:
        lines.append(turn.say("list.one", line=_line(turn, records[0])))
    blocks: list[Block] = [Paragraph("\n".join(lines))] if lines else []
    if len(records) > 1:
        name = naming.key_names(turn, (record.key for record in records))
        blocks += [
            Paragraph(turn.say("list.several", name=name, count=len(records))),
            Bullets(tuple(_line(turn, record) for record in records), numbered=True),
        ]
    if defaults:
        blocks.append(Paragraph("\n".join(defaults)))
    turn.send(Reply(turn.message.address, "answer", Body((*blocks, *more))))


def _default(turn: Turn, key: str) -> str | None:
    """平时用柱状图: what the catalog says where the person has said nothing; a channel is then the chat at hand."""
    if key == CHANNEL:
        return turn.say("list.default_channel")
    entry = turn.catalog.key(key)
    if entry is None or entry.default is None or any(_is_asked(turn, key)):
        return None
    return turn.say("list.default", name=entry.name, value=turn.catalog.value_name(key, entry.default))


def _is_asked(turn: Turn, key: str) -> tuple[bool, ...]:
    """For each task that uses the key, whether it asks for a value instead of taking the default."""
    return tuple(bool(slot.prompt) for task in turn.catalog.tasks.values() if (slot := task.slot(key)))


def _line(turn: Turn, record: Record) -> str:
    return turn.say(
        "list.line_in_scene" if record.scene else "list.line",
        what=naming.name_and_value(turn, record.preference),
        date=record.created_at.astimezone(turn.now.tzinfo).date().isoformat(),
        source=turn.say(f"source.{record.source}"),
    )


def _taught(turn: Turn) -> tuple[str, ...]:
    """说“研发周报”就用研发部模板."""
    return tuple(
        turn.say(
            "list.variant",
            variant=alias.variant + turn.catalog.task_name(alias.task),
            value="、".join(turn.catalog.phrase(key, value) for key, value in alias.values.items()),
        )
        for alias in turn.memory.aliases(turn.person)
    )


# --- forgetting ---


def forget(turn: Turn) -> None:
    """忘掉 + a key forgets every scene of it at once; everything only after a yes."""
    if "all" in turn.understanding.about:
        _ask_to_forget_everything(turn)
        return
    if not _keys(turn) and not _kinds(turn):
        turn.answer(turn.say("forget.which"))
        return
    records = _concerned(turn)
    if not records:
        about_a_note = _keys(turn) == (NOTE,)
        turn.answer(turn.say("forget.not_found" if about_a_note else "list.nothing_of", name=_named(turn)))
        return
    turn.memory.forget(turn.person, records, reason="forgotten", now=turn.now)
    what = naming.describe(turn, [record.preference for record in records])
    name = naming.key_names(turn, (record.key for record in records))
    tell(turn, turn.say("forget.done", what=what, name=name))


def _ask_to_forget_everything(turn: Turn) -> None:
    count = turn.memory.count(turn.person)
    archived = len(turn.memory.archived(turn.person, turn.now))
    if not count and not archived and not turn.memory.aliases(turn.person):
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
    turn.withdraw_all()
    tell(turn, turn.say("forget.done_all", count=count))


# --- restoring ---


def restore(turn: Turn) -> None:
    """Bring back what was archived last, with all that was archived at the same stroke."""
    archived = [kept for kept in turn.memory.archived(turn.person, turn.now) if _is_concerned(turn, kept.record)]
    missing = [kept for kept in archived if not _holds_already(turn, kept)]
    if not archived:
        turn.answer(turn.say("restore.nothing"))
    elif not missing:
        what = naming.describe(turn, [archived[0].record.preference])
        turn.answer(turn.say("restore.holds", what=what))
    else:
        newest = missing[0]
        overriding.restore(
            turn,
            tuple(kept for kept in missing if (kept.archived_at, kept.reason) == (newest.archived_at, newest.reason)),
        )


def _holds_already(turn: Turn, kept: Archived) -> bool:
    return any(record.preference == kept.record.preference for record in turn.memory.active(turn.person, turn.now))


# --- other words ---


def help_out(turn: Turn) -> None:
    """What one can say; a question about a key (通知发到哪) hears what holds for it, and how to change it."""
    if _keys(turn):
        _recall(turn, Paragraph(turn.say("list.how_to_change"), muted=True))
    else:
        turn.answer(turn.say("help", name=turn.settings.office.name))


def only_sensitive(turn: Turn) -> None:
    """There was nothing else to act on: the refusal stands alone."""
    words, turn.preface = turn.preface or "", None
    turn.answer(words)


def not_understood(turn: Turn) -> None:
    turn.answer(turn.say("not_understood"))


# --- which memories a sentence means ---


def _keys(turn: Turn) -> tuple[str, ...]:
    """The keys that the sentence names; a kind of report alone (忘掉周报的偏好) means all of that kind."""
    keys = tuple(key for key in turn.understanding.about if key != "all")
    return () if keys == (NOTE,) and _kinds(turn) else keys


def _kinds(turn: Turn) -> frozenset[str]:
    slots = turn.understanding.slots
    return frozenset(str(slots[task.kind_slot]) for task in turn.catalog.tasks.values() if task.kind_slot in slots)


def _named(turn: Turn) -> str:
    """What the sentence named: 模板, or 周报的偏好."""
    if keys := _keys(turn):
        return naming.key_names(turn, keys)
    kinds = "、".join(turn.catalog.task_name(kind) for kind in sorted(_kinds(turn)))
    return turn.say("list.of_kind", kind=kinds)


def _concerned(turn: Turn) -> tuple[Record, ...]:
    records = [record for record in turn.memory.active(turn.person, turn.now) if _is_concerned(turn, record)]
    return _notes_meant(turn, records) if _keys(turn) == (NOTE,) else tuple(records)


def _is_concerned(turn: Turn, record: Record) -> bool:
    """Of the named keys, and of the named kind of report where the sentence names one."""
    keys, kinds = _keys(turn), _kinds(turn)
    if not keys:
        return not kinds or record.scene.get("task") in kinds
    return record.key in keys and (not kinds or record.scene.get("task") in {*kinds, None})


def _notes_meant(turn: Turn, notes: list[Record]) -> tuple[Record, ...]:
    """The notes that share most with the words of the sentence; all of them where it says no more than 备注."""
    said = normalise(turn.message.text)
    shared = {note.id: len(_pairs(normalise(str(note.value))) & _pairs(said)) for note in notes}
    most = max(shared.values(), default=0)
    if most == 0:
        return tuple(notes) if turn.catalog.key_name(NOTE) in said else ()
    return tuple(note for note in notes if shared[note.id] == most)


def _pairs(text: str) -> frozenset[str]:
    pairs = (text[place : place + 2] for place in range(len(text) - 1))
    return frozenset(pair for pair in pairs if not _SAYS_NOTHING.intersection(pair))
