"""Bills that cannot be read: a person enters number, dates, amounts and supplier.

The document stays what it is: its findings say that it cannot be read, and a warning says who has
entered its values. They can be corrected until the bill is processed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from einvoice import clock
from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.request import SendWarning
from einvoice.services.account import audit
from einvoice.services.directory import counterparties
from einvoice.services.directory.counterparties import Counterparty
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.principal import Reader, Session
from einvoice.store.core import db
from einvoice.store.inbound import filled_in as stored
from einvoice.store.inbound import received

UNREADABLE: Final = "unreadable-document"
FILLED_IN: Final = "filled-in"


@dataclass(frozen=True, slots=True)
class BillValues:
    """Values that a person reads in the file of a bill."""

    kind: DocumentKind
    number: str
    issue_date: date
    due_date: date | None
    currency: str
    grand_total: Decimal
    tax_amount: Decimal | None
    supplier_name: str
    supplier_tax_id: str | None


def may_be_filled_in(record: InvoiceRecord) -> bool:
    """Whether the values of a bill are entered by a person: it cannot be read, now or later."""
    is_unreadable = any(each["code"] == UNREADABLE for each in record.warnings)
    return record.is_received and is_unreadable and not received.is_to_be_judged(record.id)


def fill_in(invoice_id: str, reader: Reader, values: BillValues) -> None:
    """Store the values.

    Raises NotFound, Conflict (it can be read, or is processed), InvalidField.
    """
    record = detail.record_of(invoice_id, reader)
    bill = received.bill(record.id) if record.is_received else None
    if bill is None or not may_be_filled_in(record):
        raise Conflict("Only a bill that cannot be read is filled in.")
    if bill.processed_at is not None:
        raise Conflict("This bill is processed: open it again to correct it.")
    _check(values)
    party = Counterparty(
        reader.tenant_id,
        ParticipantId.parse(record.sender),
        values.supplier_tax_id,
        values.supplier_name,
    )
    [suppliers] = counterparties.find_suppliers([party])
    supplier = suppliers[0] if len(suppliers) == 1 else None
    with db.writing() as connection:
        stored.write(
            connection,
            record.id,
            reader.tenant_id,
            _head(values),
            _warnings(record, reader),
            supplier.id if supplier else None,
            supplier.default_gl_account_code if supplier else None,
        )
        given = {"number": values.number, "grandTotal": str(values.grand_total)}
        audit.record(connection, reader.tenant_id, reader, "bill.filledIn", record.id, given)


def _check(values: BillValues) -> None:
    wrong = []
    if values.tax_amount is not None and abs(values.tax_amount) > abs(values.grand_total):
        wrong.append(FieldError("/taxAmount", "out-of-range", "is more than the total"))
    if values.due_date is not None and values.due_date < values.issue_date:
        wrong.append(FieldError("/dueDate", "out-of-range", "is before the date of issue"))
    if wrong:
        raise InvalidField(wrong)


def _head(values: BillValues) -> dict[str, object]:
    """The columns of the invoice."""
    tax = values.tax_amount
    return {
        "kind": values.kind.value,
        "number": values.number,
        "issue_date": values.issue_date,
        "due_date": values.due_date,
        "currency": values.currency,
        "grand_total": values.grand_total,
        "payable": values.grand_total,
        "tax_amount": tax,
        "subtotal": None if tax is None else values.grand_total - tax,
        "supplier_name": values.supplier_name,
        "supplier_tax_id": values.supplier_tax_id,
    }


def _warnings(record: InvoiceRecord, reader: Reader) -> list[dict[str, object]]:
    """The warnings of the bill, with the newest one about who has entered its values."""
    name = (reader.email or reader.subject) if isinstance(reader, Session) else "a program"
    day = clock.today().isoformat()
    message = f"The values of this bill were entered by {name} on {day}."
    others = [dict(each) for each in record.warnings if each["code"] != FILLED_IN]
    return [*others, dict(SendWarning(FILLED_IN, message).as_data())]
