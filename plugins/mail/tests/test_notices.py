"""Notices about sent mails: what is a failure, and what is not."""

from email.message import EmailMessage

import pytest

from einvoice.network.types import (
    ClosedInbox,
    Delivered,
    Rejected,
    ResponseStatus,
    Settled,
)
from einvoice_mail import notices
from einvoice_mail.notices import Kind
from einvoice_mail.suppression import Suppression
from tests.memory_store import MemoryStore
from tests.tables import each_row


def a_report(action="failed", status="5.1.1", words="smtp; 550 5.1.1 no such user"):
    """A delivery report as mail servers write it (RFC 3464)."""
    return (
        "From: MAILER-DAEMON@mx.example.org\r\nSubject: Undelivered Mail Returned to Sender\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\n\r\nI am sorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; mx.example.org\r\n\r\n"
        "Final-Recipient: rfc822; buyer@example.org\r\n"
        f"Action: {action}\r\nStatus: {status}\r\nDiagnostic-Code: {words}\r\n"
        "\r\n--b--\r\n"
    ).encode()


def an_answer(**headers):
    message = EmailMessage()
    message["From"], message["Subject"] = "buyer@example.org", "Re: Invoice"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content("We have no order of this number.")
    return message.as_bytes()


def of_qmail(code="550 5.1.1 no such user"):
    """A failure as qmail writes it, without a report."""
    return (
        "From: MAILER-DAEMON@mx.example.org\r\nSubject: failure notice\r\n\r\n"
        "Hi. This is the qmail-send program at mx.example.org.\r\nI'm afraid I wasn't able to.\r\n"
        f"\r\n<buyer@example.org>:\r\n192.0.2.1 does not like recipient.\r\n{code}\r\n"
    ).encode()


def in_japanese():
    """A failure with its words in the charset of its country."""
    said = "宛先が見つかりません".encode("iso-2022-jp")
    return (
        b"Subject: =?iso-2022-jp?B?GyRCR1s/LkRsS0MbKEI=?=\r\n"
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n" + said + b"\r\n--b\r\n"
        b"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.jp\r\n\r\n"
        b"Final-Recipient: rfc822; buyer@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n"
        b"Diagnostic-Code: smtp; 550 5.1.1 " + said + b"\r\n\r\n--b--\r\n"
    )


def of_a_list():
    """One recipient behind an address got it, another one did not."""
    second = b"\r\nFinal-Recipient: rfc822; b@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    return a_report("expanded", "2.0.0").replace(b"\r\n--b--", second + b"\r\n--b--")


@each_row(
    "content, sender, kind",
    [
        (a_report(), "", Kind.FAILED),
        (in_japanese(), "", Kind.FAILED),
        (of_a_list(), "", Kind.FAILED),
        (a_report().replace(b"message/delivery", b"message/global-delivery"), "", Kind.FAILED),
        (of_qmail(), "", Kind.FAILED),
        (an_answer(X_Failed_Recipients="buyer@example.org"), "", Kind.FAILED),
        (a_report("delayed", "4.4.1", "smtp; 451 later"), "", Kind.DELAYED),
        (a_report("delivered", "2.0.0"), "", Kind.DELIVERED),
        (a_report("relayed", "2.0.0"), "", Kind.DELIVERED),
        (a_report("nonsense"), "", Kind.AUTOMATIC),
        (an_answer(), "buyer@example.org", Kind.ANSWER),
        (an_answer(), "", Kind.AUTOMATIC),
        (an_answer(Auto_Submitted="auto-replied"), "buyer@example.org", Kind.AUTOMATIC),
        (an_answer(Auto_Submitted="no"), "buyer@example.org", Kind.ANSWER),
        (an_answer(Precedence="bulk"), "buyer@example.org", Kind.AUTOMATIC),
        (an_answer(X_Autoreply="yes"), "buyer@example.org", Kind.AUTOMATIC),
        (b"", "x@example.org", Kind.ANSWER),
        (b"\x00\xff" * 100_000, "", Kind.AUTOMATIC),
        (a_report(words="smtp; " + "x" * 100_000), "", Kind.FAILED),
        (
            b"Content-Type: multipart/report; boundary=b\r\n\r\n" + b"--b\r\n" * 5000,
            "",
            Kind.AUTOMATIC,
        ),
    ],
)
def test_what_a_notice_says(content, sender, kind):
    """An out-of-office reply is no bounce, and a delay no failure."""
    assert notices.read(content, sender).kind is kind


@pytest.mark.parametrize("content", [a_report(), of_qmail(), in_japanese()])
def test_a_failure_names_address_and_code(content):
    """Whatever the server is: by them the address is known to be wrong."""
    found = notices.read(content, "")

    assert (found.recipient, found.status) == ("buyer@example.org", "5.1.1")
    assert "5.1.1" in found.words


class Kept(ClosedInbox):
    def __init__(self):
        self.settled, self.evidence = [], []

    def settle(self, access_point, reference, outcome):
        self.settled.append((access_point, reference, outcome))
        return Settled(reference, changed=True, tenant_id="t1")

    def deliver_evidence(self, access_point, reference, evidence):
        self.evidence.append((reference, evidence))
        return Settled(reference, changed=False, tenant_id="t1")


@pytest.fixture
def inbox():
    return Kept()


@pytest.fixture
def desk(inbox):
    return notices.Desk(inbox, "mail", Suppression(MemoryStore(), "mail"))


def test_a_failure_settles_what_nobody_knew_and_is_kept_otherwise(inbox, desk):
    """One call does both: of an invoice that is Delivered only the evidence counts."""
    desk.take("txn_1", a_report(), "")
    [(point, reference, outcome)] = inbox.settled

    assert (point, reference) == ("mail", "txn_1")
    assert isinstance(outcome, Rejected)
    assert "550 5.1.1 no such user" in outcome.reason
    assert outcome.evidence[0].response.status is ResponseStatus.UNDELIVERABLE


def test_a_wrong_address_gets_no_mail_for_a_week(desk):
    """After a failure that says so (5.1.x), of this tenant."""
    desk.take("txn_1", a_report(), "")
    desk.take("txn_2", a_report(status="5.2.2").replace(b"buyer@", b"full@"), "")

    bounced = desk._bounced
    assert bounced.words_of("t1", "buyer@example.org")
    assert bounced.words_of("t1", "full@example.org") is None
    assert bounced.words_of("another", "buyer@example.org") is None


def test_a_success_ends_what_nobody_knew(inbox, desk):
    desk.take("txn_1", a_report("delivered", "2.0.0"), "")

    assert isinstance(inbox.settled[0][2], Delivered)


def test_the_answer_of_a_person_is_shown_with_the_invoice(inbox, desk):
    desk.take("txn_1", an_answer(), "buyer@example.org")
    [(_, [kept])] = inbox.evidence

    assert kept.response.status is ResponseStatus.IN_PROCESS
    assert kept.response.text == "We have no order of this number."
    assert not inbox.settled


def test_automatic_answers_and_delays_change_nothing(inbox, desk):
    for content in (an_answer(Auto_Submitted="auto-replied"), a_report("delayed", "4.4.1")):
        assert desk.take("txn_1", content, "") is None

    assert not inbox.settled
    assert not inbox.evidence
