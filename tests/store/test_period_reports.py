"""Documents that are collected for the reports of a company are sales or purchases of it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.store.core import db
from einvoice.store.invoices import period_reports
from einvoice.store.invoices.period_reports import Place
from einvoice.store.tables import Invoice, Transmission
from tests.builders import accepted


@pytest.mark.parametrize(
    ("direction", "kind", "supplier", "buyer", "bought"),
    [
        ("sent", "invoice", "FR", "DE", False),
        ("sent", "creditNote", "FR", "FR", False),  # of a consumer: the buyer has no number
        ("received", "invoice", "DE", "FR", True),
        ("sent", "selfBilledInvoice", "DE", "FR", True),
        ("received", "selfBilledCreditNote", "FR", "DE", False),
    ],
)
def test_what_the_company_has_bought_is_a_purchase_whoever_has_issued_it(
    app, tenant, direction, kind, supplier, buyer, bought
):
    send = accepted(
        tenant, environment="live", kind=kind, supplier_country=supplier, buyer_country=buyer
    )
    with db.writing() as connection:
        connection.execute(
            sa.update(Invoice).where(Invoice.id == send.invoice_id).values(direction=direction)
        )
        connection.execute(sa.update(Transmission).values(status="Delivered"))
    place = Place(tenant, "live", "fr-ctc")
    (found,) = period_reports.not_collected(place, "FR", send.head.issue_date, 10)

    assert (found.id, found.bought) == (send.invoice_id, bought)
