"""A person's to-do list: the built-in one, the same on every platform, and the numbers it was last shown with."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from bot.codec import decode, encode
from bot.occasion import Occasion
from bot.stores import shown_lists
from bot.stores import todos as rows
from bot.stores.todos import TodoRow
from config.clock import from_micros, to_micros
from memory.keyring import Keyring
from memory.stores.database import Transaction
from memory.types import Person


@dataclass(frozen=True)
class Todo:
    """`due` is a local date; `done_at` an aware UTC moment, None while it is open."""

    id: str
    title: str
    due: date | None
    urgent: bool
    created_at: datetime
    done_at: datetime | None
    rule: Mapping[str, Any] | None = None


def add(
    tx: Transaction,
    keyring: Keyring,
    person: Person,
    title: str,
    now: datetime,
    *,
    due: date | None = None,
    urgent: bool = False,
    done_at: datetime | None = None,
    rule: Mapping[str, Any] | None = None,
) -> str:
    """Put a to-do on the person's list; its id."""
    todo = str(uuid.uuid4())
    rows.add(
        tx,
        TodoRow(
            id=todo,
            tenant=person.tenant,
            person=person.id,
            title=keyring.seal(tx, person.tenant, title.encode(), "todo"),
            due_on=due.isoformat() if due else None,
            due_at=None,
            urgent=urgent,
            created_at=to_micros(now),
            done_at=to_micros(done_at) if done_at else None,
            rule=keyring.seal(tx, person.tenant, encode(rule), "todo rule") if rule else None,
        ),
    )
    return todo


def open_or_done_since(tx: Transaction, keyring: Keyring, person: Person, since: datetime) -> tuple[Todo, ...]:
    """What is still open, and what was done since then; the earliest due first."""
    return tuple(
        _todo(tx, keyring, person, row)
        for row in rows.open_or_done_since(tx, person.tenant, person.id, to_micros(since))
    )


def of_day(occasion: Occasion, *, hide_done: bool) -> tuple[Todo, ...]:
    """What matters today: overdue, due today, without a day; and what was done since yesterday unless hidden."""
    today = occasion.now.date()
    yesterday = datetime.combine(today - timedelta(days=1), time.min, occasion.now.tzinfo)
    found = open_or_done_since(occasion.tx, occasion.office.keyring, occasion.person, yesterday)
    return tuple(todo for todo in found if (not hide_done if todo.done_at else todo.due is None or todo.due <= today))


def state_of(occasion: Occasion, todo: Todo) -> str:
    """已完成, 已逾期 2 天, 今天截止, 03-05 截止, or nothing."""
    today = occasion.now.date()
    if todo.done_at is not None:
        return occasion.say("todo.state.done")
    if todo.due is None:
        return ""
    if todo.due < today:
        return occasion.say("todo.state.overdue", days=(today - todo.due).days)
    if todo.due == today:
        return occasion.say("todo.state.today")
    style = "%m-%d" if todo.due.year == today.year else "%Y-%m-%d"
    return occasion.say("todo.state.due", day=todo.due.strftime(style))


def line_of(occasion: Occasion, todo: Todo) -> str:
    """One line of a list: its title, how it stands, whether it is urgent."""
    state = state_of(occasion, todo)
    title = occasion.say("todo.urgent", title=todo.title) if todo.urgent else todo.title
    return occasion.say("todo.line", title=title, state=state) if state else title


# --- numbers and undo ---


def remember_numbers(occasion: Occasion, shown: Iterable[Todo]) -> None:
    """From now on the person's numbers mean this list, in whichever chat."""
    _keep(occasion, {"ids": tuple(todo.id for todo in shown), "undo": _kept(occasion)["undo"]})


def numbered(occasion: Occasion, numbers: Iterable[int]) -> tuple[dict[int, Todo], tuple[int, ...]]:
    """The to-dos behind numbers of the list last shown, and the numbers it does not have."""
    ids = _kept(occasion)["ids"]
    wanted = {number: ids[number - 1] for number in numbers if 0 < number <= len(ids)}
    found = {todo.id: todo for todo in by_ids(occasion, tuple(wanted.values()))}
    meant = {number: found[todo] for number, todo in wanted.items() if todo in found}
    return meant, tuple(number for number in numbers if number not in meant)


def by_ids(occasion: Occasion, ids: tuple[str, ...]) -> tuple[Todo, ...]:
    person = occasion.person
    return tuple(
        _todo(occasion.tx, occasion.office.keyring, person, row)
        for row in rows.get(occasion.tx, person.tenant, person.id, ids)
        if row.removed_at is None
    )


def change(occasion: Occasion, changes: Mapping[str, Mapping[str, object]]) -> None:
    """Change to-dos by id, and keep how they were: the next 撤销 brings that back."""
    person = occasion.person
    before = {
        row.id: {"due_on": row.due_on, "urgent": row.urgent, "done_at": row.done_at, "removed_at": row.removed_at}
        for row in rows.get(occasion.tx, person.tenant, person.id, tuple(changes))
    }
    for todo, values in changes.items():
        rows.change(occasion.tx, person.tenant, person.id, todo, values)
    _keep(occasion, {"ids": _kept(occasion)["ids"], "undo": before})


def added(occasion: Occasion, ids: tuple[str, ...]) -> None:
    """To-dos that were just added: the next 撤销 removes them."""
    undo = {todo: {"removed_at": to_micros(occasion.now)} for todo in ids}
    _keep(occasion, {"ids": _kept(occasion)["ids"], "undo": undo})


def undo(occasion: Occasion) -> int:
    """Take the last change back; how many to-dos that was."""
    person, kept = occasion.person, _kept(occasion)
    for todo, values in kept["undo"].items():
        rows.change(occasion.tx, person.tenant, person.id, todo, values)
    _keep(occasion, {"ids": kept["ids"], "undo": {}})
    return len(kept["undo"])


def _kept(occasion: Occasion) -> dict[str, Any]:
    person = occasion.person
    sealed = shown_lists.get(occasion.tx, person.tenant, person.id)
    if sealed is None:
        return {"ids": (), "undo": {}}
    return decode(dict, occasion.office.keyring.open(occasion.tx, person.tenant, sealed, "shown list"))


def _keep(occasion: Occasion, kept: Mapping[str, Any]) -> None:
    person = occasion.person
    sealed = occasion.office.keyring.seal(occasion.tx, person.tenant, encode(kept), "shown list")
    shown_lists.put(occasion.tx, person.tenant, person.id, sealed, to_micros(occasion.now))


def _todo(tx: Transaction, keyring: Keyring, person: Person, row: TodoRow) -> Todo:
    return Todo(
        id=row.id,
        title=keyring.open(tx, person.tenant, row.title, "todo").decode(),
        due=date.fromisoformat(row.due_on) if row.due_on else None,
        urgent=row.urgent,
        created_at=from_micros(row.created_at),
        done_at=from_micros(row.done_at) if row.done_at is not None else None,
        rule=decode(dict, keyring.open(tx, person.tenant, row.rule, "todo rule")) if row.rule else None,
    )
