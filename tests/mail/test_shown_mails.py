"""Stored mails for people: plain text, bounded, whatever strangers write."""

import time
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from einvoice.mail.shown_mails import MAX_TEXT, Cause, cause_of, file_in, read
from plugins.mail.tests.test_notices import a_report
from tests.tables import each_row


def a_mail(*files, text="Please pay", html=None, **headers):
    message = EmailMessage(policy=SMTP)
    for name, value in ({"From": "Bob <bob@example.com>", "Subject": "Bill"} | headers).items():
        message[name.replace("_", "-")] = value
    if text is not None:
        message.set_content(text)
    if html is not None:
        add = message.set_content if text is None else message.add_alternative
        add(html, subtype="html")
    for name, content in files:
        message.add_attachment(content, maintype="application", subtype="pdf", filename=name)
    return message.as_bytes()


def test_a_mail_has_its_head_its_text_and_its_files():
    mail = read(a_mail(("bill.pdf", b"%PDF-1.7"), To="ap@example.org", Reply_To="c@example.com"))

    assert (mail.sender, mail.to, mail.subject) == (
        "Bob <bob@example.com>",
        "ap@example.org",
        "Bill",
    )
    assert (mail.reply_to, mail.text) == ("c@example.com", "Please pay")
    assert [(each.name, each.size) for each in mail.files] == [("bill.pdf", 8)]


def test_html_is_shown_as_its_text():
    """Nothing of it is markup, and what is not seen is left out."""
    html = "<style>p{color:red}</style><p>Pay &amp; go</p><script>alert(1)</script><div>Bob</div>"
    mail = read(a_mail(text=None, html=html))

    assert mail.text.split() == ["Pay", "&", "go", "Bob"]
    assert mail.files == ()


def test_the_plain_text_is_preferred():
    assert read(a_mail(text="plain", html="<p>rich</p>")).text == "plain"


def test_a_report_of_a_server_is_read():
    report = read(a_report()).report

    assert report is not None
    assert (report.action, report.status, report.recipient) == (
        "failed",
        "5.1.1",
        "buyer@example.org",
    )
    assert report.answer == "550 5.1.1 no such user"
    assert report.cause is Cause.UNKNOWN_ADDRESS


def test_a_file_is_handed_out_by_its_number_and_a_program_is_not():
    content = a_mail(("bill.pdf", b"%PDF-1.7"), ("bill.pdf.exe", b"harmless"), ("x", b"MZ\x90"))

    found = file_in(content, 0)
    assert found is not None
    assert found[1] == b"%PDF-1.7"
    assert [file_in(content, number) for number in (1, 2, 3, -1)] == [None] * 4


@each_row(
    "words, cause",
    [
        ("550 5.1.1 no such user", Cause.UNKNOWN_ADDRESS),
        ("5.1.10 null MX", Cause.UNKNOWN_ADDRESS),
        ("452 4.2.2 over quota", Cause.MAILBOX_FULL),
        ("550 5.2.1 disabled", Cause.MAILBOX_CLOSED),
        ("552 5.3.4 too big", Cause.TOO_LARGE),
        ("5.4.4 host not found", Cause.SERVER_AWAY),
        ("550 5.7.26 unauthenticated", Cause.REFUSED_BY_POLICY),
        ("550 go away", Cause.OTHER),
        ("192.0.2.1 says 5.9.9.9", Cause.OTHER),
        ("", Cause.OTHER),
    ],
)
def test_a_bounce_has_a_cause(words, cause):
    """By the code of its server (RFC 3463), not by words in some language."""
    assert cause_of(words) is cause


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff" * 50_000,
        b"From: " + b"x" * 100_000 + b"\n\n" + b"y" * 100_000,
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"\r\n--b\r\n" * 200_000,
        b"Content-Type: text/plain; charset=nonsense\r\n\r\nHi",
        b"Subject: =?utf-8?b?!!!?=\r\n\r\n",
        b"Content-Type: text/html\r\n\r\n" + b"<p" * 100_000,
        b"Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n" * 500,
    ],
)
def test_any_bytes_are_shown_within_bounds(content):
    """Hostile mails cost milliseconds, and no value grows with them."""
    began = time.process_time()
    mail = read(content)

    assert time.process_time() - began < 2
    assert len(mail.text) <= MAX_TEXT
    assert all(len(each) <= 500 for each in (mail.sender, mail.subject, mail.to))


def test_a_long_text_is_cut_and_says_so():
    mail = read(a_mail(text="word " * 20_000))

    assert mail.is_cut
    assert len(mail.text) == MAX_TEXT


def test_control_characters_are_left_out():
    assert read(b"Subject: a\x1bb\n\nHello\x1b[31m\x07").text == "Hello[31m"
