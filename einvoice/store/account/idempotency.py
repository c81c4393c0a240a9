"""Idempotency keys: finding the request that a key was accepted for, deleting old ones.

A key is taken by the statement that stores the request (acceptance, resending).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.keyed import Keyed
from einvoice.store.tables import IdempotencyKey


@dataclass(frozen=True, slots=True)
class KeyScope:
    """An Idempotency-Key with the scope in which it is unique."""

    tenant_id: str
    environment: str
    space: str
    key: str


@dataclass(frozen=True, slots=True)
class AcceptedKey:
    """The invoice and transmission a key was accepted for, and the fingerprint of its request."""

    invoice_id: str
    transmission_id: str
    fingerprint: str


_KEYS = Keyed(IdempotencyKey, KeyScope)
delete_before = _KEYS.delete_before


def find(scope: KeyScope) -> AcceptedKey | None:
    """The request that this key was accepted for."""
    with db.reading() as connection:
        return find_in(connection, scope)


def find_in(connection: Connection, scope: KeyScope) -> AcceptedKey | None:
    """`find` inside the caller's transaction."""
    query = select(
        IdempotencyKey.invoice_id, IdempotencyKey.transmission_id, IdempotencyKey.fingerprint
    ).where(*_KEYS.is_at(scope))
    row = connection.execute(query).one_or_none()
    return None if row is None else AcceptedKey(**row._asdict())


def find_many(scopes: Collection[KeyScope]) -> dict[KeyScope, AcceptedKey]:
    """The accepted ones of the keys. All scopes are of one tenant and family of routes."""
    if not scopes:
        return {}
    wanted = {scope.key: scope for scope in scopes}
    first = next(iter(scopes))
    query = select(
        IdempotencyKey.key,
        IdempotencyKey.invoice_id,
        IdempotencyKey.transmission_id,
        IdempotencyKey.fingerprint,
    ).where(
        IdempotencyKey.tenant_id == first.tenant_id,
        IdempotencyKey.environment == first.environment,
        IdempotencyKey.space == first.space,
        rows.in_values(IdempotencyKey.key, wanted),
    )
    with db.reading_by_key() as connection:
        return {
            wanted[row.key]: AcceptedKey(row.invoice_id, row.transmission_id, row.fingerprint)
            for row in connection.execute(query)
        }


def release(connection: Connection, scope: KeyScope, transmission_id: str) -> None:
    """Free the key, if it was accepted for this transmission."""
    connection.execute(
        delete(IdempotencyKey).where(
            *_KEYS.is_at(scope), IdempotencyKey.transmission_id == transmission_id
        )
    )
