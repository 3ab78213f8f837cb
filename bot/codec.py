"""Turns messages, replies and their parts into JSON bytes and back: what the queues keep."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from bot import types
from memory.types import Preference, Scene

T = TypeVar("T")

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        types.Account, types.Group, types.Address, types.Mention, types.Attachment, types.Press, types.Message,
        types.Heading, types.Paragraph, types.Bullets, types.Table, types.Chart, types.Body, types.Option,
        types.FileOut, types.Reply, types.Sent, Preference,
    )
}  # fmt: skip


def encode(value: object) -> bytes:
    """UTF-8 JSON; dataclasses carry their name under `~`, so unions come back as what they were."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(kind: type[T], data: bytes) -> T:
    """The value that `encode` was given; `TypeError` when it is of another kind."""
    value = _rich(json.loads(data.decode("utf-8", "surrogatepass")))
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes):
        return {"~": "bytes", "v": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"~": "datetime", "v": value.isoformat()}
    if isinstance(value, Scene):
        return {"~": "Scene", "v": value.key()}
    if is_dataclass(value):
        named = {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
        return {"~": type(value).__name__, **named}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    raise TypeError(f"cannot store a {type(value).__name__}")


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_rich(item) for item in value)
    if not isinstance(value, dict):
        return value
    name = value.get("~")
    if name is None:
        return {key: _rich(item) for key, item in value.items()}
    if name == "bytes":
        return base64.b64decode(value["v"])
    if name == "datetime":
        return datetime.fromisoformat(value["v"])
    if name == "Scene":
        return Scene.from_key(value["v"])
    return _KINDS[name](**{key: _rich(item) for key, item in value.items() if key != "~"})
