"""The words around the code stay true: what the documents name exists, and what they offer to say is understood."""

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.__main__ import _parser
from bot.dialogue import INTENTS
from bot.understanding.understand import understand
from config.loading import SHIPPED, load
from memory.catalog import Catalog

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "README.en.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/glossary.md")
DECISIONS = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
DOCUMENTS = [*(ROOT / page for page in PAGES), ROOT / "docs/adr/README.md", *DECISIONS]
CODE = ("config", "memory", "bot", "adapters", "scheduler")
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")

_FOLDERS = "|".join((*CODE, "tests", "docs", r"\.ci"))
_PATH = re.compile(rf"(?<![\w/.-])(?:{_FOLDERS})/[\w./-]*\w/?|(?<![\w/.-])(?:{_FOLDERS})/")
_COMMAND = re.compile(r"(?:`|\.venv/bin/)jide ([a-z]+)(?: ([a-z|]+)(?![\w.]))?((?: --?[a-z]+| [^\s`-][^\s`]*)*)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_SAYING = re.compile(r"「([^」]+)」")
_TERM = re.compile(r"^\| ([a-z][a-z ]*) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def is_there(path: str) -> bool:
    """Whether a path of the text is a file or folder; NAME stands for one that a recipe makes."""
    return "NAME" in path or (ROOT / path).exists()


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a parser by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def problem_with(command: str, then: str, rest: str) -> str | None:
    """What `jide` would not know of a command line."""
    known = commands_of(_parser())
    if command not in known:
        return f"jide {command}"
    nested = commands_of(known[command])
    for action in then.split("|") if nested and then else ():
        if action not in nested:
            return f"jide {command} {action}"
    parser = nested.get(then, known[command])
    unknown = [flag for flag in re.findall(r"--[a-z]+", rest) if flag not in parser._option_string_actions]
    return f"jide {command} {unknown[0]}" if unknown else None


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_path_that_is_named_exists(document: Path) -> None:
    assert [path for path in _PATH.findall(text_of(document)) if not is_there(path)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(document: Path) -> None:
    links = [link.partition("#")[0] for link in _LINK.findall(text_of(document)) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_command_that_is_named_exists(document: Path) -> None:
    problems = [problem_with(*found) for found in _COMMAND.findall(text_of(document))]
    assert [problem for problem in problems if problem] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_make_target_that_is_named_exists(document: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", text_of(document), re.MULTILINE))
    assert named - targets == set()


@pytest.mark.parametrize("readme", ["README.md", "README.en.md"])
def test_every_saying_of_the_front_door_is_understood(readme: str) -> None:
    settings = load(SHIPPED).require()
    catalog = Catalog(settings.catalog, digest_time=f"{settings.office.digest_time:%H:%M}")
    now = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    sayings = [saying for saying in _SAYING.findall(text_of(ROOT / readme)) if saying != "记住"]
    assert sayings
    assert [saying for saying in sayings if understand(saying, catalog, now=now).intent not in INTENTS] == []


def test_both_front_doors_offer_the_same() -> None:
    chinese, english = (_SAYING.findall(text_of(ROOT / name)) for name in ("README.md", "README.en.md"))
    assert set(chinese) - {"记住"} == set(english)


def test_every_decision_is_in_the_index_under_its_own_title() -> None:
    index = text_of(ROOT / "docs/adr/README.md")
    assert [
        name_of(page) for page in DECISIONS if f"[{text_of(page).splitlines()[0][2:]}]({page.name})" not in index
    ] == []


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_says_what_why_and_what_follows_on_one_page(decision: Path) -> None:
    text = text_of(decision)
    assert all(f"**{part}.**" in text for part in ("Decision", "Why", "Consequence"))
    assert len(text.splitlines()) <= 25


def test_the_code_knows_every_word_of_the_glossary() -> None:
    code = "\n".join(text_of(path) for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", code).lower()))
    built, _, _ = GLOSSARY.partition("## Words kept for what is not built yet")
    terms = [word for word, _, _ in _TERM.findall(built) if word != "word"]
    assert len(terms) > 50
    assert [term for term in terms if not {term, f"{term}s"} & words] == []


def test_every_word_of_the_glossary_has_a_chinese_one_and_one_line() -> None:
    terms = [found for found in _TERM.findall(GLOSSARY) if found[0] != "word"]
    assert [word for word, chinese, _ in terms if not re.search(r"[\u4e00-\u9fff]", chinese)] == []
    assert [word for word, _, meaning in terms if not meaning.endswith(".")] == []
    assert len({word for word, _, _ in terms}) == len(terms)
