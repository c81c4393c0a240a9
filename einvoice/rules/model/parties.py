"""Who takes part: seller, buyer, payee, tax representative, delivery (BG-4 to BG-13)."""

from __future__ import annotations

from einvoice.domain.invoice import (
    Address,
    Delivery,
    Invoice,
    Party,
    Payee,
    TaxRepresentative,
)
from einvoice.rules.model.fill import Fill
from einvoice.rules.node import Node

_BANK_ASSIGNED = {"schemeID": "SEPA"}
_LOCAL_TAX = "TAX"  # any scheme but VAT says that the number is a local one


def parties(fill: Fill, root: Node, invoice: Invoice) -> None:
    """All parties; the creditor identifier (BT-90) belongs to whoever is paid."""
    creditor = next((means.creditor for means in invoice.payment if means.creditor), None)
    paid_seller = creditor if invoice.payee is None else None
    _party(fill, fill.group(root, "cac:AccountingSupplierParty"), invoice.seller, paid_seller)
    _party(fill, fill.group(root, "cac:AccountingCustomerParty"), invoice.buyer, None)
    if invoice.payee is not None:
        _payee(fill, fill.group(root, "cac:PayeeParty"), invoice.payee, creditor)
    if invoice.tax_representative is not None:
        group = fill.group(root, "cac:TaxRepresentativeParty")
        _representative(fill, group, invoice.tax_representative)


def _party(fill: Fill, role: Node, party: Party, creditor: str | None) -> None:
    group = fill.group(role, "cac:Party")
    fill.identified(group, "cbc:EndpointID", party.endpoint)
    for identifier in party.identifiers:
        fill.identified(fill.group(group, "cac:PartyIdentification"), "cbc:ID", identifier)
    _creditor(fill, group, creditor)
    fill.text(fill.group(group, "cac:PartyName"), "cbc:Name", party.trading_name)
    _address(fill, group, "cac:PostalAddress", party.address)
    _vat_number(fill, group, party.vat_id)
    if party.tax_registration is not None:
        scheme = party.tax_registration.scheme or _LOCAL_TAX
        _registration(fill, group, party.tax_registration.value, scheme)
    legal = fill.group(group, "cac:PartyLegalEntity")
    fill.text(legal, "cbc:RegistrationName", party.name)
    fill.identified(legal, "cbc:CompanyID", party.legal_id)
    fill.text(legal, "cbc:CompanyLegalForm", party.legal_form)
    if party.contact is not None:
        contact = fill.group(group, "cac:Contact")
        fill.text(contact, "cbc:Name", party.contact.name)
        fill.text(contact, "cbc:Telephone", party.contact.phone)
        fill.text(contact, "cbc:ElectronicMail", party.contact.email)


def _creditor(fill: Fill, party: Node, creditor: str | None) -> None:
    fill.text(fill.group(party, "cac:PartyIdentification"), "cbc:ID", creditor, _BANK_ASSIGNED)


def _address(fill: Fill, parent: Node, name: str, address: Address | None) -> None:
    if address is None:
        return
    group = fill.group(parent, name)
    fill.text(group, "cbc:StreetName", address.line1)
    fill.text(group, "cbc:AdditionalStreetName", address.line2)
    fill.text(group, "cbc:CityName", address.city)
    fill.text(group, "cbc:PostalZone", address.postal_code)
    fill.text(group, "cbc:CountrySubentity", address.region)
    fill.text(fill.group(group, "cac:AddressLine"), "cbc:Line", address.line3)
    fill.text(fill.group(group, "cac:Country"), "cbc:IdentificationCode", address.country)


def _vat_number(fill: Fill, party: Node, number: str | None) -> None:
    if number:
        _registration(fill, party, number, "VAT")


def _registration(fill: Fill, party: Node, number: str, scheme: str) -> None:
    group = fill.group(party, "cac:PartyTaxScheme")
    fill.text(group, "cbc:CompanyID", number)
    fill.text(fill.group(group, "cac:TaxScheme"), "cbc:ID", scheme)


def _payee(fill: Fill, group: Node, payee: Payee, creditor: str | None) -> None:
    fill.identified(fill.group(group, "cac:PartyIdentification"), "cbc:ID", payee.identifier)
    _creditor(fill, group, creditor)
    fill.text(fill.group(group, "cac:PartyName"), "cbc:Name", payee.name)
    fill.identified(fill.group(group, "cac:PartyLegalEntity"), "cbc:CompanyID", payee.legal_id)


def _representative(fill: Fill, group: Node, representative: TaxRepresentative) -> None:
    fill.text(fill.group(group, "cac:PartyName"), "cbc:Name", representative.name)
    _address(fill, group, "cac:PostalAddress", representative.address)
    _vat_number(fill, group, representative.vat_id)


def delivery(fill: Fill, root: Node, value: Delivery) -> None:
    group = fill.group(root, "cac:Delivery")
    fill.day(group, "cbc:ActualDeliveryDate", value.date)
    location = fill.group(group, "cac:DeliveryLocation")
    fill.identified(location, "cbc:ID", value.location)
    _address(fill, location, "cac:Address", value.address)
    party = fill.group(group, "cac:DeliveryParty")
    fill.text(fill.group(party, "cac:PartyName"), "cbc:Name", value.name)
