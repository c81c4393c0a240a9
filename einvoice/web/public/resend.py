"""POST /api/invoices/{invoiceId}/resend: send a failed invoice again."""

from __future__ import annotations

from dataclasses import replace

from flask import Response

from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    DuplicateInvoice,
    NetworkFailed,
    Overloaded,
    ReceiverNotAllowed,
    SenderNotOwned,
    SenderNotVerified,
    TenantSuspended,
)
from einvoice.domain.roles import Role
from einvoice.services.send import resend
from einvoice.web import bodies, credentials, send_requests
from einvoice.web.api import Family
from einvoice.web.contract import Contract
from einvoice.web.fields import Text
from einvoice.web.public.response_schemas import SendResponse
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime

_EMAIL = (r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address")


class ResendRequest(Contract):
    """Where an invoice goes that went by e-mail; without: to the same receiver."""

    email = Text(
        "Another address, for an invoice that went by e-mail.",
        max_length=254,
        form=_EMAIL,
        example="accounts@example.com",
    )


_BODY = ResendRequest()

family = Family(
    "resending", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)
family.after_request(send_requests.add_headers)


@family.route("/invoices/<invoice_id>/resend", methods=["POST"], least=Role.MEMBER)
@family.doc(requestBody=documented_body(ResendRequest, required=False))
@family.reads_headers("Idempotency-Key", "Prefer")
@family.refuses(
    Conflict,
    DuplicateInvoice,
    ReceiverNotAllowed,
    SenderNotOwned,
    SenderNotVerified,
    TenantSuspended,
    NetworkFailed,
    AccessPointUnavailable,
    Overloaded,
)
@family.response(200, SendResponse())
def resend_invoice(invoice_id: str) -> Response:
    """Send a failed invoice again.

    The same document is sent with a new transactionId; the invoiceId stays. Only a Failed invoice
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. One that
    went by e-mail and came back (its response is undeliverable) can be sent to another address: the
    body names it, else it is empty. The headers Idempotency-Key and Prefer work as for a send; keys
    are shared with it. People need the role member.
    """
    principal = credentials.reader()
    command = send_requests.command(
        runtime().settings.send_wait, principal=resend.sender_of(invoice_id, principal)
    )
    asked = bodies.read_body(_BODY, command.body) if command.body.strip() else {}
    email = asked.get("email") or None
    # An idempotency key identifies the resend of this invoice, not its empty body.
    command = replace(command, body=f"resend {invoice_id} {email or ''}".rstrip().encode())
    result = resend.resend(invoice_id, command, runtime(), by=principal, email=email)
    return send_requests.response_of(result, command)
