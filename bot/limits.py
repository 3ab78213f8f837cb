"""How fast the platforms let us speak: sliding windows per receiver and per app, on the app's clock."""

from __future__ import annotations

from collections import OrderedDict, deque
from datetime import datetime, timedelta

Limit = tuple[str, int, timedelta]
"""(bucket, how many, per)"""

_BUCKETS = 50_000


class RateLimits:
    """Counts sends per bucket. One process; several replicas share the counts through Redis."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, deque[datetime]] = OrderedDict()

    def reserve(self, limits: tuple[Limit, ...], now: datetime) -> datetime:
        """Count one send against all of `limits` and return `now`; or, when one is full, count nothing and return
        the moment at which it has room."""
        free_at = now
        for bucket, count, per in limits:
            sent = self._window(bucket, now - per)
            if len(sent) >= count:
                free_at = max(free_at, sent[-count] + per)
        if free_at > now:
            return free_at
        for bucket, _, _ in limits:
            self._sent[bucket].append(now)
        return now

    def _window(self, bucket: str, since: datetime) -> deque[datetime]:
        sent = self._sent.setdefault(bucket, deque())
        self._sent.move_to_end(bucket)
        while sent and sent[0] <= since:
            sent.popleft()
        while len(self._sent) > _BUCKETS:
            self._sent.popitem(last=False)
        return sent
