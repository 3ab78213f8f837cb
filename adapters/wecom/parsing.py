"""What a plain WeCom push says, as a Message (platform-facts C2)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bot.types import Account, Address, Attachment, Message, MessageKind, Press

_KINDS: dict[str, MessageKind] = {
    "text": "text",
    "image": "image",
    "voice": "voice",
    "video": "video",
    "shortvideo": "video",
    "location": "location",
    "link": "card",
    "file": "file",
}
_ENTERING = frozenset({"enter_agent", "subscribe"})
_WORDS = {"text": ("Content",), "location": ("Label",), "link": ("Title", "Description")}
_MAX_NAME = 100


def parse(data: Mapping[str, Any], *, app: str, tenant: str, now: datetime) -> Message | None:
    """The message of one push; None for events that nobody handles. Tolerates missing fields."""
    user_id, pushed = _text(data, "FromUserName").lower(), _text(data, "MsgType").lower()
    if not user_id or not pushed:
        return None
    press = _press(data) if _is_press(data, pushed) else None
    if pushed == "event" and press is None and _text(data, "Event").lower() not in _ENTERING:
        return None
    sender = Account("wecom", app, tenant, user_id)
    return Message(
        id=_text(data, "MsgId") or _composed_id(data, press),
        address=Address(sender),
        sender=sender,
        kind=_kind(pushed, press),
        text="\n".join(filter(None, (_text(data, field) for field in _WORDS.get(pushed, ())))),
        sent_at=_moment(_text(data, "CreateTime"), now),
        attachments=tuple(_attachments(data, pushed)),
        press=press,
    )


def press_key(question_id: str | None, option: str) -> str:
    """What a button or a selectable option carries, so that a press names its question."""
    return f"q:{question_id or ''}:{option}"


def _is_press(data: Mapping[str, Any], pushed: str) -> bool:
    return pushed == "event" and _text(data, "Event").lower() == "template_card_event"


def _press(data: Mapping[str, Any]) -> Press | None:
    """A chosen option when the card was a selection, else the button (its key is then EventKey)."""
    for key in (*_selected(data), _text(data, "EventKey")):
        parts = key.split(":", 2)
        if len(parts) == 3 and parts[0] == "q":
            return Press(question_id=parts[1], option=parts[2], receipt=_text(data, "ResponseCode"))
    return None


def _selected(data: Mapping[str, Any]) -> Iterator[str]:
    for item in _listed(_inner(data, "SelectedItems").get("SelectedItem")):
        if isinstance(item, Mapping):
            for option in _listed(_inner(item, "OptionIds").get("OptionId")):
                if isinstance(option, str):
                    yield option


def _kind(pushed: str, press: Press | None) -> MessageKind:
    if press is not None:
        return "press"
    return "entered" if pushed == "event" else _KINDS.get(pushed, "other")


def _composed_id(data: Mapping[str, Any], press: Press | None) -> str:
    """Events have no MsgId: the same for a re-push, another for a press at another second (C1).

    Hashed, because a user id must not reach a disk in the clear.
    """
    fields = ("FromUserName", "CreateTime", "MsgType", "Event", "EventKey", "TaskId")
    parts = [_text(data, field) for field in fields]
    if press is not None:
        parts.append(press.option)
    return "ev-" + hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _moment(seconds: str, now: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return now


def _attachments(data: Mapping[str, Any], pushed: str) -> Iterator[Attachment]:
    media = _text(data, "MediaId")
    if media:
        yield Attachment(_KINDS.get(pushed, "other"), media, _safe_name(_text(data, "FileName")))


def _safe_name(name: str) -> str | None:
    """The last component only: a sender may write `../../周报 .docx`."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(char for char in last if char.isprintable()).strip(" .")[:_MAX_NAME] or None


def _text(data: Mapping[str, Any], field: str) -> str:
    value = data.get(field)
    return value if isinstance(value, str) else ""


def _inner(data: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = data.get(field)
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
