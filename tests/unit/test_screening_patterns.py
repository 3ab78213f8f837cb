"""No pattern of the screening can be made to run away by a long message."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined]  # the only way to look at a pattern's repeats
from typing import Any

import pytest

import memory
from memory.screening import screen

MODULES = [module.name for module in pkgutil.iter_modules(memory.__path__) if module.name.startswith("screening")]
LONGEST_RETRY = 128
SEEDS = ["1", "1 ", "1,", "一,", "138 ", "13812345678 ", "a", "a@", "a.", "密码", "密码 是", "token ", "secret_", "号", "1号",
         "示例路1号", "上海市", "://a:b", "-----BEGIN PRIVATE KEY-----", "护照 ", "京A", "\u0301", "\u200b", "［密码］", "Room 1 "]  # fmt: skip


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern in the modules' tables, however deep."""

    def inside(value: object) -> Iterator[re.Pattern[str]]:
        if isinstance(value, re.Pattern):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                yield from inside(part)
        elif hasattr(value, "pattern"):
            yield from inside(value.pattern)

    for name in MODULES:
        for key, value in vars(importlib.import_module(f"memory.{name}")).items():
            for pattern in inside(value):
                yield f"{name}.{key}", pattern


def unbounded(tree: Any) -> Iterator[int]:
    """The sizes of the repeats that may be retried and are longer than they should be."""
    for operation, argument in tree:
        if str(operation) in ("MAX_REPEAT", "MIN_REPEAT") and argument[1] > LONGEST_RETRY:
            yield argument[1]
        for part in argument if isinstance(argument, list | tuple) else [argument]:
            for branch in part if isinstance(part, list) else [part]:
                if isinstance(branch, _parser.SubPattern):
                    yield from unbounded(branch)


PATTERNS = list(patterns())


@pytest.mark.parametrize(("name", "pattern"), PATTERNS, ids=[name for name, _ in PATTERNS])
def test_every_repeat_is_short_or_never_retried(name: str, pattern: re.Pattern[str]) -> None:
    assert list(unbounded(_parser.parse(pattern.pattern, pattern.flags))) == []


def test_the_check_sees_a_runaway_pattern() -> None:
    assert list(unbounded(_parser.parse("(?:a|b{0,3})*c")))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_message_of_ten_thousand_characters_is_screened(seed: str) -> None:
    text = (seed * 10_000)[:10_000]
    assert screen(screen(text).masked).kinds == ()
