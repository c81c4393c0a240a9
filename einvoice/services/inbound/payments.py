"""Payments that a tenant says it has got for what it sold.

A payment is stored with how much of the invoice is paid then, the event `invoice.paid`, and the
message that tells the network where a law asks for that, in one transaction. The network gets the
message of an invoice that is not Delivered yet when it is (`services/delivery/payment_messages`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import events, ids
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound
from einvoice.domain.money import is_paid
from einvoice.network.access_points import AccessPoints
from einvoice.network.messages import Outgoing, ReportsPayments
from einvoice.observability import logging
from einvoice.services.account import audit
from einvoice.services.delivery import messages, payment_messages
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.principal import Reader, Session
from einvoice.services.runtime import Runtime
from einvoice.services.webhooks import deliveries
from einvoice.store.core import db
from einvoice.store.invoices import payments as stored
from einvoice.store.invoices.payments import PaymentRecord as PaymentRecord
from einvoice.webhooks import payloads

log = logging.get(__name__)

MAX_PAYMENTS: Final = 100  # of one invoice
_KNOWN_TO_NETWORK: Final = (NetworkStatus.DELIVERED, NetworkStatus.RECEIVED)


@dataclass(frozen=True, slots=True)
class NewPayment:
    """A payment as the tenant states it. `amount`: in the currency of the invoice, not zero.

    paid_before  what was paid of the invoice when the person stated it; None: not known
    """

    amount: Decimal
    paid_on: date
    reference: str | None = None
    paid_before: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A payment that can be stored.

    message      about it, with the access point that sends it, if the network gets one; it is sent
                 if the network knows the invoice, and made anew when it is Delivered
    paid_before  as in NewPayment
    """

    invoice: InvoiceRecord
    payment: PaymentRecord
    message: tuple[str, Outgoing] | None
    paid_before: Decimal | None = None


@dataclass(frozen=True, slots=True)
class StoredPayment:
    """A payment, and how much of its invoice is paid with it."""

    payment: PaymentRecord
    amount_paid: Decimal
    paid: bool


def record(invoice_id: str, new: NewPayment, reader: Reader, runtime: Runtime) -> StoredPayment:
    """Store a payment of an invoice.

    Raises NotFound; InvalidField; Conflict for what the tenant has bought, one that has too many
    payments, one whose network takes no payments, or one of which something else was paid since.
    """
    prepared = prepare(payable(invoice_id, reader), new, reader, runtime)
    with db.writing() as connection:
        made = add(connection, prepared, reader)
    log.info("payment recorded", invoice=prepared.invoice.id)
    return made


def prepare(invoice: InvoiceRecord, new: NewPayment, reader: Reader, runtime: Runtime) -> Prepared:
    """A payment of an invoice, before it is stored. Raises InvalidField and Conflict."""
    _check(new)
    payment = _payment(invoice, new, reader)
    message = _message(invoice, payment, runtime.access_points)
    return Prepared(invoice, payment, message, new.paid_before)


def record_all(
    given: Sequence[tuple[str, NewPayment]], reader: Reader, runtime: Runtime
) -> list[StoredPayment]:
    """Store payments of several invoices, all or none, in the order given.

    Raises InvalidField, which names each payment that cannot be stored.
    """
    prepared: list[Prepared] = []
    faults: list[FieldError] = []
    for place, (invoice_id, new) in enumerate(given):
        try:
            prepared.append(prepare(payable(invoice_id, reader), new, reader, runtime))
        except (NotFound, Conflict, InvalidField) as refusal:
            faults += _at(place, refusal)
    if faults:
        raise InvalidField(faults)
    with db.writing() as connection:
        made = _add_all(connection, prepared, reader)
    log.info("payments recorded", payments=len(made))
    return made


def _add_all(
    connection: Connection, prepared: Sequence[Prepared], reader: Reader
) -> list[StoredPayment]:
    """Invoices are locked in the order of their ids, so two requests never wait for each other."""
    made: dict[int, StoredPayment] = {}
    for place in sorted(range(len(prepared)), key=lambda each: prepared[each].invoice.id):
        try:
            made[place] = add(connection, prepared[place], reader)
        except (Conflict, InvalidField) as refusal:
            raise InvalidField(list(_at(place, refusal))) from refusal
    return [made[place] for place in range(len(prepared))]


def _at(place: int, refusal: NotFound | Conflict | InvalidField) -> Iterator[FieldError]:
    """The fault of one of several payments."""
    where = f"/payments/{place}"
    if isinstance(refusal, InvalidField):
        for each in refusal.errors:
            yield replace(each, pointer=f"{where}{each.pointer}")
    else:
        code = "unknown-invoice" if isinstance(refusal, NotFound) else "not-payable"
        yield FieldError(f"{where}/invoiceId", code, refusal.detail)


def payable(invoice_id: str, reader: Reader) -> InvoiceRecord:
    """The invoice that the tenant has sold. Raises NotFound and Conflict."""
    invoice = detail.record_of(invoice_id, reader)
    check_payable(invoice)
    return invoice


def check_payable(invoice: InvoiceRecord) -> None:
    """Raise Conflict for what the tenant has bought."""
    if invoice.is_sold:
        return
    if invoice.is_received:
        raise Conflict("This is a bill: say that you have paid it by a response (PD).")
    raise Conflict("You have billed this yourself, and its payment goes to your supplier.")


def open_amount(invoice: InvoiceRecord) -> Decimal | None:
    """The amount due of which nothing was paid yet; None where the amount due is not known."""
    if invoice.payable is None:
        return None
    return max(invoice.payable - (invoice.amount_paid or Decimal(0)), Decimal(0))


def payments_of(invoice_id: str, reader: Reader) -> Sequence[PaymentRecord]:
    """The payments of an invoice, oldest first. Raises NotFound."""
    return stored.of_invoice(reader.tenant_id, detail.record_of(invoice_id, reader).id)


def _check(new: NewPayment) -> None:
    """Raises InvalidField."""
    faults = []
    if new.amount == 0:
        faults.append(FieldError("/amount", "zero", "must not be zero"))
    elif new.amount != round(new.amount, 2):
        faults.append(FieldError("/amount", "many-decimals", "has at most two decimals"))
    if new.paid_on > clock.today() + timedelta(days=1):
        faults.append(FieldError("/date", "in-future", "must not be in the future"))
    if faults:
        raise InvalidField(faults)


def check_sum(before: Decimal, amount: Decimal) -> None:
    """Raise InvalidField for a payment that takes back more than was paid before."""
    if before + amount < 0:
        words = f"takes back more than was paid, which is {before}"
        raise InvalidField([FieldError("/amount", "too-small", words)])


def _payment(invoice: InvoiceRecord, new: NewPayment, reader: Reader) -> PaymentRecord:
    now = clock.now()
    by = (reader.email or reader.subject) if isinstance(reader, Session) else f"key {reader.key_id}"
    return PaymentRecord(
        id=str(ids.time_ordered(now)),
        tenant_id=invoice.tenant_id,
        environment=invoice.environment,
        invoice_id=invoice.id,
        amount=new.amount,
        paid_on=new.paid_on,
        reference=new.reference,
        message_id=None,
        created_by=by,
        created_at=now,
    )


def _message(
    invoice: InvoiceRecord, payment: PaymentRecord, points: AccessPoints
) -> tuple[str, Outgoing] | None:
    """The message to the network, with its access point; None where it gets none.

    Raises Conflict for a payment of which no message can be made.
    """
    point = points.get(invoice.access_point)
    if not isinstance(point, ReportsPayments) or invoice.status == NetworkStatus.FAILED:
        return None
    try:
        made = payment_messages.message_of(invoice, payment, point)
    except ValueError as fault:
        raise Conflict(f"The network cannot be told of this payment: {fault}") from fault
    return None if made is None else (invoice.access_point, made)


def add(connection: Connection, prepared: Prepared, reader: Reader) -> StoredPayment:
    """Store a payment in the caller's transaction. Raises InvalidField and Conflict before anything
    is written."""
    invoice, payment = prepared.invoice, prepared.payment
    locked = stored.lock_invoice(connection, invoice.id, invoice.tenant_id)
    before = locked.amount_paid
    if locked.payments >= MAX_PAYMENTS:
        raise Conflict(f"An invoice has at most {MAX_PAYMENTS} payments.")
    if prepared.paid_before not in (None, before):
        raise Conflict("Another payment of this invoice was stored since this page was shown.")
    check_sum(before, payment.amount)
    if prepared.message and locked.status in _KNOWN_TO_NETWORK:
        payment = replace(payment, message_id=messages.add(connection, *prepared.message))
    amount_paid = before + payment.amount
    stored.add(connection, payment, amount_paid)
    made = StoredPayment(payment, amount_paid, is_paid(amount_paid, invoice.payable))
    deliveries.emit_many(connection, [_event(made)])
    audit.record(
        connection, invoice.tenant_id, reader, "payment.recorded", invoice.id,
        {"paymentId": payment.id, "amount": str(payment.amount)},
    )  # fmt: skip
    return made


def _event(made: StoredPayment) -> deliveries.NewEvent:
    payment = made.payment
    return deliveries.NewEvent(
        tenant_id=payment.tenant_id,
        environment=payment.environment,
        type=events.INVOICE_PAID,
        invoice_id=payment.invoice_id,
        payload={
            "invoiceId": payment.invoice_id,
            "paymentId": payment.id,
            "amount": payloads.stored_amount(payment.amount),
            "date": payment.paid_on.isoformat(),
            "reference": payment.reference,
            "amountPaid": payloads.stored_amount(made.amount_paid),
            "paid": made.paid,
        },
    )
