"""What is sealed opens only with the right key, for the right tenant and in the right place."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.keyring import MASTER_FILE, Keyring, KeyringError
from memory.stores import schema
from memory.stores.database import Database, Transaction


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(f"sqlite:///{tmp_path}/jide.db")
    await schema.ensure_newest(opened)
    yield opened
    await opened.close()


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring.from_folder(tmp_path)


async def seal(database: Database, keyring: Keyring, tenant: str = "acme", context: str = "row 1") -> bytes:
    return await database.run(lambda tx: keyring.seal(tx, tenant, "研发部".encode(), context))


async def open_(
    database: Database, keyring: Keyring, sealed: bytes, tenant: str = "acme", context: str = "row 1"
) -> str:
    return (await database.read(lambda tx: keyring.open(tx, tenant, sealed, context))).decode()


def test_the_master_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    first = Keyring.from_folder(tmp_path)
    assert (tmp_path / MASTER_FILE).stat().st_mode & 0o777 == 0o600
    assert Keyring.from_folder(tmp_path).hash("acme", "x") == first.hash("acme", "x")


@pytest.mark.parametrize("written", [base64.b64encode(bytes(32)).decode(), bytes(32).hex(), f" {bytes(32).hex()}\n"])
def test_a_configured_master_key_is_read_and_no_file_made(tmp_path: Path, written: str) -> None:
    assert Keyring.from_folder(tmp_path, written).hash("acme", "x") == Keyring(bytes(32)).hash("acme", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("written", ["hunter2", "==", bytes(31).hex(), "zz" * 32, "研发部" * 10])
def test_a_malformed_master_key_is_refused_without_being_printed(tmp_path: Path, written: str) -> None:
    with pytest.raises(KeyringError, match=r"storage\.master_key") as refused:
        Keyring.from_folder(tmp_path, written)
    assert written not in str(refused.value)


async def test_what_is_sealed_opens_again_after_a_restart(database: Database, keyring: Keyring, tmp_path: Path) -> None:
    sealed = await seal(database, keyring)
    assert "研发部".encode() not in sealed
    restarted = Keyring.from_folder(tmp_path)
    await database.read(restarted.load)
    assert await open_(database, restarted, sealed) == "研发部"


async def test_equal_texts_look_different_when_sealed(database: Database, keyring: Keyring) -> None:
    assert await seal(database, keyring) != await seal(database, keyring)


@pytest.mark.parametrize(("tenant", "context"), [("globex", "row 1"), ("acme", "row 2")])
async def test_what_was_moved_does_not_open(database: Database, keyring: Keyring, tenant: str, context: str) -> None:
    sealed = await seal(database, keyring)
    await seal(database, keyring, tenant)  # so that the other tenant has a key of its own
    with pytest.raises(KeyringError):
        await open_(database, keyring, sealed, tenant, context)


async def test_what_was_changed_does_not_open(database: Database, keyring: Keyring) -> None:
    sealed = await seal(database, keyring)
    for place in range(len(sealed)):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(KeyringError):
            await open_(database, keyring, changed)
    for length in range(len(sealed)):
        with pytest.raises(KeyringError):
            await open_(database, keyring, sealed[:length])


async def test_the_wrong_master_key_is_found_at_start(database: Database, keyring: Keyring) -> None:
    await seal(database, keyring)
    with pytest.raises(KeyringError, match=MASTER_FILE):
        await database.read(Keyring(bytes(32)).load)


async def test_a_key_made_in_a_failed_transaction_is_not_used_again(database: Database, keyring: Keyring) -> None:
    def fail(tx: Transaction) -> None:
        keyring.seal(tx, "acme", b"lost", "row 1")
        raise RuntimeError("the key goes with it")

    with pytest.raises(RuntimeError):
        await database.run(fail)
    sealed = await seal(database, keyring)
    fresh = Keyring(keyring._secret)
    await database.read(fresh.load)
    assert await open_(database, fresh, sealed) == "研发部"


def test_hashes_differ_by_tenant_text_and_master_key() -> None:
    one, other = Keyring(bytes(32)), Keyring(bytes(31) + b"1")
    hashes = {one.hash("acme", "a"), one.hash("acme", "b"), one.hash("globex", "a"), other.hash("acme", "a")}
    assert len(hashes) == 4
    assert one.hash("acme", "a") == Keyring(bytes(32)).hash("acme", "a")
