"""POST /api/sandbox/inbound: a document arrives as a bill over the simulated network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    DeclaredTotalsMismatch,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    NotFound,
    SelfInvoicing,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.inbound import simulated_arrivals
from einvoice.services.inbound.simulated_arrivals import Arrived, Message
from einvoice.services.send import unsent
from einvoice.services.send.submission import Submission
from einvoice.web import credentials, paging
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.response_schema import Written
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations
from einvoice.web.submission.arrival_schemas import InboundQuery, InboundResult
from einvoice.web.submission.v1_bodies import DOCUMENT_BODY, read_for_validation

family = Family(
    "arrivals", __name__, url_prefix="/api/sandbox", credential=credentials.api_key, tag="Sandbox"
)


_QUERY = InboundQuery()


@family.route("/inbound", methods=["POST"])
@family.doc(requestBody=DOCUMENT_BODY, parameters=[{"in": "query", "schema": InboundQuery}])
@family.reads_headers("Accept-Language")
@family.refuses(
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    DeclaredTotalsMismatch,
    AccessPointUnavailable,
    NotFound,
    Conflict,
    *computations.REFUSALS,
)
@family.alt_response(200, schema=InboundResult(), description="It had arrived before.")
@family.response(201, InboundResult())
def receive_document() -> Written[Arrived]:
    """Let a document arrive as a bill, over the simulated network.

    Accepts the bodies of POST /v1/invoices/convert: UBL or CII (application/xml), a PDF with one
    attached (application/pdf), either in base64 inside JSON, and the body of a send, whose sender
    is the supplier, and of which UBL is made. The document takes the path of one from a network: it
    is judged and stored whatever is wrong with it, matched to your suppliers, and
    transaction.received is emitted. 409 conflict if a network would be told that such a document is
    not accepted; live keys get 404.
    """
    credentials.require("invoices:send")
    principal = credentials.principal()
    simulated_arrivals.check_environment(principal)
    query = paging.read_query(_QUERY)
    document, said = _given(request_bodies.request_body())
    message = Message(
        _participant(query, "senderParticipantId") or said.sender,
        _participant(query, "receiverParticipantId") or said.receiver,
        query.get("messageId"),
    )
    arrived = simulated_arrivals.arrive(document, message, principal, runtime())
    address = f"/api/invoices/{arrived.record.id}"
    return arrived, 200 if arrived.is_duplicate else 201, {"Location": address}


def _given(body: bytes) -> tuple[bytes, Message]:
    """The document of the body, and the ends that the body names beside it."""
    given = read_for_validation(body, receiver_required=False)
    if isinstance(given, Submission):
        return given.content, Message(given.sender.participant, given.receiver.participant)
    written = unsent.convert_send(
        given, "ubl", credentials.principal(), runtime(), language_of_findings()
    )
    routing = given["routing"]
    return written.content, Message(routing.sender, routing.receiver)


def _participant(query: Mapping[str, Any], name: str) -> ParticipantId | None:
    return ParticipantId.parse(query[name]) if query.get(name) else None
