"""Transmissions that need a person: requests and responses."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.operators import MAX_REASON
from einvoice.services.console.transmissions import Kind, Work
from einvoice.services.delivery.operations import SequenceRecord
from einvoice.web.contract import Contract
from einvoice.web.fields import Base64, Code, Text
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

MAX_BODY_BYTES = 8 * 1024 * 1024


class TransmissionQuery(Contract):
    kind = Code(
        "attention: no network will report their outcome (default); parked: they wait until their "
        "connection can be used.",
        tuple(Kind),
        name="attention or parked",
        example="attention",
    )


class TransmissionOutcome(Contract):
    """The outcome that an operator found out at the network, with its evidence."""

    outcome = Code(
        "The outcome.",
        ("delivered", "failed"),
        name="delivered or failed",
        required=True,
        example="delivered",
    )
    evidence = Base64(
        "Proof of it, at most 5 MiB in base64: an artefact of the invoice.",
        required=True,
        example="PHJlY2VpcHQvPg==",
    )
    fileName = Text(
        "Its name, whose ending says its type.", max_length=100, required=True,
        example="receipt.xml",
    )  # fmt: skip
    reason = Text(
        "Why it failed, for the tenant.", max_length=MAX_REASON, example="Refused by telephone"
    )


class OperatorTransmission(ResponseSchema[Work]):
    """A transmission of a document, or of a message (msg_…)."""

    transmissionId = a.text("Its id", "txn_018f2c6e9a3b7c4d8e5f60718293a4b5", source="id")
    tenantId = a.text(
        "The tenant; null: a message of the access point", a.SOME_ID, or_null=True,
        source=lambda one: one.tenant_id or None,
    )  # fmt: skip
    invoiceId = a.text(
        "The document; null: a message that answers none", a.SOME_ID, or_null=True,
        source=lambda one: one.invoice_id or None,
    )  # fmt: skip
    environment = a.text("test or live", "live")
    accessPoint = a.text("The access point", "peppol-live")
    connectionId = a.text("The connection that it needs", a.SOME_ID, or_null=True)
    status = a.text("Processing, Delivered or Failed", "Processing")
    phase = a.text("What it waits for", "attention")
    attempts = a.number("Submissions so far", 3)
    reason = a.text("What was heard last", "no answer in 60 seconds", or_null=True)
    createdAt = a.moment("When it was accepted")
    waitsSince = a.moment("Since when it is parked", or_null=True, source="paused_at")
    requestId = a.text(
        "The request that caused it", "0b6a4a2e", or_null=True,
        source=lambda one: one.trace.request_id if one.trace else None,
    )  # fmt: skip


class OperatorTransmissionResponse(OperatorTransmission):
    provider = a.provider()


class OperatorTransmissionList(ResponseSchema[Sequence[Work]]):
    items = a.things(
        OperatorTransmission(), "Those that wait longest first", max_items=500, source=""
    )
    provider = a.provider()


class BlockedSequence(ResponseSchema[SequenceRecord]):
    """Documents that are sent one after the other, and the one for which the others wait."""

    transmissionId = a.text("The one", "txn_018f2c6e9a3b7c4d8e5f60718293a4b5", source="holder")
    tenantId = a.text("The tenant", a.SOME_ID)
    accessPoint = a.text("The access point", "peppol-live")
    connectionId = a.text("The connection", a.SOME_ID)
    key = a.text("What distinguishes the sequence", "A-2026")
    waiting = a.number("How many wait", 4)
    needsOperator = a.flag("Whether an operator has to settle it", example=True, source="attention")
    reason = a.text("What was heard last", "no answer", or_null=True)
    since = a.moment("When it was accepted")


class BlockedSequenceList(ResponseSchema[Sequence[SequenceRecord]]):
    items = a.things(BlockedSequence(), "Those with the oldest first", max_items=500, source="")
    provider = a.provider()
