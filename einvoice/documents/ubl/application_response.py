"""Reads UBL ApplicationResponse documents: Invoice Response and MLS."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.xml import NotXml, parse

_RESPONSE = "{*}DocumentResponse/{*}Response"


@dataclass(frozen=True, slots=True)
class ApplicationResponse:
    """The response code (AB, AP, RE, …) and the texts of its reasons."""

    code: str | None = None
    reasons: tuple[str, ...] = ()


def read_application_response(document: bytes) -> ApplicationResponse:
    """The response in a document; empty if it cannot be read."""
    try:
        response = parse(document).find(_RESPONSE)
    except NotXml:
        return ApplicationResponse()
    if response is None:
        return ApplicationResponse()
    reasons = [(e.text or "").strip() for e in response.iterfind("{*}Status/{*}StatusReason")]
    code = (response.findtext("{*}ResponseCode") or "").strip()
    return ApplicationResponse(code or None, tuple(reason for reason in reasons if reason))
