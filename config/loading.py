"""From bot.yaml to settings: one path for files, rehearsals and tests, with every problem at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from config.documents import Document, Tree, merge, read
from config.explaining import explain
from config.places import Place, steps
from config.problems import ConfigError, Problem
from config.resolving import Resolver
from config.settings import Settings

__all__ = ["SHIPPED", "Check", "Loaded", "load", "load_mapping", "merge", "read_mapping"]

SHIPPED = Path(__file__).with_name("bot.yaml")

Check = Callable[[Settings], Iterable[Problem]]
"""Looks at settings that are valid in themselves (do the templates exist?) and yields `problems.found(…)`."""


@dataclass(frozen=True)
class Loaded:
    """What became of a bot.yaml: the settings, None when there are errors, and all problems, line by line."""

    file: str
    settings: Settings | None
    problems: tuple[Problem, ...]
    tree: Mapping[str, Any] = field(repr=False, default_factory=dict)

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if not problem.warning)

    def require(self) -> Settings:
        """The settings; raises `ConfigError` when there are none."""
        if self.settings is None:
            raise ConfigError(self.errors)
        return self.settings

    def locate(self, key: str) -> tuple[str, int]:
        """The file and line (0 when unknown) where a dotted key, or the nearest one above it, was written."""
        place = Place(self.tree, Settings, steps(self.tree, key))
        return place.file or self.file, place.line


def load(path: Path, *, checks: Sequence[Check] = (), environ: Mapping[str, str] = os.environ) -> Loaded:
    """What a bot.yaml says. Never raises for what the file contains or for its absence."""
    return load_document(read(Path(path)), checks=checks, environ=environ)


def load_document(
    document: Document, *, checks: Sequence[Check] = (), environ: Mapping[str, str] = os.environ
) -> Loaded:
    """What a document says; never raises."""
    if document.tree is None:
        return Loaded(document.file, None, document.problems)
    loaded = load_mapping(document.tree, checks=checks, environ=environ, file=document.file)
    return replace(loaded, problems=(*document.problems, *loaded.problems))


def read_mapping(path: Path) -> Tree:
    """The tree of a bot.yaml before it is understood, to `merge` into; raises `ConfigError`."""
    document = read(path)
    if document.tree is None:
        raise ConfigError(document.problems)
    return document.tree


def load_mapping(
    tree: Mapping[str, Any],
    *,
    checks: Sequence[Check] = (),
    environ: Mapping[str, str] = os.environ,
    file: str = "bot.yaml",
) -> Loaded:
    """What a tree says, as `documents.read` and `merge` make it; ordinary Python values may stand in it."""
    resolver = Resolver(environ)
    values = resolver.resolve(tree, Settings)
    problems = list(resolver.problems)
    settings = None
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems += explain(error, tree, Settings, resolver.refused)
    if settings is not None and all(problem.warning for problem in problems):
        problems += (problem for check in checks for problem in check(settings))
    loaded = Loaded(file, settings, tuple(problems), tree)
    placed = sorted(_placed(loaded, resolver.hidden), key=lambda problem: problem.line)
    usable = all(problem.warning for problem in placed)
    return replace(loaded, settings=settings if usable else None, problems=tuple(placed))


def _placed(loaded: Loaded, hidden: Iterable[str]) -> Iterator[Problem]:
    """The problems with file and line, and without any value that must not be seen."""
    for problem in loaded.problems:
        file, line = (problem.file, problem.line) if problem.line else loaded.locate(problem.key)
        message, cure = problem.message, problem.cure
        for value in sorted(hidden, key=len, reverse=True):
            if len(value) > 3:
                message, cure = message.replace(value, "***"), cure.replace(value, "***")
        yield replace(problem, file=file or loaded.file, line=line, message=message, cure=cure)
