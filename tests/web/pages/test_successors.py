"""A corrected invoice takes the place of the failed one, and a number is not sent twice unasked."""

from __future__ import annotations

import html
import re

import pytest

from einvoice.store.tables import Invoice
from tests.web.caller import Caller
from tests.web.pages.invoice_form import FORM, LINE, filled
from tests.web.pages.visitor import Visitor

FAILING = "0088:9520000000059"  # rejects at once, for good
_AGAIN = re.compile(r'name="again" value="([0-9a-f-]{36})"')


@pytest.fixture
def visitor(caller) -> Visitor:
    caller.own()
    one = Visitor(caller.app, caller.tenant)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def needing(visitor) -> list[str]:
    """The invoices that the overview says need a person."""
    part = visitor.get("/dashboard?environment=test").text.partition('id="needs"')[2]
    found = re.findall(r'href="/dashboard/invoices/([0-9a-f-]{36})"', part.partition("<h2")[0])
    return list(dict.fromkeys(found))


def buttons(page: str, invoice: str) -> list[bool]:
    """Whether a page offers to send an invoice again, and to correct it."""
    return [f'action="/dashboard/invoices/{invoice}/resend"' in page, f"copies={invoice}" in page]


def test_a_failed_invoice_is_replaced_by_the_next_of_its_number(caller, visitor):
    """Whether it was sent here or by API, and until that one fails too."""
    failed = caller.sent(FAILING, number="C-1")
    other = caller.sent(FAILING, number="C-2")
    caller.work()
    before = visitor.get(f"/dashboard/invoices/{failed}").text
    waiting = needing(visitor)
    sent = visitor.post(FORM, filled(visitor) | {"invoice.number": "C-1"}).headers["Location"]
    successor = sent.partition("?")[0].rpartition("/")[2]
    after = visitor.get(f"/dashboard/invoices/{failed}").text

    assert buttons(before, failed) == [True, True]
    assert "Replaced by" not in before
    assert set(waiting) == {failed, other}
    assert re.search(rf'Replaced by</dt><dd><a href="/dashboard/invoices/{successor}"', after)
    assert buttons(after, failed) == [False, False]
    assert needing(visitor) == [other]


def test_a_failure_that_was_solved_elsewhere_is_done_until_it_fails_again(caller, visitor):
    """By people and by keys; the first time and name stay, and another send begins anew."""
    failed, other = (caller.sent(FAILING, number=number) for number in ("D-1", "D-2"))
    caller.work()
    address = f"/dashboard/invoices/{failed}"
    done = visitor.followed(visitor.post(f"{address}/attention/done"))
    repeated = caller.call("POST", f"/api/invoices/{failed}/attention/done")
    lists = [
        [
            item["invoiceId"]
            for item in caller.get(f"/api/invoices?failureDone={each}").json["items"]
        ]
        for each in ("true", "false")
    ]
    left = needing(visitor)
    visitor.post(f"{address}/resend")
    caller.work()

    assert "/attention/done" not in done.text
    assert "Marked as done</strong>" in done.text
    assert (repeated.status_code, repeated.json["networkStatus"]) == (200, "Failed")
    assert [
        each["detail"] for each in repeated.json["history"] if each["event"] == "attentionDone"
    ] == ["by ann@example.com"]
    assert lists == [[failed], [other]]
    assert left == [other]
    assert set(needing(visitor)) == {failed, other}
    assert "Failed, marked as done" in visitor.get("/dashboard/invoices?failureDone=true").text
    log = visitor.person.get("/api/audit?action=attention.done").json["items"]
    assert [entry["target"] for entry in log] == [failed]


@pytest.mark.parametrize(
    ("change", "replaces"),
    [
        ({}, True),
        ({"invoice.number": "Y-2"}, False),
        ({"invoice.type": "creditNote", "invoice.precedingInvoice.number": "A"}, False),
        ({"invoice.issueDate": "2025-12-31"}, False),
        ({"routing.receiverParticipantId": FAILING}, False),
    ],
)
def test_only_the_same_number_kind_and_year_replaces_and_asks(caller, visitor, change, replaces):
    failed = caller.sent(FAILING, number="Y-1")
    caller.work()
    form = filled(visitor) | {"invoice.number": "Y-1"} | change
    sent = visitor.post(FORM, form)
    assert sent.status_code == 303, sent.text
    caller.work()
    again = visitor.post(FORM, filled(visitor) | {"invoice.number": "Y-1"})

    assert ("Replaced by" in visitor.get(f"/dashboard/invoices/{failed}").text) is (
        replaces or again.status_code == 303
    )
    assert again.status_code == (409 if replaces else 303)


def test_a_number_that_was_sent_is_asked_about_once(caller, visitor):
    """What is asked names the document, and what was typed stays; a repeated click asks nothing."""
    first = filled(visitor) | {"invoice.number": "N-1"}
    sent, repeated = visitor.post(FORM, first), visitor.post(FORM, first)
    second = filled(visitor) | {"invoice.number": "N-1", f"{LINE}description": "Typed text"}
    asked = visitor.post(FORM, second)
    number = _AGAIN.search(asked.text)
    wrong = visitor.post(FORM, second | {"again": "yes"})
    confirmed = visitor.post(FORM, second | {"again": number[1]})

    assert (sent.status_code, repeated.status_code) == (303, 303)
    assert (
        repeated.headers["Location"].partition("?")[0] == sent.headers["Location"].partition("?")[0]
    )
    assert asked.status_code == 409
    assert "N-1 was sent on" in html.unescape(asked.text)
    assert "Typed text" in asked.text
    assert number[1] in sent.headers["Location"]
    assert wrong.status_code == 409
    assert confirmed.status_code == 303
    assert caller.count(Invoice) == 2


def test_numbers_of_other_accounts_ask_nothing(caller, visitor):
    stranger = Caller(caller.app)
    stranger.own("9915:stranger")
    stranger.sent(number="O-1")

    assert visitor.post(FORM, filled(visitor) | {"invoice.number": "O-1"}).status_code == 303


def credit(visitor, number, price, of="K-1", **more):
    """A credit note of 2 x `price` and 21 % VAT, about the invoice `of`."""
    return visitor.post(FORM, filled(visitor) | {
        "invoice.type": "creditNote", "invoice.number": number, "invoice.dueDate": "",
        "invoice.precedingInvoice.number": of, f"{LINE}unitPrice": price,
    } | more)  # fmt: skip


def test_an_invoice_shows_its_credit_notes_and_is_credited_beyond_its_amount_when_asked(
    caller, visitor
):
    """122.21: a part and the rest ask nothing, a cent more does; failed ones do not count."""
    invoice = visitor.post(FORM, filled(visitor) | {"invoice.number": "K-1"})
    page = invoice.headers["Location"].partition("?")[0]
    before = visitor.get(page).text
    failed = credit(visitor, "CN-0", "50,50", **{"routing.receiverParticipantId": FAILING})
    caller.work()
    part, rest = credit(visitor, "CN-1", "20"), credit(visitor, "CN-2", "30,50")
    beyond = credit(visitor, "CN-3", "0,01")
    asked = html.unescape(beyond.text)
    newest = re.search(r'name="creditedAgain" value="([0-9a-f-]{36})"', beyond.text)[1]
    wrong = credit(visitor, "CN-3", "0,01", creditedAgain="yes")
    sure = credit(visitor, "CN-3", "0,01", creditedAgain=newest)
    elsewhere = credit(visitor, "CN-4", "50,50", of="K-2")

    assert "Credited by" not in before
    assert [each.status_code for each in (failed, part, rest, sure, elsewhere)] == [303] * 5
    assert [each.status_code for each in (beyond, wrong)] == [409, 409]
    assert "K-1 is credited with more than its amount" in asked
    assert newest in rest.headers["Location"]
    shown = re.search(r"Credited by</dt><dd>(.*?)</dd>", visitor.get(page).text)[1]
    assert re.findall(r">(CN-\d)</a>", shown) == ["CN-3", "CN-2", "CN-1"]


def test_credit_notes_of_other_accounts_are_not_shown(caller, visitor):
    invoice = visitor.post(FORM, filled(visitor) | {"invoice.number": "K-1"})
    stranger = Caller(caller.app)
    stranger.own("9915:stranger")
    stranger.sent(number="CN-1", type="creditNote", precedingInvoice={"number": "K-1"})

    assert "Credited by" not in visitor.get(invoice.headers["Location"].partition("?")[0]).text
