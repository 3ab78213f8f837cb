"""Arithmetic of preference values: one value or several, compared, merged and taken apart."""

from __future__ import annotations

from collections.abc import Collection

from memory.types import Value

One = str | bool | int


def each(value: Value) -> tuple[One, ...]:
    """The single values in `value`."""
    return value if isinstance(value, tuple) else (value,)


def same(a: Value, b: Value) -> bool:
    """Whether both mean the same; the order of several does not matter."""
    return len(each(a)) == len(each(b)) and set(map(_typed, each(a))) == set(map(_typed, each(b)))


def joined(value: Value, more: Value) -> Value:
    """`value` and what `more` adds to it."""
    return _packed(each(value) + tuple(one for one in each(more) if not holds(value, one)))


def without(value: Value, unwanted: Collection[One]) -> Value | None:
    """`value` less what is unwanted; None when nothing is left."""
    banned = set(map(_typed, unwanted))
    left = tuple(one for one in each(value) if _typed(one) not in banned)
    return value if len(left) == len(each(value)) else _packed(left) if left else None


def holds(value: Value, one: One) -> bool:
    return _typed(one) in map(_typed, each(value))


def overlap(a: Value, b: Value) -> bool:
    return any(holds(a, one) for one in each(b))


def _typed(one: One) -> tuple[type, One]:
    """True and 1 are equal in Python and different as preferences."""
    return type(one), one


def _packed(values: tuple[One, ...]) -> Value:
    return values[0] if len(values) == 1 else tuple(str(one) for one in values)
