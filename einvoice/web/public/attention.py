"""POST /api/invoices/{invoiceId}/attention/done: a refusal or failure has been dealt with."""

from __future__ import annotations

from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.invoices import attention
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.public.response_schemas import InvoiceResponse
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "attention", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)


@family.route("/invoices/<invoice_id>/attention/done", methods=["POST"], least=Role.MEMBER)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.reads_headers("Accept-Language")
@family.response(200, InvoiceResponse())
def end_attention(invoice_id: str) -> InvoiceDetail:
    """Say that nothing is left to do about a refusal by the receiver, or about a failure.

    A sent invoice that its receiver has rejected after delivery, or could not get, has
    `attention: true` until then. Repeating it changes nothing: the first time and name stay in the
    history. A Failed one stays Failed, and `failureDone=false` of the list leaves it out. An API
    key needs the scope invoices:send. 409 conflict if nothing needs a person.
    """
    credentials.require("invoices:send")
    read_empty_body()
    return attention.end(invoice_id, credentials.reader())
