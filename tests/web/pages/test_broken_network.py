"""A slow and broken network, and another session: no answer removes what is on a page.

Every element of a page that asks by htmx is found on the pages, and compared with the templates.
"""

from __future__ import annotations

import re
from datetime import date
from importlib import resources

import pytest

from tests.browser import Visit, serving, visiting
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox
from tests.web.pages.test_file_batches import batch_of, send
from tests.web.pages.visitor import Visitor
from tests.web.submission.documents import two_lines

_TEMPLATES = resources.files("einvoice.web.dashboard").joinpath("templates/dashboard")
_ASKING = re.compile(r"""hx-(?:get|post)(?:="|": )(?:\{\{ )?(.*?)(?: \}\}"|, "hx)""")
_ENDPOINT = re.compile(r"""'(dashboard_\w+\.\w+)'|address\(["'](\w+)["']""")
# Answers in place of the one of the service: status and body; None: the connection is lost.
ANSWERS: dict[str, tuple[int, str] | None] = {
    "a proxy without the service": (502, "<html><h1>Bad Gateway</h1></html>"),
    "a service that is being deployed": (503, "<h1>Service Unavailable</h1>"),
    "a proxy that gave up": (504, ""),
    "a page of a firewall": (200, "<html><form id='form'>Sign in to the network</form></html>"),
    "a refusal of a firewall": (403, "<html><h1>Forbidden</h1></html>"),
    "nothing": (204, ""),
    "too many requests": (429, "{}"),
    "a lost connection": None,
}
# What is seen and typed on a page, without times that count on and the banner.
_SEEN = """() => [document.querySelector('main').innerText,
  ...[...document.querySelectorAll('main input:not([type=hidden]), main select, main textarea')]
  .map(field => field.value)]"""
# Let every element of the page ask: what polls does so by the clock.
_ASK = """() => document.querySelectorAll('[hx-get], [hx-post]').forEach(each => {
  const when = each.getAttribute('hx-trigger');
  if (when === null || when === 'click') each.click();
  else if (when === 'change') each.dispatchEvent(new Event('change'));
  else if (when === 'submit') each.requestSubmit();
  else each.dispatchEvent(new CustomEvent('retry'));
})"""

# The requests that are under way.
_NOTE = """window.asking = new Set();
document.addEventListener('htmx:before:request', event => window.asking.add(event.detail.ctx));
document.addEventListener('htmx:finally:request', event => window.asking.delete(event.detail.ctx));
"""

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def shop(service) -> Shop:
    return Shop(service)


@pytest.fixture(scope="module")
def inbox(service, shop) -> Inbox:
    return Inbox(Caller(service, tenant=shop.tenant))


@pytest.fixture
def bill(inbox) -> None:
    """An open bill, which the last good answer of a test marks."""
    inbox.arrives()


@pytest.fixture(scope="module")
def addresses(service, shop) -> dict[str, str]:
    """Pages with elements that ask."""
    person = Dashboard(service, shop.tenant)
    person.post("/api/participants", {"participantId": "0088:4035811991014", "environment": "live"})
    person.post("/api/tenant/exports")
    visitor = Visitor(service, shop.tenant)
    caller = Caller(service, tenant=shop.tenant)
    caller.own()
    batch = batch_of(send(visitor, ("1.xml", two_lines("F-1"))).text)
    return {
        "invoices": "/dashboard/invoices?environment=test",
        "customers": "/dashboard/customers",
        "a new invoice": "/dashboard/invoices/new?environment=test",
        "an invoice": f"/dashboard/invoices/{shop.invoice(status='Processing')}",
        "exports": "/dashboard/settings/exports",
        "participant ids": "/dashboard/settings/participants?environment=live",
        "a claim": "/dashboard/networks?environment=live&id=0088:4035811991014",
        "a batch": batch,
        "bills": "/dashboard/bills?environment=test",
        "a check": "/dashboard/check",
    }


@pytest.fixture(scope="module")
def origin(service):
    with serving(service) as address:
        yield address


@pytest.fixture
def one(browser, origin, service, shop):
    with visiting(browser, origin, locale="en-GB") as visit:
        visit.page.set_default_timeout(30_000)
        visit.page.add_init_script(_NOTE)
        visit.page.goto(origin + Visitor(service, shop.tenant, log_in=False).link)
        yield visit


def opened(one: Visit, address: str) -> None:
    """Open a page and type into its first field; its clock stands from then on."""
    assert one.page.goto(one.origin + address).status == 200
    one.page.wait_for_load_state("networkidle")
    field = one.page.locator("main :is(input[type=search], input[type=text]):visible").first
    if field.count():
        field.fill("Typed")
        one.page.wait_for_load_state("networkidle")


def answered(route, answer: tuple[int, str] | None) -> None:
    if "hx-request" not in route.request.headers:
        route.continue_()
    elif answer is None:
        route.abort()
    else:
        route.fulfill(status=answer[0], body=answer[1], content_type="text/html")


def asked(one: Visit) -> None:
    """Let all elements ask, and wait for all answers."""
    one.page.evaluate(_ASK)
    one.page.clock.run_for(2_500)
    one.page.wait_for_function("() => window.asking.size === 0")


def slowed(one: Visit) -> None:
    """Let each answer take 400 ms."""
    slow = one.page.context.new_cdp_session(one.page)
    slow.send("Network.enable")
    limits = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    slow.send("Network.emulateNetworkConditions", limits)


def endpoints_in_templates() -> set[str]:
    found = set()
    for template in _TEMPLATES.iterdir():
        for asking in _ASKING.findall(template.read_text("utf-8")):
            named = _ENDPOINT.search(asking)
            own = named and (named[1] or f"dashboard_new_invoice.{named[2]}")
            found.add(own or "dashboard_participants.list_participants")
    return found


@pytest.mark.usefixtures("bill")
def test_no_answer_but_one_of_the_service_changes_a_page_and_the_next_good_one_does(
    one, service, addresses
):
    """502, a firewall, nothing, a lost connection: a banner says so, and it is asked again."""
    routes, found, changed = service.url_map.bind("localhost"), set(), {}
    one.page.clock.install()
    for name, address in addresses.items():
        opened(one, address)
        asking = one.page.evaluate(
            "() => [...document.querySelectorAll('[hx-get], [hx-post]')].map(each =>"
            " [each.getAttribute('hx-get') || each.getAttribute('hx-post'),"
            "  each.hasAttribute('hx-post') ? 'POST' : 'GET'])"
        )
        found |= {routes.match(path.partition("?")[0], method)[0] for path, method in asking}
        before = one.page.evaluate(_SEEN)
        for case, answer in ANSWERS.items():
            one.page.route("**/dashboard/**", lambda route, _=None, to=answer: answered(route, to))
            asked(one)
            one.page.locator("#trouble").wait_for(state="visible")
            after = one.page.evaluate(_SEEN)
            one.page.unroute("**/dashboard/**")
            if after != before:
                changed[name, case] = after
        asked(one)
        one.page.locator("#trouble").wait_for(state="hidden")

    assert changed == {}
    # The section of mails is loaded where a mail is kept (tests/networks/mail/test_pages.py).
    assert found == endpoints_in_templates() - {"dashboard_invoice_mails.show_mails"}


@pytest.mark.usefixtures("bill")
def test_what_is_typed_while_a_slow_answer_is_under_way_stays(one, addresses):
    """With 400 ms for each answer, at every element that asks."""
    lost = {}
    for name, address in addresses.items():
        if name in {"bills", "a new invoice"}:
            continue  # a list is loaded with the filters that were sent; the form is below
        opened(one, address)
        slowed(one)
        field = one.page.locator("main :is(input[type=search], input[type=text]):visible").first
        one.page.evaluate(_ASK)
        if field.count():
            field.press_sequentially(" late", delay=30)
        one.page.wait_for_function("() => window.asking.size === 0")
        typed = field.input_value() if field.count() else "Typed late"
        if typed != "Typed late" or one.page.locator("#trouble").is_visible():
            lost[name] = typed

    assert lost == {}


def test_a_field_that_is_left_while_the_form_is_checked_keeps_what_was_typed(one, addresses):
    """The answer, of 400 ms before, has the form without it."""
    one.page.goto(one.origin + addresses["a new invoice"])
    one.page.wait_for_load_state("networkidle")
    slowed(one)
    one.page.fill("[name='invoice.number']", "N-77")
    one.page.wait_for_function("() => window.asking.size > 0")
    one.page.fill("[name='invoice.buyer.name']", "Late BV")
    one.page.focus("[name='invoice.currency']")
    one.page.wait_for_function("() => window.asking.size === 0")
    kept = one.page.input_value("[name='invoice.buyer.name']")
    one.page.wait_for_function("() => window.asking.size > 0")
    one.page.wait_for_function("() => window.asking.size === 0")

    assert kept == "Late BV"
    assert one.page.input_value("[name='invoice.buyer.name']") == "Late BV"


@pytest.mark.usefixtures("bill")
def test_a_session_that_has_ended_or_is_another_one_s_leaves_the_page_and_says_what_to_do(
    one, service, shop, addresses
):
    """The same person's new session goes on: the form of the page gets its token."""
    stranger = Visitor(service, log_in=False).link
    again = [Visitor(service, shop.tenant, log_in=False).link for _ in addresses]
    changed, said = {}, set()
    one.page.clock.install()
    for link, (name, address) in zip(again, addresses.items(), strict=True):
        opened(one, address)
        before = one.page.evaluate(_SEEN)
        for case in ("ended", "of another person"):
            one.page.context.clear_cookies()
            if case != "ended":
                tab = one.page.context.new_page()
                tab.goto(one.origin + stranger)
                tab.close()
            asked(one)
            words = "Your session has ended" if case == "ended" else "another account"
            one.page.locator("#trouble", has_text=words).wait_for()
            said.add(one.page.locator("#trouble").inner_text())
            if one.page.evaluate(_SEEN) != before:
                changed[name, case] = one.page.evaluate(_SEEN)
        tab = one.page.context.new_page()
        tab.goto(one.origin + link)
        tab.close()
        asked(one)  # what is asked by a press gets the token of the session, and is pressed again
        asked(one)
        one.page.clock.run_for(3_000)
        one.page.locator("#trouble").wait_for(state="hidden")

    assert changed == {}
    assert len(said) == 2


def test_a_draft_goes_on_after_the_person_logged_in_again_in_another_tab(one, service, shop):
    one.page.goto(f"{one.origin}/dashboard/invoices/new?environment=test")
    tab = one.page.context.new_page()
    tab.goto(one.origin + Visitor(service, shop.tenant, log_in=False).link)
    one.page.fill("[name='invoice.number']", "After-login")
    one.page.locator("#draft-saved").wait_for()

    drafts = Dashboard(service, shop.tenant).get("/api/drafts?environment=test").json["items"]
    assert "After-login" in [each["number"] for each in drafts]
    assert one.page.input_value("[name='invoice.number']") == "After-login"


@pytest.mark.parametrize("answer", ["a login", 502])
def test_what_was_typed_into_a_form_that_was_not_taken_is_there_again(one, service, shop, answer):
    """A session that ended leads to the login and back; a proxy's page has a way back only."""
    one.page.goto(f"{one.origin}/dashboard/customers/new")
    one.page.fill("#name", "Typed for an hour")
    link = Visitor(service, shop.tenant, log_in=False).link
    if answer == "a login":
        one.page.context.clear_cookies()
    else:
        one.page.route(
            "**/customers/new",
            lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>")
            if route.request.method == "POST" else route.continue_(),
        )  # fmt: skip
    one.page.get_by_role("button", name="Save").click()
    if answer == "a login":
        one.page.goto(one.origin + link)
        one.page.goto(f"{one.origin}/dashboard/customers/new")
    else:
        one.page.get_by_text("Bad Gateway").wait_for()
        one.page.go_back()
        one.page.unroute("**/customers/new")

    assert one.page.input_value("#name") == "Typed for an hour"
    one.page.get_by_role("button", name="Save").click()
    one.page.get_by_text("Saved.").wait_for()
    one.page.wait_for_url(lambda url: "notice" not in url)
    one.page.goto(f"{one.origin}/dashboard/customers/new")
    assert one.page.input_value("#name") == ""


def typed_date(one: Visit) -> None:
    """A day typed by keyboard changes the field with each digit of its year."""
    one.page.click("#chip-date")
    one.page.locator("#issueDateFrom").press_sequentially("11222026", delay=40)


def quick_choices(one: Visit) -> None:
    one.page.click("#chip-status")
    for status in ("Delivered", "Failed", "Processing", "Failed"):
        one.page.check(f"[name=networkStatus][value={status}]")


def both_dates(one: Visit) -> None:
    one.page.click("#chip-date")
    one.page.fill("#issueDateFrom", "2026-11-22")
    one.page.fill("#issueDateTo", "2026-11-23")


def bursts(one: Visit) -> None:
    for part in ("LA", "TE", "-2"):
        one.page.locator("#q").press_sequentially(part, delay=10)
        one.page.clock.run_for(310)


@pytest.mark.parametrize("change", [typed_date, quick_choices, both_dates, bursts])
def test_a_list_ends_as_its_filters_say_however_slow_the_answers_are(one, service, change):
    shop = Shop(service)
    shop.invoice(number="LATE-1", issue_date=date(2026, 11, 20))
    shop.invoice(number="LATE-2", issue_date=date(2026, 11, 22), status="Failed")
    one.page.goto(one.origin + Visitor(service, shop.tenant, log_in=False).link)
    one.page.clock.install()
    one.page.goto(f"{one.origin}/dashboard/invoices?environment=test")
    slowed(one)
    change(one)
    one.page.clock.run_for(1_000)
    one.page.locator("#results tbody tr:only-child", has_text="LATE-2").wait_for()
    one.page.wait_for_load_state("networkidle")

    assert one.page.locator("#results tbody tr").count() == 1
    shown = one.page.locator("#results").inner_text()
    one.page.reload()
    assert one.page.locator("#results").inner_text() == shown
    assert "=&" not in f"{one.page.url}&"
