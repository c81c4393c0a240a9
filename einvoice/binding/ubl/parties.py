"""Seller, buyer, payee, tax representative and delivery (BG-4 to BG-13)."""

from __future__ import annotations

from einvoice.binding.builder import Builder, GroupT
from einvoice.domain.invoice import (
    Address,
    Contact,
    Delivery,
    Invoice,
    Party,
    Payee,
    TaxRepresentative,
)

_BANK_ASSIGNED = {"schemeID": "SEPA"}
_LOCAL_TAX = "TAX"  # any scheme but VAT says that the number is a local one


def parties(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """The creditor identifier (BT-90) belongs to the payment; in UBL it identifies the party paid:
    the payee, or the seller where there is no payee."""
    creditor = next((means.creditor for means in invoice.payment if means.creditor), None)
    payee, representative = invoice.payee, invoice.tax_representative
    seller = build.group(root, "cac:AccountingSupplierParty")
    _party(build, seller, invoice.seller, creditor if payee is None else None)
    _party(build, build.group(root, "cac:AccountingCustomerParty"), invoice.buyer, None)
    if payee is not None:
        _payee(build, build.group(root, "cac:PayeeParty"), payee, creditor)
    if representative is not None:
        _representative(build, build.group(root, "cac:TaxRepresentativeParty"), representative)


def _party(build: Builder[GroupT], role: GroupT, party: Party, creditor: str | None) -> None:
    group = build.group(role, "cac:Party")
    build.identified(group, "cbc:EndpointID", party.endpoint)
    for identifier in party.identifiers:
        build.identified(build.group(group, "cac:PartyIdentification"), "cbc:ID", identifier)
    _creditor(build, group, creditor)
    build.text(build.group(group, "cac:PartyName"), "cbc:Name", party.trading_name)
    _address(build, group, "cac:PostalAddress", party.address)
    _vat_number(build, group, party.vat_id)
    if party.tax_registration is not None:
        scheme = party.tax_registration.scheme or _LOCAL_TAX
        _registration(build, group, party.tax_registration.value, scheme)
    legal = build.group(group, "cac:PartyLegalEntity")
    build.text(legal, "cbc:RegistrationName", party.name)
    build.identified(legal, "cbc:CompanyID", party.legal_id)
    build.text(legal, "cbc:CompanyLegalForm", party.legal_form)
    if party.contact is not None:
        _contact(build, build.group(group, "cac:Contact"), party.contact)


def _contact(build: Builder[GroupT], group: GroupT, contact: Contact) -> None:
    build.text(group, "cbc:Name", contact.name)
    build.text(group, "cbc:Telephone", contact.phone)
    build.text(group, "cbc:ElectronicMail", contact.email)


def _creditor(build: Builder[GroupT], party: GroupT, creditor: str | None) -> None:
    if creditor is not None:
        group = build.group(party, "cac:PartyIdentification")
        build.text(group, "cbc:ID", creditor, _BANK_ASSIGNED)


def _address(build: Builder[GroupT], parent: GroupT, name: str, address: Address | None) -> None:
    if address is None:
        return
    group = build.group(parent, name)
    build.text(group, "cbc:StreetName", address.line1)
    build.text(group, "cbc:AdditionalStreetName", address.line2)
    build.text(group, "cbc:CityName", address.city)
    build.text(group, "cbc:PostalZone", address.postal_code)
    build.text(group, "cbc:CountrySubentity", address.region)
    build.text(build.group(group, "cac:AddressLine"), "cbc:Line", address.line3)
    build.text(build.group(group, "cac:Country"), "cbc:IdentificationCode", address.country)


def _vat_number(build: Builder[GroupT], party: GroupT, number: str | None) -> None:
    if number:
        _registration(build, party, number, "VAT")


def _registration(build: Builder[GroupT], party: GroupT, number: str, scheme: str) -> None:
    group = build.group(party, "cac:PartyTaxScheme")
    build.text(group, "cbc:CompanyID", number)
    build.text(build.group(group, "cac:TaxScheme"), "cbc:ID", scheme)


def _payee(build: Builder[GroupT], group: GroupT, payee: Payee, creditor: str | None) -> None:
    build.identified(build.group(group, "cac:PartyIdentification"), "cbc:ID", payee.identifier)
    _creditor(build, group, creditor)
    build.text(build.group(group, "cac:PartyName"), "cbc:Name", payee.name)
    build.identified(build.group(group, "cac:PartyLegalEntity"), "cbc:CompanyID", payee.legal_id)


def _representative(
    build: Builder[GroupT], group: GroupT, representative: TaxRepresentative
) -> None:
    build.text(build.group(group, "cac:PartyName"), "cbc:Name", representative.name)
    _address(build, group, "cac:PostalAddress", representative.address)
    _vat_number(build, group, representative.vat_id)


def delivery(build: Builder[GroupT], root: GroupT, value: Delivery | None) -> None:
    """BG-13."""
    if value is None:
        return
    group = build.group(root, "cac:Delivery")
    build.day(group, "cbc:ActualDeliveryDate", value.date)
    location = build.group(group, "cac:DeliveryLocation")
    build.identified(location, "cbc:ID", value.location)
    _address(build, location, "cac:Address", value.address)
    party = build.group(group, "cac:DeliveryParty")
    build.text(build.group(party, "cac:PartyName"), "cbc:Name", value.name)
