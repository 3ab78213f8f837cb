"""Who is speaking: one person, with an account on each platform, found by the account that wrote."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from datetime import datetime

from bot.stores import people as rows
from bot.types import Account
from config.clock import to_micros
from memory.keyring import Keyring
from memory.stores.database import Transaction
from memory.types import Person

_KNOWN_ACCOUNTS = 100_000  # about 20 MB; an account that falls out costs one indexed look-up


class People:
    """Resolves accounts to persons; account ids are stored encrypted, found again by a keyed hash."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._known: OrderedDict[tuple[str, str, str], Person] = OrderedDict()

    def resolve(self, tx: Transaction, account: Account, now: datetime) -> Person:
        """The person behind `account`; a first contact becomes a new person."""
        key = (account.tenant, account.platform, account.user_id)
        if (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return known
        found = rows.find(tx, account.tenant, account.platform, self._hash(account))
        person = Person(account.tenant, found) if found else self._add(tx, account, now)
        tx.after_commit(lambda: self._remember(key, person))
        return person

    def accounts(self, tx: Transaction, person: Person) -> tuple[Account, ...]:
        """Every account of `person`, the most recently linked first."""
        return tuple(
            Account(
                platform,
                app,
                person.tenant,
                self._keyring.open(tx, person.tenant, sealed, "account").decode(),
            )
            for platform, app, sealed in rows.of_person(tx, person.tenant, person.id)
        )

    def account_on(self, tx: Transaction, person: Person, platform: str) -> Account | None:
        return next((found for found in self.accounts(tx, person) if found.platform == platform), None)

    def link(self, tx: Transaction, person: Person, account: Account, now: datetime) -> None:
        """Make `account` one of `person`'s, whoever it belonged to before."""
        if rows.find(tx, account.tenant, account.platform, self._hash(account)) is None:
            self._add_account(tx, person, account, now)
        else:
            rows.move_account(tx, account.tenant, account.platform, self._hash(account), person.id)
        tx.after_commit(lambda: self._remember((account.tenant, account.platform, account.user_id), person))

    def _add(self, tx: Transaction, account: Account, now: datetime) -> Person:
        person = Person(account.tenant, str(uuid.uuid4()))
        rows.add_person(tx, person.tenant, person.id, to_micros(now))
        self._add_account(tx, person, account, now)
        return person

    def _add_account(self, tx: Transaction, person: Person, account: Account, now: datetime) -> None:
        rows.add_account(
            tx,
            tenant=account.tenant,
            person=person.id,
            platform=account.platform,
            app=account.app,
            user_hash=self._hash(account),
            user_id=self._keyring.seal(tx, account.tenant, account.user_id.encode(), "account"),
            now=to_micros(now),
        )

    def _hash(self, account: Account) -> str:
        return self._keyring.hash(account.tenant, f"account\x1f{account.platform}\x1f{account.user_id}")

    def _remember(self, key: tuple[str, str, str], person: Person) -> None:
        self._known[key] = person
        self._known.move_to_end(key)
        while len(self._known) > _KNOWN_ACCOUNTS:
            self._known.popitem(last=False)
