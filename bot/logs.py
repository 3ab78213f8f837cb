"""The log: lines of text or JSON with ids and actions, never a sentence, a value or a secret."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, SecretStr

from config.settings import Settings

OURS = ("jide", "bot", "memory", "adapters", "scheduler", "config")
FIELDS = ("app", "kind", "action", "row", "attempt", "schedule", "question", "tenant")
"""What a line may carry besides its message: ids and names of ours."""

_ROOT = Path(__file__).parents[1]
_FRAMES = 6  # the innermost say enough, and a recursion does not fill the disk
_SHORTEST_SECRET = 4
_WITHHELD = "(message withheld: it is not ours)"


def configure(settings: Settings, stream: TextIO | None = None) -> logging.Handler:
    """Log as `settings` says from now on, in place of what an earlier call set up. Other people's libraries are heard
    from `warning` on: what they would say below that is headers, bodies and SQL."""
    handler = _LogHandler(stream or sys.stderr)
    secrets = tuple(sorted(secrets_of(settings), key=len, reverse=True))
    handler.setFormatter(JsonLines(secrets) if settings.logging.as_json else TextLines(secrets))
    root = logging.getLogger()
    release()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name).setLevel(settings.logging.level.upper())
    return handler


def release() -> None:
    """Undo `configure`."""
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, _LogHandler)]:
        root.removeHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.NOTSET)


def secrets_of(settings: BaseModel) -> Iterator[str]:
    """Every secret value below `settings`."""
    for _, value in settings:
        yield from _secrets_in(value)


class _LogHandler(logging.StreamHandler[TextIO]):
    """The one handler of the program."""

    def filter(self, record: logging.LogRecord) -> bool:
        """aiohttp reports as an error what a port scanner sends instead of HTTP: a thousand lines that nobody needs."""
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, HttpProcessingError)

    def handleError(self, record: logging.LogRecord) -> None:
        """The standard one prints the message and its arguments as they are."""
        self.stream.write(f"a line of {record.name} could not be written\n")


class TextLines(logging.Formatter):
    """`2026-03-02T09:00:00.000Z WARNING jide.inbox turn failed row=17 | ValueError at bot/turn.py:42 in say`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)

    def format(self, record: logging.LogRecord) -> str:
        line = " ".join([_time(record), record.levelname, record.name, self._message(record), *self._pairs(record)])
        return " | ".join([line, *errors_of(record)])

    def _pairs(self, record: logging.LogRecord) -> list[str]:
        return [f"{name}={value}" for name, value in fields_of(record).items()]

    def _message(self, record: logging.LogRecord) -> str:
        """In one line and without secrets; of other people's lines the template alone, and only where there is one."""
        if not is_ours(record.name):
            where = f"{Path(record.pathname).name}:{record.lineno}"
            return f"{record.msg if record.args else _WITHHELD} ({where})"
        message = record.getMessage()
        for secret in self._secrets:
            message = message.replace(secret, "***")
        return message.replace("\r", " ").replace("\n", " ")


class JsonLines(TextLines):
    """The same as one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._message(record),
            **fields_of(record),
        }
        if errors := errors_of(record):
            line["errors"] = errors
        return json.dumps(line, ensure_ascii=False)


def is_ours(logger: str) -> bool:
    return logger.partition(".")[0] in OURS


def fields_of(record: logging.LogRecord) -> Mapping[str, str | int]:
    """The fields that a line may carry; anything else in `extra` is left out."""
    found = {name: getattr(record, name, None) for name in FIELDS}
    return {name: value for name, value in found.items() if isinstance(value, str | int)}


def errors_of(record: logging.LogRecord) -> list[str]:
    """An exception and what led to it: types and places. Its text stays out: a ValueError quotes what it refused."""
    error = record.exc_info[1] if record.exc_info else None
    found: list[str] = []
    while error is not None and len(found) < _FRAMES:
        found.append(" ".join([type(error).__qualname__, *_places(error.__traceback__)]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _places(traceback: TracebackType | None) -> list[str]:
    """`at file:line in function` of the innermost frames, the innermost first."""
    places = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append(f"at {_short(code.co_filename)}:{traceback.tb_lineno} in {code.co_name}")
        traceback = traceback.tb_next
    return places[::-1][:_FRAMES]


def _short(file: str) -> str:
    path = Path(file)
    inside = path.is_relative_to(_ROOT) and ".venv" not in path.parts
    return path.relative_to(_ROOT).as_posix() if inside else "/".join(path.parts[-2:])


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _secrets_in(value: Any) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        yield from secrets_of(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _secrets_in(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _secrets_in(item)
