"""Lines of a new invoice that are removed before the answer to an earlier press has come."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route

from tests.browser import expect, serving, visiting
from tests.web.pages.invoice_form import FORM
from tests.web.pages.visitor import Visitor

LINES = ("A", "B", "C", "D")


@pytest.fixture
def held(caller, browser):
    """The form with four lines, and its edits that are held back, in their order."""
    person = Visitor(caller.app, caller.tenant, log_in=False)
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(origin + person.link)
        page.goto(f"{origin}{FORM}?environment=test")
        for number, name in enumerate(LINES):
            page.locator(f'[name="invoice.lineItems.{number}.description"]').fill(name)
            page.locator("#add-line").click()
            expect(page.locator(".line")).to_have_count(number + 2)
        remove(page, len(LINES))
        expect(page.locator(".line")).to_have_count(len(LINES))
        requests: list[Route] = []
        page.route("**/invoices/new/form?**", lambda route: requests.append(route))
        yield page, requests


def remove(page: Page, line: int) -> None:
    page.locator(f'[name="edit"][value="{line}"]').click()


def let_go(page: Page, requests: list[Route], count: int) -> None:
    """Let so many held requests go, each when it is there."""
    for _ in range(count):
        while not requests:
            page.wait_for_timeout(10)
        requests.pop(0).continue_()


@pytest.mark.parametrize(
    ("presses", "left"),
    [
        ([0, 1], "CD"),  # the second line has moved up by then
        ([1, 0], "CD"),
        ([0, 3], "BC"),
        ([3, 1, 0], "C"),
        ([0, 1, 2], "D"),
    ],
)
def test_each_press_removes_the_line_that_it_was_on(held, presses, left):
    page, requests = held
    for line in presses:
        remove(page, line)

    let_go(page, requests, len(presses))

    expect(page.locator(".line")).to_have_count(len(left))
    names = page.locator('.line [name$=".description"]')
    assert [each.input_value() for each in names.all()] == list(left)


def test_a_line_that_is_removed_twice_is_removed_once(held):
    page, requests = held
    remove(page, 1)
    remove(page, 1)

    let_go(page, requests, 1)

    expect(page.locator(".line")).to_have_count(3)


def test_a_check_that_waited_brings_no_removed_line_back(held):
    page, requests = held
    remove(page, 2)
    page.locator("#form").dispatch_event("retry")
    remove(page, 0)

    with page.expect_response("**/invoices/new/check?**"):
        let_go(page, requests, 2)
        page.locator('[name="invoice.number"]').fill("B-1")

    expect(page.locator(".line")).to_have_count(2)
