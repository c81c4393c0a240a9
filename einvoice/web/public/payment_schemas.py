"""The contracts of payments of sent invoices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from einvoice.services.inbound.payments import NewPayment, PaymentRecord, StoredPayment
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Day, Number, Text
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

MAX_AT_ONCE = 100
_CENTS = 2


class PaymentRequest(Contract):
    """A payment that you have got for an invoice that you sent."""

    amount = Number(
        "In the currency of the invoice, with VAT, at most two decimals; negative to take back "
        "what was stated too high.",
        decimals=_CENTS,
        required=True,
        example=121.0,
    )
    date = Day("When it was paid.", required=True, example="2026-11-23")
    reference = Text(
        "Your own, such as the line of a bank statement.", max_length=140, example="B-7"
    )


class PaymentOfInvoiceRequest(PaymentRequest):
    """A payment with its invoice."""

    invoiceId = Text(
        "The invoice that you sent.",
        max_length=40,
        required=True,
        example="5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
    )


class PaymentsRequest(Contract):
    """Payments of several invoices, which are stored all or none."""

    payments = Items(
        Part(PaymentOfInvoiceRequest, "One payment."),
        "The payments.",
        max_items=MAX_AT_ONCE,
        min_items=1,
        required=True,
    )


def payment_of(fields: Mapping[str, Any]) -> NewPayment:
    """The payment of a body that was read."""
    return NewPayment(fields["amount"], fields["date"], fields.get("reference") or None)


class PaymentEntry(ResponseSchema[PaymentRecord]):
    """A payment of a sent invoice."""

    paymentId = a.an_id("The payment", source="id")
    invoiceId = a.an_id("The invoice")
    amount = a.amount("In the currency of the invoice", 121.00, or_null=False)
    date = a.day("When it was paid", "2026-11-23", source="paid_on")
    reference = a.text("Your own", "B-7", or_null=True)
    createdAt = a.moment("When you stated it", "2026-11-23T08:00:00.000Z")


class PaymentMade(ResponseSchema[StoredPayment]):
    """A payment, and how much of its invoice is paid with it."""

    inside = "payment"

    paymentId = a.an_id("The payment", source="id")
    invoiceId = a.an_id("The invoice")
    amount = a.amount("In the currency of the invoice", 121.00, or_null=False)
    date = a.day("When it was paid", "2026-11-23", source="paid_on")
    reference = a.text("Your own", "B-7", or_null=True)
    createdAt = a.moment("When you stated it", "2026-11-23T08:00:00.000Z")
    amountPaid = a.amount(
        "What is paid of the invoice then", 121.00, or_null=False, source=".amount_paid"
    )
    paid = a.flag("Whether that reaches its amount due", example=True, source=".paid")


class PaymentResponse(PaymentMade):
    """The payment that was stored."""

    provider = a.provider()


@dataclass(frozen=True, slots=True)
class MadePayments:
    """The payments of one request, in its order."""

    items: Sequence[StoredPayment]


class PaymentsResponse(ResponseSchema[MadePayments]):
    items = a.things(PaymentMade(), "The payments, in the order of the request")
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class ListedPayments:
    """The payments of an invoice, oldest first."""

    invoice_id: str
    items: Sequence[PaymentRecord]


class PaymentList(ResponseSchema[ListedPayments]):
    invoiceId = a.an_id("The invoice")
    items = a.things(PaymentEntry(), "Its payments, oldest first")
    provider = a.provider()
