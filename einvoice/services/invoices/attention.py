"""Attention of a person: for a refusal by the receiver or a failure, until someone says that it is
done."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import Conflict
from einvoice.services.account import audit
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceDetail, InvoiceRecord
from einvoice.services.principal import Reader, Session
from einvoice.store.core import db
from einvoice.store.inbound import receiver_responses
from einvoice.store.sending import transmissions


def end(invoice_id: str, reader: Reader) -> InvoiceDetail:
    """Say that nothing is left to do about the response of the receiver, or about the failure of a
    sent invoice; returns the invoice.

    Repeating it changes nothing: the first time and name stay. Raises NotFound, and Conflict for an
    invoice that needs nobody.
    """
    record = detail.record_of(invoice_id, reader)
    failed = has_failed(record)
    if record.response_attention is None and not failed:
        message = "Its outcome is unknown" if record.attention else "Nothing needs a person"
        raise Conflict(
            f"{message}: only a failure or a refusal by the receiver can be marked as done."
        )
    by = (reader.email or reader.subject) if isinstance(reader, Session) else f"key {reader.key_id}"
    store = transmissions.end_failure if failed else receiver_responses.end_attention
    with db.writing() as connection:
        if store(connection, record.transmission_id, reader.tenant_id, clock.now(), by):
            audit.record(connection, reader.tenant_id, reader, "attention.done", record.id)
    return detail.get(invoice_id, reader)


def has_failed(record: InvoiceRecord) -> bool:
    """Whether it is a sent invoice that has failed."""
    return not record.is_received and record.status == NetworkStatus.FAILED
