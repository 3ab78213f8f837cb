"""The table that `make bench` prints: what was measured, the figure, the bar it has to hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    what: str
    value: str
    bar: str = ""
    held: bool | None = None


def show(title: str, figures: Iterable[Figure]) -> None:
    print(f"\n{title}")
    for figure in figures:
        mark = {True: "ok  ", False: "MISS", None: "    "}[figure.held]
        bar = f"   (bar: {figure.bar})" if figure.bar else ""
        print(f"  {mark} {figure.what:<58} {figure.value}{bar}", flush=True)


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
