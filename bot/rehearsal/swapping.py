"""The same story with the two platforms exchanged: accounts, every `via`, the words and the values."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from bot.rehearsal.scenario import Actor, Scenario

_OTHER = {
    "飞书": "企业微信",
    "企业微信": "飞书",
    "企微": "飞书",
    "feishu": "wecom",
    "wecom": "feishu",
}
_WORDS = re.compile("|".join(sorted(_OTHER, key=len, reverse=True)))


def swapped(scenario: Scenario) -> Scenario:
    """`scenario` as it would go for people whose first platform is the other one."""
    return replace(
        scenario,
        name=f"{scenario.name}（平台互换）",
        people=tuple(_swap_actor(actor) for actor in scenario.people),
        steps=tuple(replace(step, what=_swap(step.what)) for step in scenario.steps),
    )


def _swap_actor(actor: Actor) -> Actor:
    """Each account keeps its id; a person whose only account is here gets one there."""
    if len(actor.accounts) == 2:
        return replace(actor, accounts=dict(reversed(list(actor.accounts.items()))))
    return replace(actor, accounts={_OTHER[platform]: account for platform, account in actor.accounts.items()})


def _swap(value: Any) -> Any:
    if isinstance(value, str):
        return _WORDS.sub(lambda found: _OTHER[found.group()], value)
    if isinstance(value, list):
        return [_swap(item) for item in value]
    if isinstance(value, dict):
        return {key: _swap(item) for key, item in value.items()}
    return value
