"""The `jide` command."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

SHIPPED = Path(__file__).parent.parent / "config" / "bot.yaml"
FINE, FOUND_WRONG, WRONG_USE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 fine, 1 found something wrong, 2 wrong use."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except BrokenPipeError:
        sys.stderr.close()
        return FINE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jide", description="记得：记得每个人怎么做事的办公助手")
    commands = parser.add_subparsers(required=True, metavar="命令")

    playground = commands.add_parser("playground", help="在浏览器里试用：模拟的飞书和企业微信")
    playground.add_argument("--port", type=int, default=8300)
    playground.add_argument("--data", type=Path, help="数据目录；不写则用完即弃")
    playground.add_argument("--config", type=Path, default=SHIPPED)
    playground.set_defaults(command=_playground)

    serve = commands.add_parser("serve", help="连接真实平台运行")
    serve.add_argument("--config", type=Path, default=SHIPPED)
    serve.set_defaults(command=_serve)

    understand = commands.add_parser("understand", help="看一句话被理解成什么")
    understand.add_argument("sentences", nargs="*", help="不写则逐行读标准输入")
    understand.add_argument("--json", action="store_true", help="每行一个 JSON 对象")
    understand.add_argument("--now", help="说话的时刻，ISO 格式")
    understand.add_argument("--config", type=Path, default=SHIPPED)
    understand.set_defaults(command=_understand)

    when = commands.add_parser("when", help="看一句话里的时间")
    when.add_argument("sentences", nargs="*", help="不写则逐行读标准输入")
    when.add_argument("--json", action="store_true", help="每行一个 JSON 对象")
    when.add_argument("--now", help="说话的时刻，ISO 格式")
    when.add_argument("--config", type=Path, default=SHIPPED)
    when.set_defaults(command=_when)

    screen = commands.add_parser("screen", help="看一句话里有什么敏感信息")
    screen.add_argument("sentences", nargs="*", help="不写则逐行读标准输入")
    screen.add_argument("--json", action="store_true", help="每行一个 JSON 对象")
    screen.set_defaults(command=_screen)

    rehearse = commands.add_parser("rehearse", help="排演场景文件")
    rehearse.add_argument("files", nargs="+", type=Path)
    rehearse.add_argument("--quiet", action="store_true", help="只打印没有按剧本走的")
    rehearse.add_argument("--swap", action="store_true", help="两个平台互换着演")
    rehearse.set_defaults(command=_rehearse)

    config = commands.add_parser("config", help="检查、查看配置").add_subparsers(required=True, metavar="动作")
    for name, help_ in (
        ("check", "列出所有问题"),
        ("show", "查看生效值，密钥不显示"),
        ("schema", "给编辑器用的 JSON Schema"),
    ):
        action = config.add_parser(name, help=help_)
        action.add_argument("file", nargs="?", type=Path, default=SHIPPED)
        action.set_defaults(command=_config, action=name)

    database = commands.add_parser("db", help="数据库").add_subparsers(required=True, metavar="动作")
    upgrade = database.add_parser("upgrade", help="升级表结构")
    upgrade.add_argument("--config", type=Path, default=SHIPPED)
    upgrade.set_defaults(command=_upgrade)

    stats = commands.add_parser("stats", help="只有计数：队列里各有多少")
    stats.add_argument("--config", type=Path, default=SHIPPED)
    stats.set_defaults(command=_stats)

    doctor = commands.add_parser("doctor", help="检查配置、数据、密钥、日历、字体和平台，说出怎么改")
    doctor.add_argument("--config", type=Path, default=SHIPPED)
    doctor.set_defaults(command=_doctor)
    return parser


def _playground(options: argparse.Namespace) -> int:
    from bot.rehearsal.playground import run

    return asyncio.run(run(options.port, options.data, options.config))


def _serve(options: argparse.Namespace) -> int:
    from bot.serving import run

    return run(options.config)


def _understand(options: argparse.Namespace) -> int:
    from bot.reading import understand_lines

    return understand_lines(_lines(options), config=options.config, now=options.now)


def _when(options: argparse.Namespace) -> int:
    from bot.reading import when_lines

    return when_lines(_lines(options), config=options.config, now=options.now)


def _screen(options: argparse.Namespace) -> int:
    from bot.reading import screen_lines

    return screen_lines(_lines(options))


def _lines(options: argparse.Namespace) -> Iterable[str]:
    """The sentences given as arguments, else the lines of stdin; bytes that are not UTF-8 come through escaped."""
    if options.sentences:
        return list(options.sentences)
    stdin = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape", newline="\n")
    return (line.rstrip("\n") for line in stdin)


def _rehearse(options: argparse.Namespace) -> int:
    from bot.rehearsal.player import play
    from bot.rehearsal.scenario import ScenarioError, read
    from bot.rehearsal.swapping import swapped

    try:
        scenarios = [read(path) for path in options.files]
    except ScenarioError as error:
        print(error, file=sys.stderr)
        return WRONG_USE
    failed = 0
    for scenario in scenarios:
        outcome = asyncio.run(play(swapped(scenario) if options.swap else scenario))
        failed += outcome.difference is not None
        if outcome.difference or not options.quiet:
            print(outcome.transcript, end="\n\n")
    print(json.dumps({"passed": len(scenarios) - failed, "failed": failed}))
    return FOUND_WRONG if failed else FINE


def _config(options: argparse.Namespace) -> int:
    from config import commands

    if options.action == "schema":
        return commands.print_schema()
    if options.action == "show":
        return commands.show(options.file)
    from bot.app import CHECKS

    return commands.check(options.file, CHECKS)


def _upgrade(options: argparse.Namespace) -> int:
    from bot.serving import upgrade

    return upgrade(options.config)


def _stats(options: argparse.Namespace) -> int:
    from bot.serving import stats

    return stats(options.config)


def _doctor(options: argparse.Namespace) -> int:
    from adapters.feishu import checking as feishu
    from adapters.wecom import checking as wecom
    from bot import doctoring
    from bot.app import CHECKS
    from config.clock import SystemClock

    reach: dict[str, doctoring.Reach] = {"feishu": feishu.check, "wecom": wecom.check}
    return asyncio.run(doctoring.run(options.config, CHECKS, reach, SystemClock()))


if __name__ == "__main__":
    sys.exit(main())
