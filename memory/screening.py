"""What must never be stored, logged or sent to a model, found in a sentence and masked (design 7.11)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from memory.screening_documents import find_documents, find_plates
from memory.screening_numbers import find_numbers
from memory.screening_places import find_addresses, find_emails
from memory.screening_secrets import find_named_secrets, find_secrets
from memory.screening_text import Folded, Found, fold

LABELS = {
    "mobile": "［手机号］",
    "landline": "［座机］",
    "id_card": "［身份证号］",
    "bank_card": "［银行卡号］",
    "password": "［密码］",
    "otp": "［验证码］",
    "token": "［令牌］",
    "api_key": "［密钥］",
    "private_key": "［私钥］",
    "passport": "［护照号］",
    "hk_macau_permit": "［港澳通行证号］",
    "taiwan_permit": "［台胞证号］",
    "plate": "［车牌号］",
    "email": "［邮箱］",
    "address": "［地址］",
}
"""The kinds, and what stands in their place."""

_LABEL = re.compile("|".join(map(re.escape, LABELS.values())))

_REPEATED = 4  # shorter values are too common to be told apart from other words

Finder = Callable[[str], Iterator[Found]]

_FINDERS: tuple[tuple[Finder, re.Pattern[str]], ...] = (
    # who finds, and what a text has at least when there is anything to find; the earlier one keeps what both claim
    (find_secrets, re.compile(r"[!-~]{12}|(?i:BEGIN |cv[vc])|\s-[pu]")),
    (find_named_secrets, re.compile(r"(?i)码|口令|暗号|验证|[2m]fa|令牌|[密秘私][钥匙]|secret|token|key|code|otp|p(?:ass|wd|sw|in|w)|sess|cook|tick|sig|auth|[as]k\s?[:=]")),
    (find_emails, re.compile(r"(?i)@|\bat\b|艾特")),
    (find_documents, re.compile(r"(?i)[证照卡]|台胞|港澳|permit|passport|mtp|id\b")),
    (find_plates, re.compile(r"[0-9][^\n]{0,3}[0-9]")),
    (find_numbers, re.compile(r"(?:[0-9][^0-9A-Za-z\n]{0,3}){7}|[0-9][*xX×•·]{2}")),
    (find_addresses, re.compile(r"[号弄栋幢座单元室楼层组]|Road|Street|Rd|Ave|Lane|St\.|Blvd|Boulevard")),
)  # fmt: skip


@dataclass(frozen=True)
class Span:
    """One sensitive value: `text[start:end]` of the screened sentence."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Screened:
    """A sentence, the kinds of sensitive values in it in order of appearance, and the sentence without them."""

    text: str = field(repr=False)
    kinds: tuple[str, ...]
    masked: str
    spans: tuple[Span, ...]

    def to_json(self) -> dict[str, object]:
        """As `jide screen --json` prints it (design section 10)."""
        return {"text": self.text, "kinds": list(self.kinds), "masked": self.masked, "domain": None}


def screen(text: str) -> Screened:
    """Find and mask every sensitive value. Takes any string; what is masked already is found no second time."""
    folded = fold(text, _LABEL)
    spans: list[Span] = []
    values: dict[str, str] = {}
    while (more := _one_pass(folded, spans, values)) is not None:
        folded = more
    spans.sort(key=lambda span: span.start)
    return Screened(text, tuple(dict.fromkeys(span.kind for span in spans)), _mask(text, spans), tuple(spans))


def _one_pass(folded: Folded, spans: list[Span], values: dict[str, str]) -> Folded | None:
    """Every finder once, each blind to what those before it found; `None` when none found anything."""
    before = len(spans)
    finders: list[Finder] = [find for find, needed in _FINDERS if needed.search(folded.text)]
    finders.append(partial(_find_again, values))
    for find in finders:
        found = _apart(find(folded.text))
        spans += [Span(one.kind, folded.starts[one.start], folded.ends[one.end - 1]) for one in found]
        values |= {folded.text[one.start : one.end]: one.kind for one in found}
        folded = folded.blanked(found) if found else folded
    return folded if len(spans) > before else None


def _find_again(values: dict[str, str], text: str) -> Iterator[Found]:
    """The values already found, wherever they are said a second time without the words that gave them away."""
    said = sorted((value for value in values if len(value) >= _REPEATED), key=len, reverse=True)
    if said:
        again = rf"(?<![0-9A-Za-z])(?:{'|'.join(map(re.escape, said))})(?![0-9A-Za-z])"
        for match in re.finditer(again, text):
            yield Found(values[match[0]], *match.span())


def _apart(found: Iterator[Found]) -> list[Found]:
    """In order of place; of two that overlap the one that was found first."""
    taken: set[int] = set()
    kept = []
    for one in found:
        places = range(one.start, one.end)
        if places and taken.isdisjoint(places):
            taken.update(places)
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _mask(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += [text[position : span.start], LABELS[span.kind]]
        position = span.end
    return "".join([*pieces, text[position:]])
