"""One value that a clause gives to a preference key."""

from __future__ import annotations

from typing import NamedTuple

from memory.types import Mode, Value


class Said(NamedTuple):
    """The value, how it is meant (set, added, excluded) and where it stands in the clause."""

    key: str
    value: Value
    mode: Mode
    start: int
    end: int
    is_elliptic: bool = False  # the clause says nothing but this value
