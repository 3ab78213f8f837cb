"""Words as phonetic input methods mistype them: 周抱 for 周报, 摸板 for 模板."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Characters of one sound, one group a line; function words (是, 个, 一…) are left out: they are rarely the mistake.
_SOUNDS = """
周州洲粥舟轴 报抱暴爆保宝包饱 模摸膜磨末莫墨默魔 板版办半班般扮 月约越阅悦 飞非菲肥废费 书输叔数熟属树 企启器期奇汽气
业叶页夜 微威薇维围徽 信芯欣辛新心 短段断端 邮油由友游 件建键健剑简检减尖 箱相象项详祥香 通痛统童 知之直值指纸治制
提题体替 醒型形性星 表标彪 格各歌哥隔阁 列裂烈劣 市试式世视示事 场厂唱 部步布补 研言严盐颜演 发法罚 运云韵匀 营赢迎盈
财才材彩采 务物误 销消效削 售受手首收授 力利立历理 产铲 品频拼聘 柱住注助祝主 状壮装撞 图土涂突 折哲拆 线现限显县
饼并病兵冰 深身申审 浅钱签千 后候厚 以已亿一 记计级寄急集季纪 每美妹 次此词 待代带袋 洁结捷截 细系戏 紧仅金 告高搞
语预雨 文问闻纹 认任仁忍 永勇泳 远院 习席 惯贯灌
"""
_REAL_WORDS = frozenset(
    [
        "图标",
        "语言",
        "预言",
        "油箱",
        "财物",
        "折现",
        "简捷",
        "消受",
        "事务",
        "市制",
        "视图",
        "试图",
        "通信",
        "统治",
        "通值",
        "时间",
        "实践",
        "事件",
        "世界",
        "代表",
        "数据",
        "书籍",
        "检测",
        "发物",
        "以数",
        "预期",
        "立场",
        "主张",
        "主线",
        "记录",
        "计划",
        "已知",
        "手机",
        "手法",
        "短发",
        "新闻",
        "直线",
        "标记",
        "标格",
        "产值",
        "详情",
        "相信",
        "一词",
        "发布",
        "主题",
        "法子",
        "体型",
        "高级",
        "记者",
        "记号",
        "计算",
        "纪念",
        "季后",
        "急性",
        "文书",
        "文字",
        "周期",
        "邮寄",
        "邮政",
        "版图",
        "半天",
        "办公",
        "办法",
        "表示",
        "表现",
        "列式",
        "各部",
        "各半",
        "各项",
    ]
)
_FUNCTION_WORDS = frozenset("的我你不别了就也没有")
_GROUP = {character: group for group in _SOUNDS.split() for character in group}


def mistypings(words: Iterable[str]) -> dict[str, str]:
    """Every likely mistyping of the words (one character by another of the same sound, or two neighbours swapped),
    with the word that is meant. Mistypings have the word's length and are never themselves among the words."""
    known = set(words)
    found: dict[str, str] = {}
    for word in sorted((word for word in known if _FUNCTION_WORDS.isdisjoint(word)), key=len):
        for wrong in (*_substituted(word), *_swapped(word)):
            if wrong not in known and wrong not in _REAL_WORDS:
                found.setdefault(wrong, word)
    return found


def _substituted(word: str) -> Iterator[str]:
    if len(word) < 2:
        return
    for place, character in enumerate(word):
        for other in _GROUP.get(character, ""):
            if other != character:
                yield word[:place] + other + word[place + 1 :]


def _swapped(word: str) -> Iterator[str]:
    """Only in words long enough for the swap to be no other word: 企微业信, fiehsu."""
    if len(word) < 4:
        return
    for place in range(1, len(word) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
