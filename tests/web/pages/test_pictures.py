"""The pictures of docs/dashboard.md are what people see, at a fixed moment.

After a change that is meant: EINVOICE_NEW_GOLDEN=1, then look at the pictures.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image

import einvoice_loopback
from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network.hookspec import hookimpl
from einvoice.services.account import tenants
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import WebhookDelivery
from einvoice.web.runtime import runtime_of
from tests.browser import Visit, serving, visiting
from tests.builders import accepted
from tests.networks.almanac import Almanac
from tests.web.buyer.pictures import compare
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed, write_export

DOCS = Path(__file__).parents[3] / "docs"
SAMPLES = Path(__file__).parents[2] / "samples"
WIDTH = 1100
NOW = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def service(build):
    return build([einvoice_loopback, Directory()])


class Account:
    """The account of the pictures, and its person."""

    def __init__(self, service) -> None:
        self.service = service
        with service.app_context():
            self.tenant = tenants.create("Demo NV")
        self.person = Dashboard(service, self.tenant)

    @property
    def link(self) -> str:
        return Visitor(self.service, self.tenant, log_in=False).link


@pytest.fixture
def account(service, monkeypatch) -> Account:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    return Account(service)


@pytest.fixture
def one(browser, service, account) -> Iterator[Visit]:
    """A browser in which the person is logged in."""
    look = {"viewport": {"width": WIDTH, "height": 700}, "locale": "en-GB", "timezone_id": "UTC"}
    with serving(service) as origin, visiting(browser, origin, **look) as found:
        found.page.goto(origin + account.link)
        yield found


def show_invoices(account: Account, one: Visit) -> None:
    shop = Shop(account.service)
    shop.tenant = account.tenant
    names = ["Alpha Bouw BV", "Café Central", "Nordwind GmbH", "Żółw Sp. z o.o.", "Studio Blu"]
    states = ["Delivered", "Delivered", "Failed", "Delivered", "Processing"]
    for number, (name, status) in enumerate(zip(names, states, strict=True)):
        at = NOW + timedelta(seconds=number)
        shop.invoice(number=f"2026-01{number:02}", status=status, buyer_name=name, created_at=at)
    one.page.goto(f"{one.origin}/dashboard/invoices")


def show_bill(account: Account, one: Visit) -> None:
    inbox = Inbox(Caller(account.service, tenant=account.tenant))
    bill = inbox.arrives(number="R-2026-118")
    one.page.goto(f"{one.origin}/dashboard/invoices/{bill}")
    without_pdf(one)


def without_pdf(one: Visit) -> None:
    """A browser without a window may show no PDF."""
    one.page.evaluate("document.querySelectorAll('iframe').forEach(each => each.remove())")


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
    made = account.person.post(
        "/api/webhooks",
        {"url": "https://erp.example.com/hook", "description": "ERP", "environment": "test"},
    )
    endpoint = made.json["webhookId"]
    outcomes = [
        ("delivered", "transaction.sent", 1, 200, None, 84),
        ("delivered", "invoice.delivered", 1, 204, None, 61),
        ("failed", "transaction.failed", 10, 503, "status 503", 212),
        ("pending", "transaction.sent", 2, 500, "status 500", 97),
    ]
    rows = [
        {
            "id": f"0190f2a0-0000-7000-8000-{number:012}", "tenant_id": account.tenant,
            "endpoint_id": endpoint, "event_id": f"0190f2a0-0000-7000-9000-{number:012}",
            "event_type": event, "status": status, "trigger": "schedule", "attempts": attempts,
            "status_code": code, "last_error": error, "duration_ms": duration,
            "next_retry_at": NOW + timedelta(minutes=5) if status == "pending" else None,
            "delivered_at": NOW if status == "delivered" else None,
            "created_at": NOW - timedelta(minutes=90 - 20 * number),
        }
        for number, (status, event, attempts, code, error, duration) in enumerate(outcomes)
    ]  # fmt: skip
    with account.service.app_context(), db.writing() as connection:
        connection.execute(sa.insert(WebhookDelivery), rows)
    one.page.goto(f"{one.origin}/dashboard/developers/webhooks/{endpoint}")


def show_usage(account: Account, one: Visit) -> None:
    shop = Shop(account.service)
    shop.tenant = account.tenant
    for day in range(30):
        for number in range(1 + day * 7 % 5):
            status = "Failed" if day % 11 == 3 and number == 0 else "Delivered"
            shop.invoice(status=status, created_at=NOW - timedelta(days=day))
    account.person.post("/api/keys", {"name": "ERP of Gent", "environment": "test"})
    one.page.goto(f"{one.origin}/dashboard/developers/usage?environment=test")


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
    "invoices": (show_invoices, 730),
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


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_of_the_documentation_is_what_people_see(account, one, name):
    show, height = PICTURES[name]
    show(account, one)
    one.page.set_viewport_size({"width": WIDTH, "height": height})
    one.page.wait_for_load_state("networkidle")
    taken = Image.open(io.BytesIO(one.page.screenshot())).convert("RGB")

    compare(taken, DOCS / "pictures" / f"{name}.png")


def test_the_documentation_shows_every_picture_and_no_other():
    shown = (DOCS / "dashboard.md").read_text()

    assert {name for name in PICTURES if f"(pictures/{name}.png)" in shown} == set(PICTURES)
    assert shown.count("(pictures/") == len(PICTURES)
