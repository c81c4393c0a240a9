"""The tenant's profile: bodies of changes and responses."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain.request import TotalsRule
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import NETWORK, Code, Flag, Text
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.party_schemas import country

_COLOUR = (r"#[0-9A-Fa-f]{6}", "of the form #rrggbb")
_URL = (r"https?://[!-~]+", "an address that begins with https:// or http://")
_EMAIL = (r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address")

# The attributes that null removes; name and switches cannot be removed.
REMOVABLE = frozenset(
    {"displayName", "colour", "addressLines", "iban", "bic", "accountName", "timeZone"}
    | {"website", "email", "phone", "networkChoices", "totals"}
)
MAX_NETWORK_CHOICES = 200


class NetworkChoice(Contract):
    """The network for invoices from one country to another, where several reach the receiver."""

    supplierCountry = country("The supplier's country.", required=True)
    buyerCountry = country("The buyer's country.", required=True)
    network = Text(
        "The network to use.", max_length=40, form=NETWORK, required=True, example="peppol"
    )


class NetworkChoiceRecord(Schema):
    """The network for invoices from one country to another."""

    supplierCountry = a.text("The supplier's country", "BE")
    buyerCountry = a.text("The buyer's country", "BE")
    network = a.text("The network to use", "peppol")


class ProfileChanges(Contract):
    """A merge patch (RFC 7396): omitted members stay unchanged, null removes."""

    name = Text("The account's name.", max_length=200, example="Example NV")
    displayName = Text(
        "Display name: the text of the logo on PDFs.", max_length=200, example="Example"
    )
    colour = Text("The brand colour.", max_length=7, form=_COLOUR, example="#0b5fff")
    addressLines = Items(
        Text("", max_length=100, required=True, example="Street 1"),
        "Lines of the address, for the preview; PDFs of invoices print the address they state.",
        max_items=6,
    )
    iban = Text("IBAN for sends without payment means.", max_length=42,
                example="BE68 5390 0754 7034")  # fmt: skip
    bic = Text("Its bank.", max_length=11, example="KREDBEBB")
    accountName = Text("Its holder.", max_length=140, example="Example NV")
    timeZone = Text(
        "IANA time zone for the day of dates that are not given; without: the seller's country's.",
        max_length=64,
        example="Europe/Brussels",
    )
    website = Text("For PDFs.", max_length=200, form=_URL, example="https://example.com")
    email = Text(
        "For PDFs of invoices that state none.",
        max_length=200,
        form=_EMAIL,
        example="billing@example.com",
    )
    phone = Text("For PDFs of invoices that state none.", max_length=50, example="+32 9 123 45 67")
    strictIdempotency = Flag(
        "Refuse an Idempotency-Key that is repeated with another body.", example=False
    )
    rejectDuplicateNumbers = Flag("Refuse an invoice number sent before.", example=False)
    embedPdf = Flag("Embed the PDF in every sent invoice.", example=False)
    totals = Code(
        "How declared totals are compared in sends that do not say (options.totals).",
        tuple(rule.value for rule in TotalsRule),
        name="exact or rounded",
        example="exact",
    )
    networkChoices = Items(
        Part(NetworkChoice, "The network for one pair of countries."),
        "Networks by pair of countries, for sends that name none; replaces all choices.",
        max_items=MAX_NETWORK_CHOICES,
    )


class LogoInfo(Schema):
    contentType = a.text("image/png or image/jpeg", "image/png")
    sizeBytes = a.number("Its size in bytes", 4711)
    sha256 = a.text(
        "SHA-256 of the image, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )


class Profile(Schema):
    """The account. null: not set."""

    tenantId = a.an_id("The account's id")
    name = a.text("Its name", "Example NV")
    displayName = a.text("The text of the logo on PDFs", "Example", or_null=True)
    colour = a.text("The brand colour", "#0b5fff", or_null=True)
    logo = fields.Nested(
        LogoInfo(),
        metadata={"description": "The logo; GET /api/tenant/logo returns the image"},
        allow_none=True,
        required=True,
    )
    addressLines = a.texts("The address on the preview", "Street 1")
    iban = a.text("IBAN for sends without payment means", "BE68539007547034", or_null=True)
    bic = a.text("Its bank", "KREDBEBB", or_null=True)
    accountName = a.text("Its holder", "Example NV", or_null=True)
    timeZone = a.text("IANA time zone of its days", "Europe/Brussels", or_null=True)
    website = a.text("On PDFs", "https://example.com", or_null=True)
    email = a.text("On PDFs", "billing@example.com", or_null=True)
    phone = a.text("On PDFs", "+32 9 123 45 67", or_null=True)
    strictIdempotency = a.flag("Whether keys with another body are refused", example=False)
    rejectDuplicateNumbers = a.flag("Whether numbers sent before are refused", example=False)
    embedPdf = a.flag("Whether the PDF is embedded in sent invoices", example=False)
    totals = a.text("How declared totals are compared: exact or rounded", "exact")
    networkChoices = fields.List(
        fields.Nested(NetworkChoiceRecord()),
        metadata={
            "description": "Networks by pair of countries, for sends that name none",
            "maxItems": MAX_NETWORK_CHOICES,
        },
        required=True,
    )
    provider = a.provider()


class LogoResponse(LogoInfo):
    provider = a.provider()
