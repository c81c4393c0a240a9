"""The page of bills, and marking them as processed."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile

import pytest
import sqlalchemy as sa

from einvoice.domain.roles import Role
from einvoice.services.invoices import bundles
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Message
from tests.web.caller import Caller
from tests.web.inbox import Inbox
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/bills"


@pytest.fixture
def caller(app) -> Caller:
    return Caller(app)


@pytest.fixture
def inbox(caller) -> Inbox:
    return Inbox(caller)


@pytest.fixture
def visitor(caller) -> Visitor:
    one = Visitor(caller.app, caller.tenant)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def numbers(answer) -> list[str]:
    return re.findall(r'<a href="/dashboard/invoices/[0-9a-f-]{36}">([^<]*)</a>', answer.text)


def test_the_page_of_a_bill_is_in_the_section_of_bills(inbox, visitor):
    page = visitor.get(f"/dashboard/invoices/{inbox.arrives()}").text

    assert re.findall(r'aria-current="page"><svg[^>]*>.*?</svg>([^<]*)<', page) == ["Bills"]


def test_bills_are_open_until_they_are_marked(inbox, visitor):
    first, _ = inbox.arrives(number="B-1"), inbox.arrives(number="B-2")
    assert numbers(visitor.get(PAGE)) == ["B-2", "B-1"]
    done = visitor.post(f"{PAGE}/{first}/processed")

    assert "Marked as processed." in visitor.get(done.headers["Location"]).text
    assert numbers(visitor.get(PAGE)) == ["B-2"]
    assert numbers(visitor.get(f"{PAGE}?state=processed")) == ["B-1"]
    assert "ann@example.com" in visitor.get(f"{PAGE}?state=processed").text


def test_bills_are_filtered_and_downloaded_with_their_documents(inbox, visitor):
    """The ZIP and the CSV have the bills that the page shows."""
    inbox.arrives(number="B-1")
    other = inbox.arrives(number="B-2")
    with inbox.caller.app.app_context(), db.writing() as connection:
        named = sa.update(Invoice).where(Invoice.id == other).values(supplier_name="Nordwind GmbH")
        connection.execute(named)
    page = visitor.get(f"{PAGE}?party=nordwind")
    links = [
        html.unescape(link)
        for link in re.findall(r'href="([^"]+(?:documents.zip|export.csv)[^"]*)"', page.text)
    ]
    bundle, table = (visitor.get(link) for link in links[:2])
    archive = zipfile.ZipFile(io.BytesIO(bundle.data))

    assert numbers(page) == ["B-2"]
    assert sorted(archive.namelist()) == [
        "001-B-2/invoice.pdf", "001-B-2/original.xml", "invoices.csv",
    ]  # fmt: skip
    assert [row["number"] for row in csv.DictReader(io.StringIO(table.text))] == ["B-2"]


def test_a_wrong_day_of_bills_is_shown_at_its_field(visitor):
    answer = visitor.get(f"{PAGE}?issueDateFrom=soon")

    assert answer.status_code == 400
    assert 'id="issueDateFrom-error"' in answer.text


def test_too_many_documents_are_refused_with_the_way_out(inbox, visitor, monkeypatch):
    monkeypatch.setattr(bundles, "MAX_INVOICES", 0)
    inbox.arrives(number="B-1")
    answer = visitor.get("/dashboard/invoices/documents.zip?direction=received")

    assert answer.status_code == 409
    assert "export the whole account" in answer.text


@pytest.mark.parametrize("headers", [{}, {"HX_Request": "true"}])
def test_marking_keeps_the_filters_the_page_and_the_environment(inbox, visitor, headers):
    """A person who marks forty bills of a supplier does not look for the supplier forty times."""
    bill, _ = inbox.arrives(number="B-1"), inbox.arrives(number="B-2")
    visitor.post("/dashboard/preferences", {"environment": "live"})
    page = visitor.get(f"{PAGE}?environment=test&party=e&issueDateFrom=2020-01-01")
    back = html.unescape(re.search(r'name="back" value="(/dashboard/bills[^"]+)"', page.text)[1])
    done = visitor.post(f"{PAGE}/{bill}/processed", {"back": back}, **headers)
    elsewhere = visitor.post(f"{PAGE}/{bill}/processed", {"back": "//evil.example?"}, **headers)
    shown = visitor.get(done.headers["Location"])

    assert numbers(page) == ["B-2", "B-1"]
    assert done.status_code == 303
    assert numbers(shown) == ["B-2"]
    assert ("Marked as processed." in shown.text) is (not headers)
    for part in ("environment=test", "party=e", "issueDateFrom=2020-01-01"):
        assert part in done.headers["Location"]
    assert "evil" not in str(elsewhere.headers)


def test_a_marked_bill_is_opened_again_on_its_own_page(inbox, visitor):
    bill = inbox.arrives(number="B-1")
    visitor.post(f"{PAGE}/{bill}/processed")
    page = visitor.get(f"/dashboard/invoices/{bill}").text
    assert "Mark as open again" in page
    assert "Send again" not in page
    done = visitor.post(f"{PAGE}/{bill}/processed", {"processed": "false", "then": "invoice"})

    assert f"/dashboard/invoices/{bill}" in done.headers["Location"]
    assert numbers(visitor.get(PAGE)) == ["B-1"]


def test_the_export_of_bills_has_those_of_the_tab(inbox, visitor):
    inbox.arrives(number="B-1")
    link = re.search(r'href="([^"]+export\.csv[^"]*)"', visitor.get(PAGE).text)[1]

    assert "B-1" in visitor.get(link.replace("&amp;", "&")).text


def test_sent_invoices_and_other_accounts_bills_cannot_be_marked(caller, inbox, visitor):
    bill, sent, stranger = inbox.arrives(), caller.sent(), Visitor(caller.app)
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)

    assert stranger.post(f"{PAGE}/{bill}/processed").status_code == 404
    assert numbers(stranger.get(f"{PAGE}?environment=test")) == []
    assert viewer.post(f"{PAGE}/{bill}/processed").status_code == 403
    assert "Mark as processed" not in viewer.get(f"{PAGE}?environment=test").text
    answer = visitor.post(f"{PAGE}/{sent}/processed")
    assert answer.status_code == 409
    assert "only a received one" in answer.text


def test_pages_of_bills_follow_each_other(inbox, visitor):
    for number in range(52):
        inbox.arrives(number=f"B{number}")
    first = visitor.get(PAGE)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")

    assert len(numbers(first)) == 50
    assert len(numbers(visitor.get(following))) == 2


def shown(visitor, bill) -> str:
    return visitor.get(f"/dashboard/invoices/{bill}").text


def test_a_bill_is_booked_to_an_account_and_what_was_wrong_stays_in_the_form(inbox, visitor):
    bill = inbox.arrives(number="B-1")
    assert 'name="remember"' not in shown(visitor, bill)
    refused = visitor.post(f"{PAGE}/{bill}/account", {"glAccountCode": "x" * 101})
    assert refused.status_code == 409
    assert f'value="{"x" * 101}"' in refused.text
    assert 'id="glAccountCode-error"' in refused.text
    done = visitor.post(f"{PAGE}/{bill}/account", {"glAccountCode": "6130"})

    assert "Booked." in visitor.get(done.headers["Location"]).text
    assert 'value="6130"' in shown(visitor, bill)


def test_a_response_is_sent_once_for_each_page(inbox, visitor):
    bill = inbox.arrives(number="B-1", access_point="simulator")
    page = shown(visitor, bill)
    form = {
        "key": re.search(r'name="key" value="([^"]+)"', page)[1], "responseCode": "UQ",
        "responseReason": "REF", "reasonText": "No such order.", "responseAction": "NIN",
        "note": "Please call.",
    }  # fmt: skip
    done = visitor.post(f"{PAGE}/{bill}/response", form)
    visitor.post(f"{PAGE}/{bill}/response", form)

    assert "on its way to the seller" in visitor.get(done.headers["Location"]).text
    assert "<dd>Under query, " in shown(visitor, bill)
    with visitor.person.app.app_context(), db.reading() as connection:
        (message,) = connection.execute(sa.select(Message.document)).scalars()
    for text in (b"UQ", b"REF", b"No such order.", b"NIN", b"Please call."):
        assert text in message


def test_a_response_that_needs_a_reason_says_so_at_its_field(inbox, visitor):
    bill = inbox.arrives(number="B-1", access_point="simulator")
    page = visitor.post(
        f"{PAGE}/{bill}/response", {"key": "k", "responseCode": "RE", "note": "<b>No</b>"}
    )

    assert page.status_code == 409
    assert 'id="responseReason-error"' in page.text
    assert "&lt;b&gt;No&lt;/b&gt;</textarea>" in page.text
    assert visitor.person.get(f"/api/invoices/{bill}").json["response"] is None


def test_only_members_work_on_bills_and_only_where_the_network_takes_responses(
    caller, inbox, visitor
):
    elsewhere = inbox.arrives(number="B-1")
    bill = inbox.arrives(number="B-2", access_point="simulator")
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)

    assert [f"{bill}/response" in shown(one, bill) for one in (visitor, viewer)] == [True, False]
    assert [f"{bill}/account" in shown(one, bill) for one in (visitor, viewer)] == [True, False]
    assert f"{elsewhere}/response" not in shown(visitor, elsewhere)
    for what in ("account", "response"):
        assert viewer.post(f"{PAGE}/{bill}/{what}", {"key": "k"}).status_code == 403
        assert Visitor(caller.app).post(f"{PAGE}/{bill}/{what}", {"key": "k"}).status_code == 404


def test_accounts_of_the_same_supplier_are_suggested_first_and_booked_by_a_press(inbox, visitor):
    """Then those of other processed bills; not those of another account of the service."""
    first, other, bill = (inbox.arrives(number=f"B-{number}") for number in range(3))
    with inbox.caller.app.app_context(), db.writing() as connection:
        elsewhere = {"sender": "9915:elsewhere"}
        connection.execute(sa.update(Invoice).where(Invoice.id == other).values(**elsewhere))
    for booked, code in ((first, "6130"), (other, "6200")):
        visitor.post(f"{PAGE}/{booked}/account", {"glAccountCode": code})
        visitor.post(f"{PAGE}/{booked}/processed")
    stranger = Inbox(Caller(inbox.caller.app))
    secret = stranger.arrives(number="S-1")
    theirs = Visitor(inbox.caller.app, stranger.caller.tenant)
    theirs.post(f"{PAGE}/{secret}/account", {"glAccountCode": "9999"})
    page = shown(visitor, bill)
    done = visitor.post(f"{PAGE}/{bill}/account", {"glAccountCode": "", "suggested": "6130"})

    assert re.findall(r'name="suggested" value="([^"]+)"', page) == ["6130", "6200"]
    assert "Booked." in visitor.get(done.headers["Location"]).text
    assert visitor.person.get(f"/api/invoices/{bill}").json["glAccountCode"] == "6130"


@pytest.mark.parametrize(("button", "code"), [("Approve", "AP"), ("Reject the bill", "RE")])
def test_a_bill_is_approved_or_rejected_by_one_of_two_buttons(inbox, visitor, button, code):
    """By the form that the button is in, as a browser sends it."""
    bill = inbox.arrives(number="B-1", access_point="simulator")
    page = shown(visitor, bill)
    forms = re.findall(
        rf'<form method="post" action="{PAGE}/{bill}/response">(.*?)</form>', page, re.DOTALL
    )
    (form,) = [each for each in forms if f"{button}</button>" in each]
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    reasons = re.findall(r'<option value="(\w+)"', form)
    if reasons:
        fields["responseReason"] = reasons[0]
    done = visitor.post(f"{PAGE}/{bill}/response", fields)

    assert done.status_code == 303, done.text
    assert visitor.person.get(f"/api/invoices/{bill}").json["response"]["responseCode"] == code


def test_several_bills_are_marked_at_once_all_or_none(caller, inbox, visitor):
    bills = [inbox.arrives(number=f"B-{number}") for number in range(3)]
    sent = caller.sent()
    refused = visitor.post(f"{PAGE}/processed", {"bill": [bills[0], sent]})
    assert numbers(visitor.get(PAGE)) == ["B-2", "B-1", "B-0"]
    done = visitor.post(f"{PAGE}/processed", {"bill": bills[:2]})
    nothing = visitor.post(f"{PAGE}/processed", {})
    foreign = Visitor(caller.app).post(f"{PAGE}/processed", {"bill": bills[2]})
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)

    assert refused.status_code == 409
    assert "chosen bills are marked" in visitor.get(done.headers["Location"]).text
    assert numbers(visitor.get(PAGE)) == ["B-2"]
    assert nothing.status_code == 303
    assert foreign.status_code == 404
    assert viewer.post(f"{PAGE}/processed", {"bill": bills[2]}).status_code == 403
    assert 'id="chosen"' not in viewer.get(f"{PAGE}?environment=test").text
