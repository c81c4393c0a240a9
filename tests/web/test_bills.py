"""Bills: listed, read, downloaded, marked as processed; never resent or shared."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE_CII
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.store.core import db
from einvoice.store.invoices import invoices as stored
from einvoice.store.invoices import lists
from einvoice.store.tables import Transmission
from tests.builders import CII
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox

ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture
def inbox(caller) -> Inbox:
    return Inbox(caller)


def test_a_bill_is_read_like_an_invoice(inbox, caller):
    """The same members; status Received, with the network's document type and the findings."""
    bill = inbox.arrives(number="B-7")
    reported = caller.get(f"/api/invoices/{bill}").json
    sent = caller.get(f"/api/invoices/{caller.sent()}").json

    assert reported.keys() == sent.keys()
    assert reported["direction"] == "received"
    assert (reported["networkStatus"], reported["number"]) == ("Received", "B-7")
    assert list(reported["totals"].values()) == [100.00, 21.00, 121.00, 121.00, None]
    assert (reported["supplierName"], reported["buyerName"]) == ("Sample seller", "Sample buyer")
    assert reported["documentTypeId"].startswith("busdox-docid-qns::")
    assert [entry["event"] for entry in reported["history"]] == ["received", "validated"]
    assert (reported["processedAt"], reported["processedBy"]) == (None, None)
    assert (sent["documentTypeId"], sent["processedAt"], sent["supplierId"]) == (None,) * 3


@ONE_DATABASE
def test_unreadable_values_are_null(inbox, caller):
    """Members are neither missing nor guessed."""
    bill = inbox.arrives(document=b"<Other/>")
    reported = caller.get(f"/api/invoices/{bill}").json
    (item,) = caller.get("/api/invoices?direction=received").json["items"]
    unknown = ("number", "issueDate", "dueDate", "currency", "grandTotal", "supplierName")

    assert [reported[name] for name in unknown] == [item[name] for name in unknown] == [None] * 6
    assert set(reported["totals"].values()) == {None}
    assert (reported["trafficLight"], reported["warnings"][0]["code"]) == (
        "red",
        "unreadable-document",
    )


@ONE_DATABASE
@pytest.mark.parametrize(
    ("document", "kinds", "form"),
    [
        (None, {"UBL", "ORIGINAL", "VALIDATION_REPORT", "RECEIPT"}, "ubl"),
        (CII, {"UBL", "ORIGINAL", "VALIDATION_REPORT", "RECEIPT"}, "cii"),
        (b"<Other/>", {"ORIGINAL", "VALIDATION_REPORT", "RECEIPT"}, None),
        (b"%PDF-1.7", {"ORIGINAL", "VALIDATION_REPORT", "RECEIPT"}, None),
    ],
    ids=["ubl", "cii", "other xml", "no xml"],
)
def test_the_artefacts_of_a_bill_can_be_downloaded(inbox, caller, document, kinds, form):
    """ORIGINAL has the received bytes; UBL exists if it is an invoice."""
    given = {} if document is None else {"document": document}
    kind = {"document_type": BIS_INVOICE_CII} if form == "cii" else {}
    bill = inbox.arrives(number="B-1", **given, **kind)
    items = caller.get(f"/api/invoices/{bill}/artefacts").json["items"]
    kept = {
        item["type"]: caller.get(f"/api/invoices/{bill}/artefacts/{item['artefactId']}")
        for item in items
    }

    assert set(kept) == kinds
    assert kept["ORIGINAL"].data == (document or kept["UBL"].data)
    assert kept["ORIGINAL"].headers["Content-Disposition"].startswith("attachment")
    assert kept["VALIDATION_REPORT"].json["format"] == form
    assert (kept["VALIDATION_REPORT"].json["trafficLight"] == "red") is (form is None)


def test_a_bill_is_marked_as_processed_and_opened_again(inbox):
    """Marking again changes nothing: the first time and name stay."""
    bill = inbox.arrives()
    first = inbox.mark(bill)
    second = inbox.mark(bill, b'{"processed": true}')
    opened = inbox.mark(bill, b'{"processed": false}')

    assert first.status_code == 200
    assert first.json["processedAt"] == first.json["updatedAt"] is not None
    assert first.json["processedBy"].startswith("key ")
    assert first.json["history"][-1]["event"] == "processed"
    assert second.json == first.json
    assert (opened.json["processedAt"], opened.json["processedBy"]) == (None, None)
    assert inbox.mark(bill, b'{"processed": false}').json == opened.json


def test_a_bill_marked_by_a_person_has_the_person_s_name(inbox, caller):
    ann = Dashboard(caller.app, caller.tenant, role=Role.MEMBER)
    bill = inbox.arrives()
    answer = ann.post(f"/api/invoices/{bill}/mark-processed")

    assert answer.json["processedBy"] == "ann@example.com"
    assert ann.get(f"/api/invoices/{bill}").json == answer.json


@ONE_DATABASE
def test_a_viewer_and_a_reading_key_may_not_mark(inbox, caller):
    bill = inbox.arrives()
    viewer = Dashboard(caller.app, caller.tenant, role=Role.VIEWER)
    reader = Caller(caller.app, tenant=caller.tenant, scopes=["invoices:read"])

    assert slug(viewer.post(f"/api/invoices/{bill}/mark-processed")) == "forbidden"
    assert slug(inbox.mark(bill, who=reader)) == "insufficient-scope"
    assert caller.get(f"/api/invoices/{bill}").json["processedAt"] is None


def book(caller, bill, body):
    return caller.call("POST", f"/api/invoices/{bill}/gl-account", json.dumps(body).encode())


def supplier_of(caller, inbox, bill, **fields) -> str:
    """A supplier who is matched with later bills of the same sender."""
    person = Dashboard(caller.app, caller.tenant)
    seller = caller.get(f"/api/invoices/{bill}").json
    body = {
        "name": "Seller",
        "countryCode": "BE",
        "peppolId": seller["senderParticipantId"],
        **fields,
    }
    made = person.post("/api/suppliers", body)
    assert made.status_code == 201, made.text
    return made.json["supplierId"]


@pytest.mark.parametrize("remember", [True, False])
def test_an_account_that_is_corrected_is_that_of_later_bills_unless_it_is_not_to_be(
    inbox, caller, remember
):
    supplier = supplier_of(caller, inbox, inbox.arrives(), defaultGlAccountCode="6000")
    bill = inbox.arrives()
    assert caller.get(f"/api/invoices/{bill}").json["glAccountCode"] == "6000"
    given = {"glAccountCode": " 6130 "} | ({} if remember else {"remember": False})
    answer = book(caller, bill, given)

    assert answer.status_code == 200, answer.text
    assert (answer.json["glAccountCode"], answer.json["supplierId"]) == ("6130", supplier)
    assert caller.get(f"/api/invoices/{bill}").json == answer.json
    later = caller.get(f"/api/invoices/{inbox.arrives()}").json
    assert later["glAccountCode"] == ("6130" if remember else "6000")


def test_bills_of_a_supplier_are_listed_page_by_page_with_other_filters(inbox, caller):
    supplier = supplier_of(caller, inbox, inbox.arrives())
    bills = [inbox.arrives() for _ in range(3)]
    query = f"supplierId={supplier}"
    inbox.mark(bills[1])
    first = caller.get(f"/api/invoices?{query}&limit=2&include=total").json
    last = caller.get(f"/api/invoices?{query}&limit=2&cursor={first['nextCursor']}").json

    assert [item["invoiceId"] for item in first["items"]] == [bills[2], bills[1]]
    assert [item["invoiceId"] for item in last["items"]] == [bills[0]]
    assert (first["total"], last["hasMore"]) == (3, False)
    assert inbox.ids(f"{query}&direction=received&sort=createdAt") == bills
    assert inbox.ids(f"{query}&processed=false") == [bills[2], bills[0]]
    assert inbox.ids(f"{query}&networkStatus=Received&processed=true") == [bills[1]]
    assert sorted(inbox.ids(f"{query}&environment=test&sort=number")) == sorted(bills)
    assert inbox.ids(f"{query}&direction=sent") == []
    assert inbox.ids(f"{query}&attention=true") == []


def test_a_bill_without_a_supplier_is_booked_and_an_account_removed(inbox, caller):
    bill = inbox.arrives()
    booked = book(caller, bill, {"glAccountCode": "6130"})
    removed = book(caller, bill, {})

    assert (booked.json["glAccountCode"], removed.json["glAccountCode"]) == ("6130", None)


def test_the_audit_log_has_who_booked_a_bill_once(inbox, caller):
    ann = Dashboard(caller.app, caller.tenant)
    bill = inbox.arrives()
    for _ in range(2):
        ann.post(f"/api/invoices/{bill}/gl-account", {"glAccountCode": "6130"})
    (entry,) = ann.get("/api/audit?action=bill.booked").json["items"]

    assert (entry["target"], entry["detail"]) == (bill, {"glAccountCode": "6130"})
    assert entry["email"] == "ann@example.com"


@ONE_DATABASE
def test_who_may_not_change_a_bill_and_what_is_no_bill_cannot_be_booked(inbox, caller):
    bill, sent = inbox.arrives(), caller.sent()
    path, body = f"/api/invoices/{bill}/gl-account", {"glAccountCode": "6130"}
    viewer = Dashboard(caller.app, caller.tenant, role=Role.VIEWER)
    reader = Caller(caller.app, tenant=caller.tenant, scopes=["invoices:read"])

    assert slug(viewer.post(path, body)) == "forbidden"
    assert slug(book(reader, bill, body)) == "insufficient-scope"
    assert slug(book(Caller(caller.app), bill, body)) == "not-found"
    assert slug(book(caller, sent, body)) == "conflict"
    assert slug(book(caller, bill, {"glAccountCode": "x" * 101})) == "invalid-field"
    assert caller.get(f"/api/invoices/{bill}").json["glAccountCode"] is None


@ONE_DATABASE
def test_a_sent_invoice_cannot_be_marked_as_processed(inbox, caller):
    answer = inbox.mark(caller.sent())

    assert (answer.status_code, slug(answer)) == (409, "conflict")


@ONE_DATABASE
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"processed": "true"}', "invalid-field"),
        (b'{"done": true}', "invalid-field"),
        (b"true", "invalid-body"),
    ],
)
def test_the_body_is_read_strictly(inbox, body, expected):
    answer = inbox.mark(inbox.arrives(), body)

    assert (answer.status_code, slug(answer)) == (400, expected)


@ONE_DATABASE
def test_another_tenant_cannot_mark_a_bill(inbox, caller):
    """404, as for an unknown id."""
    bill = inbox.arrives()
    strangers = [
        Caller(caller.app),
        Caller(caller.app, Environment.LIVE, caller.tenant),
        Dashboard(caller.app),
    ]
    for stranger in strangers:
        answer = inbox.mark(bill, who=stranger)
        assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert caller.get(f"/api/invoices/{bill}").json["processedAt"] is None


def test_the_list_filters_open_bills(inbox, caller):
    """The filter `processed` selects received invoices only, with any other filters."""
    sent = caller.sent()
    first, second, third = (inbox.arrives(number=f"N-{n}") for n in range(3))
    inbox.mark(second)

    assert inbox.ids("direction=received") == [third, second, first]
    assert inbox.ids("networkStatus=Received") == [third, second, first]
    assert inbox.ids("processed=false") == [third, first]
    assert inbox.ids("direction=received&processed=false") == [third, first]
    assert inbox.ids("processed=true") == [second]
    assert inbox.ids("processed=false&sort=createdAt") == [first, third]
    assert inbox.ids("processed=false&q=n-2") == [third]
    assert inbox.ids("processed=false&number=N-0") == [first]
    assert inbox.ids("processed=true&networkStatus=Received") == [second]
    assert inbox.ids(f"processed=true&senderParticipantId={samples.SENDER}") == [second]
    assert inbox.ids("direction=sent&processed=true") == []
    assert inbox.ids("direction=sent") == [sent]


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize("narrowed", ["", "&currency=EUR", "&networkStatus=Received"])
def test_pages_of_open_bills_contain_each_bill_once(inbox, caller, sort, narrowed):
    made = [inbox.arrives() for _ in range(5)]
    inbox.mark(made[2])
    query = f"processed=false&limit=2&sort={sort}{narrowed}"
    walked = inbox.walk(query)
    total = caller.get(f"/api/invoices?{query}&include=total").json["total"]

    assert sorted(walked) == sorted(made[:2] + made[3:])
    assert total == 4


def test_an_open_bill_among_many_others_is_found(inbox, monkeypatch):
    """Found by examining a few at a time, in the order of open bills."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 2)
    made = [inbox.arrives(number=f"N-{n}") for n in range(5)]

    assert inbox.walk("processed=false&q=N-1") == [made[1]]


@ONE_DATABASE
def test_a_bill_cannot_be_resent_or_advanced(inbox, caller):
    """409, for both."""
    bill = inbox.arrives()
    resent = caller.call("POST", f"/api/invoices/{bill}/resend")
    advanced = caller.call("POST", f"/api/sandbox/invoices/{bill}/advance")

    assert (resent.status_code, advanced.status_code) == (409, 409)


@ONE_DATABASE
def test_a_bill_cannot_be_shared(inbox, caller):
    """By `may_be_shared`, with any status."""
    bill, sent = inbox.arrives(), caller.sent()
    with caller.app.app_context():
        with db.writing() as connection:
            connection.execute(
                sa.update(Transmission)
                .where(Transmission.invoice_id.in_([bill, sent]))
                .values(status="Delivered")
            )
        records = [stored.find(i, caller.tenant, ["test"]) for i in (bill, sent)]

    assert [record.may_be_shared for record in records] == [False, True]
    assert [record.is_received for record in records] == [True, False]
