"""The JSON Schema says what loading accepts, and says it in Chinese."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from config import commands
from config.loading import SHIPPED, load_mapping
from config.schema import schema

VALIDATOR = Draft202012Validator(schema())
FEISHU = {"app_id": "cli_1", "app_secret": "${S}", "verification_token": "${T}"}
WECOM = {"corp_id": "ww1", "agent_id": 7, "secret": "s", "token": "t", "aes_key": "a" * 43}


class _Yaml12(yaml.SafeLoader):
    """Reads plain scalars as editors do: YAML 1.2, no sexagesimals, no dates, no `no`."""


_Yaml12.yaml_implicit_resolvers = {}
for _pattern, _tag in (("true|false", "bool"), ("|~|null", "null"), ("-?[0-9]+", "int")):
    _Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None)


def shipped() -> Any:
    return yaml.load(SHIPPED.read_text("utf-8"), Loader=_Yaml12)


def errors_with(section: str, value: object) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors({**shipped(), section: value})]


def test_it_is_a_schema_and_the_shipped_file_keeps_it() -> None:
    Draft202012Validator.check_schema(schema())
    assert [error.message for error in VALIDATOR.iter_errors(shipped())] == []


@pytest.mark.parametrize(
    ("section", "value", "fits"),
    [
        ("platforms", {"feishu": FEISHU}, True),
        ("platforms", {"feishu": [{**FEISHU, "name": "a"}, {**FEISHU, "app_id": "cli_2", "name": "b"}]}, True),
        ("platforms", {"feishu": [FEISHU]}, False),
        ("platforms", {"feishu": {**FEISHU, "name": "a"}}, False),
        ("platforms", {"feishu": None, "wecom": WECOM}, True),
        ("platforms", {"wecom": {**WECOM, "agent_id": "${AGENT}"}}, True),
        ("platforms", {"wecom": {**WECOM, "agent_id": "seven"}}, False),
        ("platforms", None, True),
        ("server", {"port": "${PORT}"}, True),
        ("server", {"port": 0}, False),
        ("server", {"prot": 1}, False),
        ("logging", {"json": "${JSON}", "level": "debug"}, True),
        ("logging", {"level": "loud"}, False),
        ("office", {"workdays": {"2027": {"off": ["2027-02-05"]}}}, True),
        ("office", {"digest_time": "8点"}, False),
        ("storage", {"database": None, "housekeeping": "0 3 * * *"}, True),
    ],
)
def test_schema_and_loading_agree(section: str, value: object, fits: bool) -> None:
    environ = {"S": "s", "T": "t", "AGENT": "7", "PORT": "80", "JSON": "yes"}
    assert (errors_with(section, value) == []) == fits
    assert (load_mapping({**shipped(), section: value}, environ=environ).settings is not None) == fits


def test_every_key_is_described_in_chinese() -> None:
    def undescribed(part: Any, at: str) -> Iterator[str]:
        if isinstance(part, dict):
            for key, value in part.get("properties", {}).items():
                if not any("\u4e00" <= char <= "\u9fff" for char in value.get("description", "")):
                    yield f"{at}.{key}"
            for key, value in part.items():
                yield from undescribed(value, f"{at}.{key}")

    assert list(undescribed(schema(), "")) == []


def test_defaults_are_written_as_an_admin_writes_them() -> None:
    office = schema()["$defs"]["OfficeSettings"]["properties"]
    assert office["digest_time"]["default"] == "08:00"
    assert office["working_hours"]["default"] == "09:00-18:00"


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.print_schema() == 0
    assert json.loads(capsys.readouterr().out) == schema()


def test_the_shipped_file_passes_the_command_that_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.check(SHIPPED) == 0
    assert capsys.readouterr().out == f"{SHIPPED}：没有问题\n"
