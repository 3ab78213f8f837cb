"""A small async client of the WeCom API: one session, a shared access token, errors by remedy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import aiohttp

from adapters.wecom.errors import TOKEN_CODES, error_for
from bot.types import RetryLater
from config.clock import Clock

_REFRESH_BEFORE = timedelta(minutes=5)
_REFRESH_AGAIN = timedelta(minutes=1)
_CONNECT_SECONDS = 3.0


@dataclass(frozen=True)
class TokenKey:
    """Whose token it is: a changed secret or another platform address never meets an old token."""

    corp_id: str
    secret: str
    base_url: str


@dataclass(frozen=True)
class Token:
    value: str
    refresh_at: datetime

    @classmethod
    def issued(cls, value: str, seconds: int, now: datetime) -> Token:
        """Refreshed five minutes before its end, but not with every call in those: until then the platform
        answers with the same token, and blocks who asks too often (C7)."""
        ends_at = now + timedelta(seconds=seconds)
        return cls(value, min(ends_at, max(ends_at - _REFRESH_BEFORE, now + _REFRESH_AGAIN)))


class TokenStore(Protocol):
    """Where access tokens are kept; replicas that share one fetch fewer."""

    async def get(self, key: TokenKey) -> Token | None: ...

    async def put(self, key: TokenKey, token: Token) -> None: ...


class InMemoryTokens:
    def __init__(self) -> None:
        self._tokens: dict[TokenKey, Token] = {}

    async def get(self, key: TokenKey) -> Token | None:
        return self._tokens.get(key)

    async def put(self, key: TokenKey, token: Token) -> None:
        self._tokens[key] = token


class WecomClient:
    """Calls below `{base_url}/cgi-bin/` for one app."""

    def __init__(
        self,
        key: TokenKey,
        clock: Clock,
        *,
        session: aiohttp.ClientSession | None = None,
        tokens: TokenStore | None = None,
        seconds: float = 10.0,
    ) -> None:
        self._key = key
        self._clock = clock
        self._session = session
        self._owns_session = session is None
        self._tokens = tokens or InMemoryTokens()
        self._fetching = asyncio.Lock()
        self._timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS)

    async def close(self) -> None:
        if self._session is not None and self._owns_session:
            await self._session.close()
            self._session = None

    async def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer to a JSON call. Raises what `errors.error_for` finds in it, or RetryLater."""
        return await self._call(path, {}, lambda: {"json": dict(body)}, asks=False)

    async def upload(self, kind: str, name: str, content: bytes) -> str:
        """Upload temporary media (three days); its media_id."""

        def form() -> Mapping[str, Any]:
            # The platform reads only a plain UTF-8 file name, not the escaped `filename*=` of RFC 5987.
            data = aiohttp.FormData(quote_fields=False)
            data.add_field("media", content, filename=name, content_type="application/octet-stream")
            return {"data": data}

        answer = await self._call("media/upload", {"type": kind}, form, asks=True)
        return str(_required(answer, "media_id"))

    async def _call(
        self, path: str, params: Mapping[str, str], body: Callable[[], Mapping[str, Any]], *, asks: bool
    ) -> Mapping[str, Any]:
        token = await self._token()
        answer = await self._request("POST", path, {**params, "access_token": token}, body(), asks=asks)
        if answer.get("errcode") in TOKEN_CODES:
            # Once only: fetching again and again gets the corp blocked (C7).
            token = await self._token(refused=token)
            answer = await self._request("POST", path, {**params, "access_token": token}, body(), asks=asks)
        return self._checked(answer)

    async def _token(self, refused: str | None = None) -> str:
        """The shared token; a new one when it is about to expire or is the one that was refused."""
        async with self._fetching:
            known = await self._tokens.get(self._key)
            asked_at = self._clock.now()
            if known is not None and known.value != refused and asked_at < known.refresh_at:
                return known.value
            params = {"corpid": self._key.corp_id, "corpsecret": self._key.secret}
            answer = self._checked(await self._request("GET", "gettoken", params, {}, asks=True))
            value, seconds = _required(answer, "access_token"), _required(answer, "expires_in")
            token = Token.issued(str(value), int(seconds), asked_at)
            await self._tokens.put(self._key, token)
            return token.value

    def _checked(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if (error := error_for(answer, self._clock.now())) is not None:
            raise error
        return answer

    async def _request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        body: Mapping[str, Any],
        *,
        asks: bool,
    ) -> Mapping[str, Any]:
        """One HTTP exchange. `asks` says that nobody can see it, so that a lost answer leaves no doubt."""
        url = f"{self._key.base_url.rstrip('/')}/cgi-bin/{path}"
        try:
            async with self._opened().request(
                method, url, params=params, timeout=self._timeout, allow_redirects=False, **body
            ) as response:
                if response.status != 200:  # the API itself always says 200: some gateway refused
                    raise RetryLater(f"企业微信 {path} 返回 HTTP {response.status}")
                answer = await response.json(content_type=None)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise RetryLater(f"连不上企业微信：{type(error).__name__}") from error
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            # The request went out; the texts of these errors carry the URL and with it the token.
            raise RetryLater(f"企业微信 {path} 没有答复：{type(error).__name__}", unknown=not asks) from None
        if not isinstance(answer, dict):
            raise RetryLater(f"企业微信 {path} 的答复不是 JSON 对象", unknown=not asks)
        return answer

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session


def _required(answer: Mapping[str, Any], field: str) -> Any:
    if field not in answer:
        raise RetryLater(f"企业微信的答复里没有 {field}")
    return answer[field]
