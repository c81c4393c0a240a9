"""Seller, buyer, payee, tax representative and delivery (BG-4 to BG-13)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.cii.read_values import read_day
from einvoice.documents.cii.tags import ram
from einvoice.documents.tree import Node, repetition
from einvoice.domain.invoice import (
    Address,
    Contact,
    Delivery,
    Identifier,
    Party,
    Payee,
    TaxRepresentative,
)

_VAT: Final = "VA"
_UBL_SCHEMES: Final[dict[str | None, str]] = {"FC": "TAX"}  # fiscal number, as BIS Billing codes it


def read_party(node: Node) -> Party:
    """Seller or buyer."""
    legal = node.one(ram.SpecifiedLegalOrganization)
    vat_id, tax_registration = _tax_numbers(node)
    electronic = node.one(ram.URIUniversalCommunication)
    return Party(
        name=node.need_text(ram.Name),
        endpoint=electronic.identifier(ram.URIID) if electronic else None,
        trading_name=legal.text(ram.TradingBusinessName) if legal else None,
        identifiers=tuple(_identifiers(node)),
        legal_id=legal.identifier(ram.ID) if legal else None,
        vat_id=vat_id,
        tax_registration=tax_registration,
        legal_form=node.text(ram.Description),
        address=_address(node.one(ram.PostalTradeAddress)),
        contact=_contact(node.one(ram.DefinedTradeContact)),
    )


def read_payee(node: Node) -> Payee:
    legal = node.one(ram.SpecifiedLegalOrganization)
    return Payee(
        name=node.need_text(ram.Name),
        identifier=_identifier(node),
        legal_id=legal.identifier(ram.ID) if legal else None,
    )


def read_representative(node: Node) -> TaxRepresentative:
    return TaxRepresentative(
        name=node.need_text(ram.Name),
        vat_id=_tax_numbers(node)[0],
        address=_address(node.one(ram.PostalTradeAddress)),
    )


def read_delivery(node: Node) -> Delivery | None:
    place = node.one(ram.ShipToTradeParty)
    delivery = Delivery(
        name=place.text(ram.Name) if place else None,
        location=_identifier(place) if place else None,
        date=read_day(node, ram.ActualDeliverySupplyChainEvent, ram.OccurrenceDateTime),
        address=_address(place.one(ram.PostalTradeAddress)) if place else None,
    )
    return delivery if delivery != Delivery() else None


def _identifiers(party: Node) -> list[Identifier]:
    """Identifiers without a scheme, then those with one."""
    return party.identifiers(ram.ID) + party.identifiers(ram.GlobalID)


def _identifier(party: Node) -> Identifier | None:
    found = _identifiers(party)
    if len(found) > 1:
        surplus = [*party.elements(ram.ID), *party.elements(ram.GlobalID)][-1]
        raise repetition(surplus, f"{len(found)} identifiers, where one may be")
    return found[0] if found else None


def _tax_numbers(party: Node) -> tuple[str | None, Identifier | None]:
    """The VAT number and the other tax number, distinguished by their scheme."""
    vat_id: str | None = None
    other: Identifier | None = None
    for entry in party.all(ram.SpecifiedTaxRegistration):
        number = entry.identifier(ram.ID)
        if number is None:
            continue
        is_vat = number.scheme == _VAT
        if (vat_id if is_vat else other) is not None:
            raise repetition(entry.element, f"a second tax number of the scheme {number.scheme}")
        if is_vat:
            vat_id = number.value
        else:
            other = Identifier(number.value, _UBL_SCHEMES.get(number.scheme, number.scheme))
    return vat_id, other


def _address(node: Node | None) -> Address | None:
    if node is None:
        return None
    address = Address(
        line1=node.text(ram.LineOne),
        line2=node.text(ram.LineTwo),
        line3=node.text(ram.LineThree),
        city=node.text(ram.CityName),
        postal_code=node.text(ram.PostcodeCode),
        region=node.text(ram.CountrySubDivisionName),
        country=node.text(ram.CountryID),
    )
    return address if address != Address() else None


def _contact(node: Node | None) -> Contact | None:
    """The person, or the department if no person is named."""
    if node is None:
        return None
    contact = Contact(
        name=node.text(ram.PersonName) or node.text(ram.DepartmentName),
        phone=node.text_at(ram.TelephoneUniversalCommunication, ram.CompleteNumber),
        email=node.text_at(ram.EmailURIUniversalCommunication, ram.URIID),
    )
    return contact if contact != Contact() else None
