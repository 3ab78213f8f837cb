"""What a unit of work sees of the database, plus the errors that tell a caller what would help."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult
from sqlalchemy.sql.base import Executable

T = TypeVar("T")

log = logging.getLogger(__name__)


class DatabaseUnavailable(Exception):
    """The database could not do it; the subclasses differ by what would help."""


class DatabaseClosed(DatabaseUnavailable):
    """It was closed on purpose: the program is stopping, nothing more is taken in."""


class DatabaseBusy(DatabaseUnavailable):
    """Locked, overloaded or briefly unreachable: nothing was written, try again later."""


class DatabaseBroken(DatabaseUnavailable):
    """Disk full, damaged file, wrong URL or refused login: an administrator has to mend it first."""


_ticks = count(1)


def tick() -> int:
    """A number that grows with every call: tells which of two things in this process came first."""
    return next(_ticks)


class Transaction:
    """One unit of work: everything executed through it is committed together or not at all."""

    __slots__ = ("_after_commit", "_at_end", "began", "connection", "touched")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.began = tick()  # before anything was read
        self.touched: set[Hashable] = set()  # what it has changed, for caches
        self._after_commit: list[Callable[[], None]] = []
        self._at_end: list[Callable[[bool], None]] = []

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.connection.dialect.name

    def execute(
        self, statement: Executable, params: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> CursorResult[Any]:
        """Run one SQLAlchemy Core statement; a list of params runs it once for each."""
        return self.connection.execute(statement, params)

    def after_commit(self, hook: Callable[[], None]) -> None:
        """Run `hook` on the event loop once this is committed, before `run()` returns; not when it fails."""
        self._after_commit.append(hook)

    def at_end(self, hook: Callable[[bool], None]) -> None:
        """Run `hook(committed)` when this unit has ended either way, before anyone can see its effect."""
        self._at_end.append(hook)

    def end(self, committed: bool) -> None:
        """For the engine: the unit is over."""
        hooks, self._at_end = self._at_end, []
        for hook in hooks:
            hook(committed)

    def run_hooks(self) -> None:
        """For the engine: the unit is committed. A hook that fails cannot undo that: it is logged."""
        for hook in self._after_commit:
            try:
                hook()
            except Exception:
                log.exception("after-commit hook failed")
