"""`make bench`: every figure of design section 11 that can be measured so far, in one run on one machine."""

from __future__ import annotations

import asyncio
import sys

from tests.bench import load, starting, understanding
from tests.bench.table import show

BENCHES = {
    "understanding": ("Understanding one sentence", lambda: understanding.measure()),
    "load": ("Event → outbox, embedded, 2 cores, 200 people", lambda: asyncio.run(load.measure())),
    "start": ("Start to ready, idle memory", starting.measure),
}


def main(names: list[str]) -> None:
    for name in names or list(BENCHES):
        title, measure = BENCHES[name]
        show(title, measure())


if __name__ == "__main__":
    main(sys.argv[1:])
