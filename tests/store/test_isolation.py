"""The store returns of an invoice what is of its tenant and environment, and of no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.store.core import db
from einvoice.store.invoices import artefacts, invoices
from einvoice.store.sending import submissions
from tests.builders import a_receipt, accepted


@pytest.mark.parametrize(("environment", "other"), [("test", "live"), ("live", "test")])
def test_documents_are_those_of_the_tenant_and_environment(app, tenant, environment, other):
    send = accepted(tenant, environment=environment)

    assert invoices.documents(send.invoice_id, tenant, environment) is not None
    assert invoices.documents(send.invoice_id, tenant, other) is None
    for stranger in ("", "\U0010ffff"):  # before and behind it in any order
        assert invoices.documents(send.invoice_id, stranger, environment) is None


def test_a_reference_of_an_authority_is_that_of_the_invoice(app, tenant):
    first, second = (accepted(tenant) for _ in range(2))
    evidence = replace(a_receipt(b"<r/>"), invoice_id=first.invoice_id, authority_reference="A-7")
    with db.writing() as connection:
        artefacts.add_missing(connection, [evidence])

    references = [
        submissions.find(send.invoice_id, tenant, "test").authority_reference
        for send in (first, second)
    ]
    assert references == ["A-7", None]


def test_documents_of_a_list_are_those_of_the_tenant(app, tenant):
    """Also if an id of another tenant is asked for."""
    own, other = accepted(tenant), accepted(f"{tenant}-2")
    found = submissions.listed([own.invoice_id, other.invoice_id], tenant)

    assert list(found) == [own.invoice_id]
    assert submissions.listed([], tenant) == {}
