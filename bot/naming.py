"""Naming: what memories, values and tasks are called in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from bot.drafts import Draft
from bot.occasion import Occasion
from memory.types import Preference


def name_of(occasion: Occasion, preference: Preference) -> str:
    """周报的模板."""
    name = occasion.catalog.key_name(preference.key)
    scene = occasion.catalog.scene_name(preference.scene)
    return occasion.say("name.in_scene", scene=scene, name=name) if scene else name


def value_name(occasion: Occasion, preference: Preference) -> str:
    """市场部; of an exclusion 不要飞书, of an addition 另加飞书."""
    name = occasion.catalog.value_name(preference.key, preference.value)
    return name if preference.mode == "set" else occasion.say(f"value.{preference.mode}", value=name)


def name_and_value(occasion: Occasion, preference: Preference) -> str:
    """周报的模板：市场部."""
    return occasion.say("name.value", name=name_of(occasion, preference), value=value_name(occasion, preference))


def describe(occasion: Occasion, preferences: Iterable[Preference]) -> str:
    """通知渠道：企业微信；周报的模板：市场部 — where nothing but memories is named."""
    return "；".join(name_and_value(occasion, preference) for preference in preferences)


def mention(occasion: Occasion, preferences: Iterable[Preference]) -> str:
    """周报的模板（市场部）、月报的模板（研发部） — inside a sentence."""
    return "、".join(
        occasion.say("name.inside", name=name_of(occasion, preference), value=value_name(occasion, preference))
        for preference in preferences
    )


def key_names(occasion: Occasion, keys: Iterable[str]) -> str:
    return "、".join(dict.fromkeys(occasion.catalog.key_name(key) for key in keys))


def phrases(occasion: Occasion, preferences: Iterable[Preference]) -> str:
    """用市场部模板、发到企业微信."""
    return "、".join(occasion.catalog.phrase(preference.key, preference.value) for preference in preferences)


def title_of(occasion: Occasion, draft: Draft) -> str:
    """生成周报: the task for always, whatever variant of it was asked for this time."""
    return occasion.catalog.task_title(draft.task, _kind(occasion, draft))


def title_now(occasion: Occasion, draft: Draft) -> str:
    """生成研发周报: the task as it was asked for."""
    variant = {"variant": draft.variant} if draft.variant else {}
    return occasion.catalog.task_title(draft.task, {**_kind(occasion, draft), **variant})


def result_of(occasion: Occasion, draft: Draft) -> str:
    """研发周报: what came of the task."""
    return f"{draft.variant or ''}{occasion.catalog.task_name(draft.scene_task)}"


def _kind(occasion: Occasion, draft: Draft) -> dict[str, str]:
    return {occasion.catalog.tasks[draft.task].kind_slot: draft.kind} if draft.kind else {}
