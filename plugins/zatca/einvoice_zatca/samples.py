"""The sample documents that a new unit sends, one of each kind that it will issue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from einvoice import clock
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
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)
from einvoice_zatca import riyadh
from einvoice_zatca.requests import Unit
from einvoice_zatca.write import document

_HERE: Final = Address("King Fahd Road", "1234", "Al Olaya", "Riyadh", "12345", None, "SA")
_BUYER: Final = Party("Sample buyer", vat_id="SA399999999800003", address=_HERE)
_CONSUMER: Final = Party("Sample consumer", address=Address(country="SA"))
_REASON: Final = ((None, "Compliance check"),)
_TYPES: Final = (
    ("388", DocumentKind.INVOICE),
    ("381", DocumentKind.CREDIT_NOTE),
    ("383", DocumentKind.INVOICE),
)


def moment() -> datetime:
    """The time of signing, in Saudi Arabia."""
    return riyadh.local(clock.now())


def documents(unit: Unit) -> Iterator[bytes]:
    """Invoice, credit note and debit note, standard ones and simplified ones."""
    buyers = []
    if unit.is_standard:
        buyers.append(_BUYER)
    if unit.is_simplified:
        buyers.append(_CONSUMER)
    for buyer in buyers:
        for code, kind in _TYPES:
            yield document(_invoice(unit, buyer, code, kind))


def _invoice(unit: Unit, buyer: Party, code: str, kind: DocumentKind) -> Invoice:
    rate, net = TaxCategory("S", Decimal(15)), Decimal("100.00")
    tax, day = Decimal("15.00"), riyadh.today()
    invoice = Invoice(
        kind=kind,
        number=f"CHECK-{code}",
        issue_date=day,
        type_code=code,
        currency="SAR",
        seller=Party(
            unit.organization,
            vat_id=f"SA{unit.vat_number}",
            legal_id=Identifier("1010010000"),
            address=_HERE,
        ),
        buyer=buyer,
        lines=(Line("1", Decimal(1), "PCE", net, Item("Sample item", rate), Price(net)),),
        totals=Totals(net, net, net + tax, net + tax, tax),
        taxes=(TaxSubtotal(net, tax, rate),),
        delivery=Delivery(date=day),
    )
    if code == "388":
        return invoice
    return replace(invoice, preceding=(PrecedingInvoice("CHECK-388", day),), notes=_REASON)


def vat_number_in(certificate: x509.Certificate) -> str | None:
    """The VAT number that a certificate names, if it names one."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return None
    for name in found.value.get_values_for_type(x509.DirectoryName):
        for attribute in name.get_attributes_for_oid(NameOID.USER_ID):
            return str(attribute.value)
    return None
