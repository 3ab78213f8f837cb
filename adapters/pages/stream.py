"""Server-sent events: what was missed, then what comes, with ids to resume from and signs of life."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from adapters.pages.channel import News

HEARTBEAT = 15.0  # seconds between signs of life on a quiet stream
SIGN_OF_LIFE = b": still here\n\n"


def resumes_after(last_id: str, epoch: str) -> int | None:
    """The `seq` that a returning reader has seen; None when its id is from before a reset or a restart."""
    known, _, seq = last_id.partition(".")
    return int(seq) if known == epoch and seq.isascii() and seq.isdecimal() else None


def event(name: str, data: Mapping[str, Any], event_id: str | None = None) -> bytes:
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


async def with_heartbeat(news: AsyncIterator[News]) -> AsyncGenerator[News | None, None]:
    """The news, and None whenever nothing came for a while."""
    coming = asyncio.ensure_future(anext(news, None))
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=HEARTBEAT)
            if not done:
                yield None
                continue
            item = coming.result()
            if item is None:
                return
            yield item
            coming = asyncio.ensure_future(anext(news, None))
    finally:
        coming.cancel()
