"""What a catalog's words look like in a sentence: one set of compiled patterns for each catalog."""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from bot.understanding.lexicon import GAP, Lexicon, gapped, is_schedule
from memory.catalog import Catalog, Key

# A value counts when a verb or the key's own word governs it…
VERBS = [
    "发到",
    "认",
    "整",
    "更新成",
    "更新为",
    "到",
    "改回",
    "改成",
    "改为",
    "改用",
    "改到",
    "换成",
    "换回",
    "换到",
    "换为",
    "变成",
    "变为",
    "调成",
    "调到",
    "调为",
    "设成",
    "设为",
    "设置为",
    "设置成",
    "设到",
    "切到",
    "切换到",
    "切成",
    "切换成",
    "切回",
    "回到",
    "恢复成",
    "使用",
    "采用",
    "选用",
    "选择",
    "选定",
    "优先",
    "首选",
    "默认",
    "统一",
    "习惯",
    "偏好",
    "偏爱",
    "喜欢",
    "倾向",
    "青睐",
    "爱用",
    "爱看",
    "只看",
    "只收",
    "只要",
    "通过",
    "弄成",
    "搞成",
    "做成",
    "用",
    "选",
    "换",
    "改",
    "成",
    "为",
    "以",
    "按",
    "是",
    "要",
    "爱",
    "看",
    "收",
    "来",
    "给我",
    "拿",
    "上",
    "=",
    "尽量",
    "更",
    "稍微",
    "都",
    "全",
    "就",
    "一律",
    "全部",
    "保持",
    "统统",
]
_FILL = (
    r"(?:到|在|成|为|回|用|给|我们|我的|我|自己的?|一下|一个|一份|一张|个|份|张|那个|这个|那种|这种|那套|那版|那份|那|的|了|更|比较|最|点儿?|些|通过|都|只|"
    r"全部|全|就|是|种|所有的?|,|:|纯|会|请|先|还是|变|得|尽量|稍微|再|一律|统一|直接|以|往|去|要|来|使用|微信|电脑|东西|文字|材料|话|回答|回复|内容|重点|以后|默认|下|改|换|手机|公司|工作|上面|放在?|比较)*"
)
_NOT = r"(?:不要|不用|不想|不需要|不必|不再|不许|不喜欢|不爱|不看|不收|不是|不太|别|甭|勿|莫|少|禁止|拒绝|讨厌|烦|受不了|看不惯|看腻了?|停止|取消|没让你|不)"
_NOT_FILL = r"(?:再|老|总|总是|给我|往|在|把|想|要|太|那么|这么|这种|那种|用|看|收|认|整|弄|做|搞|写|说|到|通过|继续|方便|能|好|默认|每次|都|使用|我的|我|显示|的|以|按|喜欢|需要|了|成|去|一?大段|出现|带)*"
# …or when what follows says that it is one.
_ROLES = r"(?:的|版的?|部的?|那个|那套|那种)?(?:形式|格式|模式|样式|方式|风格|版式|版本|排版|主题|界面|展示|展现|显示|呈现|输出|为主|优先|为准|[写说列讲答排]|就行|就好|就可以|就成|就够了?|即可|最好|吧$|可以$|行$|版)"
_OTHER_ROLE = (
    r"(?:群|文档|会议|日历|审批|数据|文件夹|链接|账号|机器人|客户端|登录|有没有|有个|挂|宕|崩|坏了|收不到|打不开|没(?!事)|加了|标题|附件|地址|往来|沟通|提到|怎么|是什么|同事|的?人(?!名)|部门的|签名|权限|功能|版本太|程序|聊天"
    r"|的(?:数据|内容|事|消息里|群|文档|会|附件|标题|账号|同事|截图|链接|问题|费用|钱))"
)
_SOURCE = r"的?(?:模板|格式|形式|模式|通知|那个)?(?:全部?|都|统一|给我|,)?(?:改|换|变|调|切|转|设|定|更新)(?:成|为|到|用|回|发|走|掉|$)"
_POOR = r"[^,]{0,2}(?:太|(?:很|好|真|挺)[^,]{0,2}(?:烦|累|乱|慢|丑|吵|麻烦)|不好|看不|看着|累|乱|丑|吵|不方便|不行|看腻|不如|容易|总是|老是|经常|不习惯|读起来|没法|(?:都|就)(?:要(?!用|发|走)|得|会|很|好(?=烦|累|麻|难)|不(?!用|要)|有|让|被|没|慢|头|烦|想|困|累|晕|难|生气|紧张|犯)|挺[^,]{1,4}的|好麻烦|好烦|有点|无聊|麻烦|难看|真的?[烦丑乱])"
_DENIED = r"(?:的?(?:通知|提醒|消息|推送|形式|模板))?(?:就|都|也|那边)?(?:别|不要|不用|甭|不必|不想|不)(?:再)?(?:发|推|用|给|看|要|来|收|了|$)"


class Patterns:
    """The contexts in which one key's values count."""

    def __init__(self, key: Key) -> None:
        verbs = _alternatives(*VERBS, *key.verbs)
        words = _alternatives(*key.words, key.name, gaps=True)
        own_verbs = _alternatives(*key.verbs) if key.verbs else "$^"
        self.governed = re.compile(rf"(?:{verbs}|{words}){_FILL}$")
        self.negated = re.compile(rf"{_NOT}(?:{_NOT_FILL}|{own_verbs})*?(?:{words})?{_NOT_FILL}$")
        self.follows = re.compile(
            rf"{_ROLES}|的?(?:{words})|(?:都|也|各|就|来|上|一直|默认|以后|给我)*(?:{own_verbs})(?!给(?!我))"
        )
        self.words = re.compile(words)
        self.phrases = [
            (choice.id, re.compile(gapped(word)))
            for choice in key.values.values()
            for word in choice.words
            if GAP in word or is_schedule(key)
        ]
        self.own_verbs = re.compile(rf"(?:{own_verbs})")


class Grammar:
    """One catalog's lexicon and patterns."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.lexicon = Lexicon(catalog)
        self.patterns = {key.id: Patterns(key) for key in catalog.keys.values()}
        self.named = {key.id: _naming(key, catalog) for key in catalog.keys.values()}
        self.about_task = {key.id: _about_task(key, catalog) for key in catalog.keys.values()}
        self.phrases = [
            (task, re.compile("|".join(map(gapped, task.phrases)))) for task in catalog.tasks.values() if task.phrases
        ]
        self.adjustable = frozenset(key for task in catalog.tasks.values() for key in task.adjust)

    def is_word(self, text: str) -> bool:
        """Whether the (normalised) text is a word for a value of the catalog."""
        return any(meaning.kind in ("value", "short") for meaning in self.lexicon.words.get(text, ()))


def _naming(key: Key, catalog: Catalog) -> re.Pattern[str]:
    """The words of a key, of the tasks that use it and of the other documents a task scene may be."""
    users = [task for task in catalog.tasks.values() if task.slot(key.id)]
    names = [word for task in users for word in (*task.words, *(w for kind in task.kinds.values() for w in kind.words))]
    documents = [word for scene in catalog.scenes.get("task", {}).values() for word in scene.words]
    return re.compile(_alternatives(*key.words, key.name, *names, *documents))


def _about_task(key: Key, catalog: Catalog) -> re.Pattern[str]:
    """The words of a key and of the only tasks that read it."""
    return re.compile(_alternatives(*key.words, *(word for name in key.tasks for word in catalog.tasks[name].words)))


OTHER_ROLE = re.compile(_OTHER_ROLE)
SOURCE = re.compile(_SOURCE)
POOR = re.compile(_POOR)
DENIED = re.compile(_DENIED)
NOT = re.compile(_NOT)

_grammars: WeakKeyDictionary[Catalog, Grammar] = WeakKeyDictionary()


def grammar_of(catalog: Catalog) -> Grammar:
    """The grammar of a catalog, built the first time it is asked for."""
    found = _grammars.get(catalog)
    if found is None:
        found = _grammars[catalog] = Grammar(catalog)
    return found


def _alternatives(*words: str, gaps: bool = False) -> str:
    """A pattern of any of the words, the longest first; those with a gap only where asked for."""
    chosen = sorted((word for word in set(words) if gaps or GAP not in word), key=len, reverse=True)
    return "|".join(map(gapped, chosen)) or "$^"
