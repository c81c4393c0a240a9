"""The entries of the directory that a document means: the customer of a send, the sender of a bill.

Each is found by participant id, then tax id, then name (decisions 19.16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from einvoice.domain.directory import (
    CUSTOMER,
    SUPPLIER,
    Customer,
    DirectoryEntry,
    Supplier,
    name_key,
    tax_key,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.caches import Caches
from einvoice.store.directory import entries
from einvoice.store.directory.entries import PartyKeys

MAX_NAME_SHOWN = 100  # of an entry in a warning


def find_customers(
    tenant_id: str, receiver: ParticipantId | None, tax_id: str | None, name: str, caches: Caches
) -> list[Customer]:
    """The customer of a send: by receiver id, then tax id, then name (decisions 19.16).

    Several if nothing distinguishes them; none of them is then meant more than another. It is
    cached whether the tenant has customers.
    """
    if not caches.tenants_with_customers.get(
        tenant_id, lambda: entries.has_any(CUSTOMER, tenant_id)
    ):
        return []
    keys = _keys(receiver, tax_id, name)
    return cast("list[Customer]", entries.find_by_party(CUSTOMER, tenant_id, keys))


@dataclass(frozen=True, slots=True)
class Counterparty:
    """The sender of a received document, as the document and its envelope name it.

    tenant_id  of the receiver
    """

    tenant_id: str
    participant: ParticipantId
    tax_id: str | None
    name: str

    @property
    def keys(self) -> PartyKeys:
        return _keys(self.participant, self.tax_id, self.name)


def find_suppliers(bills: Sequence[Counterparty]) -> list[list[Supplier]]:
    """The suppliers of bills, each by the same criteria.

    Only one supplier has a participant id, but a group may send for all of its companies: an entry
    with another tax id than the bill's gives way to the one that has the bill's.
    """
    found = entries.find_by_parties(SUPPLIER, [(bill.tenant_id, bill.keys) for bill in bills])
    chosen = [_of_tax_id(bill, own) for bill, own in zip(bills, found, strict=True)]
    return cast("list[list[Supplier]]", chosen)


def _of_tax_id(bill: Counterparty, found: list[DirectoryEntry]) -> list[DirectoryEntry]:
    """The supplier with the bill's tax id instead of those with others."""
    tax = bill.keys.tax
    if tax and found and all(tax_key(e.tax_id) not in (None, tax) for e in found):
        own = entries.find_by_tax_key(SUPPLIER, bill.tenant_id, tax)
        return [own] if own else found
    return found


def find_self_billers(bills: Sequence[Counterparty]) -> list[list[Customer]]:
    """The customers who sent self-billed invoices, by the same criteria."""
    found = entries.find_by_parties(CUSTOMER, [(bill.tenant_id, bill.keys) for bill in bills])
    return cast("list[list[Customer]]", found)


def _keys(participant: ParticipantId | None, tax_id: str | None, name: str) -> PartyKeys:
    canonical = participant.canonical if participant else None
    return PartyKeys(canonical, tax_key(tax_id), name_key(name) or None)


def named(found: Sequence[DirectoryEntry]) -> str:
    """Names and ids of entries, for a warning about several that match."""
    return ", ".join(f"{entry.name[:MAX_NAME_SHOWN]} ({entry.id})" for entry in found)
