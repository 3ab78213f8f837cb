"""What admins mistype never breaks loading, and secrets never come out, whatever else is wrong."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config import commands
from config.documents import Text, dump, parse
from config.loading import SHIPPED, load_document, load_mapping, merge, read_mapping
from config.problems import ConfigError
from config.watching import Watcher

SECRETS = {
    "FEISHU_APP_SECRET": "FsAppSecretZ9",
    "FEISHU_ENCRYPT_KEY": "FsEncryptKeyZ9",
    "FEISHU_VERIFICATION_TOKEN": "FsVerifyZ9",
    "WECOM_SECRET": "WcSecretZ9",
    "WECOM_TOKEN": "WcTokenZ9",
    "WECOM_AES_KEY": "WcAesKeyZ9" + "k" * 33,
    "DB_PASSWORD": "DbPasswordZ9",
    "COMPANY": "EnvNameZ9",
}
WRITTEN = {"master_key": "MasterKeyZ9", "redis": "RedisPasswordZ9"}
FULL = f"""\
platforms:
  feishu:
    app_id: cli_1
    app_secret: ${{FEISHU_APP_SECRET}}
    encrypt_key: ${{FEISHU_ENCRYPT_KEY}}
    verification_token: ${{FEISHU_VERIFICATION_TOKEN}}
  wecom:
    - name: sales
      corp_id: ww1
      agent_id: 7
      secret: ${{WECOM_SECRET}}
      token: ${{WECOM_TOKEN}}
      aes_key: ${{WECOM_AES_KEY}}
storage:
  database: postgresql+asyncpg://jide:${{DB_PASSWORD}}@db/jide
  redis: redis://:{WRITTEN["redis"]}@cache
  master_key: {WRITTEN["master_key"]}
office:
  name: ${{COMPANY}}
"""
HIDDEN = (*SECRETS.values(), *WRITTEN.values())
TREE = merge(read_mapping(SHIPPED), parse(FULL, "bot.yaml").tree or {})
TEXT = dump(TREE)


def assert_silent(*outputs: object) -> None:
    for output in outputs:
        for text in (str(output), repr(output)):
            assert not [value for value in HIDDEN if value in text]


def test_settings_and_their_repr_hide_every_secret() -> None:
    loaded = load_mapping(TREE, environ=SECRETS)
    settings = loaded.require()
    assert settings.platforms.feishu[0].app_secret.get_secret_value() == SECRETS["FEISHU_APP_SECRET"]
    assert_silent(loaded.problems, settings.platforms, settings.storage, settings.storage.database)
    assert str(settings.storage.database) == "postgresql+asyncpg://***@db/jide"


def test_show_prints_stars_and_references(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "bot.yaml"
    path.write_text(TEXT, "utf-8")
    assert commands.show(path) == 0
    shown = capsys.readouterr().out
    assert_silent(shown)
    tree: Any = parse(shown, "shown").tree
    assert tree["platforms"]["feishu"]["app_secret"] == "**********"
    assert tree["platforms"]["wecom"][0]["name"] == "sales"
    assert tree["storage"]["redis"] == "redis://***@cache"
    assert tree["office"]["name"] == "${COMPANY}"
    assert tree["office"]["digest_time"] == "08:00"


def test_shown_settings_are_valid_settings() -> None:
    loaded = load_mapping(read_mapping(SHIPPED), environ={})
    again = load_document(parse(commands.shown(loaded), "shown"), environ={})
    assert again.require() == loaded.require()


@pytest.mark.parametrize(
    "broken",
    [
        "app_scret: FsAppSecretZ9",  # a misspelt key
        "name: [FsAppSecretZ9]",
        "FsAppSecretZ9",
        "app_secret:FsAppSecretZ9",  # no space: YAML takes all of it for a key
        "{app_id: cli_1, app_secret:FsAppSecretZ9}",
        "{app_id: cli_1, app_secret：FsAppSecretZ9}",
        "app_secret: !FsAppSecretZ9",
        "app_secret: *FsAppSecretZ9",
        "app_secret: &FsAppSecretZ9",
        "app_secret: 'FsAppSecretZ9",
        "app_secret: {FsAppSecretZ9: x}",
        "app_secret: [FsAppSecretZ9",
        "app_secret: @FsAppSecretZ9",
        "app_secret: FsAppSecretZ9\n    app_secret: FsAppSecretZ9",
        "app_secret: FsApp SecretZ9 FsAppSecretZ9",
        "receive: FsAppSecretZ9",
        "base_url: https://FsAppSecretZ9@x.cn",
        "app_secret: ${FsAppSecretZ9",
    ],
)
def test_a_secret_in_a_broken_place_is_not_repeated(broken: str) -> None:
    loaded = load_document(parse(f"platforms:\n  feishu:\n    {broken}\n", "bot.yaml"), environ=SECRETS)
    assert loaded.errors
    assert_silent(*loaded.problems, loaded, ConfigError(loaded.problems))


def test_a_variable_of_the_wrong_type_is_named_and_not_shown() -> None:
    tree = merge(read_mapping(SHIPPED), parse("server:\n  port: ${COMPANY}\n", "bot.yaml").tree or {})
    loaded = load_mapping(tree, environ=SECRETS)
    assert [str(problem) for problem in loaded.errors] == ["bot.yaml:2 server.port: 应为整数，检查 ${COMPANY} 的值"]


# --- random damage -------------------------------------------------------------------------------------------

LINES = TEXT.splitlines()
damage = st.one_of(
    st.tuples(st.just("drop"), st.integers(0, len(LINES) - 1), st.just("")),
    st.tuples(st.just("double"), st.integers(0, len(LINES) - 1), st.just("")),
    st.tuples(st.just("indent"), st.integers(0, len(LINES) - 1), st.sampled_from([" ", "\t", "\u3000", "  ", "- "])),
    st.tuples(
        st.just("append"),
        st.integers(0, len(LINES) - 1),
        st.sampled_from([":", "：", " #", '"', "'", "{", "]", " ", "\r", "\0", "${", "${NOPE}", " &a", " *a", ": x"]),
    ),
    st.tuples(
        st.just("value"),
        st.integers(0, len(LINES) - 1),
        st.sampled_from(
            ["no", "08:00", "0123", "1e5", "", "~", "[]", "{}", "[x]", "{x: y}", "!!int 3", "-1", "9" * 5000]
        )
        | st.text(max_size=8),
    ),
    st.tuples(st.just("key"), st.integers(0, len(LINES) - 1), st.text(max_size=4)),
)


def damaged(text: str, strokes: list[tuple[str, int, str]]) -> str:
    lines = text.splitlines()
    for what, where, extra in strokes:
        at = where % max(len(lines), 1)
        line = lines[at] if lines else ""
        key, colon, _ = line.partition(":")
        lines[at : at + 1] = {
            "drop": [],
            "double": [line, line],
            "indent": [extra + line],
            "append": [line + extra],
            "value": [f"{key}{colon} {extra}"],
            "key": [f"{key}{extra}{line[len(key) :]}"],
        }[what]
    return "\n".join(lines) + "\n"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(damage, min_size=1, max_size=4))
def test_any_damage_loads_or_is_told_and_tells_no_secret(strokes: list[tuple[str, int, str]]) -> None:
    document = parse(damaged(TEXT, strokes).encode("utf-8", "replace"), "bot.yaml")
    loaded = load_document(document, environ=SECRETS)
    assert (loaded.settings is None) == bool(loaded.errors)
    assert_silent(*loaded.problems)
    for problem in loaded.problems:
        assert problem.file == "bot.yaml"
        assert problem.warning or problem.cure
    if loaded.settings is not None:
        assert_silent(commands.shown(loaded))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_document_or_a_problem(content: bytes) -> None:
    document = parse(content, "bot.yaml")
    assert document.tree is not None or document.problems
    load_document(document, environ={})


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
sections = st.sampled_from(["platforms", "server", "storage", "office", "directory", "logging", "catalog"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(sections | st.text(max_size=4), json_like, max_size=3))
def test_any_mapping_loads_or_is_told(tree: dict[str, Any]) -> None:
    loaded = load_mapping(tree, environ={})
    assert (loaded.settings is None) == bool(loaded.errors)


paths = [
    ("platforms", "feishu"),
    ("platforms", "wecom", 0),
    ("storage",),
    ("office", "workdays"),
    ("office",),
    ("server",),
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(paths), st.text(max_size=8) | st.sampled_from(["name", "app_secret", "port", "off"]), json_like)
def test_anything_under_any_section_loads_or_is_told_and_tells_no_secret(
    path: tuple[str | int, ...], key: str, value: object
) -> None:
    tree: Any = parse(TEXT, "bot.yaml").tree
    section = tree
    for part in path:
        section = section.setdefault(part, {}) if isinstance(part, str) else section[part]
    section[Text(key, "bot.yaml", 1)] = value
    loaded = load_mapping(tree, environ=SECRETS)
    assert (loaded.settings is None) == bool(loaded.errors)
    assert_silent(*loaded.problems)


def test_the_command_that_checks_tells_no_secret_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value + "\n")
    path = tmp_path / "bot.yaml"
    path.write_text(TEXT.replace("agent_id: 7", "agent_id: seven"), "utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert commands.check(path) == 1
    assert_silent(printed.getvalue())
    assert printed.getvalue().splitlines()[-1] == f"{path}：1 处要改，6 处提醒"


async def test_a_reload_at_debug_level_tells_no_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "bot.yaml"
    path.write_text(TEXT, "utf-8")

    async def explode(settings: object) -> None:
        raise RuntimeError("no")

    watcher = Watcher(path, load_mapping(TREE, environ=SECRETS).require(), explode)
    with caplog.at_level(logging.DEBUG):
        for text in (TEXT.replace("agent_id: 7", "agent_id: 8"), TEXT.replace("agent_id: 7", "agent_id: x")):
            path.write_text(text, "utf-8")
            await watcher.poll_once()
            await watcher.poll_once()
            assert watcher.last_problems
    assert_silent(caplog.text, watcher.last_problems)
