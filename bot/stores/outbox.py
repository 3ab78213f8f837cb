"""The rows of the outbox: one per reply, delivered in order per chat, blanked when done."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update

from bot.stores.tables import outbox
from memory.stores.database import Transaction

PENDING = ("new", "claimed")


@dataclass(frozen=True)
class OutboxRow:
    seq: int
    id: str
    tenant: str
    person: str
    app: str
    address_hash: str
    kind: str
    body: bytes | None
    progress: bytes | None
    attempts: int
    created_at: int
    unknown_since: int | None


_returned = (
    outbox.c.seq, outbox.c.id, outbox.c.tenant, outbox.c.person, outbox.c.app, outbox.c.address_hash,
    outbox.c.kind, outbox.c.body, outbox.c.progress, outbox.c.attempts, outbox.c.created_at,
    outbox.c.unknown_since,
)  # fmt: skip
_first = outbox.alias("first")
_claimable = or_(
    and_(outbox.c.state == "new", outbox.c.due_at <= bindparam("at")),
    and_(outbox.c.state == "claimed", outbox.c.claimed_until < bindparam("at")),
)
_claim_address = (
    update(outbox)
    .where(
        outbox.c.seq
        == select(func.min(_first.c.seq))
        .where(_first.c.address_hash == bindparam("where"), _first.c.state.in_(PENDING))
        .scalar_subquery(),
        _claimable,
    )
    .values(
        state="claimed",
        claimed_by=bindparam("by"),
        claimed_until=bindparam("until"),
        attempts=outbox.c.attempts + 1,
    )
    .returning(*_returned)
)
_oldest = select(func.min(outbox.c.seq)).where(outbox.c.state.in_(PENDING)).group_by(outbox.c.address_hash)


_insert = insert(outbox)
_due = (
    select(outbox.c.address_hash)
    .where(outbox.c.seq.in_(_oldest), _claimable)
    .order_by(outbox.c.due_at)
    .limit(bindparam("most"))
)
_next_due = select(func.min(func.coalesce(outbox.c.claimed_until, outbox.c.due_at))).where(outbox.c.seq.in_(_oldest))
_this = outbox.c.id == bindparam("row")
_unclaimed: dict[str, None] = {"claimed_by": None, "claimed_until": None}
_finish = (
    update(outbox)
    .where(_this)
    .values(state="done", body=None, progress=bindparam("got"), done_at=bindparam("at"), **_unclaimed)
)
_postpone = (
    update(outbox)
    .where(_this)
    .values(
        state="new",
        due_at=bindparam("at"),
        unknown_since=bindparam("since"),
        error=bindparam("why"),
        **_unclaimed,
    )
)
_card = select(outbox.c.id).where(outbox.c.question == bindparam("asked")).order_by(outbox.c.seq).limit(1)


def add(
    tx: Transaction,
    *,
    id: str,
    tenant: str,
    person: str,
    app: str,
    address_hash: str,
    kind: str,
    body: bytes,
    question: str | None,
    now: int,
) -> None:
    row = {"id": id, "tenant": tenant, "person": person, "app": app, "address_hash": address_hash, "kind": kind}
    what = {"state": "new", "body": body, "question": question, "due_at": now, "created_at": now}
    tx.execute(_insert, {**row, **what})


def claim_next(tx: Transaction, address_hash: str, *, by: str, now: int, until: int) -> OutboxRow | None:
    """The oldest undelivered row of that chat, if it is due and nobody holds it: a chat keeps its order."""
    row = tx.execute(_claim_address, {"where": address_hash, "by": by, "at": now, "until": until}).first()
    return OutboxRow(*tuple(row)) if row else None


def due_addresses(tx: Transaction, now: int, limit: int) -> list[str]:
    """Chats whose oldest undelivered row can be claimed now."""
    return [row.address_hash for row in tx.execute(_due, {"at": now, "most": limit})]


def next_due(tx: Transaction) -> int | None:
    """The earliest instant at which an undelivered row can be tried (again)."""
    found: int | None = tx.execute(_next_due).scalar()
    return found


def save_progress(tx: Transaction, row_id: str, progress: bytes) -> None:
    tx.execute(update(outbox).where(outbox.c.id == row_id).values(progress=progress))


def finish(tx: Transaction, row_id: str, *, progress: bytes, now: int) -> None:
    """Delivered: the words are blanked, the platform's ids stay so that a card can be updated later."""
    tx.execute(_finish, {"row": row_id, "got": progress, "at": now})


def postpone(tx: Transaction, row_id: str, *, due_at: int, unknown_since: int | None, error: str | None) -> None:
    """Try again at `due_at`."""
    tx.execute(_postpone, {"row": row_id, "at": due_at, "since": unknown_since, "why": error})


def bury(tx: Transaction, row_id: str, *, error: str, now: int) -> None:
    """Give up: a dead letter that `jide stats` counts. The words are blanked."""
    tx.execute(
        update(outbox)
        .where(outbox.c.id == row_id)
        .values(state="dead", body=None, done_at=now, error=error, **_unclaimed)
    )


def release_all(tx: Transaction) -> None:
    """Give every claim back: for the one process that owns an embedded database, at its start."""
    tx.execute(
        update(outbox).where(outbox.c.state == "claimed").values(state="new", claimed_by=None, claimed_until=None)
    )


def progress_of(tx: Transaction, row_id: str) -> bytes | None:
    found: bytes | None = tx.execute(select(outbox.c.progress).where(outbox.c.id == row_id)).scalar()
    return found


def card_of(tx: Transaction, question: str) -> str | None:
    """The id of the row whose card carries that question."""
    found: str | None = tx.execute(_card, {"asked": question}).scalar()
    return found


def count(tx: Transaction) -> dict[str, int]:
    """How many rows in each state."""
    rows = tx.execute(select(outbox.c.state, func.count().label("rows")).group_by(outbox.c.state))
    return {row.state: row.rows for row in rows}


def purge_done(tx: Transaction, before: int) -> int:
    """Remove what was delivered before `before`; the number of rows. Cards can be updated for 14 days."""
    return int(tx.execute(delete(outbox).where(outbox.c.done_at < before)).rowcount)
