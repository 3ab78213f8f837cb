"""Sentences about memory itself: list, recall, explain, forget, restore, edit, correct, consent, link, help."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.types import Intent
from bot.understanding import amounts, cues
from bot.understanding.clauses import Clause, Reading
from bot.understanding.grammar import Grammar
from memory.types import Value

_MEMORY = r"(?:偏好|记忆|习惯|设置|设定|画像|记录|记住的|记的|记着的|记得的|存的|存着的|学到的|备忘|资料|信息|档案|数据|喜好|个人信息|说过的话|说的|默认|规则|要求|条目|老规矩|口味|忌口|过敏)"
_FORGET = re.compile(
    r"(?:^|[,请把帮将你给我,])(?:先|再|就|也|都|可以|能不能|麻烦)*(?:忘掉|忘了|忘记|忘|删除|删掉|删了|删|清除|清空|清掉|清理|抹掉|抹去|移除|去掉|撤销|撤掉|作废|取消|注销|重置|擦除|销毁|丢掉)(?!带|吃|拿|说|跟|告诉|买|发|交)"
    r"|(?:删了|删掉|删除|清掉|清空|清除|忘掉|忘了|抹掉|去掉|作废|撤了|取消|销毁)(?:吧|掉|了|一下|行不行|可以吗|好不好|$)"
    r"|(?:不想|不要|别|不用|不许|不希望|不准)(?:再|让你|你|继续|给我)*(?:存着|存|记得|记着了?|记着|留着|保留|保存着)(?!.*(?:文件|数据))|不要再(?:用|记)[^,]{0,8}(?:信息|这条|那条)"
)
_DROPPED = re.compile(
    r"(?:那条|这条|那个|这件事|那句|偏好|记忆|设置)[^,]{0,4}(?:删|作废|去掉|忘|清|撤|取消|不要了)|,那条[^,]{0,3}(?:作废|删)"
)
_NOT_FORGET = re.compile(
    r"(?:别|不要|不会|没|没有|别再|可别|千万别|会不会|会|总是?|老是?|每次都?|又|我|差点)(?:给)?(?:忘|删)(?!.{0,4}(?:掉我|了我的偏好))|真的会忘|难忘|忘性|忘恩"
)
_TODO_OBJECT = re.compile(
    r"待办|任务|日程|会议|文件|群|照片|邮件(?!签名)|消息(?!通知|偏好)|聊天记录|代码|表格里|这行|这页|评论|第[^,]{1,3}[行页段]"
)
_ALL = re.compile(
    r"所有|全部|一切|统统|全都|通通|清空|一概|一条不留|一个不留|都(?:忘|删|清)|关于我|重置|全(?:忘|删|清)"
)
_RESTORE = re.compile(
    r"(?:恢复|还原|找回|改回来|改回去|变回来?|换回来|换回去|撤回|回滚|撤销(?:刚才|上次|上一)|回退|复原|退回|调回来|拿回来|救回来|反悔)"
)
_RESTORE_OBJECT = re.compile(
    rf"{_MEMORY}|模板|之前|刚才|刚刚|昨天|上次|上一|那条|删|原来|以前|改掉|通知|误|操作|这条|第"
)
_OWN = re.compile(
    rf"(?:我的|关于我|你(?:都|还|到底|现在|已经|究竟|一共|总共)*(?:记|存|学|知道|了解)|让你记|记住的|记住了|记得|记了|存了|我(?:喜欢|习惯|设|的)|我(?:之前|以前|上次)?(?:跟你|让你|叫你|告诉你|说过|设|提过|抱怨|默认|现在)|{_MEMORY})"
)
_LIST = re.compile(
    rf"我(?:都|现在|总共|一共)*有(?:哪些|什么|啥|几)[^,]{{0,4}}?{_MEMORY}|你?对我(?:的)?(?:了解|记得|知道)(?:多少|什么|哪些)|(?:列|看|查|说)(?:一下|下|出|说)?你(?:都)?(?:记|存|学|了解)|(?:你)(?:都|还|到底|现在|已经|究竟|一共|总共)*(?:记住|记得|记|存|学到|知道|了解|保存|收集|掌握)(?:了|着|过|下)*(?:些|我|关于我)*(?:的)?(?:什么|啥|哪|多少|几|东西|内容|偏好|习惯)|(?:看看?|查看|查一?下|显示|列出?|展示|打开|看下|瞧瞧|导出|下载|备份|翻一?下|调出)(?:一下|出|你)*[^,]{{0,8}}?{_MEMORY}|我的(?:所有|全部)?(?:偏好|记忆|设置|习惯)(?:有哪些|是什么|列表|呢|有什么|都有啥|清单|$)"
    rf"|我(?:之前|以前|都)*让你记(?:住|得|了|过|下)*(?:了)?(?:什么|啥|哪)|{_MEMORY}(?:都|全部?|给我)?(?:列|导|调|拿|翻|念|读)(?:一下)?(?:出来|给我)|{_MEMORY}(?:在哪|怎么看|有哪些|有什么|列表|都有啥)|^/?(?:我的)?(?:记忆|偏好|偏好列表|我的偏好|memory)$"
)
_EXPORT = re.compile(r"导出|下载|备份|export")
_WHY = re.compile(r"为什么|为何|凭什么|怎么会(?:用|发|选|按|知道)|为啥|依据|什么原因|哪来的")
_EDIT = re.compile(rf"(?:第)({amounts.NUMBER})(?:条|个|项|点)[^,]{{0,8}}?(?:改|换|调|变|设)(?:成|为|到|用)?")
_NUMBER = re.compile(rf"第({amounts.NUMBER})(?:条|个|项)|(?:^|[^\d])(\d{{1,3}})(?:号|条)")
_CORRECT = re.compile(
    r"^是[^,]{1,8}不是|^(?:不|no)[,，]我(?:要|想要|说)|^(?:又|还是|都|这|你|怎么又?|不是吧)*(?:不对|错了|弄错|搞错|记错|发错|用错|选错|做错|理解错|听错|看错|不是这|不是那|不是我(?:要|想|说)|不是的|不该|错啦)"
    r"|(?:又|还是|还|都|全|给|记|发|用|选|搞|弄|做|理解|听|写|给我|模板|渠道|格式|图表?|时间|人|地方)(?:是)?(?:搞|弄|发|用|选|记)?(?:错|不对)(?:了|人|地方|模板|群|$|,|。)|不是这(?:个|种|样|份|条|版|风格|模板)|我(?:说|要|想要|指)的(?:不|是|明明)|怎么又|又(?:给我|发|用|变|忘)[^,]{0,6}了|不是让你|我不是(?:说|让|告诉|跟你)|明明说|说过(?:了|多少)|模板不对|不是说(?:了|好)|你(?:又|怎么)[^,]*错|应该是[^,]*(?:不是|才对)|不是[^,]{1,10}(?:,|而)?(?:是|应该是)[^,]{1,10}$"
)
_CONSENT = re.compile(
    r"隐私(?:设置|选项|权限|开关|偏好)|(?:不要|别|停止|不许|禁止|不用|关闭|关掉|停用|暂停|不想让你|不希望你)(?:再|继续|你|让你)*(?:记住|记录|记|收集|学习|跟踪|分析|保存|存储|记下)+(?:我的?|关于我的?|任何)*(?:任何)?(?:偏好|习惯|东西|信息|行为|数据|操作|所有|一切|任何|个人)+|(?:打开|开启|启用|关闭|关掉|停用|停止|允许|同意|授权|禁止|取消授权|撤回授权|撤回同意)(?:你)?(?:记住|学习|记忆|收集|记录|使用)?(?:我的?)?(?:偏好|习惯|记忆|学习|多设备|工作习惯|基础偏好|记忆功能|偏好记忆|数据授权)(?:功能|记忆|学习|开关|吧|了|$)|(?:允许|同意)(?:你)?(?:记住|学习|记录)|(?:停止|别)学习|(?:以后|今后)(?:都)?别(?:再)?记(?:我|任何)(?:的)?(?:东西|信息|任何)"
)
_LINK = re.compile(
    r"(?:绑定|关联|连接|打通|绑一?下|解绑|解除绑定|link)[^,]{0,8}(?:账号|帐号|飞书|企业?微信?|企微|wecom|feishu|设备|手机|短信|邮箱|$)|^(?:绑定|关联)|绑定码|验证绑定|换(?:个)?账号"
)
_HELP = re.compile(
    r"^(?:/)?(?:帮助|help|使用说明|说明|怎么用|功能|菜单|新手)|(?:你|机器人|这|记得)(?:能|会|可以|都能|还能)(?:做|干|帮)?(?:什么|啥|哪些)|怎么(?:使用|用你|设置|操作|改|换|让你)|使用方法|有什么功能|有哪些功能|你是谁|介绍一下(?:你|自己)"
)


@dataclass
class Command:
    """An intent about memory, with what it is about."""

    intent: Intent
    about: tuple[str, ...] = ()
    slots: dict[str, Value] = field(default_factory=dict)


def command_of(reading: Reading, grammar: Grammar, *, is_statement: bool, has_cue: bool) -> Command | None:
    """The command that a text gives, or None. `is_statement`: it states lasting preferences, which outweighs a
    command that merely shares its words (以后不用表格了，换回列表)."""
    text = reading.plain
    about = keys_named(reading, grammar)
    if _CONSENT.search(text) and not is_statement:
        return Command("consent", about, _switch(text))
    if _LINK.search(text) and not reading.is_question and not is_statement:
        return Command("link", (), _numbered(text))
    if is_statement and (has_cue or not (_FORGET.match(text) or _DROPPED.search(text))):
        return None
    if (match := _EDIT.search(text)) and not reading.is_question:
        return Command("edit", about, {"number": amounts.number(match[1]) or 0})
    if _restores(reading):
        return Command("restore", about, _kind_slots(reading, grammar))
    if _forgets(reading, about, grammar):
        return _forget(reading, about, grammar)
    return None


def question_of(reading: Reading, grammar: Grammar) -> Command | None:
    """What a question, or a request to see, asks about memory; other questions are for help."""
    text = reading.plain
    about = keys_named(reading, grammar)
    slots = _kind_slots(reading, grammar)
    if _WHY.search(text) and (about or re.search("你|用|发|选|是", text)) and not re.search(r"怎么又|不是让你", text):
        return Command("explain", about, slots)
    if _LIST.search(text):
        return Command("list", about, {**slots, **({"export": True} if _EXPORT.search(text) else {})})
    if not reading.is_question:
        return Command("help") if _HELP.search(text) else None
    if _OWN.search(text) and "我" in text and not re.search(r"(?<!开)会(?!议)|能|可以|如果|假如", text):
        return Command("recall", about, slots)
    return Command("help", about, slots)


def is_complaint(reading: Reading) -> bool:
    """Whether the text repeats one's own instruction in anger: 不是让你…吗, 我不是说了吗."""
    return cues.REPETITION.search(reading.plain) is not None


def is_correction(reading: Reading) -> bool:
    return _CORRECT.search(reading.plain) is not None


def keys_named(reading: Reading, grammar: Grammar) -> tuple[str, ...]:
    """The keys that a text names, by their words or by one of their values."""
    named = dict.fromkeys(
        meaning.of
        for clause in reading.clauses
        for token in clause.tokens
        for meaning in token.meanings
        if meaning.kind in ("key", "value") and _is_key_here(meaning.of, meaning.kind, clause, reading, grammar)
    )
    return tuple(named)


def _is_key_here(key: str, kind: str, clause: Clause, reading: Reading, grammar: Grammar) -> bool:
    if kind == "value":
        named = grammar.catalog.keys[key].named
        return not named or grammar.named[key].search(reading.plain) is not None
    return True


def _kind_slots(reading: Reading, grammar: Grammar) -> dict[str, Value]:
    slots: dict[str, Value] = {}
    for clause in reading.clauses:
        for token in clause.tokens:
            meaning = token.find("task")
            if meaning is not None and meaning.id:
                slots[grammar.catalog.tasks[meaning.of].kind_slot] = meaning.id
    return slots


def _numbered(text: str) -> dict[str, Value]:
    match = re.search(r"(?<!\d)\d{6}(?!\d)", text)
    return {"code": match[0]} if match else {}


def _switch(text: str) -> dict[str, Value]:
    """Which way a consent switch is to go; nothing when only its settings are asked for."""
    off = re.search(r"不要|别|停|不许|禁止|不用|关|不想|不希望|取消|撤回", text)
    on = re.search(r"打开|开启|启用|允许|同意|授权", text)
    which = "patterns" if re.search(r"习惯|学习", text) else "devices" if "设备" in text else "preferences"
    if not off and not on:
        return {}
    return {"switch": which, "on": not off}


def _restores(reading: Reading) -> bool:
    text = reading.plain
    if reading.is_question or not _RESTORE.search(text) or not _RESTORE_OBJECT.search(text):
        return False
    return not any(clause.is_once and _RESTORE.search(clause.text) for clause in reading.clauses)


def _forgets(reading: Reading, about: tuple[str, ...], grammar: Grammar) -> bool:
    text = reading.plain
    if reading.is_question and not any(clause.is_request for clause in reading.clauses):
        return False
    if not _FORGET.search(text) or _NOT_FORGET.search(text):
        return False
    has_object = (
        re.search(_MEMORY, text)
        or about
        or re.search(r"第[^,]{1,3}条|那条|这条|所有|一切|刚才|记|存|知道的|关于我", text)
    )
    return bool(has_object) and not (_TODO_OBJECT.search(text) and not re.search(r"偏好|记忆|记住|设置|习惯", text))


def _forget(reading: Reading, about: tuple[str, ...], grammar: Grammar) -> Command:
    text = reading.plain
    slots = _kind_slots(reading, grammar)
    if match := _NUMBER.search(text):
        slots["number"] = amounts.number(match[1] or match[2]) or 0
        return Command("forget", (), slots)
    if not about and (_ALL.search(text) or re.search(r"(?:我的?|我所有的)(?:偏好|记忆|设置|数据|习惯)", text)):
        return Command("forget", ("all",), slots)
    if not about:
        slots["text"] = text
        return Command("forget", ("note",), slots)
    return Command("forget", about, slots)
