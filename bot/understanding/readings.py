"""Values that are read rather than chosen: flags, hours, amounts, ranges, people and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.understanding import amounts
from bot.understanding.clauses import Clause
from bot.understanding.grammar import NOT, POOR, Grammar
from bot.understanding.said import Said
from memory.catalog import Key
from memory.types import Mode, Value

_MORNING = re.compile(r"早上|早晨|清早|一早|早间|每早")
_DAILY = re.compile(r"每(?:天|日|个?工作日|个?上班日|早)|天天|工作日")
_PEOPLE_END = re.compile(
    r"(?:吧|就行|就好|一份|一下|了|哦|即可|就可以|看一?下?|过目|知悉|,.*|。.*|这样|以后.*|默认.*|都.*)+$"
)
_PEOPLE_JOINT = re.compile(r"、|和|跟|与|及|以及|还有|,|&|;")
_NAME = re.compile(r"[\u4e00-\u9fff·]{2,5}|[a-z][a-z .]{1,20}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NOBODY = re.compile(r"^(?:我|你|他|她|谁|哪|这|那|什么|一|给|不|别|人|出|送|写|到|下|上)")
_RECIPIENTS = re.compile(
    r"(?:收件人|抄送人|接收人)(?:里)?(?:再)?(?:默认|都|统一|固定)?(?:是|为|加上?|改成|换成|设为|写|填|用)|(?:抄送|抄一份|cc|密送)(?:一份)?(?:给)?"
)


def read_value(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    """What a clause gives to a key of any kind but a plain choice."""
    reader = _READERS.get(key.kind)
    return reader(clause, key, grammar) if reader else iter(())


def _flag(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    for token in clause.tokens:
        if token.find("key", key.id):
            side = _side(key, clause.text[: token.start], clause.text[token.end :])
            if side is not None:
                yield Said(key.id, side, "set", token.start, token.end)


def _side(key: Key, left: str, right: str) -> bool | None:
    """Which side of a flag the verbs around its word mean; 不要 turns a verb round."""
    assert key.enabled is not None and key.disabled is not None
    for around in (right, left):
        for side, verbs in ((True, key.enabled.verbs), (False, key.disabled.verbs)):
            for verb in verbs:
                place = around.find(verb)
                if place >= 0:
                    before = (left[-6:] + around[:place] if around is right else around[:place])[-12:]
                    return side != (NOT.search(before) is not None)
    if re.match(r"[^,]{0,4}(?:不要|别|不用|去掉)(?:了|$)", right) or re.search(r"(?:不要|别|不看)(?:有)?$", left):
        return True
    return None


def _clock(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    if not _mentions(clause, key, grammar):
        return
    times = amounts.clocks(clause.text)
    if times:
        start, end, clock = times[-1]
        yield Said(key.id, clock, "set", start, end)
    elif (match := _MORNING.search(clause.text)) and _DAILY.search(clause.text):
        yield Said(key.id, grammar.catalog.digest_time, "set", match.start(), match.end())


def _mentions(clause: Clause, key: Key, grammar: Grammar) -> bool:
    """Whether the clause is about the key: by its own word, or by the only task that reads it."""
    if any(token.find("key", key.id) for token in clause.tokens):
        return True
    return any(token.find("task", task) for task in key.tasks for token in clause.tokens)


def _minutes(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    patterns = grammar.patterns[key.id]
    for match in re.finditer(rf"(?:{amounts.NUMBER}|半)(?:个)?半?(?:分钟|分|小时|钟头|刻钟|天)半?", clause.text):
        left = clause.text[: match.start()]
        close = re.search(
            r"(?:前|早)[^,]{0,2}$|提前[^,]{0,6}(?:设|改|调|换|是)(?:成|为|到)?$", left
        ) or patterns.own_verbs.search(left[-6:])
        named = patterns.words.search(clause.text) or patterns.own_verbs.search(clause.text)
        amount = amounts.minutes(match[0])
        if close and named and amount is not None and not POOR.match(clause.text[match.end() :]):
            yield Said(key.id, amount, "set", match.start(), match.end())


def _range(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    span = amounts.clock_range(clause.text)
    if span is None:
        return
    patterns = grammar.patterns[key.id]
    muted = rf"{NOT.pattern}[^,]{{0,6}}?{patterns.own_verbs.pattern}|{patterns.words.pattern}|静音|安静|消停"
    if re.search(muted, clause.text):
        yield Said(key.id, span, "set", 0, len(clause.text))


def _people(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    match = _RECIPIENTS.search(clause.text)
    if match is None:
        return
    listed = _PEOPLE_END.sub("", clause.text[match.end() :])
    names = [name for name in _PEOPLE_JOINT.split(listed) if name]
    if names and all(_NAME.fullmatch(name) and not _NOBODY.match(name) for name in names):
        value: Value = names[0] if len(names) == 1 else tuple(names)
        mode: Mode = "add" if re.search(r"加上?|也|再", clause.text[: match.end()]) else "set"
        yield Said(key.id, value, mode, match.start(), len(clause.text))


def _phrases(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    """Values whose words are patterns: 没有待办…别发, and the days of a schedule."""
    for value, pattern in grammar.patterns[key.id].phrases:
        match = pattern.search(clause.text)
        if match and (len(match[0]) > 3 or _is_timed(clause)):
            yield Said(key.id, value, "set", match.start(), match.end())


def _is_timed(clause: Clause) -> bool:
    """工作日 alone is a condition; with an hour or a sending it is a schedule."""
    return bool(amounts.clocks(clause.text)) or re.search(r"早|推送|晨", clause.text) is not None


_READERS = {
    "choice": _phrases,
    "flag": _flag,
    "clock": _clock,
    "minutes": _minutes,
    "range": _range,
    "people": _people,
}
