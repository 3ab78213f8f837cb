"""Requests for a task: a report, the digest, to-dos, a reminder, an assignment, a notice, an adjustment."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.types import Intent
from bot.understanding import amounts
from bot.understanding.clauses import Clause, Reading
from bot.understanding.grammar import Grammar
from bot.understanding.lexicon import Token
from bot.understanding.scenes import is_fused
from bot.understanding.statements import requests_task
from memory.catalog import Task
from memory.types import Value

_GREETING = re.compile(
    r"^(?:大家|老板|小?助手|各位)?(?:早上好|早安|早晨好?|早啊|早呀|早|上午好|good\s*morning|morning|gm|一早|早早早)(?:[,。!~ 了]|$|[^\u4e00-\u9fff]|今天|还是|有|来)"
)
_AGENDA = re.compile(
    r"(?:今天|今日|明天|这周|本周|今儿|当天|我)(?:还|都|要|的|我|到底|上午|下午|一天)*(?:有|是)?(?:什么|啥|哪些|多少|几)(?:安排|事|要做|待办|任务|日程|会|活|重要|忙|计划|个)|(?:今天|今日)(?:的)?(?:安排|日程|待办|任务|计划)|(?:整理|汇总|看|列|查|梳理|过一遍|念|报|发)[^,]{0,8}(?:待办|日程|安排|todo)|(?:今天|今儿|今日)[^,]{0,6}(?:忙啥|忙什么|干啥|干什么|做什么|做啥|有啥事|啥事)"
)
_REMIND = re.compile(
    r"(?:提醒|叫|喊|催|通知|告诉|remind)(?:一下|下)?(?:我|我们|咱|me)|(?:记得|别忘了|到时候?)(?:提醒|叫|喊)|设(?:个|一个|置)?(?:提醒|闹钟)|闹钟|提醒[我一:]"
)
_REMIND_TEXT = re.compile(r"(?:提醒|叫|喊|催|通知|告诉)(?:一下|下)?(?:我|我们|咱|me)?(?:一下|要|去|:|,)*([^。!?]+)")
_ASSIGN = re.compile(
    r"(?:把|将)?([^,。]{0,30}?)(?:这个|这件|那个|该)?(?:任务|工作|事情|事|活儿?)?(?:都)?(?:分配|指派|派|交|安排|委派|转交|转|丢|甩|分)(?:给|到|由)([\u4e00-\u9fffa-z]{1,8}?)(?:$|[,。!吧处去做来负跟办了]|,|下周|周|明天|今天|本周)"
)
_ASSIGN_NEW = re.compile(
    r"给([\u4e00-\u9fff]{2,3}?)(?:建|派|分配|安排|创建|新建|加|布置|下)(?:一?个|一条|了|个)?(?:任务|活|工作|待办)[:,]?([^。]*)"
)
_ASSIGN_LET = re.compile(
    r"^(?:请|帮我|麻烦)?(?:让|叫|安排|派|请)([\u4e00-\u9fff]{2,3}?)(?:去|来|负责|跟进|处理|整理|做|写|准备|完成)([^。]*)"
)
_NOTIFY = re.compile(
    r"^(?:请|帮我|麻烦|你|去)*(?:通知|告知|转告|知会)(?:一下|下)?(?!我|渠道|方式|偏好|改|发|都|用|走|到|:)([\u4e00-\u9fffa-z]{1,8}?)(?:[,:]|说|明天|今天|下午|下周|周|开会|来|去|要|把|一下)(.*)"
)
_ADD_TODO = re.compile(
    r"(?:加|添加|新增|新建|建|创建|记|增加|安排|add)(?:一?个|一条|一项|一下|到|进)*(?:待办|todo|任务|代办|事项)(?:里|清单)?[:, ]*([^。]*)|(?:待办|todo)[::](.+)|把(.+?)(?:加|放|记)(?:到|进|入)(?:我的)?(?:待办|todo|清单)"
)
_DONE = re.compile(
    rf"((?:第?(?:{amounts.NUMBER})(?:条|个|项|号)?[、和跟与及,]?)+)(?:都|已经|已|也|给我)*(?:做完|完成|搞定|办完|弄完|好了|ok|done|处理完|勾掉|标记完成)"
)
_DONE_NAMED = re.compile(
    r"(?:把|将)?([^,。]{2,20}?)(?:那条|这条|那个)?(?:待办|任务)?(?:已经|都|给我)*(?:做完了|完成了|搞定了|办完了|勾掉|标记(?:为|成)?完成)"
)
_MOVE = re.compile(
    r"(?:把|将)([^,。]{1,20}?)(?:那条|这条|那个|的待办|待办)?(?:改|挪|推迟|移|延|调|提前)(?:到|至)([^,。]+)"
)
_LISTED = re.compile(
    r"(?:还有|还剩)(?:什么|啥|哪些)|有(?:什么|啥|哪些)(?:待办|没做|要做|事|任务|未完成)|(?:待办|todo|任务)(?:列表|清单|有哪些|有啥|呢)?$|做了(?:哪些|什么|啥)|哪些(?:待办|没做完|完成了)"
)
_TIME_LEFT = re.compile(r"周|号|点|天|月|日|早|晚|上午|下午|\d")
_ONE = re.compile(rf"{amounts.NUMBER}")
_STRIP = re.compile(
    r"^(?:一份|一个|一下|下|个|份|我的?|我们的?|今天的?|这周的?|本周的?|上周的?|这个月的?|本月的?|上个?月的?|昨天的?|季度的?|最新的?|新的?|那个|这份?|这个|出|好|给我|的|成|为)+"
)
_VARIANT = re.compile(r"[\u4e00-\u9fffa-z0-9]{1,8}")
_NOT_VARIANT = re.compile(
    r"的|模板|用|按|发给|发到|写|做|给|出|把|要|生成|帮|请|和|,|看|交|提|每|第|改|年|天|月|周|季|先|再|就|都"
)


@dataclass
class Request:
    """A task asked for: its name, what it needs, and the intent."""

    intent: Intent
    task: str | None = None
    slots: dict[str, Value] = field(default_factory=dict)


def request_of(reading: Reading, grammar: Grammar) -> Request | None:
    """The task that a text asks for; None when it asks for none."""
    text = reading.plain
    for reader in (_assigned, _reminder, _noticed, _changed, _declared, _morning, _listed):
        request = reader(text, reading, grammar)
        if request is not None:
            return request
    return None


def phrased(reading: Reading, grammar: Grammar) -> Request | None:
    """The task one of whose whole phrases is said, even as a question: 我的报销走到哪了."""
    for task, pattern in grammar.phrases:
        if pattern.search(reading.plain):
            return Request("run", task.name)
    return None


def is_greeting(text: str) -> bool:
    """早, 早上好, Good morning."""
    return _GREETING.match(text) is not None and len(text) <= 24


def is_reminder(clause: Clause) -> bool:
    """提醒我下午五点给客户回电话: something to be done is named, and perhaps when."""
    match = _REMIND.search(clause.text)
    if match is None:
        return False
    content = _REMIND_TEXT.search(clause.text)
    rest = re.sub(r"[我吧了一下,的]|就行|就好", "", content[1]) if content else ""
    timed = re.search(rf"{amounts.NUMBER}[点号日]|明天|后天|下周|今晚|今天|周[一二三四五六日]|每", clause.text)
    return len(rest) >= 2 and (timed is not None or not clause.is_always)


def task_slots(reading: Reading, grammar: Grammar) -> Request | None:
    """The declared task that is asked for now, with its kind and variant."""
    for clause in reading.clauses:
        if requests_task(clause, grammar):
            return _with_kind(clause, grammar)
    return None


# --- tasks that bot.yaml declares --------------------------------------------------------------------------------


def _declared(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    asked = task_slots(reading, grammar)
    if asked is not None:
        return asked
    for clause in reading.clauses:
        for token in clause.tokens:
            meaning = token.find("task")
            if meaning and meaning.id and _is_bare_name(clause, token) and not reading.is_question:
                return _with_kind(clause, grammar)
    return None


def _is_bare_name(clause: Clause, token: Token) -> bool:
    """周报, 研发周报, 本周周报: the name of the task is all that is said."""
    return not clause.text[token.end :].strip("吧呢的。!") and len(clause.text[: token.start]) <= 6


def _with_kind(clause: Clause, grammar: Grammar) -> Request:
    for token in clause.tokens:
        meaning = token.find("task")
        task = grammar.catalog.tasks[meaning.of] if meaning else None
        if meaning is None or task is None or not task.verbs:
            continue
        slots: dict[str, Value] = {task.kind_slot: meaning.id} if meaning.id else {}
        fused = next((one for one in clause.tokens if one.end == token.start and is_fused(one, token)), None)
        variant = clause.text[fused.start : fused.end] if fused else _variant(clause.text[: token.start], task)
        if variant:
            slots["variant"] = variant
        return Request("run", task.name, slots)
    raise AssertionError("only called for a clause that names a task")


def _variant(left: str, task: Task) -> str | None:
    """The word fused to the task's name: 研发 in 生成研发周报."""
    verbs = "|".join(map(re.escape, sorted(task.verbs, key=len, reverse=True)))
    asked = re.search(rf"(?:请|帮我|帮忙|把|要)*(?:{verbs})", left)
    word = _STRIP.sub("", left[asked.end() :] if asked else left)
    return word if _VARIANT.fullmatch(word) and not _NOT_VARIANT.search(word) else None


# --- tasks that ship ---------------------------------------------------------------------------------------------


def _assigned(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    if reading.is_question:
        return None
    if match := _ASSIGN_NEW.search(text):
        return Request("run", "assign", {"assignee": match[1], "text": match[2].strip(",: ")})
    if match := _ASSIGN.search(text):
        title = re.sub(r"^(?:请|帮我|麻烦|把|将)+|(?:这个|这件|那个)?(?:任务|事情|事|工作)?$", "", match[1])
        if not re.search(r"我|你|大家|市场|研发|邮箱", match[2]):
            return Request("run", "assign", {"assignee": match[2], "text": title})
    if match := _ASSIGN_LET.search(text):
        return Request("run", "assign", {"assignee": match[1], "text": match[2].strip(",: ")})
    return None


def _reminder(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    if reading.is_question or not any(is_reminder(clause) for clause in reading.clauses):
        return None
    content = _REMIND_TEXT.search(text)
    return Request("remind", "remind", {"text": content[1].strip(",: ")} if content else {})


def _noticed(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    match = _NOTIFY.match(text)
    if match is None or reading.is_question:
        return None
    return Request("run", "notify", {"recipients": match[1], "text": match[2].strip(",: ")})


def _changed(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    if match := _ADD_TODO.search(text):
        content = next((group for group in match.groups() if group), "").strip(",: ")
        return Request("todo", "todo", {"action": "add", "text": content}) if content else None
    if match := _DONE.search(text):
        numbers = tuple(str(amounts.number(one)) for one in _ONE.findall(match[1]))
        return Request("todo", "todo", {"action": "done", "numbers": numbers})
    if (match := _MOVE.search(text)) and _TIME_LEFT.search(match[2]) and not reading.mentions("value"):
        return Request("todo", "todo", {"action": "move", "text": match[1], "to": match[2]})
    if (match := _DONE_NAMED.search(text)) and not reading.is_question:
        return Request("todo", "todo", {"action": "done", "text": match[1]})
    return None


def _listed(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    if _AGENDA.search(text) or (_LISTED.search(text) and re.search(r"今天|这周|本周|待办|todo|任务|我", text)):
        return Request("todo", "todo", {"action": "list"})
    return None


def _morning(text: str, reading: Reading, grammar: Grammar) -> Request | None:
    return Request("digest", "digest") if is_greeting(text) else None
