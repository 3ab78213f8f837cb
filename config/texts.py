"""The sentences that people read, by dotted key, with named fields to fill in."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from config.documents import Text, read
from config.problems import ConfigError, Problem, Wrong, nearest

SHIPPED = Path(__file__).with_name("texts.zh.yaml")

_Part = tuple[str, str | None]
"""Words, and the field that follows them."""


class UnknownText(LookupError):
    """The code says a key that texts.zh.yaml does not have, or leaves out a field of it: a bug."""


class Texts:
    """Every sentence of one language. Values are put in as they are: braces in a value mean nothing."""

    def __init__(self, sentences: Mapping[str, tuple[_Part, ...]]) -> None:
        self._sentences = sentences

    @classmethod
    def load(cls, path: Path = SHIPPED) -> Texts:
        """The sentences in a file; raises `ConfigError` with everything that is wrong with it."""
        document = read(path, path.name)
        problems = [problem for problem in document.problems if not problem.warning]
        sentences: dict[str, tuple[_Part, ...]] = {}
        for key, text in _leaves(document.tree or {}):
            try:
                sentences[key] = tuple(_parts(text))
            except Wrong as wrong:
                line = text.line if isinstance(text, Text) else 0
                problems.append(Problem(path.name, line, key, wrong.message, wrong.cure))
        if problems:
            raise ConfigError(problems)
        return cls(sentences)

    def say(self, key: str, /, **fields: object) -> str:
        """The sentence `key` with its fields filled in; raises `UnknownText`. Fields it lacks are ignored."""
        parts = self._sentences.get(key)
        if parts is None:
            near = nearest(key, self._sentences)
            raise UnknownText(f"no text {key!r}" + (f", did you mean {near!r}?" if near else ""))
        if missing := self.fields(key) - fields.keys():
            raise UnknownText(f"text {key!r} needs {', '.join(sorted(missing))}")
        return "".join(words + (str(fields[name]) if name else "") for words, name in parts)

    def keys(self) -> frozenset[str]:
        return frozenset(self._sentences)

    def fields(self, key: str) -> frozenset[str]:
        """The names of the fields that a sentence needs."""
        return frozenset(name for _, name in self._sentences[key] if name)


def _leaves(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        key = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _parts(text: Any) -> Iterator[_Part]:
    """The sentence taken apart; raises `Wrong` unless its fields are plain names."""
    if not isinstance(text, str) or not text.strip():
        raise Wrong("应为一句话", "写上文字")
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        raise Wrong("花括号没有成对", "要说花括号本身时写两个：{{ }}") from None
    for words, name, form, conversion in parsed:
        if name is not None and (not name.isidentifier() or form or conversion):
            raise Wrong(f"{{{name}}} 不是字段名", "花括号里只写名字，如 {name}")
        yield words, name
