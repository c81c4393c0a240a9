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
from einvoice.web import credentials, send_requests
from einvoice.web.api import Family
from einvoice.web.public.response_schemas import SendResponse
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, check_empty

family = Family(
    "resending", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)
family.after_request(send_requests.add_headers)


@family.route("/invoices/<invoice_id>/resend", methods=["POST"], least=Role.MEMBER)
@family.doc(requestBody=EMPTY_BODY)
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
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. The
    headers Idempotency-Key and Prefer work as for a send; keys are shared with it. The body is
    empty. People need the role member.
    """
    principal = credentials.reader()
    command = send_requests.command(
        runtime().settings.send_wait, principal=resend.sender_of(invoice_id, principal)
    )
    check_empty(command.body)
    # An idempotency key identifies the resend of this invoice, not its empty body.
    command = replace(command, body=f"resend {invoice_id}".encode())
    result = resend.resend(invoice_id, command, runtime(), by=principal)
    return send_requests.response_of(result, command)
