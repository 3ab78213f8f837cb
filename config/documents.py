"""YAML text as a tree of dicts, lists and `Text`s that know where they were written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from config import syntax
from config.problems import Problem

Tree = dict[str, Any]
"""A mapping of `Text` keys to trees, lists and `Text`s; what Python code merges in may be ordinary values."""

_LARGEST = 100_000  # nodes, aliases written out: what grows beyond is an accident or an attack


class Text(str):
    """A scalar or key as it was written, whatever YAML 1.1 would have made of it, with its file and line.

    `plain` says that it had no quotes.
    """

    file: str
    line: int
    plain: bool

    def __new__(cls, text: str, file: str = "", line: int = 0, *, plain: bool = False) -> Text:
        self = super().__new__(cls, text)
        self.file, self.line, self.plain = file, line, plain
        return self


@dataclass(frozen=True)
class Document:
    """One YAML file: its tree, None when it cannot be read, and what was wrong with the text itself."""

    file: str
    tree: Tree | None = field(repr=False)
    problems: tuple[Problem, ...] = ()


def read(path: Path, name: str | None = None) -> Document:
    """The document in a file, called `name` in problems; every failure is a problem, never an exception."""
    name = name or str(path)
    try:
        return parse(path.read_bytes(), name)
    except FileNotFoundError:
        return _refused(name, 0, "文件不存在", "检查路径，或用 --config 指定")
    except IsADirectoryError:
        return _refused(name, 0, "这是一个目录", "指定其中的 bot.yaml")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return _refused(name, 0, f"文件读不出来（{reason}）", "检查路径和权限")


def parse(content: bytes | str, name: str) -> Document:
    """The document in a text; every failure is a problem, never an exception."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return _refused(name, line, "不是 UTF-8 编码", f"用编辑器另存为 UTF-8{_guess(content)}")
    repairs = tuple(Problem(name, 1, "", message, warning=True) for message in syntax.repairs(text))
    text = text.removeprefix("\ufeff")
    try:
        node = yaml.compose(text, Loader=_Loader)
        tree = _Builder(name).build(node) if node else None
    except yaml.YAMLError as error:
        return Document(name, None, (*repairs, Problem(name, *syntax.explain(text, error))))
    except RecursionError:
        return _refused(name, 0, "嵌套太深", "检查有没有多余的括号或缩进")
    except _Refused as error:
        return Document(name, None, (*repairs, *error.problems))
    if tree is None:
        return _refused(name, 1, "文件是空的", "从随附的 bot.yaml 开始改")
    if not isinstance(tree, dict):
        return Document(name, None, (*repairs, Problem(name, 1, "", *syntax.no_mapping(text))))
    return Document(name, tree, repairs)


def dump(tree: Mapping[str, Any]) -> str:
    """The tree as YAML text that parses to the same tree; comments are gone."""
    text: str = yaml.dump(tree, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return text


def merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> Tree:
    """`base` with `overrides` laid over it: mappings key by key, all else replaced. Neither is changed."""
    merged: Tree = {}
    over = {key: (key, value) for key, value in overrides.items()}
    for key, value in base.items():
        key, new = over.pop(key, (key, value))
        merged[key] = merge(value, new) if isinstance(value, Mapping) and isinstance(new, Mapping) else new
    return merged | dict(over.values())


class _Refused(Exception):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__()
        self.problems = problems


_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # ten times as fast where libyaml is there


class _Builder:
    """Turns composed nodes into a tree; collects what YAML would let pass."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[Problem] = []
        self._open: set[int] = set()
        self._count = 0

    def build(self, node: yaml.Node) -> Any:
        """The tree; raises `_Refused` with everything that was wrong."""
        tree = self._value(node)
        if self._problems:
            raise _Refused(self._problems)
        return tree

    def _value(self, node: yaml.Node) -> Any:
        self._count += 1
        if id(node) in self._open or self._count > _LARGEST:
            raise _Refused([self._problem(node, "别名（*）引用了自己或展开后太大", "去掉这个别名，直接写出内容")])
        if node.tag and node.tag.startswith("!"):
            self._problems.append(self._problem(node, "以 ! 开头的值会被当作 YAML 标签", "给整个值加上引号"))
        if isinstance(node, yaml.ScalarNode):
            return self._text(node)
        self._open.add(id(node))
        value = (
            self._mapping(node) if isinstance(node, yaml.MappingNode) else [self._value(item) for item in node.value]
        )
        self._open.discard(id(node))
        return value

    def _mapping(self, node: yaml.MappingNode) -> Tree:
        tree: Tree = {}
        inherited: list[Any] = []
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._problems.append(self._problem(key_node, "键不是文字", "值里有 {{ }} 或 [ ] 时，给整个值加上引号"))
                continue
            key, value = self._text(key_node), self._value(value_node)
            if key == "<<" and key.plain:
                inherited += value if isinstance(value, list) else [value]
            elif key in tree:
                first = next(known.line for known in tree if known == key)  # type: ignore[attr-defined]
                self._problems.append(
                    Problem(self._file, key.line, key, f"这个键在第 {first} 行已经写过", "只留一个，或把内容合并")
                )
            else:
                tree[key] = value
        for parent in inherited:
            if isinstance(parent, dict):
                tree = parent | tree
            else:
                self._problems.append(self._problem(node, "<< 后面不是一组键值", "写成 <<: *锚点名"))
        return tree

    def _text(self, node: yaml.ScalarNode) -> Text:
        return Text(node.value, self._file, node.start_mark.line + 1, plain=not node.style)

    def _problem(self, node: yaml.Node, message: str, cure: str) -> Problem:
        return Problem(self._file, node.start_mark.line + 1, "", message, cure)


class _Dumper(yaml.SafeDumper):
    """Writes a `Text` as it stood: plain stays plain, quoted stays quoted."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: Text) -> yaml.Node:
    if not text.plain:
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
    resolve: Any = dumper.resolve
    implied = resolve(yaml.ScalarNode, str(text), (True, False))
    return dumper.represent_scalar(implied, str(text))


def _represent_str(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """A line break of another alphabet (NEL) survives only as an escape, which needs double quotes."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\x85" in text else None)


_Dumper.add_representer(Text, _represent_text)
_Dumper.add_representer(str, _represent_str)


def _refused(name: str, line: int, message: str, cure: str) -> Document:
    return Document(name, None, (Problem(name, line, "", message, cure),))


def _guess(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "（现在像是 UTF-16）"
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    return "（现在像是 GBK）"
