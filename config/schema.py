"""The JSON Schema of bot.yaml, from which editors complete and explain."""

from __future__ import annotations

from datetime import time
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from config.crons import Cron
from config.fields import ClockRange, Section
from config.settings import Settings

_REFERENCE = {"type": "string", "pattern": r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$"}


def schema() -> dict[str, Any]:
    """What an admin may write: `${NAME}` for numbers and flags too, and sections left empty."""
    made = Settings.model_json_schema(schema_generator=_Generator)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "bot.yaml",
        **{name: _written(part) for name, part in made.items() if name not in ("description", "title")},
    }


class _Generator(GenerateJsonSchema):
    """Leaves out titles (they repeat the key) and docstrings (they speak to us, not to admins)."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, time):
            return f"{dft:%H:%M}"
        if isinstance(dft, ClockRange | Cron):
            return str(dft)
        return {} if isinstance(dft, Section) else super().encode_default(dft)

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().model_schema(schema)
        made.pop("description", None)
        made.pop("title", None)
        return made


def _written(part: Any) -> Any:
    """The part with the forms that YAML text takes beside the value's own."""
    if isinstance(part, list):
        return [_written(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {name: _written(item) for name, item in part.items()}
    if inner.get("type") in ("integer", "boolean", "number"):
        notes = {name: inner.pop(name) for name in ("description", "default", "examples") if name in inner}
        return {"anyOf": [inner, _REFERENCE], **notes}
    if "$ref" in inner and "default" in inner:
        notes = {name: inner.pop(name) for name in ("description", "default") if name in inner}
        return {"anyOf": [inner, {"type": "null"}], **notes}
    return inner
