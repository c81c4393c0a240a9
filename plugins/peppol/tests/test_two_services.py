"""Two services on one machine with a network of their own: an invoice from the one to the other.

All processes run: web, relay and workers of both, dnsmasq as SML, an SMP, and a PKI made in the
run. Only HTTP and the commands of operators are used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import entry_points

import as4_samples
import pytest
import requests
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice.documents import pdf
from einvoice.domain.identifiers import FRENCH_OTHER_PROCESS, PDF_INVOICE, ParticipantId
from einvoice.network import samples
from einvoice_peppol import sbdh
from einvoice_peppol.as4 import answers
from einvoice_peppol.as4.names import EB
from plugins.peppol.tests import two_services
from tests.documents.pdf.samples import ACME, an_invoice
from tests.sandbox import a_body
from tests.web.submission.documents import CII_SENDER, cii, request_of

BUYER = ParticipantId("0208", "0403019261")
READS_PDFS = ParticipantId("9915", "reads-pdfs")  # and nothing else

pytestmark = [
    pytest.mark.long,  # fifteen processes
    pytest.mark.skipif(
        not any(one.name == "peppol" for one in entry_points(group="einvoice")),
        reason="plugins/peppol is not installed (make installs it)",
    ),
]


@pytest.fixture(scope="module")
def network(pki, tmp_path_factory):
    """The SMP and the settings that both services share."""
    folder = tmp_path_factory.mktemp("network")
    with two_services.closed_network(pki, folder, BUYER, READS_PDFS) as made:
        yield made


@pytest.fixture(scope="module")
def sides(network, pki, tmp_path_factory):
    """The sender's service and the receiver's."""
    smp, shared = network
    with ExitStack() as running:
        made = []
        for leaf in (pki.c2, pki.c3):
            directory = tmp_path_factory.mktemp("service")
            made.append(running.enter_context(two_services.running(directory, leaf, shared)))
        url = made[1].endpoint
        two_services.register(smp, BUYER, pki.c3, url, pki)
        kind = (PDF_INVOICE, FRENCH_OTHER_PROCESS)
        two_services.register(smp, READS_PDFS, pki.c3, url, pki, *kind)
        yield made


@pytest.fixture(scope="module")
def delivered(sides):
    """The answer of the send and the invoice, once it is delivered."""
    sender, receiver = sides
    words = ("participants", "add", receiver.tenant, str(BUYER), "--environment", "test")
    two_services.command(receiver.stack, *words)
    found = sender.get(f"/api/participants/lookup?participantId={BUYER}")
    body = a_body(str(BUYER), found["accessPointRef"])
    answer = sender.call("POST", "/api/invoices/send", json=body).json()
    path = f"/api/invoices/{answer['invoiceId']}"
    return path, sender.when(path, lambda one: one["networkStatus"] != "Processing")


def test_an_invoice_is_delivered(delivered):
    _, invoice = delivered

    assert invoice["networkStatus"] == "Delivered", invoice


def test_it_is_a_bill_of_the_receiver(sides, delivered):
    """With the number of the sender."""
    bills = sides[1].when("/api/invoices?direction=received", lambda found: found["items"])
    numbers = [bill["number"] for bill in bills["items"]]

    assert numbers == [delivered[1]["number"]]


def test_the_receipt_is_an_artefact_that_xmlsec1_verifies(sides, delivered, pki, tmp_path):
    path, _ = delivered
    items = sides[0].get(f"{path}/artefacts")["items"]
    (receipt,) = [item["artefactId"] for item in items if item["type"] == "RECEIPT"]
    content = sides[0].call("GET", f"{path}/artefacts/{receipt}").content
    (tmp_path / "receipt.xml").write_bytes(content)
    (tmp_path / "c3.pem").write_bytes(pki.c3.certificate.public_bytes(Encoding.PEM))

    assert answers.read(content).has_receipt
    if shutil.which("xmlsec1") is None:
        pytest.skip("xmlsec1 is not installed")
    ids = (f"{EB}:Messaging", "http://www.w3.org/2003/05/soap-envelope:Body")
    options = [part for each in ids for part in ("--id-attr:Id", each)]
    command = ["xmlsec1", "--verify", "--pubkey-cert-pem", "c3.pem", *options, "receipt.xml"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_a_factur_x_arrives_as_the_pdf_that_it_is(sides, delivered):
    """At a receiver whose SMP lists nothing else; its bill is read from the attachment."""
    sender, receiver = sides
    words = ("participants", "add", receiver.tenant, str(READS_PDFS), "--environment", "test")
    two_services.command(receiver.stack, *words)
    own = b">urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<"
    xml = cii(receiver=str(READS_PDFS)).replace(own, b">urn:cen.eu:en16931:2017<")
    made = pdf.render_factur_x(an_invoice(), ACME, xml)
    body = request_of(made, str(READS_PDFS), sender={"peppolId": CII_SENDER}, format="auto")
    answer = sender.call("POST", "/v1/invoices", json=body).json()
    path = f"/v1/invoices/{answer['id']}"
    sent = sender.when(path, lambda one: one["networkStatus"] != "Processing")
    bills = receiver.when(
        "/api/invoices?direction=received",
        lambda found: [bill for bill in found["items"] if bill["number"] == "2026-1001"],
    )
    (bill,) = [bill for bill in bills["items"] if bill["number"] == "2026-1001"]
    place = f"/api/invoices/{bill['invoiceId']}/artefacts"
    items = receiver.get(place)["items"]
    (original,) = [item["artefactId"] for item in items if item["type"] == "ORIGINAL"]

    assert sent["networkStatus"] == "Delivered", sent
    assert receiver.call("GET", f"{place}/{original}").content == made


# -- over the socket -------------------------------------------------------------------------------


@pytest.fixture
def message(c2, c3):
    """Messages for a participant without an owner here, and for the buyer."""

    def _message(receiver=BUYER, document=None, **changes):
        given = as4_samples.header(receiver=receiver, **changes)
        payload = sbdh.write(given, document or samples.envelope().document)
        return as4_samples.sent(c2, c3, payload, receiver=receiver).content

    return _message


def posted(side, content, *, chunked=False):
    """The answer to a message; chunked: without a stated length."""
    parts = (content.body[at : at + 50_000] for at in range(0, len(content.body), 50_000))
    body = parts if chunked else content.body
    headers = {"content-type": content.content_type}
    return requests.post(side.endpoint, data=body, headers=headers, timeout=120)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_message_is_taken_with_and_without_a_length(sides, delivered, message, chunked):
    """Twelve megabytes that do not compress: the body is on disk."""
    noise = b"<!--" + os.urandom(6_000_000).hex().encode() + b"--></Invoice>"
    document = samples.envelope().document.replace(b"</Invoice>", noise)
    content = message(document=document)
    answer = answers.read(posted(sides[1], content, chunked=chunked).content)

    assert len(content.body) > 6_000_000
    assert answer.has_receipt, answer.errors


@pytest.mark.parametrize("chunked", [False, True])
def test_a_hundred_and_ten_megabytes_are_refused(sides, message, chunked):
    """With a length at once, without one when the limit is reached."""
    content = message()
    try:
        refused = posted(
            sides[1],
            replace(content, body=content.body + bytes(115_000_000)),
            chunked=chunked,
        )
    except requests.ConnectionError:
        return  # the service closed the connection while the body was still being sent
    assert refused.status_code == 413


def test_a_participant_that_is_not_served_here(sides, message):
    content = message(ParticipantId("0208", "0000000097"))
    (error,) = answers.read(posted(sides[1], content).content).errors

    assert (error.code, error.detail) == ("EBMS:0004", "PEPPOL:NOT_SERVICED")


def test_a_message_that_is_cut_off_is_refused(sides, message):
    """At every thousandth byte, and nothing else stops working."""
    content = message()
    for end in range(0, len(content.body) - 4, 1000):
        cut = replace(content, body=content.body[:end])
        assert posted(sides[1], cut).status_code in (200, 400)
    assert answers.read(posted(sides[1], content).content).has_receipt


# -- kills -----------------------------------------------------------------------------------------

SENDS, KILLS = 100, 12


def test_kills_on_both_sides_lose_and_repeat_nothing(sides, delivered):
    """Every accepted invoice is delivered, and is one bill of the receiver."""
    sender, receiver = sides
    reference = sender.get(f"/api/participants/lookup?participantId={BUYER}")["accessPointRef"]
    victims = [
        (sender, "worker-waited-0"), (receiver, "web"), (sender, "worker-bulk-0"),
        (receiver, "relay"), (sender, "worker-chores-0"), (sender, "relay"),
    ]  # fmt: skip
    sent = []
    for number in range(SENDS):
        body = a_body(str(BUYER), reference)
        headers = {"Prefer": "respond-async", "Idempotency-Key": f"kill-{number}"}
        answer = sender.call("POST", "/api/invoices/send", json=body, headers=headers).json()
        sent.append((answer["invoiceId"], body["invoice"]["number"]))
        if number % (SENDS // KILLS) == 0:
            side, name = victims[number // (SENDS // KILLS) % len(victims)]
            side.restart(name)

    for invoice, _ in sent:
        path = f"/api/invoices/{invoice}"
        found = sender.when(path, lambda one: one["networkStatus"] != "Processing")
        assert found["networkStatus"] == "Delivered", found
    assert Counter(receiver.bills()) >= Counter(number for _, number in sent)
    assert Counter(receiver.bills()).most_common(1)[0][1] == 1
