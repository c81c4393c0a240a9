"""A resend replaces a transmission that has failed, and no other."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.invoices import invoices
from einvoice.store.sending import resends
from einvoice.store.sending.new_sends import Accepted, NewSend
from einvoice.store.sending.resends import NotFailed, Resend
from einvoice.store.tables import Transmission
from tests.builders import accepted


def with_status(tenant: str, status: NetworkStatus, transmission_id: str, number: str) -> NewSend:
    send = accepted(tenant, transmission_id=transmission_id, number=number)
    row = sa.update(Transmission).where(Transmission.id == transmission_id)
    with db.writing() as connection:
        connection.execute(row.values(status=status.value))
    return send


def resend(tenant: str, send: NewSend) -> tuple[str, object]:
    now, new = clock.now(), f"txn_{uuid.uuid4().hex}"
    found = resends.resend(
        Resend(
            send.invoice_id, send.transmission_id, new, tenant, "test", "simulator", "processing",
            None, now + timedelta(minutes=2), outbox.BULK, now,
        )
    )  # fmt: skip
    return new, found


@pytest.mark.parametrize("status", [s for s in NetworkStatus if s is not NetworkStatus.FAILED])
def test_only_a_failed_transmission_is_replaced(app, tenant, status):
    """It may have been settled since the request was checked."""
    send = with_status(tenant, status, "txn_1", "N-1")
    with pytest.raises(NotFailed):
        resend(tenant, send)

    assert invoices.find(send.invoice_id, tenant, ["test"]).transmission_id == "txn_1"


def test_only_an_invoice_of_the_same_number_counts_as_sent_before(app, tenant):
    """One that failed does not, whatever became of other invoices."""
    with_status(tenant, NetworkStatus.DELIVERED, "txn_1", "N-0")
    send = with_status(tenant, NetworkStatus.FAILED, "txn_2", "N-1")
    again = with_status(tenant, NetworkStatus.FAILED, "txn_3", "N-1")
    new, found = resend(tenant, send)

    assert found == Accepted(None)
    assert invoices.find(send.invoice_id, tenant, ["test"]).transmission_id == new
    assert resend(tenant, again)[1] == Accepted(send.invoice_id)
