"""What a text states about the speaker's own preferences: what would be stored, and what holds for now only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.understanding import cues
from bot.understanding.amounts import clocks
from bot.understanding.choices import is_choice
from bot.understanding.clauses import Clause, Reading, once
from bot.understanding.grammar import Grammar
from bot.understanding.said import Said
from bot.understanding.scenes import Condition, Conditioned, condition_of, conditioned
from bot.understanding.texts import Worded
from bot.understanding.values import values_said
from memory.types import Preference, Value

_SHORT = 14  # a clause this short that only says 以后都这样 speaks of what stands before it
_CHANGES = re.compile(r"改|换|挪|调|提前到|推迟到|设|延|更新")
_OF_SOMETHING = re.compile(r"^(?!把|将|我|你|这|那)[^,]{2,8}?(?:类的?|的)?(?:就|都|要)?(?:用|走|发|按|画|做成)")
_SETTINGS = re.compile(r"默认的|偏好|我的设置")
_PERIOD = re.compile(r"今天|今日|明天|这(?:一)?(?:周|星期|礼拜|个月|个?季度)|本(?:周|月|季度)")
_LIKES = re.compile(r"喜欢|习惯|偏好|偏爱|讨厌")
_LITTLE = re.compile(
    r"[的了吧呢就都也请,:、]|给我|我|一下|就行|就好|可以|上|来|格式|形式|模板|导出|通知|提醒|发|展示|呈现|输出|回复|说话|风格|写|语气|版"
)
_POINTS = re.compile(r"这个|那个|这里|这些|那些|第")
_MOVED = re.compile(r"改|换|更新")
_ABOUT_TIMES = ("clock", "minutes", "range")


@dataclass
class Statement:
    """What a text gives to preference keys. `lasting` would be stored, `slots` holds for the task at hand; `bare`
    is said without a cue, outside a task."""

    lasting: list[Preference] = field(default_factory=list)
    slots: dict[str, Value] = field(default_factory=dict)
    bare: list[Preference] = field(default_factory=list)
    passing: list[Preference] = field(default_factory=list)  # said of something that no scene of the catalog covers
    is_once: bool = False
    has_cue: bool = False
    is_only_values: bool = False
    clashes: bool = False  # two values of one key under the same condition: the catalog cannot say it


def state(reading: Reading, worded: Sequence[Worded], grammar: Grammar, *, is_complaint: bool) -> Statement:
    """Read the statement clause by clause; conditions and cues reach the clauses that they govern."""
    counting = [clause for clause in reading.clauses if clause.counts]
    statement = Statement(
        is_once=any(_is_once(clause, grammar) for clause in reading.clauses),
        has_cue=any(clause.is_always for clause in counting),
        is_only_values=bool(reading.clauses),
    )
    context = Condition()
    backwards = _speaks_backwards(counting, grammar)
    carried = is_complaint or backwards
    for clause in reading.clauses:
        if requests_task(clause, grammar):
            carried = backwards
        carried = carried or (clause.counts and clause.is_always and not clause.is_once)
        said = fitting(clause, reading, worded, grammar)
        statement.is_only_values &= bool(said) and is_choice(clause) and not _names_before(clause, said[0])
        for one in conditioned(clause, said, grammar):
            held = Conditioned(one.said, one.condition.within(_reaching(context, clause, one.said, grammar)))
            _sort_out(statement, clause, held, carried, reading, grammar)
        named = condition_of(clause, grammar)
        carried = carried or (bool(statement.lasting) and not clause.is_once)
        positive = any(one.mode != "exclude" for one in said)
        context = Condition((), named.topics or context.topics) if positive else named.within(context)
    _add_texts(statement, worded, reading, grammar, carried)
    statement.clashes = _clashes(statement.lasting) or (not statement.is_once and _clashes(statement.passing))
    statement.lasting = _settled(statement.lasting)
    return statement


def _is_once(clause: Clause, grammar: Grammar) -> bool:
    """Whether a clause is for this once; the period of a report that is asked for (生成本周周报) does not say so."""
    if not clause.is_once or not requests_task(clause, grammar):
        return clause.is_once
    return once(_PERIOD.sub("", clause.text))


def requests_task(clause: Clause, grammar: Grammar) -> bool:
    """Whether a clause asks for a task now: 生成周报, 帮我出一份月报."""
    if clause.is_always or (clause.is_question and not clause.is_request):
        return False
    for token in clause.tokens:
        meaning = token.find("task")
        task = grammar.catalog.tasks[meaning.of] if meaning else None
        if task is None or not task.verbs:
            continue
        left = clause.text[max(0, token.start - 14) : token.start]
        if any(verb in left for verb in task.verbs) or re.search(r"帮我|帮忙|请|麻烦|要", left):
            return True
        if re.match(
            rf"(?:{'|'.join(map(re.escape, task.verbs))})(?:一下|一份|一个|出来|起来|吧|呗|$)|再?来一份|搞起|走起",
            clause.text[token.end :],
        ):
            return True
    return False


def fitting(clause: Clause, reading: Reading, worded: Sequence[Worded], grammar: Grammar) -> list[Said]:
    """The values of a clause whose key may be meant here."""
    if any(one.word in clause.text for one in worded):
        return []
    return [said for said in values_said(clause, grammar) if _is_meant(said, reading, grammar)]


def _is_meant(said: Said, reading: Reading, grammar: Grammar) -> bool:
    key = grammar.catalog.keys[said.key]
    if key.tasks and key.kind == "choice" and not key.named:
        return grammar.about_task[key.id].search(reading.plain) is not None
    if any(is_choice(clause) and said.start < len(clause.text) for clause in reading.clauses):
        return True
    return not key.named or grammar.named[key.id].search(reading.plain) is not None


def _names_before(clause: Clause, said: Said) -> bool:
    """图表用折线图 names the key first; 研发部模板 only picks."""
    return any(token.find("key", said.key) and token.start < said.start for token in clause.tokens)


def _reaching(context: Condition, clause: Clause, said: Said, grammar: Grammar) -> Condition:
    """What earlier clauses say of a value: their task no longer when the clause names a key of its own (通知发…)."""
    if said.key not in grammar.adjustable and _names(clause, said.key):
        return Condition(context.dimensions)
    return context


def _speaks_backwards(clauses: Sequence[Clause], grammar: Grammar) -> bool:
    """报告按财务部模板格式来，以后都这样: the cue stands in a short clause of its own, after what it is about."""
    return any(
        clause.is_always and len(clause.text) <= _SHORT and not clause.is_once and not values_said(clause, grammar)
        for clause in clauses[1:]
    )


def _sort_out(
    statement: Statement, clause: Clause, one: Conditioned, carried: bool, reading: Reading, grammar: Grammar
) -> None:
    said = one.said
    if not clause.counts:
        return
    preference = Preference(said.key, said.value, one.condition.scene(said.key, grammar), said.mode)
    if _is_once(clause, grammar) or (statement.is_once and not clause.is_always and not _LIKES.search(clause.text)):
        if said.mode != "exclude":
            statement.slots[said.key] = said.value
    elif _is_lasting(clause, one, carried, reading, grammar):
        if _MOVED.search(clause.text):
            statement.lasting = [known for known in statement.lasting if not _same_place(known, preference)]
        statement.lasting.append(preference)
    elif said.mode != "exclude":
        statement.slots[said.key] = said.value
        if _OF_SOMETHING.search(clause.text):
            statement.passing.append(preference)
        if _is_bare(clause, said, reading, grammar):
            statement.bare.append(preference)


def _same_place(one: Preference, other: Preference) -> bool:
    return one.key == other.key and one.scene == other.scene


def _is_lasting(clause: Clause, one: Conditioned, carried: bool, reading: Reading, grammar: Grammar) -> bool:
    if cues.NO_CUE.search(clause.text):
        return False
    if carried or clause.is_always or clause.is_liking:
        return True
    if any(requests_task(other, grammar) for other in reading.clauses):
        return False
    key = grammar.catalog.keys[one.said.key]
    changes_standing = _SETTINGS.search(reading.plain) and _MOVED.search(clause.text)
    if (
        changes_standing
        or cues.STANDING.search(clause.text)
        or (key.kind in _ABOUT_TIMES and _CHANGES.search(clause.text))
    ):
        return True
    if cues.RECURRING.search(clause.text) and (one.condition.topics or key.tasks):
        return True
    if key.kind == "range":
        return True
    before = condition_of(clause, grammar, end=one.said.start)
    if one.condition.dimensions and (before.dimensions or not condition_of(clause, grammar).dimensions):
        return True
    if before.topics and not _CHANGES.search(clause.text) and _says_little_else(clause, one.said, grammar):
        return _names_condition(one.condition, grammar)
    return cues.SWEEPING.search(clause.text) is not None and _names(clause, one.said.key)


def _names_condition(condition: Condition, grammar: Grammar) -> bool:
    """月报用研发部模板: a kind of report or document that is named is a condition."""
    kinds = {kind for task in grammar.catalog.tasks.values() for kind in task.kinds}
    return any(topic in kinds or topic in grammar.catalog.scenes.get("task", {}) for topic in condition.topics)


def _names(clause: Clause, key: str) -> bool:
    return any(token.find("key", key) for token in clause.tokens)


def _is_bare(clause: Clause, said: Said, reading: Reading, grammar: Grammar) -> bool:
    """通知发到企业微信: names its key, in no task, and is nothing that changes a result just given."""
    if said.key in grammar.adjustable or said.is_elliptic or clause.is_question:
        return False
    if clocks(clause.text[: said.start]):
        return False
    if any(requests_task(other, grammar) for other in reading.clauses):
        return False
    if _POINTS.search(clause.text) or any(t.find("scene", "recipient") and t.start > said.start for t in clause.tokens):
        return False
    return _names(clause, said.key) and _says_little_else(clause, said, grammar)


def _says_little_else(clause: Clause, said: Said, grammar: Grammar) -> bool:
    """Whether nothing is to be done after the value: not 用正式的语气写封道歉信."""
    rest = clause.text[said.end :]
    for token in reversed(clause.tokens):
        if token.start >= said.end:
            rest = rest[: token.start - said.end] + rest[token.end - said.end :]
    return len(_LITTLE.sub("", rest)) <= 2


def _add_texts(
    statement: Statement, worded: Sequence[Worded], reading: Reading, grammar: Grammar, carried: bool
) -> None:
    for one in worded:
        home = next((clause for clause in reading.clauses if one.word in clause.text), None)
        if home is None or not home.is_own:
            continue
        if statement.is_once:
            statement.slots[one.key] = one.value
            continue
        condition = condition_of(home, grammar, end=home.text.find(one.word))
        preference = Preference(
            one.key, one.value, condition.scene(one.key, grammar), "exclude" if one.is_denied else "set"
        )
        if carried or home.is_always or home.is_liking or one.is_denied:
            statement.lasting.append(preference)
        else:
            statement.bare.append(preference)


def _clashes(preferences: Sequence[Preference]) -> bool:
    """Whether two values of one key are said to hold at the same time."""
    seen: dict[tuple[str, str], Value] = {}
    for preference in preferences:
        if preference.mode != "set":
            continue
        if seen.setdefault((preference.key, preference.scene.key()), preference.value) != preference.value:
            return True
    return False


def _settled(preferences: Sequence[Preference]) -> list[Preference]:
    """One record for each key and scene, the last one said; an exclusion beside a value of its key is dropped."""
    given = {preference.key for preference in preferences if preference.mode != "exclude"}
    kept: dict[tuple[str, str, str], Preference] = {}
    for preference in preferences:
        if preference.mode == "exclude" and preference.key in given:
            continue
        place = (preference.key, preference.scene.key(), "" if preference.mode != "exclude" else str(preference.value))
        kept.pop(place, None)
        kept[place] = replace(preference)
    return list(kept.values())
