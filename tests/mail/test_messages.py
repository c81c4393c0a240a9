"""Messages: what tenants write becomes text, never a header field."""

import email
from email.policy import SMTP

import pytest

from einvoice.mail import Attachment, InvalidAddress, InvalidMessage, Mailbox, Message
from tests.tables import each_row

OPERATOR = Mailbox("invoices@example.com")
BUYER = Mailbox("buyer@example.org")


def a_message(**changes):
    values = {
        "sender": OPERATOR,
        "to": BUYER,
        "subject": "Invoice 17",
        "text": "Good day",
        "message_id": "<t1@example.com>",
    }
    return Message(**{**values, **changes})


def read(message):
    return email.message_from_bytes(message.written(), policy=SMTP)


def test_a_message_has_both_texts_and_its_files():
    """Text and HTML are alternatives; files follow."""
    found = read(
        a_message(
            text="Zahlbar bis März\n",
            html="<p>Zahlbar bis März</p>",
            attachments=(Attachment("Rechnung 17.pdf", "application/pdf", b"%PDF-1.7"),),
        )
    )

    assert found.get_body(("plain",)).get_content().splitlines() == ["Zahlbar bis März"]
    assert found.get_body(("html",)).get_content().strip() == "<p>Zahlbar bis März</p>"
    assert [(f.get_filename(), f.get_content()) for f in found.iter_attachments()] == [
        ("Rechnung 17.pdf", b"%PDF-1.7")
    ]


@pytest.mark.parametrize("break_", ["\r\n", "\n", "\r", "\x00\n", "\u2028", "\x0b", "\x85"])
def test_no_text_adds_a_header_field(break_):
    """Subject, names, further fields and file names are one line each."""
    hostile = f"Invoice{break_}Bcc: everyone@example.net{break_}{break_}<script>"
    message = a_message(
        subject=hostile,
        sender=OPERATOR.named(hostile),
        reply_to=BUYER.named(hostile),
        headers=(("X-Invoice", hostile),),
        attachments=(Attachment(hostile, "application/pdf", b"x"),),
    )
    found = read(message)

    assert "bcc" not in found
    assert [a.address if hasattr(a, "address") else a.addr_spec for a in found["to"].addresses] == [
        "buyer@example.org"
    ]
    assert [a.addr_spec for a in found["from"].addresses] == ["invoices@example.com"]
    assert all(part["bcc"] is None for part in found.walk())


def test_texts_of_any_size_are_cut():
    """A subject of 100 KB makes a line of 200 characters."""
    found = read(a_message(subject="Rechnung " * 12_000, sender=OPERATOR.named("x" * 100_000)))

    assert len(found["subject"]) == 200
    assert len(found["from"].addresses[0].display_name) == 120


def test_the_bytes_are_ascii_in_short_lines():
    """A relay without 8BITMIME has nothing to change, so that the signature stays valid."""
    written = a_message(
        subject="Räksmörgås 請求書 " * 5,
        text="x" * 5_000 + "請求書",
        sender=OPERATOR.named("Ü" * 90),
    ).written()

    assert written.isascii()
    assert max(map(len, written.split(b"\r\n"))) <= 998
    assert b"\n" not in written.replace(b"\r\n", b"")


@each_row(
    "text, why",
    [
        ("no at", "an @ between"),
        ("a b@example.com", "without blanks"),
        ("a\r\nRCPT TO:<x@example.com>@example.com", "without blanks"),
        ("rené@example.com", "accents"),
        (f"{'x' * 65}@example.com", "64"),
        (".a@example.com", "without blanks"),
        ("a@[192.0.2.1]", "is a domain"),
        ("a@example", "is a domain"),
        ("a@-example.com", "is a domain"),
        ("a@exam\nple.com", "is a domain"),
        (f"a@{'x' * 64}.com", "is a domain"),
        (f"a@{'abc.' * 70}com", "at most 254"),
        ('"a@b"@example.com', "without blanks"),
    ],
)
def test_an_address_that_some_server_refuses_is_refused(text, why):
    """What is left is safe in a command of SMTP and in a header field."""
    with pytest.raises(InvalidAddress, match=why):
        Mailbox.parse(text)


@pytest.mark.parametrize(
    "wrong", ["t1@example.com", "<t1>", "<t1@example.com>\r\nBcc: x", "<a b@c>"]
)
def test_a_message_id_is_one(wrong):
    with pytest.raises(InvalidMessage, match="message id"):
        a_message(message_id=wrong).written()
