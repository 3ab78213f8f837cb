"""Passports, travel permits, regional identity cards and number plates: short codes with a word or a shape of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.screening_text import Found

_GAP = r"[^\n。；！？!?;A-Z0-9]{0,12}?"
_DIGITS = r"(?:[ \-.]?[0-9])"
_DATE = r"(?!(?:19|20)[0-9]{2}[01][0-9][0-3][0-9](?![0-9]))"

DOCUMENTS: tuple[tuple[str, str, str], ...] = (
    # kind, the words beside it, the code
    (
        "taiwan_permit",
        r"台胞[证號号]?|台湾居民[^\n]{0,4}通行证|台湾通行证|往来台湾[^\n]{0,4}|大陆通行证|入台证|taiwan\s?(?:compatriot\s)?permit|mtp",
        rf"(?:[LTA-Z][ \-]?{_DIGITS}{{8,10}}|{_DATE}[0-9]{_DIGITS}{{7,9}}(?:[ \-]?\(?[A-Z0-9]{{1,2}}\)?)?)",
    ),
    (
        "hk_macau_permit",
        r"港澳[^\n]{0,6}通行证|通行证[^\n]{0,2}港澳|回乡[证卡]|往来港澳[^\n]{0,4}|港澳[证号]|(?<!台湾)通行证|港澳居民[^\n]{0,8}通行证|home\s?(?:return|visit)\s?permit|(?:hk|hong\s?kong)[^\n]{0,12}permit",
        rf"(?:[CWHM][ \-]?(?:[A-Z][ \-]?)?{_DIGITS}{{7,10}})",
    ),
    (
        "passport",
        r"护照|passport",
        rf"(?:[A-Z]{{1,2}}[ \-]?[0-9]{_DIGITS}{{6,8}}|{_DATE}[0-9]{_DIGITS}{{8}})",
    ),
    (
        "id_card",
        r"(?:香港|澳门|台湾|hk|hong\s?kong|macau|taiwan)[^\n]{0,6}(?:身份证|证件|id\b)|hkid|身份证字号|身份证",
        r"(?:[A-Z]{1,2}[0-9]{6}\s?[(（]?[0-9A][)）]?|[A-Z][12489][0-9]{8}|[157][0-9]{6}[(（][0-9][)）])",
    ),
)
_WORD_FIRST = tuple(
    (
        kind,
        re.compile(
            rf"(?i)(?:{words})(?:no\.?|number|num|is|号码?|[^\n。；！？!?;A-Za-z0-9]|\s){{0,12}}?(?<![A-Za-z0-9])(?P<code>{code})(?![A-Za-z0-9])"
        ),
    )
    for kind, words, code in DOCUMENTS
)
_CODE_FIRST = tuple(
    (
        kind,
        re.compile(
            rf"(?i)(?<![A-Za-z0-9])(?P<code>{code})\s?(?:是|就是|为|is|,|，|[(（【])?\s?(?:我|你|他|她|咱们?|这个?|新|旧|的|my|the|\s){{0,4}}(?:{words})"
        ),
    )
    for kind, words, code in DOCUMENTS
)

_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_DOT = r"[ ·.\-]{0,3}"
_TAIL = rf"(?:[A-Z0-9]{_DOT}[A-Z0-9]{{3}}[学挂警领港澳试超]|[A-Z0-9]{{5}}[A-Z0-9]?|[A-Z0-9]{{2,3}}[ \-·][A-Z0-9]{{2,4}})(?![A-Za-z0-9])"
_PLATE = re.compile(rf"(?i)(?P<province>[{_PROVINCES}])[\s\-·]?(?P<letter>[A-Z])(?P<dot>{_DOT})(?P<tail>{_TAIL})")
_OTHER_PLATES = re.compile(
    rf"(?i)(?<![A-Za-z0-9])(?:WJ{_DOT}[{_PROVINCES}]?{_DOT}[0-9]{{4}}[0-9A-Z](?![A-Za-z0-9])|使{_DOT}[0-9]{{3}}{_DOT}[0-9]{{3}}(?![0-9])"
    rf"|(?<![0-9])[0-9]{{3}}{_DOT}[0-9]{{3}}使(?![用得者])|[{_PROVINCES}]{_DOT}[0-9]{{6}}领|民航{_DOT}[A-Z0-9]{{5}}(?![A-Za-z0-9]))"
)
_BARE_PLATE = re.compile(
    rf"(?i)(?:车牌号?码?|车号|牌照)[\s:是为叫的新]{{0,6}}(?P<code>[A-Z]{_DOT}(?=[A-Z]{{0,4}}[0-9])[A-Z0-9]{{5,6}})(?![A-Za-z0-9])"
)
_PLATE_WORD = re.compile(r"车|牌|停|驾|开|限行|违章|plate|etc|car", re.IGNORECASE)
_INSIDE_A_WORD = re.compile(
    r"(?:[更最全刷创重崭]新|[里为讯度东山动翼私公有]云|[昂宝富名]贵|[年知]青|[安辽西南济]宁|[银四]川|北京|南京|[安]吉)$"
)
_NOT_A_PLATE = re.compile(r"\s?(?:版|型|款|系列|轮|股|基金|号楼|座|栋|项目|方案|元|批)")


def find_documents(text: str) -> Iterator[Found]:
    for table in (_WORD_FIRST, _CODE_FIRST):
        for kind, pattern in table:
            for match in pattern.finditer(text):
                yield Found(kind, *match.span("code"))


def find_plates(text: str) -> Iterator[Found]:
    for match in _PLATE.finditer(text):
        if _is_plate(match):
            yield Found("plate", *match.span())
    for match in _OTHER_PLATES.finditer(text):
        yield Found("plate", *match.span())
    for match in _BARE_PLATE.finditer(text):
        yield Found("plate", *match.span("code"))


def _is_plate(match: re.Match[str]) -> bool:
    text = match.string
    tail = re.sub(r"[^A-Za-z0-9]", "", match["tail"])
    if sum(map(str.isdigit, tail)) < 2:
        return False
    before, after = text[max(0, match.start() - 12) : match.start()], text[match.end() : match.end() + 4]
    if _PLATE_WORD.search(before) or "·" in match["dot"]:
        return True
    return not _INSIDE_A_WORD.search(before + match["province"]) and not _NOT_A_PLATE.match(after)
