"""An understanding as `jide understand --json` prints it (design section 10)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.types import Understanding
from memory.types import Preference, Value


def to_json(understanding: Understanding) -> dict[str, Any]:
    """Exactly the fields of the contract, in its order; a list of values for several, `"all"` for everything."""
    return {
        "text": understanding.text,
        "intent": understanding.intent,
        "preferences": [_preference(preference) for preference in understanding.preferences],
        "task": understanding.task,
        "slots": {name: _plain(value) for name, value in understanding.slots.items()},
        "about": "all" if understanding.about == ("all",) else list(understanding.about),
        "when": asdict(understanding.when) if understanding.when else None,
        "once": understanding.once,
        "sensitive": list(understanding.sensitive),
        "domain": understanding.domain,
        "confidence": understanding.confidence,
    }


def _preference(preference: Preference) -> dict[str, Any]:
    return {
        "key": preference.key,
        "value": _plain(preference.value),
        "scene": dict(preference.scene),
        "mode": preference.mode,
    }


def _plain(value: Value) -> str | bool | int | list[str]:
    return list(value) if isinstance(value, tuple) else value
