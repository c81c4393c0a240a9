"""Filling a directory from the tenant's invoices: idempotent, also for concurrent calls.

Customers are the buyers of sent invoices, suppliers the sellers of received ones, of both
environments by default. A party is identified by its tax id, without one by its name. An entry has
the data of the party's newest invoice.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from einvoice import clock
from einvoice.domain.directory import (
    MAX_NAME,
    MAX_TAX_ID,
    EntryKind,
    EntrySource,
    name_key,
    tax_key,
)
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import audit
from einvoice.services.directory import bulk_add
from einvoice.services.directory.candidates import candidates_of
from einvoice.services.principal import Session
from einvoice.store.core import db
from einvoice.store.directory import bulk
from einvoice.store.directory.bulk import InvoiceParty

MAX_PARTIES_PER_COMMIT = 5_000  # bounds how long other writers wait


@dataclass(frozen=True, slots=True)
class Seeded:
    """The numbers of distinct parties that were added and that existed."""

    created: int
    skipped: int

    @property
    def total(self) -> int:
        return self.created + self.skipped


def seed(
    kind: EntryKind,
    tenant_id: str,
    environment: Environment | None = None,
    *,
    session: Session | None = None,
) -> Seeded:
    """Add every party of the tenant's invoices that is not in the directory."""
    environments = [environment] if environment else list(Environment)
    found = bulk.parties(kind, tenant_id, [e.value for e in environments])
    parties = distinct(found)
    created = 0
    for start in range(0, len(parties), MAX_PARTIES_PER_COMMIT):
        some = candidates_of(parties[start : start + MAX_PARTIES_PER_COMMIT])
        with db.writing() as connection:
            added = bulk_add.add_missing(
                connection, kind, tenant_id, some, source=EntrySource.SEED, now=clock.now()
            )
            if added:
                detail = {"created": added}
                audit.record(connection, tenant_id, session, f"{kind}.seeded", tenant_id, detail)
        created += added
    return Seeded(created, len(parties) - created)


def distinct(found: Iterable[InvoiceParty]) -> list[dict[str, Any]]:
    """Each party once, with the data of its newest invoice; `found` begins with the newest."""
    named = [(tax_key(party.tax_id), name_key(party.name), party) for party in found]
    tax_of = {name: tax for tax, name, _ in reversed(named) if tax}
    parties: dict[tuple[str, str], dict[str, Any]] = {}
    for own, name, party in named:
        tax = own or tax_of.get(name)
        identity = ("tax", tax) if tax else ("name", name)
        said = parties.setdefault(identity, {})
        for field, value in _said(party).items():
            if said.get(field) is None:
                said[field] = value
    return list(parties.values())


def _said(party: InvoiceParty) -> dict[str, Any]:
    """The columns of an entry; invalid values are left out."""
    participant = None
    with suppress(InvalidParticipant):
        participant = str(ParticipantId.parse(party.participant))
    fits = party.tax_id is not None and tax_key(party.tax_id) and len(party.tax_id) <= MAX_TAX_ID
    return {
        "name": party.name[:MAX_NAME],
        "tax_id": party.tax_id if fits else None,
        "peppol_id": participant,
        "country_code": party.country_code,
        "default_currency_code": party.currency,
    }
