"""/docs: the contract as a page that loads nothing from other hosts."""

from __future__ import annotations

import pytest

from tests.browser import serving, visiting

# What answers is the same code on both databases.
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def origin(service):
    with serving(service) as address:
        yield address


def test_the_page_shows_every_family_and_contacts_no_other_host(browser, origin):
    """No console message, no violation of its own policy, no other host."""
    with visiting(browser, origin) as visit:
        visit.page.goto(f"{origin}/docs")
        visit.page.wait_for_selector("#operations-tag-Health")
        visit.page.click("#operations-tag-Invoices")
        visit.page.click("#operations-Invoices-sendInvoice .opblock-summary-control")
        visit.page.wait_for_selector("#operations-Invoices-sendInvoice .responses-table")
        words = visit.page.inner_text("#contract")

    assert "idempotency-in-progress" in words
    assert visit.said == []
    assert visit.outside == []


def test_a_request_can_be_tried_from_the_page(browser, origin):
    """The policy's connect-src allows it; the response is shown with its headers."""
    with visiting(browser, origin) as visit:
        visit.page.goto(f"{origin}/docs#/Health/checkHealth")
        visit.page.click("#operations-Health-checkHealth .try-out__btn")
        with visit.page.expect_response("**/healthz"):
            visit.page.click("#operations-Health-checkHealth .execute")
        visit.page.wait_for_selector("#operations-Health-checkHealth .live-responses-table")

    assert visit.said == []


def test_the_policy_allows_no_other_origin(service):
    answer = service.test_client().get("/docs")
    policy = answer.headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert not {"unsafe-inline", "unsafe-eval", "http:", "https:", "*"} & set(policy.split())


@pytest.mark.parametrize("name", ["nothing.js", "ORIGIN.md", "..%2fviews.py", "swagger%2fNOTICE"])
def test_only_the_parts_of_the_page_are_served(service, name):
    assert service.test_client().get(f"/docs/{name}").status_code == 404
