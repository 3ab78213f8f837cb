"""Whether Feishu takes an app as bot.yaml describes it: for `jide doctor`, which sends nothing to anybody."""

from __future__ import annotations

from adapters.feishu.adapter import BOT_INFO, MESSAGES
from adapters.feishu.client import FeishuClient
from adapters.feishu.errors import Refusal, Remedy, cure, translate
from bot.types import Misconfigured
from config.clock import Clock
from config.platforms import FeishuEntry


async def check(entry: FeishuEntry, clock: Clock) -> None:
    """Fetch a token, ask for the bot, and send a message to nobody: Feishu looks at the scopes before it misses the
    receiver. Raises Misconfigured with the cure, or RetryLater."""
    client = FeishuClient(
        base_url=entry.base_url,
        app_id=entry.app_id,
        app_secret=entry.app_secret.get_secret_value(),
        clock=clock,
    )
    try:
        answer = await client.call("GET", BOT_INFO)
        if not (answer.get("bot") or {}).get("open_id"):
            raise Misconfigured("飞书没有说出机器人是谁：在“添加应用能力”里打开机器人，并发布版本")
        nobody = {"receive_id": "", "msg_type": "text", "content": '{"text":""}'}
        await client.call("POST", MESSAGES, query={"receive_id_type": "open_id"}, body=nobody)
    except Refusal as refusal:
        _judge(refusal)
    finally:
        await client.close()


def _judge(refusal: Refusal) -> None:
    """That nobody is there to receive it is what we wanted to hear."""
    if refusal.remedy is Remedy.MEND:
        raise Misconfigured(cure(refusal)) from refusal
    if refusal.remedy in (Remedy.RETRY, Remedy.RENEW):
        raise translate(refusal) from refusal
