"""Schemas of POST /api/sandbox/inbound."""

from __future__ import annotations

from einvoice.services.inbound.simulated_arrivals import MAX_MESSAGE_ID, Arrived
from einvoice.web.contract import Contract
from einvoice.web.fields import ParticipantText, Text
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class InboundQuery(Contract):
    """The message in which the document arrives."""

    senderParticipantId = ParticipantText(
        "Who sends it; default: as the document says, else 0088:9520000000004.",
        max_length=140,
        example="0088:9520000000127",
    )
    receiverParticipantId = ParticipantText(
        "The receiver; default: as the document says, else your first participant id. Whatever it "
        "is, the bill is yours.",
        max_length=140,
        example="0208:0123456749",
    )
    messageId = Text(
        "The id of the message; default: a new one. A second message of this id with the same "
        "document, sender and receiver is a duplicate, and one with another document a bill with a "
        "warning.",
        max_length=MAX_MESSAGE_ID,
        form=(r"[A-Za-z0-9\-._:@]+", "letters, digits and - . _ : @"),
        example="m-1",
    )


class InboundResult(ResponseSchema[Arrived]):
    """The bill that has arrived."""

    invoiceId = a.an_id("The bill", source="record.id")
    transactionId = a.text("Its transmission", "txn_5f0c…", source="record.transmission_id")
    networkStatus = a.text("Always Received", "Received", source="record.status")
    messageId = a.text("The id of the message", "m-1")
    duplicate = a.flag(
        "Whether the message had arrived before: nothing was stored, and there is no event",
        example=False,
        source="is_duplicate",
    )
    provider = a.provider()
