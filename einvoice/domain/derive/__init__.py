"""Derives the invoice of EN 16931 from the business request (decisions 17).

Pure: the same request, routing and defaults give the same invoice. A term that is neither sent nor
assumed is left out, so that the validation rules report it (a country: BR-09, BR-11). A request
that its schema accepts is derived or refused, never an error.
"""

from __future__ import annotations

from decimal import localcontext

from einvoice.domain.declared_totals import check_declared
from einvoice.domain.derive.amounts import adjustments, check_tax_currency, line_amounts, totals
from einvoice.domain.derive.further import document_terms
from einvoice.domain.derive.header import (
    delivery,
    due_date,
    note_undecided_customers,
    references,
    supporting,
)
from einvoice.domain.derive.lines import invoice_lines
from einvoice.domain.derive.other_parties import payee, representative
from einvoice.domain.derive.parties import (
    VatUse,
    addressed_by_email,
    check_tax_id,
    party,
    supplier,
)
from einvoice.domain.derive.payment import payment
from einvoice.domain.derive.tax import breakdown, categories, note_assumed_zero_rates
from einvoice.domain.derive.text import filled, period
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind, Invoice, Routing
from einvoice.domain.money import EXACT
from einvoice.domain.plausibility import implausible
from einvoice.domain.request import DerivedInvoice, InvoiceRequest, SendDefaults, SendWarning
from einvoice.domain.totals import ComputedTotals
from einvoice.domain.type_codes import kind_of, type_code
from einvoice.domain.vat import vat_of_lines

_NO_DEFAULTS = SendDefaults()


def derive(
    request: InvoiceRequest,
    routing: Routing,
    defaults: SendDefaults = _NO_DEFAULTS,
    computed: ComputedTotals | None = None,
    *,
    numbered: bool = False,
) -> DerivedInvoice:
    """The invoice, with a warning for each assumption and for each implausible value.

    `computed`: totals that replace those of `check_declared`, for another totals rule; their
    difference to the grand total becomes the rounding amount.
    `numbered`: whether the document has VAT numbers whatever its categories (`Profile.numbered`).
    Raises DeclaredTotalsMismatch before anything else (decisions 17.13), and InvalidField where an
    allowance or charge needs a VAT rate that was not sent, or a VAT amount its currency, where the
    type code is of another type, where two lines have one identifier, and where a tax id names a
    VAT number that is none.
    """
    check_tax_currency(request)
    if computed is None:
        _check_tax_ids(request, routing)
    computed = computed or check_declared(request, defaults.totals)
    warnings: list[SendWarning] = []
    with localcontext(EXACT):
        invoice = _invoice(request, routing, defaults, computed, warnings, numbered=numbered)
    warnings += implausible(invoice, defaults.today)
    return DerivedInvoice(invoice, tuple(warnings))


def _ends(
    routing: Routing, kind: DocumentKind
) -> tuple[ParticipantId | None, ParticipantId | None]:
    """The participants of supplier and buyer."""
    ends = routing.sender, routing.receiver
    return (ends[1], ends[0]) if kind.is_self_billed else ends


def _check_tax_ids(request: InvoiceRequest, routing: Routing) -> None:
    selling, buying = _ends(routing, kind_of(request))
    check_tax_id("supplier", request["supplier"], selling)
    check_tax_id("buyer", request["buyer"], buying)


def _invoice(
    request: InvoiceRequest,
    routing: Routing,
    defaults: SendDefaults,
    computed: ComputedTotals,
    warnings: list[SendWarning],
    *,
    numbered: bool,
) -> Invoice:
    vats = vat_of_lines(request)
    vat = categories(vats, computed)
    kind = kind_of(request)
    selling, buying = _ends(routing, kind)
    vat_use = VatUse.of({category.code for category in vat.values()}, numbered=numbered)
    seller = supplier(request["supplier"], selling, vat_use, warnings)
    buyer = party("buyer", request["buyer"], buying, vat_use, warnings)
    if routing.receiver is None and routing.email and not kind.is_self_billed:
        buyer = addressed_by_email(buyer, routing.email)
    note_undecided_customers(defaults, warnings)
    note_assumed_zero_rates(request, vats, seller, buyer, warnings)

    extras = adjustments(computed, vat)
    amounts = line_amounts(computed, extras, warnings)
    taxes = breakdown(request, vats, computed, amounts, vat, warnings)
    intra_community = any(category.code == "K" for category in vat.values())
    return Invoice(
        kind=kind.form,
        number=request["number"],
        issue_date=request["issueDate"],
        type_code=type_code(request),
        currency=request["currency"],
        seller=seller,
        buyer=buyer,
        lines=invoice_lines(request["lineItems"], amounts, vats, vat, warnings),
        totals=totals(request["totals"], amounts, extras, taxes),
        taxes=taxes,
        accounting_currency=filled(request.get("taxCurrency")),
        due_date=due_date(request, defaults, warnings),
        payee=payee(request["payee"]) if "payee" in request else None,
        tax_representative=representative(request["taxRepresentative"])
        if "taxRepresentative" in request
        else None,
        payment=payment(request, seller, defaults, warnings),
        delivery=delivery(request, buyer, intra_community, warnings),
        period=period(request.get("period")),
        adjustments=extras,
        supporting=supporting(request),
        further=document_terms(request),
        **references(request, defaults, warnings),
    )
