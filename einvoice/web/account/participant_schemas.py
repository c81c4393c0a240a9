"""The participant ids of a tenant."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.contract import Contract
from einvoice.web.fields import PARTICIPANT_ID, Code, Text
from einvoice.web.paging import PartQuery
from einvoice.web.shared import response_fields as a


class NewParticipant(Contract):
    """A participant id to add."""

    participantId = Text(
        "The id in the network.", max_length=140, form=PARTICIPANT_ID, required=True,
        example="0208:0123456749",
    )  # fmt: skip
    environment = Code(
        "The environment.", ("test", "live"), name="test or live", required=True, example="test"
    )


class ParticipantQuery(PartQuery):
    environment = Code(
        "Only ids of this environment.", ("test", "live"), name="test or live", example="test"
    )


class OwnedParticipant(Schema):
    participantId = a.text("The id in the network", "0208:0123456749")
    environment = a.text("The environment", "test")
    createdAt = a.moment("When it was claimed")
    status = a.text(
        "verified, pending or rejected: only a verified id sends in live and receives", "verified"
    )
    decidedAt = a.moment("When the claim was verified or rejected", or_null=True)
    decidedBy = a.text(
        "Who did: operator, network or number (a verified number of yours)",
        "operator",
        or_null=True,
    )
    reason = a.text("The operator's reason", "Confirmed by telephone.", or_null=True)
    publication = a.text(
        "Whether the network names this service for it, which is asked each day: none (not seen "
        "yet), published, or moved (it did, and does not any more)",
        "published",
    )
    publicationReason = a.text(
        "Why it is not published: elsewhere (registered with another access point) or "
        "not-registered; null without an answer",
        "elsewhere",
        or_null=True,
    )
    publicationSince = a.moment("Since when it is so", or_null=True)
    publicationCheckedAt = a.moment("When the network last said so", or_null=True)


class ParticipantResponse(OwnedParticipant):
    provider = a.provider()


class ParticipantList(Schema):
    items = a.things(OwnedParticipant(), "The participant ids, by environment and id")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


class NetworkRegistration(Schema):
    network = a.text("The network", "peppol")
    status = a.text(
        "here (registered, and delivers to this service), elsewhere (registered with another "
        "access point), not-registered, or no-answer",
        "here",
    )
    endpoint = a.text("Where it receives, if that is known", "https://ap.example/as4", or_null=True)
    certificateExpiresAt = a.moment("When the certificate of that endpoint ends", or_null=True)
    documentTypes = a.number("How many document types are registered", 12, or_null=True)


class ParticipantRegistrations(Schema):
    participantId = a.text("The id in the network", "0208:0123456749")
    environment = a.text("The environment", "test")
    checkedAt = a.moment("When the networks were asked")
    items = a.things(NetworkRegistration(), "What each network says that registers ids")
    provider = a.provider()
