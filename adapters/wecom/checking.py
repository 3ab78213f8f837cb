"""Whether WeCom takes an app as bot.yaml describes it: for `jide doctor`, which sends nothing to anybody."""

from __future__ import annotations

from adapters.wecom.client import TokenKey, WecomClient
from bot.types import Unreachable, Unsendable
from config.clock import Clock
from config.platforms import WecomEntry


async def check(entry: WecomEntry, clock: Clock) -> None:
    """Fetch a token and send a message to nobody: WeCom looks at the trusted IP and the agent before it misses the
    receiver. Raises Misconfigured with the cure, or RetryLater."""
    key = TokenKey(entry.corp_id, entry.secret.get_secret_value(), entry.base_url)
    client = WecomClient(key, clock)
    nobody = {"touser": "", "agentid": entry.agent_id, "msgtype": "text", "text": {"content": "-"}}
    try:
        await client.post("message/send", nobody)
    except (Unreachable, Unsendable):
        return  # nobody is there to receive it: everything else was in order
    finally:
        await client.close()
