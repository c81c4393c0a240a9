"""RO e-Factura in the service: two companies, a clearance, a purchase, and a message back."""

from __future__ import annotations

import io
import json
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.domain.environments import Environment
from einvoice.services.connections import accounts, consents, withdrawals
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.delivery import transmit
from einvoice.services.inbound import mailboxes
from einvoice.services.principal import Session
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from einvoice_anaf import form
from plugins.anaf.tests import company
from tests.networks.anaf import authority as stand_in
from tests.networks.anaf import texts
from tests.networks.anaf.selling import BUCHAREST, BUYER, SUPPLIER, a_send, connect
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor
from tests.web.submission.documents import request_of
from tests.workers import await_calls, claimed, fetch_mailboxes


@pytest.fixture
def seller(app, authority, move):
    caller = Caller(app)
    connect(caller, authority, company.SELLER)
    return caller


@pytest.fixture
def buyer(app, authority, move):
    caller = Caller(app)
    connect(caller, authority, company.BUYER)
    return caller


def delivered(seller, move, **invoice) -> str:
    answer = seller.send(a_send(**invoice))
    assert answer.status_code == 200, answer.text
    for _ in range(3):
        seller.work()
        move(seconds=30)
    return answer.json["invoiceId"]


def test_a_finished_document_that_is_late_has_the_warning_of_a_send(seller, move, authority):
    """It is sent as it is, so nothing of it is adapted; a young one has no warning."""
    delivered(seller, move)
    (upload,) = authority.uploads.values()
    sender = {"peppolId": f"9947:RO{company.SELLER}", "country": "RO"}
    warned = {}
    for number, days in (("RO-2", 1), ("RO-3", 40)):
        issued = f"<cbc:IssueDate>{clock.today() - timedelta(days)}<".encode()
        document = re.sub(rb"<cbc:IssueDate>[^<]*<", issued, upload.document)
        body = request_of(
            document.replace(b">RO-1<", f">{number}<".encode()),
            network=form.NETWORK, sender=sender, receiver=None,
        )  # fmt: skip
        answer = seller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
        assert answer.status_code == 202, answer.text
        warned[number] = [(w["code"], w["field"]) for w in answer.json.get("warnings", [])]

    assert warned == {"RO-2": [], "RO-3": [("sent-late", "invoice.issueDate")]}


def deliver_messages(caller, move) -> None:
    for _ in range(3):
        with caller.app.app_context():
            transmit.advance(*claimed(outbox.CHORES, caller.tenant), runtime_of(caller.app))
        move(seconds=30)


def test_an_invoice_is_cleared_and_its_sealed_original_downloaded(seller, move, authority):
    invoice = delivered(seller, move)

    found = seller.get(f"/api/invoices/{invoice}").json
    assert (found["networkStatus"], found["deliveredMeans"]) == ("Delivered", "platform")
    kept = seller.artefacts(invoice)
    (index,) = authority.uploads
    original = kept["AUTHORITY_DOCUMENT"]
    assert (original["legalOriginal"], original["retentionYears"]) == (True, 10)
    assert original["authorityReference"] == index
    path = f"/api/invoices/{invoice}/artefacts/{original['artefactId']}"
    with zipfile.ZipFile(io.BytesIO(seller.get(path).data)) as archive:
        assert archive.read(f"{index}.xml") == authority.uploads[index].document


def test_a_person_in_business_is_named_as_receiver_by_the_personal_number(seller, service):
    """`upload`; without that it is a consumer: `uploadb2c`."""
    buyer = {"name": "Ion Popescu PFA", "companyId": "1960101123456", "address": BUCHAREST}
    for number, named in ((1, True), (2, False)):
        body = a_send(number=f"RO-{number}", buyer=buyer)
        if named:
            body["routing"]["receiverParticipantId"] = "9947:1960101123456"
        answer = seller.send(body)
        assert answer.status_code == 200, answer.text
        seller.work()

    calls = [call for method, call, _ in service.requests if method == "POST"]
    assert calls == ["upload", "uploadb2c"]


def test_the_errors_of_the_ministry_are_the_reason_of_a_failure(seller, move, authority):
    authority.judge = lambda document: ["E: x [BR-RO-110]-Subdiviziunea"]
    invoice = delivered(seller, move)

    path, kept = f"/api/invoices/{invoice}", seller.artefacts(invoice)
    assert seller.get(path).json["networkStatus"] == "Failed"
    report = seller.get(f"{path}/artefacts/{kept['FAILURE_REPORT']['artefactId']}").json
    assert (report["errorCode"], report["reasonCode"]) == ("BR-RO-110", "document-refused")
    assert "Subdiviziunea" in report["reason"]
    assert "AUTHORITY_ERRORS" in kept
    (named,) = seller.get(path).json["networkFindings"]
    assert (named["ruleId"], named["field"]) == ("BR-RO-110", "invoice.supplier.address.region")
    assert named["message"].startswith("A Romanian address of the supplier must have a county")
    assert named["networkText"] == "E: x [BR-RO-110]-Subdiviziunea"
    assert report["networkFindings"] == [named]
    romanian = seller.get(path, Accept_Language="ro").json["networkFindings"]
    assert romanian[0]["message"] != named["message"]
    events = seller.get("/api/events?limit=50").json["items"]
    (failed,) = [each for each in events if each["eventType"] == "transaction.failed"]
    assert failed["networkFindings"] == [named]


def test_a_refusal_of_the_upload_is_answered_with_its_errors(seller, monkeypatch):
    """Where the send waits for the network: 400 network-failed with the field of each error."""
    fault = texts.INVALID.format("SAXParseException; lineNumber: 2; of element 'cbc:IssueDate'")
    monkeypatch.setattr(stand_in, "_form_fault", lambda standard, body: fault)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(seller.send, a_send(), "wait=25")
        while not asked.done():
            seller.work()
    refused = asked.result()

    assert (refused.status_code, slug(refused)) == (400, "network-failed")
    (named,) = refused.json["networkFindings"]
    assert (named["field"], named["networkText"]) == ("invoice.issueDate", fault)
    assert named["location"] == "/Invoice[1]/IssueDate[1]"


def test_the_page_of_an_invoice_shows_the_errors_of_the_ministry(seller, move, authority):
    """With field and advice, and the ministry's own text."""
    authority.judge = lambda document: ["E: x [BR-RO-110]-Subdiviziunea", "Altceva"]
    invoice = delivered(seller, move)
    page = Visitor(seller.app, seller.tenant).get(f"/dashboard/invoices/{invoice}").text

    assert "Errors that the network named" in page
    assert "invoice.supplier.address.region" in page
    assert "Write RO- and the code of the county" in page
    assert "In the network’s words: E: x [BR-RO-110]-Subdiviziunea" in page
    assert page.count("Altceva") > 1
    assert "words: Altceva" not in page


def test_the_page_of_an_invoice_shows_upload_index_and_sealed_original(seller, move, authority):
    """The index from the upload on, the original once it is cleared."""
    authority.delay = timedelta(days=1)
    invoice = delivered(seller, move)
    (index,) = authority.uploads
    waiting = Visitor(seller.app, seller.tenant).get(f"/dashboard/invoices/{invoice}").text
    authority.delay = timedelta(0)
    for _ in range(8):
        seller.work()
        move(minutes=10)
    cleared = Visitor(seller.app, seller.tenant).get(f"/dashboard/invoices/{invoice}").text

    for page in (waiting, cleared):
        assert re.search(rf'Reference of the authority</dt><dd class="mono">{index}</dd>', page)
    badge = '<span class="badge good">Legal original</span>'
    assert [page.count(badge) for page in (waiting, cleared)] == [0, 1]
    (original,) = [a for a in seller.artefacts(invoice).values() if a["legalOriginal"]]
    assert original["artefactId"] in cleared


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"buyer": BUYER | {"address": BUCHAREST | {"line2": ""}}}, "invoice.buyer.address.city"),
        ({"currency": "EUR"}, "invoice.taxCurrency"),
        ({"number": "RO"}, "invoice.number"),
    ],
)
def test_what_the_rules_ask_for_is_refused_with_the_field(seller, change, field):
    refused = seller.send(a_send(**change))

    assert slug(refused) == "validation-failed"
    assert field in refused.text


def test_a_purchase_is_fetched_once_and_responded_to(seller, buyer, move, authority):
    invoice = delivered(seller, move)
    for _ in range(2):
        fetch_mailboxes(buyer, move)

    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    assert (bill["number"], bill["networkStatus"]) == ("RO-1", "Received"), bill
    assert buyer.artefacts(bill["invoiceId"])["AUTHORITY_DOCUMENT"]["legalOriginal"] is True
    body = {"responseCode": "RE", "reasons": [{"code": "PRI", "text": "prea mult"}]}
    path = f"/api/invoices/{bill['invoiceId']}/response"
    responded = buyer.call("POST", path, json.dumps(body).encode(), Content_Type="application/json")
    assert responded.status_code == 200, responded.text
    deliver_messages(buyer, move)
    fetch_mailboxes(seller, move)
    message = seller.artefacts(invoice)["BUYER_MESSAGE"]
    path = f"/api/invoices/{invoice}/artefacts/{message['artefactId']}"
    assert b"prea mult" in seller.get(path).data


def test_a_document_waits_while_the_consent_has_ended_and_goes_on_after_it(seller, move, authority):
    """It does not fail."""
    for person in list(authority.access):
        authority.access.pop(person)
    authority.refresh.clear()
    invoice = delivered(seller, move)
    path = f"/api/invoices/{invoice}"
    assert seller.get(path).json["networkStatus"] == "Processing"
    (connection,) = Dashboard(seller.app, seller.tenant).get("/api/connections").json["items"]
    assert connection["state"] == "needs-person"

    app, person = seller.app, Session(seller.tenant, "ann", "ann@example.com", "owner")
    with app.app_context():
        consent = consents.begin(seller.tenant, connection["connectionId"], runtime_of(app), person)
        (state,) = parse_qs(urlsplit(consent.url).query)["state"]
        code = authority.consent(f"person of {company.SELLER}", company.SELLER)
        consents.finish(state, consent.browser, code, runtime_of(app))
    for _ in range(4):
        seller.work()
        move(seconds=30)
    assert seller.get(path).json["networkStatus"] == "Delivered"


def test_one_consent_clears_the_invoices_of_two_companies(app, authority, move):
    """It is revoked at ANAF after the last of them was removed."""
    caller = Caller(app)
    first = connect(caller, authority, company.SELLER)
    authority.rights[f"person of {company.SELLER}"].add(company.BUYER)
    with app.app_context():
        new = NewConnection(
            Environment.TEST, form.NETWORK, f"RO{company.BUYER}", consent_of=first
        )  # fmt: skip
        second = accounts.create(caller.tenant, new, runtime_of(app))
        assert second.state == "active"
        foreign = replace(new, account="RO4221306")
        refused = accounts.create(caller.tenant, foreign, runtime_of(app))
        assert "The consent does not cover RO4221306: Nu aveti drept" in refused.reason
    swapped = a_send(
        number="RO-2", supplier=BUYER | {"taxId": f"RO{company.BUYER}"}, buyer=SUPPLIER
    )
    swapped["routing"]["senderParticipantId"] = f"9947:RO{company.BUYER}"
    sent = caller.send(swapped)
    assert sent.status_code == 200, sent.text
    for _ in range(3):
        caller.work()
        move(seconds=30)
    path = f"/api/invoices/{sent.json['invoiceId']}"
    assert caller.get(path).json["networkStatus"] == "Delivered"
    assert {each.cif for each in authority.uploads.values()} == {company.BUYER}

    with app.app_context():
        for each in (first, refused.id, second.id):
            assert authority.revoked == []
            accounts.revoke(caller.tenant, each)
    run_plugins_lane(caller)
    assert len(authority.revoked) == 1
    assert authority.access == authority.refresh == {}


def test_two_mailboxes_of_one_consent_renew_its_token_once(app, authority, move):
    """A refresh token is used once, whichever of the two finds that the access token has ended."""
    caller = Caller(app)
    first = connect(caller, authority, company.SELLER)
    authority.rights[f"person of {company.SELLER}"].add(company.BUYER)
    with app.app_context():
        new = NewConnection(
            Environment.TEST, form.NETWORK, f"RO{company.BUYER}", consent_of=first
        )  # fmt: skip
        accounts.create(caller.tenant, new, runtime_of(app))
    authority.access.clear()
    for _ in range(10):  # one that finds the consent in use is fetched later
        fetch_mailboxes(caller, move)
        with app.app_context():
            found = mailboxes.of_all(caller.tenant)
        if all(each.fetched_at is not None for each in found):
            break

    assert len(found) == 2
    assert all(each.fetched_at is not None for each in found), found
    assert authority.used_refresh == []
    assert len(authority.access) == 1


def run_plugins_lane(caller) -> None:
    """Withdraw consents, as a worker does."""
    with caller.app.app_context():
        due = claimed(outbox.PLUGINS, caller.tenant, kind=outbox.CONSENT)
        withdrawals.run(*due, runtime_of(caller.app))
        await_calls()


@pytest.mark.parametrize(("days", "serious"), [(29, False), (31, True)])
def test_a_mailbox_that_was_not_fetched_for_30_days_is_an_error(
    seller, move, service, days, serious
):
    """ANAF forgets its messages 60 days after they came."""
    fetch_mailboxes(seller, move)
    move(days=days)
    with seller.app.app_context():
        points = runtime_of(seller.app).access_points
        (problem,) = doctor_work.check_mailboxes(points)

    assert problem.serious is serious
    assert ("forgets" in problem.message) is serious
