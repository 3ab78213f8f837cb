"""The digest: a person's to-dos of the day, as they like to see them, on the channel they chose."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot import schedules, todos
from bot.channels import Destination
from bot.occasion import Occasion
from bot.todos import Todo
from bot.turn import Turn
from bot.types import Address, Block, Body, Bullets, Paragraph, Reply, Table
from memory.types import Recalled

KEYS = ("notify_channel", "hide_completed", "sort_by", "output_format")
SCENE = "digest"


def give(turn: Turn) -> None:
    """早: the digest at once, on its channel; the chat hears where it went."""
    recalled = _recalled(turn)
    destinations = turn.reach(SCENE, turn.message.address)
    body = compose(turn, recalled)
    for destination in destinations:
        here = destination.address == turn.message.address
        turn.send(Reply(destination.address, "answer" if here else "push", body))
    lines = _where_it_went(turn, destinations)
    if lines:
        turn.answer("\n".join(lines))
    turn.memory.mark_used(turn.person, tuple(found.record.id for found in recalled.values()), turn.now)
    schedule = schedules.digest_of(turn)
    if schedule and _same(destinations, turn.reach(SCENE, schedules.address_of(turn, schedule))):
        schedules.skip_today(turn, schedule)


def show(turn: Turn) -> None:
    """今天的待办 in the chat at hand, as the person likes to see them."""
    turn.send(Reply(turn.message.address, "answer", compose(turn, _recalled(turn))))


def push(occasion: Occasion, here: Address, late_by: timedelta) -> None:
    """The scheduled digest; `here`: the chat that it was asked for in."""
    recalled = _recalled(occasion)
    body = compose(occasion, recalled, late_by=late_by)
    for destination in occasion.reach(SCENE, here):
        occasion.send(Reply(destination.address, "push", body))
    occasion.memory.mark_used(occasion.person, tuple(found.record.id for found in recalled.values()), occasion.now)


def compose(occasion: Occasion, recalled: Mapping[str, Recalled], *, late_by: timedelta = timedelta()) -> Body:
    """Overdue first, then today's, then those without a day; done ones unless they are hidden."""
    items = todos.of_day(occasion, hide_done=_value(recalled, "hide_completed") is True)
    items = _sorted(items, str(_value(recalled, "sort_by") or "deadline"), occasion.now)
    blocks: list[Block] = []
    if late_by >= timedelta(minutes=1):
        blocks.append(Paragraph(occasion.say("digest.late", minutes=int(late_by.total_seconds() // 60)), muted=True))
    year = occasion.now.year
    if not items:
        blocks.append(Paragraph(occasion.say("digest.empty")))
    elif _value(recalled, "output_format") == "table":
        columns = tuple(occasion.say(f"digest.column.{name}") for name in ("number", "title", "state"))
        rows = tuple((str(n), todo.title, todos.state_of(occasion, todo)) for n, todo in enumerate(items, 1))
        blocks.append(Table(columns, rows))
    else:
        blocks.append(Bullets(tuple(todos.line_of(occasion, todo) for todo in items), numbered=True))
    if not occasion.office.calendar().is_published(year):
        blocks.append(Paragraph(occasion.say("digest.no_calendar", year=year), muted=True))
    todos.remember_numbers(occasion, items)
    return Body(tuple(blocks), occasion.say("digest.title", date=occasion.now.strftime("%m-%d")))


def _recalled(occasion: Occasion) -> Mapping[str, Recalled]:
    found = occasion.memory.recall_all(occasion.person, KEYS, occasion.situation(SCENE))
    return {key: recalled for key, recalled in found.items() if not recalled.stale}


def _value(recalled: Mapping[str, Recalled], key: str) -> object:
    return recalled[key].value if key in recalled else None


def _sorted(items: tuple[Todo, ...], by: str, now: datetime) -> tuple[Todo, ...]:
    """Done last, overdue first; then by urgency or by day, as the person likes."""
    today = now.date()
    far = today + timedelta(days=36500)

    def place(todo: Todo) -> tuple[object, ...]:
        overdue = todo.due is not None and todo.due < today
        day, urgent = todo.due or far, not todo.urgent
        order = (urgent, day) if by == "priority" else (day, urgent)
        return (todo.done_at is not None, not overdue, *order, todo.created_at)

    return tuple(sorted(items, key=place))


def _where_it_went(turn: Turn, destinations: tuple[Destination, ...]) -> list[str]:
    lines = []
    for destination in destinations:
        name = turn.catalog.value_name("notify_channel", destination.channel)
        if destination.missing:
            lines.append(turn.say(f"channel.{destination.missing}", channel=name))
        elif destination.address != turn.message.address:
            lines.append(turn.say("digest.delivered", channel=name))
    return lines


def _same(given: tuple[Destination, ...], scheduled: tuple[Destination, ...]) -> bool:
    """Whether the scheduled digest would have gone to the same places."""
    return {each.address.key() for each in given} == {each.address.key() for each in scheduled}
