"""Free notes: what 记住 asks to keep and the catalog cannot say, and standing wishes about the bot's own conduct."""

from __future__ import annotations

import re

from bot.understanding import cues
from bot.understanding.clauses import Clause, Reading
from bot.understanding.texts import note_asked

_WISH = re.compile(r"别|不要|不用|不许|少|请|要|都|得|给我|帮我|用|先|只|不看|避开|改|换|加|带|放|叫|算|按|留")
_CONDUCT = re.compile(
    r"回复|回答|消息|推送|推|提醒|通知|表情|emoji|称呼|语音|格式|字体|字号|行程|订餐|点餐|订饭|外卖|订票|酒店|机票|高铁|座位|汇报|打扰|打电话|@|艾特|开头|结尾|附件|标题|摘要|总结|纪要|文案|日程|会议室|排期|抄送|安排|错别字|打招呼|寒暄|编号|单位|小数|货币|时区|日期|数据|截图|链接|翻译"
)
_SECRET = re.compile(
    r"\d[\d \-]{4,}\d|密码|口令|验证码|身份证|银行卡|卡号|护照|通行证|车牌|token|api.?key|密钥|手机号|［[^］]+］|\[[^\]]{2,6}号?\]"
)
_DICTATED = re.compile(r"(?:记|录)(?:一下|下|个)?(?:会议|笔记|纪要|内容|流水|账|要点|数据)")
_FROM_NOW_ON = re.compile(r"以后|今后|往后|永远|默认|记住|从|起|一律|凡是|统一|都这样|每次.*(?:给我|帮我|你)")
_WHILE = re.compile(r"的时候|期间|时间|之前|之后|(?:会|班|课|饭)[前后时]")
_MUTED = re.compile(r"(?:不要|别|不用|勿|不许)(?:再)?(?:给我|跟我|来|随便|乱)?(?:推|发|打扰|提醒|通知|吵|响|弹|催|找)")


def note_of(text: str, reading: Reading) -> str | None:
    """The sentence, when it is to be kept as a note; None when nothing of it is."""
    counting = [clause for clause in reading.clauses if clause.counts]
    if (
        _SECRET.search(reading.plain)
        or _SECRET.search(text)
        or _DICTATED.search(reading.plain)
        or reading.is_question
        or not counting
    ):
        return None
    if cues.NO_CUE.search(reading.plain) or cues.VENTING.search(reading.plain):
        return None
    asked = note_asked(text)
    if asked is not None:
        return asked if counting[0] is reading.clauses[0] else None
    return text.strip() if any(_is_standing_wish(clause, counting) for clause in counting) else None


def _is_standing_wish(clause: Clause, counting: list[Clause]) -> bool:
    if cues.FUTURE_ME.search(clause.text) or clause.is_once:
        return False
    always = any(_FROM_NOW_ON.search(one.text) and one.is_always for one in (clause, *counting))
    if always and _WISH.search(clause.text) and _CONDUCT.search(clause.text):
        return True
    conditional = any(token.find("scene") for token in clause.tokens) or _WHILE.search(clause.text) is not None
    return conditional and _MUTED.search(clause.text) is not None
