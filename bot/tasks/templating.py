"""Page templates: Jinja2 files with a tiny line-based markup, rendered into the blocks of a message body.

One line of a template is one thing:

    # title              the title (the first one; later ones are headings)
    ## heading           a heading
    - item               a bullet; neighbouring ones make one list
    1. item              a numbered item, likewise
    > footnote           small and grey where the platform can
    [[chart]]            a slot of the page, named by whoever renders it
    anything else        a paragraph

A value keeps to its place: it becomes one line, and nothing in it counts as markup, whatever people typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot.types import Block, Bullets, Heading, Paragraph

SHIPPED = Path(__file__).parent / "templates"

_ENCODING = "utf-8-sig"  # editors on Windows put a mark before the first line

# Non-characters, which no typed text has a right to: where a value begins, and a slot that code made.
_VALUE, _MADE = "\ufdd0", "\ufdd1"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ITEM = re.compile(r"(?P<bullet>[-*]|\d{1,3}\.)\s+(?P<text>.*)")
_SLOT = re.compile(rf"\[\[\s*(?P<name>\w+)\s*]]|{_MADE}(?P<made>\w+) (?P<number>\d+)")

Slot = Callable[[int | None], Sequence[Block]]
"""The blocks at a `[[name]]` line (None) or at a numbered marker."""


class TemplateProblem(Exception):
    """A template that cannot be rendered: what is wrong, in Chinese, for the admin who mends the file."""

    def __init__(self, reason: str, file: str, line: int | None = None) -> None:
        super().__init__(f"{file}{f' 第 {line} 行' if line else ''}：{reason}")
        self.file = file
        self.line = line


class Marker(str):
    """A slot that code made: a function of a template returns it, the finished page fills it."""

    @classmethod
    def of(cls, slot: str, number: int) -> Marker:
        return cls(f"{_MADE}{slot} {number}")


class _Misplaced(Exception):
    """A slot that no page has, or that stands in the middle of a line; `pattern` finds it in the source."""

    def __init__(self, reason: str, pattern: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pattern = pattern


@dataclass(frozen=True)
class Page:
    title: str | None
    blocks: tuple[Block, ...]


def render(folders: Sequence[Path], file: str, values: Mapping[str, object], slots: Mapping[str, Slot]) -> Page:
    """The page that `file`, from the first of `folders` that has it, makes. Raises TemplateProblem."""
    environment = _environment(tuple(folders))
    try:
        text = environment.get_template(file).render(values)
    except Exception as error:  # an expression in a template can fail in any way
        raise _problem(error, file) from error
    try:
        return _parse(text, slots)
    except _Misplaced as error:
        source = Path(str(environment.get_template(file).filename)).read_text(_ENCODING)
        raise TemplateProblem(error.reason, file, _line_with(error.pattern, source)) from error


def one_line(text: str) -> str:
    """`text` without line breaks, control characters and direction overrides, spaces collapsed."""
    return " ".join("".join(char for char in text if char.isspace() or not _is_unwanted(char)).split())


def _is_unwanted(char: str) -> bool:
    return char in (_VALUE, _MADE) or char in _BIDI or unicodedata.category(char) in ("Cc", "Cs")


def mentioning(lines: Sequence[Any], words: Sequence[str]) -> list[Any]:
    """Filter: the lines whose title holds one of `words`, upper and lower case alike."""
    return [line for line in lines if _mentions(line.title, words)]


def not_mentioning(lines: Sequence[Any], words: Sequence[str]) -> list[Any]:
    """Filter: the lines that `mentioning` leaves out."""
    return [line for line in lines if not _mentions(line.title, words)]


def _mentions(title: str, words: Sequence[str]) -> bool:
    folded = title.casefold()
    return any(word.casefold() in folded for word in words)


@lru_cache(maxsize=8)
def _environment(folders: tuple[Path, ...]) -> ImmutableSandboxedEnvironment:
    """Kept per list of folders; a template that is edited on disk is read anew."""
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders, encoding=_ENCODING),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(mentioning=mentioning, not_mentioning=not_mentioning)
    return environment


def _finalize(value: object) -> object:
    """What `{{ value }}` writes. Numbers pass unmarked, so that `{{ loop.index }}. …` is a numbered item."""
    if isinstance(value, Marker | int | float):
        return value
    return _VALUE + one_line(str(value))


def _parse(text: str, slots: Mapping[str, Slot]) -> Page:
    title: str | None = None
    blocks: list[Block] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        if line.startswith("# ") and title is None:
            title = _plain(line[2:])
        elif slot := _SLOT.fullmatch(line):
            blocks += _fill(slot, slots)
        elif _MADE in line:
            raise _Misplaced("listing(…) 要独占一行", r"[^{\s].*listing\(")
        elif item := _ITEM.fullmatch(line):
            _add_item(blocks, _plain(item["text"]), numbered=item["bullet"][0].isdigit())
        else:
            blocks.append(_block(line))
    return Page(title, tuple(blocks))


def _fill(slot: re.Match[str], slots: Mapping[str, Slot]) -> Sequence[Block]:
    if slot["made"]:
        return slots[slot["made"]](int(slot["number"]))
    if slot["name"] not in slots:
        known = "、".join(f"[[{name}]]" for name in slots)
        raise _Misplaced(f"没有 {slot[0]} 这样的位置，可以写 {known}", re.escape(slot[0]))
    return slots[slot["name"]](None)


def _add_item(blocks: list[Block], text: str, *, numbered: bool) -> None:
    last = blocks[-1] if blocks else None
    if isinstance(last, Bullets) and last.numbered == numbered:
        blocks[-1] = Bullets((*last.items, text), numbered)
    else:
        blocks.append(Bullets((text,), numbered))


def _block(line: str) -> Block:
    if heading := re.match(r"#{1,6} ", line):
        return Heading(_plain(line[heading.end() :]))
    if line.startswith("> "):
        return Paragraph(_plain(line[2:]), muted=True)
    return Paragraph(_plain(line))


def _plain(text: str) -> str:
    return text.replace(_VALUE, "").strip()


def _problem(error: Exception, file: str) -> TemplateProblem:
    if isinstance(error, TemplateNotFound):
        return TemplateProblem(f"找不到模板文件 {error.name}", file)
    if isinstance(error, UnicodeDecodeError):
        return TemplateProblem("不是 UTF-8 编码，请另存为 UTF-8", file)
    if isinstance(error, TemplateSyntaxError):
        return TemplateProblem(f"语法有误（{error.message}）", error.name or file, error.lineno)
    kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
    return TemplateProblem(f"无法生成（{kind}{error}）", file, _line_in(error.__traceback__, file))


def _line_in(trace: TracebackType | None, file: str) -> int | None:
    """The deepest line of the template that an error passed through; Jinja writes it into the traceback."""
    line = None
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).name == Path(file).name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _line_with(pattern: str, source: str) -> int | None:
    lines = enumerate(source.split("\n"), start=1)
    return next((number for number, line in lines if re.match(pattern, line.strip())), None)
