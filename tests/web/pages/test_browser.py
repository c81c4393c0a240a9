"""The pages in a real browser: accessible, quiet, usable by keyboard and on a telephone."""

from __future__ import annotations

import re
from contextlib import contextmanager
from urllib.parse import urljoin

import pytest

from einvoice.web.locales import LANGUAGES
from tests.browser import Visit, accessibility, serving, visiting
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.pages.test_file_batches import batch_of, send
from tests.web.pages.visitor import Visitor
from tests.web.submission.documents import two_lines
from tests.workers import write_export

LOOKS = {
    "wide": {"viewport": {"width": 1200, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    # At 200 % a window has half the points.
    "zoomed": {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},
}
PAGES = {
    "overview": "/dashboard",
    "invoices": "/dashboard/invoices",
    "no invoices": "/dashboard/invoices?number=nothing",
    "a wrong filter": "/dashboard/invoices?currency=EURO",
    "sorted invoices": "/dashboard/invoices?sort=-grandTotal&party=b",
    "a new invoice": "/dashboard/invoices/new",
    "payments": "/dashboard/invoices/payments?environment=test&invoice={delivered}",
    "drafts": "/dashboard/invoices/drafts?environment=test",
    "no drafts": "/dashboard/invoices/drafts?environment=live",
    "a draft": "/dashboard/invoices/new?environment=test&draft={draft}",
    "attachments": "/dashboard/invoices/{delivered}/attachments",
    "an invoice": "/dashboard/invoices/{delivered}",
    "mails": "/dashboard/invoices/{delivered}/mails",
    "a failed invoice": "/dashboard/invoices/{failed}",
    "an invoice of long words": "/dashboard/invoices/{long}",
    "bills": "/dashboard/bills",
    "no such bills": "/dashboard/bills?party=nobody&issueDateFrom=2026-01-01",
    "check": "/dashboard/check",
    "send": "/dashboard/send",
    "usage": "/dashboard/developers/usage?days=92",
    "customers": "/dashboard/customers",
    "a new supplier": "/dashboard/suppliers/new",
    "a customer": "/dashboard/customers/{customer}",
    "a batch": "{batch}",
    "connections": "/dashboard/connections",
    "networks": "/dashboard/networks?environment=live",
    "a claim on its way": "/dashboard/networks?environment=live&id=0088:4035811991014",
    "a number": "/dashboard/networks?environment=test&number=BE0403019261",
    "no number": "/dashboard/networks?environment=test&number=nothing",
    "keys": "/dashboard/developers/keys",
    "clients": "/dashboard/developers/clients",
    "settings": "/dashboard/settings",
    "preferences": "/dashboard/settings/you",
    "e-mail": "/dashboard/settings/mail",
    "domains of e-mail": "/dashboard/settings/mail/domains",
    "addresses of bills": "/dashboard/settings/mail/addresses",
    "addresses on hold": "/dashboard/settings/mail/held",
    "links to connect": "/dashboard/connections/links",
    "reports of periods": "/dashboard/connections/reports",
    "participant ids": "/dashboard/settings/participants?environment=live",
    "an answer of networks": (
        "/dashboard/settings/participants?environment=live&ask=0088:4035811991014"
    ),
    "no participant ids": "/dashboard/settings/participants?environment=test",
    "webhooks": "/dashboard/developers/webhooks?environment=test",
    "audit log": "/dashboard/developers/audit",
    "events": "/dashboard/developers/events?environment=test",
    "no events": "/dashboard/developers/events?environment=live",
    "a webhook": "/dashboard/developers/webhooks/{webhook}",
    "a delivery": "/dashboard/developers/webhooks/{webhook}/deliveries/{delivery}",
    "sessions": "/dashboard/settings/sessions",
    "exports": "/dashboard/settings/exports",
    "holds": "/dashboard/settings/holds",
    "nothing": "/dashboard/invoices/nothing",
    "accounts": "/dashboard/accounts",
    "logged out": "/dashboard/logged-out",
}

NOTHING = "0193a1c2-0000-7000-8000-000000000000"
NAMED = ("draft", "delivered", "failed", "long", "webhook", "delivery", "customer")
IDS = dict.fromkeys(NAMED, NOTHING) | {"batch": f"/dashboard/send/{NOTHING}"}

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def shop(service) -> Shop:
    return Shop(service)


@pytest.fixture(scope="module")
def places(shop, service) -> dict[str, str]:
    """The addresses of PAGES, of an account with invoices and a claim."""
    claim = {"participantId": "0088:4035811991014", "environment": "live"}
    Visitor(service, shop.tenant).person.post("/api/participants", claim)
    ids = {status.lower(): shop.invoice(status=status) for status in ("Delivered", "Failed")}
    shop.invoice(status="Processing", number="9" * 60, buyer_name="شركة الخليج")
    ids["long"] = shop.invoice(
        number="L" * 100, buyer_name="N" * 400, metadata={"k" * 40: "v" * 300}
    )
    ann = Dashboard(service, shop.tenant)
    made = ann.post("/api/webhooks", {"url": f"https://{'a' * 60}.example/", "environment": "test"})
    file = {"filename": "a.csv", "mimeType": "text/csv", "content": "MSwy", "description": "Hours"}
    draft = {"environment": "test", "invoice": {"number": "D-1", "attachments": [file]}}
    ids["draft"] = ann.post("/api/drafts", draft).json["draftId"]
    ids["webhook"] = made.json["webhookId"]
    for body in ({"invoiceId": ids["delivered"]}, {}):
        ann.post("/api/holds", {"reason": "Lawsuit 4711", **body})
    ann.post("/api/tenant/exports")
    entry = ann.post("/api/customers", {"name": "N" * 60, "countryCode": "BE"})
    ids["customer"] = entry.json["customerId"]
    Caller(service, tenant=shop.tenant).own()
    sent = send(Visitor(service, shop.tenant), ("1.xml", two_lines("F-1")))
    ids["batch"] = batch_of(sent.text)
    tested = ann.post(f"/api/webhooks/{ids['webhook']}/test")
    ids["delivery"] = tested.json["deliveryId"]
    return {name: path.format(**ids) for name, path in PAGES.items()}


@pytest.fixture(scope="module")
def origin(service):
    with serving(service) as address:
        yield address


@pytest.fixture(scope="module")
def visit(browser, origin, service, shop):
    """`with visit(path, **context) as one`: a page, by a person who is logged in."""

    @contextmanager
    def _visit(path: str, subject: str = "ann", **context: object):
        link = Visitor(service, shop.tenant, subject=subject, log_in=False).link
        with visiting(browser, origin, **({"locale": "en-GB"} | context)) as one:
            one.page.goto(origin + link)
            answer = one.page.goto(origin + path)
            assert answer.status < 500  # the page of a fault would pass most tests
            yield one

    return _visit


# Pages that load nothing of their own: files, parts of pages, ways to another page.
NO_PAGES = re.compile(
    r"\.(csv|pdf|zip)$|/(drawn|pdf|logo|receiver|customers|countries|correct|callback|login|local|"
    r"file|document|artefacts/<\w+>|attachments/<\w+>|mails/<\w+>/<\w+>|exports/<\w+>/download)$|/identification"
)


def test_every_page_is_among_those_that_are_looked_at(service):
    """A new page needs a row in PAGES, with data that it shows."""
    routes = service.url_map.bind("localhost")
    listed = {routes.match(path.partition("?")[0].format(**IDS))[0] for path in PAGES.values()}
    # The page of a link in an e-mail, which has a token of its own (test_letters).
    declared = {
        rule.endpoint
        for rule in service.url_map.iter_rules()
        if rule.rule.startswith("/dashboard") and "GET" in rule.methods
        if rule.endpoint != "dashboard_letters.show_stop"
        if not NO_PAGES.search(rule.rule) and "/assets/" not in rule.rule
    }

    assert declared - listed == set()


def open_page(one: Visit, path: str) -> None:
    """Open a page of the same visit; the page of a fault would pass most tests."""
    assert one.page.goto(urljoin(one.page.url, path)).status < 500


@pytest.mark.parametrize(
    "look",
    ["wide", *(pytest.param(each, marks=pytest.mark.long) for each in LOOKS if each != "wide")],
)
def test_no_page_has_an_accessibility_violation(visit, places, look):
    """By all rules of axe-core."""
    violations, used = {}, set()
    with visit("/dashboard", **LOOKS[look]) as one:
        for name, path in places.items():
            open_page(one, path)
            violations[name], passed = accessibility(one.page)
            used |= passed

    assert violations == {name: [] for name in PAGES}
    assert {"color-contrast", "document-title", "html-has-lang"} <= used


@pytest.mark.parametrize("name", ["overview", "invoices", "bills", "connections", "keys"])
def test_pages_are_quiet_and_load_nothing_of_other_hosts(visit, places, name):
    with visit(places[name]) as one:
        one.page.wait_for_load_state("networkidle")

    assert one.said == []
    assert one.outside == []


def test_no_page_scrolls_sideways_on_a_telephone(visit, places):
    """WCAG 1.4.10: 320 points are enough; tables scroll by themselves."""
    too_wide = {}
    with visit("/dashboard", viewport={"width": 320, "height": 700}) as one:
        for name, path in places.items():
            open_page(one, path)
            content, window = one.page.evaluate(
                "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            if content > window:
                too_wide[name] = content

    assert len(places) > 30
    assert too_wide == {}


# Labels and links of which a word is wider than its place: it is broken, or sticks out.
_TOO_LONG = """() => [...document.querySelectorAll('.switch button, .side a, .facts dt:not(.long)')]
  .filter(each => {
    each.style.overflowWrap = 'normal';
    each.style.hyphens = 'manual';
    return each.scrollWidth > each.clientWidth;
  })
  .map(each => each.innerText)"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_the_navigation_and_of_labels_is_broken(visit, places, language):
    with visit("/dashboard", locale=language) as one:
        for name in ("an invoice", "connections", "settings"):
            open_page(one, places[name])
            assert one.page.locator("html").get_attribute("lang") == language
            assert one.page.evaluate(_TOO_LONG) == [], name


def test_the_list_is_searched_as_one_types_and_the_address_follows(visit, places, shop):
    shop.invoice(number="Q-77")
    with visit(places["invoices"]) as one:
        one.page.fill("#q", "Q-7")
        one.page.wait_for_selector("#results tbody tr:only-child")
        one.page.wait_for_url("**q=Q-7**")
        assert "Q-77" in one.page.inner_text("#results")


def test_the_table_is_sorted_by_keyboard_and_stays_so_while_one_filters(visit, places):
    with visit(places["invoices"]) as one:
        one.page.get_by_role("link", name="Amount").focus()
        one.page.keyboard.press("Enter")
        one.page.wait_for_url("**sort=-grandTotal**")
        sorted_by = one.page.locator("th[aria-sort=descending]").inner_text()
        one.page.click("#chip-status")
        one.page.check("[name=networkStatus][value=Failed]")
        one.page.wait_for_url("**networkStatus=Failed**")
        one.page.wait_for_selector("th[aria-sort=descending]")

        assert "Amount" in sorted_by
        assert "sort=-grandTotal" in one.page.url


def test_the_sample_is_redrawn_while_one_types_and_the_focus_stays(visit, places):
    with visit(places["settings"]) as one:
        with one.page.expect_response(
            lambda answer: (
                answer.url.endswith("/settings/drawn") and answer.request.method == "POST"
            )
        ) as drawn:
            one.page.fill("#colour", "#0b5fff")
        focused = one.page.evaluate("() => document.activeElement.id")

        assert drawn.value.status == 200
        assert drawn.value.headers["content-type"] == "application/pdf"
        assert focused == "colour"
        assert one.page.url.endswith("/dashboard/settings")


def test_an_invoice_keeps_its_title_when_its_attachments_have_loaded(visit, places):
    with visit(places["an invoice"]) as one:
        one.page.locator("#attached-files p").wait_for()
        one.page.wait_for_load_state("networkidle")

        assert one.page.title().startswith("Invoice ")


def test_the_choice_of_environments_fits_into_the_side_in_every_language(visit, places):
    """What is wider covers the page beside it. The person keeps the language chosen last."""
    wide = {}
    with visit(places["keys"], subject="polyglot", **LOOKS["wide"]) as one:
        for language in LANGUAGES:
            with one.page.expect_navigation():
                one.page.select_option("#language", language)
            side, inner = (
                one.page.locator(each).bounding_box()
                for each in (".side", ".switch button >> nth=1")
            )
            if inner["x"] + inner["width"] > side["x"] + side["width"]:
                wide[language] = inner

    assert wide == {}


def test_a_printed_invoice_has_no_navigation_buttons_and_forms(visit, places):
    with visit(places["a failed invoice"]) as one:
        one.page.emulate_media(media="print")
        seen = one.page.locator("button:visible, a.button:visible, nav:visible, main form:visible")

        assert seen.count() == 0
        assert one.page.get_by_role("heading", level=1).is_visible()


def test_times_are_those_of_the_reader(visit, places):
    with visit(places["an invoice"], timezone_id="Asia/Tokyo") as one:
        shown = one.page.evaluate(
            "() => [...document.querySelectorAll('.timeline time')].map("
            "t => [t.textContent, t.title])"
        )

    assert shown
    for local, utc in shown:
        assert utc.endswith("UTC")
        assert not local.endswith("UTC")


def test_pages_work_without_scripts(visit, places, shop):
    """A filter is a form, and a link is made by one."""
    with visit(places["invoices"], java_script_enabled=False) as one:
        one.page.click("#chip-status")
        one.page.check("[name=networkStatus][value=Failed]")
        one.page.click(".chip details[open] .apply")
        one.page.wait_for_url("**networkStatus=Failed**")
        one.page.goto(one.origin + places["an invoice"])
        one.page.click("text=Make a link")
        assert one.page.input_value("#link").startswith("http")


def test_the_first_tab_leads_to_the_content(visit, places):
    with visit(places["overview"]) as one:
        one.page.keyboard.press("Tab")
        assert one.page.evaluate("() => document.activeElement.className") == "skip"
        one.page.keyboard.press("Enter")
        one.page.keyboard.press("Tab")
        inside = one.page.evaluate(
            "() => document.querySelector('main').contains(document.activeElement)"
        )

    assert inside


def focused(one: Visit) -> str:
    """Where the focus is: the class of the cell or of the element, and its text."""
    return one.page.evaluate(
        "() => { const e = document.activeElement, cell = e.closest('td'); "
        "return `${cell ? cell.className : e.className} ${e.textContent.trim()}`; }"
    )


@pytest.mark.parametrize("look", ["wide", "phone"])
def test_the_first_invoice_is_within_twelve_tabs(visit, places, look):
    """By the links that skip the navigation and the filters."""
    with visit(places["invoices"], **LOOKS[look]) as one:
        pressed, seen = 0, []
        while pressed < 13 and not any(each.startswith("number") for each in seen):
            one.page.keyboard.press("Tab")
            pressed += 1
            seen.append(focused(one))
            if seen[-1] == "skip Skip to the list":
                one.page.keyboard.press("Enter")
        number = one.page.locator("td.number a").first.inner_text()
        one.page.keyboard.press("Enter")
        one.page.wait_for_url("**/dashboard/invoices/*-*")

    assert pressed <= 12, seen
    assert seen[-1] == f"number {number}"


def test_an_export_is_followed_to_its_file_without_loading_the_page_again(service, origin, browser):
    visitor = Visitor(service, log_in=False)
    with visiting(browser, origin, locale="en-GB", accept_downloads=True) as one:
        one.page.goto(origin + visitor.link)
        one.page.goto(f"{origin}/dashboard/settings/exports")
        one.page.get_by_role("button", name="Request an export").click()
        one.page.wait_for_selector("#exports [role=status]")
        one.page.evaluate("window.stayed = true")
        write_export(service, visitor.tenant)
        with one.page.expect_download() as download:
            one.page.get_by_role("link", name="Download").click()
        stayed = one.page.evaluate("window.stayed")

    assert stayed
    assert download.value.suggested_filename.endswith(".zip")


def test_a_hold_is_placed_and_released_on_the_page_of_an_invoice(visit, places):
    with visit(places["a failed invoice"]) as one:
        one.page.on("dialog", lambda dialog: dialog.accept())
        one.page.click("#held")
        one.page.fill("#reason", "Lawsuit 99")
        one.page.get_by_role("button", name="Place the hold").click()
        one.page.click("#held")
        one.page.get_by_role("button", name="Release: Lawsuit 99").click()
        one.page.get_by_text("The hold is released.").wait_for()

        assert one.page.get_by_text("Lawsuit 99").count() == 0
