"""PEF in the service: named by the sender, sent as submitted, and received as bills."""

from __future__ import annotations

import pytest

import einvoice_loopback
from einvoice.documents import conversion
from einvoice.documents.ubl.read import read_invoice
from einvoice.xml import parse
from plugins.ksef.tests import company, official
from tests.networks.ksef import samples
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.client import Client
from tests.networks.ksef.selling import Plugin, a_send, connect, status_of, words_of, worked
from tests.web.caller import Caller, slug
from tests.web.submission.documents import encoded
from tests.workers import fetch_mailboxes

RECEIVER = f"9945:PL{company.BUYER}"
SENDER = f"9945:{company.SELLER}"


@pytest.fixture
def authority():
    made = Authority()
    made.grant(("Nip", company.SELLER), ("PeppolId", company.PROVIDER), "PefInvoicing")
    return made


@pytest.fixture
def app(make_app, service):
    return make_app([Plugin(service.url, provider=True), einvoice_loopback])


@pytest.fixture
def seller(app, authority, move):
    """A company with a connection to each of the networks."""
    caller = Caller(app)
    connect(caller, {"token": authority.issue_token(company.SELLER)})
    connection = connect_pef(caller, {"token": authority.issue_token(company.SELLER)})
    assert connection.state == "active", connection.reason
    return caller


def connect_pef(caller, credentials, nip=company.SELLER):
    return connect(caller, credentials, nip, "ksef-pef")


def a_pef_send(number, **invoice):
    body = a_send(number, buyerReference="4711", **invoice)
    body["routing"] |= {"network": "ksef-pef", "receiverParticipantId": RECEIVER}
    return body


def a_submission(document, **fields):
    body = {
        "format": "ubl",
        "network": "ksef-pef",
        "sender": {"peppolId": SENDER},
        "invoice": encoded(document),
    }
    return body | fields


def document(number, written=samples.pef):
    """A document that BIS Billing takes, written otherwise than by the service."""
    reference = b"<cbc:BuyerReference>4711</cbc:BuyerReference>"
    after = b"</cbc:DocumentCurrencyCode>"
    text = written(number).replace(after, after + reference)
    address = b"<cac:PostalAddress>"
    text = text.replace(address, address + b"<cbc:StreetName>ul. Kwiatowa 1</cbc:StreetName>")
    for nip in (company.SELLER, company.BUYER):
        text = text.replace(b'schemeID="0088">1<', b'schemeID="9945">' + nip.encode() + b"<", 1)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- of another program -->\n' + text


def submitted(caller, body) -> str:
    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    return answer.json["id"]


def forms_of(authority) -> list[str]:
    """The forms of the invoices in KSeF, in order."""
    return [each.session.form for each in authority.archive.values()]


def test_an_invoice_is_sent_as_pef_where_its_network_is_named(seller, move, authority):
    answer = seller.send(a_pef_send("P/1"))
    assert answer.status_code == 200, answer.text
    invoice = answer.json["invoiceId"]
    worked(seller, move)
    kept = seller.artefacts(invoice)
    [number] = authority.archive
    found = seller.get(f"/api/invoices/{invoice}").json

    assert (found["networkStatus"], found["deliveredMeans"]) == ("Delivered", "platform")
    assert forms_of(authority) == ["PEF (3)"]
    assert kept["AUTHORITY_DOCUMENT"]["authorityReference"] == number
    assert kept["AUTHORITY_DOCUMENT"]["legalOriginal"]
    assert "AUTHORITY_RECEIPT" in kept
    assert number in words_of(seller.get(f"/api/invoices/{invoice}/pdf").data)
    path = f"/api/invoices/{invoice}/artefacts"
    ubl = seller.get(f"{path}/{kept['UBL']['artefactId']}").data
    assert authority.archive[number].content == ubl


@pytest.mark.parametrize(
    ("written", "form"), [(samples.pef, "PEF (3)"), (samples.pef_correction, "PEF_KOR (3)")]
)
def test_a_submitted_document_is_sent_byte_for_byte(seller, move, authority, written, form):
    sent = document("P/1", written)
    invoice = submitted(seller, a_submission(sent))
    worked(seller, move)
    [stored] = authority.archive.values()

    assert status_of(seller, invoice) == "Delivered"
    assert stored.content == sent
    assert stored.session.form == form


def test_a_document_in_cii_becomes_ubl(seller, move, authority):
    written = conversion.written(read_invoice(parse(document("P/1"))), "cii").content
    invoice = submitted(seller, a_submission(written, format="cii"))
    worked(seller, move)

    assert status_of(seller, invoice) == "Delivered"
    assert forms_of(authority) == ["PEF (3)"]


@official.needed
def test_the_ministry_s_sample_of_a_correction_is_sent_byte_for_byte(seller, move, authority):
    """With the Polish extension, whose rules are not published."""
    sent = official.filled("invoice-template-fa-3-pef-correction.xml")
    submitted(seller, a_submission(sent, sender={"peppolId": "0088:5900009900002"}))
    worked(seller, move)
    [stored] = authority.archive.values()

    assert (stored.content, stored.session.form) == (sent, "PEF_KOR (3)")


def test_a_document_of_bis_billing_for_ksef_still_becomes_fa(seller, move, authority):
    """Nothing is PEF by what it is."""
    submitted(seller, a_submission(document("P/1"), network="ksef"))
    worked(seller, move)

    assert forms_of(authority) == ["FA (3)"]


@pytest.mark.parametrize("receiver", [None, RECEIVER])
def test_a_send_without_a_network_is_never_pef(seller, move, authority, receiver):
    """With and without the participant id of its receiver."""
    body = a_send("FV/1")
    del body["routing"]["network"]
    if receiver:
        body["routing"] |= {"receiverParticipantId": receiver}
    answer = seller.send(body)
    assert answer.status_code == 200, answer.text
    worked(seller, move)

    assert forms_of(authority) == ["FA (3)"]


def test_the_profile_under_another_network_is_refused_with_the_way_out(seller):
    refused = seller.send(a_send("P/1", profile="pef"))
    [error] = refused.json["errors"]

    assert error["pointer"] == "/invoice/profile"
    assert "one of the network ksef-pef: name that network" in error["message"]


def test_without_a_provider_the_network_is_refused_with_those_that_are_offered(
    make_app, service, authority
):
    caller = Caller(make_app([Plugin(service.url, provider=False), einvoice_loopback]))
    refused = caller.send(a_pef_send("P/1"))

    assert (refused.status_code, slug(refused)) == (400, "network-not-supported")
    assert "ksef-pef" in refused.json["detail"]
    assert "ksef-pef" not in refused.json["supportedNetworks"]


def test_a_seller_without_the_permission_reads_which_one_to_give(app, authority, move):
    caller = Caller(app)
    authority.rights.clear()
    found = connect_pef(caller, {"token": authority.issue_token(company.SELLER)})

    assert found.state == "needs-person"
    assert "PefInvoicing" in found.reason
    answer = caller.send(a_pef_send("P/1"))
    worked(caller, move)
    assert status_of(caller, answer.json["invoiceId"]) == "Processing"
    assert not authority.archive


def test_a_document_for_pef_is_judged_by_what_ksef_checks(seller):
    """Beside the rules of BIS Billing."""
    instruction = document("P/1").replace(b"<!--", b"<?note?><!--", 1)
    refused = seller.bearer("POST", "/v1/invoices", a_submission(instruction))

    assert slug(refused) == "validation-failed"
    [error] = refused.json["validationErrors"]
    assert "KSEF-INSTRUCTION" in error


@pytest.mark.parametrize(
    ("written", "form", "kind"),
    [
        (samples.pef, "PEF (3)", "invoice"),
        (samples.pef_correction, "PEF_KOR (3)", "creditNote"),
    ],
)
def test_a_received_pef_becomes_a_bill(app, service, authority, move, written, form, kind):
    """By the account of the buyer at the network `ksef`, which needs no provider."""
    provider = Client(service, ("PeppolId", company.PROVIDER))
    provider.sign_in(samples.provider_seal(company.PROVIDER))
    code = {"systemCode": form, "schemaVersion": "2-1", "value": "PEF"}
    sent = document("P/1", written)
    status = provider.sent(provider.opened(formCode=code), sent)
    buyer = Caller(app)
    connect(buyer, {"token": authority.issue_token(company.BUYER)}, company.BUYER)
    fetch_mailboxes(buyer, move)
    [found] = buyer.get("/api/invoices?processed=false").json["items"]
    bill = buyer.get(f"/api/invoices/{found['invoiceId']}").json
    kept = buyer.artefacts(found["invoiceId"])
    original = kept["AUTHORITY_DOCUMENT"]
    path = f"/api/invoices/{found['invoiceId']}/artefacts/{original['artefactId']}"

    assert (bill["number"], bill["type"], bill["supplierName"]) == ("P/1", kind, "Supplier")
    assert bill["senderParticipantId"] == f"9945:PL{company.SELLER}"
    assert bill["trafficLight"] == "green"
    assert (original["legalOriginal"], original["authorityReference"]) == (
        True,
        status["ksefNumber"],
    )
    assert buyer.get(path).data == sent
