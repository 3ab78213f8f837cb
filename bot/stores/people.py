"""The rows of people and of their platform accounts."""

from __future__ import annotations

from sqlalchemy import bindparam, insert, select, update

from bot.stores.tables import accounts, people
from memory.stores.database import Transaction

_find = select(accounts.c.person).where(
    accounts.c.tenant == bindparam("tenant"),
    accounts.c.platform == bindparam("platform"),
    accounts.c.user_hash == bindparam("user"),
)
_of_person = (
    select(accounts.c.platform, accounts.c.app, accounts.c.user_id)
    .where(accounts.c.tenant == bindparam("tenant"), accounts.c.person == bindparam("person"))
    .order_by(accounts.c.seen_at.desc(), accounts.c.id.desc())
)


def find(tx: Transaction, tenant: str, platform: str, user_hash: str) -> str | None:
    """The id of the person who owns that account."""
    found: str | None = tx.execute(_find, {"tenant": tenant, "platform": platform, "user": user_hash}).scalar()
    return found


def add_person(tx: Transaction, tenant: str, person: str, now: int) -> None:
    tx.execute(insert(people).values(id=person, tenant=tenant, created_at=now))


def add_account(
    tx: Transaction,
    *,
    tenant: str,
    person: str,
    platform: str,
    app: str,
    user_hash: str,
    user_id: bytes,
    now: int,
) -> None:
    tx.execute(
        insert(accounts).values(
            tenant=tenant,
            person=person,
            platform=platform,
            app=app,
            user_hash=user_hash,
            user_id=user_id,
            seen_at=now,
        )
    )


def of_person(tx: Transaction, tenant: str, person: str) -> list[tuple[str, str, bytes]]:
    """(platform, app, encrypted user id) of every account, the most recently seen first."""
    rows = tx.execute(_of_person, {"tenant": tenant, "person": person})
    return [(row.platform, row.app, row.user_id) for row in rows]


def move_account(tx: Transaction, tenant: str, platform: str, user_hash: str, person: str) -> None:
    tx.execute(
        update(accounts)
        .where(accounts.c.tenant == tenant, accounts.c.platform == platform, accounts.c.user_hash == user_hash)
        .values(person=person)
    )
