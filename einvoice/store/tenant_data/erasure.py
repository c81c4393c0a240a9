"""Where a person is named in a tenant's data, and replacing the name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.store import tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns

# Columns with the subject or e-mail address of who did something.
_DONE_BY: tuple[sa.orm.InstrumentedAttribute[Any], ...] = (
    tables.ApiKey.created_by,
    tables.OAuthClient.created_by,
    tables.Connection.consent_by,
    tables.Received.processed_by,
    tables.BillResponse.created_by,
    tables.ReceiverResponse.done_by,
    tables.Payment.created_by,
    tables.TenantExport.created_by,
    tables.ArchiveHold.placed_by,
    tables.ArchiveHold.released_by,
    tables.InvoiceDraft.created_by,
)


def count_done_by(connection: Connection, tenant_id: str, names: Collection[str]) -> int:
    """How many rows say that the person did something."""
    return sum(
        connection.execute(
            sa.select(sa.func.count()).where(
                column.class_.tenant_id == tenant_id, sa.func.lower(column).in_(names)
            )
        ).scalar_one()
        for column in _DONE_BY
    )


def replace_done_by(
    connection: Connection, tenant_id: str, names: Collection[str], pseudonym: str
) -> None:
    """Put the pseudonym in the place of the person; `names` in small letters."""
    for column in _DONE_BY:
        changed = sa.update(column.class_).where(
            column.class_.tenant_id == tenant_id, sa.func.lower(column).in_(names)
        )
        connection.execute(changed.values({column.key: pseudonym}))


def entries(
    connection: Connection,
    table: type[tables.Customer | tables.Supplier],
    tenant_id: str,
    name: str,
) -> tuple[list[str], list[str]]:
    """Ids of entries of the directory that are the person, and of those with the e-mail address."""
    of_tenant = sa.select(table.id).where(table.tenant_id == tenant_id)
    persons = connection.scalars(of_tenant.where(sa.func.lower(table.name) == name))
    persons_found = list(persons)
    contacts = connection.scalars(of_tenant.where(sa.func.lower(table.email) == name))
    return persons_found, [one for one in contacts if one not in persons_found]


def live_links(connection: Connection, tenant_id: str, name: str) -> list[str]:
    """Ids of share links that work, of invoices to a buyer of this name."""
    link, invoice = tables.ShareLink, tables.Invoice
    query = (
        sa.select(link.id)
        .join(invoice, invoice.id == link.invoice_id)
        .where(
            link.tenant_id == tenant_id,
            link.revoked_at.is_(None),
            sa.func.lower(invoice.buyer_name) == name,
        )
    )
    return list(connection.scalars(query))


def revoke_links(connection: Connection, link_ids: Sequence[str], now: datetime) -> None:
    """End share links: their digests are deleted."""
    changed = sa.update(tables.ShareLink).where(rows.in_values(tables.ShareLink.id, link_ids))
    connection.execute(changed.values(digest=None, revoked_at=now))


def replace_entry(connection: Connection, sequence: int, values: Mapping[str, Any]) -> None:
    """Change an entry of the audit log: a part of it is erased."""
    changed = sa.update(tables.AuditEntry).where(tables.AuditEntry.sequence == sequence)
    connection.execute(changed.values(**values))


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """Documents that are kept by one rule: how many, and the newest."""

    environment: str
    direction: str
    kind: str
    supplier_country: str | None
    buyer_country: str | None
    documents: int
    created_at: datetime
    issue_date: date | None


_GROUP = RecordColumns(
    DocumentGroup,
    tables.Invoice,
    documents=sa.func.count(),
    created_at=sa.func.max(tables.Invoice.created_at),
    issue_date=sa.func.max(tables.Invoice.issue_date),
)


def document_groups(tenant_id: str) -> list[DocumentGroup]:
    """All documents of the tenant by what their retention depends on."""
    invoice = tables.Invoice
    query = (
        _GROUP.select()
        .where(invoice.tenant_id == tenant_id)
        .group_by(
            invoice.environment,
            invoice.direction,
            invoice.kind,
            invoice.supplier_country,
            invoice.buyer_country,
        )
    )
    with db.reading() as connection:
        return _GROUP.all(connection.execute(query))


def logins(connection: Connection, tenant_id: str, names: Collection[str]) -> list[str]:
    """Ids of logins of the person to the pages of the dashboard, if the tenant is one of theirs."""
    login = tables.WebSession
    query = sa.select(login.id, login.roles).where(
        sa.func.lower(login.subject).in_(names) | sa.func.lower(login.email).in_(names)
    )
    return [found.id for found in connection.execute(query) if tenant_id in found.roles]


def end_logins(connection: Connection, login_ids: Collection[str]) -> None:
    """Delete logins: the person logs in again, or no more."""
    ended = sa.delete(tables.WebSession).where(rows.in_values(tables.WebSession.id, login_ids))
    connection.execute(ended)
