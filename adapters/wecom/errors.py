"""What WeCom's error codes ask us to do, sorted by remedy (platform-facts C8)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.types import Misconfigured, RetryLater, Unreachable, Unsendable

TOKEN_CODES = frozenset({40014, 42001, 41001})
"""The access token is invalid, expired or missing: fetch a new one, once."""

_OVER_FREQUENCY = 45009
_BUSY = frozenset({-1, 6000, 45033})

_GONE = {
    40003: "userid 无效",
    43004: "成员没有关注企业微信",
    60111: "userid 不存在",
    81013: "接收人全部无效",
    82001: "没有有效的接收人",
    84061: "不存在外部联系人关系",
    86001: "会话 id 无效",
    86003: "会话 id 不存在",
    301021: "成员不在应用的可见范围内",
}

_CURES = {
    40001: "secret 不对：请从企业微信管理后台的应用页重新复制到 platforms.wecom.secret",
    40013: "corp_id 不对：请填“我的企业”页底部的企业 ID",
    40056: "agent_id 不对：请填应用页上的 AgentId",
    40091: "secret 不对：请从企业微信管理后台的应用页重新复制到 platforms.wecom.secret",
    48002: "应用没有调用这个接口的权限：请在管理后台为应用开通",
    50003: "应用已停用：请在管理后台启用它",
    60011: "应用无权操作这位成员：请把成员加入应用的可见范围",
    60020: "把服务器出口 IP 加入应用的企业可信IP",
    60123: "部门 id 无效：请检查应用的可见范围",
    301002: "应用没有权限：agent_id 与 secret 须属于同一个应用",
}


class Refused(Exception):
    """An inbound request that is not a valid push: `status` is the 4xx that answers it, the text says why."""

    def __init__(self, reason: str, status: int = 403) -> None:
        super().__init__(reason)
        self.status = status


def error_for(answer: Mapping[str, object], now: datetime) -> Exception | None:
    """The exception that an answer of the API stands for; None when it says ok."""
    code = _code_of(answer)
    if code == 0:
        return None
    reason = f"企业微信返回 {code}：{str(answer.get('errmsg', ''))[:200]}"
    if code == _OVER_FREQUENCY:
        # C6: blocked for a while without a reset header; the quota is counted by the minute.
        return RetryLater(reason, after=timedelta(seconds=60 - now.second))
    if code in _BUSY or code in TOKEN_CODES:
        return RetryLater(reason)
    if code in _GONE:
        return Unreachable(f"{reason}（{_GONE[code]}）")
    if code in _CURES:
        return Misconfigured(f"{reason}。{_CURES[code]}")
    return Unsendable(reason)


def unreached(answer: Mapping[str, object], user_id: str) -> Unreachable | None:
    """Some receivers may be refused although `errcode` is 0 (C4): whether ours is among them.

    The lists come back lower-cased, joined by `|`.
    """
    for field, meaning in (
        ("invaliduser", "userid 无效或不在可见范围内"),
        ("unlicenseduser", "成员没有接口许可"),
    ):
        if user_id.lower() in str(answer.get(field) or "").lower().split("|"):
            return Unreachable(f"企业微信没有送达：{meaning}")
    return None


def _code_of(answer: Mapping[str, object]) -> int:
    code = answer.get("errcode", 0)
    return code if isinstance(code, int) else -1
