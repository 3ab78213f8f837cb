"""The rows of the inbox: accepted once per (app, message), claimed in order per person, blanked when done."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, func, or_, select, text, update

from bot.stores.tables import inbox
from memory.stores.database import Transaction

PENDING = ("new", "claimed")


@dataclass(frozen=True)
class InboxRow:
    id: int
    tenant: str
    person: str
    body: bytes
    attempts: int


_add = text(
    "INSERT INTO inbox (app, message_hash, tenant, person, state, body, attempts, received_at)"
    " VALUES (:app, :message_hash, :tenant, :person, 'new', :body, 0, :received_at)"
    " ON CONFLICT (app, message_hash) DO NOTHING RETURNING id"
)
_older = inbox.alias("older")
_claimable = or_(inbox.c.state == "new", and_(inbox.c.state == "claimed", inbox.c.claimed_until < bindparam("at")))
_returned = (inbox.c.id, inbox.c.tenant, inbox.c.person, inbox.c.body, inbox.c.attempts)
_claim_person = (
    update(inbox)
    .where(
        inbox.c.id
        == select(func.min(_older.c.id))
        .where(_older.c.person == bindparam("whose"), _older.c.state.in_(PENDING))
        .scalar_subquery(),
        _claimable,
    )
    .values(
        state="claimed",
        claimed_by=bindparam("by"),
        claimed_until=bindparam("until"),
        attempts=inbox.c.attempts + 1,
    )
    .returning(*_returned)
)
_oldest = select(func.min(inbox.c.id)).where(inbox.c.state.in_(PENDING)).group_by(inbox.c.person)
_waiting = (
    select(inbox.c.person).where(inbox.c.id.in_(_oldest), _claimable).order_by(inbox.c.id).limit(bindparam("most"))
)
_finish = (
    update(inbox)
    .where(inbox.c.id == bindparam("row"))
    .values(state=bindparam("ended"), body=None, claimed_by=None, claimed_until=None, done_at=bindparam("at"))
)


def add(tx: Transaction, *, app: str, message_hash: str, tenant: str, person: str, body: bytes, now: int) -> int | None:
    """The new row's id, or None when that message is already there, also when another replica was faster."""
    row = {"app": app, "message_hash": message_hash, "tenant": tenant, "person": person, "body": body}
    added: int | None = tx.execute(_add, {**row, "received_at": now}).scalar()
    return added


def claim_next(tx: Transaction, person: str, *, by: str, now: int, until: int) -> InboxRow | None:
    """The person's oldest unfinished row, if nobody holds it. At most one row of a person is ever held."""
    row = tx.execute(_claim_person, {"whose": person, "by": by, "at": now, "until": until}).first()
    return InboxRow(*tuple(row)) if row else None


def waiting_people(tx: Transaction, now: int, limit: int) -> list[str]:
    """People whose oldest unfinished row can be claimed: after a restart, or when a claim has run out."""
    return [row.person for row in tx.execute(_waiting, {"at": now, "most": limit})]


def finish(tx: Transaction, row_id: int, *, state: str, now: int) -> None:
    """`done` or `failed`; the body is blanked, the key stays so that a late re-push is still known."""
    tx.execute(_finish, {"row": row_id, "ended": state, "at": now})


def give_back(tx: Transaction, row_id: int) -> None:
    """Let go of a claim: the row can be claimed again at once."""
    tx.execute(update(inbox).where(inbox.c.id == row_id).values(state="new", claimed_by=None, claimed_until=None))


def release_all(tx: Transaction) -> None:
    """Give every claim back: for the one process that owns an embedded database, at its start."""
    tx.execute(update(inbox).where(inbox.c.state == "claimed").values(state="new", claimed_by=None, claimed_until=None))


def count(tx: Transaction) -> dict[str, int]:
    """How many rows in each state."""
    rows = tx.execute(select(inbox.c.state, func.count().label("rows")).group_by(inbox.c.state))
    return {row.state: row.rows for row in rows}


def purge_done(tx: Transaction, before: int) -> int:
    """Forget the keys of what was done before `before`; the number of rows. Keep more than 8 h (platform-facts A1)."""
    return int(tx.execute(delete(inbox).where(inbox.c.done_at < before)).rowcount)
