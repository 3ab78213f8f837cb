"""Scenario files: who is there, what they say, press and wait for, and what must reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

PLATFORMS = ("feishu", "wecom")
STEPS = (
    "say", "expect", "press", "advance", "to", "memory", "restart", "redeliver", "outage", "reload",
)  # fmt: skip
_SPAN = re.compile(r"(\d+)([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class ScenarioError(Exception):
    """The file does not follow the format: the message says where."""


@dataclass(frozen=True)
class Actor:
    """One person of a scenario: accounts by platform in the order written, and the switches that are on."""

    name: str
    accounts: Mapping[str, str]
    sms: str | None = None
    email: str | None = None
    linked: bool = True
    consent: tuple[str, ...] | None = None  # None: all on


@dataclass(frozen=True)
class Step:
    """One line of the script: `kind` of STEPS and what it says."""

    number: int
    kind: str
    what: Any


@dataclass(frozen=True)
class Scenario:
    name: str
    start: datetime  # aware
    zone: ZoneInfo
    people: tuple[Actor, ...]
    steps: tuple[Step, ...]
    config: Mapping[str, Any] = field(default_factory=dict)
    todos: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)


def read(path: Path) -> Scenario:
    """The scenario in a file; ScenarioError when it does not follow the format."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Texts)
    except (OSError, yaml.YAMLError) as error:
        raise ScenarioError(f"{path}: {error}") from error
    try:
        return parse(data)
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from error


def parse(data: Any) -> Scenario:
    if not isinstance(data, dict):
        raise ScenarioError("a scenario is a mapping")
    unknown = set(data) - {"name", "start", "timezone", "people", "config", "todos", "steps"}
    if unknown:
        raise ScenarioError(f"unknown entry {sorted(unknown)[0]!r}")
    zone = ZoneInfo(str(data.get("timezone", "Asia/Shanghai")))
    people = tuple(_actor(str(name), row) for name, row in _mapping(data, "people").items())
    if not people:
        raise ScenarioError("people: nobody is there")
    steps = data.get("steps")
    if not isinstance(steps, list):
        raise ScenarioError("steps: a list is needed")
    return Scenario(
        name=str(data.get("name", "")),
        start=datetime.fromisoformat(str(data["start"])).replace(tzinfo=zone),
        zone=zone,
        people=people,
        steps=tuple(_step(number, raw) for number, raw in enumerate(steps, 1)),
        config=data.get("config") or {},
        todos={name: tuple(rows) for name, rows in (data.get("todos") or {}).items()},
    )


def span(text: str) -> timedelta:
    """`90s`, `4m`, `2h`, `7d`, or several of them in a row."""
    parts = _SPAN.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ScenarioError(f"{text!r} is not a span such as 15m or 7d")
    return sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())


def _actor(name: str, row: Any) -> Actor:
    if not isinstance(row, dict):
        raise ScenarioError(f"people.{name}: a mapping is needed")
    unknown = set(row) - {*PLATFORMS, "sms", "email", "linked", "consent"}
    if unknown:
        raise ScenarioError(f"people.{name}: unknown entry {sorted(unknown)[0]!r}")
    return Actor(
        name=name,
        accounts={key: str(value) for key, value in row.items() if key in PLATFORMS},
        sms=row.get("sms"),
        email=row.get("email"),
        linked=row.get("linked", "true") != "false",
        consent=tuple(row["consent"]) if "consent" in row else None,
    )


def _step(number: int, raw: Any) -> Step:
    if not isinstance(raw, dict) or len(raw) != 1:
        raise ScenarioError(f"step {number}: one entry is needed, of {', '.join(STEPS)}")
    ((kind, what),) = raw.items()
    if kind not in STEPS:
        raise ScenarioError(f"step {number}: unknown step {kind!r}")
    return Step(number, kind, what)


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise ScenarioError(f"{key}: a mapping is needed")
    return value


class _Texts(yaml.SafeLoader):
    """Everything but numbers in containers stays the text that was written: 08:00, no and dates are not guessed at."""


_Texts.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag == "tag:yaml.org,2002:null"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
