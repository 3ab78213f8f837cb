"""Imports run one way, and each third-party engine stays inside its own package (design section 2)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = {
    "config": {"config"},
    "memory": {"config", "memory"},
    "bot": {"config", "memory", "bot"},
    "adapters": {"config", "memory", "bot", "adapters"},
    "scheduler": {"config", "memory", "bot", "scheduler"},
}
OURS = set(LAYERS)
SEE_EVERYTHING = ("bot/app.py", "bot/__main__.py", "bot/rehearsal/")
FENCES = {
    "lark_oapi": ("adapters/feishu/",),
    "wechatpy": ("adapters/wecom/",),
    "redis": ("memory/stores/", "bot/stores/"),
    "openai": ("bot/llm.py",),
    "apscheduler": ("scheduler/", "bot/schedules.py"),
    "matplotlib": ("bot/drawing.py",),
    "opencc": ("config/normalise.py",),
    "jinja2": ("bot/tasks/templating.py",),
    "jsonschema": ("memory/catalog.py",),
    "prometheus_client": ("bot/metrics.py",),
    "alembic": ("memory/migrations/", "memory/stores/schema.py"),
}
FILES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Call) and _loads_a_module(node):
            found |= {
                each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return found


def _loads_a_module(call: ast.Call) -> bool:
    """`importlib.import_module("x")`, also handed to a thread."""
    named = [call.func, *call.args]
    return any(isinstance(each, ast.Attribute) and each.attr == "import_module" for each in named)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    if name.startswith(SEE_EVERYTHING):
        return
    allowed = LAYERS[name.split("/")[0]]
    wrong = {module for module in imported(path) if module.split(".")[0] in OURS - allowed}
    assert not wrong


@pytest.mark.parametrize("engine", FENCES)
def test_each_engine_stays_in_its_package(engine: str) -> None:
    outside = {
        path.relative_to(ROOT).as_posix()
        for path in FILES
        if any(module.split(".")[0] == engine for module in imported(path))
    }
    assert {name for name in outside if not name.startswith(FENCES[engine])} == set()


def test_the_fences_see_real_imports() -> None:
    modules = {module.split(".")[0] for path in FILES for module in imported(path)}
    assert {"lark_oapi", "wechatpy", "matplotlib", "alembic"} <= modules
