"""The fence around lark-oapi: Feishu's long tail of APIs, called with our own token.

Importing it costs two seconds and 176 MB, so it is imported on first use, outside the event loop.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.feishu.errors import Refusal
from config.platforms import FeishuEntry


class LongTail:
    """lark-oapi's client, and the option that makes it use our token instead of fetching one of its own."""

    def __init__(self, client: Any, option: Any) -> None:
        self.client = client
        self.option = option

    async def union_ids_by_email(self, emails: Sequence[str]) -> Mapping[str, str]:
        """E-mail → union_id of the people whom the app may see (platform-facts A13: at most 50 at once)."""
        contact = importlib.import_module("lark_oapi.api.contact.v3")
        body = contact.BatchGetIdUserRequestBody.builder().emails(list(emails)).build()
        request = contact.BatchGetIdUserRequest.builder().user_id_type("union_id").request_body(body).build()
        answer = await self.client.contact.v3.user.abatch_get_id(request, self.option)
        if not answer.success():
            raise Refusal(answer.code, answer.msg, status=answer.raw.status_code)
        return {user.email: user.user_id for user in answer.data.user_list if user.user_id}


async def open_client(entry: FeishuEntry, token: str) -> LongTail:
    """A lark-oapi client of this app that speaks with `token`."""
    lark = await asyncio.to_thread(importlib.import_module, "lark_oapi")
    client = (
        lark.Client.builder()
        .app_id(entry.app_id)
        .app_secret(entry.app_secret.get_secret_value())
        .domain(entry.base_url.rstrip("/"))
        .enable_set_token(True)
        .timeout(8)
        .build()
    )
    return LongTail(client, lark.RequestOption.builder().tenant_access_token(token).build())
