"""A sample invoice for the preview of a tenant's branding."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from einvoice.domain.branding import Branding
from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    CreditTransfer,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    PaymentMeans,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)

_STANDARD, _REDUCED = TaxCategory("S", Decimal(21)), TaxCategory("S", Decimal(6))
_LINES = (
    Line(
        "1",
        Decimal(12),
        "C62",
        Decimal("1188.00"),
        Item("Bearing housing", _STANDARD, description="Cast iron, with seal", seller_id="BH-40"),
        Price(Decimal("99.00")),
    ),
    Line(
        "2",
        Decimal("7.5"),
        "HUR",
        Decimal("627.50"),
        Item("Consulting", _STANDARD),
        Price(Decimal("85.00")),
        adjustments=(AllowanceCharge(False, Decimal("10.00"), reason="Loyalty"),),
    ),
    Line(
        "3",
        Decimal(40),
        "EA",
        Decimal("500.00"),
        Item("Handbook", _REDUCED),
        Price(Decimal("12.50")),
    ),
)


def sample_invoice(branding: Branding, today: date, country: str) -> Invoice:
    """An invoice from the tenant to a buyer in the country, with three lines and two VAT rates."""
    transfers = (
        (CreditTransfer(branding.iban, branding.account_name, branding.bic),)
        if branding.iban
        else ()
    )
    return Invoice(
        kind=DocumentKind.INVOICE,
        number="SAMPLE-1",
        issue_date=today,
        due_date=today + timedelta(days=30),
        type_code="380",
        currency="EUR",
        seller=Party(branding.name, vat_id="BE0123456749", address=_address(branding)),
        buyer=Party(
            "Sample Buyer",
            legal_id=Identifier("0123456789"),
            address=Address("Sample Street 1", city="Sampletown", country=country),
        ),
        lines=_LINES,
        taxes=(
            TaxSubtotal(Decimal("1815.50"), Decimal("381.26"), _STANDARD),
            TaxSubtotal(Decimal("500.00"), Decimal("30.00"), _REDUCED),
        ),
        totals=Totals(
            lines=Decimal("2315.50"),
            tax_exclusive=Decimal("2315.50"),
            tax=Decimal("411.26"),
            tax_inclusive=Decimal("2726.76"),
            payable=Decimal("2726.76"),
        ),
        buyer_reference="PO-77812",
        payment=(PaymentMeans("30", remittance="SAMPLE-1", transfers=transfers),),
        payment_terms="30 days net",
        notes=((None, "This is a sample: nothing was sent and nothing is owed."),),
    )


def _address(branding: Branding) -> Address:
    line1, line2, line3 = (*branding.address_lines[:3], None, None, None)[:3]
    return Address(line1, line2, line3)
