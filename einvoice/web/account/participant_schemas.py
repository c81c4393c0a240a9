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


class ParticipantResponse(OwnedParticipant):
    provider = a.provider()


class ParticipantList(Schema):
    items = a.things(OwnedParticipant(), "The participant ids, by environment and id")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
