"""The search of participants: query and response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from einvoice.services.directory.participant_search import ParticipantHit, SearchedSource
from einvoice.web.contract import Contract
from einvoice.web.fields import Text
from einvoice.web.paging import QueryInteger
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.party_schemas import country

MAX_HITS, DEFAULT_HITS = 50, 20


class ParticipantSearchQuery(Contract):
    name = Text(
        "A part of the name, in any case; this or taxId.",
        max_length=100,
        form=(r"\S[\s\S]*\S", "a text of two characters or more"),
        example="acme",
    )
    taxId = Text(
        "A VAT or company number, in any notation; with country where it has no prefix of one.",
        max_length=50,
        example="BE 0403.019.261",
    )
    country = country(
        "Only those of this country (ISO 3166-1 alpha-2); of a taxId, the one that issued it."
    )
    limit = QueryInteger(
        "Hits of each source.", minimum=1, maximum=MAX_HITS, default=DEFAULT_HITS, example=20
    )


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A participant with its source."""

    hit: ParticipantHit
    source: SearchedSource


def _entry_of(source: str) -> Callable[[FoundHit], str | None]:
    return lambda found: found.hit.entry_id if found.source.source == source else None


class FoundParticipant(ResponseSchema[FoundHit]):
    """A participant, as one source knows it."""

    participantId = a.text(
        "ISO 6523 id, for a lookup or a send", "0088:9520000000004", source="hit.participant"
    )
    name = a.text(
        "Its name there; null if a network was asked by number",
        "Acme NV",
        or_null=True,
        source="hit.name",
    )
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True, source="hit.country")
    source = a.text("customer, supplier or network", "customer", source="source.source")
    customerId = a.an_id(
        "The customer, if it is the source", or_null=True, source=_entry_of("customer")
    )
    supplierId = a.an_id(
        "The supplier, if it is the source", or_null=True, source=_entry_of("supplier")
    )
    network = a.text(
        "The network, if it is the source", "peppol", or_null=True, source="source.network"
    )
    environment = a.text(
        "test or live, of the network", "live", or_null=True, source="source.environment"
    )
    supportedDocTypes = a.texts(
        "What it is registered for, if a network was asked by number",
        "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
        source=lambda found: list(found.hit.document_types),
    )


class SearchedSourceRecord(ResponseSchema[SearchedSource]):
    """A source that was searched, or did not answer."""

    source = a.text("customer, supplier or network", "network")
    network = a.text("The network; null for the directory", "peppol", or_null=True)
    environment = a.text("test or live, of the network", "live", or_null=True)
    status = a.text(
        "searched or unavailable",
        "searched",
        source=lambda found: "unavailable" if found.unavailable else "searched",
    )
    detail = a.text(
        "Why it is unavailable", "It did not answer.", or_null=True, source="unavailable"
    )
    hasMore = a.flag("Whether there may be more hits than listed", example=False)


class ParticipantSearchResponse(ResponseSchema[Sequence[SearchedSource]]):
    items = a.things(
        FoundParticipant(),
        "The hits, in the order of the sources; at most limit of each",
        source=lambda sources: [FoundHit(hit, each) for each in sources for hit in each.hits],
    )
    sources = a.things(
        SearchedSourceRecord(),
        "What was searched: customers, suppliers, then networks",
        source=lambda sources: sources,
    )
    provider = a.provider()
