"""The migrations make the tables that the code describes, on every engine."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from bot.stores.tables import inbox
from memory.stores import schema
from memory.stores.database import Database, DatabaseBroken, Transaction
from memory.stores.tables import metadata

assert inbox.metadata is metadata  # importing the bot's tables has added them


def differences(tx: Transaction) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(tx.connection), metadata))


async def test_migrated_tables_are_the_ones_in_code(database: Database) -> None:
    assert await database.run(differences) == []


def test_newest_is_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == schema.NEWEST


async def test_upgrading_twice_changes_nothing(database_url: str) -> None:
    opened = await Database.open(database_url)
    assert await schema.upgrade(opened) == ""
    assert await schema.upgrade(opened) == schema.NEWEST
    await opened.close()


async def test_a_current_database_starts_without_alembic(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.stores.schema._apply", None)
    await schema.ensure_newest(database)


async def test_a_newer_programs_database_is_left_alone(database: Database) -> None:
    await database.run(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '9999'")) and None)
    with pytest.raises(DatabaseBroken, match="newer"):
        await schema.ensure_newest(database)
