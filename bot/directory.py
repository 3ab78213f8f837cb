"""The company's directory, as bot.yaml lists it: which accounts are one person, and who is meant by a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from bot.people import People
from bot.types import Account
from config.settings import DirectoryEntry, Settings
from memory.stores.database import Transaction
from memory.types import Person


class Directory:
    """Looks people up by name or work e-mail; what it says of accounts is written to the database by `link`."""

    def __init__(self, settings: Callable[[], Settings], people: People) -> None:
        self._settings = settings
        self._people = people

    def link(self, tx: Transaction, now: datetime) -> int:
        """Make the accounts of each entry one person's; how many entries."""
        entries = self._settings().directory
        for entry in entries:
            first, *others = self._accounts(entry) or (None,)
            if first is not None:
                person = self._people.resolve(tx, first, now)
                for account in others:
                    if account is not None:
                        self._people.link(tx, person, account, now)
        return len(entries)

    def find(self, tx: Transaction, tenant: str, called: str, now: datetime) -> Person | None:
        """The person whom colleagues call so, or whose work e-mail this is."""
        wanted = called.strip().casefold()
        for entry in self._settings().directory:
            names = {entry.name.casefold(), (entry.email or "").casefold()} - {""}
            if entry.tenant == tenant and wanted in names and (accounts := self._accounts(entry)):
                return self._people.resolve(tx, accounts[0], now)
        return None

    def name_of(self, account: Account) -> str | None:
        """What colleagues call the owner of an account."""
        for entry in self._settings().directory:
            if account in self._accounts(entry):
                return entry.name
        return None

    def _accounts(self, entry: DirectoryEntry) -> tuple[Account, ...]:
        """Each account under the first app of its platform in the entry's tenant."""
        ids: Mapping[str, str | None] = {"feishu": entry.feishu, "wecom": entry.wecom and entry.wecom.lower()}
        platforms = self._settings().platforms
        found = []
        for platform, user_id in ids.items():
            apps = [app.name for app in getattr(platforms, platform) if app.tenant == entry.tenant]
            if user_id and apps:
                found.append(Account(platform, apps[0], entry.tenant, user_id))
        return tuple(found)
