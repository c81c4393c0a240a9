"""Countries and their mandates, with whether this installation supports them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from einvoice.compliance import countries
from einvoice.compliance.countries import Country, Mandate, Status
from einvoice.domain import pint

PEPPOL = "peppol"
# The formats of written documents, as named by the mandates.
_WRITTEN = (
    "Peppol BIS Billing 3.0",
    "EN 16931 (UBL 2.1 / CII)",
    *(f"PINT {code}" for code in pint.COUNTRIES),
)


@dataclass(frozen=True, slots=True)
class ListedCountry:
    """A country with its mandates that match the filters."""

    country: Country
    supported: frozenset[str]  # ids of mandates


def list_countries(
    networks: Iterable[str], code: str | None, network: str | None
) -> Iterator[ListedCountry]:
    """The countries, optionally of one code and with the mandates of one network.

    `networks` are those the installed access points serve.
    """
    served = frozenset(networks)
    for country in countries.known():
        if code in (None, country.code):
            mandates = tuple(m for m in country.mandates if network in (None, m.network))
            if mandates:
                ids = frozenset(m.id for m in mandates if _is_supported(m, served))
                yield ListedCountry(replace(country, mandates=mandates), ids)


def _is_supported(mandate: Mandate, served: frozenset[str]) -> bool:
    """Peppol mandates that accept what is written, and networks with an installed access point."""
    if mandate.status is Status.NONE and not mandate.voluntary:
        return False
    if mandate.network == PEPPOL:
        return any(form.startswith(_WRITTEN) for form in mandate.formats)
    return mandate.network in served
