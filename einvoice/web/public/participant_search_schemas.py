"""The search of participants: query and response."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.contract import Contract
from einvoice.web.fields import Text
from einvoice.web.paging import QueryInteger
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared.party_schemas import country

MAX_HITS, DEFAULT_HITS = 50, 20


class ParticipantSearchQuery(Contract):
    name = Text(
        "A part of the name, in any case.",
        max_length=100,
        form=(r"\S(?s:.*)\S", "a text of two characters or more"),
        required=True,
        example="acme",
    )
    country = country("Only those of this country (ISO 3166-1 alpha-2).")
    limit = QueryInteger(
        "Hits of each source.", minimum=1, maximum=MAX_HITS, default=DEFAULT_HITS, example=20
    )


class FoundParticipant(Schema):
    """A participant, as one source knows it."""

    participantId = optional.text("ISO 6523 id, for a lookup or a send", "0088:9520000000004")
    name = optional.text("Its name there", "Acme NV")
    countryCode = optional.text("ISO 3166-1 alpha-2", "BE", allow_none=True)
    source = optional.text("customer, supplier or network", "customer")
    customerId = optional.uuid("The customer, if it is the source", allow_none=True)
    supplierId = optional.uuid("The supplier, if it is the source", allow_none=True)
    network = optional.text("The network, if it is the source", "peppol", allow_none=True)
    environment = optional.text("test or live, of the network", "live", allow_none=True)


class SearchedSourceRecord(Schema):
    """A source that was searched, or did not answer."""

    source = optional.text("customer, supplier or network", "network")
    network = optional.text("The network; null for the directory", "peppol", allow_none=True)
    environment = optional.text("test or live, of the network", "live", allow_none=True)
    status = optional.text("searched or unavailable", "searched")
    detail = optional.text("Why it is unavailable", "It did not answer.", allow_none=True)
    hasMore = optional.flag("Whether there may be more hits than listed", False)


class ParticipantSearchResponse(Schema):
    items = fields.List(
        fields.Nested(FoundParticipant()),
        metadata={"description": "The hits, in the order of the sources; at most limit of each"},
    )
    sources = fields.List(
        fields.Nested(SearchedSourceRecord()),
        metadata={"description": "What was searched: customers, suppliers, then networks"},
    )
    provider = optional.provider()
