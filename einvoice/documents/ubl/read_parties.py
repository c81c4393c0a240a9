"""Seller, buyer, payee, tax representative and delivery (BG-4 to BG-13)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.tree import Node, refusal, repetition
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import (
    Address,
    Contact,
    Delivery,
    Identifier,
    Party,
    Payee,
    TaxRepresentative,
)

CREDITOR: Final = "SEPA"  # scheme of the creditor identifier (BT-90)


def read_party(node: Node) -> Party:
    """Seller or buyer, from the element around cac:Party."""
    party = node.need(cac.Party)
    legal = party.need(cac.PartyLegalEntity)
    vat_id, tax_registration = _tax_numbers(party)
    return Party(
        name=legal.need_text(cbc.RegistrationName),
        endpoint=party.identifier(cbc.EndpointID),
        trading_name=party.text_at(cac.PartyName, cbc.Name),
        identifiers=tuple(entry for entry in _identifiers(party) if entry.scheme != CREDITOR),
        legal_id=legal.identifier(cbc.CompanyID),
        vat_id=vat_id,
        tax_registration=tax_registration,
        legal_form=legal.text(cbc.CompanyLegalForm),
        address=_address(party.one(cac.PostalAddress)),
        contact=_contact(party.one(cac.Contact)),
    )


def creditor(node: Node | None) -> str | None:
    """BT-90, which UBL has among the identifiers of the seller or the payee."""
    entries = _identifiers(node) if node else []
    return next((entry.value for entry in entries if entry.scheme == CREDITOR), None)


def read_payee(node: Node) -> Payee:
    identifiers = [entry for entry in _identifiers(node) if entry.scheme != CREDITOR]
    if len(identifiers) > 1:
        raise refusal(node.element, "a payee has one identifier")
    name = node.one(cac.PartyName)
    legal = node.one(cac.PartyLegalEntity)
    return Payee(
        name=name.need_text(cbc.Name) if name else node.refuse_missing(cac.PartyName),
        identifier=identifiers[0] if identifiers else None,
        legal_id=legal.identifier(cbc.CompanyID) if legal else None,
    )


def read_representative(node: Node) -> TaxRepresentative:
    return TaxRepresentative(
        name=node.need(cac.PartyName).need_text(cbc.Name),
        vat_id=_tax_numbers(node)[0],
        address=_address(node.one(cac.PostalAddress)),
    )


def read_delivery(node: Node) -> Delivery | None:
    location = node.one(cac.DeliveryLocation)
    delivery = Delivery(
        name=node.text_at(cac.DeliveryParty, cac.PartyName, cbc.Name),
        location=location.identifier(cbc.ID) if location else None,
        date=node.day(cbc.ActualDeliveryDate),
        address=_address(location.one(cac.Address)) if location else None,
    )
    return delivery if delivery != Delivery() else None


def _identifiers(party: Node) -> list[Identifier]:
    found = [entry.identifier(cbc.ID) for entry in party.all(cac.PartyIdentification)]
    return [entry for entry in found if entry]


def _tax_numbers(party: Node) -> tuple[str | None, Identifier | None]:
    """The VAT number and the other tax number, distinguished by their scheme."""
    vat_id: str | None = None
    other: Identifier | None = None
    for entry in party.all(cac.PartyTaxScheme):
        number, scheme = entry.text(cbc.CompanyID), entry.text_at(cac.TaxScheme, cbc.ID)
        if number is None:
            continue
        is_vat = (scheme or "").upper() == "VAT"
        if (vat_id if is_vat else other) is not None:
            raise repetition(entry.element, f"a second tax number of the scheme {scheme}")
        if is_vat:
            vat_id = number
        else:
            other = Identifier(number, scheme)
    return vat_id, other


def _address(node: Node | None) -> Address | None:
    if node is None:
        return None
    address = Address(
        line1=node.text(cbc.StreetName),
        line2=node.text(cbc.AdditionalStreetName),
        line3=node.text_at(cac.AddressLine, cbc.Line),
        city=node.text(cbc.CityName),
        postal_code=node.text(cbc.PostalZone),
        region=node.text(cbc.CountrySubentity),
        country=node.text_at(cac.Country, cbc.IdentificationCode),
    )
    return address if address != Address() else None


def _contact(node: Node | None) -> Contact | None:
    if node is None:
        return None
    contact = Contact(
        name=node.text(cbc.Name),
        phone=node.text(cbc.Telephone),
        email=node.text(cbc.ElectronicMail),
    )
    return contact if contact != Contact() else None
