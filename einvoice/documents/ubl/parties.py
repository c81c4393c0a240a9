"""Who takes part: seller, buyer, payee, tax representative, delivery (BG-4 to BG-13)."""

from __future__ import annotations

from einvoice.documents.ubl.names import Aggregate, cac, cbc
from einvoice.documents.ubl.values import VAT, day, identified
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


def parties(invoice: Invoice) -> str:
    """All parties and the delivery, in the order of the document."""
    payee, creditor = invoice.payee, _creditor(invoice)
    return "".join(
        (
            cac.AccountingSupplierParty(_party(invoice.seller, creditor if not payee else "")),
            cac.AccountingCustomerParty(_party(invoice.buyer)),
            _payee(payee, creditor) if payee else "",
            _representative(invoice.tax_representative) if invoice.tax_representative else "",
            _delivery(invoice.delivery) if invoice.delivery else "",
        )
    )


def _creditor(invoice: Invoice) -> str:
    """BT-90 belongs to the payment, but UBL has it identify whoever is paid, once."""
    creditor = next((means.creditor for means in invoice.payment if means.creditor), None)
    return cac.PartyIdentification(cbc.ID(creditor, schemeID="SEPA"))


def _party(party: Party, creditor: str = "") -> str:
    return cac.Party(
        identified(cbc.EndpointID, party.endpoint),
        "".join([_identification(identifier) for identifier in party.identifiers]),
        creditor,
        cac.PartyName(cbc.Name(party.trading_name)),
        _address(cac.PostalAddress, party.address),
        _vat(party.vat_id),
        _tax_registration(party.tax_registration),
        cac.PartyLegalEntity(
            cbc.RegistrationName(party.name),
            identified(cbc.CompanyID, party.legal_id),
            cbc.CompanyLegalForm(party.legal_form),
        ),
        _contact(party.contact) if party.contact else "",
    )


def _identification(identifier: Identifier | None) -> str:
    return cac.PartyIdentification(identified(cbc.ID, identifier))


def _address(element: Aggregate, address: Address | None) -> str:
    if address is None:
        return ""
    return element(
        cbc.StreetName(address.line1),
        cbc.AdditionalStreetName(address.line2),
        cbc.CityName(address.city),
        cbc.PostalZone(address.postal_code),
        cbc.CountrySubentity(address.region),
        cac.AddressLine(cbc.Line(address.line3)),
        cac.Country(cbc.IdentificationCode(address.country)),
    )


def _vat(number: str | None) -> str:
    return cac.PartyTaxScheme(cbc.CompanyID(number), VAT) if number else ""


def _tax_registration(registration: Identifier | None) -> str:
    """BT-32; any scheme but VAT says that the number is a local one."""
    if registration is None:
        return ""
    scheme = cac.TaxScheme(cbc.ID(registration.scheme or "TAX"))
    return cac.PartyTaxScheme(cbc.CompanyID(registration.value), scheme)


def _contact(contact: Contact) -> str:
    return cac.Contact(
        cbc.Name(contact.name),
        cbc.Telephone(contact.phone),
        cbc.ElectronicMail(contact.email),
    )


def _payee(payee: Payee, creditor: str) -> str:
    return cac.PayeeParty(
        _identification(payee.identifier),
        creditor,
        cac.PartyName(cbc.Name(payee.name)),
        cac.PartyLegalEntity(identified(cbc.CompanyID, payee.legal_id)),
    )


def _representative(representative: TaxRepresentative) -> str:
    return cac.TaxRepresentativeParty(
        cac.PartyName(cbc.Name(representative.name)),
        _address(cac.PostalAddress, representative.address),
        _vat(representative.vat_id),
    )


def _delivery(delivery: Delivery) -> str:
    return cac.Delivery(
        day(cbc.ActualDeliveryDate, delivery.date),
        cac.DeliveryLocation(
            identified(cbc.ID, delivery.location),
            _address(cac.Address, delivery.address),
        ),
        cac.DeliveryParty(cac.PartyName(cbc.Name(delivery.name))),
    )
