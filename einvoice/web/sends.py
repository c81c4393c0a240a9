"""What all routes that send have alike: what refuses a send, how it is asked for and answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Response, current_app, g, request

from einvoice.domain.errors import (
    AccessPointUnavailable,
    DocumentTooLarge,
    DocumentTypeNotSupported,
    DuplicateInvoice,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    NetworkFailed,
    Overloaded,
    ReceiverNotAllowed,
    ReceiverNotRegistered,
    RequestRefused,
    SandboxParticipant,
    SelfInvoicing,
    SenderNotOwned,
    UnsupportedMediaType,
    ValidationFailed,
)
from einvoice.services.runtime import Runtime
from einvoice.services.send import send as sending
from einvoice.services.send.send import SPACE, Ask, Sent
from einvoice.web import concurrency, credentials, headers
from einvoice.web.api import headers_read
from einvoice.web.responses import json_response, provider
from einvoice.web.runtime import runtime

# What keeps a document from being sent, whatever its form.
REFUSALS: tuple[type[RequestRefused], ...] = (
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    SandboxParticipant,
    ReceiverNotAllowed,
    SenderNotOwned,
    ValidationFailed,
    ReceiverNotRegistered,
    DocumentTypeNotSupported,
    DocumentTooLarge,
    NetworkFailed,
    DuplicateInvoice,
    AccessPointUnavailable,
    Overloaded,
)

Wanted = TypeVar("Wanted")


def asked(default_wait: float, space: str = SPACE, *, settled: bool = False) -> Ask:
    """The request as it came, refused in the order of decisions 19.1 for all but its body."""
    credentials.require("invoices:send")
    key = headers.idempotency_key()
    refuse_other_media()
    prefer = headers.preference(default_wait)
    g.preference_applied = prefer.applied
    return Ask(
        concurrency.request_body(), credentials.principal(), key, prefer.wait, space, settled
    )


def sent(
    ask: Ask, read: Callable[[bytes], Wanted], send: Callable[[Ask, Wanted, Runtime], Sent]
) -> Sent:
    """Read the body and send what it says. A known key answers even where the body is no good."""
    parts = runtime()
    try:
        wanted = read(ask.body)
    except RequestRefused as refusal:
        return sending.replay_or(ask, parts, refusal)
    return send(ask, wanted, parts)


def told(done: Sent, key: str | None) -> Response:
    """The answer of a send of the public API, new or replayed."""
    body: dict[str, Any] = {
        "invoiceId": done.invoice_id,
        "transactionId": done.transaction_id,
        "status": "success",
        "networkStatus": None if done.dry_run else "Processing",
        "idempotencyKeyEcho": key,
        "provider": provider(),
    }
    if done.warnings:
        body["warnings"] = list(done.warnings)
    if done.dry_run:
        body["dryRun"] = True
    return replayed(json_response(body), done)


def replayed(response: Response, done: Sent) -> Response:
    """The answer with the headers that say whether it is a replay (decisions 19.4)."""
    response.headers["Idempotency-Replay"] = "true" if done.replay else "false"
    if done.payload_mismatch:
        response.headers["Idempotency-Payload-Mismatch"] = "true"
    return response


def refuse_other_media() -> None:
    """Any type is read as JSON but XML and multipart (decisions 19.2)."""
    media = request.mimetype
    if media.startswith("multipart/") or media.endswith(("/xml", "+xml")):
        raise UnsupportedMediaType(f"Send JSON (application/json), not {media}.")


def describe(response: Response) -> Response:
    """What every answer of a send says, problems included (decisions 19.4). An after_request."""
    if "Idempotency-Key" in headers_read(current_app.view_functions[request.endpoint or ""]):
        response.headers.setdefault("Idempotency-Replay", "false")
        for name, value in (
            ("Idempotency-Key", headers.given_key()),
            ("Preference-Applied", g.get("preference_applied")),
        ):
            if value is not None:
                response.headers[name] = value
    return response
