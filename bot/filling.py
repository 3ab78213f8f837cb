"""Filling: a draft's slots, from what was said, a taught variant, memory by scene, and the catalog's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.drafts import Draft, is_offered
from bot.occasion import Occasion
from memory.types import Preference, Recalled, Value


@dataclass(frozen=True)
class Filled:
    """`stale`: remembered long ago, to be asked about; `gone`: remembered, and no longer in bot.yaml; `direct`: the
    person wants no confirmation."""

    draft: Draft
    stale: Mapping[str, Recalled]
    gone: tuple[str, ...]
    direct: bool


def fill(occasion: Occasion, draft: Draft) -> Filled:
    """Complete a draft without touching what was said."""
    task = occasion.catalog.tasks[draft.task]
    keys = tuple(slot.name for slot in task.slots)
    situation = occasion.situation(draft.scene_task, draft.variant)
    recalled = occasion.memory.recall_all(occasion.person, (*keys, "confirm_tasks"), situation)
    draft = _from_variant(occasion, draft, keys)
    stale: dict[str, Recalled] = {}
    gone: list[str] = []
    for slot in task.slots:
        found = recalled.get(slot.name)
        if slot.name in draft.values:
            draft = _beside(draft, slot.name, found) if found else draft
        elif found and not is_offered(occasion.catalog, Preference(slot.name, found.value)):
            gone.append(slot.name)
        elif found and found.stale:
            stale[slot.name] = found
        elif found:
            draft = draft.with_value(slot.name, found.value, "memory", found.record.id)
        elif not slot.prompt and slot.default is not None:
            draft = draft.with_value(slot.name, _default(occasion, draft, slot.name, slot.default), "default")
    confirm = recalled.get("confirm_tasks")
    direct = bool(confirm and not confirm.stale and confirm.value == "direct")
    return Filled(draft, stale, tuple(gone), direct)


def wanted(occasion: Occasion, draft: Draft, key: str) -> tuple[str, ...]:
    """The values that can be chosen for `key`, without those that the person does not want for this task; all of them
    where nothing else is left."""
    situation = occasion.situation(draft.scene_task, draft.variant)
    unwanted = occasion.memory.excluded(occasion.person, key, situation)
    values = occasion.catalog.option_values(key)
    return tuple(value for value in values if value not in unwanted) or values


def _default(occasion: Occasion, draft: Draft, key: str, default: Value) -> Value:
    """The catalog's default, or the next best where the person does not want that."""
    values = wanted(occasion, draft, key)
    return default if default in values or not values else values[0]


def _beside(draft: Draft, key: str, found: Recalled) -> Draft:
    """A value that was said beside the remembered one: it sets that aside, or uses it once more."""
    if found.value == draft.values[key]:
        return replace(draft, records={**draft.records, key: found.record.id})
    return replace(draft, set_aside={**draft.set_aside, key: found.value})


def _from_variant(occasion: Occasion, draft: Draft, keys: tuple[str, ...]) -> Draft:
    """A word fused to the task's name: what the person taught it to mean, else a value's short name, for once."""
    if draft.variant is None:
        return draft
    variant = draft.variant
    for alias in occasion.memory.aliases(occasion.person, draft.scene_task):
        if alias.variant == variant:
            for key, value in alias.values.items():
                if key not in draft.values and is_offered(occasion.catalog, Preference(key, value)):
                    draft = draft.with_value(key, value, "alias")
            return draft
    for key in keys:
        meant = occasion.catalog.value_for_short(key, variant)
        if meant is not None and key not in draft.values:
            draft = draft.with_value(key, meant, "variant")
    return draft
