"""Payments of sent invoices: /api/invoices/{invoiceId}/payments, and several at /api/payments."""

from __future__ import annotations

from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.inbound import payments
from einvoice.services.inbound.payments import StoredPayment
from einvoice.services.invoices import detail
from einvoice.web import bodies, credentials
from einvoice.web.api import Family
from einvoice.web.public.payment_schemas import (
    ListedPayments,
    MadePayments,
    PaymentList,
    PaymentRequest,
    PaymentResponse,
    PaymentsRequest,
    PaymentsResponse,
    payment_of,
)
from einvoice.web.runtime import runtime

family = Family(
    "payments", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)
_ONE, _SEVERAL = PaymentRequest(), PaymentsRequest()


@family.route("/invoices/<invoice_id>/payments", methods=["POST"], least=Role.MEMBER)
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": PaymentRequest}}}
)
@family.refuses(Conflict)
@family.response(200, PaymentResponse())
def add_payment(invoice_id: str) -> StoredPayment:
    """Say that an invoice that you sent was paid, in whole or in part.

    `amountPaid` and `paid` of the invoice change, and the event is invoice.paid. A network whose
    law asks for it is told (France: status 212). Each call is a payment of its own: use an
    Idempotency-Key. 409 conflict for a bill, and after 100 payments. An API key needs the scope
    invoices:send.
    """
    credentials.require("invoices:send")
    reader = credentials.reader()
    detail.record_of(invoice_id, reader)  # an unknown invoice is 404 with any body
    new = payment_of(bodies.read_body(_ONE, bodies.received()))
    return payments.record(invoice_id, new, reader, runtime())


@family.get("/invoices/<invoice_id>/payments", least=Role.VIEWER)
@family.response(200, PaymentList())
def list_payments(invoice_id: str) -> ListedPayments:
    """List the payments of an invoice that you sent. An API key needs the scope invoices:read."""
    credentials.require("invoices:read")
    reader = credentials.reader()
    return ListedPayments(invoice_id, payments.payments_of(invoice_id, reader))


@family.route("/payments", methods=["POST"], least=Role.MEMBER)
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": PaymentsRequest}}}
)
@family.response(200, PaymentsResponse())
def add_payments() -> MadePayments:
    """Say of several invoices that they were paid: all payments are stored, or none.

    At most 100. Of invoices that are unknown, bills or wrong, each is named in `errors`. An API key
    needs the scope invoices:send.
    """
    credentials.require("invoices:send")
    given = bodies.read_body(_SEVERAL, bodies.received())["payments"]
    wanted = [(each["invoiceId"], payment_of(each)) for each in given]
    return MadePayments(payments.record_all(wanted, credentials.reader(), runtime()))
