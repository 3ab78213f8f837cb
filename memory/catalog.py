"""The catalog at work: the keys, values, scenes and tasks that bot.yaml declares, and what counts as a valid value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import jsonschema

from config.catalog import CatalogConfig, NamedEntry, PreferenceEntry, TaskEntry
from memory.types import Preference, Scene, Value

CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"
RANGE = r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$"
LONGEST_TEXT = 2000


@dataclass(frozen=True)
class Choice:
    """One value of a choice. `file` is set when it ships with one (a report template)."""

    id: str
    name: str
    words: tuple[str, ...] = ()
    short: str | None = None
    file: str | None = None


@dataclass(frozen=True)
class Side:
    """One side of a flag: what it is called and the verbs that mean it."""

    name: str
    verbs: tuple[str, ...]


@dataclass(frozen=True)
class Key:
    """One preference key. `name` is Chinese; `tasks` are the only tasks that read it (empty: all do)."""

    id: str
    name: str
    kind: str
    words: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    values: Mapping[str, Choice] = field(default_factory=dict)
    enabled: Side | None = None
    disabled: Side | None = None
    phrase: str = "{name}用{value}"
    default: Value | None = None
    multiple: bool = False
    named: bool = False
    versions: bool = False
    learnable: bool = False
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """A kind of task or a value of a scene: its id, its Chinese name and the words for it."""

    id: str
    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Slot:
    """One preference that a task uses. With a `prompt` it is asked, without one it takes `default`."""

    name: str
    prompt: str | None = None
    default: Value | None = None


@dataclass(frozen=True)
class Task:
    """One task. `kinds` (weekly…) are scenes of their own; `scene` is the scene its preferences belong to."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    kinds: Mapping[str, Named] = field(default_factory=dict)
    scene: str = ""
    slots: tuple[Slot, ...] = ()
    adjust: tuple[str, ...] = ()
    confirm: bool = False
    habitual: bool = False

    @property
    def kind_slot(self) -> str:
        """The slot that says which kind is meant: `report_kind`."""
        return f"{self.name}_kind"

    def slot(self, name: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.name == name), None)


class Catalog:
    """What the `catalog:` section declares. Immutable: an edit of bot.yaml makes a new one.

    `digest_time` (HH:MM) is what 早上 means where no hour is said. Equality is identity, so parts may keep tables
    that they build from a catalog.
    """

    def __init__(self, config: CatalogConfig, *, digest_time: str = "08:00") -> None:
        self.digest_time = digest_time
        self.keys: Mapping[str, Key] = MappingProxyType({k: _key(k, e) for k, e in config.preferences.items()})
        self.scenes: Mapping[str, Mapping[str, Named]] = MappingProxyType(
            {dimension: _named(entries) for dimension, entries in config.scenes.items()}
        )
        self.tasks: Mapping[str, Task] = MappingProxyType(
            {name: _task(name, entry, self.keys) for name, entry in config.tasks.items()}
        )

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any], *, digest_time: str = "08:00") -> Catalog:
        """From the parsed `catalog:` section; pydantic's ValidationError when it is wrong."""
        return cls(CatalogConfig.model_validate(section), digest_time=digest_time)

    # --- keys and values ---------------------------------------------------------------------------------

    def key(self, name: str) -> Key | None:
        return self.keys.get(name)

    def key_name(self, name: str) -> str:
        """What people call a key; one no longer declared is called by its id."""
        entry = self.keys.get(name)
        return entry.name if entry else name

    def value_name(self, key: str, value: Value) -> str:
        """What people call a value: 市场部, 法务部V2, 显示, 15 分钟. A value no longer offered is said as stored."""
        entry = self.keys.get(key)
        if isinstance(value, tuple):
            return "、".join(self.value_name(key, one) for one in value)
        if entry is None:
            return str(value)
        if entry.enabled and entry.disabled and isinstance(value, bool):
            return entry.enabled.name if value else entry.disabled.name
        if entry.kind == "minutes":
            return f"{value} 分钟"
        choice, version = self._choice(entry, str(value))
        return f"{choice.name}{version.upper()}" if choice else str(value)

    def phrase(self, key: str, value: Value) -> str:
        """A value as part of a sentence: 用市场部模板, 发到企业微信."""
        entry = self.keys.get(key)
        if entry is None:
            return self.value_name(key, value)
        return entry.phrase.replace("{name}", entry.name).replace("{value}", self.value_name(key, value))

    def short_of(self, key: str, value: Value) -> str | None:
        """`short_of("report_template", "rd")` → 研发: what can be fused to a task's name."""
        choice = self.keys[key].values.get(str(value))
        return choice.short if choice else None

    def option_values(self, key: str) -> tuple[str, ...]:
        """The values to offer when a slot is asked: those that ship with a file, or all when none does."""
        entry = self.keys[key]
        with_file = tuple(choice.id for choice in entry.values.values() if choice.file)
        return with_file or tuple(entry.values)

    def value_for_short(self, key: str, short: str) -> str | None:
        """`value_for_short("report_template", "研发")` → `rd`: the value that a fused word would stand for."""
        entry = self.keys.get(key)
        choices = entry.values.values() if entry else ()
        return next((choice.id for choice in choices if short in (choice.short, choice.name)), None)

    def value_file(self, key: str, value: str) -> str | None:
        """The file that ships for exactly this value (a version has its base's only by fallback)."""
        choice = self.keys[key].values.get(value)
        return choice.file if choice else None

    def base_value(self, key: str, value: str) -> str:
        """`market_v3` → `market`; a value without a version is its own base."""
        choice, _ = self._choice(self.keys[key], value)
        return choice.id if choice else value

    def _choice(self, entry: Key, value: str) -> tuple[Choice | None, str]:
        if value in entry.values:
            return entry.values[value], ""
        base, mark, version = value.rpartition("_v")
        if entry.versions and mark and version.isdigit():
            return entry.values.get(base), f"v{version}"
        return None, ""

    # --- validity ----------------------------------------------------------------------------------------

    def schema(self, key: str) -> dict[str, Any]:
        """The JSON Schema of one key's value."""
        entry = self.keys[key]
        one = _schema(entry)
        if not entry.multiple:
            return one
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}]}

    def validate(self, preference: Preference) -> None:
        """ValueError, naming the key, when bot.yaml does not know the key or does not allow the value."""
        validator = self._validators.get(preference.key)
        if validator is None:
            raise ValueError(f"unknown preference key {preference.key!r}")
        value = list(preference.value) if isinstance(preference.value, tuple) else preference.value
        if not validator.is_valid(value):
            raise ValueError(f"{preference.key}: this value is not allowed by the catalog")

    @cached_property
    def _validators(self) -> dict[str, jsonschema.Draft202012Validator]:
        return {key: jsonschema.Draft202012Validator(self.schema(key)) for key in self.keys}

    # --- tasks and scenes --------------------------------------------------------------------------------

    def task(self, name: str) -> Task | None:
        return self.tasks.get(name)

    def parents(self, task: str) -> tuple[str, ...]:
        """The wider task scenes that hold for a task scene as well: `weekly` → (`report`,)."""
        return tuple(name for name, entry in self.tasks.items() if task in entry.kinds)

    def is_read_by_one_task(self, key: str) -> bool:
        """Whether only one task reads the key, so that its records need no task scene."""
        readers = {self.tasks[name].scene for name in self.keys[key].tasks}
        return len(readers) == 1 and not any(self.tasks[name].kinds for name in self.keys[key].tasks)

    def scene_name(self, scene: Scene) -> str:
        """The scene for people: 周报、非工作时间; empty for always."""
        return "、".join(self._condition_name(dimension, value) for dimension, value in scene.items())

    def task_title(self, task: str, slots: Mapping[str, Value]) -> str:
        """What a run is called: 生成周报, with a variant 生成研发周报."""
        entry = self.tasks[task]
        kind = entry.kinds.get(str(slots.get(entry.kind_slot, "")))
        verb = entry.verbs[0] if entry.verbs else ""
        return f"{verb}{slots.get('variant', '')}{kind.name if kind else entry.title}"

    def task_name(self, scene_task: str) -> str:
        """The name of a task scene without its verb: 周报, 待办."""
        return self._task_names.get(scene_task, scene_task)

    def _condition_name(self, dimension: str, value: str) -> str:
        if dimension == "task":
            return self._task_names.get(value, value)
        named = self.scenes.get(dimension, {}).get(value)
        return named.name if named else value

    @cached_property
    def _task_names(self) -> dict[str, str]:
        names = {one.id: one.name for one in self.scenes.get("task", {}).values()}
        for task in self.tasks.values():
            names[task.name] = task.title
            names.update({kind.id: kind.name for kind in task.kinds.values()})
        return names


def _key(name: str, entry: PreferenceEntry) -> Key:
    return Key(
        id=name,
        name=entry.name,
        kind=entry.kind,
        words=entry.words,
        verbs=entry.verbs,
        values={id_: Choice(id_, v.name, v.words, v.short, v.file) for id_, v in entry.values.items()},
        enabled=Side(entry.enabled.name, entry.enabled.verbs) if entry.enabled else None,
        disabled=Side(entry.disabled.name, entry.disabled.verbs) if entry.disabled else None,
        phrase=entry.phrase,
        default=entry.default,
        multiple=entry.multiple,
        named=entry.named,
        versions=entry.versions,
        learnable=entry.learnable,
        tasks=entry.tasks,
    )


def _named(entries: Mapping[str, NamedEntry]) -> dict[str, Named]:
    return {name: Named(name, entry.name, entry.words) for name, entry in entries.items()}


def _task(name: str, entry: TaskEntry, keys: Mapping[str, Key]) -> Task:
    return Task(
        name=name,
        title=entry.name,
        words=entry.words,
        phrases=entry.phrases,
        verbs=entry.verbs,
        kinds=_named(entry.kinds),
        scene=entry.scene or name,
        slots=tuple(Slot(key, slot.prompt, keys[key].default) for key, slot in entry.slots.items()),
        adjust=entry.adjust,
        confirm=entry.confirm,
        habitual=entry.habitual,
    )


def _schema(entry: Key) -> dict[str, Any]:
    if entry.kind == "choice":
        plain: dict[str, Any] = {"enum": list(entry.values)}
        bases = "|".join(entry.values)
        return {"type": "string", "pattern": rf"^({bases})(_v\d+)?$"} if entry.versions else plain
    others: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "clock": {"type": "string", "pattern": CLOCK},
        "range": {"type": "string", "pattern": RANGE},
        "minutes": {"type": "integer", "minimum": 0, "maximum": 7 * 24 * 60},
    }
    return others.get(entry.kind, {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT})
