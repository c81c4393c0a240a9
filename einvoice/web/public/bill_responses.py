"""POST /api/invoices/{invoiceId}/response: respond to a received invoice."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import AccessPointUnavailable, Conflict
from einvoice.domain.roles import Role
from einvoice.services.inbound import responses
from einvoice.services.inbound.responses import ResponseCommand
from einvoice.services.invoices import detail
from einvoice.web import bodies, credentials, headers, send_requests
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.bill_schemas import BillResponseRequest, content_of
from einvoice.web.public.response_schemas import BillResponseAccepted
from einvoice.web.responses import json_response
from einvoice.web.runtime import runtime

family = Family(
    "responding", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Bills"
)
family.after_request(send_requests.add_headers)

_REQUEST, _ACCEPTED = BillResponseRequest(), BillResponseAccepted()


@family.route("/invoices/<invoice_id>/response", methods=["POST"], least=Role.MEMBER)
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": BillResponseRequest}}}
)
@family.reads_headers("Idempotency-Key")
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, _ACCEPTED)
def respond_to_bill(invoice_id: str) -> Response:
    """Respond to a received invoice: in process, rejected, accepted, paid.

    The response is stored and sent to the seller; its outcome is `response` of the bill and the
    event response.sent or response.failed. 409 conflict for a sent or self-billed invoice, where
    the network of the bill has no responses, and where its sender is not registered for them.
    An API key needs the scope invoices:send.
    """
    credentials.require("invoices:send")
    key, principal = headers.idempotency_key(), credentials.reader()
    detail.record_of(invoice_id, principal)  # an unknown invoice is 404 with any body
    body = bodies.received()
    content = content_of(bodies.read_body(_REQUEST, body))
    command = ResponseCommand(invoice_id, content, key, body)
    with slots.released():
        found = responses.respond(command, principal, runtime())
    return send_requests.with_replay_headers(json_response(_ACCEPTED.write(found.response)), found)
