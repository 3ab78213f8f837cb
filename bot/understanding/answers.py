"""Short answers: yes, no, and the choice of a value."""

from __future__ import annotations

import re

_YES = (
    "是的|是啊|是|对的|对|好的|好啊|好嘞|好滴|好哒|好|可以的|可以|行的|行|嗯嗯|嗯|恩|哦|没问题|没错|没意见|确认|确定|继续|同意|允许|当然|必须的|必须|就这样|就这么办|就这么定|就它|"
    "记住|记下来|记下|记吧|记上|存吧|存下来|保存|永久保存|永久|可|得|成|中|ok|okay|okk|oki|yes|yep|yeah|y|sure|go|fine|confirm|好呀|妥|收到|改吧|换吧|替换|覆盖|更新|开始|"
    "现在开始|发吧|麻烦你?|谢谢你?|谢了|多谢|辛苦|要的|要|需要|想|愿意|听你的|按你说的|照做|行得通|可行|准|批准|1|👌|👍|🆗|✅|💯|🙆|👌🏻|以后都这样|都这样|一直这样|那就这样|这样"
)
_NO = (
    "(?:不用|不要|别|不必|先别|甭)(?:再)?(?:记住?|存|保存|改|换|管|动|问|发|麻烦)|不用|不要|不必|不需要|不了|不行|不可以|不同意|不对|不是|不记|不想|不|算了|先不用?|先别|先不要|暂不|暂时不|别记|别存|别改|别|否|取消|免了|拒绝|没必要|甭|作罢|罢了|拉倒|停|no|nope|nah|n|cancel|stop|never mind|nevermind|"
    "先这样|再(?:想想|看看|考虑|等等|议)|考虑一下|想想|再说吧?|下次再说|以后再说|回头再说|改天再说|下次|改天|不改|不换|不存|保持原样|保持不变|维持原样|唔使|唔好|唔要|❌|🙅|👎|不允许|不继续|不确认|不保存|不好|放弃|跳过"
)
_SOFT = r"(?:[的了吧啊呀哦呢啦哈嘛呗哟咯哒,。.!~、 \s?]|谢谢|谢了|多谢|先|就|那|请|还是|暂时|目前|这个|它|帮我|给我|我|下来|一下|掉|吧)*"
_AGREES = re.compile(rf"{_SOFT}(?:(?:{_YES}){_SOFT})+")
_DECLINES = re.compile(rf"{_SOFT}(?:(?:{_NO}){_SOFT})+(?:(?:{_YES})?{_SOFT})?")
_DECLINES_FIRST = re.compile(rf"{_SOFT}(?:{_NO})[了的吧啊呀啦呢]*(?:[,。.!~、 ]|$)")
_DENIES_MEMORY = re.compile(
    r"(?:不要|别|不用|不必|先别|不需要|甭|先不|不想)(?:再|帮我|给我|你|让你)?(?:记住|记|存|保存|记录|记下来)(?:这个|这条|它|了|吧|这些|这次的?|下来|啊|哦|这)*$"
)
_CODE = re.compile(r"(?<!\d)\d{6}(?!\d)")
LONGEST = 24


def is_yes(text: str) -> bool:
    """继续, 好的, ok 👌, 是的，永久保存."""
    return len(text) <= LONGEST and _AGREES.fullmatch(text) is not None


def is_no(text: str) -> bool:
    """算了, 不用啦，下次再说, 不要记住这个."""
    if len(text) > LONGEST:
        return False
    return _DECLINES.fullmatch(text) is not None or _DENIES_MEMORY.search(text) is not None


def starts_with_no(text: str) -> bool:
    """不用，只是偶尔用: a no and a reason."""
    return _DECLINES_FIRST.match(text) is not None


def link_code(text: str) -> str | None:
    """The six digits of a link code, when they are all that is said."""
    stripped = text.strip(" 。.,!")
    return stripped if _CODE.fullmatch(stripped) else None
