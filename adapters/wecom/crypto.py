"""Whether a request really comes from WeCom, and what it says in plain text."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from adapters.wecom.errors import Refused
from adapters.wecom.sdk import Envelope, read_xml

MAX_BODY = 256 * 1024
"""A text message is at most a few KB; anything near this size is not a push."""


class Seal:
    """Checks the signature of a request, then decrypts it (platform-facts C1)."""

    def __init__(self, token: str, aes_key: str, corp_id: str) -> None:
        self._token = token
        self._envelope = Envelope(aes_key, corp_id)

    def open_check(self, query: Mapping[str, str]) -> str:
        """The plain `echostr` of a URL check. Raises Refused."""
        return self._open(query, _required(query, "echostr"))

    def open_push(self, query: Mapping[str, str], body: bytes) -> str:
        """The plain XML of a pushed message or event. Raises Refused."""
        if len(body) > MAX_BODY:
            raise Refused("请求体过大", 413)
        encrypted = read_xml(body).get("Encrypt")
        if not isinstance(encrypted, str):
            raise Refused("XML 里没有 Encrypt", 400)
        return self._open(query, encrypted)

    def _open(self, query: Mapping[str, str], encrypted: str) -> str:
        claimed = _required(query, "msg_signature")
        expected = signature(self._token, _required(query, "timestamp"), _required(query, "nonce"), encrypted)
        if not hmac.compare_digest(_bytes(expected), _bytes(claimed)):
            raise Refused("签名不符：请核对 token")
        return self._envelope.open(encrypted)


def signature(token: str, timestamp: str, nonce: str, encrypted: str) -> str:
    """sha1 over the four parts, sorted and joined (C1)."""
    # WeCom prescribes SHA-1; the AES key, not this digest, keeps the content secret.
    return hashlib.sha1(_bytes("".join(sorted((token, timestamp, nonce, encrypted))))).hexdigest()


def _required(query: Mapping[str, str], name: str) -> str:
    value = query.get(name)
    if not value:
        raise Refused(f"缺少参数 {name}", 400)
    return value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
