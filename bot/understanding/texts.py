"""Values in the speaker's own words: 邮件签名用蓝底白字, 以后叫我老王, and notes that 记住 asks for."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.understanding.grammar import Grammar
from config.normalise import normalise, origins
from memory.catalog import Key

LONGEST = 200
_LINK = r"(?:里|中|上|请|以后|今后|每次|都|默认|统一|一律|就|也|固定|,|，| )*"
_VERB = r"(?:使用|用|写成|写上|写|改成|改为|换成|换为|设为|设成|加上|放上|是|为|叫做|叫|成|:|：|=)"
_END = re.compile(r"[,，。;；!！?？\n]")
_PARTICLES = re.compile(r"(?:吧|就行了?|就好了?|就可以了?|好了|即可|呗|哦|哈|啦|了|行不行|好不好|可以吗|好吗)+$")
_QUOTED = re.compile(r"[“\"「『‘']([^”\"」』’']+)[”\"」』’']")
_ACTS = re.compile(
    r"^(?:起|去|来|吃|开|交|参加|一声|一下|做|看|回|提|填|喝|打|上|下|的|怎么|什么|啥|干|写|准备|出发|别|不|就|时|们|也|都|再|过|到|早|晚上|明天|今天)"
)
_NOT = re.compile(r"(?:别|不要|不许|不用|甭|少)(?:再|老|总)?$")
_ASKS = re.compile(
    r"^(?:请|你|帮我|给我|麻烦|帮忙|一定|务必|要|那|好|,|，| )*"
    r"(?:记住|记着|记得(?=我)|记好|牢记|记牢|remember(?: that)?|(?:记(?:一下|下来?|个事)|备注(?:一下)?)(?=.{0,3}我))(?:了|哈|啊|一点|一件事|一下|哦|,|，|:|：| )*(.{2,})$",
    re.DOTALL | re.IGNORECASE,
)


class Worded(NamedTuple):
    """A text value: its key, the speaker's own form of it, the word that named the key, whether it is denied."""

    key: str
    value: str
    word: str
    is_denied: bool


def texts_said(text: str, grammar: Grammar) -> list[Worded]:
    """The text values in a sentence, as the speaker wrote them (`text` is the original)."""
    keys = [key for key in grammar.catalog.keys.values() if key.kind == "text" and key.words]
    spelling = normalise(text).lower()
    found = []
    for key in keys:
        worded = _worded(text, spelling, key, grammar)
        if worded is not None:
            found.append(worded)
    return found


def note_asked(text: str) -> str | None:
    """What 记住 asks to keep in free words: the sentence itself; None when nothing is asked or nothing is said."""
    spelling = normalise(text).strip()
    match = _ASKS.match(spelling)
    if match is None or re.match(r"(?:这个|这|它|那个|我|吗|什么|哪|密码)(?:吧|了|哦|吗|$)", match[1]):
        return None
    return text.strip()


def _worded(text: str, spelling: str, key: Key, grammar: Grammar) -> Worded | None:
    found = None
    for match in grammar.patterns[key.id].words.finditer(spelling):
        found = _valued(text, spelling, key, match) or found
    return found


def _valued(text: str, spelling: str, key: Key, match: re.Match[str]) -> Worded | None:
    """The value that follows one mention of the key."""
    start = _value_start(spelling, match)
    if start is None:
        return None
    quoted = _QUOTED.match(spelling, start)
    if quoted:
        span = quoted.span(1)
    else:
        end = _END.search(spelling, start)
        span = (start, end.start() if end else len(spelling))
        span = (start, start + len(_PARTICLES.sub("", spelling[span[0] : span[1]])))
    value = spelling[slice(*span)].strip()
    names = not re.search(r"签名|落款", match[0])
    if not value or len(value) > (16 if names else LONGEST) or (names and _ACTS.match(value)):
        return None
    places = origins(text)
    own = text[places[span[0]] : places[span[1]]].strip()
    return Worded(key.id, own, match[0], _NOT.search(spelling[: match.start()]) is not None)


def _value_start(spelling: str, word: re.Match[str]) -> int | None:
    """Where the value begins: after a verb, or at once after a word that is a verb itself (叫我, 你就叫)."""
    verb = re.compile(_LINK + _VERB + "+(?:为|成|上|:|：)*").match(spelling, word.end())
    if verb is not None:
        return verb.end()
    is_verb = re.search(r"(?:叫|我|你|为|是|成|call me)$", word[0])
    return word.end() if is_verb else None
