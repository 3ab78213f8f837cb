"""bot.yaml as admins really type it: what loads, what is repaired with a word, what is refused and how."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.documents import dump, parse
from config.fields import ClockRange
from config.loading import SHIPPED, Loaded, load, load_document, load_mapping, merge, read_mapping
from config.problems import ConfigError, Problem, found
from config.settings import Settings

BASE = read_mapping(SHIPPED)
FEISHU = {"app_id": "cli_1", "app_secret": "sekret", "verification_token": "token"}
WECOM = {"corp_id": "ww1", "agent_id": 7, "secret": "sekret", "token": "token", "aes_key": "a" * 43}


def loaded(text: str, **environ: str) -> Loaded:
    """The shipped file with this text laid over it."""
    document = parse(text, "bot.yaml")
    assert document.tree is not None, document.problems
    return load_mapping(merge(BASE, document.tree), environ=environ)


def refused(text: str, **environ: str) -> str:
    """The problems of a text that must not load, one a line."""
    document = parse(text, "bot.yaml")
    result = loaded(text, **environ) if document.tree is not None else load_document(document, environ={})
    assert result.settings is None
    assert result.errors
    return "\n".join(map(str, result.errors))


def test_the_shipped_file_loads_without_any_environment() -> None:
    result = load(SHIPPED, environ={})
    assert result.problems == ()
    settings = result.require()
    assert settings.platforms.feishu == ()
    assert settings.office.digest_time == time(8)
    assert settings.office.working_hours == ClockRange(time(9), time(18))
    assert settings.office.zone.key == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("text", "section", "field", "value"),
    [
        ("office: {digest_time: 08:00}", "office", "digest_time", time(8)),
        ("office: {digest_time: 22:30}", "office", "digest_time", time(22, 30)),  # YAML 1.1: 1350
        ("office: {digest_time: 8:05}", "office", "digest_time", time(8, 5)),
        ("office: {working_hours: 22:00-6:00}", "office", "working_hours", ClockRange(time(22), time(6))),
        ("office: {name: no}", "office", "name", "no"),
        ("office: {name: on}", "office", "name", "on"),
        ("office: {name: 0123}", "office", "name", "0123"),
        ("office: {name: 1e5}", "office", "name", "1e5"),
        ("office: {name: 1_000}", "office", "name", "1_000"),
        ("office: {name: 2027-02-05}", "office", "name", "2027-02-05"),
        ("office: {name: 12:30}", "office", "name", "12:30"),
        ('office: {name: "null"}', "office", "name", "null"),
        ("office: {name: null}", "office", "name", "记得"),
        ("office:\n  name:\n", "office", "name", "记得"),
        ("office: {name: '$${x}'}", "office", "name", "${x}"),
        ("server: {port: '8081'}", "server", "port", 8081),
        ("server:\n  port: ${PORT}\n", "server", "port", 8082),
        ("server:\n", "server", "port", 8080),
        ("logging: {json: yes}", "logging", "as_json", True),
        ("logging: {json: 'on'}", "logging", "as_json", True),
        ("logging: {json: 是}", "logging", "as_json", True),
        ("logging: {json: Off}", "logging", "as_json", False),
        ("logging: &a {json: true}\noffice: {name: x}\n", "logging", "as_json", True),
        ("a: &a {}\noffice:\n  <<: *a\n  name: x\n", "office", "name", "x"),
    ],
)
def test_a_value_means_what_its_field_says(text: str, section: str, field: str, value: object) -> None:
    text = text.replace("a: &a {}\n", "logging: &a {}\n")
    result = loaded(text, PORT="8082")
    assert result.problems == ()
    assert getattr(getattr(result.require(), section), field) == value


def test_a_union_of_types_follows_yaml_1_2() -> None:
    preferences = {
        "a": {"kind": "minutes", "name": "A", "default": parse("x: 30", "t").tree},
        "b": {"kind": "clock", "name": "B", "default": parse("x: 08:00", "t").tree},
        "c": {"kind": "text", "name": "C", "default": parse("x: no", "t").tree},
        "d": {"kind": "text", "name": "D", "default": parse('x: "30"', "t").tree},
    }
    plain = {key: {**entry, "default": entry["default"]["x"]} for key, entry in preferences.items()}  # type: ignore[index]
    settings = load_mapping(merge(BASE, {"catalog": {"preferences": plain}}), environ={}).require()
    defaults = {key: settings.catalog.preferences[key].default for key in plain}
    assert defaults == {"a": 30, "b": "08:00", "c": "no", "d": "30"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server: {port: 0123}", "bot.yaml:1 server.port: 应为整数（现在是 0123），去掉开头的 0：123"),
        ("server: {port: 1e5}", "写成普通数字 100000"),
        ("server: {port: 1_000}", "只写数字 1000"),
        ("server: {port: ８０８０}", "只写数字 8080"),
        ("server: {port: 8080端口}", "只写数字 8080"),
        ("server: {port: 3.5}", "应为整数"),
        ("server: {port: yes}", "应为整数"),
        ("server: {port: 99999}", "应不大于 65535（现在是 99999）"),
        (f"server: {{port: {'9' * 6000}}}", "应为整数"),
        ("server: {port: [1]}", "应为整数"),
        ("logging: {json: maybe}", "应为 true 或 false（现在是 maybe）"),
        ("logging: {level: warn}", "不认识这个值（现在是 warn），是不是 warning？"),
        ("logging: {level: loud}", "可以写：debug、info、warning、error"),
        ("office: {digest_time: 25:00}", "不是一个时刻（现在是 25:00），写成 24 小时制的 HH:MM"),
        ("office: {digest_time: 8}", "不是一个时刻"),
        ("office: {digest_time: 八点}", "不是一个时刻"),
        ("office: {working_hours: 9点到18点}", "不是一段时间"),
        ("office: {working_hours: 09:00-09:00}", "同一时刻"),
        ("office: {timezone: UTC+8}", "不是时区名（现在是 UTC+8），写成 Asia/Shanghai"),
        ("office: {timezone: 北京时间}", "写成 Asia/Shanghai"),
        ("office: {timezone: Asia/Shanhai}", "是不是 Asia/Shanghai？"),
        ("office: {timezone: tokyo}", "是不是 Asia/Tokyo？"),
        ("office: {timezone: ../../etc/passwd}", "不是时区名"),
        ("office: {name: [记得]}", "应为一段文字，只写一个值，去掉 [ ]"),
        ("office: {name: ''}", "不能是空的"),
        ("office: 记得", "应为一组“键: 值”"),
        ("office: [name, 记得]", "不是列表"),
        ("office: {workdays: {2027: {off: 2027-02-05}}}", "应为列表，写成 [2027-02-05]"),
        ("office: {workdays: {2027: {off: [2027-02-30]}}}", "没有这一天（现在是 2027-02-30）"),
        ("office: {workdays: {2027: {off: [0205]}}}", "不是日期（现在是 0205），写成 2027-02-05 这样"),
        ("office: {workdays: {2027: {off: [2026-02-05]}}}", "2026-02-05 不在 2027 年，把它移到 2026 之下"),
        ("office: {workdays: {2027: {off: [2027-02-05], work: [2027-02-05]}}}", "既放假又上班"),
        ("office: {workdays: {明年: {off: []}}}", "workdays.明年"),
        ("storage: {housekeeping: 30 3 30 2 *}", "这一天永远不会到来"),
        ("storage: {housekeeping: 30 3 * *}", "应有五段，现在有 4 段"),
        ("storage: {housekeeping: '@daily'}", "应有五段"),
        ("storage: {database: 'mysql://u:p@h/d'}", "以 postgresql+asyncpg:// 或 sqlite:// 开头"),
        ("catalog: {preferences: {language: {words: 语言，lang}}}", "应为列表，写成 [语言, lang]"),
        ("catalog: {preferences: {Bad Key: {name: x, kind: text}}}", "用小写英文字母、数字和 _"),
        ("server:\n  port: ${PROT}\n", "环境变量 PROT 没有设置或是空的，启动前设置它，或改成 ${PORT}"),
        ("server:\n  port: ${EMPTY}\n", "环境变量 EMPTY 没有设置或是空的"),
        ("server:\n  host: ${PORT\n", "${ 后面不是环境变量名，写成 ${NAME}"),
        ("server:\n  host: ${PORT:-80}\n", "${ 后面不是环境变量名"),
    ],
)
def test_a_wrong_value_is_refused_with_its_cure(text: str, said: str) -> None:
    assert said in refused(text, PORT="80", EMPTY="")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server:\n  prot: 1\n", "bot.yaml:2 server.prot: 没有这个键，是不是 port？"),
        ("sever:\n  port: 1\n", "bot.yaml:1 sever: 没有这个键，是不是 server？"),
        ("server:\n  Port: 1\n", "是不是 port？"),
        ("logging:\n  json：true\n  level: info\n", "bot.yaml:2: 用了全角冒号 ：，改成半角冒号加一个空格"),
        ("server:\n  timezone: Asia/Shanghai\n", "timezone 写在 office，移到那里"),
        ("timezone: Asia/Shanghai\n", "timezone 写在 office，移到那里"),
        ("server:\n  office: {}\n", "office 写在 最外层，移到那里"),
        ("app_id: cli_1\n", "app_id 写在 platforms.feishu，移到那里"),
        ("server:\n  zzz: 1\n", "删掉它；这里可以写：host、port"),
        ("server:\n\u3000port: 1\n", "键里有全角空格或看不见的字符"),
        ("server:\n  \u200bport: 1\n", "键里有全角空格或看不见的字符"),
        ("office: {workdays: {2027: {of: []}}}", "office.workdays.2027.of: 没有这个键，是不是 off？"),
        (
            "catalog: {preferences: {language: {nmae: x}}}",
            "catalog.preferences.language.nmae: 没有这个键，是不是 name？",
        ),
        ("office: {name: a, name: b}", "bot.yaml:1 name: 这个键在第 1 行已经写过"),
        ("office: {name: a}\nserver: {}\noffice: {}\n", "bot.yaml:3 office: 这个键在第 1 行已经写过"),
    ],
)
def test_a_wrong_key_is_refused_with_the_nearest_valid_one(text: str, said: str) -> None:
    assert said in refused(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server:\n\tport: 1\n", "bot.yaml:2: 用了 Tab 缩进，改成空格"),
        ("server:\n  port: 1\n\thost: x\n", "bot.yaml:3: 用了 Tab 缩进"),
        ("server：\n  port: 1\n", "bot.yaml:1: 用了全角冒号"),
        ("server:\n  port：1\n", "用了全角冒号"),
        ("office：记得\n", "用了全角冒号"),
        ("server:\n  host: a\n  port:1\n", "bot.yaml:3: 冒号后面没有空格"),
        ('office:\n  name: "记得\n', "bot.yaml:2: 引号没有成对"),
        ("office: [1, 2\nserver: {}\n", "bot.yaml:1: 方括号 [ ] 没有成对"),
        ("office: {name: x\n", "花括号 { } 没有成对"),
        ("office: a: b\n", "给整个值加上引号"),
        ("office: @x\n", "值不能以这个符号开头"),
        ("office: *x\n", "没有这个锚点"),
        ("office: !env X\n", "以 ! 开头的值会被当作 YAML 标签"),
        ("office: {{ x }}\n", "键不是文字"),
        ("a: 1\n---\nb: 2\n", "bot.yaml:2: 文件里有第二个 ---"),
        ("server:\n   port: 1\n  host: x\n", "bot.yaml:3: 缩进不一致"),
        ("office: x\0y\n", "看不见的控制字符"),
        ("office: &x [*x]\n", "别名（*）引用了自己"),
        ("office: " + "[" * 20_000, "嵌套太深"),
        ("server:\n  <<: 3\n", "<< 后面不是一组键值"),
        ("- server\n", "最外层应为“键: 值”"),
        ("", "文件是空的"),
        ("# 只有注释\n", "文件是空的"),
        ("null\n", "最外层应为"),
    ],
)
def test_a_text_that_is_no_yaml_is_refused_with_its_line_and_cure(text: str, said: str) -> None:
    assert said in refused(text)


def test_aliases_that_multiply_are_refused() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30))
    assert "展开后太大" in refused(bomb)


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("\ufeffoffice: {name: x}\n", "", "文件开头有 BOM，已略过"),
        ("office:\r\n  name: x\r\n", "", "换行是 Windows 的 CRLF"),
        ("office: {digest_time: 8：30}\n", "office.digest_time", "有全角字符，已换成半角"),
        ("server: {host: ' 0.0.0.0 '}\n", "server.host", "前后有空格或换行，已去掉"),
        ("server:\n  host: ${HOST}\n", "server.host", "前后有空格或换行，已去掉"),
        ("server: {host: '\u200b0.0.0.0'}\n", "server.host", "有看不见的字符，已去掉"),
    ],
)
def test_a_slip_of_the_keyboard_is_repaired_with_a_word(text: str, key: str, said: str) -> None:
    document = parse(text, "bot.yaml")
    assert document.tree is not None
    result = load_mapping(merge(BASE, document.tree), environ={"HOST": "0.0.0.0\n"})
    (problem,) = (*document.problems, *result.problems)
    assert problem.warning
    assert problem.key == key
    assert said in problem.message
    assert "提醒：" in str(problem)
    assert result.settings is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("office: {name: 记得}".encode("gb18030"), "bot.yaml:1: 不是 UTF-8 编码，用编辑器另存为 UTF-8（现在像是 GBK）"),
        ("office: {name: x}".encode("utf-16"), "（现在像是 UTF-16）"),
        (b"a: 1\nb: \xff\xff\xff\n", "bot.yaml:2: 不是 UTF-8"),
    ],
)
def test_another_encoding_is_named(content: bytes, said: str) -> None:
    (problem,) = parse(content, "bot.yaml").problems
    assert said in str(problem)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    assert "文件不存在" in str(load(tmp_path / "bot.yaml").errors[0])
    assert "这是一个目录" in str(load(tmp_path).errors[0])
    assert "文件读不出来" in str(load(Path("a\0b")).errors[0])


def test_all_problems_come_at_once_in_the_order_of_the_file() -> None:
    text = "server:\n  prot: 1\n  port: x\noffice:\n  timezone: UTC+8\n  digest_time: 99\nstorage:\n  data: [x]\n"
    lines = [problem.line for problem in loaded(text).errors]
    assert lines == [2, 3, 5, 6, 8]


def test_a_misspelt_required_key_is_told_once() -> None:
    text = "platforms:\n  feishu:\n    app_id: cli_1\n    app_scret: s\n    verification_token: t\n"
    (problem,) = loaded(text).errors
    assert str(problem) == "bot.yaml:4 platforms.feishu.app_scret: 没有这个键，是不是 app_secret？"


# --- platforms -----------------------------------------------------------------------------------------------


def platforms(**entries: object) -> Loaded:
    return load_mapping(merge(BASE, {"platforms": entries}), environ={})


def test_a_single_app_is_called_as_its_platform() -> None:
    settings = platforms(feishu=FEISHU, wecom=WECOM).require()
    assert [entry.name for entry in settings.platforms.feishu] == ["feishu"]
    assert [entry.suffix for entry in settings.platforms.wecom] == [""]
    assert settings.platforms.wecom[0].agent_id == 7


def test_listed_apps_carry_their_short_names() -> None:
    apps = [{**FEISHU, "name": "sales"}, {**FEISHU, "name": "rd", "app_id": "cli_2"}]
    settings = platforms(feishu=apps).require()
    assert [entry.name for entry in settings.platforms.feishu] == ["feishu/sales", "feishu/rd"]
    assert settings.platforms.feishu[1].suffix == "/rd"


@pytest.mark.parametrize(
    ("entries", "key", "said"),
    [
        ({"feishu": {**FEISHU, "name": "a"}}, "platforms.feishu.name", "只有一个应用时不用写 name"),
        ({"feishu": [FEISHU]}, "platforms.feishu[0].name", "缺少这个键"),
        ({"feishu": [{**FEISHU, "name": "销售"}]}, "platforms.feishu[0].name", "短名只能用"),
        (
            {"feishu": [{**FEISHU, "name": "a"}, {**FEISHU, "name": "a", "app_id": "cli_2"}]},
            "platforms.feishu[1].name",
            "已经用过",
        ),
        ({"feishu": [{**FEISHU, "name": "a"}, {**FEISHU, "name": "b"}]}, "platforms.feishu[1]", "同一个应用"),
        ({"feishu": "cli_1"}, "platforms.feishu", "应为一个应用，或应用的列表"),
        ({"feishu": {**FEISHU, "verification_token": None}}, "platforms.feishu", "用 webhook 收消息时必填"),
        ({"feishu": {**FEISHU, "app_secret": "se kret"}}, "platforms.feishu.app_secret", "中间有空格或换行"),
        ({"feishu": {**FEISHU, "base_url": "open.feishu.cn"}}, "platforms.feishu.base_url", "不是网址"),
        ({"feishu": {**FEISHU, "base_url": "https://x.cn/api"}}, "platforms.feishu.base_url", "只能有协议"),
        ({"wecom": {**WECOM, "aes_key": "short"}}, "platforms.wecom.aes_key", "应为 43 个字母或数字，现在有 5 个字符"),
        ({"wecom": {**WECOM, "agent_id": "007"}}, "platforms.wecom.agent_id", "应为整数"),
        ({"wecom": {**WECOM, "encrypt_key": "x"}}, "platforms.wecom.encrypt_key", "encrypt_key 写在 platforms.feishu"),
    ],
)
def test_a_wrong_app_is_refused_at_its_key(entries: dict[str, object], key: str, said: str) -> None:
    (problem,) = platforms(**entries).errors
    assert problem.key.startswith(key)
    assert said in str(problem)


def test_a_long_connection_needs_no_verification_token() -> None:
    app = {key: value for key, value in FEISHU.items() if key != "verification_token"}
    assert platforms(feishu={**app, "receive": "socket"}).require().platforms.feishu[0].receive == "socket"


def test_a_trailing_slash_of_a_base_url_does_not_matter() -> None:
    settings = platforms(feishu={**FEISHU, "base_url": "http://127.0.0.1:9000/"}).require()
    assert settings.platforms.feishu[0].base_url == "http://127.0.0.1:9000"


# --- checks, merging, locating -------------------------------------------------------------------------------


def test_checks_see_valid_settings_and_their_problems_get_lines() -> None:
    def no_office(settings: Settings) -> Iterable[Problem]:
        yield found("office.name", f"{settings.office.name} 不好听", "换一个")

    document = parse("server: {port: 1}\noffice:\n  name: 忘了\n", "bot.yaml")
    assert document.tree is not None
    result = load_mapping(merge(BASE, document.tree), checks=[no_office], environ={})
    assert [str(problem) for problem in result.problems] == ["bot.yaml:3 office.name: 忘了 不好听，换一个"]
    with pytest.raises(ConfigError, match="不好听"):
        result.require()


def test_checks_do_not_run_on_broken_settings() -> None:
    def never(settings: Settings) -> Iterable[Problem]:
        raise AssertionError(settings)

    document = parse("server: {port: x}\n", "bot.yaml")
    assert load_mapping(merge(BASE, document.tree or {}), checks=[never], environ={}).settings is None


def test_a_check_that_only_warns_lets_the_file_load() -> None:
    def warn(settings: Settings) -> Iterable[Problem]:
        yield found("office", "小心", warning=True)

    assert load(SHIPPED, checks=[warn], environ={}).require()


def test_merging_goes_key_by_key_and_replaces_lists() -> None:
    base = parse("a: {b: 1, c: [1, 2]}\nd: 4\n", "base.yaml").tree or {}
    over = parse("\n\na: {c: [3], e: 5}\n", "over.yaml").tree or {}
    assert merge(base, over) == {"a": {"b": "1", "c": ["3"], "e": "5"}, "d": "4"}
    assert base["a"] == {"b": "1", "c": ["1", "2"]}


def test_a_merged_value_keeps_the_file_and_line_it_came_from() -> None:
    over = parse("\nserver:\n  port: x\n", "scenario.yaml").tree or {}
    (problem,) = load_mapping(merge(BASE, over), environ={}).errors
    assert (problem.file, problem.line) == ("scenario.yaml", 3)


def test_python_values_may_stand_in_a_mapping() -> None:
    over = {
        "server": {"port": 81},
        "logging": {"json": True},
        "office": {"workdays": {2027: {"off": [date(2027, 2, 5)]}}},
    }
    settings = load_mapping(merge(BASE, over), environ={}).require()
    assert settings.server.port == 81
    assert settings.office.workdays == {2027: {"off": (date(2027, 2, 5),), "work": ()}}


def test_a_key_is_located_with_dots_and_indexes() -> None:
    document = parse(
        "server:\n  port: 1\noffice:\n  workdays:\n    2027:\n      off:\n        - 2027-01-04\n", "b.yaml"
    )
    result = load_mapping(merge(BASE, document.tree or {}), environ={}, file="b.yaml")
    assert result.locate("server.port") == ("b.yaml", 2)
    assert result.locate("office.workdays.2027.off[0]") == ("b.yaml", 7)
    assert result.locate("server.nothing.here") == ("b.yaml", 1)


def test_the_environment_fills_parts_of_a_text() -> None:
    text = "storage:\n  database: postgresql+asyncpg://jide:${PW}@${HOST}/jide\n"
    url = loaded(text, PW="p@w", HOST="db").require().storage.database
    assert url is not None
    assert url.get_secret_value() == "postgresql+asyncpg://jide:p@w@db/jide"


scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(["no", "08:00", "0123", "null", "~", "", "true", "1e5", " x ", "a: b", "- x", "#x", "${X}", "好"]),
    st.sampled_from(["\x85", "a\x85b", "\u2028", "\u2029"]),  # line breaks that are easily folded away
)


@given(st.recursive(scalars, lambda inner: st.dictionaries(scalars, inner, max_size=3) | st.lists(inner, max_size=3)))
def test_a_dumped_tree_reads_back_the_same(value: object) -> None:
    document = parse(dump({"root": value}), "x.yaml")
    assert document.tree == {"root": value}


@pytest.mark.parametrize("text", ["a: no\n", 'a: "no"\n', "a: 08:00\n", "a: null\n", 'a: "null"\n', "a: [1, '2']\n"])
def test_a_dumped_document_keeps_what_was_plain_and_what_was_quoted(text: str) -> None:
    tree = parse(text, "x.yaml").tree or {}
    again = parse(dump(tree), "x.yaml").tree or {}

    def plainness(value: object) -> object:
        return [plainness(item) for item in value] if isinstance(value, list) else value.plain  # type: ignore[attr-defined]

    assert plainness(again["a"]) == plainness(tree["a"])
