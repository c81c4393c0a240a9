"""Invoices to print: a correct one, of which a test changes one thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

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
    PrecedingInvoice,
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
    trading_name="Acme Manufacturing",
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
    """Three lines, an allowance, two VAT rates, a prepayment, another delivery address."""
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


def _credit_note() -> Invoice:
    return an_invoice(
        kind=DocumentKind.CREDIT_NOTE,
        type_code="381",
        number="C-2026-7",
        due_date=None,
        payment=(),
        payment_terms=None,
        delivery=None,
        adjustments=(),
        preceding=(PrecedingInvoice("2026-0031", date(2026, 10, 2)),),
        lines=an_invoice().lines[:1],
        taxes=(TaxSubtotal(Decimal("1188.00"), Decimal("249.48"), STANDARD),),
        totals=Totals(
            lines=Decimal("1188.00"),
            tax_exclusive=Decimal("1188.00"),
            tax=Decimal("249.48"),
            tax_inclusive=Decimal("1437.48"),
            payable=Decimal("1437.48"),
        ),
        buyer=replace(
            BUYER,
            name="Société Générale des Éoliennes",
            vat_id="BE0987654321",
            address=Address(
                "12, rue de la République", city="Liège", postal_code="4000", country="BE"
            ),
        ),
    )


def _reverse_charge() -> Invoice:
    """Exempt from VAT, with the reason; an Arabic name, a currency without a symbol."""
    exempt = TaxCategory("G", Decimal(0))
    return an_invoice(
        number="EXP-88",
        currency="AED",
        seller=replace(SELLER, trading_name="شركة Acme"),
        buyer=replace(
            BUYER,
            name="شركة الإمارات للتجارة العامة ذ.م.م",
            vat_id=None,
            address=Address("شارع الشيخ زايد", "مبنى 14", city="دبي", country="AE"),
        ),
        lines=(
            a_line(1, item=Item("خدمات استشارية Consulting", exempt)),
            a_line(2, item=Item("שירותי ייעוץ", exempt)),
        ),
        adjustments=(),
        taxes=(
            TaxSubtotal(
                Decimal("2376.00"),
                Decimal("0.00"),
                exempt,
                "Export outside the EU",
                "VATEX-EU-G",
            ),
        ),
        totals=_plain_totals(Decimal("2376.00")),
    )


def _east_asian() -> Invoice:
    """Han, kana and Hangul, a currency without decimals, and scripts that no packaged font has."""
    free = TaxCategory("Z", Decimal(0))
    return an_invoice(
        number="JP-3",
        currency="JPY",
        seller=replace(SELLER, name="上海轴承制造有限公司", trading_name=None),
        buyer=replace(
            BUYER,
            name="株式会社日本電気商事",
            vat_id=None,
            address=Address(
                "千代田区丸の内一丁目", city="東京都", postal_code="100-0005", country="JP"
            ),
        ),
        lines=(
            a_line(1, item=Item("軸受ハウジング", free)),
            a_line(2, item=Item("深圳市轴承有限公司 型号", free)),
            a_line(3, item=Item("베어링 하우징 ไทย", free)),
        ),
        adjustments=(),
        delivery=None,
        taxes=(TaxSubtotal(Decimal("3564.00"), Decimal("0.00"), free),),
        totals=_plain_totals(Decimal("3564.00")),
    )


def _plain_totals(amount: Decimal) -> Totals:
    return Totals(
        lines=amount,
        tax_exclusive=amount,
        tax=Decimal("0.00"),
        tax_inclusive=amount,
        payable=amount,
    )


def _two_pages() -> Invoice:
    names = ("Bearing housing", "Angular gear with torque support, long version for deep shafts")
    lines = tuple(
        a_line(at, names[at % 2], quantity=Decimal(at), extension=Decimal(at) * Decimal("99.00"))
        for at in range(1, 31)
    )
    net = sum((line.extension for line in lines), Decimal(0))
    vat = (net * Decimal("0.21")).quantize(Decimal("0.01"))
    return an_invoice(
        lines=lines,
        adjustments=(),
        taxes=(TaxSubtotal(net, vat, STANDARD),),
        totals=Totals(
            lines=net,
            tax_exclusive=net,
            tax=vat,
            tax_inclusive=net + vat,
            payable=net + vat,
        ),
        buyer=replace(
            BUYER,
            address=Address("Storgatan 1", city="Stockholm", postal_code="111 22", country="SE"),
        ),
    )


_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


def _too_long() -> Invoice:
    """Words longer than their columns, and the longest figures that the API accepts."""
    vast, precise = Decimal("999999999999999.99"), Decimal("999999999999.12345678")
    long = a_line(1, item=Item(_WORD, STANDARD, description="Lorem ipsum dolor sit amet. " * 12))
    wide = a_line(
        2,
        id="LINE-2222222222222222",
        quantity=precise,
        price=Price(precise, base_quantity=Decimal(1000)),
        extension=vast,
    )
    return an_invoice(
        number="X" * 60,
        seller=replace(SELLER, trading_name="A very long name of a very long company it is"),
        buyer=replace(BUYER, name=_WORD, contact=Contact(_WORD)),
        buyer_reference="R" * 90,
        lines=(long, wide),
        adjustments=(),
        taxes=(TaxSubtotal(vast, vast, STANDARD),),
        totals=replace(_plain_totals(vast), tax=vast),
        payment_terms="Terms that go on and on. " * 12,
    )


def _logo() -> bytes:
    picture = Image.new("RGB", (450, 120), "white")
    draw = ImageDraw.Draw(picture)
    draw.ellipse((10, 10, 110, 110), fill="#c2410c")
    draw.rectangle((130, 45, 430, 75), fill="#1f2937")
    made = BytesIO()
    picture.save(made, "PNG")
    return made.getvalue()


# Samples whose pages are compared with the golden ones: invoice, branding, number of pages.
GOLDEN: dict[str, tuple[Invoice, Branding, int]] = {
    "german": (an_invoice(), replace(ACME, logo=_logo(), logo_type="image/png"), 1),
    "credit-note": (_credit_note(), ACME, 1),
    "export-arabic": (_reverse_charge(), Branding("شركة Acme", colour="#ffcc00"), 1),
    "east-asian": (_east_asian(), Branding("上海轴承制造有限公司", colour="#c2410c"), 1),
    "two-pages": (_two_pages(), ACME, 2),
    "too-long": (_too_long(), Branding("A very long name of a very long company it is"), 2),
}
