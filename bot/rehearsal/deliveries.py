"""What reached people since the last step, grouped so that all platform messages of one reply are one delivery."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.simulators.feed import Arrival


@dataclass
class Delivery:
    """One reply as a person got it: its messages, in order. `kind` is the reply's kind; a toast has none."""

    platform: str
    to: str
    kind: str
    arrivals: list[Arrival] = field(default_factory=list)

    @property
    def chat(self) -> tuple[str, str]:
        return self.platform, self.to

    @property
    def text(self) -> str:
        """Everything that a person would read, button labels and file names included."""
        parts = []
        for arrival in self.arrivals:
            parts += [arrival.text, *arrival.buttons, *(name for name, _ in arrival.attachments)]
        return "\n".join(part for part in parts if part)

    @property
    def buttons(self) -> tuple[str, ...]:
        return tuple(label for arrival in self.arrivals for label in arrival.buttons)

    def describe(self) -> str:
        buttons = "".join(f" [{label}]" for label in self.buttons)
        return f"{self.platform}→{self.to} ({self.kind}): {self.text!r}{buttons}"


class Deliveries:
    """Collects arrivals; `expect` consumes them in order within one chat."""

    def __init__(self, reply_of: Mapping[tuple[str, str], tuple[str, str]]) -> None:
        self._reply_of = reply_of
        self.arrivals: list[Arrival] = []

    def add(self, arrival: Arrival) -> None:
        """A card that changes in place is not a new message."""
        if arrival.updates is None:
            self.arrivals.append(arrival)

    def pending(self) -> list[Delivery]:
        """What nobody has consumed yet, the oldest first."""
        found: dict[str, Delivery] = {}
        for arrival in self.arrivals:
            key, kind = self._reply_of.get((arrival.app, arrival.message_id), (f"seq {arrival.seq}", arrival.kind))
            if arrival.kind == "task":
                kind = "task"
            found.setdefault(key, Delivery(arrival.platform, arrival.to, kind)).arrivals.append(arrival)
        return list(found.values())

    def consume(self, delivery: Delivery) -> None:
        gone = {arrival.seq for arrival in delivery.arrivals}
        self.arrivals = [arrival for arrival in self.arrivals if arrival.seq not in gone]


def differences(delivery: Delivery, wanted: Mapping[str, Any]) -> list[str]:
    """How a delivery falls short of an `expect`; empty when it fits."""
    found = []
    if "kind" in wanted and delivery.kind != wanted["kind"]:
        found.append(f"kind is {delivery.kind}, not {wanted['kind']}")
    text = delivery.text
    found += [f"{part!r} does not occur" for part in _texts(wanted.get("text")) if part not in text]
    found += [f"{part!r} must not occur" for part in _texts(wanted.get("not")) if part in text]
    if not _in_order(_texts(wanted.get("buttons")), delivery.buttons):
        found.append(f"buttons are {list(delivery.buttons)}, wanted {wanted['buttons']}")
    for name, pattern in (wanted.get("capture") or {}).items():
        if re.search(pattern, text) is None:
            found.append(f"nothing to capture as {name}: {pattern!r}")
    return found


def captured(delivery: Delivery, wanted: Mapping[str, Any]) -> dict[str, str]:
    """What `capture` keeps for later steps."""
    matches = {name: re.search(pattern, delivery.text) for name, pattern in (wanted.get("capture") or {}).items()}
    return {name: match.group() for name, match in matches.items() if match}


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _in_order(wanted: list[str], labels: tuple[str, ...]) -> bool:
    rest = iter(labels)
    return all(any(label == have for have in rest) for label in wanted)
