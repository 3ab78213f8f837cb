"""The values that a clause gives to preference keys, in its order, those that stand together joined."""

from __future__ import annotations

import re

from bot.understanding.choices import AND, choices_said
from bot.understanding.clauses import Clause
from bot.understanding.grammar import Grammar
from bot.understanding.readings import read_value
from bot.understanding.said import Said

_ADDED = re.compile(
    r"也(?:要|得|都|给|再)?(?:发|推|给|抄|来|寄|传|同步|带)|一份|(?:同时|另外)(?:再|也|还)?(?:发|推|抄|给)|再(?:抄|加)|还(?:要|得)(?:发|推|抄)|顺便|加上|追加|也行$"
)
_MOVED = re.compile(r"改|换|调整|切")


def values_said(clause: Clause, grammar: Grammar) -> list[Said]:
    """The values in a clause. One that is replaced (由…改为), despised (太乱了) or plays another role (飞书群里) is
    none."""
    found = [*choices_said(clause, grammar)]
    for key in grammar.catalog.keys.values():
        found.extend(read_value(clause, key, grammar))
    found.sort(key=lambda said: said.start)
    return _joined(found, clause, grammar)


def _joined(found: list[Said], clause: Clause, grammar: Grammar) -> list[Said]:
    """Several values of one key that stand together: a list where the key allows it, else the last one."""
    result: list[Said] = []
    for said in found:
        before = result[-1] if result else None
        if before and before.key == said.key and before.mode == said.mode == "set":
            between = clause.text[before.end : said.start]
            if grammar.catalog.keys[said.key].multiple and AND.fullmatch(between):
                earlier = before.value if isinstance(before.value, tuple) else (before.value,)
                value = tuple(dict.fromkeys((*map(str, earlier), str(said.value))))
                result[-1] = before._replace(value=value, end=said.end)
                continue
            if not _starts_anew(clause, before.end, said.start):
                result[-1] = said
                continue
        result.append(said)
    return [_with_addition(said, clause, grammar) for said in result if not _goes_without_saying(said, result, grammar)]


def _goes_without_saying(said: Said, found: list[Said], grammar: Grammar) -> bool:
    """每天 beside an hour: the default of a key whose task another value of the clause is about."""
    key = grammar.catalog.keys[said.key]
    others = (grammar.catalog.keys[other.key] for other in found if other.key != said.key)
    return bool(key.tasks) and said.value == key.default and any(other.tasks == key.tasks for other in others)


def _starts_anew(clause: Clause, start: int, end: int) -> bool:
    """Whether a new condition or topic stands between two values: 工作时间发飞书非工作时间发短信."""
    between = (token for token in clause.tokens if start <= token.start < end)
    return any(token.find("scene") or token.find("task") for token in between)


def _with_addition(said: Said, clause: Clause, grammar: Grammar) -> Said:
    adds = grammar.catalog.keys[said.key].multiple and said.mode == "set" and not isinstance(said.value, tuple)
    if adds and _ADDED.search(clause.text) and not _MOVED.search(clause.text):
        return said._replace(mode="add")
    return said
