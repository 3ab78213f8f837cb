"""News from one place to any number of open streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

News = Mapping[str, Any]

BACKLOG = 1000
"""News that a stream may lag behind; past it the stream ends and its reader comes back with its last id."""


class Channel:
    """`publish` hands a piece of news to everybody who is subscribed at that moment, and never waits."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[News | None]] = set()
        self._closed = False

    def publish(self, news: News) -> None:
        for queue in list(self._queues):
            if queue.qsize() < BACKLOG:
                queue.put_nowait(news)
            else:
                self._end(queue)

    @contextmanager
    def subscribe(self) -> Iterator[AsyncIterator[News]]:
        """Everything published from the moment the block is entered; the iterator ends with the channel."""
        queue: asyncio.Queue[News | None] = asyncio.Queue()
        if self._closed:
            queue.put_nowait(None)
        else:
            self._queues.add(queue)
        try:
            yield _drain(queue)
        finally:
            self._queues.discard(queue)

    def close(self) -> None:
        """End every stream, so that a server with open streams can stop."""
        self._closed = True
        for queue in list(self._queues):
            self._end(queue)

    def _end(self, queue: asyncio.Queue[News | None]) -> None:
        self._queues.discard(queue)
        queue.put_nowait(None)


async def _drain(queue: asyncio.Queue[News | None]) -> AsyncIterator[News]:
    while (news := await queue.get()) is not None:
        yield news
