"""Where a channel preference leads: the person's address on that platform, or the chat at hand with a word why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.people import People
from bot.types import Address
from memory.stores.database import Transaction
from memory.types import Person, Value


@dataclass(frozen=True)
class Destination:
    """`channel` is the catalog value; `address` where it really goes; `missing` when that is not the channel asked
    for: `unlinked` (the person has no account there) or `closed` (the admin has not set the channel up)."""

    channel: str
    address: Address
    missing: str | None = None


class Channels:
    """Looks up where a person can be reached."""

    def __init__(self, people: People, platforms: Callable[[], frozenset[str]]) -> None:
        self._people = people
        self._platforms = platforms

    def destinations(
        self,
        tx: Transaction,
        person: Person,
        value: Value | None,
        here: Address,
        avoid: frozenset[str] = frozenset(),
    ) -> tuple[Destination, ...]:
        """One destination for each channel in `value`; `here` for None and for channels that lead nowhere. `avoid`:
        channels that the person does not want, passed over where there is another."""
        if value is None:
            other = self.other(tx, person, here) if here.platform in avoid else None
            return (Destination(here.platform, here) if other is None else Destination(other.platform, other),)
        wanted = value if isinstance(value, tuple) else (str(value),)
        found: dict[str, Destination] = {}
        for channel in wanted:
            destination = self._destination(tx, person, channel, here)
            found.setdefault(destination.address.key(), destination)
        return tuple(found.values())

    def _destination(self, tx: Transaction, person: Person, channel: str, here: Address) -> Destination:
        if channel == here.platform and not here.is_group:
            return Destination(channel, here)
        if channel not in self._platforms():
            return Destination(channel, here, "closed")
        account = self._people.account_on(tx, person, channel)
        if account is None:
            return Destination(channel, here, "unlinked")
        return Destination(channel, Address(account))

    def near(self, tx: Transaction, person: Person, here: Address) -> Address | None:
        """Where that person can be reached: on the platform of `here` if possible, else on any."""
        accounts = [each for each in self._people.accounts(tx, person) if each.platform in self._platforms()]
        accounts.sort(key=lambda account: account.platform != here.platform)
        return Address(accounts[0]) if accounts else None

    def other(self, tx: Transaction, person: Person, tried: Address) -> Address | None:
        """Another platform on which the person can be reached."""
        for account in self._people.accounts(tx, person):
            if account.platform != tried.platform and account.platform in self._platforms():
                return Address(account)
        return None
