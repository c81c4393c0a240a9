"""Headers of requests and responses, and the responses that a request header adds to a route."""

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
        "Your id of this request, echoed and logged: 1 to 64 letters, digits, . _ or -. "
        "If it is missing or has another form, the service generates a UUID.",
        {"type": "string"},
        "order-4711-try-1",
    ),
    "X-Tenant": RequestHeader(
        "For keys and access tokens of platforms: the tenant's id, or the externalId that you gave "
        "it.",
        {"type": "string", "maxLength": 100},
        "customer-17",
        problems=("tenant-required", "account-closed"),
    ),
    "Idempotency-Key": RequestHeader(
        "Makes it safe to repeat the request: for 30 days a key that was accepted before returns "
        "its first result, and nothing is sent again. Printable ASCII.",
        {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": "^[ -~]+$"},
        "invoice-2026-001",
        ("Idempotency-Key", "Idempotency-Replay", "Idempotency-Payload-Mismatch"),
        ("invalid-idempotency-key", "idempotency-in-progress", "idempotency-key-reuse"),
    ),
    "Prefer": RequestHeader(
        "How long to wait for the first outcome: `wait=N` seconds, "
        f"at most {MAX_WAIT_SECONDS}, or `respond-async` for no wait (RFC 7240). "
        "Other preferences are ignored.",
        {"type": "string"},
        "wait=5",
        ("Preference-Applied",),
        (),
    ),
    "Accept-Language": RequestHeader(
        "The languages you prefer for texts; English if the service has none of them.",
        {"type": "string"},
        "de, en;q=0.5",
        ("Content-Language",),
    ),
    "If-Match": RequestHeader(
        "The ETag with which the record was read: 412 if it was changed since.",
        {"type": "string"},
        '"3f2a"',
        ("ETag",),
        ("precondition-failed",),
    ),
    "If-None-Match": RequestHeader(
        "The ETag of your copy: 304 without a body if it is unchanged.",
        {"type": "string"},
        '"3f2a"',
        ("ETag",),
        statuses={"304": "Your copy is unchanged."},
    ),
    "Range": RequestHeader(
        "The part of the file that you lack, as one range of bytes. Other forms are ignored.",
        {"type": "string"},
        "bytes=1048576-",
        ("ETag", "Content-Range"),
        statuses={"206": "The requested part of the file."},
    ),
    "If-Range": RequestHeader(
        "The ETag of the part that you have: the whole file if it is of another one.",
        {"type": "string"},
        '"3f2a"',
    ),
}


def _header(description: str, example: object, kind: str = "string", **more: object) -> Document:
    schema = {"type": kind}
    return {"description": description, "schema": schema, "example": example, **more}


RESPONSE_HEADERS: dict[str, Document] = {
    "X-Request-Id": _header(
        "Id of this request in the log: yours, if it is valid, else a new UUID.",
        "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        required=True,
    ),
    "X-RateLimit-Limit": _header(
        "Allowed requests a minute of this kind (GET, or all others) for this key.", 60, "integer"
    ),
    "X-RateLimit-Remaining": _header(
        "Remaining requests of this kind in the sliding minute.", 59, "integer"
    ),
    "X-RateLimit-Reset": _header(
        "When the oldest request of the minute stops counting, in Unix seconds.",
        1795255260,
        "integer",
    ),
    "Retry-After": _header("Seconds after which to repeat the request.", 5, "integer"),
    "Idempotency-Key": _header("The given key.", "invoice-2026-001"),
    "Idempotency-Replay": _header(
        "true if this is the stored first result of the key; false otherwise.", "false"
    ),
    "Idempotency-Payload-Mismatch": _header(
        "true if the key was used with another body, whose result this is.", "true"
    ),
    "Content-Language": _header("The language of the findings.", "en"),
    "Preference-Applied": _header("The applied part of Prefer.", "wait=5"),
    "Accept-Encoding": _header("The encoding in which a body may be sent.", "gzip"),
    "Conversion-Light": _header(
        "The trafficLight of the converted document; with application/xml only.", "green"
    ),
    "Conversion-Warnings": _header(
        "The number of warnings of the conversion; with application/xml only.", 0, "integer"
    ),
    "Location": _header("URL of the new record.", "/api/customers/5d0a…"),
    "ETag": _header("The version of the record, for If-Match and If-None-Match.", '"3f2a"'),
    "Content-Range": _header(
        "Which bytes of the file these are; with 206 only.", "bytes 1048576-2097151/2097152"
    ),
    "WWW-Authenticate": _header(
        "What is wrong with the token (RFC 6750).", 'Bearer error="invalid_token"'
    ),
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
    if status == "415":
        names.append("Accept-Encoding")
    if status in {"201", "202"}:
        names.append("Location")
    if status == "401" and {"session", "bearer"} & set(requirement.schemes):
        names.append("WWW-Authenticate")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
