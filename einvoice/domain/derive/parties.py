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
        legal_form=filled(request.get("legalInformation")),
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
            values = {"country": country}
            warnings.append(SendWarning("country-derived", "", field, role, values))
    if participant and participant.scheme == "0196" and country != "IS":
        values = {"country": country or ""}
        warnings.append(SendWarning("scheme-country-mismatch", "", field, role, values))
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
        field, values = f"invoice.{role}.companyId", {"number": f"{found.scheme}:{found.value}"}
        warnings.append(SendWarning("company-id-derived", "", field, role, values))
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
        variant = f"{role}-{_dropped(taxed, country)}"
        warnings.append(SendWarning("vat-number-dropped", field=field, variant=variant))
    elif found != sent:
        values = {"sent": sent, "number": found}
        warnings.append(SendWarning("vat-number-completed", "", field, role, values))
    return found


def _dropped(taxed: bool, country: str | None) -> str:
    """Why a tax id is not written as a VAT number."""
    if not taxed:
        return "untaxed"  # an invoice outside the scope of VAT (category O) has none
    if country is None:
        return "no-country"
    return "kvk"  # 8 digits are a number of the Dutch commercial register


def _contact(request: ContactRequest | None) -> Contact | None:
    if not request or not any(request.values()):
        return None
    return Contact(
        name=filled(request.get("name")),
        phone=filled(request.get("phone")),
        email=filled(request.get("email")),
    )
