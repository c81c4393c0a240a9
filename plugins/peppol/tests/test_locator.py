"""The client of the SML: its requests are those of peppol-sml-client, and what answers mean."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from lxml import etree

from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Policy
from einvoice_peppol import locator
from einvoice_peppol.identity import Identity
from einvoice_peppol.locator import (
    Locator,
    LocatorAway,
    LocatorRefused,
    NotAuthorized,
    Unregistered,
)
from einvoice_peppol.practice import sml as practice_sml
from einvoice_peppol.practice.network import certificates_pem
from einvoice_peppol.practice.sml import Registry

RECORDED = sorted((Path(__file__).parent / "sml_requests").glob("*.xml"))
ONE, OTHER = ParticipantId("0208", "0403170701"), ParticipantId("0208", "0848934496")
OPEN = Policy(https_only=False, allow_private=True)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        peer = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else None
        self.server.asked.append((self.path, dict(self.headers), body, peer))
        status, kind, content = self.server.answer
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def serving(tls=None):
    """A server that keeps requests, and gives `answer` (status, content type, body)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.asked, server.answer = [], (200, "text/xml", locator.envelope(""))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def smp_identity(pki):
    return Identity(pki.smp.certificate, pki.smp.key)


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture
def sml(server, smp_identity):
    return Locator(f"http://127.0.0.1:{server.server_port}/", "RIG-SMP", smp_identity, OPEN)


def self_signed(address, folder):
    """Files with the key and certificate of a server at an IP address."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, address)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    files = folder / "server.key", folder / "server.pem"
    files[0].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    files[1].write_bytes(made.public_bytes(Encoding.PEM))
    return files


CALLS = (
    lambda sml: sml.create_smp("https://smp.example.org", "127.0.0.1"),
    lambda sml: sml.read_smp(),
    lambda sml: sml.update_smp("https://smp2.example.org", "127.0.0.1"),
    lambda sml: sml.create(ONE),
    lambda sml: sml.create_list([ONE, OTHER]),
    lambda sml: list(sml.list()),
    lambda sml: sml.prepare_to_migrate(ONE, "xS7[gE0(XegFU^j[VBA7)}9l"),
    lambda sml: sml.migrate(ONE, "AbCdEf12#%"),
    lambda sml: sml.delete(ONE),
    lambda sml: sml.delete_smp(),
)


def _canonical(content):
    return etree.tostring(etree.fromstring(content), method="c14n", exclusive=True)


def test_each_request_is_that_of_the_reference_client(sml, server):
    """Path, action and message of each of the ten calls of peppol-sml-client 9.5.1."""
    wrong = []
    assert len(RECORDED) == len(CALLS)
    for path, call in zip(RECORDED, CALLS, strict=True):
        call(sml)
        asked, headers, body, _ = server.asked[-1]
        note, _, recorded = path.read_text().partition("-->\n")
        seen = f"<!-- POST {asked} SOAPAction: {headers['soapaction']} "
        if (seen, _canonical(body)) != (note, _canonical(recorded.encode())):
            wrong.append((path.name, seen, note, body))

    assert wrong == []


def fault(kind, words="No."):
    return (500, "text/xml", locator.envelope(practice_sml._fault(kind, words)))


ANSWERS = {
    "done": ((200, "text/xml", locator.envelope("")), None),
    "done, with nothing": ((200, "text/xml", b""), None),
    "accepted": ((202, "text/xml", b""), None),
    "of another": (fault("UnauthorizedFault"), NotAuthorized),
    "unknown": (fault("NotFoundFault"), Unregistered),
    "bad": (fault("BadRequestFault"), LocatorRefused),
    "failed": (fault("InternalErrorFault"), LocatorAway),
    "unknown fault": (fault("SomethingFault"), LocatorAway),
    "no certificate": ((403, "text/html", b"<html>Forbidden</html>"), NotAuthorized),
    "a page": ((200, "text/html", b"<html>Login</html>"), LocatorAway),
    "a page with an error": ((502, "text/html", b"<html>Bad gateway</html>"), LocatorAway),
    "nothing": ((500, "text/xml", b""), LocatorAway),
    "a redirect": ((302, "text/html", b""), LocatorAway),
    "other XML": ((200, "text/xml", b"<a/>"), LocatorAway),
    "entities": ((200, "text/xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), LocatorAway),
    "hostile": ((500, "text/xml", b"<a>" * 30_000), LocatorAway),
}


def test_each_answer_has_its_meaning(sml, server):
    wrong = {}
    for name, (answer, expected) in ANSWERS.items():
        server.answer, found = answer, None
        try:
            sml.create(ONE)
        except (LocatorAway, LocatorRefused) as raised:
            found = type(raised)
        if found is not expected:
            wrong[name] = found

    assert wrong == {}


def test_what_it_refuses_is_told_in_its_words(sml, server):
    server.answer = fault("BadRequestFault", "The participant\n exists. " + "x" * 1000)

    with pytest.raises(LocatorRefused) as raised:
        sml.create(ONE)
    assert str(raised.value).startswith("The participant exists. xxx")
    assert len(str(raised.value)) == 300


def test_an_sml_that_is_away_is_no_refusal(smp_identity):
    sml = Locator("http://127.0.0.1:9", "RIG-SMP", smp_identity, OPEN)

    with pytest.raises(LocatorAway):
        sml.create(ONE)


def test_the_sml_sees_the_certificate_of_the_smp(pki, smp_identity, tmp_path):
    """Mutual TLS: it knows an SMP by nothing else. The key is in no file of a disk."""
    roots = tmp_path / "roots.pem"
    key, certificate = self_signed("127.0.0.1", tmp_path)
    roots.write_bytes(certificates_pem(pki.publishers, pki.root) + certificate.read_bytes())
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    tls.load_verify_locations(roots)
    tls.verify_mode = ssl.CERT_REQUIRED
    with serving(tls) as server:
        address = f"https://127.0.0.1:{server.server_port}"
        Locator(address, "RIG-SMP", smp_identity, OPEN, str(certificate)).create(ONE)

        (_, _, _, peer) = server.asked[0]
    assert int(peer["serialNumber"], 16) == smp_identity.certificate.serial_number


# -- the SML of the practice network ---------------------------------------------------------------


@pytest.fixture
def registry():
    return Registry()


@pytest.fixture
def practice(registry, smp_identity):
    """A function from the id of an SMP to its client."""
    with practice_sml.serving(registry) as (address, _):
        yield lambda name: Locator(address, name, smp_identity, OPEN)


def test_an_smp_is_registered_changed_and_removed_with_its_participants(practice, registry):
    sml = practice("ONE")
    with pytest.raises(Unregistered):
        sml.create(ONE)
    sml.create_smp("https://smp.example")
    with pytest.raises(LocatorRefused):
        sml.create_smp("https://smp.example")
    sml.update_smp("https://smp2.example")
    assert sml.read_smp().logical_address == "https://smp2.example"
    sml.create(ONE)
    sml.delete_smp()

    assert (registry.smps, registry.participants) == ({}, {})


def test_all_participants_are_listed_over_pages(practice, monkeypatch):
    monkeypatch.setattr(practice_sml, "PAGE", 3)
    sml = practice("ONE")
    sml.create_smp("https://smp.example")
    names = [ParticipantId("0088", f"{9520000000000 + number}") for number in range(7)]
    sml.create_list(names)

    assert list(sml.list()) == [str(name) for name in names]


def test_every_new_key_is_one_that_the_sml_takes():
    keys = {locator.new_key() for _ in range(50)}

    assert len(keys) == 50
    assert all(locator.is_key(key) and key[0].isalnum() for key in keys)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("xS7[gE0(XegFU^j[VBA7)}9l", True),
        ("AbCdEf12#%", True),
        ("AbC12#%d", True),
        ("AbC12#%", False),
        ("AbCdEf12#", False),
        ("AbcdEf1##%", False),
        ("abCdef12#%", False),
        ("AbCdEf12#% ", False),
        ("AbCdEf12#%" + "a" * 15, False),
        ("", False),
    ],
)
def test_a_key_has_two_of_each_kind_of_characters(key, expected):
    assert locator.is_key(key) is expected
