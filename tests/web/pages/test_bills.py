"""The page of bills, and marking them as processed."""

from __future__ import annotations

import re

import pytest

from einvoice.domain.roles import Role
from tests.web.caller import Caller
from tests.web.pages.visitor import Visitor
from tests.web.test_bills import Inbox

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


def test_bills_are_open_until_they_are_marked(inbox, visitor):
    first, _ = inbox.arrives(number="B-1"), inbox.arrives(number="B-2")
    assert numbers(visitor.get(PAGE)) == ["B-2", "B-1"]
    done = visitor.post(f"{PAGE}/{first}/processed")

    assert "Marked as processed." in visitor.get(done.headers["Location"]).text
    assert numbers(visitor.get(PAGE)) == ["B-2"]
    assert numbers(visitor.get(f"{PAGE}?state=processed")) == ["B-1"]
    assert "ann@example.com" in visitor.get(f"{PAGE}?state=processed").text


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
