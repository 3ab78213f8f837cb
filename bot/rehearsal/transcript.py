"""The transcript of a rehearsal: what was said and what arrived, as a person would read it."""

from __future__ import annotations

from datetime import datetime, tzinfo

from adapters.simulators.feed import Arrival

PLATFORM_NAMES = {"feishu": "飞书", "wecom": "企微"}
_INDENT = " " * 14


class Transcript:
    """Collects lines; each begins with the moment when it differs from the last one."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._last = ""
        self.lines: list[str] = []

    def title(self, name: str) -> None:
        self.lines.append(f"── {name} ──")

    def said(self, now: datetime, platform: str, who: str, text: str, group: str | None = None) -> None:
        where = f"{PLATFORM_NAMES[platform]}·{group}" if group else PLATFORM_NAMES[platform]
        self._add(now, f"{who}（{where}）：{text}")

    def pressed(self, now: datetime, platform: str, who: str, label: str) -> None:
        self._add(now, f"{who}（{PLATFORM_NAMES[platform]}）按下 [{label}]")

    def arrived(self, arrival: Arrival) -> None:
        where = f"{PLATFORM_NAMES[arrival.platform]}→{arrival.to}"
        buttons = "".join(f" [{label}]" for label in arrival.buttons)
        note = {"toast": "（提示）", "picture": "（图片）", "file": "（文件）", "task": "（任务）"}.get(
            arrival.kind, ""
        )
        changed = "（卡片更新）" if arrival.updates else ""
        lines = (arrival.text or "").strip().splitlines() or [""]
        self._add(arrival.at, f"  记得（{where}）{note}{changed}：{lines[0]}")
        self.lines.extend(f"{_INDENT}    {line}" for line in lines[1:])
        if buttons:
            self.lines.append(f"{_INDENT}   {buttons}")

    def happened(self, now: datetime, what: str) -> None:
        self._add(now, f"※ {what}")

    def failed(self, why: str) -> None:
        self.lines.append(f"✗ {why}")

    def _add(self, now: datetime, text: str) -> None:
        stamp = now.astimezone(self._zone).strftime("%m-%d %H:%M:%S")
        shown = stamp if stamp != self._last else " " * len(stamp)
        self._last = stamp
        self.lines.append(f"{shown}  {text}")

    def __str__(self) -> str:
        return "\n".join(self.lines)
