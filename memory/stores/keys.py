"""The wrapped data keys of the tenants."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from memory.stores.dialects import insert_if_absent
from memory.stores.tables import tenant_keys
from memory.stores.transaction import Transaction

_of_tenant = select(tenant_keys.c.number, tenant_keys.c.wrapped).where(tenant_keys.c.tenant == bindparam("t"))


def tenants(tx: Transaction) -> list[str]:
    return list(tx.execute(select(tenant_keys.c.tenant).distinct()).scalars())


def of_tenant(tx: Transaction, tenant: str) -> dict[int, bytes]:
    """The wrapped keys by number."""
    return {row.number: bytes(row.wrapped) for row in tx.execute(_of_tenant, {"t": tenant})}


def add(tx: Transaction, tenant: str, number: int, wrapped: bytes) -> None:
    """Keep a new key; one of the same number that is there already stays."""
    insert_if_absent(tx, tenant_keys, {"tenant": tenant, "number": number, "wrapped": wrapped})
