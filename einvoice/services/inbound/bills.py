"""Bills: received documents, booking them to an account, and marking them as processed."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from einvoice import clock
from einvoice.domain.directory import SUPPLIER
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.messages import Step
from einvoice.services.account import audit
from einvoice.services.directory import entries
from einvoice.services.inbound import notices
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceDetail, InvoiceRecord
from einvoice.services.principal import Reader, Session
from einvoice.store.core import db
from einvoice.store.inbound import received, supplier_accounts

MAX_SUGGESTED = 6  # GL accounts
MAX_EXAMINED = 50  # bills whose accounts are suggested


def mark(invoice_id: str, reader: Reader, *, processed: bool) -> InvoiceDetail:
    """Mark the bill as processed, or as open again (False); returns the bill.

    Repeating it changes nothing: the first time and name stay. Raises NotFound, and Conflict for an
    invoice that the tenant has sent.
    """
    mark_together([invoice_id], reader, processed=processed)
    return detail.get(invoice_id, reader)


def mark_together(invoice_ids: Collection[str], reader: Reader, *, processed: bool) -> None:
    """Mark all of these bills, or none of them. Raises what `mark` raises."""
    records = [detail.record_of(invoice_id, reader) for invoice_id in invoice_ids]
    if not all(record.is_received for record in records):
        raise Conflict("This invoice was sent: only a received one can be marked as processed.")
    at, by = (clock.now(), _processor_name(reader)) if processed else (None, None)
    action = "bill.processed" if processed else "bill.reopened"
    with db.writing() as connection:
        for record in records:
            if received.mark_processed(connection, record.id, reader.tenant_id, at, by):
                audit.record(connection, reader.tenant_id, reader, action, record.id)
                if processed:
                    place = reader.tenant_id, record.environment
                    supplier_accounts.trust(connection, *place, record.id)
                    notices.add_step(connection, record.id, Step.PROCESSED)


def book(
    invoice_id: str, reader: Reader, gl_account_code: str | None, *, remember: bool
) -> InvoiceDetail:
    """Book the bill to a GL account, or to none (None); returns the bill.

    remember  as the default of its supplier, for later bills; without a supplier in the directory
              nothing is remembered

    Raises NotFound, and Conflict for an invoice that the tenant has sent.
    """
    found = detail.get(invoice_id, reader)
    record, bill = found.record, found.bill
    if bill is None:
        raise Conflict("This invoice was sent: only a received one is booked to a GL account.")
    if remember and bill.supplier_id is not None:
        # The supplier may have been deleted since the bill arrived.
        with suppress(NotFound):
            patch = {"default_gl_account_code": gl_account_code}
            entries.change(SUPPLIER, reader.tenant_id, bill.supplier_id, patch, session=reader)
    with db.writing() as connection:
        if received.set_account(connection, record.id, reader.tenant_id, gl_account_code):
            given = {"glAccountCode": gl_account_code}
            audit.record(connection, reader.tenant_id, reader, "bill.booked", record.id, given)
    return detail.get(invoice_id, reader)


def suggested_accounts(record: InvoiceRecord, reader: Reader) -> list[str]:
    """The GL accounts that a bill is likely to be booked to: of its sender's newest bills,
    then of the newest processed ones."""
    own, every = (
        received.used_accounts(reader.tenant_id, record.environment, sender, MAX_EXAMINED)
        for sender in (record.sender, None)
    )
    return list(dict.fromkeys([*own, *every]))[:MAX_SUGGESTED]


def _processor_name(reader: Reader) -> str:
    """The person's email or subject, or the id of the key."""
    return (
        (reader.email or reader.subject) if isinstance(reader, Session) else f"key {reader.key_id}"
    )
