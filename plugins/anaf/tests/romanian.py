"""Invoices of a Romanian seller, which CIUS-RO takes, by name."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from einvoice.domain.invoice import (
    Address,
    Delivery,
    DocumentKind,
    Invoice,
    TaxRepresentative,
)
from einvoice.network import samples

CLUJ = Address(
    "Str. Lunga 1", city="Cluj-Napoca", postal_code="400001", region="Cluj", country="RO"
)
BUCHAREST = Address("Calea Victoriei 9", "Sector 1", city="București", country="RO")
BERLIN = Address("Allee 3", city="Berlin", postal_code="10115", country="DE")


def romanian_invoice(**changes) -> Invoice:
    """A correct invoice of a seller in Cluj to a buyer in Bucharest, in RON."""
    made = samples.invoice(currency="RON")
    seller = replace(made.seller, vat_id="RO18547290", endpoint=None, address=CLUJ)
    buyer = replace(made.buyer, vat_id="RO14399840", endpoint=None, address=BUCHAREST)
    return replace(made, **({"seller": seller, "buyer": buyer} | changes))


def to_consumer(**changes) -> Invoice:
    made = romanian_invoice()
    return replace(made, buyer=replace(made.buyer, vat_id=None, **changes))


def in_euro(**changes) -> Invoice:
    """With the VAT total in RON as the sender has booked it."""
    made = romanian_invoice(currency="EUR", accounting_currency="RON")
    totals = replace(made.totals, tax_in_accounting_currency=Decimal("104.49"))
    return replace(made, totals=totals, **changes)


def abroad() -> Invoice:
    made = in_euro()
    return replace(made, buyer=replace(made.buyer, vat_id="DE123456788", address=BERLIN))


def represented() -> Invoice:
    place = Delivery("Site", address=replace(CLUJ, region="jud. Timiș", city="Timisoara"))
    agent = TaxRepresentative("Agent", "RO14399840", BUCHAREST)
    return romanian_invoice(delivery=place, tax_representative=agent)


INVOICES = {
    "invoice": romanian_invoice,
    "credit note": lambda: romanian_invoice(kind=DocumentKind.CREDIT_NOTE, type_code="381"),
    "corrected": lambda: romanian_invoice(type_code="384"),
    "self-billed": lambda: romanian_invoice(type_code="389"),
    "of the accounts": lambda: romanian_invoice(type_code="751"),
    "to a consumer": to_consumer,
    "in euro": in_euro,
    "abroad": abroad,
    "represented": represented,
}
