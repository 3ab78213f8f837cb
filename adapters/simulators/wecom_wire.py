"""The platform's side of WeCom's encrypted callbacks, written from the protocol alone (platform-facts C1).

It shares no code with the adapter or with wechatpy, so that the two sides check each other.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

_BLOCK = 32

Fields = Mapping[str, "str | int | Fields | Iterable[Fields]"]


@dataclass(frozen=True)
class Push:
    """One signed callback: the query of its URL and its body (empty for a check of the URL)."""

    query: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Wire:
    """Encrypts and signs as one corp's app is configured."""

    corp_id: str
    agent_id: int
    token: str
    aes_key: str

    def push(self, xml: str, timestamp: int) -> Push:
        encrypted = self.encrypt(xml.encode())
        outer: Fields = {"ToUserName": self.corp_id, "AgentID": self.agent_id, "Encrypt": encrypted}
        return Push(self._signed(encrypted, timestamp), to_xml(outer).encode())

    def check(self, echo: str, timestamp: int) -> Push:
        encrypted = self.encrypt(echo.encode())
        return Push({**self._signed(encrypted, timestamp), "echostr": encrypted}, b"")

    def encrypt(self, plain: bytes, *, random: bytes | None = None) -> str:
        """base64 of AES-256-CBC over 16 random bytes, the length, the text and the corp id."""
        text = (random or secrets.token_bytes(16)) + len(plain).to_bytes(4, "big") + plain + self.corp_id.encode()
        padding = _BLOCK - len(text) % _BLOCK
        key = base64.b64decode(self.aes_key + "=")
        encryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).encryptor()
        return base64.b64encode(encryptor.update(text + bytes([padding]) * padding) + encryptor.finalize()).decode()

    def sign(self, timestamp: str, nonce: str, encrypted: str) -> str:
        joined = "".join(sorted((self.token, timestamp, nonce, encrypted)))
        return hashlib.sha1(joined.encode()).hexdigest()

    def _signed(self, encrypted: str, timestamp: int) -> dict[str, str]:
        nonce = str(secrets.randbelow(10**10))
        signature = self.sign(str(timestamp), nonce, encrypted)
        return {"msg_signature": signature, "timestamp": str(timestamp), "nonce": nonce}


def to_xml(fields: Fields) -> str:
    """`<xml>` with numbers bare and texts in CDATA, as the platform writes them."""
    return f"<xml>{_inner_xml(fields)}</xml>"


def _inner_xml(fields: Fields) -> str:
    parts = []
    for name, value in fields.items():
        if isinstance(value, int):
            parts.append(f"<{name}>{value}</{name}>")
        elif isinstance(value, str):
            parts.append(f"<{name}><![CDATA[{_allowed(value)}]]></{name}>")
        elif isinstance(value, Mapping):
            parts.append(f"<{name}>{_inner_xml(value)}</{name}>")
        else:
            parts += [f"<{name}>{_inner_xml(item)}</{name}>" for item in value]
    return "".join(parts)


def _allowed(text: str) -> str:
    """What XML 1.0 can carry, with the end of a CDATA section divided over two."""
    kept = "".join(char for char in text if char in "\t\n\r" or (char >= " " and not "\ud800" <= char <= "\udfff"))
    return kept.replace("\ufffe", "").replace("\uffff", "").replace("]]>", "]]]]><![CDATA[>")
