"""The pictures of docs/dashboard.md are what people see, at a fixed moment.

After a change that is meant: EINVOICE_NEW_GOLDEN=1, then look at the pictures.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

import einvoice_loopback
from einvoice import clock
from einvoice.cli import demo_data
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network.hookspec import hookimpl
from einvoice.services.account import tenants
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.browser import Visit, serving, visiting
from tests.builders import accepted
from tests.networks.almanac import Almanac
from tests.web.buyer.pictures import compare
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed, write_export

DOCS = Path(__file__).parents[3] / "docs"
SAMPLES = Path(__file__).parents[2] / "samples"
WIDTH = 1100
NOW = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def service(build):
    return build([einvoice_loopback, Directory()], webhook_allow_private=True)


class Account:
    """The account of the pictures, and its person."""

    def __init__(self, service, tenant=None) -> None:
        self.service = service
        with service.app_context():
            self.tenant = tenant or tenants.create("Demo NV")
        self.person = Dashboard(service, self.tenant)

    @property
    def link(self) -> str:
        return Visitor(self.service, self.tenant, log_in=False).link


@pytest.fixture(scope="module")
def filled(service) -> str:
    """The tenant of `einvoice demo --fill`."""
    made = Account(service)
    demo_data.fill(service, made.tenant, NOW)
    return made.tenant


@pytest.fixture
def account(request, service, name, monkeypatch) -> Account:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    is_filled = name in FILLED
    return Account(service, request.getfixturevalue("filled") if is_filled else None)


@pytest.fixture
def one(browser, service, account) -> Iterator[Visit]:
    """A browser in which the person is logged in."""
    look = {"viewport": {"width": WIDTH, "height": 700}, "locale": "en-GB", "timezone_id": "UTC"}
    with serving(service) as origin, visiting(browser, origin, **look) as found:
        found.page.goto(origin + account.link)
        yield found


def show_overview(account: Account, one: Visit) -> None:
    one.page.goto(f"{one.origin}/dashboard")


def show_invoices(account: Account, one: Visit) -> None:
    one.page.goto(f"{one.origin}/dashboard/invoices?environment=test&direction=sent")


def show_rejected(account: Account, one: Visit) -> None:
    """An invoice that its buyer has rejected."""
    one.page.goto(f"{one.origin}/dashboard/invoices?environment=test&response=rejected")
    one.page.locator("td.number a").first.click()
    without_pdf(one)


def show_bill(account: Account, one: Visit) -> None:
    one.page.goto(f"{one.origin}/dashboard/bills?environment=test")
    one.page.locator("td.number a").first.click()
    without_pdf(one)


def show_new_invoice(account: Account, one: Visit) -> None:
    one.page.goto(f"{one.origin}/dashboard/invoices/drafts?environment=test")
    one.page.locator("td a").first.click()
    one.page.wait_for_load_state("networkidle")
    without_pdf(one)


def without_pdf(one: Visit) -> None:
    """A browser without a window may show no PDF: its place stays empty."""
    one.page.wait_for_selector("iframe", state="attached")
    one.page.evaluate(
        "document.querySelectorAll('iframe').forEach(each => each.style.visibility = 'hidden')"
    )


def show_import(account: Account, one: Visit) -> None:
    rows = [
        "name;taxId;countryCode;email;peppolId",
        "Alpha Bouw BV;BE0123456749;BE;boekhouding@alpha.example;0208:0123456749",
        "Café Central;;AT;office@central.example;",
        "Nordwind GmbH;;Germany;rechnung@nordwind.example;",
        "Studio Blu;;IT;no address;",
        ";;SE;;",
    ]
    one.page.goto(f"{one.origin}/dashboard/customers")
    content = "\n".join(rows).encode()
    file = {"name": "customers.csv", "mimeType": "text/csv", "buffer": content}
    one.page.set_input_files("input[type=file]", files=[file])
    one.page.click("button[name=check]")
    one.page.wait_for_selector("[role=status] table")


def show_check(account: Account, one: Visit) -> None:
    good = (SAMPLES / "good_ubl.xml").read_bytes()
    wrong = good.replace(
        b'<cbc:TaxAmount currencyID="EUR">', b'<cbc:TaxAmount currencyID="XXX">', 1
    )
    files = {"invoice-2026-07.xml": good, "invoice-2026-08.xml": wrong}
    one.page.goto(f"{one.origin}/dashboard/check")
    one.page.set_input_files(
        "input[type=file]",
        files=[
            {"name": name, "mimeType": "application/xml", "buffer": content}
            for name, content in files.items()
        ],
    )
    one.page.get_by_role("button", name="Check", exact=True).click()
    one.page.wait_for_selector("pre")


def show_webhook(account: Account, one: Visit) -> None:
    """The one that is down."""
    one.page.goto(f"{one.origin}/dashboard/developers/webhooks?environment=test")
    one.page.locator("main table a").first.click()


def show_usage(account: Account, one: Visit) -> None:
    one.page.goto(f"{one.origin}/dashboard/developers/usage?environment=test&days=92")


def show_settings(account: Account, one: Visit) -> None:
    profile = {
        "displayName": "Demo NV",
        "colour": "#0b5fff",
        "website": "https://demo.example",
        "addressLines": ["Street 1", "9000 Gent"],
        "iban": "BE68 5390 0754 7034",
    }
    assert account.person.call("PATCH", "/api/tenant", profile).status_code == 200
    one.page.goto(f"{one.origin}/dashboard/settings")
    without_pdf(one)


def show_exports(account: Account, one: Visit) -> None:
    with account.service.app_context():
        accepted(account.tenant, number="E-1", payable=Decimal("121.00"))
    account.person.post("/api/tenant/exports")
    write_export(account.service, account.tenant)
    one.page.goto(f"{one.origin}/dashboard/settings/exports")


def show_holds(account: Account, one: Visit) -> None:
    with account.service.app_context():
        invoice = accepted(account.tenant, number="2026-0102").invoice_id
    for body in ({"invoiceId": invoice}, {}):
        account.person.post("/api/holds", {"reason": "Lawsuit 4711", **body})
    one.page.goto(f"{one.origin}/dashboard/settings/holds")


class Directory:
    """A plugin of a network whose directory this service writes to, with the name of Peppol."""

    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_access_points(self, settings: Mapping[str, str]) -> list[Almanac]:
        made = Almanac(Environment.TEST)
        made.network = "peppol"
        return [made]


def show_networks(account: Account, one: Visit) -> None:
    """An id of another provider, which the network has refused to list for this one."""
    participant = "0208:0403019261"
    book = runtime_of(account.service).access_points["almanac-test"].book
    book.entries[participant] = ("somebody", (BIS_INVOICE,), None)
    claim = {"participantId": participant, "environment": "test"}
    assert account.person.post("/api/participants", claim).status_code == 201
    with account.service.app_context():
        rows = claimed(outbox.PLUGINS, account.tenant, kind=outbox.ENTRY)
        entries.run(*rows, runtime_of(account.service))
        await_calls()
    one.page.goto(f"{one.origin}/dashboard/networks?environment=test&id={participant}&ask=yes")


PICTURES: dict[str, tuple[Callable[[Account, Visit], None], int]] = {
    "overview": (show_overview, 900),
    "invoices": (show_invoices, 900),
    "rejected": (show_rejected, 760),
    "new-invoice": (show_new_invoice, 900),
    "bill": (show_bill, 860),
    "import": (show_import, 560),
    "check": (show_check, 1000),
    "webhook": (show_webhook, 820),
    "usage": (show_usage, 800),
    "settings": (show_settings, 900),
    "exports": (show_exports, 560),
    "holds": (show_holds, 700),
    "networks": (show_networks, 1000),
}


# Of the account of `einvoice demo --fill`.
FILLED = {"overview", "invoices", "rejected", "new-invoice", "bill", "webhook", "usage"}


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_of_the_documentation_is_what_people_see(account, one, name):
    show, height = PICTURES[name]
    show(account, one)
    one.page.set_viewport_size({"width": WIDTH, "height": height})
    one.page.wait_for_load_state("networkidle")
    taken = Image.open(io.BytesIO(one.page.screenshot())).convert("RGB")

    compare(taken, DOCS / "pictures" / f"{name}.png")


# Of the filled account, with tables, badges and buttons.
DAILY = (
    "", "/invoices", "/bills", "/customers", "/suppliers", "/invoices/new", "/invoices/drafts",
    "/developers/keys", "/developers/webhooks", "/settings/you", "/settings/sessions",
)  # fmt: skip
_CUT = """() => {
const shown = [...document.querySelectorAll('.badge, td.amount, .button, button')];
return shown.filter(each => {
    const box = each.getBoundingClientRect(), holder = each.closest('.card, main');
    if (!box.width || !holder || each.closest('form.finder')) return false;
    const around = holder.getBoundingClientRect();
    return box.right > around.right + 1 || box.left < around.left - 1;
}).map(each => each.textContent.trim()); }"""


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", ["overview"])
@pytest.mark.parametrize("width", [360, 1024])
def test_no_state_amount_or_button_is_cut(account, one, name, width):
    """With names, amounts and states as in daily life."""
    one.page.set_viewport_size({"width": width, "height": 800})
    cut = {}
    for path in DAILY:
        one.page.goto(f"{one.origin}/dashboard{path}?environment=test")
        cut[path] = one.page.evaluate(_CUT)

    assert {path: found for path, found in cut.items() if found} == {}


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", ["overview"])
def test_the_first_load_has_30_kb(account, name):
    """The page after a login, or the one it leads back to, with all that it loads."""
    visitor = Visitor(account.service, account.tenant)
    for path in ("", "/invoices", "/invoices/new", "/bills", "/customers", "/settings/you"):
        path = f"/dashboard{path}"
        answer = visitor.get(f"{path}?environment=test", Accept_Encoding="gzip")
        page = gzip.decompress(answer.data).decode()
        files = set(re.findall(r'(?:src|href)="(/dashboard/assets/[^"#]+)', page))
        loaded = [len(visitor.get(each, Accept_Encoding="gzip").data) for each in files]

        assert len(files) == (5 if path.endswith("/new") else 4), files
        assert len(answer.data) + sum(loaded) <= 30_000, path


def test_the_documentation_shows_every_picture_and_no_other():
    shown = (DOCS / "dashboard.md").read_text()

    assert {name for name in PICTURES if f"(pictures/{name}.png)" in shown} == set(PICTURES)
    assert shown.count("(pictures/") == len(PICTURES)
