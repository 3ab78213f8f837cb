"""The encryption and signature of Feishu against the published and cross-checked vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.feishu.crypto import decrypt, encrypt, same_secret, signature

VECTORS = json.loads((Path(__file__).parents[1] / "data/vectors.json").read_text("utf-8"))["feishu"]
HTTP = [pytest.param(vector, id=vector["name"]) for vector in VECTORS["http"]]


@pytest.mark.parametrize("vector", [*VECTORS["decrypt"], *VECTORS["http"]], ids=lambda vector: vector["name"])
def test_vectors_decrypt(vector):
    assert decrypt(vector["encrypt_key"], vector["encrypt"]).decode() == vector["plaintext"]


@pytest.mark.parametrize("vector", HTTP)
def test_vectors_encrypt(vector):
    iv = bytes.fromhex(vector["iv_hex"])
    assert encrypt(vector["encrypt_key"], vector["plaintext"].encode(), iv) == vector["encrypt"]


@pytest.mark.parametrize("vector", HTTP)
def test_vectors_are_signed_over_the_raw_bytes(vector):
    def sign(body: str) -> str:
        return signature(vector["timestamp"], vector["nonce"], vector["encrypt_key"], body.encode())

    assert sign(vector["raw_body"]) == vector["signature"]
    assert sign(vector["raw_body"].replace("A", "B", 1)) != vector["signature"]
    assert sign(json.dumps(json.loads(vector["raw_body"]), separators=(",", ":"))) != vector["signature"]


@pytest.mark.parametrize("broken", ["", "AAAA", "不是密文", "A" * 64, "AAECAwQFBgcICQoLDA0ODw=="])
def test_what_is_no_ciphertext_is_a_value_error(broken):
    with pytest.raises(ValueError):
        decrypt("key", broken)


def test_secrets_of_different_lengths_differ():
    assert same_secret("token", "token")
    assert not same_secret("tokem", "token")
    assert not same_secret("\ud83d", "token")
