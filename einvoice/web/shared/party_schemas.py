"""Parties, addresses and the small objects that several parts of a send share."""

from __future__ import annotations

from typing import Any

from einvoice.domain.codes import COUNTRIES
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Code, Day, Text

MAX_IDENTIFIERS = 10
_ENDPOINT = (r"([0-9]{4}|[A-Z]{2}):[!-~]{1,130}", "of the form <scheme>:<identifier>")
_SCHEME = (r"[0-9]{4}", "a 4-digit scheme code of ISO 6523")
_QUALIFIER = (r"[A-Z0-9]{1,3}", "a code of UNTDID 1153")
_VATEX = (
    r"VAT(EX|ZR|PM)-[A-Z0-9\-]{1,40}|DL8\.[0-9A-Z.]{1,20}",
    "a VATEX code, such as VATEX-EU-AE",
)


ZONES = ("SHRFZ", "SEZAD", "SLLFZ", "AFZ", "MO", "OTH")


def reference(description: str, **options: Any) -> Text:
    """A text field for a reference in another system."""
    return Text(description, max_length=200, **options)


def country(description: str, *, required: bool = False) -> Code:
    return Code(
        description,
        COUNTRIES,
        name="an ISO 3166-1 alpha-2 country code",
        codes_of="iso3166_cen",
        required=required,
        example="BE",
    )


class Address(Contract):
    line1 = Text("Street and number.", max_length=512, example="Rue de la Loi 16")
    line2 = Text("Second line of the address.", max_length=512, example="Building C")
    city = Text("Town or city.", max_length=200, example="Brussels")
    postalCode = Text("Postal code.", max_length=50, example="1000")
    line3 = Text("Third line of the address.", max_length=512, example="Reception")
    region = Text("Province, state or region.", max_length=200, example="Brabant")
    countryCode = country("ISO 3166-1 alpha-2. Absent: taken from the tax id or participant id.")


class Contact(Contract):
    name = Text("Person or department.", max_length=200, example="Accounts payable")
    email = Text("E-mail address.", max_length=320, example="ap@example.com")
    phone = Text("Telephone number.", max_length=50, example="+32 2 123 45 67")


class Identifier(Contract):
    id = Text("The identifier.", max_length=200, required=True, example="9520000000011")
    scheme = Text("ISO 6523 scheme.", max_length=4, form=_SCHEME, example="0088")


class Party(Contract):
    name = Text("Legal name.", max_length=512, required=True, example="Example Company BV")
    taxId = Text(
        "VAT number, in any spelling; spaces . - / are ignored. A number without the form of its "
        "country's VAT numbers is no VAT number: a supplier's becomes its tax registration.",
        max_length=50,
        example="BE0123456749",
    )
    companyId = Text(
        "Number in the company register, plain or as <scheme>:<identifier>. Without it, only a "
        "participant id or tax id that is or contains a register number is written as one, with a "
        "warning: send it for a party addressed by GLN.",
        max_length=140,
        example="0106:12345678",
    )
    endpointId = Text(
        "Electronic address in the document instead of the routing id.",
        max_length=140,
        form=_ENDPOINT,
        example="0088:9520000000004",
    )
    tradingName = Text(
        "Trading name, if it is not the legal name.",
        max_length=512,
        example="Example",
    )
    identifiers = Items(
        Part(Identifier, "One identifier."),
        "Further identifiers (BT-29, BT-46), such as a GLN, a SIRET (0009) or a customer number. "
        "EN 16931 has one of a buyer.",
        max_items=MAX_IDENTIFIERS,
    )
    companyIdType = Code(
        "Of PINT AE: the kind of companyId: TL (trade license), CL (commercial license), EID "
        "(Emirates ID), PAS (passport) or CD (decision of the cabinet).",
        ("TL", "CL", "EID", "PAS", "CD"),
        name="TL, CL, EID, PAS or CD",
        example="TL",
    )
    companyIdAuthority = Text(
        "Of PINT AE: who issued companyId: the authority of a trade license, the country code of "
        "a passport.",
        max_length=200,
        example="Dubai Economy and Tourism",
    )
    identifierType = Code(
        "Of PINT OM: the kind of the first of identifiers: CR (commercial register), TIN, CID "
        "(card), PASNUM (passport), ICID (importer), SZLN (special zone) or OTHID.",
        ("CR", "TIN", "CID", "PASNUM", "OTHID", "ICID", "SZLN"),
        name="CR, TIN, CID, PASNUM, OTHID, ICID or SZLN",
        example="CR",
    )
    specialZone = Code(
        "Of PINT OM: the special zone of the address; MO is the mainland.",
        ZONES,
        name="a special zone of Oman",
        example="SEZAD",
    )
    address = Part(Address, "Postal address.")
    contact = Part(Contact, "Contact for questions about the invoice.")


class SupplierParty(Party):
    accountId = Text(
        "Of PINT OM: the UUID of the supplier's account, for predefined receivers.",
        max_length=40,
        example="cf6a8fb0-f2bd-5443-9e72-994d6a9cc38e",
    )
    taxRegistration = Text(
        "Tax registration beside the VAT number (BT-32): Foretaksregisteret in Norway, Godkänd för "
        "F-skatt in Sweden, for suppliers that are registered so.",
        max_length=140,
        example="Foretaksregisteret",
    )
    legalInformation = Text(
        "Further legal information about the supplier (BT-33), such as its share capital or the "
        "reason why it charges no VAT.",
        max_length=1024,
        example="Share capital 18,000 EUR",
    )


class ObjectReference(Contract):
    id = Text("Its identifier.", max_length=200, required=True, example="541440110000000018")
    scheme = Text(
        "What kind of identifier it is, a code of UNTDID 1153.",
        max_length=3,
        form=_QUALIFIER,
        example="MG",
    )


class Payee(Contract):
    name = Text("Its name.", max_length=512, required=True, example="Example Factoring NV")
    identifier = Part(Identifier, "An identifier of the payee.")
    companyId = Text(
        "Number in the company register, plain or as <scheme>:<identifier>.",
        max_length=140,
        example="0106:87654321",
    )


class TaxRepresentative(Contract):
    name = Text("Its name.", max_length=512, required=True, example="Example Fiscal BV")
    taxId = Text(
        "Its VAT number with the country's prefix; spaces . - / are ignored.",
        max_length=50,
        required=True,
        example="NL123456782B90",
    )
    address = Part(Address, "Its postal address, with the country.")


class Period(Contract):
    startDate = Day("First day.", example="2026-11-01")
    endDate = Day("Last day.", example="2026-11-30")


class TaxExemption(Contract):
    reasonCode = Text(
        "VATEX code; of PINT that of the country's law, such as DL8.46.2.",
        max_length=50,
        form=_VATEX,
        example="VATEX-EU-AE",
    )
    reason = Text("The reason in words.", max_length=1024, example="Reverse charge")
