"""Doctor says whether the operator's mail servers take mails, before a mail finds out."""

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.mail import Deadlines, Mailbox, Outgoing, smarthosts
from einvoice.mail.submission import Reached
from einvoice_mail import servers
from tests.mail.conftest import authority, secured
from tests.mail_server import CLOSE, mail_server

__all__ = ["authority", "secured"]
PATIENT = Deadlines(30, 30, 30, 60)


def outgoing(url):
    return Outgoing(smarthosts(url), Mailbox("i@operator.example"), "b@operator.example")


def test_a_server_that_answers_is_good():
    """It is greeted, and gets no mail."""
    with mail_server() as server:
        found = servers.checked(outgoing(server.url), PATIENT)

    assert (found.level, found.ends_at) == ("good", None)
    assert [each.split()[0] for each in server.commands] == ["ehlo"]


@pytest.mark.parametrize(
    ("greeting", "says"),
    [(CLOSE, "127.0.0.1:"), ("554 5.7.1 your address is on a list", "on a list")],
)
def test_a_server_that_takes_nothing_is_named(greeting, says):
    """As an error if no other one takes mails."""
    with mail_server(CONNECT=greeting) as away, mail_server() as other:
        alone = servers.checked(outgoing(away.url), PATIENT)
        second = servers.checked(outgoing(f"{away.url},{other.url}"), PATIENT)

    assert (alone.level, says in alone.sentence) == ("error", True)
    assert (second.level, says in second.sentence) == ("warning", True)


@pytest.mark.parametrize("password", ["right", "wrong"])
def test_the_login_and_the_certificate_are_tried(secured, password):
    """Its end is known to the console and to alerts; that of the test is near."""
    found_at = replace(outgoing(secured.url.replace("user:right", f"user:{password}")), ca_file="")
    object.__setattr__(found_at, "trust", secured.trust)
    found = servers.checked(found_at, PATIENT)

    assert found.level == ("warning" if password == "right" else "error"), found.sentence
    assert "user" not in found.sentence
    assert (found.ends_at is not None) == (password == "right")


def test_an_unknown_authority_is_an_error(secured):
    found = servers.checked(outgoing(secured.url), PATIENT)

    assert found.level == "error"
    assert "certificate" in found.sentence


@pytest.mark.parametrize(("left", "level"), [(-1, "warning"), (1, "good")])
def test_a_certificate_is_named_three_weeks_before_its_end(monkeypatch, left, level):
    ends_at = clock.now() + servers.SOON + timedelta(minutes=left)
    monkeypatch.setattr(servers, "greeted", lambda *_, **__: Reached(ends_at))

    assert servers.checked(outgoing("smtps://relay.example"), PATIENT).level == level
