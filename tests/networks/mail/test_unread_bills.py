"""A bill that cannot be read is filled in by a person beside its file."""

import pytest

from einvoice.domain.roles import Role
from einvoice.services.inbound import later_evaluation
from einvoice.store import outbox
from plugins.mail.tests.test_reading import PDF, UBL, a_mail
from tests.tables import each_row
from tests.web.pages.visitor import Visitor
from tests.workers import claimed

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
VALUES = {
    "kind": "invoice",
    "number": "17",
    "issueDate": "2026-11-20",
    "currency": "EUR",
    "grandTotal": "1.210,50",
    "taxAmount": "210,08",
    "supplierName": "Muster GmbH",
}


@pytest.fixture
def bill(service, arrive, move):
    """A worker has tried to read it for a day: the plugin of these tests is no module."""
    [bill] = arrive(a_mail(("i.pdf", "application/pdf", PDF)))
    move(hours=25)
    later_evaluation.judge(*claimed(outbox.CHORES, service.tenant), service.runtime)
    return bill["invoiceId"]


@pytest.fixture
def visitor(service, bill):
    return Visitor(service.client.application, service.tenant)


def fill(visitor, bill, **changes):
    given = {name: text for name, text in {**VALUES, **changes}.items() if text is not None}
    return visitor.post(f"/dashboard/bills/{bill}/values", given, Accept_Language="de")


def test_its_values_are_entered_beside_its_file(service, visitor, bill):
    """By the language of the page; who did it is a warning, and the API has the values."""
    before = visitor.get(f"/dashboard/invoices/{bill}").text
    page = visitor.followed(fill(visitor, bill)).text
    shown = service.invoice(bill)

    assert "Fill in this bill" in before
    assert visitor.get(f"/dashboard/invoices/{bill}/pdf").data == PDF
    assert "1,210.50" in page
    assert (shown["number"], shown["grandTotal"], shown["supplierName"]) == (
        "17", 1210.5, "Muster GmbH",
    )  # fmt: skip
    assert "ann@example.com" in str([e for e in shown["warnings"] if e["code"] == "filled-in"])


def test_they_can_be_corrected_until_the_bill_is_processed(service, visitor, bill):
    fill(visitor, bill)
    fill(visitor, bill, number="18")
    visitor.post(f"/dashboard/bills/{bill}/processed", {"then": "invoice"})
    late = fill(visitor, bill, number="19")

    assert late.status_code == 409
    shown = service.invoice(bill)
    assert shown["number"] == "18"
    assert [each["code"] for each in shown["warnings"]].count("filled-in") == 1


@each_row(
    "changes, field",
    [
        ({"number": None}, "number"),
        ({"grandTotal": "many"}, "grandTotal"),
        ({"currency": "EURO"}, "currency"),
        ({"issueDate": "20.11."}, "issueDate"),
        ({"dueDate": "2026-11-01"}, "dueDate"),
        ({"taxAmount": "9.999,00"}, "taxAmount"),
        ({"supplierName": "x" * 100_000}, "supplierName"),
    ],
)
def test_a_wrong_value_is_marked_and_what_was_typed_stays(service, visitor, bill, changes, field):
    page = fill(visitor, bill, **changes)

    assert page.status_code == 409
    assert f'id="{field}-error"' in page.text
    assert 'value="Muster GmbH"' in page.text or field == "supplierName"
    assert service.invoice(bill)["number"] is None


def test_a_bill_that_can_be_read_is_not_filled_in(service, arrive):
    [bill] = arrive(a_mail(("i.xml", "text/xml", UBL)))
    visitor = Visitor(service.client.application, service.tenant)

    assert "Fill in this bill" not in visitor.get(f"/dashboard/invoices/{bill['invoiceId']}").text
    assert fill(visitor, bill["invoiceId"]).status_code == 409
    assert service.invoice(bill["invoiceId"])["number"] == "2026-17"


def test_others_fill_nothing_in(service, bill):
    app = service.client.application

    assert fill(Visitor(app), bill).status_code == 404
    assert fill(Visitor(app, service.tenant, Role.VIEWER, "vic"), bill).status_code == 403
    assert service.invoice(bill)["number"] is None
