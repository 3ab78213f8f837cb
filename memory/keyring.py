"""The keys that make what is stored unreadable: one master key, and under it a data key for each tenant."""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import struct
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from memory.stores import keys as rows
from memory.stores.transaction import Transaction

KEY_BYTES = 32
NONCE_BYTES = 12
MASTER_FILE = "master.key"

# A sealed value: version, number of the data key, nonce, ciphertext with tag; made for rotation.
VERSION = 1
_HEAD = struct.Struct(">BH")
_WRAPPING = "\x1fdata key"


class KeyringError(Exception):
    """A key is missing, malformed or not the one that this was sealed with."""


@dataclass(frozen=True)
class _TenantKeys:
    newest: int
    ciphers: dict[int, AESGCM]


class Keyring:
    """Seals, opens and hashes for one tenant at a time. Nothing of one tenant opens with another's key."""

    def __init__(self, master: bytes) -> None:
        if len(master) != KEY_BYTES:
            raise KeyringError(f"the master key has {len(master)} bytes instead of {KEY_BYTES}")
        self._master = AESGCM(master)
        self._secret = master
        self._tenants: dict[str, _TenantKeys] = {}
        self._lookups: dict[str, hmac.HMAC] = {}

    @classmethod
    def from_folder(cls, folder: Path, configured: str | None = None) -> Keyring:
        """With the configured master key (base64 or hex), else the one in `folder`, made there at first."""
        if configured:
            return cls(_decoded(configured, "storage.master_key"))
        file = folder / MASTER_FILE
        if not file.exists():
            _create(file)
        return cls(_decoded(file.read_text("ascii"), str(file)))

    def load(self, tx: Transaction) -> None:
        """At start: unwrap every tenant's keys. KeyringError when the master key is not this database's."""
        for tenant in rows.tenants(tx):
            self._tenants[tenant] = self._unwrapped(tenant, rows.of_tenant(tx, tenant))

    def seal(self, tx: Transaction, tenant: str, plain: bytes, context: str) -> bytes:
        """Encrypt; `context` says what and whose it is, and only the same context opens it again."""
        keys = self._tenants.get(tenant) or self._find_or_make(tx, tenant)
        nonce = os.urandom(NONCE_BYTES)
        head = _HEAD.pack(VERSION, keys.newest)
        return head + nonce + keys.ciphers[keys.newest].encrypt(nonce, plain, _bound(tenant, context))

    def open(self, tx: Transaction, tenant: str, sealed: bytes, context: str) -> bytes:
        """Decrypt what `seal` made; KeyringError when it was changed, moved or sealed with another key."""
        keys = self._tenants.get(tenant) or self._find(tx, tenant)
        version, number = _HEAD.unpack(sealed[: _HEAD.size].ljust(_HEAD.size, b"\0"))
        cipher = keys.ciphers.get(number) if keys else None
        if version != VERSION or cipher is None:
            raise KeyringError(f"no key {number} (version {version}) for tenant {tenant!r}")
        return _decrypt(cipher, sealed[_HEAD.size :], _bound(tenant, context))

    def hash(self, tenant: str, text: str) -> str:
        """64 hex digits, equal for equal texts of one tenant; they say nothing without the master key."""
        lookup = self._lookups.get(tenant)
        if lookup is None:
            key = HKDF(SHA256(), KEY_BYTES, salt=None, info=f"look-ups of {tenant}".encode()).derive(self._secret)
            lookup = self._lookups[tenant] = hmac.new(key, digestmod="sha256")
        keyed = lookup.copy()
        keyed.update(text.encode("utf-8", "surrogatepass"))
        return keyed.hexdigest()

    def _find_or_make(self, tx: Transaction, tenant: str) -> _TenantKeys:
        if (keys := self._find(tx, tenant)) is not None:
            return keys
        rows.add(tx, tenant, 1, self._wrapped(tenant, 1, AESGCM.generate_key(8 * KEY_BYTES)))
        keys = self._find(tx, tenant)  # another replica's, when it was faster
        assert keys is not None
        return keys

    def _find(self, tx: Transaction, tenant: str) -> _TenantKeys | None:
        """The tenant's keys as this transaction sees them; kept for others only once it is committed."""
        wrapped = rows.of_tenant(tx, tenant)
        if not wrapped:
            return None
        keys = self._unwrapped(tenant, wrapped)
        tx.after_commit(partial(self._tenants.__setitem__, tenant, keys))
        return keys

    def _wrapped(self, tenant: str, number: int, key: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._master.encrypt(nonce, key, _bound(tenant, f"{number}{_WRAPPING}"))

    def _unwrapped(self, tenant: str, wrapped: dict[int, bytes]) -> _TenantKeys:
        try:
            ciphers = {
                number: AESGCM(_decrypt(self._master, key, _bound(tenant, f"{number}{_WRAPPING}")))
                for number, key in wrapped.items()
            }
        except KeyringError as error:
            raise KeyringError(
                f"the master key is not the one of this database: restore {MASTER_FILE} or storage.master_key"
            ) from error
        return _TenantKeys(max(ciphers), ciphers)


def _bound(tenant: str, context: str) -> bytes:
    return f"{tenant}\x1f{context}".encode()


def _decrypt(cipher: AESGCM, sealed: bytes, bound: bytes) -> bytes:
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound)
    except (InvalidTag, ValueError) as error:  # ValueError: cut off within the nonce
        raise KeyringError("this was changed, or sealed for something else or with another key") from error


def _decoded(text: str, where: str) -> bytes:
    """32 bytes written in hex or base64."""
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyringError(f"{where}: not a key; `openssl rand -base64 32` makes one")
    return key


def _create(file: Path) -> None:
    """Make a master key that only its owner may read, durable before anything is sealed with it."""
    text = base64.b64encode(AESGCM.generate_key(8 * KEY_BYTES))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(text + b"\n")
        opened.flush()
        os.fsync(descriptor)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
