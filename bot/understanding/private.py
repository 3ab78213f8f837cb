"""What of a text may be understood: the clauses that hold a sensitive value are left out (design 7.11)."""

from __future__ import annotations

import re

from memory.screening import LABELS, screen
from memory.screening_clauses import split_clauses

_KINDS = {label: kind for kind, label in LABELS.items()}
_LABEL = re.compile("|".join(map(re.escape, _KINDS)))
_COPIES = re.compile(r"抄送|收件人|抄给|\bcc\b", re.IGNORECASE)


def without_secrets(text: str) -> tuple[str, tuple[str, ...]]:
    """The clauses of a text, raw or already masked, that hold nothing sensitive, and the kinds of what was found.
    A work e-mail address as a recipient (抄送 …) may be kept."""
    screened = screen(text)
    kinds = dict.fromkeys((*screened.kinds, *(_KINDS[label] for label in _LABEL.findall(text))))
    if not kinds:
        return text, ()
    if set(kinds) == {"email"} and _COPIES.search(text) and not _LABEL.search(text):
        return text, tuple(kinds)
    kept = (clause for clause, holds in split_clauses(text, screened) if not (holds or _LABEL.search(clause)))
    return "".join(kept), tuple(kinds)
