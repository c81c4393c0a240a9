"""Seller and buyer (decisions 17.2 to 17.7)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from einvoice.domain.codes import SCHEME_COUNTRY
from einvoice.domain.derive.text import address, filled, identifiers
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Contact, Identifier, Party
from einvoice.domain.legal_ids import endpoint, is_kvk, legal_id
from einvoice.domain.request import (
    VAT_NUMBER_DROPPED,
    ContactRequest,
    PartyRequest,
    SendWarning,
    SupplierRequest,
)
from einvoice.domain.vat_ids import TaxNumber, compact, country_of, tax_number

_LOCAL_TAX = "TAX"  # the scheme that UBL gives a number of no VAT
_UNTAXED = "O"
_WITHOUT_VAT = frozenset({"E", "O"})  # the categories for which a seller needs no VAT number


@dataclass(frozen=True, slots=True)
class VatUse:
    """The consequences of an invoice's VAT categories for the numbers of its parties.

    allowed  not all is O (outside scope of VAT), which has no VAT numbers (decisions 32.2)
    needed   some category needs one, so that one may be derived (decisions 31.1)

    Both hold for every invoice of a profile that is `numbered`.
    """

    allowed: bool = True
    needed: bool = True

    @classmethod
    def of(cls, categories: Collection[str], *, numbered: bool = False) -> VatUse:
        if numbered:
            return cls()
        return cls(set(categories) != {_UNTAXED}, not _WITHOUT_VAT.issuperset(categories))


def check_tax_id(
    role: Literal["supplier", "buyer"], request: PartyRequest, participant: ParticipantId | None
) -> None:
    """Raise InvalidField for a text that names a VAT number and has none behind the name."""
    given = request.get("taxId")
    if not given:
        return
    country = known_country(request, participant)
    found = tax_number(given, country)
    if found.named and found.vat_id is None:
        where = f" of {country}" if country else ""
        message = f"names a VAT number, but {found.shown[:40]!r} has not the form of one{where}"
        raise InvalidField([FieldError(f"/invoice/{role}/taxId", "form", message)])


def party(
    role: Literal["supplier", "buyer"],
    request: PartyRequest,
    participant: ParticipantId | None,
    vat: VatUse,
    warnings: list[SendWarning],
) -> Party:
    """A party; without a participant id it has an electronic address only if one is sent."""
    country = _country(role, request, participant, warnings)
    legal = _legal_id(role, request, participant, country, warnings)
    vat_id = _vat_id(role, request, country, vat, warnings)
    return Party(
        name=request["name"],
        endpoint=endpoint(participant, request.get("endpointId")),
        trading_name=request.get("tradingName") or request["name"],
        identifiers=identifiers(request["identifiers"]) if "identifiers" in request else (),
        legal_id=legal,
        vat_id=vat_id,
        address=address(request.get("address", {}), country),
        contact=_contact(request.get("contact")),
        omitted_tax_id=None if vat_id else _omitted(request, country, vat),
    )


def addressed_by_email(party: Party, email: str) -> Party:
    """The party with the address as its electronic address (EAS code EM), if it has no other."""
    return party if party.endpoint else replace(party, endpoint=Identifier(email, "EM"))


def supplier(
    request: SupplierRequest,
    participant: ParticipantId | None,
    vat: VatUse,
    warnings: list[SendWarning],
) -> Party:
    """As `party`, with the tax registration beside the VAT id (BT-32): as sent, else a tax id that
    is no VAT number (decisions 31.1)."""
    found = party("supplier", request, participant, vat, warnings)
    registration = filled(request.get("taxRegistration"))
    if registration is None and found.vat_id is None and found.address:
        registration = _registration(request, found.address.country, vat, warnings)
    return replace(
        found,
        tax_registration=Identifier(registration, _LOCAL_TAX) if registration else None,
        legal_form=filled(request.get("legalInformation")),
    )


def _registration(
    request: PartyRequest, country: str | None, vat: VatUse, warnings: list[SendWarning]
) -> str | None:
    """The tax id of a supplier as a number of no VAT, with a warning other than `_vat_id`'s;
    None if there is none to write."""
    sent = tax_number(request.get("taxId", ""), country)
    reason = _not_vat(sent, country, vat)
    if reason not in _REGISTRABLE:
        return None
    field, values = "invoice.supplier.taxId", {"sent": sent.shown, "country": country or ""}
    warnings.append(SendWarning("tax-id-as-registration", "", field, reason, values))
    return sent.shown


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
    told = country_of(compact(request.get("taxId", "")))
    if told:
        return told
    return SCHEME_COUNTRY.get(participant.scheme) if participant else None


def known_country(request: PartyRequest, participant: ParticipantId | None) -> str | None:
    given = filled(request.get("address", {}).get("countryCode"))
    return given or _derived_country(request, participant)


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
    vat: VatUse,
    warnings: list[SendWarning],
) -> str | None:
    """BT-31, BT-48, with a warning if the tax id was completed or left out (decisions 20.3).

    `_registration` warns of an id of a supplier that becomes its registration instead.
    """
    text = request.get("taxId", "")
    sent = tax_number(text, country)
    if not sent.number and not sent.absent:
        return None
    field, reason = f"invoice.{role}.taxId", _not_vat(sent, country, vat)
    if reason:
        if not _is_registration(role, request, reason):
            values = {"sent": sent.shown or text, "country": country or ""}
            variant = f"{role}-{reason}"
            warnings.append(SendWarning(VAT_NUMBER_DROPPED, "", field, variant, values))
        return None
    written = compact(text)
    if sent.vat_id != written:
        variant = role if sent.number == written else f"{role}-words"
        values = {"sent": written, "number": sent.vat_id or ""}
        warnings.append(SendWarning("vat-number-completed", "", field, variant, values))
    return sent.vat_id


def _omitted(request: PartyRequest, country: str | None, vat: VatUse) -> str | None:
    sent = tax_number(request.get("taxId", ""), country)
    return (sent.vat_id or sent.number or None) if _not_vat(sent, country, vat) else None


# The reasons for which the tax id of a supplier becomes its tax registration.
_REGISTRABLE = frozenset({"form", "unneeded", "one-stop-shop"})


def _is_registration(role: str, request: PartyRequest, reason: str) -> bool:
    return role == "supplier" and reason in _REGISTRABLE and not request.get("taxRegistration")


def _not_vat(sent: TaxNumber, country: str | None, vat: VatUse) -> str:
    """Why a tax id is not written as a VAT number; "" if it is."""
    if not sent.number:
        return "none" if sent.absent else ""
    if not vat.allowed and sent.vat_id:
        return "untaxed"  # an invoice outside the scope of VAT (category O) has none
    if sent.one_stop:
        return "one-stop-shop"  # BR-CO-09 knows no country EU
    if sent.vat_id is None:
        return _not_a_number(sent, country)
    return "unneeded" if sent.derived and not vat.needed else ""


def _not_a_number(sent: TaxNumber, country: str | None) -> str:
    if country is None:
        return "no-country"
    # 8 digits are a number of the Dutch commercial register.
    return "kvk" if country == "NL" and is_kvk(sent.number) else "form"


def _contact(request: ContactRequest | None) -> Contact | None:
    if not request or not any(request.values()):
        return None
    return Contact(
        name=filled(request.get("name")),
        phone=filled(request.get("phone")),
        email=filled(request.get("email")),
    )
