"""Field types of the settings taken apart, so that a tree can be walked along its models."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from config.fields import Tidy


class Kind:
    """One field's type: `options` are the alternatives of its union, `tidy` says that its text is tidied."""

    def __init__(self, annotation: Any, metadata: Iterable[Any] = ()) -> None:
        self.options: list[Any] = []
        self.tidy = any(isinstance(item, Tidy) for item in metadata)
        self._add(annotation)

    def _add(self, annotation: Any) -> None:
        origin = get_origin(annotation)
        if origin is Annotated:
            self.tidy |= any(isinstance(item, Tidy) for item in annotation.__metadata__)
            self._add(annotation.__origin__)
        elif origin in (Union, types.UnionType):
            for option in get_args(annotation):
                self._add(option)
        else:
            self.options.append(types.NoneType if annotation is None else annotation)
            self.tidy |= self.is_secret

    @property
    def takes_null(self) -> bool:
        return types.NoneType in self.options or Any in self.options

    @property
    def is_secret(self) -> bool:
        return any(isinstance(option, type) and issubclass(option, SecretStr) for option in self.options)

    def model(self, keys: Iterable[str]) -> type[BaseModel] | None:
        """The section that a mapping with these keys is: of several, the one that knows most of them."""
        models = [option for option in self.options if isinstance(option, type) and issubclass(option, BaseModel)]
        return max(models, key=lambda model: len(fields_of(model).keys() & set(keys)), default=None)

    def section(self, keys: Iterable[str]) -> type[BaseModel] | None:
        """As `model`, also where an entry stands in place of a list of them."""
        if (model := self.model(keys)) or self.values():
            return model
        return items.section(keys) if (items := self.items()) else None

    def items(self) -> Kind | None:
        """What a list of this kind holds; None when it is no list."""
        return self._inner(lambda origin: not issubclass(origin, Mapping), 0)

    def values(self) -> Kind | None:
        """What a mapping of this kind holds under its keys; None when it is no mapping."""
        return self._inner(lambda origin: issubclass(origin, Mapping), 1)

    def _inner(self, fits: Any, argument: int) -> Kind | None:
        for option in self.options:
            origin, arguments = get_origin(option), get_args(option)
            if isinstance(origin, type) and issubclass(origin, Collection) and fits(origin):
                return Kind(arguments[argument])
        return None

    def step(self, part: str | int, keys: Iterable[str]) -> Kind | None:
        """The kind below, at an index or at a key of a mapping that has `keys`; None when none is declared."""
        if isinstance(part, int):
            return self.items()
        if values := self.values():
            return values
        section = self.section(keys)
        info = fields_of(section).get(part) if section else None
        return Kind(info.annotation, info.metadata) if info else None


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a section by the names that YAML uses."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


@cache
def holds_secrets(model: type[BaseModel]) -> bool:
    """Whether values of this section are never repeated, lest a secret stands in the wrong place."""
    return any(Kind(info.annotation).is_secret for info in model.model_fields.values())


def places_of(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Every key name below a section, with the dotted place where it belongs."""
    yield from _places(Kind(model), "", frozenset())


def _places(kind: Kind, at: str, seen: frozenset[Any]) -> Iterator[tuple[str, str]]:
    for option in kind.options:
        if isinstance(option, type) and issubclass(option, BaseModel) and option not in seen:
            for name, info in fields_of(option).items():
                yield name, at
                below = f"{at}.{name}" if at else name
                yield from _places(Kind(info.annotation), below, seen | {option})
    if values := kind.values():
        yield from _places(values, f"{at}.<名字>", seen)
    elif items := kind.items():
        yield from _places(items, at, seen)
