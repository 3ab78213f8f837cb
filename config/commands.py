"""`jide config check`, `show` and `schema`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from config.documents import dump
from config.loading import Check, Loaded, load
from config.places import Place
from config.schema import schema
from config.settings import Settings

FINE, FOUND_WRONG = 0, 1


def check(path: Path, checks: Sequence[Check] = ()) -> int:
    """Print every problem and a closing line; the exit code is 1 when the file cannot be used."""
    loaded = load(path, checks=checks)
    for problem in loaded.problems:
        print(problem)
    errors, warnings = len(loaded.errors), len(loaded.problems) - len(loaded.errors)
    counted = [f"{errors} 处要改"] * bool(errors) + [f"{warnings} 处提醒"] * bool(warnings)
    print(f"{loaded.file}：{'，'.join(counted) or '没有问题'}")
    return FOUND_WRONG if errors else FINE


def show(path: Path) -> int:
    """Print the settings in force as YAML; secrets as stars, what the environment fills in as its reference."""
    loaded = load(path)
    if loaded.settings is None:
        for problem in loaded.errors:
            print(problem)
        return FOUND_WRONG
    print(shown(loaded), end="")
    return FINE


def print_schema() -> int:
    """Print the JSON Schema of bot.yaml."""
    print(json.dumps(schema(), ensure_ascii=False, indent=2))
    return FINE


def shown(loaded: Loaded) -> str:
    """The settings as YAML text, without secrets and without values of environment variables."""
    values = loaded.require().model_dump(mode="json", by_alias=True)
    return dump(_with_references(values, loaded.tree, ()))


def _with_references(value: Any, tree: Mapping[str, Any], path: tuple[str | int, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _with_references(item, tree, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_references(item, tree, (*path, index)) for index, item in enumerate(value)]
    place = Place(tree, Settings, path)
    is_secret = place.kind is not None and place.kind.is_secret
    refers = isinstance(place.value, str) and "${" in place.value
    return str(place.value) if refers and not is_secret else value
