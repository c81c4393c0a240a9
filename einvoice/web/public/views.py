"""The public API: look a participant up and send an invoice."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, g, request

from einvoice.domain.errors import (
    AccessPointUnavailable,
    DeclaredTotalsMismatch,
    DocumentTypeNotSupported,
    DuplicateInvoice,
    InvalidParticipant,
    InvalidReceiver,
    InvalidSender,
    MissingParticipant,
    MissingRouting,
    NetworkFailed,
    Overloaded,
    ReceiverNotAllowed,
    ReceiverNotRegistered,
    RequestRefused,
    SandboxParticipant,
    SelfInvoicing,
    SenderNotOwned,
    UnknownAccessPointRef,
    UnsupportedMediaType,
    ValidationFailed,
    ValidationUnavailable,
)
from einvoice.services import lookup
from einvoice.services import send as sending
from einvoice.services.send import Ask, Sender, Sent
from einvoice.web import credentials, headers, pace
from einvoice.web.answers import answer, provider
from einvoice.web.api import Family
from einvoice.web.public.answer_schemas import (
    LookupResponse,
    SendResponse,
)
from einvoice.web.public.list_schemas import LookupQuery
from einvoice.web.public.reading import read_send
from einvoice.web.public.schemas import Send

family = Family("public", __name__, url_prefix="/api", credential=credentials.api_key)


@family.route("/participants/lookup")
@family.doc(parameters=[{"in": "query", "schema": LookupQuery}])
@family.refuses(MissingParticipant, InvalidParticipant, SandboxParticipant, AccessPointUnavailable)
@family.response(200, LookupResponse())
def lookup_participant() -> Response:
    """Look a Peppol participant up and get the reference to send to it."""
    credentials.require("participants:read")
    with pace.released():
        found = lookup.lookup(
            request.args.get("participantId"),
            credentials.principal(),
            current_app.extensions["access_points"],
        )
    body: dict[str, Any] = {
        "participantId": str(found.participant),
        "isRegistered": found.registered,
        "accessPointRef": found.reference,
        "supportedDocTypes": list(found.document_types),
        "provider": provider(),
    }
    if found.reference is None:
        del body["accessPointRef"]
    return answer(body)


@family.route("/invoices/send", methods=["POST"])
@family.doc(requestBody={"required": True, "content": {"application/json": {"schema": Send}}})
@family.heeds("Idempotency-Key", "Prefer")
@family.refuses(
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    SandboxParticipant,
    ReceiverNotAllowed,
    SenderNotOwned,
    DeclaredTotalsMismatch,
    UnknownAccessPointRef,
    ReceiverNotRegistered,
    DocumentTypeNotSupported,
    ValidationFailed,
    NetworkFailed,
    DuplicateInvoice,
    AccessPointUnavailable,
    ValidationUnavailable,
    Overloaded,
)
@family.response(200, SendResponse())
def send_invoice() -> Response:
    """Send an invoice over the Peppol network.

    Answers once the network's first word is known or the wait is over (header Prefer).
    """
    credentials.require("invoices:send")
    key = headers.idempotency_key()
    refuse_other_media()
    sender = sender_parts()
    prefer = headers.preference(sender.settings.send_wait)
    g.preference_applied = prefer.applied
    ask = Ask(read_bytes(), credentials.principal(), key, prefer.wait)
    try:
        wanted = read_send(ask.body)
    except RequestRefused as refusal:
        sent = sending.replay_or(ask, sender, refusal)
    else:
        sent = sending.send(ask, wanted, sender)
    return sent_answer(sent, key)


def read_bytes() -> bytes:
    """The body; a client that takes its time holds up nobody."""
    return pace.body()


def sender_parts() -> Sender:
    extensions = current_app.extensions
    return Sender(extensions["settings"], extensions["access_points"], extensions["waiting_room"])


def sent_answer(sent: Sent, key: str | None) -> Response:
    """The answer of a send, new or replayed."""
    body: dict[str, Any] = {
        "invoiceId": sent.invoice_id,
        "transactionId": sent.transaction_id,
        "status": "success",
        "networkStatus": None if sent.dry_run else "Processing",
        "idempotencyKeyEcho": key,
        "provider": provider(),
    }
    if sent.warnings:
        body["warnings"] = list(sent.warnings)
    if sent.dry_run:
        body["dryRun"] = True
    response = answer(body)
    response.headers["Idempotency-Replay"] = "true" if sent.replay else "false"
    if sent.payload_mismatch:
        response.headers["Idempotency-Payload-Mismatch"] = "true"
    return response


def refuse_other_media() -> None:
    """Any type is read as JSON but XML and multipart (decisions 19.2)."""
    media = request.mimetype
    if media.startswith("multipart/") or media.endswith(("/xml", "+xml")):
        raise UnsupportedMediaType(f"Send JSON (application/json), not {media}.")


# The views whose answers are those of a send.
SENDS = ("send_invoice", "resend_invoice", "submit_invoice", "send_legacy_invoice")


@family.after_request
def describe_send(response: Response) -> Response:
    """What every answer of a send says, problems included (decisions 19.4)."""
    view = current_app.view_functions[request.endpoint or ""]
    if view.__name__ in SENDS:
        response.headers.setdefault("Idempotency-Replay", "false")
        for name, value in (
            ("Idempotency-Key", headers.given_key()),
            ("Preference-Applied", g.get("preference_applied")),
        ):
            if value is not None:
                response.headers[name] = value
    return response
