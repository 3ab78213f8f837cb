"""Which apps cannot send, and what would help: what delivery has learned, for whoever watches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.types import Misconfigured

IN_A_ROW = 3  # one refusal is weather, three without a success between them are a trouble

_CODE = re.compile(r"\D{0,40}\d+")


class Troubles:
    """By app: the platform's word on what the admin has to mend, or how often in a row it did not take a send."""

    def __init__(self) -> None:
        self._mend: dict[str, str] = {}
        self._refusals: dict[str, int] = {}

    def reached(self, app: str) -> None:
        """A send went through: whatever it was is over."""
        self._mend.pop(app, None)
        self._refusals.pop(app, None)

    def refused(self, app: str) -> None:
        self._refusals[app] = self._refusals.get(app, 0) + 1

    def misconfigured(self, app: str, cure: str) -> None:
        self._mend[app] = cure

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """(app, what is wrong with it), the apps in trouble only."""
        for app in sorted({*self._mend, *self._refusals}):
            if app in self._mend:
                yield app, self._mend[app]
            elif self._refusals[app] >= IN_A_ROW:
                yield app, f"连续 {self._refusals[app]} 次送不出去，会继续重试"


def summary(error: Exception) -> str:
    """What logs and disks may keep of a refusal: behind its code a platform may repeat what it was sent, so the rest
    goes. What the admin has to mend stays whole: it is our own sentence."""
    code = _CODE.match(str(error))
    said = code.group() if code and not isinstance(error, Misconfigured) else str(error)
    return f"{type(error).__name__.strip('_')}: {said}"
