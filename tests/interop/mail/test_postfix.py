"""The network mail at a real Postfix: its words, its notices (DSN), its deliveries."""

from __future__ import annotations

import time
import uuid

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from einvoice.mail import Signer
from einvoice.network.types import Delivered, Rejected, ResponseStatus
from einvoice_mail import records
from einvoice_mail.access_point import token_of
from einvoice_mail.notices import Desk
from einvoice_mail.receiver import LmtpService, Office
from einvoice_mail.spool import Spool
from einvoice_mail.suppression import Suppression
from plugins.mail.tests import mails
from plugins.mail.tests.test_notices import Kept
from tests.interop.mail import postfix
from tests.memory_store import MemoryStore
from tests.ports import free_port

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not postfix.is_installed(), reason="needs Postfix, and root"),
]


@pytest.fixture
def inbox():
    return Kept()


@pytest.fixture
def server(tmp_path, open_folder, inbox):
    bounces = "bounces@operator.example"
    desk = Desk(inbox, "mail", Suppression(MemoryStore(), "mail"))
    office = Office(None, (), {"mail": desk}, bounces, Spool(tmp_path / "spool"))
    service = LmtpService(office, "127.0.0.1", 0)
    service.start()
    port = free_port()
    folder = open_folder / uuid.uuid4().hex
    with postfix.running(folder, port, bounces=bounces, lmtp_port=service.port) as running:
        yield running
    service.stop()


def submitted(point, address):
    envelope = mails.an_envelope(address)
    return envelope, point.submit(envelope, point.prepare(envelope))


def until(condition):
    for _ in range(200):
        if found := condition():
            return found
        time.sleep(0.1)
    raise TimeoutError


def test_a_mail_is_delivered_as_it_was_signed(server):
    """The signature survives a real mail server, and the Message-ID is the transmission's."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    point = mails.an_access_point(server.url)
    object.__setattr__(point._outgoing, "signer", Signer("operator.example", "s1", key))
    envelope, outcome = submitted(point, f"buyer@{postfix.DOMAIN}")
    [received] = until(server.mails)

    record = f"v=DKIM1; k=rsa; p={records.public_key(key)}".encode()
    assert isinstance(outcome, Delivered)
    assert token_of(envelope).encode() in received
    # What the mail server adds stands above the signed fields.
    assert dkim.verify(received, dnsfunc=lambda name, timeout=5: record)


def test_a_refusal_has_the_words_of_the_server(server):
    _, outcome = submitted(mails.an_access_point(server.url), f"refused@{postfix.DOMAIN}")

    assert isinstance(outcome, Rejected)
    assert "5.1.1" in outcome.reason
    assert "no such user" in outcome.reason


def test_a_notice_of_postfix_is_read(server, inbox):
    """What was taken and could not be delivered comes back by LMTP to its transmission."""
    envelope, outcome = submitted(mails.an_access_point(server.url), f"gone@{postfix.DOMAIN}")
    [(_, reference, refused)] = until(lambda: inbox.settled)

    assert isinstance(outcome, Delivered)
    assert reference == envelope.transmission_id
    assert refused.code == "5.1.1"
    assert "there is no such address here" in refused.reason
    response = refused.evidence[0].response
    assert (response.status, response.by) == (
        ResponseStatus.UNDELIVERABLE,
        f"gone@{postfix.DOMAIN}",
    )
