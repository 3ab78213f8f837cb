"""The values that a clause gives to preference keys: 用市场部模板, 不要列表, 提前半小时, 抄送李总."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.understanding import amounts
from bot.understanding.clauses import Clause
from bot.understanding.cues import REPAIRABLE
from bot.understanding.grammar import DENIED, NOT, OTHER_ROLE, POOR, SOURCE, Grammar, Patterns
from bot.understanding.lexicon import Meaning, Token
from memory.catalog import Key
from memory.types import Mode, Value

_AND = re.compile(r"(?:和|跟|与|及|以及|、|加|还有|或|或者|\+|&)$")
_ADDED = re.compile(r"也(?:要|得|都|给|再)?(?:发|推|给|抄|来|寄|传|同步|带)|一份|同时|另外|再(?:发|推|抄|加)|还(?:要|得)(?:发|推|抄)|顺便|加上|追加|也行$")
_MOVED = re.compile(r"改|换|调整|切")
_VERSION = re.compile(r"(?:的)?(?:模板|模版|范本)?\s*(?:v|ver\.?|版本|第)\s*(\d{1,3}|[一二三四五六七八九十]{1,3})(?:版|号)?")
_SHORT_ENDS = re.compile(r"部?(?:的|那个|那套|那版|版|模|那|就|吧|来|为准|$)")
_PARTICLES = re.compile(r"[的了吧呢就都也请,:、那则话时候]|以后|今后|每次|默认|统一|一律|全部|所有|一概|通通|普通|消息|信息|事情|这些|情况|之类|类")
_MY_PLACE = re.compile(r"我们?(?:是|在|来自|属于|去)(?:$|.{0,2}$)")
_PEOPLE_END = re.compile(r"(?:吧|就行|就好|一份|一下|了|哦|即可|就可以|看一?下?|过目|知悉|,.*|。.*|这样|以后.*|默认.*|都.*)+$")
_PEOPLE_JOINT = re.compile(r"、|和|跟|与|及|以及|还有|,|&|;")
_NAME = re.compile(r"[\u4e00-\u9fff·]{2,5}|[a-z][a-z .]{1,20}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NOBODY = re.compile(r"^(?:我|你|他|她|谁|哪|这|那|什么|一|给|不|别|人|出|送|写|到|下|上)")
_RECIPIENTS = re.compile(r"(?:收件人|抄送人|接收人)(?:里)?(?:再)?(?:默认|都|统一|固定)?(?:是|为|加上?|改成|换成|设为|写|填|用)|(?:抄送|抄一份|cc|密送)(?:一份)?(?:给)?")


class Said(NamedTuple):
    """One value that a clause gives to a key, and where it stands."""

    key: str
    value: Value
    mode: Mode
    start: int
    end: int
    is_elliptic: bool = False  # the clause says nothing but this value


def values_said(clause: Clause, grammar: Grammar) -> list[Said]:
    """The values in a clause, in its order. A value that is replaced (由…改为), despised (太乱了) or plays another
    role (飞书群里) is none."""
    found = [*_choices(clause, grammar), *_flags(clause, grammar)]
    for key in grammar.catalog.keys.values():
        reader = _READERS.get(key.kind)
        if reader is not None:
            found.extend(reader(clause, key, grammar))
    found.sort(key=lambda said: said.start)
    return _joined(found, clause, grammar)


# --- choices ---------------------------------------------------------------------------------------------------


def _choices(clause: Clause, grammar: Grammar) -> Iterator[Said]:
    previous: Said | None = None
    floor = 0
    for token in clause.tokens:
        said = _choice(clause, token, grammar, previous, floor)
        if said is not None:
            yield said
            previous = said
        if token.find("value") or token.find("short"):
            floor = token.end


def _choice(clause: Clause, token: Token, grammar: Grammar, previous: Said | None, floor: int) -> Said | None:
    for meaning in token.meanings:
        if meaning.kind not in ("value", "short"):
            continue
        key = grammar.catalog.keys[meaning.of]
        mode = _mode(clause, token, meaning, grammar, previous, floor)
        if mode is None:
            continue
        value, end = _versioned(clause.text, token, key, meaning.id)
        if mode == "exclude" and len(key.values) == 2:
            value, mode = next(other for other in key.values if other != meaning.id), "set"
        return Said(key.id, value, mode, token.start, end, mode == "set" and _is_elliptic(clause))
    return None


def _mode(
    clause: Clause, token: Token, meaning: Meaning, grammar: Grammar, previous: Said | None, floor: int
) -> Mode | None:
    """How the value is meant, or None when it is only mentioned."""
    patterns = grammar.patterns[meaning.of]
    left, right = clause.text[max(floor, token.start - 16) : token.start], clause.text[token.end :]
    if _MY_PLACE.search(left) or SOURCE.match(right) or POOR.match(right):
        return None
    if DENIED.match(right) and not left.endswith("就"):
        return "exclude"
    governed = patterns.governed.search(left) is not None
    if OTHER_ROLE.match(right) or (right.startswith("上") and not governed and right[1:2] not in ("", "发", "推")):
        return None
    if right.startswith(("给", "跟")) and meaning.of in _ADDRESSED and right[1:2] != "我":
        return None
    if patterns.negated.search(left):
        return "exclude"
    if meaning.kind == "short" and not _short_counts(patterns, governed, right) and not _is_picked(clause, token):
        return None
    coordinated = previous is not None and previous.key == meaning.of and _AND.search(left) is not None
    if coordinated and previous is not None:
        return previous.mode
    if governed or patterns.follows.match(right) or _followed_by_and(right, clause, token, meaning) or _is_own_cue(patterns, clause, token):
        return "set"
    return "set" if is_choice(clause) else None


_ADDRESSED = frozenset({"notify_channel"})


def _short_counts(patterns: Patterns, governed: bool, right: str) -> bool:
    return patterns.words.match(right.lstrip("的")) is not None or (governed and _SHORT_ENDS.match(right) is not None)


def _is_picked(clause: Clause, token: Token) -> bool:
    """市场: a short name is all that is said. One that is a grammar word as well (默认) must be alone."""
    word = clause.text[token.start : token.end]
    several = sum(1 for other in clause.tokens if other.find("value") or other.find("short")) > 1
    return is_choice(clause) and not several and (clause.is_alone or word not in REPAIRABLE)


def _followed_by_and(right: str, clause: Clause, token: Token, meaning: Meaning) -> bool:
    """飞书和短信都发: the value before the 和 counts with the one after it."""
    joint = re.match(r"(?:和|跟|与|及|以及|、|加|还有|\+)", right)
    following = [other for other in clause.tokens if joint and other.start == token.end + joint.end()]
    return any(other.find("value", meaning.of) for other in following)


def _is_own_cue(patterns: Patterns, clause: Clause, token: Token) -> bool:
    """A value whose own words hold the verb or the key's word: 标红, 直接生成, 重要的排前面."""
    word = clause.text[token.start : token.end]
    match = patterns.words.search(word)
    return match is not None or word.startswith(("直接", "先", "周末", "只")) or (len(word) >= 5 and not word.isascii())


def is_choice(clause: Clause) -> bool:
    """A clause that only picks: 市场部; 用研发部的; 发送到企业微信. No task, and the key is not named before it."""
    if any(token.find("task") for token in clause.tokens):
        return False
    return not re.sub(r"^(?:就|那|还是|给我|请|帮我)*(?:用|选|要|按|发送?到?|走|选择|来)", "", _beside_words(clause))


def _is_elliptic(clause: Clause) -> bool:
    """A clause of nothing but the catalog's words and particles: 普通的企微; 我的通知，全部，企业微信."""
    return not _beside_words(clause)


def _beside_words(clause: Clause) -> str:
    """What a clause says besides the catalog's words and particles."""
    rest, done = "", 0
    for token in clause.tokens:
        rest += clause.text[done : token.start]
        done = token.end
    return _PARTICLES.sub("", rest + clause.text[done:]).strip("我你把的")


def _versioned(text: str, token: Token, key: Key, value: str) -> tuple[str, int]:
    match = _VERSION.match(text, token.end) if key.versions else None
    number = amounts.number(match[1]) if match else None
    return (f"{value}_v{number}", match.end()) if match and number else (value, token.end)


# --- flags -----------------------------------------------------------------------------------------------------


def _flags(clause: Clause, grammar: Grammar) -> Iterator[Said]:
    for token in clause.tokens:
        for meaning in token.meanings:
            key = grammar.catalog.keys.get(meaning.of)
            if meaning.kind == "key" and key is not None and key.kind == "flag":
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
                    before = around[max(0, place - 6) : place]
                    return side != (NOT.search(before) is not None)
    if re.match(r"[^,]{0,4}(?:不要|别|不用|去掉)(?:了|$)", right) or re.search(r"(?:不要|别|不看)(?:有)?$", left):
        return True
    return None


# --- times, amounts, people, words -------------------------------------------------------------------------------


def _clock(clause: Clause, key: Key, grammar: Grammar) -> Iterator[Said]:
    if not _mentions(clause, key, grammar):
        return
    times = amounts.clocks(clause.text)
    if times:
        start, end, clock = times[-1]
        yield Said(key.id, clock, "set", start, end)
    elif match := re.search(r"早上|早晨|清早|一早|早间|每早", clause.text):
        if re.search(r"每(?:天|日|个?工作日|个?上班日|早)|天天|工作日", clause.text):
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
        close = re.search(r"(?:前|早)[^,]{0,2}$", left) or patterns.own_verbs.search(left[-6:])
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


_READERS = {"clock": _clock, "minutes": _minutes, "range": _range, "people": _people}


# --- several ----------------------------------------------------------------------------------------------------


def _joined(found: list[Said], clause: Clause, grammar: Grammar) -> list[Said]:
    """Several values of one key that stand together: a list where the key allows it, else the last one."""
    result: list[Said] = []
    for said in found:
        before = result[-1] if result else None
        if before and before.key == said.key and before.mode == said.mode == "set":
            between = clause.text[before.end : said.start]
            if grammar.catalog.keys[said.key].multiple and _AND.fullmatch(between):
                earlier = before.value if isinstance(before.value, tuple) else (before.value,)
                value = tuple(dict.fromkeys((*map(str, earlier), str(said.value))))
                result[-1] = before._replace(value=value, end=said.end)
                continue
            if not _starts_anew(clause, before.end, said.start):
                result[-1] = said
                continue
        result.append(said)
    return [_with_addition(said, clause, grammar) for said in result]


def _starts_anew(clause: Clause, start: int, end: int) -> bool:
    """Whether a new condition or topic stands between two values: 工作时间发飞书非工作时间发短信."""
    between = (token for token in clause.tokens if start <= token.start < end)
    return any(token.find("scene") or token.find("task") for token in between)


def _with_addition(said: Said, clause: Clause, grammar: Grammar) -> Said:
    adds = grammar.catalog.keys[said.key].multiple and said.mode == "set" and not isinstance(said.value, tuple)
    if adds and _ADDED.search(clause.text) and not _MOVED.search(clause.text):
        return said._replace(mode="add")
    return said
