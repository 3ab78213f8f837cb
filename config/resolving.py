"""What each scalar of bot.yaml means: the type of its field decides, not the shape of the text.

So `language: no` is the text "no", `digest_time: 08:00` the text "08:00" and `port: 0123` a problem, whatever
YAML 1.1 would make of them. Where a field takes several types, YAML 1.2's rules decide (true, 30, 1.5).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, get_args

from pydantic import BaseModel

from config.documents import Text
from config.kinds import Kind, fields_of, holds_secrets
from config.places import Path
from config.problems import Problem, Wrong, dotted, nearest

_NULL = ("", "~", "null", "Null", "NULL")
_FLAGS = dict.fromkeys(("true", "yes", "on", "是", "开"), True) | dict.fromkeys(
    ("false", "no", "off", "否", "关"), False
)
_INTEGER = re.compile(r"[-+]?(0|[1-9]\d{0,17})", re.ASCII)
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d{0,17})(\.\d{1,17})?", re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_REFERENCE = re.compile(r"\$\$\{|\$\{([^}\n]*)(\}?)")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_OMITTED = object()


class Resolver:
    """Turns a tree into what the models validate; remembers what it met on the way.

    `problems` are errors and repairs; `refused` the paths that already have their error; `hidden` the values
    that no output may show: every secret and whatever came from the environment.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[Problem] = []
        self.refused: set[Path] = set()
        self.hidden: set[str] = set()

    def resolve(self, tree: Mapping[str, Any], model: type[BaseModel]) -> Any:
        return self._value(tree, Kind(model), ())

    def _value(self, value: Any, kind: Kind, path: Path, discreet: bool = False) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value, kind, path, discreet)
        if isinstance(value, list | tuple):
            inner = kind.items() or Kind(Any)
            items = [self._value(item, inner, (*path, index), discreet) for index, item in enumerate(value)]
            return [None if item is _OMITTED else item for item in items]
        if value is None or (isinstance(value, Text) and value.plain and value in _NULL):
            return self._null(kind)
        return self._text(value, kind, path, discreet) if isinstance(value, str) else value

    def _mapping(self, value: Mapping[str, Any], kind: Kind, path: Path, discreet: bool) -> dict[str, Any]:
        model, values = kind.model(value), kind.values()
        if model is None and values is None and (items := kind.items()):
            return self._mapping(value, items, path, discreet)  # one entry where a list of them may stand
        resolved: dict[str, Any] = {}
        for key, child in value.items():
            name = str(key)
            if model is not None:
                info = fields_of(model).get(name)
                inner = Kind(info.annotation, info.metadata) if info else Kind(Any)
                result = self._value(child, inner, (*path, name), discreet or holds_secrets(model))
            else:
                result = self._value(child, values or Kind(Any), (*path, name), discreet)
                result = None if result is _OMITTED else result
            if result is not _OMITTED:
                resolved[name] = result
        return resolved

    def _null(self, kind: Kind) -> Any:
        """An empty value: None where the field takes it, an empty section, or as if the key were absent."""
        if kind.takes_null:
            return None
        return {} if kind.model(()) else _OMITTED

    def _text(self, value: str, kind: Kind, path: Path, discreet: bool) -> Any:
        text = self._with_environment(value, path)
        if path in self.refused:
            return text
        from_environment = "${" in value
        if kind.tidy:
            text = self._tidied(text, value, path)
        if kind.is_secret or from_environment:
            self.hidden.add(text)
        try:
            return _meaning(text, kind, isinstance(value, Text) and value.plain and not from_environment)
        except Wrong as wrong:
            if from_environment:
                self._refuse(value, path, wrong.message, f"检查 {value} 的值")
            elif discreet:
                self._refuse(value, path, wrong.message, "核对后重写")
            else:
                self._refuse(value, path, f"{wrong.message}（现在是 {text[:40]}）", wrong.cure)
            return text

    def _with_environment(self, value: str, path: Path) -> str:
        def substitute(found: re.Match[str]) -> str:
            if found[0] == "$${":
                return "${"
            name, close = found[1], found[2]
            if not close or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
                self._refuse(value, path, "${ 后面不是环境变量名", "写成 ${NAME}；要写 ${ 本身时写成 $${")
                return ""
            if not (content := self._environ.get(name)):
                near = nearest(name, self._environ)
                hint = f"，或改成 ${{{near}}}" if near and near != name else ""
                self._refuse(value, path, f"环境变量 {name} 没有设置或是空的", f"启动前设置它{hint}")
                return ""
            return content

        return _REFERENCE.sub(substitute, str(value)) if "${" in value else str(value)

    def _tidied(self, text: str, value: str, path: Path) -> str:
        visible = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cc") or char.isspace())
        if visible != text:
            self._add(value, path, "有看不见的字符，已去掉", warning=True)
        narrow = visible.translate(_HALF_WIDTH)
        if narrow.strip() != visible.strip():
            self._add(value, path, "有全角字符，已换成半角", warning=True)
        if narrow.strip() != narrow:
            self._add(value, path, "前后有空格或换行，已去掉", warning=True)
        return narrow.strip()

    def _refuse(self, value: str, path: Path, message: str, cure: str) -> None:
        self._add(value, path, message, cure)
        self.refused.add(path)

    def _add(self, value: str, path: Path, message: str, cure: str = "", *, warning: bool = False) -> None:
        file, line = (value.file, value.line) if isinstance(value, Text) else ("", 0)
        self.problems.append(Problem(file, line, dotted(path), message, cure, warning))


def _meaning(text: str, kind: Kind, plain: bool) -> Any:
    """The text as the field's type; raises `Wrong` when it cannot be. Types unknown here keep the text."""
    scalars = [option for option in kind.options if option in _PARSERS or option in (str, Any)]
    if scalars == [] or scalars == [str]:
        return _literal(text, kind)
    if len(scalars) == 1 and scalars[0] is not Any:
        return _PARSERS[scalars[0]](text)
    return _yaml_1_2(text, scalars) if plain else text


def _yaml_1_2(text: str, types: list[Any]) -> Any:
    value: Any = text
    if text in ("true", "false"):
        value = text == "true"
    elif _INTEGER.fullmatch(text):
        value = int(text)
    elif _NUMBER.fullmatch(text):
        value = float(text)
    return value if Any in types or type(value) in types else text


def _literal(text: str, kind: Kind) -> Any:
    """The value of a Literal that is written so (`1`, `true`), else the text."""
    written = {str(value).lower(): value for option in kind.options for value in get_args(option)}
    value = written.get(text.lower())
    return value if isinstance(value, bool | int) else text


def _flag(text: str) -> bool:
    if (flag := _FLAGS.get(text.lower())) is None:
        raise Wrong("应为 true 或 false", "要就写 true，不要就写 false")
    return flag


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text):
        return int(text)
    raise Wrong("应为整数", _number_cure(text))


def _number(text: str) -> float:
    if _NUMBER.fullmatch(text):
        return float(text)
    raise Wrong("应为数字", _number_cure(text))


def _number_cure(text: str) -> str:
    """How the number that was probably meant is written."""
    narrow = unicodedata.normalize("NFKC", text).replace("_", "").replace(",", "").strip()
    if re.fullmatch(r"0\d+", narrow):
        return f"去掉开头的 0：{narrow.lstrip('0') or '0'}"
    if re.fullmatch(r"\d(\.\d+)?[eE]\+?\d", narrow):
        return f"写成普通数字 {float(narrow):.0f}"
    digits = re.match(r"\d{1,12}", narrow)
    return f"只写数字 {digits[0]}" if digits else "只写数字"


def _day(text: str) -> date:
    parts = _DATE.fullmatch(text)
    try:
        if parts:
            return date(int(parts[1]), int(parts[2]), int(parts[3]))
    except ValueError:
        raise Wrong("没有这一天", "查一下日历") from None
    raise Wrong("不是日期", "写成 2027-02-05 这样")


_PARSERS: dict[Any, Callable[[str], Any]] = {bool: _flag, int: _integer, float: _number, date: _day}
