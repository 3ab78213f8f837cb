"""A YAML syntax error in words that an admin can act on, without the text, which may hold a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

_FULL_WIDTH = re.compile(r"^\s*(?:- +)?[\w.-]+\s*：")
_NO_SPACE = re.compile(r"^\s*(?:- +)?[A-Za-z_][\w.-]*:[^\s/]")
_TAB_INDENT = re.compile(r"^ *\t")

_CAUSES: tuple[tuple[str, str, str], ...] = (
    ("unexpected end of stream", "引号没有成对", "在这一行或下面补上结束的引号"),
    ("',' or ']'", "方括号 [ ] 没有成对", "补上 ] 或逗号"),
    ("',' or '}'", "花括号 { } 没有成对", "补上 } 或逗号；值里有 { } 时给整个值加上引号"),
    (
        "mapping values are not allowed",
        "一行里有两个“键: 值”，或上一行少了冒号",
        "值里有冒号时给整个值加上引号",
    ),
    ("could not find expected ':'", "键后面没有冒号", "写成“键: 值”，冒号后空一格"),
    ("cannot start any token", "值不能以这个符号开头", "给整个值加上引号"),
    ("undefined alias", "* 开头的值会被当作别名，但没有这个锚点", "给整个值加上引号，或先用 & 定义锚点"),
    ("alphabetic or numeric", "* 或 & 开头的值会被当作别名或锚点", "给整个值加上引号"),
    ("another document", "文件里有第二个 ---", "删掉 --- 和它之后多余的部分"),
    ("document start", "最外层的键没有对齐，或上一段已经结束", "最外层的键都顶格写"),
    ("'-' indicator", "列表里混进了别的内容，或缩进不一致", "列表的每一项都以同样的缩进和“- ”开头"),
    ("<block end>", "缩进不一致", "同一层的键用同样多的空格对齐"),
    (
        "expected key",
        "缩进不一致，或引号后面还有内容",
        "同一层的键用同样多的空格对齐；引号里再有引号时换一种引号",
    ),
    ("escape character", "双引号里的 \\ 是转义符", "改用单引号"),
    ("duplicate anchor", "同一个锚点定义了两次", "换一个锚点名"),
    ("nesting depth", "嵌套太深", "检查有没有多余的括号"),
    ("characters are not allowed", "有看不见的控制字符", "删掉这一行重新输入"),
)


def explain(text: str, error: yaml.YAMLError) -> tuple[int, str, str, str]:
    """The line, no key, what is wrong and what would do."""
    line, context = _lines_of(text, error)
    around = [number for number in (line, line - 1, context) if number > 0]
    for pattern, message, cure in (
        (_TAB_INDENT, "用了 Tab 缩进", "改成空格"),
        (_FULL_WIDTH, "用了全角冒号 ：", "改成半角冒号加一个空格"),
        (_NO_SPACE, "冒号后面没有空格", "冒号后空一格；值里有冒号时给整个值加上引号"),
    ):
        for number in around:
            if pattern.search(_line(text, number)):
                return number, "", message, cure
    said = " ".join(str(getattr(error, name, "")) for name in ("context", "problem", "reason"))
    for words, message, cure in _CAUSES:
        if words in said:
            opened = "unexpected end" in said or "',' or" in said
            return context if opened and context else line, "", message, cure
    return line, "", "YAML 格式不对", "检查这一行和上一行的缩进、冒号和引号"


def no_mapping(text: str) -> tuple[str, str]:
    """What is wrong and what would do when a file holds no keys at all."""
    if any(map(_FULL_WIDTH.search, text.splitlines())):
        return "用了全角冒号 ：", "改成半角冒号加一个空格"
    return "最外层应为“键: 值”", "从随附的 bot.yaml 开始改"


def repairs(text: str) -> Iterator[str]:
    """What was put right while reading, in words."""
    if text.startswith("\ufeff"):
        yield "文件开头有 BOM，已略过"
    if "\r" in text:
        yield "换行是 Windows 的 CRLF，已按普通换行读"


def has_full_width_colon(value: str) -> bool:
    """Whether a text is really a `key：value` whose colon is full-width."""
    return bool(_FULL_WIDTH.search(value))


def _lines_of(text: str, error: yaml.YAMLError) -> tuple[int, int]:
    """The line of the problem and that of its context, from 1; 0 when unknown."""
    problem, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if problem is None and isinstance(position := getattr(error, "position", None), int):
        return text.count("\n", 0, position) + 1, 0
    last = text.count("\n") + (not text.endswith("\n"))
    return (min(problem.line + 1, last) if problem else 0), (context.line + 1 if context else 0)


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""
