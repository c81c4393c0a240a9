"""The settings EINVOICE_MAIL_…: what stops the start, and that no secret is shown."""

import pytest

from einvoice import mail
from einvoice.config import Settings, SettingsFault
from einvoice.mail import Mailbox, Message, Taken
from tests.mail_server import mail_server
from tests.tables import each_row

FROM = {"EINVOICE_MAIL_FROM": "invoices@example.com"}


def configured(**given):
    values = {f"EINVOICE_MAIL_{name.upper()}": value for name, value in given.items()}
    return mail.configured(Settings.from_env(FROM | values))


def test_without_mail_servers_there_is_no_mail():
    assert configured() is None


@each_row(
    "given, why",
    [
        ({"smarthosts": "http://a.example"}, "SMARTHOSTS: a mail server is smtp"),
        ({"smarthosts": "smtp://u:geheim@a.example:x"}, "SMARTHOSTS: a mail server is smtp"),
        ({"smarthosts": "smtp://geheim@a.example"}, "user and a password are given together"),
        ({"smarthosts": "smtp://u:geheim@a.example?tls=none"}, "no password is sent without TLS"),
        ({"smarthosts": "smtp://a.example?tls=maybe"}, "tls=none or tls=starttls"),
        ({"smarthosts": "smtp://a.example", "from": "nobody"}, "MAIL_FROM: an e-mail address"),
        ({"smarthosts": "smtp://a.example", "bounces": "x"}, "MAIL_BOUNCES: an e-mail address"),
        ({"smarthosts": "smtp://a.example", "dkim_key": "geheim"}, "needs EINVOICE_MAIL_DKIM_SEL"),
        (
            {"smarthosts": "smtp://a.example", "dkim_key": "geheim", "dkim_selector": "s1"},
            "DKIM_KEY is not a private RSA key",
        ),
    ],
)
def test_wrong_settings_stop_the_start(given, why):
    """The fault names the setting, and shows neither password nor key."""
    with pytest.raises(SettingsFault, match=why) as raised:
        configured(**given)

    assert "geheim" not in str(raised.value)


def test_a_message_is_sent_with_its_return_path():
    """A notice of a failure comes back to the address of this message."""
    message = Message(
        sender=Mailbox("invoices@example.com"),
        to=Mailbox("buyer@example.org"),
        subject="Invoice 17",
        text="Good day",
        message_id="<t1@example.com>",
    )
    with mail_server() as server:
        outgoing = configured(smarthosts=server.url, bounces="bounces@example.com")
        outcome = outgoing.send(message, return_to="t1")

    assert isinstance(outcome, Taken)
    assert server.commands[1].startswith("mail FROM:<bounces+t1@example.com>")


def test_only_messages_of_the_signed_domain_are_signed(signer):
    """A signature of another domain than the sender's proves nothing."""
    given = {"smarthosts": "smtp://a.example", "dkim_selector": "s1"}
    outgoing = configured(**given, dkim_key=signer.key.decode())
    message = Message(
        sender=outgoing.sender,
        to=Mailbox("buyer@example.org"),
        subject="Invoice 17",
        text="Good day",
        message_id="<t1@example.com>",
    )
    foreign = Message(
        **{f: getattr(message, f) for f in message.__slots__}
        | {"sender": Mailbox("invoices@elsewhere.example")}
    )

    assert outgoing.written(message).startswith(b"DKIM-Signature: ")
    assert outgoing.written(foreign).startswith(b"From: ")
