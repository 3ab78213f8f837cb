"""Understanding one sentence, rules only: median and p99 over our labelled table (bars: 0.3 ms and 2 ms)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import yaml

from bot.understanding import understand
from memory.catalog import Catalog

ROOT = Path(__file__).parents[2]
ROUNDS = 10


def main() -> None:
    section = yaml.safe_load((ROOT / "config/bot.yaml").read_text(encoding="utf-8"))["catalog"]
    catalog = Catalog.from_mapping(section)
    lines = (ROOT / "tests/data/understanding_cases.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    started = time.perf_counter()
    understand("以后通知发飞书", catalog)
    first = time.perf_counter() - started
    taken = sorted(_seconds(text, catalog) for _ in range(ROUNDS) for text in texts)
    print(f"understanding: {len(texts)} sentences × {ROUNDS}, first {first * 1000:.0f} ms (builds the tables)")
    print(f"  median {taken[len(taken) // 2] * 1000:.3f} ms   p99 {taken[int(len(taken) * 0.99)] * 1000:.3f} ms")


def _seconds(text: str, catalog: Catalog) -> float:
    started = time.perf_counter()
    understand(text, catalog)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
