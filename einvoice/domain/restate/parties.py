"""Seller, buyer, payee and tax representative (BG-4 to BG-12)."""

from __future__ import annotations

from einvoice.domain.invoice import Contact, Party, Payee, TaxRepresentative
from einvoice.domain.restate.members import Members, address, identifier, schemed, stated


def supplier(party: Party) -> Members:
    registration = party.tax_registration
    return buyer(party) | stated(
        taxRegistration=registration.value if registration else None,
        legalInformation=party.legal_form,
    )


def buyer(party: Party) -> Members:
    """The electronic address is stated where it is no participant id of ISO 6523."""
    own_name = party.trading_name != party.name
    return stated(
        name=party.name,
        taxId=party.vat_id,
        companyId=schemed(party.legal_id),
        endpointId=schemed(party.endpoint),
        tradingName=party.trading_name if own_name else None,
        identifiers=[identifier(each) for each in party.identifiers],
        address=address(party.address),
        contact=_contact(party.contact),
    )


def payee(entry: Payee | None) -> Members:
    if entry is None:
        return {}
    return stated(
        name=entry.name,
        identifier=identifier(entry.identifier),
        companyId=schemed(entry.legal_id),
    )


def representative(entry: TaxRepresentative | None) -> Members:
    """BG-11; a send takes none without a VAT number."""
    if entry is None or not entry.vat_id:
        return {}
    return stated(name=entry.name, taxId=entry.vat_id, address=address(entry.address))


def _contact(contact: Contact | None) -> Members:
    if contact is None:
        return {}
    return stated(name=contact.name, email=contact.email, phone=contact.phone)
