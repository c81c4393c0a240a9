"""POST /api/invoices/{invoiceId}/mark-processed: what came in is dealt with."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict
from einvoice.services.inbound import bills
from einvoice.web import bodies, concurrency, credentials, send_requests
from einvoice.web.api import Family
from einvoice.web.contract import Contract
from einvoice.web.fields import Flag
from einvoice.web.public.invoices import invoice_body
from einvoice.web.public.response_schemas import InvoiceResponse
from einvoice.web.responses import json_response

family = Family("bills", __name__, url_prefix="/api", credential=credentials.key_or_session)


class Marking(Contract):
    """Without a body the bill is processed."""

    processed = Flag("false: it is open again, as though it had never been.", example=True)


_MARKING = Marking()


@family.route("/invoices/<invoice_id>/mark-processed", methods=["POST"])
@family.doc(requestBody={"required": False, "content": {"application/json": {"schema": Marking}}})
@family.refuses(Conflict)
@family.response(200, InvoiceResponse())
def mark_processed(invoice_id: str) -> Response:
    """Mark a received invoice as processed, or as open again.

    For whoever takes bills over into another system: what is marked leaves the list of
    `processed=false`. Marking twice is the same as once: the first processedAt stays. An API key
    needs the scope invoices:send. An invoice that was sent is 409 conflict.
    """
    credentials.require("invoices:send")
    send_requests.refuse_other_media()
    body = concurrency.request_body()
    marking = bodies.read_body(_MARKING, body) if body.strip() else {}
    processed = marking.get("processed", True)
    return json_response(
        invoice_body(bills.mark(invoice_id, credentials.reader(), processed=processed))
    )
