"""The client of SMPs: documents of a foreign SMP read, and every answer that must be refused."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from lxml import etree

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.http import Limits, Policy, Response
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import smp_documents
from einvoice_peppol.smp import InvalidMetadata, Smp
from einvoice_peppol.smp_documents import TYPE_ABSENT, Endpoint, InvalidDocument, NotOffered
from einvoice_peppol.trust import Anchors, Trust, seat_id
from plugins.peppol.tests import pki, smp_servers
from plugins.peppol.tests.smp_servers import endpoint, information, path_of, redirect, signed

VECTORS = Path(__file__).parent / "vectors" / "smp"
PARTICIPANT = ParticipantId("0208", "0123456749")
RECEIVER = pki.leaf(pki.ACCESS_POINTS, "POP000002")
SIGNER = pki.leaf(pki.SMPS, "POP000010", number=11)
OTHER_SIGNER = pki.leaf(pki.SMPS, "POP000011", number=12)
LOCAL = Policy(https_only=False, allow_private=True)
TRUST = Trust(pki.anchors(pki.ACCESS_POINTS), pki.anchors(pki.SMPS), Environment.TEST)
PINT = DocumentTypeId(
    "peppol-doctype-wildcard",
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:peppol:pint:billing-1*::2.1",
)


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: pki.NOW)


@pytest.fixture
def server():
    with smp_servers.serving() as running:
        yield running


def smp(policy=LOCAL, trust=TRUST, **limits):
    return Smp(trust, policy, limits=Limits(**{"total": 3.0, **limits}))


def ask(server, client=None, process=BIS_BILLING_PROCESS):
    return (client or smp()).endpoint(server.url, PARTICIPANT, BIS_INVOICE, process)


def offer(server, content, signer=SIGNER):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), signed(content, signer))


# -- documents of the JDK ------------------------------------------------------------------------


def foreign_trust():
    def read(name):
        return x509.load_pem_x509_certificate((VECTORS / f"{name}.pem").read_bytes())

    root = (read("root"),)
    return Trust(
        Anchors((read("ap-ca"),), root), Anchors((read("smp-ca"),), root), Environment.TEST
    )


def put_vector(server, name, document_type=BIS_INVOICE):
    server.put(path_of(PARTICIPANT, document_type), (VECTORS / f"{name}.xml").read_bytes())


def test_the_endpoint_of_a_foreign_smp_is_found(server):
    put_vector(server, "invoice")
    found = ask(server, smp(trust=foreign_trust()))

    assert isinstance(found, Endpoint)
    assert (found.address, seat_id(found.certificate)) == (
        "https://ap.example.org/as4",
        "POP000002",
    )


def test_the_document_types_of_a_foreign_smp_are_read(server):
    server.put(path_of(PARTICIPANT), (VECTORS / "group.xml").read_bytes())

    assert smp().document_types(server.url, PARTICIPANT) == (BIS_INVOICE, PINT)


def test_a_wildcard_of_a_foreign_smp_is_found_by_its_registered_type(server):
    put_vector(server, "wildcard", PINT)
    process = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing")
    client = smp(trust=foreign_trust())

    assert isinstance(client.endpoint(server.url, PARTICIPANT, PINT, process), Endpoint)


def test_an_endpoint_of_a_foreign_smp_that_has_expired_is_not_offered(server):
    put_vector(server, "expired")

    assert "not in force" in ask(server, smp(trust=foreign_trust())).reason


def test_metadata_signed_by_an_access_point_is_refused(server):
    put_vector(server, "signed-by-ap")

    with pytest.raises(InvalidMetadata, match="not issued by an authority for a publisher"):
        ask(server, smp(trust=foreign_trust()))


def test_an_endpoint_with_a_foreign_certificate_is_refused(server):
    other = ParticipantId("0208", "0000000098")
    content = (VECTORS / "foreign-endpoint.xml").read_bytes()
    server.put(path_of(other, BIS_INVOICE), content)

    with pytest.raises(InvalidMetadata, match="not issued by an authority for an access point"):
        smp(trust=foreign_trust()).endpoint(server.url, other, BIS_INVOICE, BIS_BILLING_PROCESS)


# -- the endpoint that fits ----------------------------------------------------------------------


@pytest.mark.parametrize("armour", [False, True])
def test_the_endpoint_of_the_process_and_transport_is_found(server, armour):
    """Some SMPs write the certificate with PEM armour and line breaks."""
    ours = endpoint(RECEIVER.certificate, armour=armour)
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate, transport="old"), ours))

    assert ask(server) == Endpoint("https://ap.example/as4", RECEIVER.certificate)


def test_a_type_that_is_not_registered_is_not_offered(server):
    assert isinstance(ask(server), NotOffered)


def test_another_process_is_not_offered(server):
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate)))
    process = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing_with_response")

    assert "in the process" in ask(server, process=process).reason


def test_another_transport_is_not_offered(server):
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate, transport="busdox-as2")))

    assert "does not offer peppol-transport-as4-v2_0" in ask(server).reason


def date(name, days):
    moment = pki.NOW + timedelta(days=days)
    return f"<{name}>{moment.isoformat()}</{name}>"


@pytest.mark.parametrize(
    ("dates", "active"),
    [
        ("", True),
        (date("ServiceActivationDate", -1), True),
        (date("ServiceActivationDate", 1), False),
        (date("ServiceExpirationDate", 1), True),
        (date("ServiceExpirationDate", -1), False),
        ("<ServiceActivationDate>2026-11-22T00:00:00</ServiceActivationDate>", True),
        ("<ServiceExpirationDate>2026-11-22T14:00:00+03:00</ServiceExpirationDate>", False),
        ("<ServiceExpirationDate> </ServiceExpirationDate>", True),
    ],
)
def test_an_endpoint_counts_from_its_activation_to_its_expiration(server, dates, active):
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate, dates=dates)))

    assert isinstance(ask(server), Endpoint if active else NotOffered)


def test_of_two_endpoints_the_active_one_is_found(server):
    """An access point that moves registers its new endpoint beside the old one."""
    old = endpoint(RECEIVER.certificate, "https://old", dates=date("ServiceExpirationDate", -1))
    offer(server, information(PARTICIPANT, old, endpoint(RECEIVER.certificate, "https://new")))

    assert ask(server).address == "https://new"


# -- redirects -----------------------------------------------------------------------------------


@pytest.fixture
def other_server():
    with smp_servers.serving() as running:
        yield running


@pytest.mark.parametrize("uid", ["POP000011", "CN=POP000011,O=Throw-away,C=BE"])
def test_a_redirect_is_followed_to_the_smp_that_it_names(server, other_server, uid):
    offer(server, redirect(f"{other_server.url}/x", uid))
    other_server.put(
        "/x", signed(information(PARTICIPANT, endpoint(RECEIVER.certificate)), OTHER_SIGNER)
    )

    assert isinstance(ask(server), Endpoint)


def test_a_redirect_to_an_smp_of_another_certificate_is_refused(server, other_server):
    offer(server, redirect(f"{other_server.url}/x", "POP000012"))
    other_server.put(
        "/x", signed(information(PARTICIPANT, endpoint(RECEIVER.certificate)), OTHER_SIGNER)
    )

    with pytest.raises(InvalidMetadata, match="not 'POP000012'"):
        ask(server)


def test_a_second_redirect_is_refused(server, other_server):
    offer(server, redirect(f"{other_server.url}/x", "POP000011"))
    other_server.put("/x", signed(redirect(f"{server.url}/y", "POP000010"), OTHER_SIGNER))

    with pytest.raises(InvalidMetadata, match="a second time"):
        ask(server)
    assert server.asked == [path_of(PARTICIPANT, BIS_INVOICE)]


def test_a_redirect_to_nothing_is_not_offered(server, other_server):
    offer(server, redirect(f"{other_server.url}/x", "POP000011"))

    assert isinstance(ask(server), NotOffered)


def test_a_redirect_of_http_is_not_followed(server, other_server):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"", 302, location=f"{other_server.url}/x")

    with pytest.raises(DirectoryUnavailable, match="302"):
        ask(server)
    assert other_server.asked == []


def test_one_redirect_of_http_within_the_host_is_followed(server):
    """Publishers have moved to other paths; a second redirect, and one to itself, is none."""
    path, other = path_of(PARTICIPANT, BIS_INVOICE), "/smp" + path_of(PARTICIPANT, BIS_INVOICE)
    content = signed(information(PARTICIPANT, endpoint(RECEIVER.certificate)), SIGNER)
    server.put(path, b"", 301, location=other)
    server.put(other, content)

    assert isinstance(ask(server), Endpoint)
    for target in (other, "", "http://[::1"):
        server.put(other, b"", 302, location="/third")
        server.put(path, b"", 302, location=target)
        with pytest.raises(DirectoryUnavailable, match=r"302|refused"):
            ask(server)


@pytest.mark.parametrize(
    ("address", "target", "followed"),
    [
        ("https://smp.example/a", "https://smp.example/b", "https://smp.example/b"),
        ("https://smp.example/a", "/b", "https://smp.example/b"),
        ("https://smp.example/a", "http://smp.example/b", "https://smp.example/b"),
        ("https://smp.example/a", "http://smp.example:80/b", "https://smp.example/b"),
        ("https://smp.example/a", "https://other.example/a", None),
        ("https://smp.example/a", "https://smp.example:8443/a", None),
        ("https://smp.example/a", "//other.example/a", None),
        ("https://smp.example/a", "ftp://smp.example/a", None),
        ("https://smp.example/a", "", None),
    ],
)
def test_a_redirect_of_http_leads_to_the_same_host_over_https_only(address, target, followed):
    moved = Response(301, {"location": target}, b"")
    client = smp(Policy(https_only=True, ports=(443,)))
    if followed is not None:
        assert client._moved_to(address, moved) == followed
        return
    with pytest.raises(DirectoryUnavailable, match="301"):
        client._moved_to(address, moved)


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://smp.example", "https://smp.example"),
        ("http://smp.example:80/a", "https://smp.example/a"),
        ("https://smp.example/a", "https://smp.example/a"),
        ("http://smp.example:8080", "https://smp.example:8080"),
    ],
)
def test_an_address_of_http_is_asked_over_https(address, asked):
    """NAPTR records of before 2026 say http://. A closed network may have http."""
    assert smp(Policy(https_only=True, ports=(443,)))._secured(address) == asked
    assert smp()._secured(address) == address


@pytest.mark.parametrize(
    ("body", "headers", "is_page"),
    [
        (b"", {}, False),
        (b"<Error/>", {"content-type": "application/xml"}, False),
        (b"not found", {"content-type": "text/plain"}, False),
        (b"<html><h1>Not found</h1>", {}, True),
        (b"\n<!DOCTYPE HTML><title>404</title>", {}, True),
        (b"gone", {"content-type": "text/html; charset=utf-8"}, True),
    ],
)
@pytest.mark.parametrize("status", [404, 410])
def test_an_absence_that_a_proxy_may_have_reported_is_doubtful(
    server, status, body, headers, is_page
):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), body, status, **headers)

    assert ask(server) == NotOffered(TYPE_ABSENT, may_return=is_page)


# -- answers that are refused --------------------------------------------------------------------


_METADATA = information(PARTICIPANT, endpoint(RECEIVER.certificate))
UNSIGNED = (
    f'<SignedServiceMetadata xmlns="{smp_servers.SMP}"><ServiceMetadata>{_METADATA}'
    "</ServiceMetadata></SignedServiceMetadata>"
).encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<html><body>Welcome</body></html>", "not signed"),
        (b"<html><br></html>", "not XML"),
        (UNSIGNED, "not signed"),
        (b"", "not XML"),
        (b"{}", "not XML"),
    ],
)
def test_what_is_not_signed_metadata_is_refused(server, content, words):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), content)

    with pytest.raises(InvalidMetadata, match=words):
        ask(server)


def test_metadata_of_another_participant_is_refused(server):
    other = ParticipantId("0208", "0000000097")
    offer(server, information(other, endpoint(RECEIVER.certificate)))

    with pytest.raises(InvalidMetadata, match="about the participant '0208:0000000097'"):
        ask(server)


def test_metadata_of_another_document_type_is_refused(server):
    content = information(
        PARTICIPANT, endpoint(RECEIVER.certificate), document_type=BIS_CREDIT_NOTE
    )
    offer(server, content)

    with pytest.raises(InvalidMetadata, match="about the document type"):
        ask(server)


def test_the_participant_is_compared_without_case(server):
    upper = ParticipantId("9915", "TEST")
    server.put(
        path_of("9915:test", BIS_INVOICE),
        signed(information(upper, endpoint(RECEIVER.certificate)), SIGNER),
    )

    found = smp().endpoint(server.url, upper, BIS_INVOICE, BIS_BILLING_PROCESS)
    assert isinstance(found, Endpoint)


def test_a_publisher_whose_certificate_has_expired_is_refused(server):
    expired = pki.leaf(pki.SMPS, until=timedelta(days=-1))
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate)), expired)

    with pytest.raises(InvalidMetadata, match="expired"):
        ask(server)


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (pki.leaf(pki.ACCESS_POINTS, until=timedelta(days=-1)), "expired"),
        (pki.leaf(pki.SMPS), "not issued by an authority for an access point"),
        (pki.leaf(pki.FOREIGN), "not issued"),
    ],
)
def test_an_access_point_that_is_not_trusted_is_refused(server, identity, words):
    offer(server, information(PARTICIPANT, endpoint(identity.certificate)))

    with pytest.raises(InvalidMetadata, match=words):
        ask(server)


def test_an_access_point_at_a_private_address_is_refused_in_live(server):
    """The policy of live allows public addresses by https only; here for the endpoint alone."""
    offer(server, information(PARTICIPANT, endpoint(RECEIVER.certificate, "https://10.0.0.1/as4")))
    client = smp()
    client._policy = Policy()

    with pytest.raises(InvalidMetadata, match="not a public address"):
        ask(server, client)


def test_a_publisher_at_a_private_address_is_not_asked_in_live(server):
    with pytest.raises(DirectoryUnavailable):
        ask(server, smp(Policy()))
    assert server.asked == []


def test_ten_megabytes_are_not_read(server):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"<a>" + b" " * 10_000_000 + b"</a>")

    with pytest.raises(DirectoryUnavailable, match="longer than"):
        ask(server)


@pytest.mark.parametrize("status", [500, 502, 503, 401, 400])
def test_an_error_of_the_smp_is_an_outage(server, status):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"", status)
    server.put(path_of(PARTICIPANT), b"", status)

    with pytest.raises(DirectoryUnavailable):
        ask(server)
    with pytest.raises(DirectoryUnavailable):
        smp().document_types(server.url, PARTICIPANT)


def test_an_smp_that_refuses_connections_is_an_outage():
    with pytest.raises(DirectoryUnavailable):
        smp().document_types("http://127.0.0.1:9", PARTICIPANT)


@contextmanager
def speaking(speak):
    """The address of a server that lets the function handle each connection."""

    def serve():
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                Thread(target=handled, args=(connection,), daemon=True).start()

    def handled(connection):
        with suppress(OSError), connection:
            connection.recv(65536)
            speak(connection)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def drip(connection):
    """A head, and a byte of the body every tenth of a second."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b" ")
        time.sleep(0.1)


def keep_silent(connection):
    connection.recv(1)


def cut_off(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<Signed")


@pytest.mark.parametrize("speak", [keep_silent, drip, cut_off])
def test_an_smp_that_does_not_answer_in_time_is_an_outage(speak):
    """The limit is of the whole exchange, so slow bytes do not extend it."""
    begun = time.monotonic()
    with speaking(speak) as address, pytest.raises(DirectoryUnavailable):
        smp(total=0.5).document_types(f"http://{address}", PARTICIPANT)
    assert time.monotonic() - begun < 30  # all bytes of the slow one take a hundred


def test_an_smp_whose_tls_fails_is_an_outage():
    """It speaks plain HTTP at an address with https."""
    with speaking(cut_off) as address, pytest.raises(DirectoryUnavailable):
        smp().document_types(f"https://{address}", PARTICIPANT)


# -- the group of a participant ------------------------------------------------------------------


def test_a_participant_without_a_group_is_not_registered(server):
    assert smp().document_types(server.url, PARTICIPANT) == NotRegistered()


def test_a_group_of_another_participant_is_refused(server):
    server.put(path_of(PARTICIPANT), smp_servers.group("0208:0000000097", BIS_INVOICE))

    with pytest.raises(InvalidMetadata):
        smp().document_types(server.url, PARTICIPANT)


def test_another_document_than_a_group_is_refused(server):
    server.put(path_of(PARTICIPANT), b"<html/>")

    with pytest.raises(InvalidMetadata, match="not a ServiceGroup"):
        smp().document_types(server.url, PARTICIPANT)


def test_references_of_another_form_are_left_out_and_the_others_bounded():
    types = [
        DocumentTypeId("busdox-docid-qns", f"a{n}") for n in range(smp_documents.MAX_TYPES + 1)
    ]
    content = smp_servers.group(PARTICIPANT, *types)
    few = content.replace(b"/services/", b"/elsewhere/", 1)

    assert len(smp_documents.document_types(etree.fromstring(content), PARTICIPANT)) == 1000
    assert smp_documents.document_types(etree.fromstring(few), PARTICIPANT)[0].value == "a1"


def test_a_date_that_cannot_be_read_is_refused():
    dates = "<ServiceExpirationDate>soon</ServiceExpirationDate>"
    content = signed(information(PARTICIPANT, endpoint(RECEIVER.certificate, dates=dates)), SIGNER)
    now = datetime(2026, 11, 22, tzinfo=UTC)

    with pytest.raises(InvalidDocument, match="ServiceExpirationDate"):
        smp_documents.metadata(
            etree.fromstring(content), PARTICIPANT, BIS_INVOICE, BIS_BILLING_PROCESS, now
        )
