"""Bank accounts that bills of suppliers have named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import SupplierAccount


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that a bill names. `doubted`: it differs from those of earlier bills."""

    tenant_id: str
    environment: str
    supplier_key: str
    account: str
    invoice_id: str
    doubted: bool
    created_at: datetime


SupplierKey = tuple[str, str, str]  # tenant, environment, and by what the supplier is known


def known(wanted: Collection[SupplierKey]) -> Mapping[SupplierKey, Mapping[str, bool]]:
    """The accounts of each of these suppliers that has any, and whether each is doubted."""
    if not wanted:
        return {}
    tenant_ids, environments, keys = (sorted(set(each)) for each in zip(*wanted, strict=True))
    query = select(
        SupplierAccount.tenant_id,
        SupplierAccount.environment,
        SupplierAccount.supplier_key,
        SupplierAccount.account,
        SupplierAccount.doubted,
    ).where(
        rows.in_values(SupplierAccount.tenant_id, tenant_ids),
        SupplierAccount.environment.in_(environments),
        rows.in_values(SupplierAccount.supplier_key, keys),
    )
    found: dict[SupplierKey, dict[str, bool]] = defaultdict(dict)
    with db.reading_by_key() as connection:
        for *key, account, doubted in connection.execute(query):
            found[key[0], key[1], key[2]][account] = doubted
    return found


def add(connection: Connection, new: Iterable[NewAccount]) -> None:
    """Store accounts that are not known, in the caller's transaction."""
    ordered = sorted(new, key=lambda each: (each.tenant_id, each.supplier_key, each.account))
    values = [{name: getattr(each, name) for name in NewAccount.__slots__} for each in ordered]
    if values:
        connection.execute(upsert(connection, SupplierAccount).on_conflict_do_nothing(), values)


def trust(connection: Connection, tenant_id: str, environment: str, invoice_id: str) -> None:
    """Doubt the accounts of a bill no more: a person has processed it."""
    connection.execute(
        update(SupplierAccount)
        .where(
            SupplierAccount.tenant_id == tenant_id,
            SupplierAccount.environment == environment,
            SupplierAccount.invoice_id == invoice_id,
            SupplierAccount.doubted,
        )
        .values(doubted=False)
    )
