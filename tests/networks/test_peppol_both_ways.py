"""A document through Peppol: DNS, SMP and AS4 to ourselves, and what comes back.

Its Message Level Status, and the Invoice Response of the buyer.
"""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

import einvoice_peppol
from einvoice import clock
from einvoice.cli import application
from einvoice.cli.participants import participants
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, ParticipantId
from einvoice.services.delivery import transmit
from einvoice.services.inbound import notices
from einvoice.services.plugin_store import DatabaseStore
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from einvoice_peppol import invoice_response, mls, sending
from einvoice_peppol.end_users import legal_person
from einvoice_peppol.reporting import RECEIVED, SENT, Ledger
from plugins.peppol.tests import key_files, official, pki, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.builders import RECEIVER, SENDER
from tests.web.caller import Caller, slug
from tests.workers import await_calls, claimed

OURS, PUBLISHER = pki.ACCESS_POINTS.leaf("POP000001"), pki.SMPS.leaf("POP000010")
BUYER, PROVIDER = ParticipantId.parse(RECEIVER), mls.spid_of("POP000001")
SELLER = ParticipantId.parse(SENDER)

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def smp(tmp_path, monkeypatch):
    """The SMP of a closed network that is configured by settings."""
    (tmp_path / "ap.p12").write_bytes(key_files.as_pkcs12(OURS))
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    with ExitStack() as stack:
        server = stack.enter_context(smp_servers.serving())
        records = (
            f"--naptr-record={name_of(each)},100,10,U,Meta:SMP,!.*!{server.url}!"
            for each in (BUYER, PROVIDER, SELLER)
        )
        dns = stack.enter_context(dnsmasq(f"--local=/{ZONE}/", *records))
        settings = {
            "KEYS": str(tmp_path / "ap.p12"), "PASSWORD": "secret", "ANCHORS": str(folder),
            "ZONE": ZONE, "RESOLVERS": dns, "REVOCATION": "soft", "CLOSED": "true",
        }  # fmt: skip
        for name, value in settings.items():
            monkeypatch.setenv(f"EINVOICE_PEPPOL_TEST_{name}", value)
        yield server


@pytest.fixture
def app(make_app, smp):
    """The service, at an address that the SMP names for a buyer and for our provider id."""
    app = make_app([einvoice_peppol])
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.port}/networks/peppol-test/"
    ours = endpoint(OURS.certificate, address)
    smp.put(path_of(BUYER), group(BUYER, BIS_INVOICE, BIS_CREDIT_NOTE))
    smp.put(path_of(BUYER, BIS_INVOICE), signed(information(BUYER, ours), PUBLISHER))
    status = information(PROVIDER, ours, document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS)
    smp.put(path_of(PROVIDER, mls.DOCUMENT_TYPE), signed(status, PUBLISHER))
    app.config["ADDRESS"] = address
    yield app
    server.shutdown()
    server.server_close()


@pytest.fixture
def buyer(app):
    buyer = Caller(app)
    buyer.own(RECEIVER)
    return buyer


@pytest.fixture
def wants_status(monkeypatch):
    """The sender asks for a status in any case."""
    header = sending._header
    monkeypatch.setattr(
        sending, "_header", lambda *given: replace(header(*given), mls_type="ALWAYS_SEND")
    )


def answer(app, tenant):
    """Do what workers do after a document arrived: call the access point, send its message."""
    with app.app_context():
        notices.run(*claimed(outbox.PLUGINS, tenant), runtime_of(app))
    await_calls()
    with app.app_context():
        transmit.advance(*claimed(outbox.CHORES, tenant), runtime_of(app))


def content(caller, invoice, kind):
    found = caller.artefacts(invoice)[kind]["artefactId"]
    return caller.get(f"/api/invoices/{invoice}/artefacts/{found}").data


def received(caller):
    return caller.get("/api/invoices?direction=received").json["items"]


def test_an_invoice_arrives_as_a_bill_and_its_status_comes_back(app, buyer, wants_status):
    """From a sandbox key through lookup, AS4 and inbox to the artefacts of both sides."""
    seller = Caller(app)
    invoice = seller.sent()
    seller.work()

    assert seller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"
    assert b"NonRepudiationInformation" in content(seller, invoice, "RECEIPT")
    (bill,) = received(buyer)
    assert bill["invoiceId"] != invoice

    answer(app, buyer.tenant)
    status = mls.read(content(seller, invoice, "MLS"))
    transaction = seller.get(f"/api/invoices/{invoice}").json["transactionId"]
    assert (status.code, f"txn_{status.instance_id}") == ("AB", transaction)
    events = seller.get(f"/api/events?invoiceId={invoice}").json["items"]
    assert "invoice.responded" in [each["eventType"] for each in events]
    assert {"MLS", "MLS_RECEIPT"} <= buyer.artefacts(bill["invoiceId"]).keys()


def test_both_documents_and_both_statuses_are_items_of_the_reports(app, buyer, wants_status):
    """The sender and the buyer are end users, as legal persons; statuses have none."""
    seller = Caller(app)
    seller.sent()
    seller.work()
    answer(app, buyer.tenant)
    ledger = Ledger(DatabaseStore(app.app_context, "einvoice_peppol"), "peppol-test")
    found = [(item.direction, item.end_user) for item in ledger.items(clock.today())]

    ends = [(SENT, legal_person(SELLER)), (RECEIVED, legal_person(BUYER))]
    assert sorted(found, key=str) == sorted([*ends, (SENT, None), (RECEIVED, None)], key=str)


def test_a_receiver_that_no_tenant_has_is_refused_at_once(app):
    """The SMP names our access point, and no tenant has the id: PEPPOL:NOT_SERVICED."""
    seller = Caller(app)
    invoice = seller.sent()
    seller.work()
    found = seller.get(f"/api/invoices/{invoice}").json

    assert found["networkStatus"] == "Failed"


def test_operators_see_what_the_smp_says_of_an_id_and_that_it_names_us(app, buyer, monkeypatch):
    """Endpoint, end of the certificate and document types; an id of others is `not registered`."""
    monkeypatch.setattr(application, "application", lambda: app)
    buyer.own("0208:0403019261")
    result = CliRunner().invoke(participants, ["network", buyer.tenant])
    rows = {line.split()[1]: line.split()[2:] for line in result.output.splitlines()[1:]}

    until = OURS.certificate.not_valid_after_utc.date().isoformat()
    assert rows == {
        RECEIVER: ["peppol-test", "here", app.config["ADDRESS"], until, "2"],
        "0208:0403019261": ["peppol-test", "not", "registered"],
    }


def test_a_participant_that_is_not_registered_has_no_reference(app):
    found = Caller(app).lookup("0208:0403019261").json

    assert found["isRegistered"] is False


@pytest.fixture
def responsive(app, smp):
    """The seller is registered for Invoice Responses at our access point."""
    ours = endpoint(OURS.certificate, app.config["ADDRESS"])
    route = {
        "document_type": invoice_response.DOCUMENT_TYPE,
        "process": invoice_response.PROCESS,
    }
    smp.put(path_of(SELLER), group(SELLER, invoice_response.DOCUMENT_TYPE))
    described = signed(information(SELLER, ours, **route), PUBLISHER)
    smp.put(path_of(SELLER, invoice_response.DOCUMENT_TYPE), described)


REFUSAL = {
    "responseCode": "RE",
    "reasons": [
        {"code": "REF", "text": "No such order.", "conditions": [{"term": "BT-13", "value": "7"}]}
    ],
    "actions": [{"code": "NIN"}],
    "note": "Please call us.",
    "effectiveDate": "2026-11-20",
}


def respond(buyer, bill, body):
    data = json.dumps(body).encode()
    return buyer.call("POST", f"/api/invoices/{bill}/response", data, Idempotency_Key="k-1")


def test_the_buyer_s_response_reaches_the_seller_s_invoice(app, buyer, responsive):
    """From POST /response through lookup and AS4 to the artefact and event of the sent invoice."""
    seller = Caller(app)
    seller.own()
    invoice = seller.sent()
    seller.work()
    bill = received(buyer)[0]["invoiceId"]
    accepted = respond(buyer, bill, REFUSAL)
    assert accepted.status_code == 200, accepted.text
    answer(app, buyer.tenant)

    shown = buyer.get(f"/api/invoices/{bill}").json["response"]
    assert (shown["responseCode"], shown["status"]) == ("RE", "Delivered")
    assert {"INVOICE_RESPONSE", "INVOICE_RESPONSE_RECEIPT"} <= buyer.artefacts(bill).keys()
    events = buyer.get(f"/api/events?invoiceId={bill}").json["items"]
    assert "response.sent" in [each["eventType"] for each in events]

    document = content(seller, invoice, "INVOICE_RESPONSE")
    found = invoice_response.read(document)
    number = seller.get(f"/api/invoices/{invoice}").json["number"]
    assert (found.code, found.number, found.type_code) == ("RE", number, "380")
    assert (found.buyer.id, found.seller.id) == (BUYER, SELLER)
    assert (found.note, found.effective_date) == ("Please call us.", "2026-11-20")
    assert found.clarifications[0].conditions[0].value == "7"
    (event,) = [
        each
        for each in seller.get(f"/api/events?invoiceId={invoice}").json["items"]
        if each["eventType"] == "invoice.responded"
    ]
    assert (event["responseCode"], event["reasons"]) == ("RE", ["No such order.", "NIN"])
    assert official.failures(official.INVOICE_RESPONSE, document) == []


def test_the_status_of_a_response_is_kept_with_the_bill(app, buyer, responsive, wants_status):
    """The seller's provider says that it has passed the response on."""
    seller = Caller(app)
    seller.own()
    seller.sent()
    seller.work()
    bill = received(buyer)[0]["invoiceId"]
    respond(buyer, bill, REFUSAL)
    answer(app, buyer.tenant)
    assert "INVOICE_RESPONSE_MLS" not in buyer.artefacts(bill)
    answer(app, outbox.NO_TENANT)

    assert mls.read(content(buyer, bill, "INVOICE_RESPONSE_MLS")).code == "AB"


def test_a_seller_that_takes_no_responses_is_a_conflict(app, buyer):
    seller = Caller(app)
    seller.sent()
    seller.work()
    (bill,) = received(buyer)
    refused = respond(buyer, bill["invoiceId"], {"responseCode": "AP"})

    assert (refused.status_code, slug(refused)) == (409, "conflict")
    assert "not registered for responses" in refused.json["detail"]
