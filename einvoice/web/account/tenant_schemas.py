"""The tenant's profile: bodies of changes and responses."""

from __future__ import annotations

from collections.abc import Callable

from marshmallow import Schema, fields

from einvoice.domain.request import TotalsRule
from einvoice.services.account import profile
from einvoice.services.account.profile import MAX_SEARCHABLE, Logo, TenantRecord
from einvoice.web.account.mail_schemas import (
    MailSettings,
    MailSettingsRecord,
    complete_settings,
)
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import LABEL, NETWORK, Code, Flag, Text
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.party_schemas import country

_COLOUR = (r"#[0-9A-Fa-f]{6}", "of the form #rrggbb")
_URL = (r"https?://[!-~]+", "an address that begins with https:// or http://")
_EMAIL = (r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address")

# The attributes that null removes; name and switches cannot be removed.
REMOVABLE = frozenset(
    {"displayName", "colour", "addressLines", "iban", "bic", "accountName", "timeZone"}
    | {"website", "email", "phone", "networkChoices", "totals", "lastResort", "mail"}
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
    searchableMetadata = Items(
        Text("", max_length=40, form=LABEL, required=True, example="erpId"),
        "Names in the metadata of invoices by which lists are filtered (metadata.erpId=4711): of "
        "invoices that are sent from now on; replaces all names.",
        max_items=MAX_SEARCHABLE,
    )
    networkChoices = Items(
        Part(NetworkChoice, "The network for one pair of countries."),
        "Networks by pair of countries, for sends that name none; replaces all choices.",
        max_items=MAX_NETWORK_CHOICES,
    )
    lastResort = Text(
        "The network for receivers that no other reaches, such as mail; without: such sends are "
        "refused.",
        max_length=40,
        form=NETWORK,
        example="mail",
    )
    mail = Part(MailSettings, "The e-mails of the network mail.")


class LogoInfo(ResponseSchema[Logo]):
    contentType = a.text("image/png or image/jpeg", "image/png", source="media_type")
    sizeBytes = a.number("Its size in bytes", 4711, source=lambda logo: len(logo.content))
    sha256 = a.text(
        "SHA-256 of the image, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        source="sha256",
    )


class LogoResponse(LogoInfo):
    provider = a.provider()


def _stored(name: str, default: object = None) -> Callable[[TenantRecord], object]:
    """The source of a member that is stored under its name in the profile."""
    return lambda tenant: tenant.profile.get(name, default)


def _text(name: str, description: str, example: str) -> fields.String:
    return a.text(description, example, or_null=True, source=_stored(name))


class Profile(ResponseSchema[TenantRecord]):
    """The account. null: not set."""

    tenantId = a.an_id("The account's id", source="id")
    name = a.text("Its name", "Example NV")
    displayName = _text("displayName", "The text of the logo on PDFs", "Example")
    colour = _text("colour", "The brand colour", "#0b5fff")
    iban = _text("iban", "IBAN for sends without payment means", "BE68539007547034")
    bic = _text("bic", "Its bank", "KREDBEBB")
    accountName = _text("accountName", "Its holder", "Example NV")
    timeZone = _text("timeZone", "IANA time zone of its days", "Europe/Brussels")
    website = _text("website", "On PDFs", "https://example.com")
    email = _text("email", "On PDFs", "billing@example.com")
    phone = _text("phone", "On PDFs", "+32 9 123 45 67")
    logo = a.one(
        LogoInfo(),
        "The logo; GET /api/tenant/logo returns the image",
        or_null=True,
        source=profile.logo_of,
    )
    addressLines = a.texts(
        "The address on the preview", "Street 1", source=_stored("addressLines", ())
    )
    strictIdempotency = a.flag("Whether keys with another body are refused", example=False)
    rejectDuplicateNumbers = a.flag("Whether numbers sent before are refused", example=False)
    embedPdf = a.flag(
        "Whether the PDF is embedded in sent invoices",
        example=False,
        source=lambda tenant: bool(tenant.profile.get("embedPdf")),
    )
    totals = a.text(
        "How declared totals are compared: exact or rounded",
        "exact",
        source=_stored("totals", TotalsRule.EXACT.value),
    )
    searchableMetadata = a.texts(
        "Names in the metadata of invoices by which lists are filtered",
        "erpId",
        source=_stored("searchableMetadata", ()),
    )
    networkChoices = a.things(
        NetworkChoiceRecord(),
        "Networks by pair of countries, for sends that name none",
        max_items=MAX_NETWORK_CHOICES,
        source=_stored("networkChoices", ()),
    )
    lastResort = _text("lastResort", "The network for receivers that no other reaches", "mail")
    mail = a.one(
        MailSettingsRecord(),
        "The e-mails of the network mail",
        or_null=True,
        source=lambda tenant: complete_settings(tenant.profile.get("mail")),
    )
    provider = a.provider()
