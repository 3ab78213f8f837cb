"""Feishu's events as messages (platform-facts A4, A5, A15); tolerant of every missing or odd field."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.types import Account, Address, Attachment, Group, Mention, Message, MessageKind, Press

PLATFORM = "feishu"
EVERYONE = "@_all"
EVERYONE_NAME = "所有人"
_EVERYONE = re.compile(r"@_all(?![A-Za-z0-9_])")

KINDS: Mapping[str, MessageKind] = {
    "text": "text",
    "post": "post",
    "image": "image",
    "file": "file",
    "audio": "voice",
    "media": "video",
    "sticker": "sticker",
    "merge_forward": "forward",
    "interactive": "card",
    "location": "location",
}


class Malformed(ValueError):
    """An event that lacks what every event of its type has."""


@dataclass(frozen=True)
class Me:
    """Who the app is: the bot.yaml entry, its tenant, and the bot's own open_id once it is known."""

    app: str
    tenant: str
    open_id: str | None = None

    def account(self, ids: Any) -> Account | None:
        """The account behind `{union_id, user_id, open_id}` or a plain id; the tenant-stable id wins."""
        known = [_text(ids, name) for name in ("union_id", "user_id", "open_id")] if _is_map(ids) else [_string(ids)]
        user_id = next((one for one in known if one), None)
        return Account(PLATFORM, self.app, self.tenant, user_id) if user_id else None

    def group(self, chat_id: str) -> Group:
        return Group(PLATFORM, self.app, self.tenant, chat_id)


def parse_event(me: Me, header: Mapping[str, Any], event: Mapping[str, Any], now: datetime) -> Message | None:
    """The message in one v2 event; None for an event type nobody handles or that the bot itself caused."""
    parse = EVENTS.get(_text(header, "event_type"))
    return parse(me, header, event, now) if parse else None


# --- im.message.receive_v1 ----------------------------------------------------------------------------------


def _message(me: Me, header: Mapping[str, Any], event: Mapping[str, Any], now: datetime) -> Message | None:
    sender, message = _map(event, "sender"), _map(event, "message")
    if _text(sender, "sender_type") not in ("user", ""):
        return None
    account = me.account(sender.get("sender_id"))
    message_id = _text(message, "message_id") or _event_id(header)
    if account is None or not message:
        raise Malformed("no sender or message")
    if me.open_id and _text(_map(sender, "sender_id"), "open_id") == me.open_id:
        return None
    mentioned = _mentions(me, message)
    content = _load(message.get("content"))
    said = _Said(_text(message, "message_type"), content, mentioned)
    return Message(
        id=message_id,
        address=_address(me, account, message),
        sender=account,
        kind=KINDS.get(said.type, "other"),
        text=said.text(),
        sent_at=_moment(message.get("create_time"), now),
        mentions=tuple(said.mentions()),
        mentions_bot=any(mention.is_bot for mention in mentioned.values()),
        quoted=_text(message, "parent_id") or None,
        attachments=tuple(said.attachments()),
    )


def _address(me: Me, account: Account, message: Mapping[str, Any]) -> Address:
    """Everything that is not surely a group is answered in private."""
    chat_id = _text(message, "chat_id")
    in_group = _text(message, "chat_type") in ("group", "topic_group") and chat_id
    return Address(me.group(chat_id) if in_group else account)


def _mentions(me: Me, message: Mapping[str, Any]) -> dict[str, Mention]:
    """The placeholder in the text (`@_user_1`) → whom it stands for."""
    found = {}
    for item in _list(message, "mentions"):
        key = _text(item, "key")
        if key:
            found[key] = _mention(me, key, item)
    return found


def _mention(me: Me, key: str, item: Mapping[str, Any]) -> Mention:
    ids = item.get("id")
    open_id = _text(ids, "open_id") if _is_map(ids) else _string(ids)
    name = _text(item, "name")
    if key == EVERYONE or "all" in (open_id, _text(ids, "user_id") if _is_map(ids) else ""):
        return Mention(name or EVERYONE_NAME, None)
    # Until our own id is known (Feishu was down at the start) a mentioned bot is taken for us.
    is_bot = open_id == me.open_id if me.open_id else _text(item, "mentioned_type") == "bot"
    return Mention(name, me.account(ids), is_bot)


@dataclass(frozen=True)
class _Said:
    """What one message says: its type, its content and the mentions that its placeholders stand for."""

    type: str
    content: Mapping[str, Any]
    mentioned: Mapping[str, Mention]

    def text(self) -> str:
        return self._named(self._raw()).strip()

    def _raw(self) -> str:
        """What was written, with placeholders for the mentions."""
        match self.type:
            case "text":
                return _text(self.content, "text")
            case "post" | "interactive":
                return "\n".join(self._lines())
            case "location":
                return _text(self.content, "name")
            case _:
                return ""

    def mentions(self) -> Iterator[Mention]:
        yield from self.mentioned.values()
        everyone = any(mention.account is None for mention in self.mentioned.values())
        if not everyone and _EVERYONE.search(self._raw()):
            yield Mention(EVERYONE_NAME, None)

    def attachments(self) -> Iterator[Attachment]:
        if self.type in ("image", "file", "audio", "media"):
            kind = KINDS[self.type]
            key = _text(self.content, "image_key" if kind == "image" else "file_key")
            name = _text(self.content, "file_name")
            yield Attachment(kind, key, safe_name(name) if name else None)
        for line in self._body_lines():
            for piece in line:
                if _text(piece, "tag") == "img":
                    yield Attachment("image", _text(piece, "image_key"))
                if _text(piece, "tag") == "media":
                    yield Attachment("video", _text(piece, "file_key"))

    def _named(self, text: str) -> str:
        """Placeholders by the names, longest first (`@_user_10` before `@_user_1`); the bot's own goes."""
        named = {key: "" if mention.is_bot else f"@{mention.name}" for key, mention in self.mentioned.items()}
        named.setdefault(EVERYONE, f"@{EVERYONE_NAME}")
        longest_first = sorted(named, key=len, reverse=True)
        keys = "|".join(_EVERYONE.pattern if key == EVERYONE else re.escape(key) for key in longest_first)
        return re.sub(rf"({keys})( ?)", lambda found: _name(named[found[1]], found[2]), text)

    def _lines(self) -> Iterator[str]:
        yield from filter(None, [_text(self._body(), "title")])
        for line in self._body_lines():
            yield "".join(self._piece(piece) for piece in line)

    def _body(self) -> Mapping[str, Any]:
        """A post without its locale wrapper (`{"zh_cn": {…}}`), which only some senders put around it."""
        if "content" in self.content or "elements" in self.content:
            return self.content
        inner = (value for value in self.content.values() if _is_map(value))
        return next((value for value in inner if "content" in value), self.content)

    def _body_lines(self) -> Iterator[list[Mapping[str, Any]]]:
        if self.type in ("post", "interactive"):
            body = self._body()
            lines = body.get("content", body.get("elements"))
            for line in lines if isinstance(lines, list) else []:
                yield [piece for piece in line if _is_map(piece)] if isinstance(line, list) else []

    def _piece(self, piece: Mapping[str, Any]) -> str:
        text = _text(piece, "text")
        match _text(piece, "tag"):
            case "a":
                href = _text(piece, "href")
                return f"[{text}]({href})" if href and href != text else text
            case "at":
                key = _text(piece, "user_id")
                if key in ("all", EVERYONE):
                    return EVERYONE
                return key if key in self.mentioned else f"@{_text(piece, 'user_name')}"
            case "emotion":
                return f"[{_text(piece, 'emoji_type')}]"
            case "hr":
                return "---"
            case _:
                return text


def _name(name: str, space: str) -> str:
    return name + space if name else ""


def safe_name(name: str) -> str:
    """A sender's file name without path parts, control and direction characters: safe to show and store."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(char for char in last if unicodedata.category(char)[0] != "C")
    return shown.strip().lstrip(".")[-120:] or "file"


# --- other events -------------------------------------------------------------------------------------------


def _press(me: Me, header: Mapping[str, Any], event: Mapping[str, Any], now: datetime) -> Message | None:
    """A click on one of our cards; None when the value is not ours (another app's template, a plain link)."""
    account = me.account(_map(event, "operator"))
    action, context = _map(event, "action"), _map(event, "context")
    if account is None or not action:
        raise Malformed("no operator or action")
    value = _load(action.get("value"))
    question = _text(value, "q")
    option = _text(value, "o") or _string(action.get("option")) or _chosen(action)
    receipt = _text(context, "open_message_id")
    if not (question and option and receipt):
        return None
    chat_id = _text(context, "open_chat_id")
    return Message(
        id=f"press:{_event_id(header)}",
        address=Address(me.group(chat_id) if value.get("g") and chat_id else account),
        sender=account,
        kind="press",
        text="",
        sent_at=_moment(header.get("create_time"), now),
        press=Press(question, option, receipt),
    )


def _chosen(action: Mapping[str, Any]) -> str:
    """The option that a form around the selection sends, whatever the field is called."""
    values = _map(action, "form_value").values()
    return next((value for value in values if isinstance(value, str) and value), "")


def _entered(me: Me, header: Mapping[str, Any], event: Mapping[str, Any], now: datetime) -> Message | None:
    account = me.account(event.get("operator_id"))
    if account is None:
        raise Malformed("no operator")
    sent_at = _moment(header.get("create_time"), now)
    return Message(_event_id(header), Address(account), account, "entered", "", sent_at)


def _event_id(header: Mapping[str, Any]) -> str:
    event_id = _text(header, "event_id")
    if not event_id:
        raise Malformed("no id")
    return f"ev:{event_id}"


Parse = Callable[[Me, Mapping[str, Any], Mapping[str, Any], datetime], Message | None]

EVENTS: Mapping[str, Parse] = {
    "im.message.receive_v1": _message,
    "card.action.trigger": _press,
    "im.chat.access_event.bot_p2p_chat_entered_v1": _entered,
}


# --- reading odd JSON ---------------------------------------------------------------------------------------


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _string(value: Any) -> str:
    """A string that every store can keep: surrogate halves joined or replaced, no NUL (field fault K6)."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")


def _text(mapping: Any, key: str) -> str:
    return _string(mapping.get(key)) if _is_map(mapping) else ""


def _map(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = mapping.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(mapping: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = mapping.get(key)
    return [item for item in value if _is_map(item)] if isinstance(value, list) else []


def _load(content: Any) -> Mapping[str, Any]:
    try:
        loaded = json.loads(content) if isinstance(content, str) else content
    except (ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, Mapping) else {}


def _moment(value: Any, otherwise: datetime) -> datetime:
    """Milliseconds as a string, microseconds in some headers; `otherwise` when it is neither."""
    digits = str(value)
    if not (digits.isascii() and digits.isdecimal() and 12 <= len(digits) <= 16):
        return otherwise
    return datetime.fromtimestamp(int(digits) / (1e6 if len(digits) > 14 else 1e3), UTC)
