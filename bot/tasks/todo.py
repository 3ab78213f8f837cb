"""To-dos by chat: add, done, move, remove, hurry, list, undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta

from bot import todos
from bot.recurrence import next_after
from bot.tasks import digest
from bot.todos import Todo
from bot.turn import Turn
from bot.types import Body, Bullets, Paragraph, Reply, When
from bot.understanding.times import read_time
from config.clock import to_micros
from memory.types import Value


def handle(turn: Turn) -> None:
    """What a sentence about to-dos asks for; without an action it is the list of today."""
    action = str(turn.understanding.slots.get("action", "list"))
    ACTIONS[action](turn)


# --- adding ---


def _add(turn: Turn) -> None:
    lines = []
    ids = []
    for title in _several(turn.understanding.slots.get("text")):
        when = _when(turn, title)
        if when.problem == "impossible":
            turn.answer(turn.say("todo.impossible", title=title))
            return
        due = _due(turn, when)
        text = when.rest if when.kind != "none" and when.rest else title
        urgent = turn.understanding.slots.get("urgent") is True
        rule = dict(when.rule) if when.rule else None
        ids.append(
            todos.add(turn.tx, turn.office.keyring, turn.person, text, turn.now, due=due, urgent=urgent, rule=rule)
        )
        todo = todos.by_ids(turn, (ids[-1],))[0]
        lines.append(todos.line_of(turn, todo))
    if not ids:
        turn.answer(turn.say("todo.add_what"))
        return
    todos.added(turn, tuple(ids))
    turn.answer(turn.say("todo.added", what="；".join(lines)))


def _several(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (str(value),)


def _when(turn: Turn, text: str) -> When:
    hours = str(turn.settings.office.working_hours).split("-")
    said_at = turn.message.sent_at.astimezone(turn.now.tzinfo)
    return read_time(text, said_at, calendar=turn.office.calendar(), working_hours=(hours[0], hours[1]))


def _due(turn: Turn, when: When) -> date | None:
    """The day that a time expression means; of a recurrence its next one."""
    if when.at is not None:
        return datetime.fromisoformat(when.at).date()
    return _next_of(turn, when.rule, turn.now - timedelta(days=1)) if when.rule else None


def _next_of(turn: Turn, rule: Mapping[str, object], after: datetime) -> date | None:
    timed = {**rule, "time": rule.get("time") or "23:59"}
    due = next_after(timed, after, turn.office.calendar(), turn.settings.office.zone)
    return due.date() if due else None


# --- changing ---


def _done(turn: Turn) -> None:
    chosen = _chosen(turn)
    if not chosen:
        return
    now = to_micros(turn.now)
    todos.change(turn, {todo.id: {"done_at": now} for todo in chosen})
    following = [line for todo in chosen if (line := _repeat(turn, todo))]
    words = turn.say("todo.done", what=_titles(chosen))
    turn.answer("\n".join([words, *following]))


def _repeat(turn: Turn, todo: Todo) -> str | None:
    """A recurring to-do that was done comes back for its next day."""
    if todo.rule is None:
        return None
    end_of_day = datetime.combine(max(todo.due or turn.now.date(), turn.now.date()), time.max, turn.now.tzinfo)
    due = _next_of(turn, todo.rule, end_of_day)
    if due is None:
        return None
    todos.add(
        turn.tx, turn.office.keyring, turn.person, todo.title, turn.now, due=due, urgent=todo.urgent, rule=todo.rule
    )
    return turn.say("todo.comes_back", title=todo.title, day=due.strftime("%m-%d"))


def _reopen(turn: Turn) -> None:
    if chosen := _chosen(turn, among_done=True):
        todos.change(turn, {todo.id: {"done_at": None} for todo in chosen})
        turn.answer(turn.say("todo.reopened", what=_titles(chosen)))


def _move(turn: Turn) -> None:
    to = str(turn.understanding.slots.get("to", ""))
    when = _when(turn, to)
    due = _due(turn, when)
    if due is None:
        key = "todo.impossible" if when.problem == "impossible" else "todo.move_where"
        turn.answer(turn.say(key, title=to))
        return
    if chosen := _chosen(turn):
        todos.change(turn, {todo.id: {"due_on": due.isoformat()} for todo in chosen})
        turn.answer(turn.say("todo.moved", what=_titles(chosen), day=due.strftime("%m-%d")))


def _remove(turn: Turn) -> None:
    if chosen := _chosen(turn):
        todos.change(turn, {todo.id: {"removed_at": to_micros(turn.now)} for todo in chosen})
        turn.answer(turn.say("todo.removed", what=_titles(chosen)))


def _hurry(turn: Turn) -> None:
    if chosen := _chosen(turn):
        todos.change(turn, {todo.id: {"urgent": True} for todo in chosen})
        turn.answer(turn.say("todo.hurried", what=_titles(chosen)))


def _undo(turn: Turn) -> None:
    count = todos.undo(turn)
    turn.answer(turn.say("todo.undone", count=count) if count else turn.say("todo.nothing_to_undo"))


# --- listing ---


def _list(turn: Turn) -> None:
    scope = str(turn.understanding.slots.get("scope", "today"))
    if scope == "today":
        digest.show(turn)
        return
    items = SCOPES[scope](turn)
    head = turn.say(f"todo.scope.{scope}")
    if not items:
        turn.answer(turn.say("todo.none", scope=head))
        return
    todos.remember_numbers(turn, items)
    lines = tuple(todos.line_of(turn, todo) for todo in items)
    body = Body((Paragraph(turn.say("todo.head", scope=head, count=len(items))), Bullets(lines, numbered=True)))
    turn.send(Reply(turn.message.address, "answer", body))


def _open_until(days: int) -> Callable[[Turn], tuple[Todo, ...]]:
    """Open ones due within the calendar week (7) or at any time (-1)."""

    def find(turn: Turn) -> tuple[Todo, ...]:
        found = todos.open_or_done_since(turn.tx, turn.office.keyring, turn.person, turn.now)
        last = turn.now.date() + timedelta(days=days - 1 - turn.now.weekday())
        return tuple(todo for todo in found if todo.done_at is None and (days < 0 or (todo.due and todo.due <= last)))

    return find


def _done_since(days: int) -> Callable[[Turn], tuple[Todo, ...]]:
    """Done today (1) or since Monday (7)."""

    def find(turn: Turn) -> tuple[Todo, ...]:
        back = turn.now.weekday() if days == 7 else 0
        since = datetime.combine(turn.now.date() - timedelta(days=back), time.min, turn.now.tzinfo)
        found = todos.open_or_done_since(turn.tx, turn.office.keyring, turn.person, since)
        return tuple(todo for todo in found if todo.done_at is not None)

    return find


SCOPES: Mapping[str, Callable[[Turn], tuple[Todo, ...]]] = {
    "week": _open_until(7),
    "all": _open_until(-1),
    "done_today": _done_since(1),
    "done_week": _done_since(7),
}

ACTIONS: Mapping[str, Callable[[Turn], None]] = {
    "add": _add,
    "done": _done,
    "reopen": _reopen,
    "move": _move,
    "remove": _remove,
    "hurry": _hurry,
    "undo": _undo,
    "list": _list,
}


# --- which ones a sentence means ---


def _chosen(turn: Turn, *, among_done: bool = False) -> tuple[Todo, ...]:
    """The to-dos named by number or by words; when that is not clear, the person is told and nothing is chosen."""
    numbers = tuple(int(number) for number in _several(turn.understanding.slots.get("numbers")))
    if numbers:
        meant, missing = todos.numbered(turn, numbers)
        if missing:
            turn.answer(turn.say("todo.no_such_number", numbers="、".join(str(number) for number in missing)))
            return ()
        return tuple(meant.values())
    words = " ".join(_several(turn.understanding.slots.get("text")))
    candidates = _matching(turn, words, among_done=among_done)
    if len(candidates) == 1:
        return candidates
    if not candidates:
        turn.answer(turn.say("todo.not_found", words=words))
        return ()
    todos.remember_numbers(turn, candidates)
    lines = tuple(todos.line_of(turn, todo) for todo in candidates)
    body = Body((Paragraph(turn.say("todo.which")), Bullets(lines, numbered=True)))
    turn.send(Reply(turn.message.address, "answer", body))
    return ()


def _matching(turn: Turn, words: str, *, among_done: bool) -> tuple[Todo, ...]:
    """Those whose title holds the words; else those that share most of their characters."""
    since = turn.now - timedelta(days=30) if among_done else turn.now
    found = [
        todo
        for todo in todos.open_or_done_since(turn.tx, turn.office.keyring, turn.person, since)
        if (todo.done_at is not None) == among_done
    ]
    holding = tuple(todo for todo in found if words and words in todo.title)
    if holding:
        return holding
    wanted = _bigrams(words)
    if not wanted:
        return ()
    scored = [(len(wanted & _bigrams(todo.title)) / len(wanted), todo) for todo in found]
    best = max((score for score, _ in scored), default=0.0)
    return tuple(todo for score, todo in scored if score == best and score >= 0.5)


def _bigrams(text: str) -> frozenset[str]:
    return frozenset(text[place : place + 2] for place in range(len(text) - 1)) or frozenset(text)


def _titles(chosen: Iterable[Todo]) -> str:
    return "、".join(todo.title for todo in chosen)
