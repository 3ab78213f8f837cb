"""Numbers that identify a person: telephones, resident ids, bank cards, told by digits, checksum and what stands around."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from memory.screening_text import SEPARATOR, Found

LONGEST = 20
_RUN = re.compile(rf"[0-9]+(?:{SEPARATOR}[0-9]+)*+")
_GROUP = re.compile(r"[0-9]+")
_BEFORE, _AFTER = 28, 12  # how much of the neighbourhood is read

_LINK = (
    r"(?:[\s:=#\"'“「(（.+,，]|号码?|编号|代码|码|id\b|no\b|number|num\b|是|为|叫|係|系|等于|就|也|还|改成|改为|换成|换了?|了|用|到|的|我|你|他|她|"
    r"新|从|第|给|打|拨|is\b|to\b|at\b|me\b|on\b)"
)
_COUNTED_LINK = r"(?:[\s:=#\"'“「(（.]|号码?|编号|代码|码|id\b|no\b|number|num\b|是|为|叫|係|等于|有|超过|达到?|从|到|的|第|is\b)"
_PHONE_WORD = re.compile(
    rf"(?:手机|电话|联系方式|联系人|联系|来电|致电|拨打|呼叫|短信|微信(?:同号)?|支付宝|手提|号码|机主|打|拨|座机|固话|传真|热线|家里|办公室"
    rf"|call|phone|mobile|cell|tel|sms|whatsapp|wechat|fax|landline){_LINK}{{0,8}}$",
    re.IGNORECASE,
)
_LANDLINE_WORD = re.compile(
    rf"(?:座机|固话|固定电话|电话|传真|办公室|家里|公司|\btel|\bphone|\bfax|landline){_LINK}{{0,8}}$", re.IGNORECASE
)
_ID_WORD = re.compile(
    rf"(?:身份证件?|证件|身份|\bsfz|\bid\s?card|identity(?:\scard)?|居住证|居留证|社保号?|驾照|驾驶证){_LINK}{{0,8}}$", re.IGNORECASE
)
_CARD_WORD = re.compile(
    rf"(?:(?<!会员)(?<!门禁)(?<!充值)(?<!购物)(?<!礼品)(?<!加油)(?<!公交)(?<!电话)(?<!流量)(?<!储值)(?<!考勤)(?<![工房饭点])卡号?|[账帐][号户]|[一-龥]行卡|(?:工商|农业|中国|建设|交通|招商|民生|浦发|兴业|平安|广发|光大|华夏|邮储|邮政|中信|[工农中建交招])银?行|储蓄|借记|信用卡|visa|master(?:card)?|银联|card){_LINK}{{0,8}}$",
    re.IGNORECASE,
)
_COUNTED_WORD = re.compile(
    rf"(?:订单|单|编号|编码|代码|条码|条形码|流水|金额|会议|合同|发票|凭证|快递|运单|包裹|物流|工单|批次|序列|序号|型号|货号|商品|物料|资产|设备|任务|需求"
    rf"|版本|端口|时间戳|房间?|群|会员|门禁|工号|学号|案号|税号|信用|营收|收入|总额|余额|预算|成本|销量|销售额|利润|播放量|阅读量|访问量|[一-龥]数|数量|共|约|达|自增|参考|受理|回执|预约|排队|票|券|采购|案件|申请"
    rf"|(?<![的新旧小大靓我本私人他她你账帐机信宝同话])号码?|\bid|\bsn|\bimei|\biccid|\bqq|\buid|[a-z]id|\bno|\b[ud]au|\bmau|\b[up]v|\bgmv|order|invoice|parcel|tracking|meeting|contract|ticket|issue|bug|build|batch|serial|"
    rf"ref|amount|total|zoom){_COUNTED_LINK}{{0,6}}$",
    re.IGNORECASE,
)
_COUNTED_UNIT = re.compile(
    r"\s?(?:元|块|次|条|个|万|亿|人(?!工)|字|行|件|台|份|票|名|吨|米|开始自增|开始计|起步|自增|的?订单|号(?:订单|工单|单|会议|文件|合同)|单\b"
    r"|%|[kmg]b\b|bytes?\b|ms\b|rmb|cny|usd)",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\s?(?:转|分机号?|ext\.?|extension|x|#|-)\s?[0-9]{1,6}(?![0-9])", re.IGNORECASE)
_REGIONS = re.compile(r"(?:香港|澳门|台湾|海外|hong\s?kong|macau|taiwan|\bhk)[^\d。；！？\n]{0,12}$", re.IGNORECASE)
_PROVINCES = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83".split()
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ISSUERS = {16: ("62", "60", "4", "51", "52", "53", "54", "55", "35"), 15: ("37", "34")}
_COUNTRIES = ("1", "7", "33", "34", "39", "44", "49", "55", "60", "61", "62", "63", "65", "66", "81", "82", "84", "91", "971")
_MASKED = tuple(
    # somebody's number with a part of it hidden: a mention, masked like the others
    (kind, re.compile(rf"(?i){word}{_LINK}{{0,6}}(?P<number>{shape})(?![0-9A-Za-z*])"))
    for kind, word, shape in (
        ("mobile", r"(?:手机|电话|mobile|phone|号码)", r"1[3-9][0-9][*x×•·]{4,8}[0-9]{0,4}"),
        ("id_card", r"(?:身份证|证件|\bsfz)", r"[1-9][0-9]{2,13}[*x×•·]{4,15}[0-9x]{0,4}"),
        ("bank_card", r"(?:银行卡|卡号|工资卡|信用卡|储蓄卡)", r"[3-9][0-9]{3,5}[ ]?(?:[*x×•·]{2,12}[ ]?){1,4}[0-9]{0,4}"),
    )
)


@dataclass(frozen=True)
class Window:
    """Some neighbouring groups of one run of digits: `138` `1234` `5678`."""

    text: str
    start: int
    end: int
    digits: str
    sizes: tuple[int, ...]
    gaps: tuple[str, ...]
    opens_run: bool
    closes_run: bool

    def before(self) -> str:
        return self.text[max(0, self.start - _BEFORE) : self.start]

    def after(self) -> str:
        return self.text[self.end : self.end + _AFTER]

    def stands_alone(self) -> bool:
        """Whether the digits are neither the tail of a word, a path or a decimal, nor the head of one."""
        before, after = self.text[max(0, self.start - 2) : self.start], self.after()
        if re.search(r"[A-Za-z_$¥€£#&]$|[0-9]\.$|[A-Za-z]/$", before):
            return False
        return not re.match(r"[A-Za-z_%]|\.[0-9]", after)

    def counts_something(self) -> bool:
        """Whether the neighbourhood says that this is an order, an amount, a meeting."""
        if _COUNTED_UNIT.match(self.after()):
            return True
        return bool(_COUNTED_WORD.search(self.before()))


def find_numbers(text: str) -> Iterator[Found]:
    """Resident ids, then bank cards, then telephones; each digit belongs to one of them at most."""
    for run in _RUN.finditer(text):
        if sum(map(str.isdigit, run[0])) >= 7:
            yield from _in_run(text, run)
    for kind, pattern in _MASKED:
        for match in pattern.finditer(text):
            yield Found(kind, *match.span("number"))


def _in_run(text: str, run: re.Match[str]) -> Iterator[Found]:
    groups = [group.span() for group in _GROUP.finditer(text, run.start(), run.end())]
    taken: set[int] = set()
    for kind, shape, accept in _NUMBERS:
        first = 0
        while first < len(groups):
            last = _last(text, groups, first, shape, accept, taken)
            if last is None:
                first += 1
                continue
            taken.update(range(first, last))
            start, end = groups[first][0], groups[last - 1][1]
            yield _whole(text, kind, start, end)
            first = last


def _last(
    text: str,
    groups: list[tuple[int, int]],
    first: int,
    shape: re.Pattern[str],
    accept: Callable[[Window], bool],
    taken: set[int],
) -> int | None:
    """The end of the longest acceptable window that begins with the group `first`."""
    best = None
    digits = ""
    for last in range(first, min(len(groups), first + LONGEST)):
        digits += text[slice(*groups[last])]
        if last in taken or len(digits) > LONGEST:
            break
        if not shape.fullmatch(digits):
            continue
        part = groups[first : last + 1]
        window = Window(
            text,
            part[0][0],
            part[-1][1],
            digits,
            tuple(end - start for start, end in part),
            tuple(text[one[1] : two[0]] for one, two in zip(part, part[1:], strict=False)),
            first == 0 or first - 1 in taken,
            last == len(groups) - 1,
        )
        if accept(window):
            best = last + 1
    return best


def _whole(text: str, kind: str, start: int, end: int) -> Found:
    """The number with its plus sign, bracket, check letter or extension."""
    head = re.search(r"[(（]?\+?$", text[max(0, start - 2) : start])
    tail = _EXTENSION.match(text, end) if kind == "landline" else None
    if kind == "id_card":
        tail = re.compile(r"[ \-]?[xX](?![A-Za-z0-9])").match(text, end)
    if head and head[0][:1] in "(（" and not re.search(r"[)）]", text[start:end]):
        head = re.search(r"\+?$", text[max(0, start - 1) : start])
    return Found(kind, start - len(head[0] if head else ""), tail.end() if tail else end)


def _is_resident_id(window: Window) -> bool:
    digits = window.digits
    letter = re.match(r"[ \-]?[xX](?![A-Za-z0-9])", window.after())
    named = bool(_ID_WORD.search(window.before()))
    if len(digits) == 15:
        return named and digits[:2] in _PROVINCES and _is_date("19" + digits[6:12])
    number = digits + "X" if len(digits) == 17 and letter else digits
    if len(number) != 18 or not _is_date(number[6:14]):
        return False
    if named:
        return number[:2] in _PROVINCES or number[0] == "9"
    return number[:2] in _PROVINCES and has_resident_checksum(number)


def has_resident_checksum(number: str) -> bool:
    """ISO 7064 mod 11-2 over the 18 characters of a resident id."""
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()


def _is_date(digits: str) -> bool:
    try:
        born = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return 1880 <= born.year <= 2100


def _is_bank_card(window: Window) -> bool:
    digits = window.digits
    named = bool(_CARD_WORD.search(window.before()))
    issued = digits.startswith(_ISSUERS.get(len(digits), _ISSUERS[16] if len(digits) > 15 else ()))
    if named:
        return (has_luhn(digits) or issued) and not re.match(r"[A-Za-z]", window.after())
    if not (issued and has_luhn(digits) and window.stands_alone()) or window.counts_something():
        return False
    return len(window.sizes) == 1 or (window.opens_run and (max(window.sizes) >= 6 or window.sizes[:3] == (4, 4, 4)))


def has_luhn(digits: str) -> bool:
    """Luhn's checksum, as on every bank card."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _is_mobile(window: Window) -> bool:
    before = window.before()
    abroad = _is_abroad(window)
    local = re.sub(r"^(?:00)?86(?=1)", "", window.digits)
    regional = _REGIONS.search(before) and re.fullmatch(r"[569]\d{7}|09\d{8}", window.digits)
    taiwanese = re.fullmatch(r"09\d{8}", window.digits) and _PHONE_WORD.search(before)
    if not (abroad or regional or taiwanese or re.fullmatch(r"1[3-9]\d{9}", local)):
        return False
    if _PHONE_WORD.search(before) and not _COUNTED_UNIT.match(window.after()):
        return True
    prefixed = abroad or local != window.digits
    return (window.stands_alone() or before.endswith("+")) and not window.counts_something() and (prefixed or _is_grouped(window))


def _is_grouped(window: Window) -> bool:
    """Whether the groups are those of a telephone number and not of a list, an amount or an address."""
    if len(window.sizes) == 1:
        return True
    marks = {gap.strip() for gap in window.gaps}
    if not (window.opens_run and (window.closes_run or " " not in window.gaps)):
        return window.sizes == (3, 4, 4) and window.text[window.start - 1 : window.start] != "."
    if marks & {",", "，", "、", ".", "/", ";", "；", "_"}:
        return window.sizes in ((3, 4, 4), (3, 3, 5), (3, 8)) and len(marks) == 1 and (len(window.sizes) > 2 or "." not in marks)
    return min(window.sizes[:-1]) >= 3 or set(window.sizes) == {1} or window.sizes == (3, 2, 2, 2, 2)


def _is_abroad(window: Window) -> bool:
    """+852 6…, 00853 6…, +886 9…, or another country's number after a plus sign."""
    digits = window.digits.removeprefix("00")
    plus = window.text[max(0, window.start - 1) : window.start] == "+" or digits != window.digits
    if re.fullmatch(r"852[5679]\d{7}|8536\d{7}|8860?9\d{8}", digits):
        return plus or window.sizes[0] == 3 or bool(_PHONE_WORD.search(window.before()))
    if digits.startswith(("86", "852", "853", "886")):
        return False
    return plus and digits == window.digits and 10 <= len(digits) <= 13 and digits.startswith(_COUNTRIES)


def _is_landline(window: Window) -> bool:
    before = window.before()
    if not window.stands_alone() and not before.endswith("+") and not _LANDLINE_WORD.search(before):
        return False
    digits = re.sub(r"^(?:00)?860?(?=10|[2-9])", "0", window.digits)
    named = bool(_LANDLINE_WORD.search(before))
    if re.fullmatch(r"(?:00)?85[23][23]\d{7}|(?:00)?886[2-8]\d{7,8}", window.digits):
        return before.endswith("+") or named or window.digits.startswith("00")
    if re.fullmatch(r"[2-8]\d{6,7}", digits) and digits == window.digits:
        return named and window.opens_run and window.sizes in ((7,), (8,), (4, 4), (3, 4)) and not _COUNTED_UNIT.match(window.after())
    if named and re.fullmatch(r"0[2-8][2-8]\d{6,7}", digits) and window.opens_run:
        return True
    if not re.fullmatch(r"0(?:10|2\d)[2-8]\d{7}|0[3-9]\d{2}[2-8]\d{6,7}", digits):
        return False
    if named:
        return not _COUNTED_UNIT.match(window.after())
    area = 3 if digits[1] in "12" else 4
    split = digits != window.digits or (window.sizes[0] == area and len(window.sizes) <= 3)
    return split and window.opens_run and not window.counts_something()


_NUMBERS: tuple[tuple[str, re.Pattern[str], Callable[[Window], bool]], ...] = (
    ("id_card", re.compile(r"[1-9]\d{5}(?:18|19|20)\d\d[01]\d[0-3]\d{4,5}|[1-9]\d{7}[01]\d[0-3]\d{4}"), _is_resident_id),
    ("bank_card", re.compile(r"[3-9]\d{12,18}"), _is_bank_card),
    ("mobile", re.compile(r"(?:00)?(?:86)?1[3-9]\d{9}|(?:00)?8\d{10,12}|[569]\d{7}|09\d{8}|1[2-9]\d{8,11}|[2-9]\d{9,12}"), _is_mobile),
    ("landline", re.compile(r"0[1-9]\d{7,11}|(?:00)?8[568]\d{8,12}|[2-8]\d{6,7}"), _is_landline),
)
