"""A record survives being written down."""

from __future__ import annotations

from datetime import date

from memory.types import ALWAYS, Record
from tests.contract.desk import START, XIAOWEN


def test_dates_survive_sealing() -> None:
    from memory import sealing

    record = Record(
        "r", XIAOWEN, "fact", "child", "x", ALWAYS, "set", "told", "active", START, START, START,
        expires_at=START, consent_date=date(2026, 3, 1), consent_method="当面", topic="家",
    )  # fmt: skip
    assert sealing.record_from(XIAOWEN, sealing.columns(record), sealing.body(record)) == record
