"""Brings a database to the newest migration, without loading Alembic when it is there already."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from memory.stores.database import Database, DatabaseBroken, Transaction

MIGRATIONS = Path(__file__).parent.parent / "migrations"
NEWEST = "0003"  # a test compares it with the files
UPGRADE_LOCK = 7_246_001  # any number of our own: replicas that start together upgrade one after the other


async def ensure_newest(database: Database) -> None:
    """At start: upgrade unless the database is at the newest migration."""
    if await database.read(revision) != NEWEST:
        await upgrade(database)


async def upgrade(database: Database) -> str:
    """Apply what is missing in one transaction; the revision that it stood at before, empty for a new one.

    Raises DatabaseBroken for a database that a newer program has written.
    """
    return await database.run(_upgrade)


def revision(tx: Transaction) -> str:
    """The migration that the database is at, empty for a new one."""
    if not inspect(tx.connection).has_table("alembic_version"):
        return ""
    return tx.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def _upgrade(tx: Transaction) -> str:
    if tx.dialect == "postgresql":
        tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": UPGRADE_LOCK})
    before = revision(tx)
    _apply(tx.connection)
    return before


def _apply(connection: Connection) -> None:
    # Alembic is loaded only when there is something to apply: it would cost a quarter of the time to start.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise DatabaseBroken(f"this database was written by a newer version of the program: {error}") from error
