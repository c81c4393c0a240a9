"""Code of all routes that send: refusals, reading the command, the response."""

from __future__ import annotations

from typing import Any, Protocol

from flask import Response, current_app, g, request

from einvoice.domain.bounds import listed
from einvoice.domain.errors import (
    AccessPointUnavailable,
    AmbiguousConnection,
    ComputationTooLarge,
    ComputingUnavailable,
    DocumentTooLarge,
    DocumentTypeNotSupported,
    DuplicateInvoice,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    NetworkFailed,
    NoConnection,
    NotInPlan,
    Overloaded,
    PlanLimitPaused,
    PlanLimitReached,
    ReceiverNotAllowed,
    ReceiverNotRegistered,
    RequestRefused,
    SandboxParticipant,
    SelfInvoicing,
    SenderNotOwned,
    SenderNotVerified,
    TenantSuspended,
    UnsupportedMediaType,
    ValidationFailed,
)
from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.services.principal import Principal
from einvoice.services.send.command import SEND_SPACE, SendCommand
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web import credentials, headers
from einvoice.web.admission import request_bodies
from einvoice.web.api import headers_read
from einvoice.web.finding_language import language_of_findings
from einvoice.web.requests import trace_of_request
from einvoice.web.responses import json_response, provider
from einvoice.web.runtime import runtime
from einvoice.web.shared.send_bodies import RoutingNeeds

# The refusals of every send, whatever the form of the document.
REFUSALS: tuple[type[RequestRefused], ...] = (
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    SandboxParticipant,
    ReceiverNotAllowed,
    SenderNotOwned,
    SenderNotVerified,
    NotInPlan,
    PlanLimitPaused,
    PlanLimitReached,
    TenantSuspended,
    ValidationFailed,
    ReceiverNotRegistered,
    DocumentTypeNotSupported,
    DocumentTooLarge,
    NoConnection,
    AmbiguousConnection,
    NetworkFailed,
    DuplicateInvoice,
    AccessPointUnavailable,
    Overloaded,
    ComputingUnavailable,
    ComputationTooLarge,
)


def command(
    default_wait: float,
    space: str = SEND_SPACE,
    *,
    until_settled: bool = False,
    principal: Principal | None = None,
) -> SendCommand:
    """The command of the request; refuses everything but its body, in the order of decisions 19.1.

    default_wait   seconds to wait without a Prefer header
    space          of the idempotency key
    until_settled  wait for the final outcome instead of the first one
    principal      who sends; default: the principal of the request
    """
    credentials.require("invoices:send")
    key = headers.idempotency_key()
    refuse_other_media()
    prefer = headers.preference(default_wait)
    g.preference_applied = prefer.applied
    sender = principal or credentials.principal()
    body = request_bodies.request_body()
    language = language_of_findings()
    trace = trace_of_request()
    return SendCommand(body, sender, key, prefer.wait, space, until_settled, language, trace)


def routing_needs(principal: Principal) -> RoutingNeeds:
    """The needs of the networks that the principal may send to."""
    return RoutingNeeds.of(runtime().access_points, principal.environment)


def response_of(
    result: SendResult, command: SendCommand, names: FieldNames = SEND_FIELDS
) -> Response:
    """The response to a send of the public API, new or replayed.

    `names`: what the body calls the fields of a send.
    """
    body: dict[str, Any] = {
        "invoiceId": result.invoice_id,
        "transactionId": result.transaction_id,
        "status": "success",
        "networkStatus": None if result.dry_run else "Processing",
        "idempotencyKeyEcho": command.key,
        "provider": provider(),
    }
    if result.warnings:
        worded = warnings.in_words(result.warnings, command.language, names)
        body |= listed("warnings", worded)
    if result.dry_run:
        body["dryRun"] = True
    if result.document is not None:
        body["document"] = result.document.decode()
    return with_replay_headers(json_response(body), result)


class Replayable(Protocol):
    """The result of a request that an Idempotency-Key makes safe to repeat."""

    @property
    def replay(self) -> bool: ...

    @property
    def payload_mismatch(self) -> bool: ...


def with_replay_headers(response: Response, result: Replayable) -> Response:
    """The response with the headers that say whether it is a replay (decisions 19.4)."""
    response.headers["Idempotency-Replay"] = "true" if result.replay else "false"
    if result.payload_mismatch:
        response.headers["Idempotency-Payload-Mismatch"] = "true"
    return response


def refuse_other_media() -> None:
    """Refuse XML and multipart; any other media type is read as JSON (decisions 19.2)."""
    media = request.mimetype
    if media.startswith("multipart/") or media.endswith(("/xml", "+xml")):
        raise UnsupportedMediaType(f"Send JSON (application/json), not {media}.")


def add_headers(response: Response) -> Response:
    """Add the headers of every response to a send, problems included (decisions 19.4)."""
    if "Idempotency-Key" in headers_read(current_app.view_functions[request.endpoint or ""]):
        response.headers.setdefault("Idempotency-Replay", "false")
        for name, value in (
            ("Idempotency-Key", headers.given_key()),
            ("Preference-Applied", g.get("preference_applied")),
        ):
            if value is not None:
                response.headers[name] = value
    return response
