"""Start to ready and idle memory, each in a fresh process."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table import Figure

ROOT = Path(__file__).parents[2]


def measure() -> list[Figure]:
    figures = []
    for command, ready_bar, memory_bar in (("serve", 1.5, 150), ("playground", 2.0, 200)):
        started: list[float] = []
        for _ in range(3):
            seconds, megabytes = _start(command)
            started.append(seconds)
        best = min(started)
        figures.append(Figure(f"jide {command}: start to ready", f"{best:.2f} s", f"< {ready_bar} s", best < ready_bar))
        figures.append(
            Figure(f"jide {command}: idle memory", f"{megabytes:.0f} MB", f"< {memory_bar} MB", megabytes < memory_bar)
        )
    return figures


def _start(command: str) -> tuple[float, float]:
    """Seconds until the line that says it is ready; resident megabytes two seconds later."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bot.yaml"
        shipped = (ROOT / "config" / "bot.yaml").read_text(encoding="utf-8")
        shipped = re.sub(r"^  port: \d+", "  port: 18473", shipped, flags=re.M)
        config.write_text(re.sub(r"^  data: \S+", f"  data: {folder}/data", shipped, flags=re.M), encoding="utf-8")
        extra = ["--port", "18474"] if command == "playground" else []
        begun = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "bot", command, "--config", str(config), *extra],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            text=True,
        )
        assert child.stdout is not None
        child.stdout.readline()
        seconds = time.perf_counter() - begun
        time.sleep(2)
        status = Path(f"/proc/{child.pid}/status").read_text()
        child.terminate()
        child.wait(20)
    return seconds, int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024
