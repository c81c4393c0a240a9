"""Legal holds: while one lasts, nothing that it covers is dropped. Each change is in the audit
log."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.errors import NotFound
from einvoice.services.account import audit, tenants
from einvoice.services.archive import dropping
from einvoice.services.principal import Session
from einvoice.store import db
from einvoice.store import holds as stored
from einvoice.store.holds import HoldRecord as HoldRecord


def place(
    tenant_id: str, invoice_id: str | None, reason: str, by: Session | None = None
) -> HoldRecord:
    """Hold an invoice, or everything of the tenant (None). Raises NotFound."""
    tenants.get(tenant_id)
    now = clock.now()
    hold = HoldRecord(str(ids.time_ordered(now)), tenant_id, invoice_id, reason, now, None)
    with db.writing() as connection:
        stored.lock_tenants(connection, [tenant_id])
        if invoice_id and not stored.has_invoice(connection, tenant_id, invoice_id):
            raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
        stored.add(connection, hold)
        audit.record(
            connection, tenant_id, by, "hold.placed", invoice_id or tenant_id, {"reason": reason}
        )
    return hold


def release(hold_id: str, by: Session | None = None) -> HoldRecord:
    """End a hold. What it kept is dropped with the next walk. Raises NotFound."""
    now = clock.now()
    with db.writing() as connection:
        found = stored.release(connection, hold_id, now)
        if found is None:
            raise NotFound(f"There is no hold {hold_id[:40]!r} that lasts.")
        dropping.begin_again(connection, now)
        target = found.invoice_id or found.tenant_id
        audit.record(connection, found.tenant_id, by, "hold.released", target)
    return found


def of_tenant(tenant_id: str) -> list[HoldRecord]:
    """All holds of the tenant, oldest first. Raises NotFound."""
    tenants.get(tenant_id)
    return stored.of_tenant(tenant_id)
