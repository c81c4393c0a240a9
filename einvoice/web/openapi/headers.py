"""Headers of requests and responses, and what a request header adds to a route's responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from einvoice.web.headers import MAX_KEY_LENGTH, MAX_WAIT_SECONDS
from einvoice.web.security_requirements import SecurityRequirement

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestHeader:
    """A request header, its schema, and what a route that reads it documents in addition.

    `response_headers` and `problems` are names; `statuses` maps a status to its description.
    """

    description: str
    schema: Mapping[str, object]
    example: str
    response_headers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    statuses: Mapping[str, str] | None = None


REQUEST_HEADERS: dict[str, RequestHeader] = {
    "X-Request-Id": RequestHeader(
        "Your own id of this request, echoed and logged: 1 to 64 letters, digits, . _ or -. "
        "Without it, or with one of another form, a UUID of ours takes its place.",
        {"type": "string"},
        "order-4711-try-1",
    ),
    "Idempotency-Key": RequestHeader(
        "Makes it safe to repeat the request: a key that was accepted before answers with the "
        "first result, for 30 days, and nothing is sent again. Printable ASCII.",
        {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": "^[ -~]+$"},
        "invoice-2026-001",
        ("Idempotency-Key", "Idempotency-Replay", "Idempotency-Payload-Mismatch"),
        ("invalid-idempotency-key", "idempotency-in-progress", "idempotency-key-reuse"),
    ),
    "Prefer": RequestHeader(
        "How long to wait for the first word of the network: `wait=N` seconds, "
        f"{MAX_WAIT_SECONDS} at most, or `respond-async` for not at all (RFC 7240). "
        "Other preferences are ignored.",
        {"type": "string"},
        "wait=5",
        ("Preference-Applied",),
        (),
    ),
    "If-Match": RequestHeader(
        "The ETag the record was read with: it is changed only if nobody changed it since.",
        {"type": "string"},
        '"3f2a"',
        ("ETag",),
        ("precondition-failed",),
    ),
    "If-None-Match": RequestHeader(
        "The ETag of what you have: 304 without a body if it is still the same.",
        {"type": "string"},
        '"3f2a"',
        ("ETag",),
        statuses={"304": "What you have is still the same."},
    ),
}


def _header(description: str, example: object, kind: str = "string", **more: object) -> Document:
    schema = {"type": kind}
    return {"description": description, "schema": schema, "example": example, **more}


RESPONSE_HEADERS: dict[str, Document] = {
    "X-Request-Id": _header(
        "Names this request in our log: yours, if you sent a valid one, else a new UUID.",
        "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        required=True,
    ),
    "X-RateLimit-Limit": _header(
        "Requests a minute this key may make of this kind (GET, or all others).", 60, "integer"
    ),
    "X-RateLimit-Remaining": _header(
        "Requests of this kind left in the minute that moves with you.", 59, "integer"
    ),
    "X-RateLimit-Reset": _header(
        "When the oldest request of the minute ages out, in Unix seconds.", 1795255260, "integer"
    ),
    "Retry-After": _header("Seconds after which to repeat the request.", 5, "integer"),
    "Idempotency-Key": _header("The key you sent.", "invoice-2026-001"),
    "Idempotency-Replay": _header(
        "true when this is the first result of the key, told again; false otherwise.", "false"
    ),
    "Idempotency-Payload-Mismatch": _header(
        "true when the key was used with another body: this is the result of that one.", "true"
    ),
    "Preference-Applied": _header("What of Prefer was heeded.", "wait=5"),
    "Location": _header("Where the new record is.", "/api/customers/5d0a…"),
    "ETag": _header("The version of the record, for If-Match and If-None-Match.", '"3f2a"'),
    "WWW-Authenticate": _header("What the token lacks (RFC 6750).", 'Bearer error="invalid_token"'),
}

BUDGET = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def parameters() -> dict[str, Document]:
    """The request headers as components."""
    return {
        name: {
            "in": "header",
            "name": name,
            "description": header.description,
            "schema": dict(header.schema),
            "example": header.example,
        }
        for name, header in REQUEST_HEADERS.items()
    }


def response_headers(
    status: str, request_headers: tuple[str, ...], *, requirement: SecurityRequirement
) -> Document:
    """References to the headers of a response with this status."""
    names = ["X-Request-Id"]
    if requirement.rate_limited and status != "401":
        names += BUDGET
    names += [name for read in request_headers for name in REQUEST_HEADERS[read].response_headers]
    if status in {"429", "503"} or (status == "409" and "Idempotency-Key" in request_headers):
        names.append("Retry-After")
    if status in {"201", "202"}:
        names.append("Location")
    if status == "401" and {"session", "bearer"} & set(requirement.schemes):
        names.append("WWW-Authenticate")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
