"""Bills: received documents, and marking them as processed."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.errors import Conflict
from einvoice.network.messages import Step
from einvoice.services.account import audit
from einvoice.services.inbound import notices
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.services.principal import Reader, Session
from einvoice.store import db, received


def mark(invoice_id: str, who: Reader, *, processed: bool) -> InvoiceDetail:
    """Mark the bill as processed, or as open again (False); returns the bill.

    Repeating it changes nothing: the first time and name stay. Raises NotFound, and Conflict for an
    invoice that the tenant has sent.
    """
    record = detail.record_of(invoice_id, who)
    if not record.is_received:
        raise Conflict("This invoice was sent: only a received one can be marked as processed.")
    at, by = (clock.now(), _processor_name(who)) if processed else (None, None)
    with db.writing() as connection:
        if received.mark_processed(connection, record.id, who.tenant_id, at, by):
            action = "bill.processed" if processed else "bill.reopened"
            audit.record(connection, who.tenant_id, who, action, record.id)
            if processed:
                notices.add_step(connection, record.id, Step.PROCESSED)
    return detail.get(invoice_id, who)


def _processor_name(who: Reader) -> str:
    """The person's email or subject, or the id of the key."""
    return (who.email or who.subject) if isinstance(who, Session) else f"key {who.key_id}"
