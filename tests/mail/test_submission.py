"""Submission: what the words of a server make of a message, and that it is never sent twice."""

import dkim
import pytest

from einvoice.mail import Deadlines, Deferred, Lost, Refused, Taken, smarthosts, submit
from tests.mail_server import CLOSE, SILENCE, mail_server
from tests.tables import each_row

PATIENT = Deadlines(connect=30, answer=30, end=30, total=60)
# Of a server that is silent at a step: the steps before it have time, however busy the machine.
BRIEF = {
    "CONNECT": Deadlines(0.05, 0.05, 0.05, 60),
    "RCPT": Deadlines(30, 0.05, 0.05, 60),
    "END": Deadlines(30, 30, 0.05, 60),
}
MESSAGE = b"From: a@example.com\r\nSubject: 17\r\n\r\n.begins with a point\r\nlast"


def submitted(*servers, message=MESSAGE, deadlines=PATIENT, sender="bounces+t1@example.com"):
    places = smarthosts(",".join(each.url for each in servers))
    return submit(
        message, sender, "buyer@example.org", places, envelope_id="t1=a", deadlines=deadlines
    )


def test_a_message_is_handed_over_with_its_return_path_and_asks_for_notices():
    """The server gets the bytes as they are, the size, and what DSN needs."""
    with mail_server() as server:
        outcome = submitted(server)

    assert isinstance(outcome, Taken)
    assert (outcome.reply.code, outcome.reply.text) == (250, "queued as 17")
    assert outcome.reply.enhanced == "2.0.0"
    assert server.messages == [MESSAGE.replace(b"\r\n.b", b"\r\n..b") + b"\r\n"]
    assert server.commands[1:3] == [
        f"mail FROM:<bounces+t1@example.com> SIZE={len(MESSAGE)} RET=HDRS ENVID=t1+3Da",
        "rcpt TO:<buyer@example.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;buyer@example.org",
    ]


@each_row(
    "step, reply, outcome, code",
    [
        ("CONNECT", "421 4.3.2 closing", Deferred, 421),
        ("CONNECT", "554 5.7.1 not you", Deferred, 554),
        ("MAIL", "451 4.3.0 later", Deferred, 451),
        ("MAIL", "530 5.7.0 log in", Deferred, 530),
        ("MAIL", "550 5.7.1 unknown sender", Refused, 550),
        ("RCPT", "450 4.2.1 greylisted", Deferred, 450),
        ("RCPT", "452 4.2.2 full", Deferred, 452),
        ("RCPT", "550 5.1.1 no such user", Refused, 550),
        ("DATA", "451 4.3.0 later", Deferred, 451),
        ("DATA", "554 5.5.1 no", Refused, 554),
        ("END", "451 4.7.1 later", Deferred, 451),
        ("END", "552 5.3.4 too large", Refused, 552),
        ("END", "250 ok", Taken, 250),
    ],
)
def test_the_code_of_a_step_decides(step, reply, outcome, code):
    """4xx is later, 5xx is final with the server's words; a greeting is about the server only."""
    with mail_server(**{step: reply}) as server:
        found = submitted(server)

    assert type(found) is outcome
    assert found.reply.code == code
    assert len(server.messages) == (step == "END")


@each_row(
    "step, reply, outcome",
    [
        ("CONNECT", CLOSE, Deferred),
        ("CONNECT", SILENCE, Deferred),
        ("CONNECT", "HTTP/1.1 403 Forbidden\r\n\r\n<html>", Deferred),
        ("EHLO", CLOSE, Deferred),
        ("MAIL", CLOSE, Deferred),
        ("RCPT", SILENCE, Deferred),
        ("RCPT", "x" * 100_000, Deferred),
        ("DATA", CLOSE, Deferred),
        ("END", CLOSE, Lost),
        ("END", SILENCE, Lost),
        ("END", "nonsense", Lost),
    ],
)
def test_a_lost_connection_is_unknown_only_after_the_end_of_the_message(step, reply, outcome):
    """Before the end the server has nothing; after it, it may have taken the message."""
    with mail_server(**{step: reply}) as server:
        deadlines = BRIEF[step] if reply == SILENCE else PATIENT
        assert type(submitted(server, deadlines=deadlines)) is outcome


def test_the_next_server_is_tried_when_one_has_nothing():
    """A server that is away, or takes it later, is passed over."""
    with mail_server(MAIL="451 later") as first, mail_server() as second:
        outcome = submitted(first, second)

    assert isinstance(outcome, Taken)
    assert (len(first.messages), len(second.messages)) == (0, 1)


@pytest.mark.parametrize("end", [CLOSE, "550 5.7.1 spam"])
def test_no_other_server_gets_what_one_may_have_or_has_refused(end):
    with mail_server(END=end) as first, mail_server() as second:
        submitted(first, second)

    assert not second.messages


def test_no_server_of_the_list_answers():
    """Nothing was sent: it is tried again later."""
    outcome = submit(
        MESSAGE, "", "b@example.org", smarthosts("smtp://127.0.0.1:1"), deadlines=PATIENT
    )

    assert isinstance(outcome, Deferred)
    assert outcome.reason.startswith("127.0.0.1:1")


def test_a_server_that_answers_a_byte_at_a_time_is_given_up():
    """The total holds whatever the server does between the bytes."""
    with mail_server(EHLO="\r\n".join(["250-slow"] * 200_000)) as server:
        outcome = submitted(server, deadlines=Deadlines(5, 5, 5, total=0.05))

    assert isinstance(outcome, Deferred)


def test_a_message_above_the_size_of_the_server_is_refused_before_it_is_sent():
    """The server has stated its bound; the words name it."""
    with mail_server() as server:
        outcome = submitted(server, message=b"x" * 1_000_001)

    assert isinstance(outcome, Refused)
    assert "1,000,000 bytes" in str(outcome.reply)
    assert not server.messages


def test_a_password_is_never_sent_without_tls():
    """A server that offers no STARTTLS, by itself or by an attacker, gets nothing."""
    with mail_server() as server:
        url = f"smtp://user:secret@127.0.0.1:{server.port}?tls=starttls"
        outcome = submit(MESSAGE, "", "b@example.org", smarthosts(url), deadlines=PATIENT)

    assert isinstance(outcome, Deferred)
    assert server.commands == ["ehlo " + server.commands[0].split()[1]]
    assert "secret" not in repr(smarthosts(url))


def test_a_server_with_another_certificate_gets_nothing(secured):
    """Certificates are verified: those of an unknown authority are the operator's to repair."""
    outcome = submit(MESSAGE, "", "b@example.org", smarthosts(secured.url), deadlines=Deadlines())

    assert isinstance(outcome, Deferred)
    assert outcome.configuration
    assert "certificate" in outcome.reason


@pytest.mark.parametrize(("password", "outcome"), [("right", Taken), ("wrong", Deferred)])
def test_a_login_over_tls(secured, password, outcome):
    """A wrong password is deferred, and the reason is the operator's."""
    url = secured.url.replace("user:right", f"user:{password}")
    found = submit(MESSAGE, "a@example.com", "b@example.org", smarthosts(url), trust=secured.trust)

    assert type(found) is outcome
    assert len(secured.messages) == (outcome is Taken)
    assert getattr(found, "configuration", True)


def test_the_signature_is_verified_by_the_public_key(signer, public_key):
    """What was signed cannot be changed, and no second From or Subject be added."""
    signed = signer.signed(MESSAGE)
    dns = {b"s1._domainkey.example.com.": b"v=DKIM1; k=rsa; p=" + public_key}

    def verified(message):
        return dkim.verify(message, dnsfunc=lambda name, timeout=5: dns[name])

    assert verified(signed)
    assert not verified(signed.replace(b"17", b"18"))
    assert not verified(b"Subject: another\r\n" + signed)
