"""Each error code of WeCom leads to its remedy."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.wecom.errors import error_for, unreached
from bot.types import Misconfigured, RetryLater, Unreachable, Unsendable

NOW = datetime(2026, 3, 2, 1, 0, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (-1, RetryLater, ""),
        (6000, RetryLater, ""),
        (45033, RetryLater, ""),
        (40014, RetryLater, ""),
        (40003, Unreachable, "userid"),
        (60111, Unreachable, "userid"),
        (81013, Unreachable, "接收人"),
        (40001, Misconfigured, "secret"),
        (40013, Misconfigured, "corp_id"),
        (40056, Misconfigured, "agent_id"),
        (60020, Misconfigured, "把服务器出口 IP 加入应用的企业可信IP"),
        (301002, Misconfigured, "secret"),
        (40058, Unsendable, ""),
        (44004, Unsendable, ""),
        (45002, Unsendable, ""),
        (99999, Unsendable, ""),
    ],
)
def test_a_code_asks_for_its_remedy(code: int, kind: type[Exception], words: str) -> None:
    error = error_for({"errcode": code, "errmsg": "said so"}, NOW)
    assert type(error) is kind
    assert str(code) in str(error)
    assert words in str(error)


def test_ok_is_no_error() -> None:
    assert error_for({"errcode": 0, "errmsg": "ok"}, NOW) is None


def test_an_exceeded_frequency_waits_for_the_next_minute() -> None:
    error = error_for({"errcode": 45009}, NOW)
    assert isinstance(error, RetryLater)
    assert error.after == timedelta(seconds=40)


@pytest.mark.parametrize("field", ["invaliduser", "unlicenseduser"])
def test_ok_does_not_mean_that_our_receiver_was_reached(field: str) -> None:
    assert unreached({"errcode": 0, field: "lilei|xiaowen"}, "XiaoWen") is not None
    assert unreached({"errcode": 0, field: "lilei"}, "xiaowen") is None
    assert unreached({"errcode": 0, field: ""}, "xiaowen") is None
