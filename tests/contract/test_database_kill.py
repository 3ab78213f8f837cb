"""What was acknowledged survives kill -9, and what was not is there whole or not at all."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

from memory.stores.database import Database

ROOT = Path(__file__).parents[2]

WRITER = """
import asyncio, sys
from sqlalchemy import text
from memory.stores.database import Database

def write_pair(n):
    def unit(tx):
        tx.execute(text("INSERT INTO pairs VALUES (:n, 'left')"), {"n": n})
        tx.execute(text("INSERT INTO pairs VALUES (:n, 'right')"), {"n": n})
    return unit

async def main():
    database = await Database.open(sys.argv[1])
    await database.run(lambda tx: tx.execute(text("CREATE TABLE pairs (n INTEGER, side TEXT)")) and None)
    numbers = iter(range(10**9))
    async def write():
        for n in numbers:
            await database.run(write_pair(n))
            print(n, flush=True)
    await asyncio.gather(*(write() for _ in range(20)))

asyncio.run(main())
"""


def kill_after(acknowledged: int, url: str) -> set[int]:
    """Kill the writer when it has acknowledged so many pairs; all that it acknowledged until then."""
    with subprocess.Popen([sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        heard = {int(writer.stdout.readline()) for _ in range(acknowledged)}
        writer.send_signal(signal.SIGKILL)
        return heard | {int(line) for line in writer.stdout if line.endswith(b"\n")}


@pytest.mark.parametrize("acknowledged", [1, 37, 400])
async def test_nothing_acknowledged_is_lost_by_a_kill(tmp_path: Path, acknowledged: int) -> None:
    url = f"sqlite:///{tmp_path}/jide.db"
    heard = await asyncio.to_thread(kill_after, acknowledged, url)
    database = await Database.open(url)
    rows = await database.read(lambda tx: tx.execute(text("SELECT n, side FROM pairs")).all())
    await database.close()
    pairs = Counter(row.n for row in rows)
    assert heard <= set(pairs)
    assert set(pairs.values()) == {2}
