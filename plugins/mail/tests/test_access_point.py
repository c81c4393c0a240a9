"""What the words of a mail server make of an invoice, and what is written to its buyer."""

import email
from email.policy import SMTP

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from einvoice.domain.artefacts import MAIL, MAIL_NOTICE
from einvoice.domain.environments import Environment
from einvoice.mail import Signer
from einvoice.mail.invoice_mails import Attached, MailTemplate
from einvoice.network.types import Delivered, NotSent, Prepared, Rejected, ResponseStatus, Unknown
from einvoice_mail.records import public_key
from plugins.mail.tests import mails
from tests.mail_server import CLOSE, mail_server
from tests.tables import each_row


def submitted(point, envelope=None):
    envelope = envelope or mails.an_envelope()
    return point.submit(envelope, point.prepare(envelope))


def read(content):
    return email.message_from_bytes(content, policy=SMTP)


@each_row(
    "replies, outcome, words",
    [
        ({}, Delivered, ""),
        ({"RCPT": "450 4.2.1 greylisted"}, NotSent, "450 4.2.1 greylisted"),
        ({"RCPT": "550 5.1.1 no such user"}, Rejected, "550 5.1.1 no such user"),
        ({"END": "554 5.7.1 looks like spam"}, Rejected, "554 5.7.1 looks like spam"),
        ({"END": "451 4.3.0 later"}, NotSent, "451 4.3.0 later"),
        ({"END": CLOSE}, Unknown, "no answer after the message was sent"),
        ({"MAIL": CLOSE}, NotSent, ""),
    ],
)
def test_the_answer_of_the_server_is_the_outcome(replies, outcome, words):
    """4xx is sent again, 5xx is Failed with the server's words, a lost end waits for a person."""
    with mail_server(**replies) as server:
        found = submitted(mails.an_access_point(server.url))

    assert type(found) is outcome
    assert words in getattr(found, "reason", "")


@each_row(
    "reply, reason, retryable",
    [
        ("552 5.2.2 mailbox full", "network-unavailable", True),
        ("552 5.2.3 message too long", "document-too-large", False),
        ("552 5.3.4 message too big", "document-too-large", False),
        ("550 5.2.1 mailbox disabled", "document-refused", False),
    ],
)
def test_a_refusal_has_the_reason_that_its_enhanced_code_names(reply, reason, retryable):
    """RFC 3463, 3.3 and 3.4: a full mailbox may take the same mail later."""
    with mail_server(RCPT=reply) as server:
        found = submitted(mails.an_access_point(server.url))

    assert (found.reason_code, found.retryable) == (reason, retryable)


def test_a_mail_has_the_id_of_its_transmission_in_all_attempts():
    """Message-ID, return path and envelope id lead to the document; each attempt is the same."""
    with mail_server() as server:
        point, envelope = mails.an_access_point(server.url), mails.an_envelope()
        prepared = point.prepare(envelope)
        point.submit(envelope, prepared)

    token = envelope.transmission_id.replace("_", "-")
    assert prepared.message_id == f"<{token}@operator.example>"
    assert f"FROM:<bounces+{token}@operator.example>" in server.commands[1]
    assert f"ENVID={token}" in server.commands[1]
    assert read(server.messages[0])["message-id"] == prepared.message_id


def test_a_mail_that_waits_keeps_the_signature_of_its_day():
    """After a change of the key: its record stays in DNS until such mails have arrived."""
    old, new = Signer("operator.example", "s1", a_key()), Signer("operator.example", "s2", a_key())
    records = {
        f"{each.selector}._domainkey.operator.example.".encode():
            f"v=DKIM1; k=rsa; p={public_key(each.key)}".encode()
        for each in (old, new)
    }  # fmt: skip
    envelope = mails.an_envelope()
    with mail_server() as server:
        point = mails.an_access_point(server.url, signer=old)
        waiting = point.prepare(envelope)
        point = mails.an_access_point(server.url, signer=new)
        for prepared in (waiting, point.prepare(envelope)):
            point.submit(envelope, prepared)

    signed = [read(each)["dkim-signature"] for each in server.messages]
    assert [("s=s1;" in each, "s=s2;" in each) for each in signed] == [(True, False), (False, True)]
    assert all(
        dkim.verify(each, dnsfunc=lambda name, timeout=5: records[name]) for each in server.messages
    )


def a_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=1024).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def test_the_mail_as_sent_is_evidence():
    """An invoice shows what its buyer got."""
    with mail_server() as server:
        outcome = submitted(mails.an_access_point(server.url))

    kept = {each.kind: each.content for each in outcome.evidence}
    assert kept[MAIL].rstrip() == server.messages[0].rstrip()


def test_the_buyer_reads_it_in_the_language_of_the_buyer():
    """Subject, text, link and the invoice: without anything that is loaded from elsewhere."""
    point = mails.an_access_point(environment=Environment.TEST)
    message = read(point.prepare(mails.an_envelope()).content)

    assert message["subject"] == "Factuur 2026-17 van Muster GmbH"
    assert str(message["from"]) == "Muster GmbH <invoices@operator.example>"
    assert message["reply-to"] == "billing@muster.example"
    assert not [name for name in message if name.lower().startswith("list-")]
    text = message.get_body(("plain",)).get_content()
    assert "€ 121,00" in text
    assert "https://e.example/view/abc" in text
    assert "src=" not in message.get_body(("html",)).get_content()
    assert [each.get_content_type() for each in message.iter_attachments()] == ["application/pdf"]


@each_row(
    "changes, names",
    [
        ({"has_xml": True}, ["invoice.pdf"]),
        ({"has_xml": False}, ["invoice.pdf", "invoice.xml"]),
        ({"has_xml": False, "xml": b""}, ["invoice.pdf"]),
        ({"pdf": b"x" * 1_100_000}, []),
    ],
)
def test_the_files_of_a_mail(changes, names):
    """Both where the PDF has no invoice inside; above the bound none, and the text says so."""
    point = mails.an_access_point(environment=Environment.TEST, max_bytes=1_500_000)
    message = read(point.prepare(mails.an_envelope(mail=mails.a_mail(**changes))).content)

    assert [each.get_filename() for each in message.iter_attachments()] == names
    assert ("te groot" in message.get_body(("plain",)).get_content()) is (not names)


def test_the_words_of_the_tenant_are_text_only():
    """Values are not searched for placeholders, and nothing of them is markup or a header."""
    template = MailTemplate(
        subject="{number}\r\nBcc: x@example.net {buyer} {unknown}",
        text="<b>{buyer}</b> {link}",
        attached=Attached.FACTUR_X,
    )
    mail = mails.a_mail(template=template, buyer="{number}<img src=x>")
    point = mails.an_access_point(environment=Environment.TEST)
    message = read(point.prepare(mails.an_envelope(mail=mail)).content)

    assert message["subject"] == ("2026-17 Bcc: x@example.net {number}<img src=x> {unknown}")
    assert message["bcc"] is None
    assert "<img" not in message.get_body(("html",)).get_content()


def test_hostile_texts_of_any_size_make_a_mail():
    """A tenant with texts of 100 KB of any characters stops nothing."""
    big = "\r\n\x00\u2028<>&\"'{}" * 10_000
    mail = mails.a_mail(number=big, seller=big, buyer=big, pdf_name=big, reply_to=big)
    point = mails.an_access_point(environment=Environment.TEST)
    message = read(point.prepare(mails.an_envelope(mail=mail)).content)

    assert len(message["subject"]) <= 200


@each_row(
    "address, outcome, status",
    [
        ("refused@example.com", Rejected, None),
        ("later@example.com", NotSent, None),
        ("lost@example.com", Unknown, None),
        ("bounced@example.com", Delivered, ResponseStatus.UNDELIVERABLE),
        ("anyone@example.com", Delivered, None),
    ],
)
def test_the_sandbox_shows_every_end(address, outcome, status):
    """By the beginning of the address, without a mail server."""
    point = mails.an_access_point(environment=Environment.TEST)
    found = submitted(point, mails.an_envelope(address))

    assert type(found) is outcome
    notices = [e for e in getattr(found, "evidence", ()) if e.kind == MAIL_NOTICE]
    assert [each.response.status for each in notices] == ([status] if status else [])


def test_no_mail_goes_to_an_address_that_was_refused_lately():
    """A server that sees too many wrong addresses refuses everything; after a week it is tried."""
    with mail_server(RCPT="550 5.1.1 no such user") as server:
        point = mails.an_access_point(server.url)
        submitted(point)
        again = submitted(point)
        others = submitted(point, mails.an_envelope(tenant_id="another"))

    assert isinstance(again, Rejected)
    assert "no such user" in again.reason
    assert again.code == "address-bounced"
    assert others.code == "5.1.1"
    assert len([each for each in server.commands if each.startswith("rcpt")]) == 2


@each_row(
    "answer, is_held_back",
    [
        ("550 5.1.1 no such user", True),
        ("550 5.1.10 RESOLVER.ADR.RecipientNotFound", True),
        ("550 no such user", True),
        ("552 5.2.2 mailbox full", False),
        ("554 5.7.1 your address is on a list", False),
        ("550 5.7.26 not authenticated", False),
        ("553 5.1.8 sender address rejected", False),
        ("554 no", False),
    ],
)
def test_only_a_wrong_address_is_held_back(answer, is_held_back):
    """What is wrong with the mailbox, or with this service, may be mended within the week."""
    with mail_server(RCPT=answer) as server:
        point = mails.an_access_point(server.url)
        submitted(point)

        assert (submitted(point).code == "address-bounced") is is_held_back


@pytest.mark.parametrize("limit", ["per_hour", "per_minute"])
def test_limits_hold_mails_back(limit):
    """Of a tenant in an hour, and to a domain in a minute: they are sent later."""
    with mail_server() as server:
        point = mails.an_access_point(server.url, **{limit: 2})
        outcomes = [submitted(point) for _ in range(3)]

    assert [type(each) for each in outcomes] == [Delivered, Delivered, NotSent]
    assert 0 < outcomes[2].retry_after <= 3600
    assert len(server.messages) == 2


def test_a_receiver_without_an_address_is_refused():
    """It was accepted by an earlier release, or the address is not one any more."""
    point = mails.an_access_point(environment=Environment.TEST)

    for address in (None, "", "a\r\nb@example.com"):
        assert isinstance(point.prepare(mails.an_envelope(address)), Rejected)
    assert isinstance(point.prepare(mails.an_envelope()), Prepared)
