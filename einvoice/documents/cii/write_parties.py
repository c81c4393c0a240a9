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


def party(tag: str, entry: Party) -> Element | None:
    """Seller or buyer."""
    return group(
        tag,
        *_identifiers(entry.identifiers),
        text(ram.Name, entry.name),
        text(ram.Description, entry.legal_form),
        group(
            ram.SpecifiedLegalOrganization,
            identified(ram.ID, entry.legal_id),
            text(ram.TradingBusinessName, entry.trading_name),
        ),
        _contact(entry.contact),
        _address(entry.address),
        group(ram.URIUniversalCommunication, identified(ram.URIID, entry.endpoint)),
        _tax_number(entry.vat_id, _VAT),
        _tax_registration(entry.tax_registration),
    )


def payee(entry: Payee | None) -> Element | None:
    if entry is None:
        return None
    return group(
        ram.PayeeTradeParty,
        *_identifiers((entry.identifier,)),
        text(ram.Name, entry.name),
        group(ram.SpecifiedLegalOrganization, identified(ram.ID, entry.legal_id)),
    )


def representative(entry: TaxRepresentative | None) -> Element | None:
    if entry is None:
        return None
    return group(
        ram.SellerTaxRepresentativeTradeParty,
        text(ram.Name, entry.name),
        _address(entry.address),
        _tax_number(entry.vat_id, _VAT),
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


def _tax_registration(registration: Identifier | None) -> Element | None:
    """BT-32, always with the scheme of fiscal numbers."""
    return _tax_number(registration.value, _FISCAL) if registration else None


def _contact(contact: Contact | None) -> Element | None:
    if contact is None:
        return None
    return group(
        ram.DefinedTradeContact,
        text(ram.PersonName, contact.name),
        group(ram.TelephoneUniversalCommunication, text(ram.CompleteNumber, contact.phone)),
        group(ram.EmailURIUniversalCommunication, text(ram.URIID, contact.email)),
    )


def _address(address: Address | None) -> Element | None:
    if address is None:
        return None
    return group(
        ram.PostalTradeAddress,
        text(ram.PostcodeCode, address.postal_code),
        text(ram.LineOne, address.line1),
        text(ram.LineTwo, address.line2),
        text(ram.LineThree, address.line3),
        text(ram.CityName, address.city),
        text(ram.CountryID, address.country),
        text(ram.CountrySubDivisionName, address.region),
    )
