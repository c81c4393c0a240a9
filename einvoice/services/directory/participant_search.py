"""Participants by name: in the tenant's directory, and in the directories of networks.

A network is called with a deadline and a share (network/calls); one that fails is reported beside
the hits of the other sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER, EntryKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import (
    AccessPoint,
    DirectoryUnavailable,
    ListedParticipant,
    SearchesParticipants,
)
from einvoice.observability import logging
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.principal import Principal, Reader

log = logging.get(__name__)

# Pages of a directory that are searched, of up to 5,000 entries each (store/directory/pages).
MAX_PAGES = 4
_MAX_NAME = 512  # characters of a name in a hit
Search = Callable[[str, str | None, int], Iterable[ListedParticipant]]
_SILENT = "The directory does not answer now."


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """A part of the name, the country (any if None), and the most hits of each source."""

    name: str
    country: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class ParticipantHit:
    """A participant; `entry_id` is the id of the customer or supplier.

    name  None: found by its number, in a directory without names
    document_types  those that it is registered for, if it was looked up
    """

    participant: str
    name: str | None
    country: str | None
    entry_id: str | None = None
    document_types: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SearchedSource:
    """A source with its hits: customer, supplier, or network with its name and environment.

    has_more   there are more hits, or there may be
    unavailable  why a network could not be searched; None if it was
    """

    source: str
    hits: Sequence[ParticipantHit] = field(default=())
    has_more: bool = False
    network: str | None = None
    environment: Environment | None = None
    unavailable: str | None = None


def search(reader: Reader, terms: SearchTerms, points: AccessPoints) -> list[SearchedSource]:
    """The sources in a fixed order, each with its hits.

    A key that may send to certain receivers only finds no others.
    """
    directory = [_of_directory(kind, reader, terms) for kind in (CUSTOMER, SUPPLIER)]
    return directory + list(_of_networks(reader, terms, points))


def _of_directory(kind: EntryKind, reader: Reader, terms: SearchTerms) -> SearchedSource:
    filters = EntryFilters(country_code=terms.country, name=terms.name, with_participant=True)
    found: list[ParticipantHit] = []
    part = EntryPageRequest(terms.limit + 1, order=entries.NAME, descending=False)
    end = None
    for _ in range(MAX_PAGES):
        page = entries.page(kind, reader.tenant_id, filters, part)
        found += [
            ParticipantHit(entry.peppol_id or "", entry.name, entry.country_code, entry.id)
            for entry in page.items
        ]
        end = page.end
        if end is None or len(found) > terms.limit:
            break
        part = EntryPageRequest(part.limit, part.order, part.descending, end)
    hits = allowed(found, reader)
    return SearchedSource(
        str(kind), hits[: terms.limit], len(found) > terms.limit or end is not None
    )


def allowed(found: Sequence[ParticipantHit], reader: Reader) -> list[ParticipantHit]:
    """The hits that the reader may send to."""
    receivers = reader.allowed_receivers if isinstance(reader, Principal) else frozenset()
    if not receivers:
        return list(found)
    return [hit for hit in found if ParticipantId.parse(hit.participant).canonical in receivers]


# -- networks --------------------------------------------------------------------------------------


def _of_networks(
    reader: Reader, terms: SearchTerms, points: AccessPoints
) -> Iterator[SearchedSource]:
    """One source for each network that can be searched; all of them share one deadline."""
    until = clock.monotonic() + calls.SEARCH_SECONDS
    for point in points:
        if point.environment in reader.environments and isinstance(point, SearchesParticipants):
            seconds = max(0.0, until - clock.monotonic())
            yield _of_network(point, point.search_participants, reader, terms, seconds)


def _of_network(
    point: AccessPoint, search: Search, reader: Reader, terms: SearchTerms, seconds: float
) -> SearchedSource:
    asked = terms.name, terms.country, terms.limit
    try:
        found = calls.searches.call(
            point.name, lambda: list(islice(search(*asked), terms.limit + 1)), seconds
        )
        hits = [ParticipantHit(str(p.participant), p.name[:_MAX_NAME], p.country) for p in found]
    except (DirectoryUnavailable, calls.PluginBusy) as fault:
        return _unavailable(point, f"The directory does not answer now: {fault}")
    except Exception:
        log.exception("participant search raised", access_point=point.name)
        return _unavailable(point, _SILENT)
    return SearchedSource(
        "network",
        allowed(hits, reader)[: terms.limit],
        len(hits) > terms.limit,
        point.network,
        point.environment,
    )


def _unavailable(point: AccessPoint, message: str) -> SearchedSource:
    return SearchedSource(
        "network", network=point.network, environment=point.environment, unavailable=message
    )
