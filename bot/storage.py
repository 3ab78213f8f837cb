"""Opening what is stored: the database of these settings, and the keys to it."""

from __future__ import annotations

from pathlib import Path

from config.settings import Settings
from memory.keyring import MASTER_FILE, Keyring, KeyringError
from memory.stores import intact, keys, schema
from memory.stores.database import Database, DatabaseBroken


def database_url(settings: Settings) -> str:
    url = settings.storage.database
    return url.get_secret_value() if url else f"sqlite:///{database_file(settings).resolve()}"


def database_file(settings: Settings) -> Path:
    """The file of the embedded database, whether or not it is used."""
    return settings.storage.data / "jide.db"


def check_folder(settings: Settings) -> None:
    """Make the data folder; DatabaseBroken, with the file and the cure, when what is in it must not be opened."""
    data = settings.storage.data
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseBroken(f"建不了数据目录 {data}（{error.strerror}）：检查权限，或改 storage.data") from error
    if not settings.storage.database:
        intact.check_usable(database_file(settings), owned_before=(data / MASTER_FILE).exists())


async def open_database(settings: Settings) -> Database:
    """The database as it is; `check_folder` comes first."""
    try:
        return await Database.open(database_url(settings))
    except DatabaseBroken as error:
        raise _named(settings, error) from error


async def bring_up_to_date(settings: Settings, database: Database) -> None:
    """Apply the migrations that are missing."""
    try:
        await schema.ensure_newest(database)
    except DatabaseBroken as error:
        raise _named(settings, error) from error


async def open_keyring(settings: Settings, database: Database) -> Keyring:
    """The keys of every tenant. KeyringError when the master key is malformed or another one, or when it is missing
    although something is sealed with it: a new one would open nothing."""
    master, file = settings.storage.master_key, settings.storage.data / MASTER_FILE
    sealed = await database.read(keys.tenants)
    if sealed and master is None and not file.exists():
        raise KeyringError(f"主密钥 {file} 不见了：从备份放回来；没有它，已有的记忆打不开")
    try:
        keyring = Keyring.from_folder(settings.storage.data, master.get_secret_value() if master else None)
        await database.read(keyring.load)
    except KeyringError as error:
        where = "storage.master_key" if master else str(file)
        raise KeyringError(f"{where} 打不开这个数据库（{error}）：换成和它一起备份的那一把") from error
    return keyring


def _named(settings: Settings, error: DatabaseBroken) -> DatabaseBroken:
    """What the engine says, with the file and what to do; a damaged file is kept as it is, and once more beside it."""
    file = database_file(settings)
    if settings.storage.database or not file.exists():
        return DatabaseBroken(f"数据库打不开：{error}")
    copy = intact.keep_copy(file)
    return DatabaseBroken(
        f"数据文件 {file} 打不开（{error}）；换上备份，或用 sqlite3 的 .recover 抢救。另存了一份 {copy.name}"
    )
