"""A message as it may be kept: what is sensitive is masked, and the clauses that hold it are not acted on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.types import Attachment, Message
from memory.screening import Screened, Span, screen
from memory.screening_clauses import split_clauses


def without_secrets(message: Message, work_domains: Iterable[str] = ()) -> Message:
    """`message` before it touches a disk, a log or a model: `text` holds only the clauses without sensitive values,
    `sensitive` says which kinds there were. A work e-mail address (one of `work_domains`) may stay."""
    allowed = tuple(f"@{domain.casefold()}" for domain in work_domains)
    found = _without_work_mail(screen(message.text), allowed)
    quoted = screen(message.quoted).masked if message.quoted else message.quoted
    files = tuple(_masked_name(attachment) for attachment in message.attachments)
    if not found.kinds:
        return replace(message, quoted=quoted, attachments=files)
    clean = "".join(clause for clause, touched in split_clauses(message.text, found) if not touched)
    return replace(message, text=clean.strip(" ，,；;、"), sensitive=found.kinds, quoted=quoted, attachments=files)


def _without_work_mail(found: Screened, allowed: tuple[str, ...]) -> Screened:
    spans = tuple(span for span in found.spans if not _is_work_mail(found.text, span, allowed))
    return replace(found, spans=spans, kinds=tuple(dict.fromkeys(span.kind for span in spans)))


def _is_work_mail(text: str, span: Span, allowed: tuple[str, ...]) -> bool:
    return span.kind == "email" and bool(allowed) and text[span.start : span.end].casefold().endswith(allowed)


def _masked_name(attachment: Attachment) -> Attachment:
    return replace(attachment, name=screen(attachment.name).masked) if attachment.name else attachment
