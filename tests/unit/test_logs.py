"""What the log may say, and that what people said, their names and the secrets are not in it."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from io import StringIO
from pathlib import Path

import pytest

from bot import logs
from bot.app import settings_from
from bot.rehearsal.world import World
from config.clock import ManualClock
from config.documents import merge, read
from config.loading import SHIPPED
from tests.integration.talking import LILEI, START, XIAOWEN

SENTENCE = "记住，老板是张总，他只看表格"
PHONE = "13800138000"
NAMES = ("晓雯", "李雷", "张总", "ou_xiaowen", "xiaowen", "XiaoWen", "on_")


def settings_with(level: str = "debug", as_json: bool = False, **more: object) -> logs.Settings:
    ours = {"logging": {"level": level, "json": as_json}, **more}
    return settings_from(merge(read(SHIPPED).tree or {}, ours))


@pytest.fixture
def stream() -> Iterator[StringIO]:
    yield StringIO()
    logs.release()


def fail_with(text: str) -> None:
    raise ValueError(text)


def log_a_failure(logger: str, text: str) -> None:
    try:
        fail_with(text)
    except ValueError as error:
        try:
            raise RuntimeError(f"while reading {text}") from error
        except RuntimeError:
            logging.getLogger(logger).exception("turn failed", extra={"row": 17, "text": text, "app": "feishu"})


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("logger", ["jide.inbox", "memory.stores.transaction", "asyncio", "aiohttp.server"])
def test_an_exception_is_told_by_type_and_place(stream: StringIO, logger: str, as_json: bool) -> None:
    logs.configure(settings_with(as_json=as_json), stream)
    log_a_failure(logger, SENTENCE)
    line = stream.getvalue()
    assert SENTENCE not in line
    assert line.count("\n") == 1
    assert "RuntimeError at tests/unit/test_logs.py" in line
    assert "ValueError at tests/unit/test_logs.py" in line
    assert "in fail_with" in line


def test_a_json_line_has_the_ids_and_only_those(stream: StringIO) -> None:
    logs.configure(settings_with(as_json=True), stream)
    log_a_failure("jide.inbox", SENTENCE)
    line = json.loads(stream.getvalue())
    assert (line["level"], line["logger"], line["message"]) == ("error", "jide.inbox", "turn failed")
    assert (line["row"], line["app"]) == (17, "feishu")
    assert set(line) == {"at", "level", "logger", "message", "row", "app", "errors"}


@pytest.mark.parametrize("logger", ["aiohttp.client", "apscheduler.scheduler", "sqlalchemy.engine", "Lark", "asyncio"])
def test_libraries_are_quiet_below_a_warning_and_never_quote(stream: StringIO, logger: str) -> None:
    """Field fault J4: older SDKs print whole headers and bodies at debug."""
    logs.configure(settings_with("debug"), stream)
    for level in (logging.DEBUG, logging.INFO):
        logging.getLogger(logger).log(level, f"body: {SENTENCE}")
    assert stream.getvalue() == ""
    logging.getLogger(logger).error(f"future: <Task exception=ValueError('{SENTENCE}')>")
    logging.getLogger(logger).error("Error handling %s", SENTENCE)
    assert SENTENCE not in stream.getvalue()
    assert "Error handling %s" in stream.getvalue()


def test_a_secret_prints_as_stars_wherever_it_turns_up(stream: StringIO) -> None:
    app = {"app_id": "cli_a", "app_secret": "s3cret-of-the-app", "verification_token": "v-token-1"}
    logs.configure(settings_with(platforms={"feishu": app}, storage={"master_key": "bWFzdGVy"}), stream)
    logging.getLogger("jide.app").warning(
        "token %s refused for %s with %s", "v-token-1", "s3cret-of-the-app", "bWFzdGVy"
    )
    assert "token *** refused for *** with ***" in stream.getvalue()


def test_a_line_break_does_not_forge_a_line(stream: StringIO) -> None:
    logs.configure(settings_with(), stream)
    logging.getLogger("jide.web").warning("refused: %s", "odd\n2026-01-01 ERROR forged")
    assert stream.getvalue().count("\n") == 1


def test_a_line_that_cannot_be_formatted_is_not_quoted(stream: StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    handler = logs.configure(settings_with(), stream)
    handler.handle(logging.LogRecord("jide.app", logging.WARNING, __file__, 1, "%d rows", (SENTENCE,), None))
    assert "could not be written" in stream.getvalue()
    assert SENTENCE not in stream.getvalue() + capsys.readouterr().err


def test_configuring_again_replaces_the_first(stream: StringIO) -> None:
    logs.configure(settings_with("debug"), stream)
    logs.configure(settings_with("error"), stream)
    logging.getLogger("jide.app").warning("not any more")
    logging.getLogger("jide.app").error("once")
    assert stream.getvalue().count("\n") == 1


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    opened = World(ManualClock(START), (XIAOWEN, LILEI), tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
async def test_conversations_at_debug_leave_nothing_of_people_or_secrets(
    world: World, stream: StringIO, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field fault J4, over everything that happens: turns, failures, refusals, lost tokens, a reload, bad requests."""
    logging_settings = world.settings.logging.model_copy(update={"level": "debug", "as_json": as_json})
    settings = world.settings.model_copy(update={"logging": logging_settings})
    logs.configure(settings, stream)
    for via in ("feishu", "wecom"):
        for text in (SENTENCE, f"我的手机号是{PHONE}", "帮我生成周报", "早"):
            await world.say("晓雯", via, text)
            await world.settle()
    world.feishu.revoke_tokens()
    world.feishu.fail_next("/messages", 230001, text=f"invalid content: {SENTENCE} of ou_xiaowen")
    await world.say("晓雯", "feishu", SENTENCE)
    await world.settle()
    world.feishu.fail_next("/messages", 99991663, text=SENTENCE)
    await world.say("晓雯", "feishu", "帮助")
    await world.settle()

    def handle(*_: object, **__: object) -> None:
        raise ValueError(f"cannot handle {SENTENCE}")

    monkeypatch.setattr(world.app.inbox._handler, "handle", handle)
    await world.say("李雷", "wecom", SENTENCE)
    await world.settle()
    await world.reload({"office": {"name": "小记"}})
    found = stream.getvalue()
    assert "turn failed" in found
    secrets = [secret for secret in logs.secrets_of(settings) if secret]
    assert len(secrets) >= 5
    assert [each for each in (SENTENCE, SENTENCE[3:], PHONE, *NAMES, *secrets) if each in found] == []
