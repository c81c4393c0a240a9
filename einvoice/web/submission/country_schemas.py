"""Countries and their mandates: query and response (decisions 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from einvoice.compliance import countries
from einvoice.services.compliance import ListedCountry
from einvoice.web.contract import Contract
from einvoice.web.fields import Text
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a

STATUS = ("in-force", "phased", "announced", "none")


class CountryQuery(Contract):
    countryCode = Text(
        "Only this country, ISO 3166-1 alpha-2.",
        max_length=2,
        form=(r"[A-Z]{2}", "two upper-case letters"),
        example="BE",
    )
    network = Text(
        "Only mandates of this network.",
        max_length=40,
        form=(r"[a-z0-9-]+", "lower-case letters, digits and -"),
        example="peppol",
    )


@dataclass(frozen=True, slots=True)
class ListedMandate:
    """A mandate with its country; `supported`: whether this installation serves it."""

    mandate: countries.Mandate
    country: countries.Country
    supported: bool


class Mandate(ResponseSchema[ListedMandate]):
    """A mandate for invoices between two kinds of parties."""

    inside = "mandate"

    mandateId = a.text("Permanent: country, type, network", "BE-B2B-PEPPOL", source="id")
    type = a.text("B2B, B2G or B2C", "B2B")
    status = a.text(f"One of {', '.join(STATUS)}", "in-force", source="status.value")
    voluntary = a.flag("Whether it is voluntary", example=False)
    effectiveDate = a.day(
        "First day of validity; null: not a single day",
        "2026-01-01",
        or_null=True,
        source="since",
    )
    network = a.text("The network; null: none is prescribed", "peppol", or_null=True)
    formats = a.texts("Accepted formats", "Peppol BIS Billing 3.0")
    schemes = a.texts("Schemes of participant ids in use", "0208")
    supported = a.flag("Whether this installation supports it", example=True, source=".supported")
    notes = a.text("Exceptions, next steps", "All VAT payers.", or_null=True)
    sourceUrl = a.text(
        "URL of the source",
        "https://finance.belgium.be/",
        or_null=True,
        source=".country.url",
    )
    checkedAt = a.day(
        "The day the facts were last checked", "2026-08-22", source=".country.checked"
    )
    confidence = a.text(
        "high, medium or low: reliability of the facts",
        "high",
        source=".country.confidence.value",
    )


def _mandates(listed: ListedCountry) -> list[ListedMandate]:
    country = listed.country
    return [ListedMandate(one, country, one.id in listed.supported) for one in country.mandates]


class Country(ResponseSchema[ListedCountry]):
    inside = "country"

    countryCode = a.text("ISO 3166-1 alpha-2", "BE", source="code")
    name = a.text("In English", "Belgium")
    mandates = a.things(Mandate(), "Its mandates, B2G first", source=_mandates)


class CountryList(ResponseSchema[Sequence[ListedCountry]]):
    items = a.things(Country(), "By code", source=ITSELF)
    provider = a.provider()
