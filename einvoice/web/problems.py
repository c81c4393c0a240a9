"""Every refusal as a problem document (RFC 7807): one table from slug to status and title."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from einvoice.domain.errors import (
    AccessPointUnavailable,
    InvalidBody,
    RequestRefused,
    ServiceUnavailable,
)
from einvoice.observability import logging, metrics
from einvoice.services import readiness
from einvoice.services.readiness import Service
from einvoice.web import json
from einvoice.web.requests import request_id
from einvoice.web.runtime import runtime

log = logging.get(__name__)

# slug → (status, title). Slugs are permanent: integrators match on them.
PROBLEMS: dict[str, tuple[int, str]] = {
    "api-key-required": (401, "API key required"),
    "invalid-api-key": (401, "Invalid API key"),
    "token-required": (401, "Token required"),
    "invalid-token": (401, "Invalid token"),
    "token-expired": (401, "Token expired"),
    "session-ended": (401, "Session ended"),
    "account-closed": (403, "Account closed"),
    "tenant-required": (400, "Tenant not named"),
    "plan-limit-reached": (402, "Documents of the month used up"),
    "plan-limit-paused": (429, "Documents of the month used up until the next"),
    "not-in-plan": (402, "Not in the plan"),
    "tenant-suspended": (403, "Account suspended"),
    "forbidden": (403, "Role not sufficient"),
    "insufficient-scope": (403, "The API key lacks a scope"),
    "ip-not-allowed": (403, "Address not allowed"),
    "receiver-not-allowed": (403, "Receiver not allowed for this API key"),
    "sender-not-owned": (403, "Sender id not owned"),
    "sender-not-verified": (403, "Sender id not verified"),
    "missing-participant-id": (400, "Participant id missing"),
    "invalid-participant-id": (400, "Invalid participant id"),
    "missing-routing": (400, "Routing information missing"),
    "invalid-sender-id": (400, "Invalid sender participant id"),
    "invalid-receiver-id": (400, "Invalid receiver participant id"),
    "self-invoicing": (400, "Sender and receiver are the same"),
    "sandbox-participant": (400, "Sandbox participant in a live request"),
    "invalid-body": (400, "Body cannot be read"),
    "invalid-field": (400, "Invalid field"),
    "invalid-idempotency-key": (400, "Invalid Idempotency-Key"),
    "idempotency-key-unsupported": (400, "This request takes no Idempotency-Key"),
    "idempotency-key-reuse": (422, "Idempotency-Key used with another body"),
    "idempotency-in-progress": (409, "The first request is still in progress"),
    "duplicate-invoice": (409, "Invoice number already sent"),
    "declared-totals-mismatch": (400, "Declared totals do not match"),
    "totals-mismatch": (400, "Totals do not match"),
    "validation-failed": (400, "Invoice violates validation rules"),
    "unknown-access-point-ref": (400, "Unknown access point reference"),
    "receiver-not-registered": (400, "Receiver not registered"),
    "document-type-not-supported": (400, "Receiver does not take this document"),
    "network-failed": (400, "The access point rejected the invoice"),
    "empty-batch": (400, "Batch without documents"),
    "batch-too-large": (400, "Too many documents in one batch"),
    "network-not-supported": (400, "Network not supported"),
    "ambiguous-network": (400, "Several networks reach the receiver"),
    "no-connection": (400, "No connection to the network"),
    "ambiguous-connection": (400, "Several connections may send the document"),
    "malformed-request": (400, "Request is not well-formed HTTP"),
    "not-found": (404, "Not found"),
    "method-not-allowed": (405, "Method not allowed"),
    "not-acceptable": (406, "Not acceptable"),
    "factur-x-not-possible": (406, "Factur-X not possible"),
    "body-too-slow": (408, "Body arrived too slowly"),
    "conflict": (409, "Conflict"),
    "exports-not-shared": (409, "Exports cannot be downloaded"),
    "duplicate-customer": (409, "Customer already there"),
    "duplicate-supplier": (409, "Supplier already there"),
    "not-shareable": (409, "Invoice cannot be shared"),
    "not-cleared": (409, "Not cleared yet"),
    "tenant-moved": (410, "Account moved"),
    "document-dropped": (410, "Dropped after its retention"),
    "precondition-failed": (412, "Precondition failed"),
    "missing-file": (400, "File missing"),
    "csv-unreadable": (400, "File cannot be read"),
    "csv-missing-columns": (400, "Columns missing"),
    "csv-too-many-columns": (400, "Too many columns"),
    "csv-too-many-rows": (400, "Too many rows"),
    "csv-invalid": (400, "Rows are invalid"),
    "file-too-large": (413, "File too large"),
    "document-too-large": (413, "Document too large for the network"),
    "computation-too-large": (413, "Too large to compute"),
    "payload-too-large": (413, "Body too large"),
    "address-too-long": (414, "Address too long"),
    "unsupported-media-type": (415, "Unsupported media type"),
    "rate-limit-exceeded": (429, "Rate limit exceeded"),
    "headers-too-large": (431, "Headers too large"),
    "internal-error": (500, "Internal error"),
    "archive-damaged": (500, "Archived bytes are damaged"),
    "archive-unavailable": (503, "Archive unavailable"),
    "database-unavailable": (503, "Database unavailable"),
    "access-point-unavailable": (503, "Access point unavailable"),
    "validation-unavailable": (503, "Validation unavailable"),
    "identity-provider-unavailable": (503, "Identity provider unavailable"),
    "computing-unavailable": (503, "No time for a long computation"),
    "tenant-moving": (503, "Account is moving"),
    "too-busy": (503, "Too many requests at once"),
    "overloaded": (503, "Too many invoices are waiting"),
}

# The challenge of a 401 (RFC 6750); without a token it names no error.
_CHALLENGES = {
    "token-required": "Bearer",
    "invalid-token": 'Bearer error="invalid_token"',
    "session-ended": 'Bearer error="invalid_token"',
    "token-expired": 'Bearer error="invalid_token", error_description="expired"',
}

# After these, a part of the request may be left on the connection, or is not to be trusted.
_CLOSING = frozenset(
    {"body-too-slow", "malformed-request", "address-too-long", "headers-too-large"}
)

# Characters of the path of a request that its problem repeats.
_MAX_INSTANCE = 2_000

# Where a request with a counted credential says it better, web/limits replaces the header.
_AGAIN_IN_A_SECOND = frozenset({"idempotency-in-progress", "rate-limit-exceeded"})

_FORMS = frozenset({"multipart/form-data", "application/x-www-form-urlencoded"})
_BY_STATUS = {
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    412: "precondition-failed",
    413: "payload-too-large",
    415: "unsupported-media-type",
    429: "rate-limit-exceeded",
}


def init_app(app: Flask) -> None:
    app.register_error_handler(RequestRefused, refused)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, unforeseen)


def problem(
    slug: str,
    detail: str,
    extras: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The response for a slug."""
    body = document(slug, detail, extras)
    response = Response(json.write(body), body["status"], content_type="application/problem+json")
    response.headers.update(dict(headers or {}))
    return response


def document(
    slug: str,
    detail: str,
    extras: Mapping[str, Any] | None = None,
    *,
    instance: str | None = None,
    caused_by: str | None = None,
) -> dict[str, Any]:
    """The problem document for a slug. Extras never replace the standard members.

    instance   the path of the request that was refused; None: of this one
    caused_by  its id; None: the id of this one
    """
    status, title = PROBLEMS[slug]
    prefix = runtime().settings.errors_prefix
    standard = {
        "type": f"{prefix}/{slug}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": instance or request.path[:_MAX_INSTANCE],
        "requestId": caused_by or request_id(),
    }
    return {**standard, **(extras or {}), **standard}


def refused(refusal: RequestRefused) -> Response:
    """The response for a refusal."""
    headers = dict(getattr(refusal, "headers", {}))
    if isinstance(refusal, ServiceUnavailable):
        headers["Retry-After"] = str(refusal.retry_after)
        g.is_to_be_repeated = True
        g.is_provoked = refusal.is_provoked
        if isinstance(refusal, AccessPointUnavailable) and not refusal.is_provoked:
            metrics.network_failed()
    if refusal.slug in _CHALLENGES:
        headers["WWW-Authenticate"] = _CHALLENGES[refusal.slug]
    if refusal.slug in _AGAIN_IN_A_SECOND:
        headers.setdefault("Retry-After", "1")
    if refusal.slug in _CLOSING:
        headers["Connection"] = "close"
    return problem(refusal.slug, refusal.detail, refusal.extras(), headers)


def of_http(fault: HTTPException) -> Response:
    """The response for what Flask refuses."""
    slug = _BY_STATUS.get(fault.code or 500)
    if slug is None and fault.code is not None and 400 <= fault.code < 500:
        slug = InvalidBody.slug
    headers = {k: v for k, v in fault.get_headers() if k in {"Allow", "Retry-After"}}
    return problem(slug or "internal-error", _words(fault), headers=headers)


def _words(fault: HTTPException) -> str:
    if fault.code == 413:
        return _too_large()
    if fault.code == 404:
        closing = " Try it without the / at the end." if len(request.path.rstrip("/")) > 1 else ""
        closing = closing if request.path.endswith("/") else ""
        return f"There is nothing at this address; /docs lists what there is.{closing}"
    if isinstance(fault, MethodNotAllowed):
        methods = sorted(set(fault.valid_methods or ()) - {"HEAD", "OPTIONS"})
        return f"This address takes {' and '.join(methods)}, not {request.method[:20]}."
    return fault.description or "The request could not be answered."


def _too_large() -> str:
    limit, length = request.max_content_length or 0, request.content_length
    if request.mimetype in _FORMS and length is not None and length <= limit:
        parts, field = request.max_form_parts or 0, request.max_form_memory_size or 0
        return f"The form has more than {parts:,} parts, or a field of more than {field:,} bytes."
    size = f"{limit // 1024**2} MiB" if limit >= 1024**2 else f"{limit:,} bytes"
    return f"The body is larger than the {size} this address takes."


def unforeseen(fault: Exception) -> Response:
    """An unexpected error: logged with its trace; the response only has the request id."""
    rule = request.url_rule  # not the path: a share link's is a secret
    away = readiness.outage(fault)
    if away is not None:
        return _without_database(rule.rule if rule else None, away, readiness.refused_write(fault))
    log.error("unforeseen", path=rule.rule if rule else None, method=request.method, exc_info=fault)
    return problem(
        "internal-error",
        "Something went wrong on our side. Try again later; quote the requestId if it stays.",
    )


_REFUSED_WRITES = {
    Service.FULL: "The disk of our database is full, so nothing was stored.",
    Service.READ_ONLY: "Our database takes no changes at the moment, so nothing was stored.",
}


def _without_database(rule: str | None, words: str, refusal: Service | None) -> Response:
    """One line in the log for each request: the trace of an outage says nothing."""
    log.error("database away", path=rule, method=request.method, fault=words)
    metrics.database_failed("unavailable" if refusal is None else refusal.value)
    meaning = (
        "The database did not respond in time." if refusal is None else _REFUSED_WRITES[refusal]
    )
    return problem(
        "database-unavailable",
        f"{meaning} Repeat the request later, a send with the same Idempotency-Key.",
        headers={"Retry-After": str(readiness.RETRY_AFTER_SECONDS)},
    )
