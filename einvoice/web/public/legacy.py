"""POST /v1/invoices/send: the deprecated send with a flat body."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, cast

from flask import Response

from einvoice.domain.errors import (
    FieldError,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    SelfInvoicing,
    TotalsMismatch,
    UnknownAccessPointRef,
)
from einvoice.domain.field_names import FieldNames
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.legacy_totals import LegacyLine, fraction
from einvoice.domain.request import InvoiceRequest, SendRequest
from einvoice.services.send import legacy
from einvoice.services.send.legacy_body import LegacySend
from einvoice.web import bodies, credentials, json, pointers, send_requests
from einvoice.web.api import Family
from einvoice.web.public.legacy_schemas import LegacySendRequest
from einvoice.web.public.response_schemas import SendResponse
from einvoice.web.runtime import runtime
from einvoice.web.shared.send_bodies import blank

family = Family("legacy", __name__, credential=credentials.api_key, tag="Aliases")
family.after_request(send_requests.add_headers)

SUCCESSOR = "/api/invoices/send"
# RFC 9745: deprecated since the first release, 2026-11-21, in Unix seconds.
DEPRECATED_SINCE = "@1795219200"
_BODY = LegacySendRequest()
# The names of the fields of a send in this body.
NAMES = FieldNames(
    {
        "invoice.number": "invoiceNumber",
        "invoice.issueDate": "invoiceDate",
        "invoice.dueDate": "dueDate",
        "invoice.currency": "currency",
        "invoice.supplier.name": "vendorName",
        "invoice.supplier.taxId": "vendorTaxId",
        "invoice.supplier.address": "vendorAddress",
        "invoice.buyer.name": "customerName",
        "invoice.buyer.taxId": "customerTaxId",
        "invoice.buyer.address": "customerAddress",
        "invoice.lineItems": "lineItems",
        "invoice.lineItems[].taxRate": "lineItems[].vatRate",
        "invoice.totals.grandTotal": "totalAmount",
        "totals.grandTotal": "totalAmount",
        "routing.senderParticipantId": "senderParticipantId",
        "routing.receiverParticipantId": "receiverParticipantId",
        "routing.accessPointRef": "accessPointRef",
    }
)


@family.after_request
def _deprecated(response: Response) -> Response:
    response.headers["Deprecation"] = DEPRECATED_SINCE
    response.headers["Link"] = f'<{SUCCESSOR}>; rel="successor-version"'
    return response


@family.route("/api/v1/invoices/send", methods=["POST"])
@family.route("/v1/invoices/send", methods=["POST"])
@family.doc(
    deprecated=True,
    requestBody={"required": True, "content": {"application/json": {"schema": LegacySendRequest}}},
)
@family.reads_headers("Idempotency-Key", "Prefer", "Accept-Language")
@family.refuses(*send_requests.REFUSALS, TotalsMismatch, UnknownAccessPointRef)
@family.response(200, SendResponse())
def send_legacy_invoice() -> Response:
    """Send an invoice (deprecated): use POST /api/invoices/send.

    Lines and totalAmount may differ by 0.02. A vatRate above 1 is a percentage, up to 1 a fraction.
    Idempotency keys are shared with the other send routes.
    """
    command = send_requests.command(runtime().settings.send_wait)
    result = legacy.send_legacy(command, read_legacy, runtime())
    return send_requests.response_of(result, command, NAMES)


def read_legacy(body: bytes) -> LegacySend:
    """Read the body; refusals have the order of a send (decisions 19.1).

    Raises InvalidBody, MissingRouting, InvalidSender, InvalidReceiver, SelfInvoicing, InvalidField.
    """
    value = json.read_object(body)
    ends = [_end(value, "sender"), _end(value, "receiver")]
    needed = {"senderParticipantId": ends[0], "receiverParticipantId": ends[1]}
    missing = [name for name, given in needed.items() if blank(given)]
    if missing:
        raise MissingRouting(f"missing: {', '.join(missing)}")
    sender = ParticipantId.parse(ends[0], error=InvalidSender)
    receiver = ParticipantId.parse(ends[1], error=InvalidReceiver)
    if sender.canonical == receiver.canonical:
        raise SelfInvoicing(f"sender and receiver are both {sender}")
    fields = bodies.loaded(_BODY, value)
    pointers.refuse(
        [*_contradicted(fields, "sender", sender), *_contradicted(fields, "receiver", receiver)]
    )
    return _as_send(fields, Routing(sender, receiver, fields.get("accessPointRef") or None))


def _end(value: dict[str, Any], name: str) -> object:
    """`senderParticipantId`, or `sender` with its `participantId`."""
    flat = value.get(f"{name}ParticipantId")
    nested = value.get(name)
    return nested.get("participantId") if flat is None and isinstance(nested, dict) else flat


def _contradicted(fields: dict[str, Any], name: str, used: ParticipantId) -> Iterator[FieldError]:
    """The fault of an object that names another participant than the flat member."""
    given = fields.get(name, {}).get("participantId", str(used))
    if ParticipantId.canonical_of(given) != used.canonical:
        message = f"is another participant than {name}ParticipantId, {used}: give one of them"
        yield FieldError(f"/{name}/participantId", "contradicts", message)


def _as_send(fields: dict[str, Any], routing: Routing) -> LegacySend:
    lines = fields["lineItems"]
    invoice: dict[str, Any] = {
        "number": fields["invoiceNumber"],
        "issueDate": fields["invoiceDate"],
        "currency": fields["currency"],
        "supplier": _party(fields, "vendor"),
        "buyer": _party(fields, "customer"),
        "lineItems": [_line(line) for line in lines],
        # Only the grand total is read; check_legacy computes the others.
        "totals": {"grandTotal": fields["totalAmount"]},
    }
    invoice |= {name: fields[name] for name in ("dueDate", "metadata") if name in fields}
    request: SendRequest = {
        "invoice": cast("InvoiceRequest", invoice),
        "routing": routing,
        "options": {},
    }
    legacy_lines = [LegacyLine(ln["quantity"], ln["unitPrice"], ln["vatRate"]) for ln in lines]
    return LegacySend(request, legacy_lines, fields["totalAmount"], NAMES)


def _party(fields: dict[str, Any], role: str) -> dict[str, Any]:
    named = {"name": f"{role}Name", "taxId": f"{role}TaxId", "address": f"{role}Address"}
    return {name: fields[field] for name, field in named.items() if field in fields}


def _line(line: dict[str, Any]) -> dict[str, Any]:
    percent: Decimal = fraction(line["vatRate"]) * 100
    kept = {name: line[name] for name in ("description", "quantity", "unitPrice")}
    return kept | {"taxRate": percent}
