"""Feishu's event encryption and request signature (platform-facts A2)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BLOCK = 16


def decrypt(encrypt_key: str, encrypted: str) -> bytes:
    """The plain bytes of `base64(iv || AES-256-CBC(PKCS7(plain)))`; ValueError when it is anything else."""
    data = base64.b64decode(encrypted, validate=True)
    if len(data) < 2 * BLOCK or len(data) % BLOCK:
        raise ValueError("not an AES-CBC message")
    decryptor = _cipher(encrypt_key, data[:BLOCK]).decryptor()
    unpadder = padding.PKCS7(BLOCK * 8).unpadder()
    padded = decryptor.update(data[BLOCK:]) + decryptor.finalize()
    return unpadder.update(padded) + unpadder.finalize()


def encrypt(encrypt_key: str, plain: bytes, iv: bytes | None = None) -> str:
    """The `encrypt` field that `decrypt` opens; `iv` is random unless a test vector fixes it."""
    iv = iv or os.urandom(BLOCK)
    padder = padding.PKCS7(BLOCK * 8).padder()
    encryptor = _cipher(encrypt_key, iv).encryptor()
    padded = padder.update(plain) + padder.finalize()
    return base64.b64encode(iv + encryptor.update(padded) + encryptor.finalize()).decode("ascii")


def signature(timestamp: str, nonce: str, encrypt_key: str, raw_body: bytes) -> str:
    """`X-Lark-Signature` of the raw bytes: re-serialised JSON does not match."""
    signed = (timestamp + nonce + encrypt_key).encode("utf-8", "surrogatepass") + raw_body
    return hashlib.sha256(signed).hexdigest()


def same_secret(given: str, expected: str) -> bool:
    """Whether two strings are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def _cipher(encrypt_key: str, iv: bytes) -> Cipher[modes.CBC]:
    return Cipher(algorithms.AES(hashlib.sha256(encrypt_key.encode()).digest()), modes.CBC(iv))
