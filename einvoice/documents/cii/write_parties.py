"""Seller, buyer, payee, tax representative and delivery (BG-4 to BG-13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree

from einvoice.documents.cii.tags import ram
from einvoice.documents.cii.writing import Element, days, group, identified, reference, text
from einvoice.domain.invoice import (
    Address,
    Contact,
    Delivery,
    Identifier,
    Invoice,
    Party,
    Payee,
    TaxRepresentative,
)

_VAT: Final = "VA"
_FISCAL: Final = "FC"


def party(tag: str, it: Party) -> Element | None:
    """Seller or buyer."""
    return group(
        tag,
        *_identifiers(it.identifiers),
        text(ram.Name, it.name),
        text(ram.Description, it.legal_form),
        group(
            ram.SpecifiedLegalOrganization,
            identified(ram.ID, it.legal_id),
            text(ram.TradingBusinessName, it.trading_name),
        ),
        _contact(it.contact),
        _address(it.address),
        group(ram.URIUniversalCommunication, identified(ram.URIID, it.endpoint)),
        _tax_number(it.vat_id, _VAT),
        _tax_registration(it.tax_registration),
    )


def payee(it: Payee | None) -> Element | None:
    if it is None:
        return None
    return group(
        ram.PayeeTradeParty,
        *_identifiers((it.identifier,)),
        text(ram.Name, it.name),
        group(ram.SpecifiedLegalOrganization, identified(ram.ID, it.legal_id)),
    )


def representative(it: TaxRepresentative | None) -> Element | None:
    if it is None:
        return None
    return group(
        ram.SellerTaxRepresentativeTradeParty,
        text(ram.Name, it.name),
        _address(it.address),
        _tax_number(it.vat_id, _VAT),
    )


def delivery(invoice: Invoice) -> Element | None:
    """BG-13, BT-16, BT-15. The schema requires the group even if it is empty."""
    to = invoice.delivery or Delivery()
    found = group(
        ram.ApplicableHeaderTradeDelivery,
        group(
            ram.ShipToTradeParty,
            *_identifiers((to.location,)),
            text(ram.Name, to.name),
            _address(to.address),
        ),
        group(ram.ActualDeliverySupplyChainEvent, days(ram.OccurrenceDateTime, to.date)),
        reference(ram.DespatchAdviceReferencedDocument, invoice.despatch_advice),
        reference(ram.ReceivingAdviceReferencedDocument, invoice.receiving_advice),
    )
    return etree.Element(ram.ApplicableHeaderTradeDelivery) if found is None else found


def _identifiers(identifiers: Iterable[Identifier | None]) -> Iterator[Element | None]:
    """By the schema, identifiers without a scheme come first."""
    known = [identifier for identifier in identifiers if identifier]
    yield from (text(ram.ID, entry.value) for entry in known if not entry.scheme)
    yield from (identified(ram.GlobalID, entry) for entry in known if entry.scheme)


def _tax_number(value: str | None, scheme: str) -> Element | None:
    if value is None:
        return None
    return group(ram.SpecifiedTaxRegistration, text(ram.ID, value, schemeID=scheme))


def _tax_registration(it: Identifier | None) -> Element | None:
    """BT-32, always with the scheme of fiscal numbers."""
    return _tax_number(it.value, _FISCAL) if it else None


def _contact(it: Contact | None) -> Element | None:
    if it is None:
        return None
    return group(
        ram.DefinedTradeContact,
        text(ram.PersonName, it.name),
        group(ram.TelephoneUniversalCommunication, text(ram.CompleteNumber, it.phone)),
        group(ram.EmailURIUniversalCommunication, text(ram.URIID, it.email)),
    )


def _address(it: Address | None) -> Element | None:
    if it is None:
        return None
    return group(
        ram.PostalTradeAddress,
        text(ram.PostcodeCode, it.postal_code),
        text(ram.LineOne, it.line1),
        text(ram.LineTwo, it.line2),
        text(ram.LineThree, it.line3),
        text(ram.CityName, it.city),
        text(ram.CountryID, it.country),
        text(ram.CountrySubDivisionName, it.region),
    )
