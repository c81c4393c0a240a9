"""Domains from which tenants send mails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import MailDomain, Tenant


@dataclass(frozen=True, slots=True)
class MailDomainRecord:
    """A domain of a tenant (store/tables/mail_domains has the columns)."""

    id: str
    tenant_id: str
    domain: str
    token: str
    selector: str
    public_key: str
    state: str
    records: Mapping[str, Mapping[str, str]]
    created_at: datetime
    checked_at: datetime | None
    verified_at: datetime | None
    dkim_key: bytes = field(repr=False)


_RECORD = RecordColumns(MailDomainRecord, MailDomain)


def add(connection: Connection, record: MailDomainRecord) -> None:
    """Store a domain. Raises IntegrityError if the tenant has it."""
    values = {name: getattr(record, name) for name in MailDomainRecord.__slots__}
    connection.execute(insert(MailDomain).values(values))


def count(connection: Connection, tenant_id: str) -> int:
    query = select(func.count()).where(MailDomain.tenant_id == tenant_id)
    return connection.execute(query).scalar_one()


def of_tenant(tenant_id: str) -> list[MailDomainRecord]:
    """The domains of a tenant by name."""
    query = _RECORD.select().where(MailDomain.tenant_id == tenant_id).order_by(MailDomain.domain)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def find(tenant_id: str, domain_id: str) -> MailDomainRecord | None:
    """The tenant's domain with this id."""
    query = _RECORD.select().where(MailDomain.tenant_id == tenant_id, MailDomain.id == domain_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def by_name(tenant_id: str, domain: str) -> MailDomainRecord | None:
    """The tenant's domain of this name."""
    query = _RECORD.select().where(MailDomain.tenant_id == tenant_id, MailDomain.domain == domain)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def change(connection: Connection, record: MailDomainRecord, values: Mapping[str, Any]) -> bool:
    """Change a domain that still has the state of the record; whether it had it."""
    changed = update(MailDomain).where(
        MailDomain.tenant_id == record.tenant_id,
        MailDomain.id == record.id,
        MailDomain.state == record.state,
    )
    return bool(connection.execute(changed.values(values)).rowcount)


def remove(connection: Connection, tenant_id: str, domain_id: str) -> bool:
    """Remove the tenant's domain; whether there was one."""
    gone = delete(MailDomain).where(MailDomain.tenant_id == tenant_id, MailDomain.id == domain_id)
    return bool(connection.execute(gone).rowcount)


def by_id(domain_id: str) -> MailDomainRecord | None:
    """A domain of any open tenant, for workers."""
    is_open = sa.and_(Tenant.id == MailDomain.tenant_id, Tenant.closed_at.is_(None))
    query = _RECORD.select().join(Tenant, is_open).where(MailDomain.id == domain_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))
