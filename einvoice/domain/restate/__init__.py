"""The body of a send that says what an invoice says: the inverse of `einvoice/domain/derive`.

One module for each of derive's, with the same names. What derive computes (sums, the breakdown) is
not stated, and what a member means without being sent is left out. Some of an invoice may have no
member, or another form: `derive` of the body shows what.
"""

from __future__ import annotations

from einvoice.domain.invoice import DocumentKind, Identifier, Invoice
from einvoice.domain.request import InvoiceRequest, TotalsRequest
from einvoice.domain.restate.further import add_further_terms
from einvoice.domain.restate.header import delivery, documents, references
from einvoice.domain.restate.lines import adjustments, general_exemption, line_items
from einvoice.domain.restate.members import Members, stated
from einvoice.domain.restate.parties import buyer, payee, representative, supplier
from einvoice.domain.restate.payment import payment_means
from einvoice.domain.type_codes import DEFAULTS


def invoice_request(invoice: Invoice) -> InvoiceRequest:
    """The invoice of a send."""
    kind = invoice.document_kind
    code = invoice.type_code
    found: InvoiceRequest = stated(
        number=invoice.number,
        type=kind.value if kind is not DocumentKind.INVOICE else None,
        typeCode=code if code != DEFAULTS[kind] else None,
        issueDate=invoice.issue_date,
        dueDate=invoice.due_date,
        currency=invoice.currency,
        taxCurrency=invoice.accounting_currency,
        **references(invoice),
        supplier=supplier(invoice.seller),
        buyer=buyer(invoice.buyer),
        payee=payee(invoice.payee),
        taxRepresentative=representative(invoice.tax_representative),
        **delivery(invoice),
        paymentTerms=invoice.payment_terms,
        paymentMeans=payment_means(invoice),
        lineItems=line_items(invoice),
        allowances=adjustments(invoice.adjustments, charge=False),
        charges=adjustments(invoice.adjustments, charge=True),
        taxExemption=general_exemption(invoice),
        totals=_totals(invoice),
        **documents(invoice),
    )  # type: ignore[assignment]  # a TypedDict of members by name
    add_further_terms(invoice, found)
    return found


def routing_members(invoice: Invoice) -> Members:
    """The ids of sender and receiver, as far as the parties have electronic addresses."""
    ends = invoice.seller.endpoint, invoice.buyer.endpoint
    sender, receiver = reversed(ends) if invoice.document_kind.is_self_billed else ends
    return stated(
        senderParticipantId=_participant(sender), receiverParticipantId=_participant(receiver)
    )


def _participant(endpoint: Identifier | None) -> str | None:
    if endpoint is None or not (endpoint.scheme or "").isdecimal():
        return None
    return f"{endpoint.scheme}:{endpoint.value}"


def _totals(invoice: Invoice) -> TotalsRequest:
    totals = invoice.totals
    tax = totals.tax_inclusive - totals.tax_exclusive
    found: TotalsRequest = stated(
        subtotal=totals.tax_exclusive,
        taxAmount=totals.tax if totals.tax is not None else tax,
        grandTotal=totals.tax_inclusive,
        taxAmountInTaxCurrency=totals.tax_in_accounting_currency,
        prepaidAmount=totals.prepaid or None,
        payableRounding=totals.rounding or None,
        payableAmount=totals.payable,
    )  # type: ignore[assignment]
    return found
