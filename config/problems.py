"""What is wrong with bot.yaml, where, and what would do."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_INVISIBLE = ("Cf", "Cc", "Zs")


@dataclass(frozen=True)
class Problem:
    """One finding, printed as `file:line key: what is wrong, what would do`.

    `line` counts from 1; 0 when the whole file is meant. A `warning` was repaired or can wait: the file loads.
    A check leaves `file` and `line` to the loader, which finds them by `key` (dotted; list items as `[0]`).
    """

    file: str
    line: int
    key: str
    message: str
    cure: str = ""
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        key = f" {self.key}" if self.key else ""
        mark = "提醒：" if self.warning else ""
        return f"{place}{key}: {mark}{self.message}" + (f"，{self.cure}" if self.cure else "")


def found(key: str, message: str, cure: str = "", *, warning: bool = False) -> Problem:
    """What a check yields: a problem whose file and line the loader fills in."""
    return Problem("", 0, key, message, cure, warning)


class Wrong(ValueError):
    """Raised by a validator: what is wrong with this value and what would do. It must not repeat a secret.

    `at` is where below the validated value, when a validator of a whole section speaks of one of its keys.
    """

    def __init__(self, message: str, cure: str = "", *, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure
        self.at = at


class ConfigError(Exception):
    """The file cannot be used; `problems` says why."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def dotted(path: Iterable[str | int]) -> str:
    """`("platforms", "feishu", 1, "app_id")` as `platforms.feishu[1].app_id`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def nearest(name: str, options: Iterable[str]) -> str | None:
    """The option that was probably meant: invisible characters, case, width, `-` and small slips aside."""
    tidied = {_tidied(option): option for option in options}
    wanted = _tidied(name)
    close = [wanted] if wanted in tidied else difflib.get_close_matches(wanted, tidied, n=1, cutoff=0.6)
    return tidied[close[0]] if close else None


def has_invisible(text: str) -> bool:
    """Whether the text holds characters that cannot be seen, or blanks that only look like a space."""
    return any(char != " " and unicodedata.category(char) in _INVISIBLE for char in text)


def _tidied(name: str) -> str:
    visible = "".join(char for char in name if unicodedata.category(char) not in _INVISIBLE)
    return unicodedata.normalize("NFKC", visible).lower().replace("-", "_")
