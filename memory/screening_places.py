"""Where a person can be reached or found: e-mail addresses and postal addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.screening_text import BLANK, Found

_EMAIL = re.compile(
    r"(?i)(?<![A-Za-z0-9._%+\-])(?P<local>[A-Za-z0-9._%+\-]{1,64})\s?(?:@|[\[(（]at[\])）]|\s(?:at|艾特)\s)\s?"
    r"(?P<host>(?:[A-Za-z0-9\-]{1,63}(?:[.。]|\s?[\[(（]dot[\])）]\s?|\s(?:dot|点)\s)){1,5}[A-Za-z]{2,18})(?![A-Za-z0-9\-@])"
)
_NOT_MAIL = re.compile(r"(?i)(?:ssh|scp|sftp|rsync|git clone|://\S{0,80})\s?(?:-\w\s?\S{0,20}\s)?$")

_NUM = r"[0-9零〇一二三四五六七八九十百千两甲乙丙丁A-Za-z]"
_HAN = r"[一-龥]"
_PART = r"(?:号院|号楼|号|弄|支弄|栋|幢|座|单元|室|楼|层|房|户|组|门)"
_CHAIN = re.compile(
    rf"{_NUM}{{1,7}}(?:-[0-9]{{1,4}})?\s?{_PART}"
    rf"(?:[\s,，\-]?(?:{_HAN}{{2,10}}?)?[\s\-]?{_NUM}{{1,6}}(?:[\-－][0-9]{{1,4}}){{0,2}}\s?{_PART}){{0,6}}"
    rf"(?:[\s,，\-]?(?:{_HAN}{{2,8}}?)?[\s\-]?[0-9]{{2,4}}(?![0-9A-Za-z年月日点元:]))?"
)
_BACK = 56
_BREAK = re.compile(rf"[。；！？!?;\n{BLANK}]")
_ADDRESS_WORD = re.compile(
    r"(?i)住址|地址|住在|家在|我住|家住|住的|我家|收货|寄|送到|收件|户籍|户口|籍贯|老家|address|邮到|住所|居住|上门"
)
_INTRO = re.compile(
    r"(?i)(?:住址|地址|住在|家在|我住|家住|我家|收货人?|寄到|寄往|寄给|快递寄|寄|送到|邮到|收件人?|户籍|籍贯|老家|address|在|是|为|到|至|去|[:,，、】)])\s?"
)
_ROAD = re.compile(
    rf"(?:{_HAN}|[A-Za-z0-9]){{1,10}}(?:大道|大街|路|街|道|巷|胡同|弄|里|径|条|村|庄|屯|工业园|园区|科技园|产业园|开发区)(?:[东西南北中]?{_NUM}{{0,2}}[段路])?(?:门牌)?\s?[,，]?$"
)
_ADMIN = re.compile(
    rf"{_HAN}{{1,7}}?(?:省|自治区|特别行政区|自治州|(?<![城上超都夜门股闹集菜])市(?!场|面|值)|(?<![园小社地校厂景战片营灾时专分])区(?![域块间分别])|县(?!城)|新区|街道|镇|乡)|"
    r"(?:北京|上海|天津|重庆|香港|澳门|九龙|新界|广州|深圳|杭州|南京|成都|武汉|苏州|西安)(?!路|街|道|大道|[东西南北中]路)"
)
_HOME = re.compile(
    rf"{_HAN}{{2,10}}(?:小区|花园|苑|公寓|家园|新村|社区|宿舍|雅居|名邸|府邸|别墅|豪庭|华庭|嘉园|佳苑|里弄)(?:{_NUM}{{1,2}}期|[东西南北]区)?\s?[,，]?$"
)
_BUILDING = re.compile(
    rf"{_HAN}{{2,12}}(?:大厦|大楼|广场|中心|科技园|产业园|园区|园|城|庭|府|湾|湖|居|轩|阁|里|坊|邸|村|苑|座|国际|公馆|新城)(?:{_NUM}{{1,2}}期)?\s?[,，]?$"
)
_UNIT = re.compile(r"栋|幢|座|单元|室|号楼|号院|层|楼|房|户|[A-Za-z]?[0-9]{3,4}$")
_DWELLING = re.compile(r"单元|室|户|栋|幢|(?<=[号栋幢座楼])[A-Za-z]?[0-9]{3,4}$")
_BUSINESS = re.compile(r"\s?(?:门?店|馆|展[位厅台]|会场|会议室|会议|分公司|营业|网点|举行|举办|召开|开会)")
_ENGLISH = re.compile(
    r"(?:(?:Room|Rm\.?|Flat|Apt\.?|Unit|Suite|No\.?|Lane|Building|Bldg\.?|Floor)\s?#?[A-Z]?[0-9]{1,5}[A-Z]?[\s,，]{1,3}){1,4}"
    r"(?:[A-Za-z0-9'.]{1,20}[\s,，]{1,3}){0,6}(?:Road|Rd\.?|Street|St\.|Avenue|Ave\.?|Lane|Boulevard|Blvd\.?)(?:[\s,，]{1,3}[A-Z][A-Za-z']{1,20}){0,8}"
)


def find_emails(text: str) -> Iterator[Found]:
    for match in _EMAIL.finditer(text):
        spelled = re.search(r"(?i)\bat\b", text[match.end("local") : match.start("host")])
        if spelled and not re.search(r"(?i)dot|点|\.(?:com|cn|net|org)", match["host"]):
            continue
        repository = match["local"].lower() == "git" and text[match.end() : match.end() + 1] in (":", "/")
        if not repository and not _NOT_MAIL.search(text[max(0, match.start() - 90) : match.start()]):
            yield Found("email", *match.span())


def find_addresses(text: str) -> Iterator[Found]:
    for chain in _CHAIN.finditer(text):
        start = _address_start(text, chain)
        if start is not None:
            yield Found("address", start, chain.end())
    for match in _ENGLISH.finditer(text):
        yield Found("address", *match.span())


def _address_start(text: str, chain: re.Match[str]) -> int | None:
    """Where the address that ends with this chain of numbers (1288弄16号602室) begins; `None` when it is none."""
    from_ = max(0, chain.start() - _BACK)
    before = _BREAK.split(text[from_ : chain.start()])[-1]
    offset = chain.start() - len(before)
    named = bool(_ADDRESS_WORD.search(before))
    place = before[_intro_end(before) :]
    offset += len(before) - len(place)
    road, home, building = _ROAD.search(place), _HOME.search(place), _BUILDING.search(place)
    admin = _ADMIN.search(place)
    if not named and _BUSINESS.match(text, chain.end()):
        return None
    number, unit = re.search(r"[号弄组]", chain[0]), _UNIT.search(chain[0])
    dwelling = len(_DWELLING.findall(chain[0]))
    fits = (
        (road and number and (admin or named or dwelling))
        or (admin and (road or home or building) and unit)
        or (named and (home or building or road) and unit)
        or (home and dwelling >= 2)
    )
    if not fits:
        return None
    begins = [match.start() for match in (admin, road, home, building) if match]
    return offset + min(begins)


def _intro_end(before: str) -> int:
    """The end of the last introducing word (住在, 寄到, ：) that still leaves the place its name."""
    ends = [match.end() for match in _INTRO.finditer(before)]
    return next(
        (end for end in reversed(ends) if _ADMIN.search(before, end)),
        max((e for e in ends if len(before) - e >= 3), default=0),
    )
