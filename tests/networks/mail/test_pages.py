"""The mails of invoices and bills at the dashboard."""

import re

import pytest

from plugins.mail.tests.test_notices import a_report, an_answer
from plugins.mail.tests.test_reading import PDF, UBL, a_mail
from tests.web.pages.visitor import Visitor

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def visitor(service):
    """An owner of the account that sends and receives."""
    return Visitor(service.client.application, service.tenant)


def notify(office, sent, content, sender=""):
    token = sent["transactionId"].replace("_", "-")
    answer = office.answer_content(sender, f"bounces+{token}@operator.example", content)
    assert answer.startswith("250")


def test_the_sandbox_shows_the_mail_as_it_was_sent(service, visitor):
    """Head, text and files; the file is the one that the buyer gets."""
    sent = service.send_by_mail(email="billing@example.com").json
    page = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}").text
    mails = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}/mails").text
    file = re.search(r'href="([^"]+/mails/[^"]+/0)"', mails)[1]

    assert f"/dashboard/invoices/{sent['invoiceId']}/mails" in page
    assert "billing@example.com" in page
    assert "billing@example.com" in mails
    assert "As it was sent" in mails
    assert visitor.get(file).data.startswith(b"%PDF-")
    levels = [int(level) for level in re.findall(r"<h([1-6])", mails)]
    assert levels == [1, 2, 3]  # none is skipped


def test_a_bounce_is_said_in_words_with_the_answer_of_the_server(service, office, visitor):
    sent = service.send_by_mail(email="buyer@example.org").json
    notify(office, sent, a_report())
    page = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}", Accept_Language="de").text
    mails = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}/mails").text

    assert "Die Adresse gibt es nicht." in page
    assert "The address does not exist." in mails
    assert "550 5.1.1 no such user" in mails


def test_a_refusal_at_once_is_said_in_words(service, visitor):
    sent = service.send_by_mail(email="refused@example.org").json
    page = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}").text

    assert "The address does not exist." in page


def test_the_reply_of_a_buyer_is_shown(service, office, visitor):
    sent = service.send_by_mail(email="buyer@example.org").json
    notify(office, sent, an_answer(), "buyer@example.org")

    mails = visitor.get(f"/dashboard/invoices/{sent['invoiceId']}/mails").text
    assert "We have no order of this number." in mails


def test_a_bill_shows_its_mail_as_evidence(service, arrive, visitor):
    """What it claims of its sender is shown as a claim, and markup of strangers is text."""
    content = a_mail(
        ("i.xml", "text/xml", UBL),
        ("a.exe", "application/x", b"MZ"),
        text="<script>alert(1)</script>",
        Authentication_Results="evil.example; dmarc=pass",
    )
    [bill] = arrive(content)
    mails = visitor.get(f"/dashboard/invoices/{bill['invoiceId']}/mails").text

    assert "As it was received" in mails
    assert "evil.example; dmarc=pass" in mails
    assert "Anybody can write such a line" in mails
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in mails
    assert "a program: not handed out" in mails.lower()
    program = re.search(r"/mails/([^/\"]+)/0", mails)[1]
    path = f"/dashboard/invoices/{bill['invoiceId']}/mails/{program}"
    assert visitor.get(f"{path}/0").status_code == 200
    assert visitor.get(f"{path}/1").status_code == 404


def test_a_mail_that_nobody_signed_says_so(arrive, visitor):
    [bill] = arrive(a_mail(("i.pdf", "application/pdf", PDF)))

    mails = visitor.get(f"/dashboard/invoices/{bill['invoiceId']}/mails").text
    assert "No mail server has noted who sent it" in mails


def test_mails_of_another_account_are_not_found(service, visitor):
    sent = service.send_by_mail(email="billing@example.com").json["invoiceId"]
    mails = visitor.get(f"/dashboard/invoices/{sent}/mails").text
    file = re.search(r'href="([^"]+/mails/[^"]+/0)"', mails)[1]
    stranger = Visitor(service.client.application)

    assert stranger.get(f"/dashboard/invoices/{sent}/mails").status_code == 404
    assert stranger.get(file).status_code == 404
