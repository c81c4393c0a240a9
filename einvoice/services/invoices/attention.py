"""Attention of a person: for a refusal by the receiver, until someone says that it is done."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.errors import Conflict
from einvoice.services.account import audit
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.services.principal import Reader, Session
from einvoice.store.core import db
from einvoice.store.inbound import receiver_responses


def end(invoice_id: str, reader: Reader) -> InvoiceDetail:
    """Say that nothing is left to do about the response of the receiver; returns the invoice.

    Repeating it changes nothing: the first time and name stay. Raises NotFound, and Conflict for an
    invoice whose receiver has refused nothing.
    """
    record = detail.record_of(invoice_id, reader)
    if record.response_attention is None:
        message = "Its outcome is unknown" if record.attention else "No response needs a person"
        raise Conflict(f"{message}: only a refusal by the receiver can be marked as done.")
    by = (reader.email or reader.subject) if isinstance(reader, Session) else f"key {reader.key_id}"
    with db.writing() as connection:
        if receiver_responses.end_attention(
            connection, record.transmission_id, reader.tenant_id, clock.now(), by
        ):
            audit.record(connection, reader.tenant_id, reader, "attention.done", record.id)
    return detail.get(invoice_id, reader)
