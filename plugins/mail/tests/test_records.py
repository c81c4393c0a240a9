"""`einvoice doctor` says what is missing in DNS, in the form in which it is put there."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from einvoice.mail import Mailbox, Outgoing, Signer, smarthosts
from einvoice.network.checks import Level
from einvoice_mail import records
from tests.tables import each_row

DOMAIN = "operator.example"


@pytest.fixture(scope="module")
def outgoing():
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    sender = Mailbox(f"invoices@{DOMAIN}")
    return Outgoing(
        smarthosts("smtp://127.0.0.1"), sender, f"bounces@{DOMAIN}", Signer(DOMAIN, "s1", key)
    )


def complete(outgoing):
    return {
        DOMAIN: ["unrelated", "v=spf1 a:mail.operator.example -all"],
        f"s1._domainkey.{DOMAIN}": [f"v=DKIM1; k=rsa; p={records.public_key(outgoing.signer.key)}"],
        f"_dmarc.{DOMAIN}": ["v=DMARC1; p=reject"],
    }


@each_row(
    "changes, level, says",
    [
        ({}, Level.GOOD, "has the key that signs"),
        ({DOMAIN: []}, Level.ERROR, '"v=spf1 a:<your mail server> -all"'),
        ({DOMAIN: ["v=spf1 -all", "v=spf1 a -all"]}, Level.ERROR, "2 SPF records"),
        ({f"s1._domainkey.{DOMAIN}": []}, Level.ERROR, '"v=DKIM1; k=rsa; p=MI'),
        ({f"s1._domainkey.{DOMAIN}": ["v=DKIM1; p=AAAA"]}, Level.ERROR, "another key"),
        ({f"_dmarc.{DOMAIN}": []}, Level.WARNING, '"v=DMARC1; p=none'),
    ],
)
def test_each_missing_record_is_named_with_its_value(outgoing, changes, level, says):
    dns = complete(outgoing) | changes
    found = records.checked(outgoing, lambda name: dns.get(name, ()))

    assert found.level is level
    assert says in found.sentence


def test_a_relay_may_sign(outgoing):
    found = records.checked(replace(outgoing, signer=None), complete(outgoing).get)

    assert found.level is Level.WARNING
    assert "EINVOICE_MAIL_DKIM_KEY" in found.sentence


def test_dns_that_does_not_answer_is_no_fault_of_the_records(outgoing):
    def away(_):
        raise records.NoAnswer("Timeout")

    assert records.checked(outgoing, away).level is Level.WARNING


@each_row(
    "servers, level, says",
    [
        (["mx.operator.example"], Level.GOOD, "go to mx.operator.example"),
        ([], Level.ERROR, 'the MX record "10 <your mail server>"'),
        ([""], Level.ERROR, "no mail server"),  # "null MX": it takes no mail (RFC 7505)
    ],
)
def test_a_domain_without_a_mail_server_is_named(servers, level, says):
    found = records.checked_domain("in.operator.example", lambda _: servers)

    assert found.level is level
    assert says in found.sentence
