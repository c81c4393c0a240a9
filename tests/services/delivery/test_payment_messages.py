"""What an access point is told of a payment: who sold, and got it, whoever issued the invoice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

import pytest

from einvoice import clock
from einvoice.network.messages import PaymentNotice
from einvoice.services.delivery import payment_messages
from einvoice.store.invoices import invoices
from einvoice.store.invoices.payments import PaymentRecord
from tests.builders import RECEIVER, SENDER, accepted

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@dataclass
class Point:
    """An access point that wants no message."""

    notices: list[PaymentNotice] = field(default_factory=list)

    def payment_message(self, notice: PaymentNotice) -> None:
        self.notices.append(notice)


def told(tenant: str, **changes: object) -> PaymentNotice:
    send = accepted(tenant, supplier_name="Seller", buyer_name="Buyer")
    found = invoices.find(send.invoice_id, tenant, ["test"])
    invoice, point = replace(found, **changes), Point()
    payment = PaymentRecord(
        "p-1", tenant, "test", invoice.id, Decimal(10), date(2026, 11, 24), None, None, "ann",
        clock.now(),
    )  # fmt: skip
    assert payment_messages.message_of(invoice, payment, point) is None
    (notice,) = point.notices
    return notice


@pytest.mark.parametrize(
    ("kind", "seller", "buyer"),
    [("invoice", SENDER, RECEIVER), ("selfBilledInvoice", RECEIVER, SENDER)],
)
def test_the_seller_has_got_the_payment(app, tenant, kind, seller, buyer):
    notice = told(tenant, kind=kind)

    assert (str(notice.sender), str(notice.receiver)) == (seller, buyer)
    assert (notice.sender_name, notice.receiver_name) == ("Seller", "Buyer")
    assert (notice.payment_id, notice.amount, notice.document) == ("p-1", 10, b"<Invoice/>")


def test_a_buyer_may_have_no_participant_id_and_a_seller_has_one(app, tenant):
    assert told(tenant, receiver=None).receiver is None
    with pytest.raises(ValueError, match="no participant id of the seller"):
        told(tenant, receiver=None, kind="selfBilledInvoice")
