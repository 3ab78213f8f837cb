"""The apps through which people reach the bot: what bot.yaml says under `platforms`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, WrapSerializer, model_validator

from config.fields import Identifier, Origin, Secret, Section
from config.problems import Wrong


class FeishuApp(Section):
    """A Feishu app as an admin writes it."""

    app_id: Identifier = Field(description="飞书应用的 App ID，以 cli_ 开头")
    app_secret: Secret = Field(description="飞书应用的 App Secret")
    encrypt_key: Secret | None = Field(default=None, description="事件加密用的 Encrypt Key；后台没有设置就留空")
    verification_token: Secret = Field(
        default=SecretStr(""), description="Verification Token；receive 为 webhook 时必填"
    )
    base_url: Origin = Field(
        default="https://open.feishu.cn", description="接口地址；国际版为 https://open.larksuite.com"
    )
    receive: Literal["webhook", "socket"] = Field(
        default="webhook", description="收消息的方式：webhook 回调，socket 长连接"
    )
    tenant: Identifier = Field(default="default", description="租户名；不同租户的数据互不可见")

    @model_validator(mode="after")
    def _webhook_needs_its_token(self) -> Self:
        if self.receive == "webhook" and not self.verification_token.get_secret_value():
            cure = "从开放平台“事件与回调”页复制，或改用 receive: socket"
            raise Wrong("用 webhook 收消息时必填", cure, at=("verification_token",))
        return self


class WecomApp(Section):
    """A WeCom self-built app as an admin writes it."""

    corp_id: Identifier = Field(description="企业 ID，以 ww 开头")
    agent_id: int = Field(gt=0, description="自建应用的 AgentId，一个整数")
    secret: Secret = Field(description="自建应用的 Secret")
    token: Secret = Field(description="“接收消息”里的 Token")
    aes_key: Annotated[Secret, AfterValidator(lambda key: _check_aes_key(key))] = Field(
        description="“接收消息”里的 EncodingAESKey，43 个字符"
    )
    base_url: Origin = Field(default="https://qyapi.weixin.qq.com", description="接口地址")
    tenant: Identifier = Field(default="default", description="租户名；不同租户的数据互不可见")


class Named(Section):
    """An app with its name: the platform's, or `feishu/sales` for the one called `sales` in a list."""

    name: str = Field(
        description="列表里每个应用的短名，回调地址以它结尾", json_schema_extra={"pattern": "^[a-z0-9_-]+$"}
    )

    @property
    def suffix(self) -> str:
        """What its webhook path ends in: nothing for a single app, else `/sales`."""
        _, slash, short = self.name.partition("/")
        return slash + short


class FeishuEntry(Named, FeishuApp):
    """A Feishu app, `feishu` or `feishu/<name>`."""


class WecomEntry(Named, WecomApp):
    """A WeCom self-built app, `wecom` or `wecom/<name>`."""


Entry = TypeVar("Entry", FeishuEntry, WecomEntry)


class PlatformSettings(Section):
    """One entry per platform, or a list of them."""

    feishu: Annotated[
        tuple[FeishuEntry, ...],
        BeforeValidator(
            lambda value: _as_entries("feishu", value),
            json_schema_input_type=FeishuApp | list[FeishuEntry] | None,
        ),
        AfterValidator(lambda entries: _check_distinct(entries, lambda entry: (entry.base_url, entry.app_id))),
        WrapSerializer(lambda entries, serialize: _as_written(serialize(entries))),
    ] = Field(default=(), description="飞书：一个应用，或应用的列表（每项加 name）")
    wecom: Annotated[
        tuple[WecomEntry, ...],
        BeforeValidator(
            lambda value: _as_entries("wecom", value),
            json_schema_input_type=WecomApp | list[WecomEntry] | None,
        ),
        AfterValidator(
            lambda entries: _check_distinct(entries, lambda entry: (entry.base_url, entry.corp_id, entry.agent_id))
        ),
        WrapSerializer(lambda entries, serialize: _as_written(serialize(entries))),
    ] = Field(default=(), description="企业微信：一个自建应用，或应用的列表（每项加 name）")


def _as_entries(platform: str, value: Any) -> Any:
    """One entry or a list of named ones, as a list whose names begin with the platform."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        if "name" in value:
            raise Wrong("只有一个应用时不用写 name", "删掉这一行，或把应用写成列表", at=("name",))
        return ({**value, "name": platform},)
    if not isinstance(value, list | tuple):
        raise Wrong("应为一个应用，或应用的列表", "参照随附的 bot.yaml")
    return tuple(_as_named(platform, index, entry) for index, entry in enumerate(value))


def _as_named(platform: str, index: int, entry: Any) -> Any:
    if not isinstance(entry, Mapping) or not isinstance(short := entry.get("name"), str):
        return entry
    if not re.fullmatch(r"[a-z0-9_-]+", short):
        raise Wrong("短名只能用小写字母、数字、- 和 _", "它会成为回调地址的结尾", at=(index, "name"))
    return {**entry, "name": f"{platform}/{short}"}


def _as_written(entries: list[dict[str, Any]]) -> Any:
    """Serialised entries as bot.yaml writes them: a single one alone, listed ones with their short names."""
    if len(entries) == 1 and "/" not in entries[0]["name"]:
        return _without_name(entries[0])
    return [{"name": each["name"].partition("/")[2], **_without_name(each)} for each in entries]


def _without_name(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "name"}


def _check_distinct(entries: tuple[Entry, ...], identity: Callable[[Entry], tuple[object, ...]]) -> tuple[Entry, ...]:
    for index, entry in enumerate(entries):
        before = entries[:index]
        if entry.name in {other.name for other in before}:
            raise Wrong("这个短名前面已经用过", "每个应用起一个自己的短名", at=(index, "name"))
        if identity(entry) in {identity(other) for other in before}:
            raise Wrong("和前面的一项是同一个应用", "删掉其中一项，否则每条消息会收到两次", at=(index,))
    return entries


def _check_aes_key(key: SecretStr) -> SecretStr:
    length = len(key.get_secret_value())
    if not re.fullmatch(r"[A-Za-z0-9]{43}", key.get_secret_value()):
        raise Wrong(f"应为 43 个字母或数字，现在有 {length} 个字符", "从“接收消息”页重新复制")
    return key
