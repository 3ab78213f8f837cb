"""Announcing: what has changed in memory, and what that means for the schedule that follows from it."""

from __future__ import annotations

from datetime import datetime

from bot import schedules
from bot.turn import Turn


def tell(turn: Turn, words: str) -> None:
    """Say `words` about what has changed, and when the digest comes next where its schedule has changed with it."""
    due = schedules.keep_digest(turn, turn.message.address)
    turn.answer(f"{words}\n{_scheduled(turn, due)}" if due else words)


def _scheduled(turn: Turn, due: datetime) -> str:
    """每天 08:00 发到企业微信，下一次是 03-03 08:00。"""
    recalled = turn.memory.recall_all(turn.person, ("digest_days", "notify_channel"), turn.situation(schedules.DIGEST))
    days = recalled["digest_days"].value if "digest_days" in recalled else "daily"
    channel = recalled["notify_channel"].value if "notify_channel" in recalled else turn.message.address.platform
    return turn.say(
        "digest.scheduled",
        days=turn.catalog.value_name("digest_days", days),
        time=due.strftime("%H:%M"),
        channel=turn.catalog.value_name("notify_channel", channel),
        next=due.strftime("%m-%d %H:%M"),
    )
