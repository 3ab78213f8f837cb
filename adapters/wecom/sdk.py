"""The one place that touches wechatpy: its AES envelope and the XML reader that it uses, behind a guard.

wechatpy 1.8.18 lets UnicodeDecodeError, struct.error, KeyError and more escape on bad input, and its typed
messages know neither `template_card_event` nor files (platform-facts D2); so every failure becomes `Refused`
here, and callers read the same dictionary that wechatpy reads.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import xmltodict  # type: ignore[import-untyped]  # ships without types, as wechatpy does
from wechatpy.enterprise.crypto import PrpCrypto
from wechatpy.enterprise.exceptions import InvalidCorpIdException

from adapters.wecom.errors import Refused


class Envelope:
    """Opens what WeCom encrypted for one corp with one EncodingAESKey (platform-facts C1)."""

    def __init__(self, aes_key: str, corp_id: str) -> None:
        """Raises ValueError when the key is not 43 characters of base64."""
        key = base64.b64decode(aes_key + "=")
        if len(key) != 32:
            raise ValueError("aes_key 应为 43 个字符的 EncodingAESKey")
        self._key = key
        self._corp_id = corp_id

    def open(self, encrypted: str) -> str:
        """The plain text; raises Refused with a reason of its own for each way to fail."""
        try:
            size = len(base64.b64decode(encrypted, validate=True))
        except ValueError:
            raise Refused("密文不是合法的 base64", 400) from None
        if size == 0 or size % 16:
            raise Refused("密文长度不对", 400)
        try:
            return str(PrpCrypto(self._key).decrypt(encrypted, self._corp_id))
        except InvalidCorpIdException:
            raise Refused("密文属于另一个企业：请核对 corp_id") from None
        except Exception:  # wechatpy lets whatever comes escape
            raise Refused("解密失败：请核对 aes_key", 400) from None


def read_xml(xml: str | bytes) -> Mapping[str, Any]:
    """The fields inside `<xml>`; entities are refused. Raises Refused."""
    try:
        root = xmltodict.parse(xml, disable_entities=True)["xml"]
    except Exception:  # expat, encodings and recursion each have their own
        raise Refused("XML 无法解析", 400) from None
    if not isinstance(root, dict):
        raise Refused("XML 里没有内容", 400)
    return root
