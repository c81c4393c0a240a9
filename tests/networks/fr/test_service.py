"""An approved platform in the service: a sale, its life cycle, a purchase, and responses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import psycopg
import pytest
import sqlalchemy as sa

from einvoice.cli import doctor_work
from einvoice.documents import pdf
from einvoice.services.connections import accounts, leaving
from einvoice.services.console import access
from einvoice.services.delivery import operations, transmit
from einvoice.services.inbound import notices, payments
from einvoice.services.principal import Role, Session
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Connection, Event, Invoice, Payment, PluginValue
from einvoice.store.tenant_data import purging
from einvoice.web.runtime import runtime_of
from einvoice_fr_ctc import form
from tests.documents.pdf.samples import ACME, an_invoice
from tests.networks.fr import company, judging, messages, official
from tests.networks.fr.selling import a_send, connect
from tests.web.caller import Caller, slug
from tests.web.console import OperatorPerson, OperatorProgram
from tests.web.dashboard import Dashboard
from tests.workers import await_calls, claimed, fetch_mailboxes

_AMOUNT = re.compile(rb'currencyID="EUR">([0-9.-]+)<')


@pytest.fixture
def seller(app, service, move):
    caller = Caller(app)
    caller.connection = connect(caller, service, company.SELLER)
    return caller


@pytest.fixture
def buyer(app, service, move):
    caller = Caller(app)
    caller.connection = connect(caller, service, company.BUYER)
    return caller


def sent(seller, move, **invoice) -> str:
    """The id of an invoice that the platform has acknowledged."""
    answer = seller.send(a_send(seller, **invoice))
    assert answer.status_code == 200, answer.text
    for _ in range(3):
        seller.work()
        move(seconds=30)
    return answer.json["invoiceId"]


def told(platform, invoice_number, code, reason=None):
    flow = next(each for each in platform.flows.values() if each.direction == "Out")
    head = messages.head_of(flow.content)
    assert head.number == invoice_number
    message = messages.status(head, code, platform.now(), reason)
    platform.tell(company.SELLER, "CustomerInvoiceLC", message)


def shown(caller, invoice):
    return caller.get(f"/api/invoices/{invoice}").json


def deliver_messages(caller, move) -> None:
    for _ in range(3):
        with caller.app.app_context():
            transmit.advance(*claimed(outbox.CHORES, caller.tenant), runtime_of(caller.app))
        move(seconds=30)


@pytest.mark.parametrize(("profile", "warned"), [("fr-s1-cii", True), ("fr-s1", False)])
def test_no_pdf_is_embedded_in_another_syntax_than_ubl_and_a_warning_says_so(
    seller, profile, warned
):
    answer = seller.send(a_send(seller, profile=profile, embedPdf=True))
    codes = [each["code"] for each in answer.json["warnings"]]

    assert answer.status_code == 200, answer.text
    assert ("pdf-not-embedded" in codes) is warned


@official.needed
def test_an_invoice_is_delivered_when_it_is_made_available_to_its_buyer(
    seller, move, platform, service
):
    invoice = sent(seller, move)
    assert shown(seller, invoice)["networkStatus"] == "Processing"
    fetch_mailboxes(seller, move)

    found = shown(seller, invoice)
    assert (found["networkStatus"], found["deliveredMeans"]) == ("Delivered", "platform")
    assert found["response"]["text"] == "203 Mise à disposition"
    assert {"RECEIPT", "LIFE_CYCLE"} <= set(seller.artefacts(invoice))
    assert judging.faults(service.exchanges) == []


def test_a_rejection_by_the_buyers_platform_is_a_failure_with_its_reason(seller, move, platform):
    platform.steps = ("200",)
    invoice = sent(seller, move)
    told(platform, "F-1", "213", ("DEST_INC", "Destinataire inconnu"))
    fetch_mailboxes(seller, move)

    kept = seller.artefacts(invoice)
    assert shown(seller, invoice)["networkStatus"] == "Failed"
    report = seller.get(
        f"/api/invoices/{invoice}/artefacts/{kept['FAILURE_REPORT']['artefactId']}"
    ).json
    assert (report["errorCode"], report["reasonCode"]) == ("DEST_INC", "receiver-unknown")
    assert "213 Rejetée" in report["reason"]


@pytest.mark.parametrize(
    ("codes", "status", "text"),
    [
        (["204", "205", "211", "212"], "paid", "212 Encaissée"),
        (["204", "210"], "rejected", "210 Refusée"),
        (["204", "207"], "inProcess", "207 En litige"),
        (["212", "213"], "undeliverable", "213 Rejetée"),
    ],
)
@pytest.mark.parametrize("order", ["straight", "backwards", "twice"])
def test_the_last_status_counts_however_they_arrive(
    seller, move, platform, codes, status, text, order
):
    """By the moment that each message names."""
    invoice = sent(seller, move)
    head = messages.head_of(next(f.content for f in platform.flows.values() if f.rule == "B2B"))
    made = []
    for code in codes:
        move(seconds=5)
        made.append(messages.status(head, code, platform.now(), ("DOUBLON", "x")))
    made = made[::-1] if order == "backwards" else made
    for each in made * (2 if order == "twice" else 1):
        platform.tell(company.SELLER, "CustomerInvoiceLC", each)
    fetch_mailboxes(seller, move)

    found = shown(seller, invoice)
    assert found["networkStatus"] == "Delivered"
    assert (found["response"]["status"], found["response"]["text"]) == (status, text)
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(Event.type).where(Event.tenant_id == seller.tenant)
        kinds = list(connection.execute(query).scalars())
    assert kinds.count("invoice.responded") == len(codes) + 2  # with 202 and 203


def test_a_status_of_an_invoice_that_is_not_ours_changes_nothing(seller, move, platform):
    invoice = sent(seller, move)
    head = messages.Head("UNKNOWN", "20261124", "380", company.SELLER, company.BUYER)
    platform.tell(company.SELLER, "CustomerInvoiceLC", messages.status(head, "213", platform.now()))
    fetch_mailboxes(seller, move)

    assert shown(seller, invoice)["networkStatus"] == "Delivered"


def test_another_tenants_invoice_of_the_same_number_is_not_touched(seller, app, move, platform):
    """A platform tells one company a status of a number that another one has used too."""
    invoice = sent(seller, move)
    other = Caller(app)
    platform.steps = ()
    platform.company("300000007", "Autre").client = ("c", "s")
    fetch_mailboxes(seller, move)
    before = shown(seller, invoice)
    fetch_mailboxes(other, move)

    assert shown(seller, invoice)["response"] == before["response"]
    assert other.get(f"/api/invoices/{invoice}").status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"responseCode": "AP"}, "accepted", "205 Approuvée"),
        ({"responseCode": "IP"}, "inProcess", "204 Prise en charge"),
        (
            {"responseCode": "RE", "reasons": [{"code": "REF", "text": "Commande 7 inconnue"}]},
            "rejected",
            "210 Refusée",
        ),
        (
            {"responseCode": "UQ", "reasons": [{"code": "PRI", "text": "trop cher"}]},
            "inProcess",
            "207 En litige",
        ),
        ({"responseCode": "PD"}, "paid", "211 Paiement transmis"),
    ],
)
def test_a_purchase_is_fetched_and_what_the_buyer_says_reaches_the_seller(
    seller, buyer, move, body, status, text
):
    invoice = sent(seller, move)
    for _ in range(2):
        fetch_mailboxes(buyer, move)
    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    assert (bill["number"], bill["networkStatus"]) == ("F-1", "Received"), bill
    responded = buyer.call(
        "POST",
        f"/api/invoices/{bill['invoiceId']}/response",
        json.dumps(body).encode(),
        Content_Type="application/json",
    )
    assert responded.status_code == 200, responded.text
    deliver_messages(buyer, move)
    for _ in range(2):
        fetch_mailboxes(seller, move)

    found = shown(seller, invoice)
    assert (found["response"]["status"], found["response"]["text"]) == (status, text)
    assert "LIFE_CYCLE" in buyer.artefacts(bill["invoiceId"])


def test_a_refusal_without_an_official_reason_says_which_there_are(seller, buyer, move):
    sent(seller, move)
    fetch_mailboxes(buyer, move)
    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    refused = buyer.call(
        "POST",
        f"/api/invoices/{bill['invoiceId']}/response",
        json.dumps({"responseCode": "RE", "reasons": [{"code": "OTH", "text": "non"}]}).encode(),
        Content_Type="application/json",
    )

    assert (refused.status_code, slug(refused)) == (409, "conflict")
    assert "TX_TVA_ERR" in refused.json["detail"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"profile": None}, "/invoice/profile"),
        ({"notes": []}, "invoice.notes"),
    ],
)
def test_what_france_asks_for_is_refused_with_the_field(seller, changes, field):
    body = a_send(seller)
    for name, value in changes.items():
        if value is None:
            body["invoice"].pop(name)
        else:
            body["invoice"][name] = value
    refused = seller.send(body)

    assert refused.status_code == 400
    assert field in refused.text


def test_a_receiver_that_is_not_in_the_directory_is_said_before_the_send(seller):
    found = seller.lookup("0225:400000006").json
    named = seller.lookup(f"0002:{company.BUYER}").json

    assert found["isRegistered"] is False
    assert named["registeredAs"] == f"0225:{company.BUYER}"


def test_a_web_hook_lets_the_mailbox_be_fetched_at_once(seller, move, platform):
    """Only its secret address counts; a guessed one is 404."""
    sent(seller, move)
    fetch_mailboxes(seller, move)
    told(platform, "F-1", "205")
    (hook,) = platform.companies[company.SELLER].hooks
    secret = hook["callbackUrl"].rpartition("/")[2]
    guessed = seller.client.post("/networks/fr-ctc-test/guessed")
    move(seconds=2)
    with seller.app.app_context():
        before, _ = claimed(outbox.PLUGINS, seller.tenant, kind=outbox.MAILBOX)
    called = seller.client.post(f"/networks/fr-ctc-test/{secret}", data=b"nonsense")
    with seller.app.app_context():
        after, _ = claimed(outbox.PLUGINS, seller.tenant, kind=outbox.MAILBOX)

    assert (guessed.status_code, called.status_code) == (404, 200)
    assert (len(before), len(after)) == (0, 1)


def pay(caller, invoice, amount, date="2026-11-24", **headers):
    body = {"amount": amount, "date": date, "reference": "B-7"}
    path = f"/api/invoices/{invoice}/payments"
    return caller.call(
        "POST", path, json.dumps(body).encode(), Content_Type="application/json", **headers
    )


@official.needed
def test_a_payment_is_told_to_the_platform_by_the_status_212(seller, move, platform):
    """With the amount of each VAT rate; valid by schema and rules."""
    invoice = sent(seller, move)
    fetch_mailboxes(seller, move)
    paid = [pay(seller, invoice, amount).json for amount in (20.5, 99.5)]
    deliver_messages(seller, move)

    assert [(each["amountPaid"], each["paid"]) for each in paid] == [(20.5, False), (120.0, True)]
    messages_ = [f.content for f in platform.flows.values() if f.direction == "Out"][1:]
    messages_.sort(key=lambda each: b">20.50<" not in each)
    assert len(messages_) == 2
    for message in messages_:
        assert official.schema_faults(message) == []
        assert official.findings(message) == set()
        assert b"ConditionCode>212<" in message
    assert b'currencyID="EUR">20.50<' in messages_[0]


def payments_told(platform) -> list[str]:
    """The amounts of the payments that the platform has been told of."""
    sent_ = [f.content for f in platform.flows.values() if f.direction == "Out"]
    found = [each for each in sent_ if b"ConditionCode>212<" in each]
    return [_AMOUNT.search(each)[1].decode() for each in found]


def tell_of_payments(caller, move) -> None:
    with caller.app.app_context():
        due = claimed(outbox.PLUGINS, caller.tenant, kind=outbox.NOTICE)
        notices.run(*due, runtime_of(caller.app))
        await_calls()
    deliver_messages(caller, move)


def test_a_payment_of_an_invoice_on_its_way_is_told_once_when_that_is_delivered(
    seller, move, platform
):
    """One that is stated before, by whom ever, is like one that is stated later."""
    invoice = sent(seller, move)
    assert [pay(seller, invoice, amount).status_code for amount in (70, 30)] == [200, 200]
    tell_of_payments(seller, move)
    before = (shown(seller, invoice)["networkStatus"], payments_told(platform))
    fetch_mailboxes(seller, move)
    pay(seller, invoice, 20)
    for _ in range(2):
        tell_of_payments(seller, move)
    with seller.app.app_context(), db.reading() as connection:
        ids = list(connection.execute(sa.select(Payment.message_id)).scalars())

    assert before == ("Processing", [])
    assert shown(seller, invoice)["networkStatus"] == "Delivered"
    assert sorted(payments_told(platform)) == ["20.00", "30.00", "70.00"]
    assert len({*ids} - {None}) == 3


def prepared_payment(caller, invoice, amount):
    session = Session(caller.tenant, "ann", "ann@example.com", Role.MEMBER)
    new = payments.NewPayment(Decimal(amount), date(2026, 11, 24))
    payable = payments.payable(invoice, session)
    return payments.prepare(payable, new, session, runtime_of(caller.app)), session


def test_a_payment_that_is_stored_while_its_invoice_is_delivered_is_told_once(
    seller, move, platform
):
    """The request has read the invoice before the delivery, and stores the payment after it."""
    invoice = sent(seller, move)
    with seller.app.app_context():
        late, session = prepared_payment(seller, invoice, 50)
    fetch_mailboxes(seller, move)
    with seller.app.app_context(), db.writing() as connection:
        payments.add(connection, late, session)
    for _ in range(2):
        tell_of_payments(seller, move)

    assert payments_told(platform) == ["50.00"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_an_invoice_is_not_settled_while_a_payment_of_it_is_stored(seller, move, database_url):
    """So its delivery sees the payment, or the payment the delivery."""
    invoice = sent(seller, move)
    its = "SELECT id FROM transmissions WHERE invoice_id = %s FOR UPDATE NOWAIT"
    with seller.app.app_context():
        new, session = prepared_payment(seller, invoice, 50)
        with db.writing() as connection, psycopg.connect(database_url) as other:
            payments.add(connection, new, session)
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute(its, (invoice,))


@pytest.mark.parametrize(
    ("code", "status", "needs"), [("212", "paid", False), ("220", "cancelled", True)]
)
def test_what_the_seller_says_of_a_purchase_is_in_its_history(
    seller, buyer, move, platform, code, status, needs
):
    """A cancelled one needs a person, who says that it is done; the seller's own invoice stays."""
    sent(seller, move)
    fetch_mailboxes(buyer, move)
    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    head = messages.head_of(next(e.content for e in platform.flows.values() if e.rule == "B2B"))
    message = messages.status(head, code, platform.now(), by=company.SELLER)
    for _ in range(2):
        platform.tell(company.BUYER, "SupplierInvoiceLC", message)
    fetch_mailboxes(buyer, move)

    found = shown(buyer, bill["invoiceId"])
    said = [each for each in found["history"] if each["event"] == "responded"]
    assert [each["detail"].split()[0] for each in said] == [status]
    assert (found["attention"], found["networkStatus"]) == (needs, "Received")
    assert "LIFE_CYCLE" in buyer.artefacts(bill["invoiceId"])


def test_a_status_of_another_sellers_invoice_changes_no_purchase(seller, buyer, move, platform):
    """Two sellers may use one number."""
    sent(seller, move)
    fetch_mailboxes(buyer, move)
    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    head = messages.head_of(next(e.content for e in platform.flows.values() if e.rule == "B2B"))
    other = replace(head, seller=company.STRANGER)
    platform.tell(company.BUYER, "SupplierInvoiceLC", messages.status(other, "220", platform.now()))
    fetch_mailboxes(buyer, move)

    assert shown(buyer, bill["invoiceId"])["attention"] is False


def test_a_factur_x_is_what_the_invoice_in_it_says(seller, buyer, move, platform):
    """Not what its file is called; the PDF is kept, and its seller can be responded to."""
    made = company.french_invoice(number="F-INSIDE")
    profile = next(each for each in form.PROFILES if each.name == "fr-s1-cii")
    xml = profile.write(profile.adapt(made).invoice)
    whole = pdf.render_factur_x(an_invoice(number="F-ON-PAPER"), ACME, xml)
    platform.arrive(company.BUYER, "SupplierInvoice", "Factur-X", "F-ANOTHER.pdf", whole)
    for _ in range(2):
        fetch_mailboxes(buyer, move)

    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    assert (bill["number"], bill["grandTotal"]) == ("F-INSIDE", 120.0)
    original = buyer.artefacts(bill["invoiceId"])["ORIGINAL"]
    path = f"/api/invoices/{bill['invoiceId']}"
    assert buyer.get(f"{path}/artefacts/{original['artefactId']}").data == whole
    assert buyer.get(path).json["senderParticipantId"] == f"0225:{company.SELLER}"
    body = json.dumps({"responseCode": "AP"}).encode()
    answered = buyer.call("POST", f"{path}/response", body, Content_Type="application/json")
    assert answered.status_code == 200, answered.text


def test_a_payment_of_an_invoice_sent_as_cii_has_its_rates(seller, move, platform):
    invoice = sent(seller, move, profile="fr-s1-cii")
    fetch_mailboxes(seller, move)
    assert pay(seller, invoice, 60).status_code == 200
    deliver_messages(seller, move)

    told_ = [f.content for f in platform.flows.values() if f.direction == "Out"]
    assert b"CrossIndustryInvoice" in told_[0]
    assert b">60.00<" in told_[1]
    assert b"ValuePercent>20.00<" in told_[1]


def test_a_payment_of_an_invoice_that_is_not_kept_any_more_says_why_it_cannot_be_told(seller, move):
    invoice = sent(seller, move)
    fetch_mailboxes(seller, move)
    with seller.app.app_context(), db.writing() as connection:
        connection.execute(
            sa.update(Invoice).where(Invoice.id == invoice).values(document=b"", original=b"")
        )
    refused = pay(seller, invoice, 60)

    assert (refused.status_code, slug(refused)) == (409, "conflict")
    assert "not kept any more" in refused.json["detail"]


def leave(caller) -> None:
    """What a worker does with the connections that have ended."""
    with caller.app.app_context():
        ids, token = claimed(outbox.PLUGINS, caller.tenant, kind=outbox.LEAVE)
        leaving.run(ids, token, runtime_of(caller.app))
        await_calls()


def kept_secrets(caller) -> list[bytes]:
    """The credentials and states of connections that are stored."""
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Connection.credentials, Connection.plugin_state)
        found = connection.execute(query.where(Connection.tenant_id == caller.tenant)).all()
    return [value for row in found for value in row if value is not None]


def by_a_person(caller) -> None:
    own = Dashboard(caller.app, caller.tenant)
    assert own.delete(f"/api/connections/{caller.connection}").status_code == 204
    assert own.get(f"/api/connections/{caller.connection}").json["state"] == "revoked"


def by_closing_the_account(caller) -> None:
    closed = Dashboard(caller.app, caller.tenant).post(
        "/api/tenant/close", {"confirm": caller.tenant}
    )
    assert closed.status_code == 200, closed.text


def by_the_operator(caller) -> None:
    with caller.app.app_context():
        access.close(caller.tenant, caller.tenant, runtime_of(caller.app))


ENDS = [by_a_person, by_closing_the_account, by_the_operator]


@pytest.mark.parametrize("end", ENDS)
def test_a_connection_that_ends_takes_its_web_hook_from_the_platform(seller, platform, end):
    """Its credentials are deleted then."""
    hooks = platform.companies[company.SELLER].hooks
    assert (len(hooks), len(kept_secrets(seller))) == (1, 2)
    end(seller)
    leave(seller)

    assert (hooks, kept_secrets(seller)) == ([], [])


@pytest.mark.parametrize("end", ENDS)
def test_a_platform_that_does_not_answer_is_left_later(seller, service, platform, move, end):
    """The account cannot be purged before."""
    hooks = platform.companies[company.SELLER].hooks
    service.faults = lambda kind: "gateway"
    end(seller)
    leave(seller)
    assert (len(hooks), len(kept_secrets(seller))) == (1, 2)
    with seller.app.app_context(), db.reading() as connection:
        assert purging.undone(connection, seller.tenant) == 1
    service.faults = lambda kind: None
    move(minutes=2)
    leave(seller)

    assert (hooks, kept_secrets(seller)) == ([], [])
    with seller.app.app_context(), db.reading() as connection:
        assert purging.undone(connection, seller.tenant) == 0


@pytest.mark.parametrize(("hours", "kept"), [(23, 2), (25, 0)])
def test_a_platform_that_is_gone_is_given_up_after_a_day(seller, service, move, hours, kept):
    service.faults = lambda kind: "gateway"
    by_closing_the_account(seller)
    move(hours=hours)
    leave(seller)

    assert len(kept_secrets(seller)) == kept


def test_the_address_of_a_web_hook_ends_with_its_connection(seller, move, platform):
    (hook,) = platform.companies[company.SELLER].hooks
    path = f"/networks/fr-ctc-test/{hook['callbackUrl'].rpartition('/')[2]}"
    fetch_mailboxes(seller, move)
    before = seller.client.post(path)
    with seller.app.app_context():
        accounts.revoke(seller.tenant, seller.connection)
    fetch_mailboxes(seller, move)

    assert (before.status_code, seller.client.post(path).status_code) == (200, 404)
    with seller.app.app_context(), db.reading() as connection:
        kept = connection.execute(sa.select(PluginValue.key)).scalars().all()
    assert [each for each in kept if seller.connection in each] == []


@pytest.mark.parametrize("fault", [None, "gateway"])
def test_a_flow_that_is_not_acknowledged_is_told_of_after_an_hour(
    seller, service, move, platform, fault
):
    """Once: to the tenant by an event, to the operator by doctor, and for good after five days.

    Also where pages come in place of its state.
    """
    platform.at_once = False
    answer = seller.send(a_send(seller))
    invoice = answer.json["invoiceId"]

    def delays() -> list[dict]:
        with seller.app.app_context(), db.reading() as connection:
            query = sa.select(Event.payload).where(Event.type == "transaction.delayed")
            return list(connection.execute(query.where(Event.invoice_id == invoice)).scalars())

    def untaken() -> list[str]:
        with seller.app.app_context():
            return [each.message for each in doctor_work.check_untaken()]

    seller.work()
    assert (delays(), untaken()) == ([], [])
    service.faults = lambda call: fault if call == "getFlow" else None
    for _ in range(14):
        move(minutes=30)
        seller.work()
    (delay,) = delays()
    (words,) = untaken()
    assert "not acknowledged" in delay["reason"]
    assert words.startswith("fr-ctc-test has not taken its oldest document since")
    assert shown(seller, invoice)["networkStatus"] == "Processing"
    move(days=5)
    seller.work()
    with seller.app.app_context():
        assert len(operations.needing_attention()) == 1
    platform.settle()
    assert len([f for f in platform.flows.values() if f.direction == "Out"]) == 1


def test_an_invoice_that_waits_for_its_buyer_is_no_flow_without_acknowledgement(
    seller, move, platform
):
    """Its platform has taken it; the buyer may take two weeks."""
    platform.steps = ()
    sent(seller, move)
    move(hours=8)

    with seller.app.app_context():
        assert [each.waits_for for each in outbox.oldest_unsettled()] == ["push"]
        assert list(doctor_work.check_untaken()) == []


def test_operators_see_the_oldest_flow_the_web_hooks_and_the_platforms(seller, move, platform):
    platform.at_once = False
    program, person = OperatorProgram(seller.app), OperatorPerson(seller.app)

    def shown_() -> dict:
        listed = program.get("/networks").json["items"]
        return next(each for each in listed if each["accessPoint"] == "fr-ctc-test")

    seller.send(a_send(seller))
    seller.work()
    waiting = shown_()
    platform.settle()
    move(seconds=30)
    seller.work()
    page = person.get("/networks").text

    assert [each["waitsFor"] for each in waiting["waiting"]] == ["network"]
    assert [each["waitsFor"] for each in shown_()["waiting"]] == ["push"]
    facts = {each["label"]: each["value"] for each in waiting["facts"]}
    assert facts == {
        "Web-hooks registered": "1 of 1 connections", "Platform 127.0.0.1": "1 connections",
    }  # fmt: skip
    assert all(each in page for each in facts)
