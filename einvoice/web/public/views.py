"""The public API: look up a participant and send an invoice."""

from __future__ import annotations

from functools import partial

from flask import Response, request

from einvoice.domain.errors import (
    AccessPointUnavailable,
    AmbiguousNetwork,
    DeclaredTotalsMismatch,
    InvalidParticipant,
    MissingParticipant,
    NetworkNotSupported,
    SandboxParticipant,
    UnknownAccessPointRef,
    ValidationUnavailable,
)
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import LookupResult
from einvoice.services.send import send
from einvoice.services.send.draft import Draft
from einvoice.services.send.result import SendResult
from einvoice.web import credentials, paging, send_requests
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.list_schemas import LookupQuery
from einvoice.web.public.response_schemas import LookupResponse, SendResponse
from einvoice.web.runtime import runtime
from einvoice.web.shared.send_bodies import read_send
from einvoice.web.shared.send_schemas import SendRequest

family = Family(
    "public", __name__, url_prefix="/api", credential=credentials.api_key, tag="Invoices"
)
family.after_request(send_requests.add_headers)

_QUERY = LookupQuery()


@family.route("/participants/lookup")
@family.doc(parameters=[{"in": "query", "schema": LookupQuery}], tags=["Participants"])
@family.refuses(
    MissingParticipant,
    InvalidParticipant,
    SandboxParticipant,
    AccessPointUnavailable,
    NetworkNotSupported,
    AmbiguousNetwork,
)
@family.response(200, LookupResponse())
def lookup_participant() -> LookupResult:
    """Look up a Peppol participant and get the reference for sending to it.

    Networks without a directory are not asked: `reachableBy` names those that reach the participant
    without a reference.
    """
    credentials.require("participants:read")
    asked = request.args.get("participantId", "")
    if asked.strip():  # a missing one has a slug of its own
        paging.check_names(_QUERY)
    with slots.released():
        return lookup.lookup(
            asked,
            credentials.principal(),
            runtime().access_points,
            request.args.get("network") or None,
        )


@family.route("/invoices/send", methods=["POST"])
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": SendRequest}}}
)
@family.reads_headers("Idempotency-Key", "Prefer", "Accept-Language")
@family.refuses(
    *send_requests.REFUSALS,
    DeclaredTotalsMismatch,
    UnknownAccessPointRef,
    ValidationUnavailable,
    NetworkNotSupported,
    AmbiguousNetwork,
)
@family.response(200, SendResponse())
def send_invoice() -> Response:
    """Send an invoice over Peppol or another network.

    Answers when the first outcome is known or the wait is over (header Prefer).
    """
    draft = draft_of_request()
    return response_to(draft, send.send_draft(draft))


def draft_of_request() -> Draft:
    """The draft of the send that is requested. Sends of a group have one each before any is done.

    Raises what refuses the request, whatever its body says.
    """
    command = send_requests.command(runtime().settings.send_wait)
    read = partial(read_send, needs=send_requests.routing_needs(command.principal))
    return send.draft_of(command, read, runtime())


def response_to(draft: Draft, result: SendResult) -> Response:
    """The response to the request of the draft."""
    return send_requests.response_of(result, draft.command)
