"""Invoices to be printed: one correct one, of which a test changes what it is about."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from einvoice.domain.branding import Branding
from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    Contact,
    CreditTransfer,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    PaymentMeans,
    Period,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)

STANDARD = TaxCategory("S", Decimal(21))
REDUCED = TaxCategory("S", Decimal(6))
ACME = Branding(
    "Acme Manufacturing",
    colour="#0f766e",
    address_lines=("Industrieweg 12", "9000 Gent"),
    iban="BE68539007547034",
    bic="GKCCBEBB",
    website="www.acme.example",
    email="billing@acme.example",
    phone="+32 9 123 45 67",
)
SELLER = Party(
    "Acme Manufacturing NV",
    endpoint=Identifier("0123456749", "0208"),
    vat_id="BE0123456749",
    legal_id=Identifier("0123456749", "0208"),
    legal_form="RPR Gent",
    address=Address("Industrieweg 12", "Bus 4", city="Gent", postal_code="9000", country="BE"),
    contact=Contact("Anna Peeters", "+32 9 123 45 67", "billing@acme.example"),
)
BUYER = Party(
    "Müller Maschinenbau GmbH",
    endpoint=Identifier("9520000000004", "0088"),
    vat_id="DE123456789",
    address=Address("Hauptstraße 5", city="München", postal_code="80331", country="DE"),
    contact=Contact("Frau Schneider"),
)
TRANSFER = PaymentMeans(
    "30",
    remittance="RF18539007547034",
    transfers=(CreditTransfer("BE68539007547034", "Acme Manufacturing NV", "GKCCBEBB"),),
)


def a_line(number: int, name: str = "Bearing housing", **changes: Any) -> Line:
    values: dict[str, Any] = {
        "id": str(number),
        "quantity": Decimal(12),
        "unit": "C62",
        "extension": Decimal("1188.00"),
        "item": Item(name, STANDARD),
        "price": Price(Decimal("99.00")),
    }
    return Line(**(values | changes))


def an_invoice(**changes: Any) -> Invoice:
    """Three lines, an allowance, two rates of VAT, a prepayment, a delivery to elsewhere."""
    values: dict[str, Any] = {
        "kind": DocumentKind.INVOICE,
        "number": "2026-0042",
        "issue_date": date(2026, 11, 21),
        "due_date": date(2026, 12, 21),
        "type_code": "380",
        "currency": "EUR",
        "seller": SELLER,
        "buyer": BUYER,
        "lines": (
            a_line(
                1,
                item=Item(
                    "Bearing housing BH-40",
                    STANDARD,
                    description="Cast iron, machined, with seal",
                    seller_id="BH-40",
                    standard_id=Identifier("04012345678901", "0160"),
                ),
            ),
            a_line(
                2,
                quantity=Decimal("7.5"),
                unit="HUR",
                extension=Decimal("627.50"),
                item=Item("Consulting", STANDARD),
                price=Price(Decimal("85.00")),
                period=Period(date(2026, 10, 1), date(2026, 10, 31)),
                adjustments=(AllowanceCharge(False, Decimal("10.00"), reason="Loyalty"),),
            ),
            a_line(
                3,
                quantity=Decimal(1250),
                unit="KWH",
                extension=Decimal("156.25"),
                item=Item("Electricity for test runs", REDUCED),
                price=Price(Decimal("0.125")),
            ),
        ),
        "adjustments": (
            AllowanceCharge(
                False,
                Decimal("50.00"),
                base_amount=Decimal("2000.00"),
                percentage=Decimal("2.5"),
                category=STANDARD,
                reason="Rebate",
            ),
        ),
        "taxes": (
            TaxSubtotal(Decimal("1765.50"), Decimal("370.76"), STANDARD),
            TaxSubtotal(Decimal("156.25"), Decimal("9.38"), REDUCED),
        ),
        "totals": Totals(
            lines=Decimal("1971.75"),
            allowances=Decimal("50.00"),
            tax_exclusive=Decimal("1921.75"),
            tax=Decimal("380.14"),
            tax_inclusive=Decimal("2301.89"),
            prepaid=Decimal("100.00"),
            payable=Decimal("2201.89"),
        ),
        "buyer_reference": "PO-77812",
        "order": "4500017",
        "contract": "RV-2025-3",
        "payment": (TRANSFER,),
        "payment_terms": "14 days 2 %, 30 days net",
        "delivery": Delivery(
            name="Müller Werk 2",
            date=date(2026, 11, 18),
            address=Address("Werkstraße 1", city="Dachau", postal_code="85221", country="DE"),
        ),
        "notes": ((None, "Thank you for your business."),),
    }
    return Invoice(**(values | changes))
