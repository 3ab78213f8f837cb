"""What can be made to go wrong with the simulated WeCom, and how it counts."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

_PER_MEMBER = ((30, timedelta(minutes=1)), (1000, timedelta(hours=1)))
_API_PER_MINUTE = 10_000


@dataclass(frozen=True)
class Failure:
    """A scripted answer: an errcode, or a bare HTTP status of 500 and more."""

    errcode: int
    errmsg: str = "scripted failure"
    status: int = 200


@dataclass
class Faults:
    """Switches for tests and rehearsals; `limit_scale` multiplies the platform's limits, 0 turns them off."""

    outage_until: datetime | None = None
    limit_scale: float = 1.0
    latency: float = 0.0  # seconds before every answer
    drop_next: int = 0  # messages that are accepted and never shown
    lose_answers: int = 0  # calls that are carried out and whose connection then breaks
    hang_next: int = 0  # calls that are neither carried out nor answered
    calls: Counter[str] = field(default_factory=Counter)
    scripted: dict[str, deque[Failure]] = field(default_factory=lambda: defaultdict(deque))
    released: asyncio.Event = field(default_factory=asyncio.Event)  # ends the hanging calls
    _sent: dict[str, deque[datetime]] = field(default_factory=lambda: defaultdict(deque))

    def is_out(self, now: datetime) -> bool:
        return self.outage_until is not None and now < self.outage_until

    def next_failure(self, path: str) -> Failure | None:
        waiting = self.scripted[path]
        return waiting.popleft() if waiting else None

    def takes(self, name: str) -> bool:
        """Whether the counted fault `name` strikes now; uses up one."""
        left = getattr(self, name)
        if left:
            setattr(self, name, left - 1)
        return bool(left)

    def exceeds_member_limit(self, userid: str, now: datetime) -> bool:
        """30 a minute and 1,000 an hour per member, beyond which messages are discarded (C6)."""
        return self._is_full(f"member {userid}", now, _PER_MEMBER)

    def exceeds_api_limit(self, path: str, now: datetime) -> bool:
        return self._is_full(f"api {path}", now, ((_API_PER_MINUTE, timedelta(minutes=1)),))

    def _is_full(self, bucket: str, now: datetime, limits: tuple[tuple[int, timedelta], ...]) -> bool:
        if not self.limit_scale:
            return False
        sent = self._sent[bucket]
        while sent and sent[0] <= now - limits[-1][1]:
            sent.popleft()
        for count, per in limits:
            most = max(1, round(count * self.limit_scale))
            if len(sent) >= most and sent[-most] > now - per:
                return True
        sent.append(now)
        return False
