"""The tax authorities to which this installation reports, by country (the fifth corner).

Each is an access point of Peppol that is found at the SMP by its provider id (0242), and takes tax
data documents from a day on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from einvoice.documents.tax_data import TaxAuthority
from einvoice.domain.identifiers import (
    WILDCARD_SCHEME,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.domain.tax_data import PROCESS, SEAT_SCHEME, SPECIFICATIONS, TaxDataSpecification
from einvoice.network.settings import Setting

TAX_PROCESS: Final = ProcessId.parse(PROCESS)
TAX_TYPES: Final[Mapping[str, DocumentTypeId]] = {
    country: DocumentTypeId.parse(of.document_type) for country, of in SPECIFICATIONS.items()
}
# What the participants that stand for a report take: invoices and credit notes of the Emirates.
REPORTED_TYPES: Final = tuple(
    DocumentTypeId(
        WILDCARD_SCHEME,
        f"urn:oasis:names:specification:ubl:schema:xsd:{root}-2::{root}"
        f"##urn:peppol:pint:{kind}-1@ae-1::2.1",
    )
    for kind in ("billing", "selfbilling")
    for root in ("Invoice", "CreditNote")
)
_REPORTS: Final = frozenset(TAX_TYPES.values())
_ZONES: Final = {"AE": "Asia/Dubai", "OM": "Asia/Muscat", "SK": "Europe/Bratislava"}


@dataclass(frozen=True, slots=True)
class Authority:
    """The authority of a country.

    seat   its provider id, by which it is looked up
    since  the first day whose documents are reported, in the country
    named  as reports name it beside its access point, of Slovakia
    """

    country: str
    seat: ParticipantId
    since: date
    named: TaxAuthority | None = None

    @property
    def specification(self) -> TaxDataSpecification:
        return SPECIFICATIONS[self.country]

    def is_told_of(self, at: datetime) -> bool:
        """Whether a document that was sent or received then is reported."""
        return at.astimezone(ZoneInfo(_ZONES[self.country])).date() >= self.since


def is_report(document_type: DocumentTypeId) -> bool:
    """Whether it is the type of tax data documents."""
    return document_type in _REPORTS


def settings(prefix: str) -> Iterator[Setting]:
    """The settings of the authorities of a network, under its prefix."""
    for country in SPECIFICATIONS:
        yield Setting(
            f"{prefix}{country}_SEAT",
            f"{country}: provider id of the tax authority's access point (0242:…); set, invoices "
            "are reported to it",
        )
        yield Setting(
            f"{prefix}{country}_SINCE", f"{country}: first day whose invoices are reported"
        )
        if SPECIFICATIONS[country].names_authority:
            yield Setting(
                f"{prefix}{country}_AUTHORITY",
                f"{country}: id of the tax authority as reports name it",
            )


def configured(
    text: Callable[[str], str | None], prefix: str, faults: list[str]
) -> dict[str, Authority]:
    """The authorities of the settings, by country; what is wrong is added to `faults`.

    text  the value of a setting without its prefix
    """
    found = {}
    for country, of in SPECIFICATIONS.items():
        names = [f"{country}_SEAT", f"{country}_SINCE"]
        names += [f"{country}_AUTHORITY"] if of.names_authority else []
        given = {name: text(name) for name in names}
        if not any(given.values()):
            continue
        missing = [name for name, value in given.items() if value is None]
        faults += [f"{prefix}{name} is missing, beside {prefix}{country}_…" for name in missing]
        seat = _seat(given[names[0]] or "")
        since = _day(given[names[1]])
        if names[0] not in missing and seat is None:
            faults.append(f"{prefix}{names[0]} is no provider id: 0242: and six digits")
        if names[1] not in missing and since is None:
            faults.append(f"{prefix}{names[1]} is no day: it is given as 2027-01-01")
        if seat is not None and since is not None:
            named = TaxAuthority(given[names[2]] or "") if of.names_authority else None
            found[country] = Authority(country, seat, since, named)
    return found


def _seat(text: str) -> ParticipantId | None:
    """A provider id, with its scheme, as six digits, or as the seat id of a certificate.

    >>> _seat("POP000773") == _seat("0242:000773") == ParticipantId("0242", "000773")
    True
    """
    value = text.strip().removeprefix(f"{SEAT_SCHEME}:").removeprefix("POP")
    is_number = value.isascii() and value.isdigit() and len(value) == 6
    return ParticipantId(SEAT_SCHEME, value) if is_number else None


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "").strip())
    except ValueError:
        return None
