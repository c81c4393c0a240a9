"""What keys and choices do in the browser, they do where one is: no page is loaded again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from einvoice.domain.directory import CUSTOMER
from einvoice.services.directory import entries
from tests.browser import expect, serving, visiting
from tests.builders import RECEIVER
from tests.web.caller import Caller
from tests.web.pages.invoice_form import FORM, LINE
from tests.web.pages.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAMPLES = Path(__file__).parents[2] / "samples"

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture
def caller(service) -> Caller:
    return Caller(service)


@pytest.fixture
def page(caller, browser) -> Iterator[Page]:
    """A person at the form of a new invoice; a page that is loaded again loses its mark."""
    with caller.app.app_context():
        for name in ("Buyer BV", "Buyer of books NV"):
            entries.create(CUSTOMER, caller.tenant, {"name": name, "peppol_id": RECEIVER})
    person = Visitor(caller.app, caller.tenant, log_in=False)
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        visit.page.goto(origin + person.link)
        visit.page.goto(f"{origin}{FORM}?environment=test")
        visit.page.evaluate("window.isMarked = true")
        yield visit.page
        assert visit.page.evaluate("window.isMarked")
        assert visit.said == []


def test_enter_in_a_field_checks_the_form_and_leaves_the_person_where_it_was(page):
    field = page.locator('[name="invoice.paymentTerms"]')
    page.locator("#payment-terms summary").click()
    field.fill("30 days")
    field.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    field.press("Enter")
    expect(page.locator("#draft-saved")).to_be_visible()

    expect(field).to_be_focused()
    assert abs(page.evaluate("scrollY") - before) < 50
    assert before > 0


def test_enter_in_the_search_takes_the_first_customer_that_is_found(page):
    search = page.locator("#search")
    search.press_sequentially("of books")
    expect(page.locator(".hits button")).to_have_count(1)
    search.press("Enter")

    expect(page.locator('[name="invoice.buyer.name"]')).to_have_value("Buyer of books NV")
    expect(page.locator(".hits button")).to_have_count(0)


def test_enter_in_a_search_that_finds_nothing_takes_nobody(page):
    page.locator("#search").press_sequentially("zebra")
    page.locator("#search").press("Enter")
    expect(page.locator("#customers .hint")).to_be_visible()
    page.locator('[value="search"]').click()
    expect(page.locator("#customers .hint")).to_be_visible()

    expect(page.locator('[name="invoice.buyer.name"]')).to_have_value("")


def test_a_file_is_removed_where_the_person_is(page):
    file = {"name": "hours.csv", "mimeType": "text/csv", "buffer": b"1;2\n"}
    page.locator("#files").set_input_files([file])
    expect(page.locator(".files li")).to_have_count(1)
    page.locator(f'[name="{LINE}description"]').fill("Paper")
    page.locator(".files button").click()

    expect(page.locator(".files li")).to_have_count(0)
    expect(page.locator(f'[name="{LINE}description"]')).to_have_value("Paper")


def test_files_are_checked_when_they_are_chosen(page):
    """Once more by a press, as without a script."""
    page.goto(page.url.partition("/dashboard")[0] + "/dashboard/check")
    page.evaluate("window.isMarked = true")
    page.locator("#files").set_input_files([SAMPLES / "good_ubl.xml", SAMPLES / "good_cii.xml"])
    expect(page.locator("#checked h2")).to_have_text(["good_ubl.xml", "good_cii.xml"])
    assert page.evaluate("document.querySelector('#files').files.length") == 2
    page.locator("#files").set_input_files([SAMPLES / "good_cii.xml"])

    expect(page.locator("#checked h2")).to_have_text(["good_cii.xml"])
