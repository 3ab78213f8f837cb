"""What is remembered about a person, in the words of the playground's side panel."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.occasion import Office
from bot.stores import questions as question_rows
from memory.stores.database import Transaction
from memory.types import Person, Record


def remembered(office: Office, tx: Transaction, person: Person, now: datetime) -> dict[str, Any]:
    """`preferences`, `archived`, `facts`, `aliases` and `questions`, as `adapters.pages.playground.Stage` says."""
    memory = office.memory(tx)
    catalog = office.catalog()

    def shown(record: Record) -> dict[str, Any]:
        scene = "+".join(record.scene.values())
        mark = "!" if record.mode == "exclude" else ""
        return {
            "key": f"{record.key}{mark}@{scene}" if scene else f"{record.key}{mark}",
            "value": list(record.value) if isinstance(record.value, tuple) else record.value,
            "name": catalog.key_name(record.key),
            "says": catalog.value_name(record.key, record.value),
            "scene": catalog.scene_name(record.scene),
            "source": office.texts.say(f"source.{record.source}"),
            "date": record.created_at.astimezone(now.tzinfo).date().isoformat(),
        }

    archived = memory.archived(person, now)
    return {
        "preferences": [shown(record) for record in memory.active(person, now)],
        "archived": [
            {**shown(each.record), "reason": office.texts.say(f"archived.{each.reason}")} for each in archived
        ],
        "facts": [],
        "aliases": [
            {
                "name": alias.variant + catalog.task_name(alias.task),
                "says": "、".join(catalog.phrase(key, value) for key, value in alias.values.items()),
                "date": alias.created_at.astimezone(now.tzinfo).date().isoformat() if alias.created_at else "",
            }
            for alias in memory.aliases(person)
        ],
        "questions": [
            {
                "text": _text(question.body),
                "options": [option.label for option in question.options],
                "until": question.expires_at.astimezone(now.tzinfo).isoformat(timespec="seconds"),
            }
            for row in question_rows.open_of(tx, person.tenant, person.id)
            if (question := office.questions.find(tx, row.id)) and not question.has_expired(now)
        ],
    }


def _text(body: Any) -> str:
    return "\n".join(block.text for block in body.blocks if hasattr(block, "text"))
