"""What to do about each error code of Feishu (platform-facts A7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum

from bot.types import Misconfigured, RetryLater, Unreachable, Unsendable


class Remedy(Enum):
    RETRY = "wait and send again"
    RENEW = "fetch a new token, once"
    MEND = "the admin has to change something"
    ELSEWHERE = "this receiver cannot be reached here"
    GONE = "the message can no longer be changed"
    PLAIN = "the card is refused: send it as text"
    MASK = "hide digits and addresses, send once more"
    DROP = "no retry"


CURES: Mapping[int, str] = {
    10003: "app_id 或 app_secret 不对，请到开发者后台“凭证与基础信息”重新复制到 bot.yaml",
    10014: "app_secret 不对，请到开发者后台“凭证与基础信息”重新复制到 bot.yaml",
    10015: "app_secret 不对，请到开发者后台“凭证与基础信息”重新复制到 bot.yaml",
    230006: "应用没有开启机器人能力，请到开发者后台“添加应用能力”里打开并发布版本",
    99991401: "本机 IP 不在应用的白名单里，请到开发者后台“安全设置”里加上",
    99991403: "本月的接口调用次数已用完，请联系飞书购买或等到下月",
    99991672: "应用缺少权限，请到开发者后台“权限管理”里开通并发布版本",
    1470403: "应用没有任务权限，请到开发者后台“权限管理”里开通 task:task:write 并发布版本",
}

_CODES: Mapping[Remedy, tuple[int, ...]] = {
    Remedy.RETRY: (1, 2200, 11232, 11233, 11247, 230020, 230049, 1470422, 1470500, 99991400),
    Remedy.RENEW: (99991661, 99991663, 99991664, 99991668),
    Remedy.MEND: tuple(CURES),
    Remedy.ELSEWHERE: (
        230002, 230013, 230018, 230027, 230029, 230034, 230035, 230053, 232009, 99992351, 99992361,
    ),
    Remedy.GONE: (230011, 230031, 230110),
    Remedy.PLAIN: (230099,),
    Remedy.MASK: (230022, 230028),
}  # fmt: skip

REMEDIES: Mapping[int, Remedy] = {code: remedy for remedy, codes in _CODES.items() for code in codes}

_UNKNOWN_OUTCOME = (230049,)  # "the same message is being sent"
_SCOPE = re.compile(r"\b[a-z_]+:[a-z0-9_.]+(?::[a-z0-9_.]+)*\b")
_LINK = re.compile(r"https://\S+")


class Refusal(Exception):
    """Feishu answered a call with an error code; `after` when it said how long to wait."""

    def __init__(self, code: int, text: str, *, status: int = 200, after: timedelta | None = None) -> None:
        super().__init__(f"{code} {text[:160]}")
        self.code = code
        self.text = text
        self.status = status
        self.after = after

    @property
    def remedy(self) -> Remedy:
        if self.status == 429 or self.status >= 500:
            return Remedy.RETRY
        return REMEDIES.get(self.code, Remedy.DROP)


def translate(refusal: Refusal) -> Exception:
    """The error of `bot.types` that names the remedy to the outbox."""
    match refusal.remedy:
        case Remedy.RETRY | Remedy.RENEW:
            return RetryLater(str(refusal), after=refusal.after, unknown=refusal.code in _UNKNOWN_OUTCOME)
        case Remedy.MEND:
            return Misconfigured(cure(refusal))
        case Remedy.ELSEWHERE:
            return Unreachable(str(refusal))
        case _:
            return Unsendable(str(refusal))


def cure(refusal: Refusal) -> str:
    """A sentence for the admin: the code, what to do, the scopes and the link that Feishu's answer names."""
    scopes = sorted(set(_SCOPE.findall(_LINK.sub("", refusal.text))))
    link = _LINK.search(refusal.text)
    sentence = f"飞书 {refusal.code}：{CURES.get(refusal.code, refusal.text[:160])}"
    if scopes:
        sentence += f"（任一：{'、'.join(scopes)}）"
    return f"{sentence} {link.group()}" if link else sentence
