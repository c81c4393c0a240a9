"""The lists in a browser: rows of one line, cards on a telephone, filters as chips."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.web.dashboard import list_filters
from tests.browser import Visit, serving, visiting
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.inbox import Inbox
from tests.web.pages.visitor import Visitor

LONG = "SIM-txn_" + "01a2b3c4" * 9
LISTS = ("/dashboard/invoices?environment=test", "/dashboard/bills?environment=test")
WORST = {
    "buyer_name": "Bouwonderneming Van den Broeck & Zonen BVBA te Sint-Katelijne-Waver",
    "grand_total": Decimal("9999999999.99"),
    "currency": "SEK",
    "status": "Processing",
}

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def shop(service) -> Shop:
    found = Shop(service)
    inbox = Inbox(Caller(service, tenant=found.tenant))
    for number in range(22):
        found.invoice(number=f"{number}-{LONG}" if number % 2 else f"2026-{number}", **WORST)
        inbox.arrives(number=f"{number}-{LONG}")
    found.invoice(number="CN-1", kind="creditNote", buyer_name="Credited")
    return found


@pytest.fixture(scope="module")
def origin(service):
    with serving(service) as address:
        yield address


@pytest.fixture
def open_at(browser, origin, service, shop):
    """`open_at(width, height, address)`: a page in a window of this size."""
    opened = []

    def _open(width: int, height: int, address: str, **context: object) -> Visit:
        look = {"viewport": {"width": width, "height": height}, "locale": "en-GB", **context}
        visit = visiting(browser, origin, **look)
        one = visit.__enter__()
        opened.append(visit)
        one.page.goto(origin + Visitor(service, shop.tenant, log_in=False).link)
        one.page.goto(origin + address)
        return one

    yield _open
    for visit in opened:
        visit.__exit__(None, None, None)


def boxes(one: Visit, cells: str) -> list[dict[str, float]]:
    return one.page.evaluate(
        "cells => [...document.querySelectorAll(cells)].map(each => each.getBoundingClientRect())",
        cells,
    )


@pytest.mark.parametrize("address", LISTS)
def test_a_row_is_one_line_and_its_amount_and_state_are_seen(open_at, address):
    """With long numbers, names and amounts, at the widths of common windows."""
    for width in (1024, 1100, 1440):
        one = open_at(width, 900, address)
        rows = boxes(one, ".list tbody tr")
        cells = boxes(one, ".list td.amount, .list td.state, .list td.act, .list td.date")
        cut = one.page.evaluate(
            "() => [...document.querySelectorAll('.list td.amount, .list td.state, .list td.date')]"
            ".filter(each => each.scrollWidth > each.clientWidth).length"
        )
        card = boxes(one, ".card.flush")[0]

        assert {36 <= row["height"] <= 40 for row in rows} == {True}, width
        assert max(cell["right"] for cell in cells) <= card["right"], width
        assert cut == 0
        assert sum(row["bottom"] <= 900 for row in rows) >= 16, width


@pytest.mark.parametrize(("width", "is_card"), [(590, True), (610, False)])
def test_rows_are_cards_below_600_pixels(open_at, width, is_card):
    one = open_at(width, 900, LISTS[0])
    name, number = (boxes(one, f".list tbody td.{each}")[0] for each in ("party", "number"))

    assert (name["bottom"] <= number["top"]) is is_card


def test_a_credit_note_is_negative_and_the_code_is_behind_the_amount(open_at):
    one = open_at(1200, 900, f"{LISTS[0]}&q=CN-1")

    assert one.page.inner_text("td.amount") == "-121.00 EUR"


def test_a_press_anywhere_on_a_row_opens_its_document(open_at):
    one = open_at(1200, 900, f"{LISTS[0]}&q=CN-1")
    one.page.locator(".list tbody td.state").click(force=True)

    assert one.page.inner_text("h1") == "Credit note CN-1"


def test_chips_say_what_is_chosen_and_take_it_away_again(open_at):
    one = open_at(1200, 900, f"{LISTS[0]}&customerId=")
    one.page.click("#chip-status")
    one.page.check("[name=networkStatus][value=Failed]")
    one.page.wait_for_url("**networkStatus=Failed**")
    one.page.locator("#chip-status strong", has_text="Failed").wait_for()
    assert one.page.locator(".tabs [aria-current]").inner_text() == "Failed"
    one.page.keyboard.press("Escape")
    assert one.page.locator(".chip details[open]").count() == 0
    one.page.get_by_role("link", name="Remove the filter: Status").click()
    one.page.wait_for_url(lambda url: "networkStatus" not in url)

    assert one.page.locator(".clear a").count() == 0


def test_the_slash_leads_to_the_search_and_a_press_beside_a_chip_closes_it(open_at):
    one = open_at(1200, 900, LISTS[0])
    one.page.click("#chip-amount")
    one.page.click("h1")
    assert one.page.locator(".chip details[open]").count() == 0
    one.page.keyboard.press("/")

    assert one.page.evaluate("() => document.activeElement.id") == "q"
    assert one.page.input_value("#q") == ""


def test_filters_without_a_field_are_kept_and_named(service, shop):
    """A list that a link of another page opened is not another one after a search."""
    visitor = Visitor(service, shop.tenant)
    page = visitor.get(
        f"{LISTS[0]}&receiverParticipantId=0088:9520000000004&createdFrom=2026-11-22"
    )

    assert (
        '<input type="hidden" name="receiverParticipantId" value="0088:9520000000004">' in page.text
    )
    assert '<strong dir="auto">0088:9520000000004</strong>' in page.text
    assert '<strong dir="auto">Nov 22 –</strong>' in page.text


def test_several_bills_are_marked_at_once_and_the_filters_stay(open_at):
    one = open_at(1200, 900, f"{LISTS[1]}&issueDateFrom=2020-01-01")
    before = one.page.locator(".list tbody tr").count()
    assert not one.page.locator(".chosen").is_visible()
    for place in (0, 1):
        one.page.locator("[name=bill]").nth(place).check()
    one.page.get_by_role("button", name="Mark the chosen ones").click()
    one.page.wait_for_function(
        f"() => document.querySelectorAll('.list tbody tr').length === {before - 2}"
    )

    assert "issueDateFrom=2020-01-01" in one.page.url


def test_the_navigation_stays_in_view_and_is_one_bar_on_a_telephone(open_at):
    one = open_at(1200, 700, LISTS[0])
    one.page.evaluate("() => window.scrollTo(0, 600)")
    side = boxes(one, ".side")[0]
    phone = open_at(390, 844, LISTS[0])

    assert one.page.get_by_role("button", name="Log out").is_visible()
    assert side["top"] >= 0
    assert boxes(phone, ".side")[0]["height"] <= 60
    assert not phone.page.get_by_role("link", name="Bills").is_visible()
    phone.page.get_by_role("button", name="Menu").click()
    phone.page.get_by_role("link", name="Bills").click()
    assert phone.page.inner_text("h1") == "Bills"


@pytest.mark.parametrize(("environment", "is_sandbox"), [("test", True), ("live", False)])
def test_the_sandbox_looks_like_it_on_every_page(service, shop, environment, is_sandbox):
    visitor = Visitor(service, shop.tenant)
    visitor.post("/dashboard/preferences", {"environment": environment})
    pages = ("", "/invoices", "/bills", "/customers", "/settings", "/developers/keys", "/check")

    for page in pages:
        shown = visitor.get(f"/dashboard{page}").text
        assert ('<aside class="sandbox"' in shown) is is_sandbox, page


def test_months_end_where_they_end(build):
    ends = {date(2024, 2, 1): 29, date(2026, 2, 1): 28, date(2026, 12, 1): 31}

    assert {first: list_filters._end_of_month(first).day for first in ends} == ends
