"""A push that its channel refuses goes to the person's other channel, and says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.channels import Channels
from bot.types import Paragraph, Reply
from config.texts import Texts
from memory.catalog import Catalog
from memory.stores.database import Transaction
from memory.types import Person


class Pushes:
    """Finds the other way to a person."""

    def __init__(self, channels: Channels, texts: Texts, catalog: Callable[[], Catalog]) -> None:
        self._channels = channels
        self._texts = texts
        self._catalog = catalog

    def elsewhere(self, tx: Transaction, person: Person, reply: Reply) -> Reply | None:
        """The same push for another platform, with a word about the one that refused; None when there is none."""
        other = self._channels.other(tx, person, reply.to)
        if other is None:
            return None
        channel = self._catalog().value_name("notify_channel", reply.to.platform)
        note = Paragraph(self._texts.say("channel.refused", channel=channel), muted=True)
        return replace(reply, to=other, body=replace(reply.body, blocks=(note, *reply.body.blocks)))
