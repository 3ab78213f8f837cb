"""What Feishu's server checks in a card (JSON 2.0), what a person reads on it and what can be pressed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Element = Mapping[str, Any]

MOST_ELEMENTS = 200
MOST_DATA = 5

COMMON = {"tag", "element_id", "margin"}
PROPERTIES: Mapping[str, set[str]] = {
    "plain_text": {"content", "text_size", "text_color", "text_align", "lines", "i18n_content"},
    "lark_md": {"content", "text_size", "text_color", "text_align", "lines", "i18n_content"},
    "markdown": {"content", "text_size", "text_align", "icon", "i18n_content"},
    "div": {"text", "icon", "width"},
    "hr": set(),
    "img": {"img_key", "alt", "title", "scale_type", "size", "preview", "corner_radius", "transparent"},
    "table": {
        "columns", "rows", "page_size", "row_height", "row_max_height", "header_style", "freeze_first_column",
    },
    "chart": {"chart_spec", "aspect_ratio", "color_theme", "height", "preview"},
    "button": {
        "text", "type", "size", "width", "disabled", "disabled_tips", "hover_tips", "icon", "confirm",
        "behaviors", "name", "form_action_type",
    },
    "select_static": {
        "options", "placeholder", "type", "width", "name", "required", "disabled", "initial_option",
        "initial_index", "behaviors", "confirm",
    },
    "column_set": {
        "columns", "flex_mode", "horizontal_spacing", "horizontal_align", "background_style", "action",
    },
    "column": {
        "elements", "width", "weight", "vertical_align", "vertical_spacing", "horizontal_align", "padding",
        "direction", "background_style", "action",
    },
    "form": {"name", "elements", "direction", "padding", "vertical_spacing", "horizontal_spacing"},
}  # fmt: skip
ROOT = {"schema", "config", "card_link", "header", "body"}
CONFIG = {
    "update_multi", "enable_forward", "enable_forward_interaction", "width_mode", "streaming_mode",
    "streaming_config", "summary", "style", "use_custom_translation", "locales",
}  # fmt: skip
HEADER = {"title", "subtitle", "template", "icon", "text_tag_list", "padding", "i18n_text_tag_list"}
BODY = {"elements", "direction", "padding", "vertical_spacing", "horizontal_spacing", "vertical_align"}
HEADER_STYLE = {"text_align", "text_size", "background_style", "text_color", "bold", "lines"}
COLUMN = {
    "name",
    "display_name",
    "data_type",
    "width",
    "horizontal_align",
    "vertical_align",
    "format",
    "date_format",
}
CHART_FIELDS: Mapping[str, set[str]] = {
    "bar": {"xField", "yField"},
    "line": {"xField", "yField"},
    "area": {"xField", "yField"},
    "pie": {"categoryField", "valueField"},
}
REMOVED = {"action", "note"}  # v1 only


class Invalid(Exception):
    """A card that Feishu refuses, with the sub-code it puts into the message of 230099."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"Failed to create card content, ext=ErrCode: {code}; ErrMsg: {text}; ")
        self.code = code


@dataclass(frozen=True)
class Pressable:
    """A button, or one option of a selection, and the `action` of the callback that a press sends."""

    label: str
    action: Mapping[str, Any]


def check(card: Any) -> None:
    """Raise `Invalid` for what Feishu would refuse; unknown properties are errors."""
    if not isinstance(card, Mapping) or card.get("schema") != "2.0":
        raise Invalid(200621, "not a card of schema 2.0")
    _only(card, ROOT, "card")
    _only(card.get("config", {}), CONFIG, "config")
    _only(card.get("header", {}), HEADER, "header")
    _only(card.get("body", {}), BODY, "body")
    if card.get("config", {}).get("update_multi", True) is not True:
        raise Invalid(200732, "update_multi must be true")
    if "header" in card:
        _check(card["header"].get("title", {}), is_root=False)
    elements = card.get("body", {}).get("elements", [])
    for element in elements:
        _check(element, is_root=True)
    inside = list(_walk(elements))
    if len(inside) > MOST_ELEMENTS:
        raise Invalid(11310, "element exceeds the limit")
    for tag in ("table", "chart"):
        if sum(element["tag"] == tag for element in inside) > MOST_DATA:
            raise Invalid(11310, f"card {tag} number over limit")
    ids = [element["element_id"] for element in inside if "element_id" in element]
    if len(ids) != len(set(ids)):
        raise Invalid(200732, "element_id is not unique")


def _check(element: Any, *, is_root: bool) -> None:
    tag = str(element.get("tag")) if isinstance(element, Mapping) else ""
    if tag in REMOVED:
        raise Invalid(200861, f"unsupported tag {tag} in schema 2.0")
    if tag not in PROPERTIES:
        raise Invalid(200621, f"unknown tag {tag!r}")
    _only(element, COMMON | PROPERTIES[tag], tag)
    for child in _children(element):
        _check(child, is_root=False)
    match tag:
        case "table" if not is_root:
            raise Invalid(200732, "table only at the root")
        case "table":
            _check_table(element)
        case "chart":
            _check_chart(element)
        case "button" | "select_static":
            _check_control(element)
        case "markdown" | "plain_text" if not isinstance(element.get("content"), str):
            raise Invalid(200732, "content is not a string")


def _check_table(table: Element) -> None:
    names = []
    _only(table.get("header_style", {}), HEADER_STYLE, "header_style")
    for column in table.get("columns", []):
        _only(column, COLUMN, "column")
        names.append(column.get("name"))
    if not names or len(names) > 50 or len(names) != len(set(names)):
        raise Invalid(200732, "table columns")
    if not 1 <= table.get("page_size", 5) <= 10:
        raise Invalid(200732, "page_size is not 1..10")
    if any(set(row) - set(names) for row in table.get("rows", [])):
        raise Invalid(200732, "a row names a column that is not declared")


def _check_chart(chart: Element) -> None:
    spec = chart.get("chart_spec")
    needed = CHART_FIELDS.get(spec.get("type", "")) if isinstance(spec, Mapping) else None
    values = spec.get("data", {}).get("values") if isinstance(spec, Mapping) else None
    if needed is None or not needed <= set(spec or ()) or not isinstance(values, list):
        raise Invalid(200550, "chart spec is invalid")


def _check_control(control: Element) -> None:
    for behaviour in control.get("behaviors", []):
        _only(behaviour, {"type", "value", "default_url", "pc_url", "ios_url", "android_url"}, "behaviors")
        if behaviour.get("type") == "callback" and not isinstance(behaviour.get("value"), Mapping):
            raise Invalid(200671, "the value of a callback must be an object")
    for child in ("text", "placeholder"):
        if child in control:
            _check(control[child], is_root=False)
    if control["tag"] == "select_static":
        values = [option.get("value") for option in control.get("options", [])]
        if not values or len(values) != len(set(values)):
            raise Invalid(200732, "option values are not unique")


def _only(part: Any, allowed: set[str], where: str) -> None:
    unknown = set(part) - allowed if isinstance(part, Mapping) else {"(not an object)"}
    if unknown:
        raise Invalid(200621, f"unknown property {sorted(unknown)[0]} in {where}")


def _children(element: Element) -> list[Element]:
    columns = element.get("columns", []) if element.get("tag") == "column_set" else []
    return [*columns, *element.get("elements", [])]


def _walk(elements: list[Element]) -> Iterator[Element]:
    for element in elements:
        yield element
        yield from _walk(_children(element))


# --- what a person sees -------------------------------------------------------------------------------------


def read(card: Element) -> str:
    """Everything readable on the card but its buttons, without formatting marks."""
    header = card.get("header", {})
    lines = [header.get(part, {}).get("content", "") for part in ("title", "subtitle")]
    for element in _walk(card.get("body", {}).get("elements", [])):
        lines += _read(element)
    return "\n".join(line for line in lines if line)


def _read(element: Element) -> list[str]:
    match element["tag"]:
        case "markdown":
            return [unmark(element["content"])]
        case "div":
            return [element.get("text", {}).get("content", "")]
        case "table":
            names = [column["name"] for column in element["columns"]]
            titles = [str(column.get("display_name", "")) for column in element["columns"]]
            rows = [[str(row.get(name, "")) for name in names] for row in element.get("rows", [])]
            return [" | ".join(row) for row in (titles, *rows)]
        case "chart":
            spec = element["chart_spec"]
            label, value = ("categoryField", "valueField") if spec["type"] == "pie" else ("xField", "yField")
            points = [f"{one.get(spec[label])}：{one.get(spec[value])}" for one in spec["data"]["values"]]
            return [spec.get("title", {}).get("text", ""), *points]
        case _:
            return []


def unmark(markdown: str) -> str:
    """Markdown as it is read: marks and tags gone, mentions as names, entities decoded."""
    text = re.sub(r"<at id=['\"]?([^>'\"]*)['\"]?>(.*?)</at>", lambda at: f"@{at[2] or at[1]}", markdown)
    text = re.sub(r"</?(?:font|text_tag|link|number_tag)[^>]*>", "", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"^#{1,6} ", "", text, flags=re.MULTILINE)
    text = re.sub(r"^[-*] ", "• ", text, flags=re.MULTILINE)
    return html.unescape(text)


def pressables(card: Element) -> tuple[Pressable, ...]:
    """What can be pressed, in reading order: buttons that call back and the options of selections."""
    return tuple(one for element in _walk(card.get("body", {}).get("elements", [])) for one in _pressable(element))


def _pressable(element: Element) -> Iterator[Pressable]:
    values = [one["value"] for one in element.get("behaviors", []) if one.get("type") == "callback"]
    if element["tag"] == "button" and values and not element.get("disabled"):
        yield Pressable(element["text"]["content"], {"tag": "button", "value": values[0]})
    if element["tag"] == "select_static":
        for option in element.get("options", []):
            action = {"tag": "select_static", "option": option["value"], "value": (values or [{}])[0]}
            yield Pressable(option["text"]["content"], action)
