"""The conditions that a clause names: its task, its hours, its urgency, for whom and where."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.understanding import amounts
from bot.understanding.clauses import Clause
from bot.understanding.grammar import Grammar
from bot.understanding.lexicon import Token, is_schedule
from bot.understanding.said import Said
from memory.catalog import Key
from memory.types import SCENE_DIMENSIONS, Scene

_PROJECT = re.compile(
    r"(?:^|以后|今后|每次|默认|关于|凡是|把|给)(?:以后|今后|每次)?((?!以后|今后|每次|这个|那个|所有|各|每个|我的)[a-z0-9]{1,12}|(?!以后|今后|每次|这个|那个|所有|各|每个|我的)[\u4e00-\u9fff]{1,6})项目(?=的|里|组|相关|通知|消息|周报|都)"
)
_FOR = re.compile(
    r"(?:发给|给|写给|对|跟)([\u4e00-\u9fff]{2,3}?)(?:的|看的|写的|发的)(?=[^,]{0,4}(?:报|邮件|通知|消息|文件|材料|文档|方案|合同))"
)
_NOT_NAMES = re.compile(r"我|你|他|她|大家|客户|领导|老板|对|这|那|自己|什么")
_WITH = re.compile(r"[、和跟与及,]|还有|以及|或")


@dataclass(frozen=True)
class Condition:
    """Scene dimensions named so far, and the tasks that are spoken of."""

    dimensions: tuple[tuple[str, str], ...] = ()
    topics: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.dimensions or self.topics)

    def within(self, wider: Condition) -> Condition:
        """This condition, with what it does not name itself taken from a wider one."""
        dimensions = {**dict(wider.dimensions), **dict(self.dimensions)}
        return Condition(tuple(dimensions.items()), self.topics or wider.topics)

    def scene(self, key: str, grammar: Grammar) -> Scene:
        """The scene of a record of this key: one task named is a condition, several are none."""
        named = {name: value for name, value in self.dimensions if name in SCENE_DIMENSIONS}
        topics = set(self.topics)
        for topic in self.topics:
            topics -= set(grammar.catalog.parents(topic))
        if grammar.catalog.is_read_by_one_task(key):
            named.pop("urgency", None)  # 把紧急的排前面: the things listed are urgent, not the moment
        elif len(topics) == 1:
            named["task"] = next(iter(topics))
        return Scene(named)


@dataclass(frozen=True)
class Conditioned:
    """A value with the condition under which it was said."""

    said: Said
    condition: Condition


def condition_of(
    clause: Clause, grammar: Grammar, start: int = 0, end: int | None = None, skip: Collection[int] = ()
) -> Condition:
    """What a stretch of a clause names as a condition; `skip` are the starts of words that are values there."""
    dimensions: dict[str, str] = {}
    topics: list[str] = []
    end = len(clause.text) if end is None else end
    for token, before in zip(clause.tokens, (None, *clause.tokens), strict=False):
        if not start <= token.start < end or token.start in skip or clause.text[: token.start].endswith("除了"):
            continue
        scene, topic = token.find("scene"), token.find("task")
        if scene is not None and scene.of != "task":
            dimensions.setdefault(scene.of, scene.id)
        elif scene is not None:
            topics.append(scene.id)
        if topic is not None:
            topics.append(topic.id or grammar.catalog.tasks[topic.of].scene)
            if topic.id and before is not None and is_fused(before, token):
                dimensions["variant"] = clause.text[before.start : before.end]
    text = clause.text[start:end]
    if "项目" in text and (match := _PROJECT.search(text)):
        dimensions["project"] = match[1]
    match = _FOR.search(text)
    if match and not _NOT_NAMES.search(match[1]):
        dimensions.setdefault("recipient", match[1])
    return Condition(tuple(dimensions.items()), tuple(dict.fromkeys(topics)))


def is_fused(before: Token, task: Token) -> bool:
    """研发周报: a value's short name grown together with the task's."""
    return before.end == task.start and (before.find("short") or before.find("value")) is not None


def conditioned(clause: Clause, found: Sequence[Said], grammar: Grammar) -> list[Conditioned]:
    """Each value of a clause with its own condition: 工作时间发飞书非工作时间发短信 has two."""
    values = {said.start for said in found}
    result: list[Conditioned] = []
    running, done = Condition(), 0
    for said in found:
        named = condition_of(clause, grammar, done, said.start, values)
        if named:
            running = named if result and named.dimensions else named.within(running)
        running = _with_hours(running, clause.text[done : said.start])
        result.append(Conditioned(said, running))
        done = max(done, said.end)
    trailing = condition_of(clause, grammar, done, skip=values)
    result = [one if _is_full(one.condition) else _narrowed(one, trailing) for one in result]
    if _several(clause):
        result = [Conditioned(one.said, Condition(one.condition.dimensions)) for one in result]
    return _without_schedule(result, grammar)


def _is_full(condition: Condition) -> bool:
    return bool(condition.topics and condition.dimensions)


def _narrowed(one: Conditioned, condition: Condition) -> Conditioned:
    return Conditioned(one.said, one.condition.within(condition))


def _with_hours(condition: Condition, text: str) -> Condition:
    """上午九点到十二点的通知发企微: a range of hours before a value is its condition."""
    span = amounts.clock_range(text) if "点" in text or ":" in text else None
    return Condition((("time", span),)).within(condition) if span else condition


def _several(clause: Clause) -> bool:
    """Whether a task is only one of several things listed: 待办、提醒这些都发到…"""
    places = [(token.start, token.end, token) for token in clause.tokens if token.find("task") or token.find("key")]
    for (_, end, one), (start, _, other) in pairwise(places):
        if _WITH.fullmatch(clause.text[end:start]) and (one.find("task") is None) != (other.find("task") is None):
            return True
    return False


def _without_schedule(found: list[Conditioned], grammar: Grammar) -> list[Conditioned]:
    """The hours of a schedule (每个工作日早上…) are its values, not a condition of what else is said."""
    if not any(_says_when(grammar.catalog.keys[one.said.key]) for one in found):
        return found
    return [
        Conditioned(
            one.said, Condition(tuple(d for d in one.condition.dimensions if d[0] != "time"), one.condition.topics)
        )
        for one in found
    ]


def _says_when(key: Key) -> bool:
    return key.kind in ("clock", "range") or is_schedule(key)
