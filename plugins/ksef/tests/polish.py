"""Invoices of a Polish seller, which FA(3) takes, by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    Attribute,
    Contact,
    CreditTransfer,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    Payee,
    PaymentMeans,
    Period,
    PrecedingInvoice,
    Price,
    TaxCategory,
    TaxRepresentative,
    TaxSubtotal,
    Totals,
)
from einvoice.network import samples

DAY = date(2026, 11, 20)
WARSAW = Address("ul. Polna 1", city="Warszawa", postal_code="00-001", country="PL")
BERLIN = Address("Allee 3", "Hof", city="Berlin", postal_code="10115", country="DE")
SELLER = Party(
    "Sprzedawca sp. z o.o.",
    vat_id="PL5265877635",
    address=WARSAW,
    contact=Contact("Jan Nowak", "667444555", "biuro@example.pl"),
)
BUYER = Party("Nabywca S.A.", vat_id="PL1111111111", address=WARSAW)
ORIGINAL = (PrecedingInvoice("FV/1/2026", date(2026, 11, 2)),)


def category(code: str = "S", rate: str | None = "23") -> TaxCategory:
    return TaxCategory(code, None if rate is None else Decimal(rate))


def line(net: str = "100.00", vat: TaxCategory | None = None, **changes) -> Line:
    """One piece at this net price."""
    item = Item(changes.pop("name", "Usługa"), vat or category())
    amount = Decimal(net)
    made = Line("1", Decimal(1), "C62", amount, item, Price(amount))
    return replace(made, **changes)


def invoice(*lines: Line, **changes) -> Invoice:
    """An invoice with these lines, by default one of 100.00 PLN, whose totals are computed."""
    numbered = tuple(replace(each, id=str(n)) for n, each in enumerate(lines or (line(),), 1))
    adjustments = changes.get("adjustments", ())
    taxes = _breakdown(numbered, adjustments)
    net = sum((tax.taxable for tax in taxes), Decimal("0.00"))
    tax = sum((each.tax for each in taxes), Decimal("0.00"))
    prepaid = changes.pop("prepaid", None)
    payable = net + tax - (prepaid or 0)
    totals = Totals(sum(each.extension for each in numbered), net, net + tax, payable, tax,
                    prepaid=prepaid)  # fmt: skip
    made = samples.invoice(
        number="FV/2/2026", currency="PLN", issue_date=DAY, due_date=date(2026, 12, 4),
        seller=SELLER, buyer=BUYER, lines=numbered, totals=totals, taxes=taxes,
    )  # fmt: skip
    return replace(made, **changes)


def _breakdown(lines, adjustments) -> tuple[TaxSubtotal, ...]:
    bases: dict[TaxCategory, Decimal] = {}
    for each in lines:
        bases[each.item.category] = bases.get(each.item.category, Decimal(0)) + each.extension
    for each in adjustments:
        bases[each.category] += each.amount if each.charge else -each.amount
    return tuple(
        TaxSubtotal(base, (base * (vat.rate or 0) / 100).quantize(Decimal("0.01")), vat)
        for vat, base in bases.items()
    )


def because(made: Invoice, code: str | None, reason: str | None) -> Invoice:
    """With the exemption of its first VAT category."""
    first = replace(made.taxes[0], exemption_code=code, exemption_reason=reason)
    return replace(made, taxes=(first, *made.taxes[1:]))


def credit_note(**changes) -> Invoice:
    fields = {"kind": DocumentKind.CREDIT_NOTE, "type_code": "381", "preceding": ORIGINAL}
    return invoice(**(fields | changes))


def in_euro(*lines: Line, **changes) -> Invoice:
    """With the VAT total in PLN as the sender has booked it."""
    made = invoice(*lines, currency="EUR", accounting_currency="PLN", **changes)
    return replace(made, totals=replace(made.totals, tax_in_accounting_currency=Decimal("98.37")))


def rich() -> Invoice:
    """With nearly every term that FA(3) has a place for."""
    first = line(
        "1000.00",
        item=Item(
            "Lodówka",
            category(),
            description="Lodówka " * 60,
            seller_id="L-1",
            buyer_id="B-1",
            standard_id=Identifier("5901234123457", "0160"),
            classifications=(Identifier("84182110", "HS"), Identifier("27.51.11.0", "ZZZ", "PKWiU"),
                             Identifier("42710000", "STI")),
            origin_country="DE",
            attributes=(Attribute("Kolor", "biały"), Attribute("GTU", "GTU_06")),
        ),
        quantity=Decimal(2),
        price=Price(Decimal("1050.00"), base_quantity=Decimal(2)),
        extension=Decimal("1000.00"),
        note="Ostrożnie",
        order_line="7",
        period=Period(DAY, DAY),
        adjustments=(AllowanceCharge(False, Decimal("50.00"), reason="Rabat"),),
    )  # fmt: skip
    return invoice(
        first,
        line("10.00", category("S", "8")),
        prepaid=Decimal("100.00"),
        adjustments=(
            AllowanceCharge(False, Decimal("10.00"), category=category(), reason="Rabat stały"),
            AllowanceCharge(True, Decimal("5.00"), category=category(), reason="Transport"),
        ),
        seller=replace(
            SELLER,
            trading_name="Sklep",
            legal_id=Identifier("0000099999"),
            legal_form="Kapitał zakładowy 5 000 000 zł",
            identifiers=(Identifier("5901234567890", "0088"),),
        ),
        buyer=replace(
            BUYER,
            contact=Contact(email="jan@example.pl"),
            identifiers=(Identifier("K-17"),),
            legal_id=Identifier("0000123456"),
        ),
        payee=Payee("Bank", legal_id=Identifier("5265877635")),
        tax_representative=TaxRepresentative("Agent", "PL5265877635", WARSAW),
        delivery=Delivery("Magazyn", date=DAY, address=BERLIN),
        payment=(
            PaymentMeans(
                "30",
                remittance="FV/2/2026",
                transfers=(CreditTransfer("PL61109010140000071219812874", "Firma", "WBKPPLPP"),),
            ),
        ),
        buyer_reference="R-1",
        project="P-1",
        contract="U-1",
        order="Z-1",
        despatch_advice="WZ-1",
        accounting_cost="401",
        payment_terms="14 dni",
        notes=((None, "Dziękujemy"), ("AAI", "Uwaga\ndruga")),
    )


INVOICES = {
    "invoice": invoice,
    "rates": lambda: invoice(
        line("10.00"),
        line("20.00", category("S", "8")),
        line("30.00", category("S", "5")),
        line("40.00", category("S", "22")),
        line("1.00", category("S", "4")),
        line("50.00", category("Z", "0")),
    ),
    "credit note": credit_note,
    "corrected": lambda: invoice(type_code="384", preceding=ORIGINAL, notes=(("ACD", "Rabat"),)),
    "advance": lambda: invoice(type_code="386"),
    "self-billed": lambda: invoice(type_code="389"),
    "exempt": lambda: because(invoice(line(vat=category("E", "0"))), "VATEX-EU-132-1I", None),
    "exempt by an act": lambda: because(
        invoice(line(vat=category("E", "0"))), None, "art. 43 ust. 1 pkt 37 ustawy o VAT"
    ),
    "margin": lambda: because(invoice(line(vat=category("E", "0"))), "VATEX-EU-F", None),
    "goods into the EU": lambda: invoice(
        line(vat=category("K", "0")), buyer=replace(BUYER, vat_id="DE123456788", address=BERLIN)
    ),
    "services into the EU": lambda: invoice(
        line(vat=category("AE", "0")), buyer=replace(BUYER, vat_id="ATU12345675", address=None)
    ),
    "reverse charge": lambda: invoice(line(vat=category("AE", "0"))),
    "export": lambda: invoice(
        line(vat=category("G", "0")),
        buyer=replace(BUYER, vat_id="CHE123456788", address=replace(BERLIN, country="CH")),
    ),
    "outside": lambda: invoice(
        line(vat=category("O", None)),
        seller=replace(SELLER, vat_id=None, legal_id=Identifier("5265877635")),
        buyer=Party("Buyer", legal_id=Identifier("77"), address=replace(BERLIN, country="US")),
    ),
    "credit note with a reason": lambda: credit_note(further={"correctionText": "Zwrot"}),
    "to a consumer": lambda: invoice(buyer=Party("Jan Kowalski", address=WARSAW)),
    "in euro": in_euro,
    "in euro, two rates": lambda: in_euro(line("100.00"), line("33.33", category("S", "8"))),
    "period": lambda: invoice(period=Period(date(2026, 11, 1), date(2026, 11, 30))),
    "direct debit": lambda: invoice(payment=(PaymentMeans("49", mandate="M-1"),)),
    "rich": rich,
}
