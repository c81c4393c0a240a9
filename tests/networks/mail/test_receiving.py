"""Bills and notices by mail, from the mail server's conversation to the tenant's lists."""

import pytest

from einvoice.network import samples
from plugins.mail.tests.test_notices import a_report, an_answer
from plugins.mail.tests.test_reading import PDF, UBL, a_mail, forwarded

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@ONE_DATABASE
def test_a_mailed_invoice_is_a_bill(service, arrive):
    """Judged and read like one of a network, with the mail as evidence."""
    [bill] = arrive(a_mail(("i.xml", "text/xml", UBL)))
    shown = service.invoice(bill["invoiceId"])

    assert bill["number"] == "2026-17"
    assert shown["senderParticipantId"] == "0208:0123456749"
    assert "MAIL" in service.evidence(bill["invoiceId"])
    assert "mail-sender" in [each["code"] for each in shown["warnings"]]


@ONE_DATABASE
def test_one_mail_twice_and_the_same_file_in_another_are_one_bill(arrive):
    """A document is recognised by its bytes."""
    again = a_mail(("i.xml", "text/xml", UBL), Subject="Reminder")
    bills = arrive(*[a_mail(("i.xml", "text/xml", UBL))] * 2, again)

    assert len(bills) == 1


@ONE_DATABASE
def test_a_mail_with_several_invoices_is_several_bills(arrive):
    other = samples.envelope(number="2026-18").document
    bills = arrive(a_mail(("i.xml", "text/xml", UBL), ("k.xml", "text/xml", other)))

    assert sorted(bill["number"] for bill in bills) == ["2026-17", "2026-18"]


@ONE_DATABASE
def test_a_pdf_without_data_is_a_bill_to_fill_in(service, arrive):
    """With its file, and a warning that it cannot be read."""
    [bill] = arrive(a_mail(("i.pdf", "application/pdf", PDF)))
    shown = service.invoice(bill["invoiceId"])

    assert bill["number"] is None
    assert "unreadable-document" in [each["code"] for each in shown["warnings"]]


def test_a_notice_of_a_failure_needs_a_person(service, office):
    """The invoice stays Delivered; its response is undeliverable, with the words of the server."""
    sent = service.send_by_mail(email="buyer@example.org").json
    token = sent["transactionId"].replace("_", "-")
    answer = office.answer_content("", f"bounces+{token}@operator.example", a_report())
    shown = service.invoice(sent["invoiceId"])

    assert answer.startswith("250")
    assert (shown["networkStatus"], shown["attention"]) == ("Delivered", True)
    assert shown["response"]["status"] == "undeliverable"
    assert "no such user" in str(shown["response"])


@pytest.mark.parametrize(("action", "status"), [("failed", "Failed"), ("delivered", "Delivered")])
@ONE_DATABASE
def test_a_notice_ends_what_nobody_knew(service, office, action, status):
    """A connection was lost after the message; it is not sent again meanwhile."""
    sent = service.send_by_mail(email="lost@example.org").json
    assert service.status(sent["invoiceId"]) == "Processing"
    service.work(3600)
    assert service.status(sent["invoiceId"]) == "Processing"

    token = sent["transactionId"].replace("_", "-")
    office.answer_content("", f"bounces+{token}@operator.example", a_report(action))
    assert service.status(sent["invoiceId"]) == status


@ONE_DATABASE
def test_a_notice_of_an_unknown_mail_changes_nothing(office):
    answer = office.answer_content("", "bounces+txn-unknown@operator.example", a_report())

    assert answer == "250 2.0.0 it says nothing that is kept"


@ONE_DATABASE
def test_the_answer_of_a_buyer_is_shown_with_the_invoice(service, office):
    sent = service.send_by_mail(email="buyer@example.org").json
    token = sent["transactionId"].replace("_", "-")
    office.answer_content("buyer@example.org", f"bounces+{token}@operator.example", an_answer())
    shown = service.invoice(sent["invoiceId"])

    assert shown["response"]["text"] == "We have no order of this number."
    assert shown["attention"] is False


@ONE_DATABASE
def test_a_self_billed_invoice_in_a_forwarded_mail_is_received_as_one(service, arrive):
    """With its own type, and what the outer mail claims."""
    document = UBL.replace(b">380<", b">389<")
    [shown] = arrive(forwarded(a_mail(("i.xml", "text/xml", document))))

    assert document != UBL
    assert (shown["type"], shown["number"]) == ("selfBilledInvoice", "2026-17")
    assert "mail-sender" in {
        each["code"] for each in service.invoice(shown["invoiceId"])["warnings"]
    }
