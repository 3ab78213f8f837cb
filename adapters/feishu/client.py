"""Our client of Feishu's open API: one keep-alive session, one shared token, typed refusals."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import aiohttp

from adapters.feishu.cards import to_json
from adapters.feishu.errors import Refusal, Remedy, cure, translate
from bot.types import Misconfigured, RetryLater
from config.clock import Clock

CALL_TIMEOUT = aiohttp.ClientTimeout(total=8, connect=3)
UPLOAD_TIMEOUT = aiohttp.ClientTimeout(total=60, connect=3)

REFRESH_BELOW = timedelta(minutes=25)
"""Below 30 minutes Feishu issues a second token and keeps the first valid (platform-facts A8)."""

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"


@dataclass(frozen=True)
class TokenKey:
    """Whose token: a changed secret or domain is another key. The secret itself is only hashed into it."""

    base_url: str
    app_id: str
    secret_hash: str

    @classmethod
    def of(cls, base_url: str, app_id: str, secret: str) -> TokenKey:
        return cls(base_url, app_id, hashlib.sha256(secret.encode()).hexdigest())


@dataclass(frozen=True)
class Token:
    value: str
    expires_at: datetime


class TokenStore(Protocol):
    """Where replicas share tokens: read, written under the key's lock so that one of them fetches."""

    async def get(self, key: TokenKey) -> Token | None: ...

    async def put(self, key: TokenKey, token: Token) -> None: ...

    def lock(self, key: TokenKey) -> AbstractAsyncContextManager[Any]: ...


class InMemoryTokens:
    """The tokens of one process."""

    def __init__(self) -> None:
        self._tokens: dict[TokenKey, Token] = {}
        self._locks: dict[TokenKey, asyncio.Lock] = {}

    async def get(self, key: TokenKey) -> Token | None:
        return self._tokens.get(key)

    async def put(self, key: TokenKey, token: Token) -> None:
        self._tokens[key] = token

    def lock(self, key: TokenKey) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())


class FeishuClient:
    """Calls of one app. Every method raises `Refusal` for an error code and `RetryLater` for no answer."""

    def __init__(
        self,
        *,
        base_url: str,
        app_id: str,
        app_secret: str,
        clock: Clock,
        session: aiohttp.ClientSession | None = None,
        tokens: TokenStore | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._app_id = app_id
        self._app_secret = app_secret
        self._clock = clock
        self._session = session
        self._owns_session = session is None
        self._tokens: TokenStore = tokens or InMemoryTokens()
        self._key = TokenKey.of(self._base_url, app_id, app_secret)

    async def close(self) -> None:
        if self._session is not None and self._owns_session:
            await self._session.close()
            self._session = None

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any]:
        """The whole answer of a JSON call: mostly `data`, some older APIs answer on the top level."""

        def send(headers: dict[str, str]) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
            return self._open(method, path, headers, query=query, body=body)

        return await self._authorised(send)

    async def upload(self, path: str, fields: Mapping[str, str], field: str, name: str, content: bytes) -> str:
        """Upload one file as multipart form; its `image_key` or `file_key`."""

        def send(headers: dict[str, str]) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
            form = aiohttp.FormData(quote_fields=False)
            for key, value in fields.items():
                form.add_field(key, value)
            form.add_field(field, content, filename=name.replace('"', "'"))
            return self._http().post(self._base_url + path, data=form, headers=headers, timeout=UPLOAD_TIMEOUT)

        data = (await self._authorised(send)).get("data") or {}
        return str(data.get("image_key") or data.get("file_key") or "")

    async def token(self, *, instead_of: str | None = None) -> str:
        """A tenant token with at least some minutes left; `instead_of` one that Feishu has just refused."""
        token = await self._tokens.get(self._key)
        if token and self._is_fresh(token, instead_of):
            return token.value
        async with self._tokens.lock(self._key):
            token = await self._tokens.get(self._key)
            if token and self._is_fresh(token, instead_of):
                return token.value
            try:
                fetched = await self._fetch_token()
            except RetryLater:
                if token and token.value != instead_of and token.expires_at > self._clock.now():
                    return token.value
                raise
            await self._tokens.put(self._key, fetched)
            return fetched.value

    def _is_fresh(self, token: Token, refused: str | None) -> bool:
        return token.value != refused and token.expires_at - self._clock.now() >= REFRESH_BELOW

    async def _fetch_token(self) -> Token:
        asked_at = self._clock.now()
        credentials = {"app_id": self._app_id, "app_secret": self._app_secret}
        try:
            answer = await _exchange(self._open("POST", TOKEN_PATH, {}, body=credentials))
        except Refusal as refusal:
            if refusal.remedy is Remedy.RETRY:
                raise translate(refusal) from refusal
            raise Misconfigured(cure(refusal)) from refusal
        lifetime = timedelta(seconds=int(answer.get("expire") or 0))
        return Token(str(answer.get("tenant_access_token", "")), asked_at + lifetime)

    async def _authorised(
        self, send: Callable[[dict[str, str]], AbstractAsyncContextManager[aiohttp.ClientResponse]]
    ) -> Mapping[str, Any]:
        token = await self.token()
        try:
            return await _exchange(send({"Authorization": f"Bearer {token}"}))
        except Refusal as refusal:
            if refusal.remedy is not Remedy.RENEW:
                raise
        token = await self.token(instead_of=token)
        return await _exchange(send({"Authorization": f"Bearer {token}"}))

    def _open(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        data = None if body is None else to_json(body).encode("utf-8", "replace")
        return self._http().request(
            method,
            self._base_url + path,
            params=query,
            data=data,
            headers={"Content-Type": "application/json; charset=utf-8", **headers},
            timeout=CALL_TIMEOUT,
            allow_redirects=False,
        )

    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session


async def _exchange(opening: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> Mapping[str, Any]:
    """Send, read the answer, and tell apart: done, refused, never arrived, unknown."""
    try:
        async with opening as response:
            raw = await response.read()
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise RetryLater(f"no connection to Feishu: {type(error).__name__}") from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise RetryLater(f"no answer from Feishu: {type(error).__name__}", unknown=True) from error
    return _read_answer(response, raw)


def _read_answer(response: aiohttp.ClientResponse, raw: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        answer = None
    code = answer.get("code") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(code, int):
        raise _no_json(response)
    if code == 0 and response.status < 400:
        return answer
    raise Refusal(code, str(answer.get("msg", "")), status=response.status, after=_wait(response))


def _no_json(response: aiohttp.ClientResponse) -> Exception:
    if response.status == 429 or response.status >= 500:
        return Refusal(0, f"HTTP {response.status}", status=response.status, after=_wait(response))
    if response.status >= 300:
        return Misconfigured(
            f"飞书地址 {response.url.origin()} 回答了 HTTP {response.status}，请检查 bot.yaml 里的 base_url"
        )
    return RetryLater("not an answer of Feishu's", unknown=True)


def _wait(response: aiohttp.ClientResponse) -> timedelta | None:
    """`x-ogw-ratelimit-reset`: seconds to wait (platform-facts A7)."""
    seconds = response.headers.get("x-ogw-ratelimit-reset", "")
    return timedelta(seconds=int(seconds)) if seconds.isdecimal() else None
