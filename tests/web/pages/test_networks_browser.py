"""The way onto a network in a real browser: by keyboard, without scripts, whatever answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page
from werkzeug.test import TestResponse

from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.domain.roles import Role
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.browser import accessibility, serving, visiting
from tests.networks import almanac
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed

PAGE = "/dashboard/networks"
NUMBERS = iter(["0403019261", "0203430576", "0456810810", "0428759497", "0417497106"])
Write = Callable[[], None]

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build([almanac], limit_session_get=9_000, limit_session_post=9_000)


@pytest.fixture
def ann(service: Flask) -> Visitor:
    return Visitor(service, role=Role.ADMIN)


@pytest.fixture
def number() -> str:
    return next(NUMBERS)


@pytest.fixture
def write(service: Flask, ann: Visitor) -> Write:
    """A function in which a worker writes what is due into the directory."""

    def _write() -> None:
        with service.app_context():
            rows = claimed(outbox.PLUGINS, ann.tenant, kind=outbox.ENTRY)
            entries.run(*rows, runtime_of(service))
            await_calls()

    return _write


@pytest.fixture(scope="module")
def origin(service: Flask) -> Iterator[str]:
    with serving(service) as address:
        yield address


def login(service: Flask, ann: Visitor) -> str:
    return Visitor(service, ann.tenant, Role.ADMIN, log_in=False).link


def book_of(service: Flask) -> almanac.Book:
    book: almanac.Book = runtime_of(service).access_points["almanac-test"].book
    return book


def press(page: Page, name: str) -> None:
    """Press a button as one does without a mouse."""
    button = page.get_by_role("button", name=name, exact=True)
    button.focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_company_gets_onto_the_network_by_keyboard(
    service, ann, origin, browser, number, write, scripts
):
    """With scripts the page follows the publication by itself; without, it is loaded again."""
    with visiting(browser, origin, locale="en-GB", java_script_enabled=scripts) as one:
        page = one.page
        page.goto(origin + login(service, ann))
        page.goto(f"{origin}/dashboard?environment=test")
        page.get_by_role("link", name="Onto the network").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Company number or VAT number").focus()
        page.keyboard.type(f"BE {number}")
        page.keyboard.press("Enter")
        page.get_by_text("Free: no provider has registered it").wait_for()
        press(page, "Claim this id")
        page.get_by_text("It is being published.").wait_for()
        write()
        if scripts:
            page.get_by_text("I have a migration key").click()
            page.get_by_label("Migration key").fill("typed meanwhile")
        else:
            page.get_by_role("link", name="Load the page again").click()
        page.get_by_text("Published: senders find it").wait_for()
        press(page, "Make a migration key")
        key = page.locator("#secret").input_value()
        assert key == book_of(service).keys[f"0208:{number}"]
        if scripts:
            assert accessibility(page)[0] == []
            assert one.said == []
            page.on("dialog", lambda dialog: dialog.accept())
        press(page, "Withdraw it")
        page.get_by_role("button", name="Find the participant ids").wait_for()


ANSWERS = {"a firewall": (403, "<h1>Blocked</h1>"), "a proxy": (502, "<h1>Bad Gateway</h1>")}


@pytest.mark.parametrize("answer", [*ANSWERS, "a login in another tab"])
def test_a_typed_key_is_there_again_whatever_answers(
    service, ann, origin, browser, number, write, answer
):
    participant = f"0208:{number}"
    book_of(service).entries[participant] = ("somebody", (BIS_INVOICE,), None)
    claim = {"participantId": participant, "environment": "test"}
    made: TestResponse = ann.person.post("/api/participants", claim)
    assert made.status_code == 201
    write()
    book_of(service).keys[participant] = "the key"
    with visiting(browser, origin, locale="en-GB") as one:
        page = one.page
        page.goto(origin + login(service, ann))
        address = f"{origin}{PAGE}?environment=test&id={participant}"
        page.goto(address)
        page.get_by_label("Migration key").fill("the key")
        if answer in ANSWERS:
            status, body = ANSWERS[answer]
            page.route("**/move-in*", lambda route: route.fulfill(status=status, body=body))
            press(page, "Take it over")
            page.get_by_role("heading", name=body[4:-5]).wait_for()
            page.go_back()
            page.unroute("**/move-in*")
        else:
            page.context.clear_cookies()
            press(page, "Take it over")
            page.get_by_text("Log in").first.wait_for()
            page.goto(origin + login(service, ann))
            page.goto(address)

        assert page.get_by_label("Migration key").input_value() == "the key"
        press(page, "Take it over")
        page.get_by_text("The participant id was taken over.").wait_for()
