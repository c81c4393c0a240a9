"""Participants by VAT or company number, without the scheme of an id.

The number is written as the ids that companies of its country are registered by; the tenant's
directory and each network with a directory of them are asked for these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from einvoice import clock
from einvoice.domain.codes import VAT_SCHEME
from einvoice.domain.directory import CUSTOMER, SUPPLIER, EntryKind
from einvoice.domain.errors import AccessPointUnavailable, InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.legal_ids import legal_id
from einvoice.domain.vat_ids import country_of, vat_id
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import AccessPoint, Registration
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.directory.participant_search import (
    ParticipantHit,
    SearchedSource,
    allowed,
)
from einvoice.services.participants import lookup
from einvoice.services.principal import Reader

_LATE = "The directory was not asked: the others took all of the time."


@dataclass(frozen=True, slots=True)
class NumberTerms:
    """A number, the country of its owner (None: its prefix says it), the most hits of a source."""

    number: str
    country: str | None
    limit: int


def candidates(number: str, country: str | None) -> list[ParticipantId]:
    """The participant ids that a number may be registered by; none if its country is unknown.

    >>> [str(one) for one in candidates("BE 0403.019.261", None)]
    ['9925:BE0403019261', '0208:0403019261']
    >>> [str(one) for one in candidates("5567212047", "SE")]
    ['0007:5567212047']
    >>> candidates("12345678", None)
    []
    """
    vat = vat_id(number, country)
    owner = country or (country_of(vat) if vat else None)
    found = [f"{scheme}:{vat}" for scheme, lead in VAT_SCHEME.items() if vat and vat[:2] == lead]
    for company, tax in ((None, vat or number), (number, "")):
        legal = legal_id(company, None, tax, owner) if owner else None
        if legal is not None and legal.scheme is not None:
            found.append(f"{legal.scheme}:{legal.value}")
    return list(_parsed(dict.fromkeys(found)))


def _parsed(texts: dict[str, None]) -> Iterator[ParticipantId]:
    for text in texts:
        try:
            yield ParticipantId.parse(text)
        except InvalidParticipant:
            continue


def search(reader: Reader, terms: NumberTerms, points: AccessPoints) -> list[SearchedSource]:
    """The sources in a fixed order, each with its hits; all networks share one deadline."""
    asked = candidates(terms.number, terms.country)
    directory = [_of_directory(kind, reader, terms) for kind in (CUSTOMER, SUPPLIER)]
    return directory + list(_of_networks(reader, asked, points))


def _of_directory(kind: EntryKind, reader: Reader, terms: NumberTerms) -> SearchedSource:
    number = vat_id(terms.number, terms.country) or terms.number
    found: dict[str, ParticipantHit] = {}
    for spelling in dict.fromkeys((terms.number, number)):
        filters = EntryFilters(country_code=terms.country, tax_id=spelling, with_participant=True)
        part = EntryPageRequest(terms.limit + 1, order=entries.NAME, descending=False)
        for entry in entries.page(kind, reader.tenant_id, filters, part).items:
            found[entry.id] = ParticipantHit(
                entry.peppol_id or "", entry.name, entry.country_code, entry.id
            )
    hits = allowed(list(found.values()), reader)
    return SearchedSource(str(kind), hits[: terms.limit], len(found) > terms.limit)


def _of_networks(
    reader: Reader, asked: Sequence[ParticipantId], points: AccessPoints
) -> Iterator[SearchedSource]:
    until = clock.monotonic() + calls.SEARCH_SECONDS
    for environment in reader.environments:
        for point in points:
            if point.environment == environment and point.capabilities.needs_lookup:
                served = [one for one in asked if point in points.serving(one, environment, None)]
                yield _of_network(point, served, reader, until)


def _of_network(
    point: AccessPoint, asked: Sequence[ParticipantId], reader: Reader, until: float
) -> SearchedSource:
    """The answer of a network's directory; with the reason if it did not answer for each id."""
    source = SearchedSource("network", network=point.network, environment=point.environment)
    hits: list[ParticipantHit] = []
    for participant in asked:
        seconds = until - clock.monotonic()
        if seconds <= 0:
            source = replace(source, unavailable=_LATE)
            break
        try:
            answer = lookup.directory_answer(point, participant, reader.tenant_id, seconds)
        except AccessPointUnavailable as fault:
            source = replace(source, unavailable=fault.detail)
            break
        if isinstance(answer, Registration):
            types = tuple(str(kind) for kind in answer.document_types)
            hits.append(ParticipantHit(str(participant), None, None, document_types=types))
    return replace(source, hits=allowed(hits, reader))
