"""A few neighbouring groups of digits, and what the words around them say that they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEFORE, _AFTER = 28, 12  # how much of the neighbourhood is read
LINK = (
    r"(?:[\s:=#\"'“「(（.+,，]|号码?|编号|代码|码|id\b|no\b|number|num\b|是|为|叫|係|系|等于|就|也|还|改成|改为|换成|换了?|了|用|到|的|我|你|他|她|"
    r"新|从|第|给|打|拨|is\b|to\b|at\b|me\b|on\b)"
)
"""What may stand between a word and the number that it speaks of."""

_COUNTED_LINK = (
    r"(?:[\s:=#\"'“「(（.]|号码?|编号|代码|码|id\b|no\b|number|num\b|是|为|叫|係|等于|有|超过|达到?|从|到|的|第|is\b)"
)
_COUNTED_WORD = re.compile(
    r"""(?ix)(?:
        订单|单|编号|编码|代码|条码|条形码|流水|合同|发票|凭证|快递|运单|包裹|物流|工单|采购|申请|案号|案件|税号|信用|参考|受理|回执|预约|排队|票|券
      | 会议|房间?|群|会员|门禁|工号|学号|批次|序列|序号|型号|货号|商品|物料|资产|设备|任务|需求|版本|端口|主键|自增|时间戳|像素|分辨率
      | 金额|营收|收入|总额|余额|预算|成本|销量|销售额|利润|[市估]值|[一-龥]量|[日月]活|[一-龥]数|数到|共|约|达
      | (?<![的新旧小大靓我本私人他她你账帐机信宝同话])号
      | [a-z]?id | \b(?:sn|imei|iccid|qq|uid|no|dau|mau|uv|pv|gmv) | order|invoice|parcel|tracking|meeting|contract|ticket|issue
      | bug|build|batch|serial|ref|amount|total|zoom
    )"""
    rf"{_COUNTED_LINK}{{0,6}}$"
)
_COUNTED_UNIT = re.compile(
    r"\s?(?:元|块|次|条|个|万|亿|人(?!工)|字|行|件|台|份|票|名|吨|米|[毫微纳]?秒|开始自增|开始计|起步|自增|的?订单|号(?:订单|工单|单|会议|文件|合同|包裹|快递|房|桌)|单\b"
    r"|%|[kmg]b\b|bytes?\b|ms\b|rmb|cny|usd)",
    re.IGNORECASE,
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
        before, after = self.before(), self.after()
        if re.search(r"[A-Za-z_$¥€£#&]$|[0-9]\.$|[A-Za-z]/$|[A-Za-z][0-9A-Za-z]{0,20}[-_/.]$", before):
            return False
        return not re.match(r"[A-Za-z_%]|\.[0-9]", after)

    def counts_something(self) -> bool:
        """Whether the neighbourhood says that this is an order, an amount, a meeting."""
        return self.has_unit() or bool(_COUNTED_WORD.search(self.before()))

    def has_unit(self) -> bool:
        return bool(_COUNTED_UNIT.match(self.after()))
