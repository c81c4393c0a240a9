"""Reading the body of a /v1 request."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from typing import Any

from flask import request

from einvoice.documents.hybrid import is_pdf
from einvoice.domain.errors import (
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    SelfInvoicing,
    UnsupportedMediaType,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.request import SendRequest
from einvoice.services.send.submission import NamedParty, Submission
from einvoice.web import bodies, json
from einvoice.web.shared.send_bodies import blank, read_unsent
from einvoice.web.shared.send_schemas import SendRequest as SendRequestSchema
from einvoice.web.submission.schemas import SubmitRequest, ValidateRequest

_UTF16 = (BOM_UTF16_LE, BOM_UTF16_BE)  # never JSON; read as XML, for its error messages
# The documented body of routes that take a document in any form, or the body of a send.
DOCUMENT_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"title": "InvoiceOrDocument", "oneOf": [ValidateRequest, SendRequestSchema]}
        },
        "application/xml": {"schema": {"type": "string"}},
        "application/pdf": {"schema": {"type": "string", "format": "binary"}},
    },
}
_DOCUMENT, _SUBMISSION = ValidateRequest(), SubmitRequest()


def read_for_validation(body: bytes, *, receiver_required: bool = True) -> Submission | SendRequest:
    """Read XML or PDF, also in base64 inside JSON, or the body of a send, for validation.

    A document is judged as what a network is sent only if the body names network or profile.
    `receiver_required`: every network needs the participant id of a receiver.

    Raises InvalidBody, InvalidField, UnsupportedMediaType, and what a send raises for its routing.
    """
    if _is_xml(body) or _is_pdf(body):
        return Submission(body, as_sent=False)
    value = json.read_object(body)
    if isinstance(value.get("invoice"), dict):
        return read_unsent(value, receiver_required=receiver_required)
    named = not (blank(value.get("network")) and blank(value.get("profile")))
    return replace(submission(bodies.loaded(_DOCUMENT, value)), as_sent=named)


def _is_pdf(body: bytes) -> bool:
    return not request.mimetype.endswith(("/json", "+json")) and is_pdf(body)


def _is_xml(body: bytes) -> bool:
    """Whether it is XML: by its media type, without a useful one by its first character."""
    media = request.mimetype
    if media.startswith("multipart/"):
        raise UnsupportedMediaType(f"Send XML or JSON, not {media}.")
    if media.endswith(("/xml", "+xml")):
        return True
    if media.endswith(("/json", "+json")):
        return False
    return body.startswith(_UTF16) or body.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def read_submission(body: bytes, *, receiver_required: bool = True) -> Submission:
    """Read the document to send; refusals have the order of a send (decisions 19.1).

    Raises InvalidBody, MissingRouting, InvalidSender, InvalidReceiver, SelfInvoicing, InvalidField.
    """
    return submission_of(json.read_object(body), receiver_required=receiver_required)


def submission_of(value: dict[str, Any], *, receiver_required: bool = True) -> Submission:
    """`read_submission` for a parsed object."""
    given, to = _id_of(value, "sender"), _id_of(value, "receiver")
    needed = {"sender.peppolId": given}
    if receiver_required:
        needed["receiver.peppolId"] = to
    needed["invoice"] = value.get("invoice")
    missing = [name for name, found in needed.items() if blank(found)]
    if missing:
        raise MissingRouting(f"missing: {', '.join(missing)}")
    sender = ParticipantId.parse(given, error=InvalidSender)
    receiver = None if blank(to) else ParticipantId.parse(to, error=InvalidReceiver)
    if receiver and sender.canonical == receiver.canonical:
        raise SelfInvoicing(f"sender and receiver are both {sender}")
    return submission(bodies.loaded(_SUBMISSION, value))


def _id_of(value: dict[str, Any], name: str) -> object:
    party = value.get(name)
    return party.get("peppolId") if isinstance(party, dict) else None


def submission(fields: dict[str, Any]) -> Submission:
    """The submission of validated fields."""
    return Submission(
        content=fields["invoice"],
        format=fields.get("format") or "auto",
        network=fields.get("network") or "peppol",
        sender=_named_party(fields.get("sender", {}), InvalidSender),
        receiver=_named_party(fields.get("receiver", {}), InvalidReceiver),
        on=fields.get("on"),
        connection=fields.get("connection") or None,
        metadata=fields.get("metadata"),
        profile=fields.get("profile") or None,
    )


def _named_party(party: dict[str, Any], error: type[InvalidSender | InvalidReceiver]) -> NamedParty:
    text = party.get("peppolId")
    participant = ParticipantId.parse(text, error=error) if text else None
    return NamedParty(participant, party.get("country") or None)
