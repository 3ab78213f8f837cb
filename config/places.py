"""Where in bot.yaml a location of the settings was written, and what is declared there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from config.documents import Text
from config.kinds import Kind, holds_secrets

Path = tuple[str | int, ...]


class Place:
    """A location followed into the tree as far as it was written.

    Steps that were not written are passed over: names of a union's members, and the index of an entry that
    stands where a list may. `kind` is what is declared here and `section` what holds it; `discreet` says that
    values here are not repeated, lest a secret stands in the wrong place.
    """

    def __init__(self, tree: Mapping[str, Any], model: type[BaseModel], location: Iterable[str | int]) -> None:
        self.path: Path = ()
        self.value: Any = tree
        self.kind: Kind | None = Kind(model)
        self.section: type[BaseModel] | None = None
        self.discreet = False
        self.file, self.line = _mark(tree)
        for part in location:
            self._step(part)

    @property
    def own_section(self) -> type[BaseModel] | None:
        """The section that this place itself is."""
        return self.kind.section(_keys(self.value)) if self.kind else None

    def _step(self, part: str | int) -> None:
        value = self.value
        if isinstance(value, Mapping) and (key := _own_key(value, part)) is not None:
            below, part = value[key], str(key)
            self._mark(key if isinstance(key, Text) else below)
        elif isinstance(value, list | tuple) and isinstance(part, int) and part < len(value):
            below = value[part]
            self._mark(below)
        else:
            return
        self.section = self.own_section
        self.discreet = self.discreet or (self.section is not None and holds_secrets(self.section))
        self.kind = self.kind.step(part, _keys(value)) if self.kind else None
        self.path, self.value = (*self.path, part), below

    def _mark(self, written: Any) -> None:
        file, line = _mark(written)
        if line:
            self.file, self.line = file, line


def steps(tree: Any, key: str) -> Iterator[str | int]:
    """A dotted key (`a.b[0].c`) as steps into the tree; a name that holds dots itself is taken whole."""
    while key:
        if isinstance(tree, list | tuple):
            index, _, key = key.lstrip("[").partition("]")
            number = int(index) if index.isdecimal() else len(tree)
            yield number
            tree = tree[number] if number < len(tree) else None
        else:
            fitting = [name for name in _keys(tree) if key == name or key.startswith((f"{name}.", f"{name}["))]
            name = max(fitting, key=len, default=key)
            yield name
            key = key[len(name) :]
            tree = tree.get(name) if isinstance(tree, Mapping) else None
        key = key.removeprefix(".")


def _keys(value: Any) -> list[str]:
    return [str(key) for key in value] if isinstance(value, Mapping) else []


def _own_key(mapping: Mapping[Any, Any], part: str | int) -> Any:
    """The mapping's own key object, which knows its line."""
    return next((key for key in mapping if str(key) == str(part)), None)


def _mark(written: Any) -> tuple[str, int]:
    """The file and first line of a part of the tree; no line when Python code made it."""
    if isinstance(written, Text):
        return written.file, written.line
    inner = next(iter(written), None) if isinstance(written, Mapping | list | tuple) else None
    return _mark(inner) if inner is not None else ("", 0)
