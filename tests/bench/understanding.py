"""How long the rules take for one sentence."""

from __future__ import annotations

import json
import time
from pathlib import Path

from bot.rehearsal.world import SHIPPED
from bot.understanding.understand import understand
from config.loading import load
from memory.catalog import Catalog
from tests.bench.table import Figure, percentile

SENTENCES = Path(__file__).parents[1] / "data" / "utterances.jsonl"
ROUNDS = 20


def measure() -> list[Figure]:
    catalog = Catalog(load(SHIPPED).require().catalog)
    texts = [json.loads(line)["text"] for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    took: list[float] = []
    for _ in range(ROUNDS):
        for text in texts:
            started = time.perf_counter()
            understand(text, catalog)
            took.append((time.perf_counter() - started) * 1000)
    median, p99 = percentile(took, 0.5), percentile(took, 0.99)
    return [
        Figure("median", f"{median:.3f} ms", "< 0.3 ms", median < 0.3),
        Figure("p99", f"{p99:.3f} ms", "< 2 ms", p99 < 2),
    ]
