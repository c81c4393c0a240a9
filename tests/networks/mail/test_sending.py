"""Sending by e-mail, from the request to the mail and to what comes back."""

import re
from dataclasses import replace

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidField
from einvoice.domain.roles import Role
from einvoice.mail import Mailbox, Outgoing, smarthosts
from einvoice.mail.invoice_mails import MailTemplate
from einvoice.services.account import profile
from einvoice.services.invoices import mail_previews
from einvoice.services.principal import Principal, Session
from einvoice.services.send import resend
from einvoice.services.send.command import SendCommand
from tests import sandbox
from tests.mail_server import mail_server
from tests.tables import each_row


def test_an_invoice_is_mailed_to_the_address_of_the_request(service):
    """Delivered means mail; the mail as sent, with the invoice inside its PDF, is an artefact."""
    sent = service.send_by_mail(email="billing@Example.com")

    assert sent.status_code == 200, sent.json
    shown = service.invoice(sent.json["invoiceId"])
    assert (shown["networkStatus"], shown["deliveredMeans"]) == ("Delivered", "mail")
    message = service.mail(sent.json["invoiceId"])
    assert message["to"] == "billing@example.com"
    [pdf] = message.iter_attachments()
    assert pdf.get_content_type() == "application/pdf"
    assert b"factur-x.xml" in pdf.get_content()


def test_the_document_names_the_address_of_its_receiver(service):
    """BT-49 with the scheme EM: the invoice is complete by the rules without a participant id."""
    sent = service.send_by_mail(email="billing@example.com")

    document = service.artefact(sent.json["invoiceId"], "UBL")
    assert b'schemeID="EM">billing@example.com<' in document


def test_the_link_of_the_mail_shows_the_invoice(service):
    """The buyer opens it without a login; the pages of a mail are not marked as undelivered."""
    sent = service.send_by_mail(email="billing@example.com")
    text = service.mail(sent.json["invoiceId"]).get_body(("plain",)).get_content()

    path = re.search(r"https?://[^/\s]+(/api/invoices/view/\S+)", text)[1]
    assert service.client.get(path).status_code == 200


@each_row(
    "routing, slug, says",
    [
        ({}, "missing-routing", "routing.email"),
        ({"email": "no address"}, "invalid-field", "routing/email"),
        ({"email": "a@b"}, "invalid-field", "a domain"),
        ({"email": "x" * 300 + "@example.com"}, "invalid-field", "routing/email"),
        ({"email": "a@example.com\r\nBcc: b@example.com"}, "invalid-field", "routing/email"),
        ({"email": "a@example.com", "accessPointRef": "x"}, "missing-routing", "lookup"),
    ],
)
def test_a_send_without_a_usable_address_is_refused(service, routing, slug, says):
    """Nothing is stored; the refusal names the field."""
    refused = service.send_by_mail(**routing)

    assert refused.status_code == 400, refused.json
    assert refused.json["type"].endswith(slug), refused.json
    assert says in refused.text


def test_the_address_of_the_buyer_is_used_where_the_request_names_none(service):
    """That of its contact (BT-58)."""
    sent = service.send_by_mail(contact="ap@example.com")

    assert service.mail(sent.json["invoiceId"])["to"] == "ap@example.com"


def test_a_receiver_with_a_participant_id_can_be_mailed_too(service):
    """Where the send names the network."""
    sent = service.send_by_mail("0208:0403019261", email="ap@example.com")

    assert service.status(sent.json["invoiceId"]) == "Delivered"


@each_row(
    "last_resort, email, status",
    [
        (None, "ap@example.com", 400),
        ("mail", "ap@example.com", 200),
        ("mail", None, 400),
    ],
)
def test_mail_is_never_chosen_silently(service, last_resort, email, status):
    """Only the tenant's last resort carries a send that names no network."""
    runtime = service.runtime
    changes = {"lastResort": last_resort}
    profile.change(service.tenant, changes, None, runtime.caches, runtime.access_points)
    answer = service.send_by_mail(network=None, email=email)

    assert answer.status_code == status, answer.json


def test_the_last_resort_takes_receivers_that_are_not_registered(service):
    """A send without a reference is looked up; without a registration it is mailed."""
    runtime = service.runtime
    profile.change(service.tenant, {"lastResort": "mail"}, None, runtime.caches)
    stranger = service.send_by_mail("0088:9520000000080", network=None, email="ap@example.com")
    known = service.send_by_mail(
        "0088:9520000000004", network=None, email="ap@example.com", number="another"
    )

    assert stranger.status_code == 200, stranger.json
    means = [
        service.invoice(each.json["invoiceId"])["deliveredMeans"] for each in (stranger, known)
    ]
    assert means == ["mail", "receiver"]


def test_a_bounce_after_the_delivery_needs_a_person(service):
    """It stays Delivered, with the response undeliverable and the words of the server (21.5)."""
    sent = service.send_by_mail(email="bounced@example.com")

    shown = service.invoice(sent.json["invoiceId"])
    assert (shown["networkStatus"], shown["attention"]) == ("Delivered", True)
    assert shown["response"]["status"] == "undeliverable"
    assert "5.1.1" in str(shown["response"])


def test_what_a_server_refuses_is_failed_with_its_words(service):
    sent = service.send_by_mail(email="refused@example.com")

    shown = service.invoice(sent.json["invoiceId"])
    assert shown["networkStatus"] == "Failed"
    assert "550 5.1.1 no such user here" in shown["failureReason"]


def test_a_failed_mail_is_sent_again(service):
    """To the same address, as another transmission with another Message-ID."""
    sent = service.send_by_mail(email="refused@example.com").json["invoiceId"]
    again = service.client.post(f"/api/invoices/{sent}/resend", headers=service.headers)

    assert again.status_code == 200, again.json
    service.work(60)
    assert service.status(sent) == "Failed"


def test_the_words_of_the_tenant_replace_those_of_the_service(service):
    """Subject, text, answers and files are settings of the tenant."""
    runtime = service.runtime
    words = {
        "subject": "R {number}",
        "text": "Hallo {buyer}",
        "replyTo": "answers@acme.example",
        "attachments": "pdf-and-xml",
    }
    profile.change(service.tenant, {"mail": words}, None, runtime.caches)
    sent = service.send_by_mail(email="ap@example.com")
    message = service.mail(sent.json["invoiceId"])

    assert message["subject"].startswith("R ")
    assert message["reply-to"] == "answers@acme.example"
    kinds = [each.get_content_type() for each in message.iter_attachments()]
    assert kinds == ["application/pdf", "application/xml"]


def resent(service, invoice_id, email):
    """Send an invoice again to another address."""
    command = SendCommand(
        principal=Principal(service.tenant, Environment.TEST, scopes=frozenset()),
        body=b"resend",
        key=None,
        wait=0.0,
    )
    return resend.resend(invoice_id, command, service.runtime, email=email)


def test_a_mail_that_came_back_goes_to_another_address(service):
    """The invoice is Delivered again, by another transmission, and needs nobody any more."""
    sent = service.send_by_mail(email="bounced@example.com").json
    again = resent(service, sent["invoiceId"], "ap@Example.com")
    service.work(60)

    shown = service.invoice(sent["invoiceId"])
    assert again.transaction_id != sent["transactionId"]
    assert (shown["networkStatus"], shown["attention"]) == ("Delivered", False)
    assert service.mail(sent["invoiceId"])["to"] == "ap@example.com"


def test_a_mail_that_has_not_come_back_is_not_sent_twice(service):
    sent = service.send_by_mail(email="ap@example.com").json

    with pytest.raises(Conflict):
        resent(service, sent["invoiceId"], "other@example.com")


def test_a_refused_mail_goes_to_another_address_that_is_one(service):
    sent = service.send_by_mail(email="refused@example.com").json
    with pytest.raises(InvalidField):
        resent(service, sent["invoiceId"], "no address")
    resent(service, sent["invoiceId"], "ap@example.com")
    service.work(60)

    assert service.status(sent["invoiceId"]) == "Delivered"


def test_words_and_files_follow_the_buyer(service):
    """Those of the buyer's language and country, else the tenant's own for all."""
    choices = {
        "subject": "All {number}",
        "templates": [{"language": "de", "subject": "Rechnung {number} für {buyer}"}],
        "attachmentsByCountry": [{"country": "BE", "attachments": "pdf-and-xml"}],
    }
    of_germany = MailTemplate.of({"mail": choices}, "de", "DE")
    of_belgium = MailTemplate.of({"mail": choices}, "nl", "BE")

    assert (of_germany.subject, of_germany.attached) == (
        "Rechnung {number} für {buyer}",
        "factur-x",
    )
    assert (of_belgium.subject, of_belgium.attached) == ("All {number}", "pdf-and-xml")


def test_a_preview_shows_choices_that_are_not_stored(service):
    """Nothing is stored, and no file is made."""
    changes = {"subject": "Rechnung {number}", "attachments": "pdf-and-xml"}
    shown = mail_previews.preview(service.tenant, service.runtime, language="de", changes=changes)

    assert shown.subject == "Rechnung 2026-0001"
    assert "1.210,00" in shown.text
    assert shown.attachments == ("invoice.pdf", "invoice.xml")
    assert profile.get(service.tenant).profile.get("mail") is None


def test_a_test_goes_to_the_person_who_asks_for_it(service):
    """By the operator's mail server, with the words of the server."""
    person = Session(service.tenant, "ann", "ann@example.com", Role.ADMIN)
    with mail_server() as server:
        outgoing = Outgoing(smarthosts(server.url), Mailbox("i@op.example"), "b@op.example")
        runtime = replace(service.runtime, outgoing=outgoing)
        tested = mail_previews.send_test(service.tenant, person, runtime, language="fr")

    assert tested.recipient == "ann@example.com"
    assert tested.reply.startswith("250")
    [message] = server.messages
    assert b"To: ann@example.com" in message
    with pytest.raises(Conflict):
        mail_previews.send_test(service.tenant, person, replace(runtime, outgoing=None))


def test_a_self_billed_invoice_goes_to_its_supplier(service):
    """To the address of the supplier in the document, as its own kind of document."""
    body = sandbox.a_body(None, None)
    invoice = body["invoice"]
    own, other = invoice["supplier"], invoice["buyer"]
    invoice |= {"type": "selfBilledInvoice", "supplier": {**other, "taxId": "BE0403019261"}}
    invoice |= {"buyer": own}
    invoice["supplier"]["contact"] = {"email": "seller@example.com"}
    body["routing"] = {"senderParticipantId": sandbox.SENDER, "network": "mail"}
    answer = service.client.post("/api/invoices/send", json=body, headers=service.headers)
    service.work(60)

    assert answer.status_code == 200, answer.json
    assert service.mail(answer.json["invoiceId"])["to"] == "seller@example.com"
    assert b">389<" in service.artefact(answer.json["invoiceId"], "UBL")
