"""Messages that tell networks of payments of invoices that they delivered.

A network knows an invoice once it is Delivered. A payment that was stated before gets a notice in
the transaction that settles the transmission, so that none is forgotten;
`services/inbound/notices` makes the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import DocumentDropped
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.access_points import AccessPoints
from einvoice.network.messages import Outgoing, PaymentNotice, ReportsPayments
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.store.inbound import notices
from einvoice.store.invoices import invoices, payments
from einvoice.store.invoices.invoices import InvoiceRecord
from einvoice.store.invoices.payments import PaymentRecord
from einvoice.store.sending.transmissions import Settlement, Work

log = logging.get(__name__)

PAID = "paid"  # the step of a notice about a payment


def message_of(
    invoice: InvoiceRecord, payment: PaymentRecord, point: ReportsPayments
) -> Outgoing | None:
    """The message about a payment; None where the law asks for none.

    Raises ValueError if none can be made of it, and ArchiveUnavailable.
    """
    made = point.payment_message(_notice(invoice, payment))
    return None if made is None else replace(made, answers=invoice.id)


def add_notices(
    connection: Connection,
    settled: Iterable[tuple[Work, Settlement]],
    points: AccessPoints | None,
) -> None:
    """Add the notices of payments of invoices that have become Delivered."""
    reporting = {p.name for p in points or () if isinstance(p, ReportsPayments)}
    delivered = {
        work.invoice_id: work.access_point
        for work, settlement in settled
        if work.access_point in reporting and settlement.status is NetworkStatus.DELIVERED
    }
    if not delivered:
        return
    untold = payments.untold(connection, delivered)
    subjects = [(each.id, each.tenant_id, delivered[each.invoice_id]) for each in untold]
    notices.add_first(connection, subjects, PAID, clock.now())


def due(payment_id: str, point: AccessPoint) -> Sequence[Outgoing]:
    """What the access point sends about a payment of a notice. Raises ArchiveUnavailable.

    Nothing about one whose message could have been made when it was stated, and cannot any more.
    """
    payment = payments.find(payment_id)
    if payment is None or not isinstance(point, ReportsPayments):
        return ()
    invoice = invoices.find(payment.invoice_id, payment.tenant_id, [payment.environment])
    if invoice is None:
        return ()
    try:
        message = message_of(invoice, payment, point)
    except ValueError as fault:
        log.error("payment not told", payment=payment_id, invoice=invoice.id, fault=str(fault))
        return ()
    return () if message is None else (message,)


def _notice(invoice: InvoiceRecord, payment: PaymentRecord) -> PaymentNotice:
    """Raises ValueError without an id of the seller."""
    issuer = ParticipantId.parse(invoice.sender)
    other = ParticipantId.parse(invoice.receiver) if invoice.receiver else None
    seller, buyer = (other, issuer) if invoice.is_self_billed else (issuer, other)
    if seller is None:
        raise ValueError("the invoice names no participant id of the seller")
    found = invoices.documents(invoice.id, invoice.tenant_id, invoice.environment)
    try:
        document = found.document if found else b""
    except DocumentDropped:
        document = b""
    return PaymentNotice(
        payment_id=payment.id,
        environment=Environment(invoice.environment),
        sender=seller,
        receiver=buyer,
        sender_name=invoice.supplier_name or str(seller),
        receiver_name=invoice.buyer_name or "",
        number=invoice.number or "",
        issue_date=invoice.issue_date,
        amount=payment.amount,
        currency=invoice.currency or "",
        paid_on=payment.paid_on,
        at=payment.created_at,
        document=document,
        sender_country=invoice.supplier_country,
        receiver_country=invoice.buyer_country,
    )
