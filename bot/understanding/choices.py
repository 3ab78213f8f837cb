"""The catalog values that a clause chooses: 用市场部模板, 不要列表, 由飞书改为企业微信."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.understanding import amounts
from bot.understanding.clauses import Clause
from bot.understanding.cues import REPAIRABLE
from bot.understanding.grammar import DENIED, OTHER_ROLE, POOR, SOURCE, Grammar, Patterns
from bot.understanding.lexicon import Meaning, Token
from bot.understanding.said import Said
from memory.catalog import Key
from memory.types import Mode

AND = re.compile(r"(?:和|跟|与|及|以及|、|加|还有|或|或者|\+|&)$")
_VERSION = re.compile(
    r"(?:的)?(?:模板|模版|范本)?\s*(?:v|ver\.?|版本|第)\s*(\d{1,3}|[一二三四五六七八九十]{1,3})(?:版|号)?"
)
_SHORT_ENDS = re.compile(r"部?(?:的|那个|那套|那版|版|模|那|就|吧|来|为准|$)")
_PARTICLES = re.compile(
    r"[的了吧呢就都也请,:、那则话时候]|以后|今后|每次|默认|统一|一律|全部|所有|一概|通通|普通|消息|信息|事情|这些|情况|之类|类|其他|其它|其余|剩下|别的|平时|时间"
)
_MY_PLACE = re.compile(r"我们?(?:是|在|来自|属于|去)(?:$|.{0,2}$)")
_MADE = re.compile(r"部?(?:的?模板|的?格式)?(?:设|定|作|当|存|做)(?:成|为|做|作|定)?[^,]{0,4}?(?:默认|固定|首选|常用)")
_MADE_BEFORE = re.compile(r"(?:设|定|作|当|存|做)(?:成|为|做|作|定)[^,]{0,4}$")
_LIKED = re.compile(r"(?:喜欢|爱|讨厌|烦|怕)$")
_OF_A_THING = re.compile(r"的(?!模板|格式|形式|样式|主题|模式|界面|回复|回答|报告|语气|风格|方式|图|那|版|$|,|吧)")


def choices_said(clause: Clause, grammar: Grammar) -> Iterator[Said]:
    previous: Said | None = None
    floor = 0
    for token in clause.tokens:
        said = _choice(clause, token, grammar, previous, floor)
        if said is not None:
            yield said
            previous = said
        if (token.find("value") or token.find("short")) and not _is_grammar(clause, token):
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
    key, patterns = grammar.catalog.keys[meaning.of], grammar.patterns[meaning.of]
    left, right = clause.text[max(floor, token.start - 16) : token.start], clause.text[token.end :]
    if _MADE.match(right):
        return "set"
    if previous is not None and previous.key == meaning.of and _MADE_BEFORE.search(left):
        return None
    if DENIED.match(right) and not left.endswith("就"):
        return "exclude"
    if _MY_PLACE.search(left) or SOURCE.match(right) or POOR.match(right):
        return None
    governed = patterns.governed.search(left) is not None
    if OTHER_ROLE.match(right) or _is_elsewhere(left, right) or (_LIKED.search(left) and _OF_A_THING.match(right)):
        return None
    if right.startswith(("给", "跟")) and key.multiple and right[1:2] != "我":
        return None
    if patterns.negated.search(left):
        return "exclude"
    verbal = governed and left[-1:] not in "就都"
    if meaning.kind == "short" and not _short_counts(patterns, verbal, right) and not _is_picked(clause, token):
        return None
    coordinated = previous is not None and previous.key == meaning.of and AND.search(left) is not None
    if coordinated and previous is not None:
        return previous.mode
    if previous is not None and previous.end == token.start and previous.mode == "set":
        return "set"
    if (
        governed
        or patterns.follows.match(right)
        or _followed_by_and(right, clause, token, meaning)
        or _is_own_cue(key, patterns, clause, token)
    ):
        return "set"
    return "set" if is_choice(clause) and _ends_or_goes_on(clause, token) else None


def _ends_or_goes_on(clause: Clause, token: Token) -> bool:
    """Whether nothing but particles or another value follows: 市场部发企微."""
    following = next((other.start for other in clause.tokens if other.start >= token.end), len(clause.text))
    between = clause.text[token.end : following]
    if following < len(clause.text):
        return not re.sub(r"发送?到?|[、,]", "", between)
    return not _PARTICLES.sub("", between)


def _is_elsewhere(left: str, right: str) -> bool:
    """飞书上我加了…, 表格里: a place where something is; 发到飞书上 is where it goes."""
    goes = re.search(
        r"(?:[发推送传转放投扔丢弹寄]|同步)(?:到|在|往|去|给)?[^,]{0,8}$|[到往][^,]{0,8}$", left
    ) is not None and re.match(r".(?:$|[,就吧去来发推给头面边])", right)
    return right.startswith(("上", "里")) and not goes and right[1:2] not in ("发", "推")


def _short_counts(patterns: Patterns, governed: bool, right: str) -> bool:
    return patterns.words.match(right.lstrip("的")) is not None or (governed and _SHORT_ENDS.match(right) is not None)


def _is_picked(clause: Clause, token: Token) -> bool:
    """市场: a short name is all that is said. One that is a grammar word as well (默认) must be alone."""
    several = sum(1 for other in clause.tokens if other.find("value") or other.find("short")) > 1
    return is_choice(clause) and not several and (clause.is_alone or not _is_grammar(clause, token))


def _is_grammar(clause: Clause, token: Token) -> bool:
    """默认 is a value's short name, and more often the grammar word."""
    return clause.text[token.start : token.end] in REPAIRABLE


def _followed_by_and(right: str, clause: Clause, token: Token, meaning: Meaning) -> bool:
    """飞书和短信都发: the value before the 和 counts with the one after it."""
    joint = re.match(r"(?:和|跟|与|及|以及|、|加|还有|\+)", right)
    following = [other for other in clause.tokens if joint and other.start == token.end + joint.end()]
    return any(other.find("value", meaning.of) for other in following)


def _is_own_cue(key: Key, patterns: Patterns, clause: Clause, token: Token) -> bool:
    """A value whose own words hold the verb or the key's word: 标红, 直接生成, 重要的排前面."""
    word = clause.text[token.start : token.end]
    return (
        (key.named and patterns.words.search(word) is not None)
        or word.startswith(("直接", "先"))
        or (len(word) >= 5 and not word.isascii())
    )


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
