"""What reached a simulated person, or what they said, as the playground's API tells it."""

from __future__ import annotations

import mimetypes
from datetime import datetime, tzinfo
from typing import Any

from adapters.pages.cards import Look, look_at
from adapters.simulators.feed import Arrival


def as_message(arrival: Arrival, zone: tzinfo) -> dict[str, Any]:
    """The API's dict of one arrival, times in the office's `zone`.

    Beside the fields of design section 10 it carries what the page draws: `updates`, `from` (None: the bot)
    and, read from the platform's own payload, `title`, `theme`, `blocks` and `controls`.
    """
    look = look_at(arrival.platform, arrival.raw) or Look()
    return {
        "seq": arrival.seq,
        "message_id": arrival.message_id,
        "platform": arrival.platform,
        "from": None,
        "to": arrival.to,
        "group": arrival.group,
        "kind": arrival.kind,
        "text": arrival.text,
        "buttons": list(arrival.buttons),
        "attachments": [
            _attachment(arrival.seq, index, name, content) for index, (name, content) in enumerate(arrival.attachments)
        ],
        "at": _local(arrival.at, zone),
        "updates": arrival.updates,
        "title": look.title,
        "theme": look.theme,
        "blocks": list(look.blocks),
        "controls": list(look.controls) or [{"type": "button", "label": label} for label in arrival.buttons],
    }


def as_said(
    seq: int, message_id: str, platform: str, person: str, to: str, group: bool, text: str, at: datetime
) -> dict[str, Any]:
    """The same dict for a person's own message: `to` is the group's or the bot's name, `at` local."""
    return {
        "seq": seq,
        "message_id": message_id,
        "platform": platform,
        "from": person,
        "to": to,
        "group": group,
        "kind": "text",
        "text": text,
        "buttons": [],
        "attachments": [],
        "at": at.isoformat(timespec="seconds"),
        "updates": None,
        "title": None,
        "theme": None,
        "blocks": [],
        "controls": [],
    }


def media_type(name: str, content: bytes) -> str:
    """The type of an attachment: by its first bytes for pictures (platforms drop names), else by its name."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return "application/octet-stream" if guessed.startswith("image/") else guessed


def _attachment(seq: int, index: int, name: str, content: bytes) -> dict[str, Any]:
    return {
        "name": name,
        "media_type": media_type(name, content),
        "size": len(content),
        "url": f"/playground/api/attachment/{seq}/{index}",
    }


def _local(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")
