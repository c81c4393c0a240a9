"""Legal holds on the pages."""

from __future__ import annotations

import re

import pytest

from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from tests.builders import accepted
from tests.web.pages.visitor import Visitor

HOLDS = "/dashboard/settings/holds"
RELEASE = re.compile(rf'action="({HOLDS}/[^/]+/release)"')


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


@pytest.fixture
def invoice(app, visitor) -> str:
    """The page of an invoice."""
    with app.app_context():
        return f"/dashboard/invoices/{accepted(visitor.tenant).invoice_id}"


def active(visitor) -> list[tuple[str | None, str]]:
    listed = visitor.person.get("/api/holds?state=active").json["items"]
    return [(each["invoiceId"], each["reason"]) for each in listed]


def test_everything_of_the_account_is_held_and_released(visitor):
    done = visitor.post(HOLDS, {"reason": "Lawsuit <4711>"})
    page = visitor.get(done.headers["Location"]).text
    held = active(visitor)
    released = visitor.post(RELEASE.search(page)[1])
    after = visitor.get(released.headers["Location"]).text

    assert held == [(None, "Lawsuit <4711>")]
    assert "It is kept until the hold is released." in page
    assert "Lawsuit &lt;4711&gt;" in page
    assert active(visitor) == []
    assert "The hold is released." in after
    assert RELEASE.search(after) is None


def test_one_invoice_is_held_and_released_on_its_page(visitor, invoice):
    done = visitor.post(f"{invoice}/hold", {"reason": "Lawsuit 4711"})
    page = visitor.get(done.headers["Location"]).text
    held = active(visitor)
    released = visitor.post(RELEASE.search(page)[1], {"then": "invoice"})

    assert held == [(invoice.rpartition("/")[2], "Lawsuit 4711")]
    assert "Lawsuit 4711" in page
    assert released.headers["Location"].startswith(invoice)
    assert "No hold keeps this invoice" in visitor.get(invoice).text


def test_a_hold_of_everything_shows_on_the_page_of_an_invoice(visitor, invoice):
    visitor.post(HOLDS, {"reason": "Audit"})
    page = visitor.get(invoice).text

    assert "Everything of the account" in page
    assert RELEASE.search(page) is None


def test_a_hold_of_the_operator_is_not_offered_for_release(app, visitor, invoice):
    with app.app_context():
        hold = holds.place(visitor.tenant, None, "Order 12")
    page = visitor.get(HOLDS).text
    refused = visitor.post(f"{HOLDS}/{hold.id}/release")

    assert "Order 12" in page
    assert RELEASE.search(page) is None
    assert (refused.status_code, 'role="alert"' in refused.text) == (409, True)
    assert active(visitor) == [(None, "Order 12")]


@pytest.mark.parametrize("reason", ["  ", "x" * 501])
def test_a_wrong_reason_is_shown_and_nothing_is_held(visitor, invoice, reason):
    for answer in (visitor.post(f"{invoice}/hold", {"reason": reason}),
                   visitor.post(HOLDS, {"reason": reason})):  # fmt: skip
        assert answer.status_code == 409
        assert 'id="reason-error"' in answer.text
    assert active(visitor) == []


def test_the_list_has_pages_newest_first(app, visitor):
    with app.app_context():
        for number in range(51):
            holds.place(visitor.tenant, None, f"Case-{number:02}")
    first = visitor.get(HOLDS).text
    second = visitor.get(re.search(r'rel="next" href="([^"]+)"', first)[1]).text

    assert re.findall(r"Case-\d\d", first) == [f"Case-{n:02}" for n in range(50, 0, -1)]
    assert re.findall(r"Case-\d\d", second) == ["Case-00"]
    assert (f'href="{HOLDS}">First page' in first, f'href="{HOLDS}">First page' in second) == (
        False, True,
    )  # fmt: skip


def test_members_neither_see_nor_change_holds(app, visitor, invoice):
    visitor.post(HOLDS, {"reason": "Lawsuit 4711"})
    address = RELEASE.search(visitor.get(HOLDS).text)[1]
    member = Visitor(app, visitor.tenant, Role.MEMBER)

    assert HOLDS not in member.get("/dashboard/settings").text
    assert "Lawsuit 4711" not in member.get(invoice).text
    for answer in (member.get(HOLDS), member.post(HOLDS, {"reason": "x"}), member.post(address),
                   member.post(f"{invoice}/hold", {"reason": "x"})):  # fmt: skip
        assert answer.status_code == 403
    assert active(visitor) == [(None, "Lawsuit 4711")]


def test_holds_of_another_account_are_not_found(app, visitor, invoice):
    visitor.post(HOLDS, {"reason": "Lawsuit 4711"})
    address = RELEASE.search(visitor.get(HOLDS).text)[1]
    stranger = Visitor(app)

    assert "Lawsuit 4711" not in stranger.get(HOLDS).text
    assert stranger.post(address).status_code == 404
    assert stranger.post(f"{invoice}/hold", {"reason": "x"}).status_code == 404
    assert active(visitor) == [(None, "Lawsuit 4711")]
