"""POST /api/invoices/{invoiceId}/mark-processed and /gl-account: work on a received invoice."""

from __future__ import annotations

from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.inbound import bills
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.web import bodies, credentials, send_requests
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.public.bill_schemas import BillAccountRequest, MarkProcessedRequest
from einvoice.web.public.response_schemas import InvoiceResponse

family = Family(
    "bills", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Bills"
)


_REQUEST, _ACCOUNT = MarkProcessedRequest(), BillAccountRequest()


@family.route("/invoices/<invoice_id>/mark-processed", methods=["POST"], least=Role.MEMBER)
@family.doc(
    requestBody={
        "required": False,
        "content": {"application/json": {"schema": MarkProcessedRequest}},
    }
)
@family.refuses(Conflict)
@family.reads_headers("Accept-Language")
@family.response(200, InvoiceResponse())
def mark_bill_processed(invoice_id: str) -> InvoiceDetail:
    """Mark a received invoice as processed, or as open again.

    For integrations that copy bills into another system: marked ones are not listed by
    `processed=false`. Repeating it changes nothing: the first processedAt stays. An API key needs
    the scope invoices:send. A sent invoice is 409 conflict.
    """
    credentials.require("invoices:send")
    send_requests.refuse_other_media()
    body = request_bodies.request_body()
    fields = bodies.read_body(_REQUEST, body) if body.strip() else {}
    processed = fields.get("processed", True)
    return bills.mark(invoice_id, credentials.reader(), processed=processed)


@family.route("/invoices/<invoice_id>/gl-account", methods=["POST"], least=Role.MEMBER)
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": BillAccountRequest}}}
)
@family.refuses(Conflict)
@family.reads_headers("Accept-Language")
@family.response(200, InvoiceResponse())
def set_bill_account(invoice_id: str) -> InvoiceDetail:
    """Book a received invoice to another GL account.

    The account becomes the default of its supplier in the directory, too, unless remember is
    false. Repeating it changes nothing. An API key needs the scope invoices:send. A sent invoice is
    409 conflict.
    """
    credentials.require("invoices:send")
    fields = bodies.read_body(_ACCOUNT, bodies.received())
    remember = fields.get("remember", True)
    return bills.book(
        invoice_id, credentials.reader(), fields.get("glAccountCode") or None, remember=remember
    )
