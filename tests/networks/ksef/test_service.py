"""KSeF in the service: a seller's account, invoices that get their numbers, packages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

import einvoice_loopback
from einvoice import clock
from einvoice.services.connections import accounts, opened_accounts
from einvoice.web.runtime import runtime_of
from einvoice_ksef import numbers
from einvoice_ksef.fa3 import write as writer
from plugins.ksef.tests import company
from tests.networks.ksef.keys import digest
from tests.networks.ksef.selling import BUYER, Plugin, connect, sent, status_of, words_of, worked
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.workers import fetch_mailboxes

UNCLEARED = "Dokument jeszcze niezatwierdzony"


def test_an_invoice_gets_its_number_and_its_confirmation(seller, move, authority):
    invoice = sent(seller, "FV/1")
    worked(seller, move)
    found = seller.get(f"/api/invoices/{invoice}").json
    kept = seller.artefacts(invoice)
    [number] = authority.archive

    assert (found["networkStatus"], found["deliveredMeans"]) == ("Delivered", "platform")
    assert kept["AUTHORITY_DOCUMENT"]["authorityReference"] == number
    assert kept["AUTHORITY_DOCUMENT"]["legalOriginal"]
    path = f"/api/invoices/{invoice}/artefacts/{kept['AUTHORITY_RECEIPT']['artefactId']}"
    assert number in seller.get(path).text


def test_pdf_and_buyer_s_page_have_the_number_below_the_code(seller, move, authority):
    """The code leads to the document as sent, at the environment of the access point."""
    invoice = sent(seller, "FV/1")
    before = words_of(seller.get(f"/api/invoices/{invoice}/pdf").data)
    worked(seller, move)
    [number] = authority.archive
    path = f"/api/invoices/{invoice}/artefacts"
    original = seller.artefacts(invoice)["AUTHORITY_DOCUMENT"]["artefactId"]
    digest = numbers.hash_of(seller.get(f"{path}/{original}").data)
    share = Dashboard(seller.app, seller.tenant).post(f"/api/invoices/{invoice}/share")
    [code] = seller.client.get(f"/api/invoices/view/{share.json['shareToken']}").json["codes"]

    assert number not in before
    assert number in words_of(seller.get(f"/api/invoices/{invoice}/pdf").data)
    assert code["caption"] == number
    assert code["text"].startswith(f"https://qr-test.ksef.mf.gov.pl/invoice/{company.SELLER}/")
    assert code["text"].endswith(f"/{digest}")


@pytest.fixture
def issuer(app, authority, move):
    """A seller with an Offline certificate."""
    caller = Caller(app)
    token = {"token": authority.issue_token(company.SELLER)}
    connect(caller, token | company.offline_credentials())
    return caller


def test_an_invoice_is_handed_out_while_the_network_is_away(issuer, move, authority, service):
    """With both codes and without a mark; from its number on with the first code alone."""
    service.faults = lambda _: "gateway"
    invoice = sent(issuer, "FV/1")
    path = f"/api/invoices/{invoice}"
    first = words_of(issuer.get(f"{path}/pdf").data)
    worked(issuer, move, 1)
    kept = issuer.artefacts(invoice)["OFFLINE_CODES"]
    codes = issuer.get(f"{path}/artefacts/{kept['artefactId']}").text.split()
    before = words_of(issuer.get(f"{path}/pdf").data)
    service.faults = lambda _: None
    worked(issuer, move, 5)
    [number] = authority.archive
    original = issuer.artefacts(invoice)["AUTHORITY_DOCUMENT"]["artefactId"]
    digest = numbers.hash_of(issuer.get(f"{path}/artefacts/{original}").data)
    after = words_of(issuer.get(f"{path}/pdf").data)

    assert UNCLEARED in first
    assert "CERTYFIKAT" not in first
    assert "OFFLINE" in before
    assert "CERTYFIKAT" in before
    assert UNCLEARED not in before
    assert (number in after, "CERTYFIKAT" in after) == (True, False)
    assert all(f"/{digest}" in each for each in codes)
    assert authority.archive[number].mode == "Offline"
    assert kept["contentType"] == "text/uri-list"


def test_the_buyer_s_page_has_both_codes_before_the_number(issuer, move, authority, service):
    """Until it has failed: then there is no page, and no new link."""
    service.faults = lambda _: "gateway"
    invoice = sent(issuer, "FV/1")
    person = Dashboard(issuer.app, issuer.tenant)
    early = person.post(f"/api/invoices/{invoice}/share")
    worked(issuer, move, 1)
    share = person.post(f"/api/invoices/{invoice}/share").json
    link = f"/api/invoices/view/{share['shareToken']}"
    shown = issuer.client.get(link).json
    page = issuer.client.get(link, headers={"Accept": "text/html"}).text
    printed = words_of(issuer.client.get(f"{link}/pdf").data)
    authority.verdict = lambda facts: (450, ("Błąd",))
    service.faults = lambda _: None
    worked(issuer, move, 5)

    assert (early.status_code, early.json["type"].rpartition("/")[2]) == (409, "not-shareable")
    assert shown["deliveryStatus"] == "Processing"
    assert [code["caption"] for code in shown["codes"]] == ["OFFLINE", "CERTYFIKAT"]
    assert "CERTYFIKAT" in page
    assert 'class="delivered"' not in page
    assert "CERTYFIKAT" in printed
    assert status_of(issuer, invoice) == "Failed"
    assert issuer.client.get(link).status_code == 404
    assert person.post(f"/api/invoices/{invoice}/share?regenerate=true").status_code == 409


def test_a_refused_invoice_is_not_handed_out_as_one_that_was_issued(issuer, move, authority):
    """Its pages say again that it is not cleared."""
    authority.verdict = lambda facts: (450, ("Błąd",))
    yesterday = (clock.now() - timedelta(days=1)).date().isoformat()
    invoice = sent(issuer, "FV/1", issueDate=yesterday)
    worked(issuer, move)

    assert status_of(issuer, invoice) == "Failed"
    assert "OFFLINE_CODES" in issuer.artefacts(invoice)
    assert UNCLEARED in words_of(issuer.get(f"/api/invoices/{invoice}/pdf").data)


def test_a_resend_after_a_repair_is_a_technical_correction(
    issuer, move, authority, service, monkeypatch
):
    """Of a refused invoice that was issued offline: the same data, written by another release."""
    verdicts = [(430, ("Błąd",)), None]
    authority.verdict = lambda facts: verdicts.pop(0)
    yesterday = (clock.now() - timedelta(days=1)).date().isoformat()
    with monkeypatch.context() as defect:
        defect.setattr(writer, "document_of", with_defect(writer.document_of))
        invoice = sent(issuer, "FV/1", issueDate=yesterday)
    worked(issuer, move)
    path = f"/api/invoices/{invoice}"
    kept = issuer.artefacts(invoice)["NETWORK_DOCUMENT"]["artefactId"]
    refused = issuer.get(f"{path}/artefacts/{kept}").data
    answer = issuer.call("POST", f"{path}/resend")
    worked(issuer, move)
    original = issuer.artefacts(invoice)["AUTHORITY_DOCUMENT"]["artefactId"]
    document = issuer.get(f"{path}/artefacts/{original}").data
    share = Dashboard(issuer.app, issuer.tenant).post(f"{path}/share")
    [code] = issuer.client.get(f"/api/invoices/view/{share.json['shareToken']}").json["codes"]
    last = service.named("POST /sessions/online/{referenceNumber}/invoices")[-1].request.json()

    assert answer.status_code == 200, answer.text
    assert status_of(issuer, invoice) == "Delivered"
    assert last["hashOfCorrectedInvoice"] == digest(refused)
    assert document == refused.replace(b"?</P_8A>", b"</P_8A>") != refused
    assert code["text"].endswith(f"/{numbers.hash_of(document)}")


def with_defect(write):
    """A writer with another name of the unit."""

    def written(invoice):
        document, faults = write(invoice)
        assert b"<P_8A>" in document
        return document.replace(b"</P_8A>", b"?</P_8A>"), faults

    return written


def test_the_confirmation_of_a_session_is_kept_once(make_app, service, authority, move):
    """Its other invoices name the one that has it."""
    caller = Caller(make_app([Plugin(service.url, session_upo=True), einvoice_loopback]))
    connect(caller, {"token": authority.issue_token(company.SELLER)})
    invoices = [sent(caller, f"FV/{number}") for number in (1, 2)]
    worked(caller, move)
    move(hours=3)
    worked(caller, move, 2)
    move(minutes=20)
    worked(caller, move, 2)
    kept = {invoice: caller.artefacts(invoice) for invoice in invoices}
    [keeper] = [invoice for invoice in invoices if "SESSION_RECEIPT" in kept[invoice]]
    [other] = set(invoices) - {keeper}
    named = kept[other]["SESSION_RECEIPT_AT"]["artefactId"]
    place = caller.get(f"/api/invoices/{other}/artefacts/{named}").json
    upo = kept[keeper]["SESSION_RECEIPT"]["artefactId"]
    content = caller.get(f"/api/invoices/{place['invoiceId']}/artefacts/{upo}").text

    assert place["invoiceId"] == keeper
    assert all(number in content for number in authority.archive)
    assert len(authority.archive) == 2


def test_many_invoices_of_a_seller_go_as_a_package(seller, move, authority, service):
    invoices = [sent(seller, f"FV/{number}") for number in range(15)]
    worked(seller, move)

    assert {status_of(seller, each) for each in invoices} == {"Delivered"}
    assert len(authority.archive) == 15
    assert len(service.named("POST /sessions/batch")) == 1


def test_an_invoice_without_an_answer_is_delivered_once(seller, move, authority, service):
    losses = ["lost"]
    service.faults = lambda call: losses.pop() if losses and call.endswith("/invoices") else None
    invoice = sent(seller, "FV/1")
    worked(seller, move, 6)

    assert not losses
    assert status_of(seller, invoice) == "Delivered"
    assert len(authority.archive) == 1


def test_a_number_that_was_used_before_fails_with_its_reason(seller, move):
    sent(seller, "FV/1")
    worked(seller, move)
    invoice = sent(seller, "FV/1", buyer=BUYER | {"name": "Inny"})
    worked(seller, move)
    kept = seller.artefacts(invoice)
    report = seller.get(
        f"/api/invoices/{invoice}/artefacts/{kept['FAILURE_REPORT']['artefactId']}"
    ).json

    assert (report["errorCode"], report["reasonCode"]) == ("440", "duplicate-document")


def test_invoices_wait_while_the_account_lacks_a_right(seller, move, authority):
    for each in authority.logins.values():
        each.permissions = frozenset({"InvoiceRead"})
    invoice = sent(seller, "FV/1")
    worked(seller, move)
    with seller.app.app_context():
        [connection] = accounts.of_all(seller.tenant)

    assert status_of(seller, invoice) == "Processing"
    assert connection.state == "needs-person"
    assert "InvoiceWrite" in connection.reason


def test_two_workers_refresh_the_access_token_once(app, seller, service, authority):
    """The second one gets the token of the first."""
    point = runtime_of(app).access_points["ksef-test"]
    with app.app_context():
        [found] = accounts.of_all(seller.tenant)
        opened = [opened_accounts.opened(found.id, point, runtime_of(app)) for _ in range(2)]
    before = len(service.named("POST /auth/token/refresh"))
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda each: each.renew(each._connection), opened)

    assert first.credentials == second.credentials
    assert len(service.named("POST /auth/token/refresh")) == before + 1


# -- purchases -------------------------------------------------------------------------------------


@pytest.fixture
def buyer(app, authority, move):
    caller = Caller(app)
    connect(caller, {"token": authority.issue_token(company.BUYER)}, company.BUYER)
    return caller


def test_purchases_become_bills_once(seller, buyer, move, authority):
    """A few of them, and then many in a package."""
    numbers = []
    for count in (2, 15):
        for _ in range(count):
            numbers.append(f"FV/{len(numbers) + 1}")
            sent(seller, numbers[-1])
        worked(seller, move)
        for _ in range(4):
            fetch_mailboxes(buyer, move)
    found = buyer.get("/api/invoices?processed=false&limit=100").json["items"]
    bill = buyer.get(f"/api/invoices/{found[0]['invoiceId']}").json
    kept = buyer.artefacts(bill["invoiceId"])["AUTHORITY_DOCUMENT"]

    assert len(authority.archive) == 17
    assert sorted(each["number"] for each in found) == sorted(numbers)
    assert {each["networkStatus"] for each in found} == {"Received"}
    assert (kept["legalOriginal"], kept["authorityReference"] in authority.archive) == (True, True)
    assert (bill["supplierName"], bill["trafficLight"]) == ("Sprzedawca", "green")
    assert bill["senderParticipantId"] == f"9945:PL{company.SELLER}"
