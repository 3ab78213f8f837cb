"""The errors of pydantic in words that an admin can act on, at the line where the value was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from config import syntax
from config.kinds import fields_of, holds_secrets, places_of
from config.places import Path, Place
from config.problems import Problem, Wrong, dotted, has_invisible, nearest

_BOUNDS = {
    "greater_than": "应大于 {gt}",
    "greater_than_equal": "应不小于 {ge}",
    "less_than": "应小于 {lt}",
    "less_than_equal": "应不大于 {le}",
    "string_too_long": "太长，最多 {max_length} 个字",
    "too_long": "项数太多，最多 {max_length} 项",
    "too_short": "项数太少，至少 {min_length} 项",
}
_SHAPES = {
    "string_type": "应为一段文字",
    "int_type": "应为整数",
    "int_from_float": "应为整数",
    "bool_type": "应为 true 或 false",
    "float_type": "应为数字",
}
_FEW = 3  # places beyond which a key's name says too little to guess where it belongs
_LISTS = ("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type")
_SECTIONS = ("model_type", "model_attributes_type", "dict_type", "mapping_type")


def explain(
    error: ValidationError, tree: Mapping[str, Any], model: type[BaseModel], known: Iterable[Path]
) -> Iterator[Problem]:
    """One problem for each value that is wrong, in pydantic's order; paths in `known` have theirs already."""
    seen = set(known)
    details = error.errors(include_url=False)
    unknown = [Place(tree, model, each["loc"]).path for each in details if each["type"] == "extra_forbidden"]
    for each in details:
        raised = each.get("ctx", {}).get("error")
        at = raised.at if isinstance(raised, Wrong) else ()
        place = Place(tree, model, (*each["loc"], *at))
        path = place.path
        if each["type"] == "missing":
            path = (*path, each["loc"][-1])
            if any(_was_meant(typo, path, place) for typo in unknown):
                continue
        if path in seen:
            continue
        seen.add(path)
        message, cure = _words(each, place, model)
        yield Problem(place.file, place.line, _shown(path), message, cure)


def _words(error: Any, place: Place, model: type[BaseModel]) -> tuple[str, str]:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return "没有这个键", _unknown_key(place, model)
    if kind == "missing":
        return _missing(str(error["loc"][-1]), place)
    if kind in ("value_error", "assertion_error"):
        raised = context["error"]
        if not isinstance(raised, Wrong):
            return str(raised), ""
        return raised.message + ("" if str(place.value) in raised.message else _now(place)), raised.cure
    if kind in ("literal_error", "enum"):
        return "不认识这个值" + _now(place), _one_of(place)
    if kind in _LISTS:
        return "应为列表", _as_list(place)
    if kind in _SECTIONS:
        return _as_section(place)
    if kind == "string_too_short":
        return "不能是空的", "写上内容，或删掉这一行用默认值"
    if kind in _BOUNDS:
        return _BOUNDS[kind].format_map(context) + _now(place), "改成范围以内的值"
    if error["loc"][-1:] == ("[key]",):
        return "这个名字不合要求", "用小写英文字母、数字和 _，以字母开头"
    if kind in _SHAPES:
        return _SHAPES[kind] + _now(place), _as_scalar(place)
    return "值的格式不对" + _now(place), _described(place)


def _unknown_key(place: Place, model: type[BaseModel]) -> str:
    name = str(place.path[-1])
    if ":" in name or "：" in name:
        return "冒号要用半角，后面空一格"
    if has_invisible(name):
        return "键里有全角空格或看不见的字符，缩进用普通空格"
    names = list(fields_of(place.section)) if place.section else []
    if near := nearest(name, names):
        return f"是不是 {near}？"
    places = [(known, at or "最外层") for known, at in places_of(model)]
    near = nearest(name, {known for known, _ in places})
    at = list(dict.fromkeys(at for known, at in places if known == near))
    if near and 0 < len(at) <= _FEW:
        return f"{near} 写在 {' 或 '.join(at)}，移到那里"
    return "删掉它；这里可以写：" + "、".join(names)


def _missing(name: str, place: Place) -> tuple[str, str]:
    info = fields_of(place.own_section).get(name) if place.own_section else None
    written = isinstance(place.value, Mapping) and name in place.value
    purpose = f"：{info.description}" if info and info.description else ""
    return ("不能留空" if written else "缺少这个键"), f"写上 {name}{purpose}"


def _was_meant(typo: Path, missing: Path, place: Place) -> bool:
    """Whether an unknown key beside a missing one is that key misspelt: one mistake is told once."""
    names = fields_of(place.own_section) if place.own_section else ()
    return typo[:-1] == missing[:-1] and nearest(str(typo[-1]), names) == missing[-1]


def _one_of(place: Place) -> str:
    options = [str(value) for option in (place.kind.options if place.kind else ()) for value in get_args(option)]
    near = nearest(str(place.value), options)
    return f"是不是 {near}？" if near else "可以写：" + "、".join(options)


def _as_list(place: Place) -> str:
    if not isinstance(place.value, str) or place.discreet or "${" in place.value:
        return "写成 [一, 二]，或每项一行以“- ”开头"
    items = [item.strip() for item in place.value.replace("，", ",").replace("、", ",").split(",")]
    return f"写成 [{', '.join(item for item in items if item)}]"


def _as_section(place: Place) -> tuple[str, str]:
    if isinstance(place.value, str) and syntax.has_full_width_colon(place.value):
        return "用了全角冒号 ：", "改成半角冒号加一个空格"
    if isinstance(place.value, list):
        return "应为一组“键: 值”，不是列表", "去掉每行开头的“- ”或外面的 [ ]"
    return "应为一组“键: 值”", "换行缩进两格，每行一个“键: 值”"


def _as_scalar(place: Place) -> str:
    if isinstance(place.value, list):
        return "只写一个值，去掉 [ ] 或“- ”"
    if isinstance(place.value, Mapping):
        return "只写一个值；值里有 { } 或冒号时给它加上引号"
    return "写上值，或删掉这一行用默认值" if place.value in (None, "") else _described(place)


def _described(place: Place) -> str:
    info = fields_of(place.section).get(str(place.path[-1])) if place.section and place.path else None
    return f"应为：{info.description}" if info and info.description else "参照随附的 bot.yaml"


def _now(place: Place) -> str:
    """The value as it was written, where it cannot be a secret."""
    inside = place.own_section
    secret = place.discreet or (inside and holds_secrets(inside)) or (place.kind and place.kind.is_secret)
    if secret or isinstance(place.value, Mapping | list | tuple) or "${" in str(place.value):
        return ""
    return f"（现在是 {str(place.value)[:40]}）"


def _shown(path: Path) -> str:
    """The dotted path; of a key that swallowed its value only what stands before the colon."""
    return dotted(part if isinstance(part, int) else part.partition(":")[0].partition("：")[0] for part in path)
