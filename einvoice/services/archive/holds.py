"""Legal holds: while one lasts, nothing that it covers is dropped. Each change is in the audit
log. A hold that the operator placed is released by the operator only."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.errors import Conflict, NotFound
from einvoice.services.account import audit, tenants
from einvoice.services.archive import disposal
from einvoice.services.principal import Session
from einvoice.store.archive import holds as stored
from einvoice.store.archive.holds import HoldFilter as HoldFilter
from einvoice.store.archive.holds import HoldRecord as HoldRecord
from einvoice.store.core import db

MAX_ACTIVE = 10_000  # of a tenant
MAX_SHOWN = 20  # that last, with one invoice


def place(
    tenant_id: str, invoice_id: str | None, reason: str, by: Session | None = None
) -> HoldRecord:
    """Hold an invoice, or everything of the tenant (None).

    Raises NotFound, and Conflict if MAX_ACTIVE holds of the tenant last, or its purge has begun.
    """
    tenants.get(tenant_id)
    now, principal = clock.now(), None if by is None else by.subject
    hold_id = str(ids.time_ordered(now))
    hold = HoldRecord(hold_id, tenant_id, invoice_id, reason, now, None, placed_by=principal)
    with db.writing() as connection:
        stored.lock_tenants(connection, [tenant_id])
        if stored.is_purged(connection, tenant_id):
            raise Conflict("Everything of this account is being deleted: nothing can be held.")
        if invoice_id and not stored.has_invoice(connection, tenant_id, invoice_id):
            raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
        if stored.count_active(connection, tenant_id) >= MAX_ACTIVE:
            raise Conflict(f"An account has at most {MAX_ACTIVE:,} holds that last.")
        stored.add(connection, hold)
        _record(connection, "hold.placed", hold, by)
    return hold


def release(hold_id: str, by: Session | None = None) -> HoldRecord:
    """End a hold; a person ends only holds of the own tenant that the operator did not place.

    What it kept is dropped with the next walk. Raises NotFound and Conflict.
    """
    now = clock.now()
    with db.writing() as connection:
        found = stored.find(connection, hold_id, None if by is None else by.tenant_id)
        if found is None:
            raise NotFound(f"There is no hold {hold_id[:40]!r}.")
        if by is not None and found.placed_by is None:
            raise Conflict("Your operator placed this hold, and can release it.")
        ended = stored.release(connection, hold_id, now, None if by is None else by.subject)
        if ended is None:
            raise Conflict("There is no hold to end: this one was released already.")
        disposal.begin_again(connection, now)
        _record(connection, "hold.released", ended, by)
    return ended


def _record(connection: Connection, action: str, hold: HoldRecord, by: Session | None) -> None:
    target, detail = hold.invoice_id or hold.tenant_id, {"holdId": hold.id, "reason": hold.reason}
    audit.record(connection, hold.tenant_id, by, action, target, detail)


def get(tenant_id: str, hold_id: str) -> HoldRecord:
    """A hold of the tenant. Raises NotFound."""
    with db.reading() as connection:
        found = stored.find(connection, hold_id, tenant_id)
    if found is None:
        raise NotFound(f"There is no hold {hold_id[:40]!r}.")
    return found


def page(
    tenant_id: str, wanted: HoldFilter, after: tuple[datetime, str] | None, limit: int
) -> list[HoldRecord]:
    """Holds of the tenant, newest first, after a position (placed_at, id)."""
    return stored.page(tenant_id, wanted, after, limit)


def of_invoice(tenant_id: str, invoice_id: str) -> list[HoldRecord]:
    """The newest MAX_SHOWN holds that keep the invoice now."""
    return stored.page(tenant_id, HoldFilter(invoice_id, active=True), None, MAX_SHOWN)


def of_tenant(tenant_id: str) -> list[HoldRecord]:
    """All holds of the tenant, oldest first. Raises NotFound."""
    tenants.get(tenant_id)
    return stored.of_tenant(tenant_id)
