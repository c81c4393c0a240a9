"""Seller and buyer (decisions 17.2 to 17.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from einvoice.domain.codes import SCHEME_COUNTRY
from einvoice.domain.derive.text import address, filled
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Contact, Identifier, Party
from einvoice.domain.legal_ids import endpoint, legal_id
from einvoice.domain.request import ContactRequest, PartyRequest, SendWarning, SupplierRequest
from einvoice.domain.vat_ids import compact, country_prefix, vat_id

_LOCAL_TAX = "TAX"  # the scheme that UBL gives a number of no VAT


def party(
    role: Literal["supplier", "buyer"],
    request: PartyRequest,
    participant: ParticipantId | None,
    taxed: bool,
    warnings: list[SendWarning],
) -> Party:
    """A party; without a participant id it has an electronic address only if one is sent.

    `taxed` is false where a VAT category is O (outside scope): then no party has a VAT id."""
    country = _country(role, request, participant, warnings)
    return Party(
        name=request["name"],
        endpoint=endpoint(participant, request.get("endpointId")),
        trading_name=request.get("tradingName") or request["name"],
        legal_id=_legal_id(role, request, participant, country, warnings),
        vat_id=_vat_id(role, request, country, taxed, warnings),
        address=address(request.get("address", {}), country),
        contact=_contact(request.get("contact")),
    )


def supplier(
    request: SupplierRequest,
    participant: ParticipantId | None,
    taxed: bool,
    warnings: list[SendWarning],
) -> Party:
    """As `party`, with the tax registration beside the VAT id (BT-32)."""
    registration = filled(request.get("taxRegistration"))
    return replace(
        party("supplier", request, participant, taxed, warnings),
        tax_registration=Identifier(registration, _LOCAL_TAX) if registration else None,
    )


def _country(
    role: str, request: PartyRequest, participant: ParticipantId | None, warnings: list[SendWarning]
) -> str | None:
    """From the address, else the tax id, else the participant's scheme (decisions 17.3)."""
    field = f"invoice.{role}.address.countryCode"
    country = filled(request.get("address", {}).get("countryCode"))
    if country is None:
        country = _derived_country(request, participant)
        if country:
            words = f"No country was sent for the {role}; {country} was taken from its ids."
            warnings.append(SendWarning("country-derived", words, field))
    if participant and participant.scheme == "0196" and country != "IS":
        words = (
            f"Scheme 0196 is Iceland's register on the network, but the {role} is in "
            f"{country or 'no known country'}. Participants of the Emirates have scheme 0235."
        )
        warnings.append(SendWarning("scheme-country-mismatch", words, field))
    return country


def _derived_country(request: PartyRequest, participant: ParticipantId | None) -> str | None:
    lead = country_prefix(compact(request.get("taxId", "")))
    if lead:
        return "GR" if lead == "EL" else lead
    return SCHEME_COUNTRY.get(participant.scheme) if participant else None


def _legal_id(
    role: str,
    request: PartyRequest,
    participant: ParticipantId | None,
    country: str | None,
    warnings: list[SendWarning],
) -> Identifier | None:
    """BT-30, BT-47, with a warning if it was not sent as `companyId` (decisions 20.2)."""
    given = request.get("companyId")
    found = legal_id(given, participant, request.get("taxId", ""), country)
    if found and not given:
        words = (
            f"No companyId was sent for the {role}; {found.scheme}:{found.value} was taken from "
            "its participant id or tax id."
        )
        warnings.append(SendWarning("company-id-derived", words, f"invoice.{role}.companyId"))
    return found


def _vat_id(
    role: str,
    request: PartyRequest,
    country: str | None,
    taxed: bool,
    warnings: list[SendWarning],
) -> str | None:
    """BT-31, BT-48, with a warning if the tax id was completed or left out (decisions 20.3)."""
    sent = compact(request.get("taxId", ""))
    if not sent:
        return None
    found = vat_id(sent, country) if taxed else None
    field = f"invoice.{role}.taxId"
    if found is None:
        words = (
            f"The taxId of the {role} was not written as a VAT number: {_dropped(taxed, country)}."
        )
        warnings.append(SendWarning("vat-number-dropped", words, field))
    elif found != sent:
        words = f"The taxId {sent} of the {role} was completed to the VAT number {found}."
        warnings.append(SendWarning("vat-number-completed", words, field))
    return found


def _dropped(taxed: bool, country: str | None) -> str:
    """Why a tax id is not written as a VAT number."""
    if not taxed:
        return "an invoice outside the scope of VAT (category O) has none"
    if country is None:
        return "it begins with no country code, and the country is not known"
    return "8 digits are a number of the Dutch commercial register (KVK)"


def _contact(request: ContactRequest | None) -> Contact | None:
    if not request or not any(request.values()):
        return None
    return Contact(
        name=filled(request.get("name")),
        phone=filled(request.get("phone")),
        email=filled(request.get("email")),
    )
