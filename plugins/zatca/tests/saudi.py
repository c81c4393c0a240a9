"""A Saudi seller, its buyers, and their invoices."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date
from decimal import Decimal

from einvoice.domain.invoice import (
    Address,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    PrecedingInvoice,
    Prepayment,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)
from einvoice_zatca import riyadh

VAT_NUMBER = "399999999900003"
_numbers = itertools.count(1)
RIYADH = Address("Prince Sultan", "2322", "Al-Murabba", "Riyadh", "23333", None, "SA")
SELLER = Party(
    "شركة توريد التكنولوجيا | Maximum Speed",
    vat_id=f"SA{VAT_NUMBER}",
    legal_id=Identifier("1010010000"),
    address=RIYADH,
)
BUSINESS = Party(
    "Fatoora Samples LTD",
    vat_id="SA399999999800003",
    address=Address("1111 Salah Al-Din", None, "Al-Murooj", "Riyadh", "12222", None, "SA"),
)
CONSUMER = Party("Ahmad", address=Address(country="SA"))


def an_invoice(*, lines: int = 1, **changes) -> Invoice:
    """A standard invoice of today over SAR 115 a line. `changes` are fields of Invoice."""
    rate = TaxCategory("S", Decimal(15))
    cents = Decimal("0.01")
    net = Decimal(100 * lines).quantize(cents)
    tax = (net * 15 / 100).quantize(cents)
    items = tuple(
        Line(str(number), Decimal(1), "PCE", Decimal("100.00"), Item("كتاب | Book", rate),
             Price(Decimal("100.00")))
        for number in range(1, lines + 1)
    )  # fmt: skip
    day = changes.pop("issue_date", None) or riyadh.today()
    fields = {
        "kind": DocumentKind.INVOICE,
        "number": f"SA-{next(_numbers)}",
        "issue_date": day,
        "type_code": "380",
        "currency": "SAR",
        "seller": SELLER,
        "buyer": BUSINESS,
        "lines": items,
        "totals": Totals(net, net, net + tax, net + tax, tax),
        "taxes": (TaxSubtotal(net, tax, rate),),
        "delivery": Delivery(date=day),
    } | changes
    return Invoice(**fields)


def after_prepayments(taxable=Decimal("200.00"), time="12:28:17") -> Invoice:
    """An invoice of ten lines over SAR 1,150 that deducts 276 of two invoices before it."""
    rate = TaxCategory("S", Decimal(15))
    first = TaxSubtotal(taxable, Decimal("30.00"), rate)
    second = TaxSubtotal(Decimal("40.00"), Decimal("6.00"), rate)
    prepayments = (
        Prepayment("ADV-1", date(2026, 1, 2), first, time),
        Prepayment("ADV-2", date(2026, 1, 3), second, "09:00:00"),
    )
    invoice = an_invoice(lines=10)
    totals = replace(invoice.totals, prepaid=Decimal("276.00"), payable=Decimal("874.00"))
    return replace(invoice, totals=totals, prepayments=prepayments)


def corrected(invoice: Invoice, type_code: str) -> Invoice:
    """A credit note (381) or debit note (383) about another invoice."""
    kind = DocumentKind.CREDIT_NOTE if type_code == "381" else DocumentKind.INVOICE
    return replace(
        invoice,
        kind=kind,
        type_code=type_code,
        preceding=(PrecedingInvoice("SA-0", date(2026, 1, 1)),),
        notes=((None, "Returned goods"),),
    )


def one_of_each() -> dict[str, Invoice]:
    """The kinds of documents: standard and simplified, and the corrections of both."""
    found = {}
    for name, buyer in (("standard", BUSINESS), ("simplified", CONSUMER)):
        plain = an_invoice(buyer=buyer)
        found[f"{name} invoice"] = plain
        found[f"{name} credit note"] = corrected(plain, "381")
        found[f"{name} debit note"] = corrected(plain, "383")
        found[f"{name} prepayment"] = replace(plain, type_code="386")
    return found
