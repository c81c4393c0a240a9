"""The first page: figures, and what needs a person."""

from __future__ import annotations

import html
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.services.account import amounts
from einvoice.store.core import db
from einvoice.store.tables import ApiKey, Invoice, WebhookEndpoint
from einvoice.web.dashboard import charts
from tests.web.buyer.shop import Shop
from tests.web.inbox import Inbox
from tests.web.pages.visitor import Visitor

RENEW = "the API key expires on"


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


def change(visitor, table, **values) -> None:
    with visitor.person.app.app_context(), db.writing() as connection:
        mine = table.tenant_id == visitor.tenant
        connection.execute(sa.update(table).where(mine).values(**values))


def overview(visitor) -> str:
    return visitor.get("/dashboard?environment=test").text


@pytest.mark.parametrize(("days", "shown"), [(13.9, True), (14.1, False), (-1, False)])
def test_a_key_that_expires_within_fourteen_days_is_shown(visitor, days, shown):
    made = visitor.person.post("/api/keys", {"name": "ERP", "environment": "test"})
    assert made.status_code == 201, made.text
    change(visitor, ApiKey, expires_at=clock.now() + timedelta(days=days))

    assert (RENEW in overview(visitor)) is shown


@pytest.mark.parametrize(
    ("reason", "shown"), [("it failed for 5 days", True), ("by its owner", False)]
)
def test_a_webhook_that_was_given_up_is_shown_but_not_one_that_its_owner_disabled(
    visitor, reason, shown
):
    body = {"environment": "test", "url": "https://hooks.example/in", "eventTypes": ["*"]}
    made = visitor.person.post("/api/webhooks", body)
    assert made.status_code == 201, made.text
    assert "hooks.example" not in overview(visitor)
    change(visitor, WebhookEndpoint, status="disabled", disabled_reason=reason)

    assert ("nothing is posted to this webhook" in overview(visitor)) is shown


def test_a_webhook_that_fails_is_not_green_before_it_is_given_up(visitor):
    body = {"environment": "test", "url": "https://hooks.example/in", "eventTypes": ["*"]}
    visitor.person.post("/api/webhooks", body)
    change(visitor, WebhookEndpoint, failing_since=clock.now())
    hooks = visitor.get("/dashboard/developers/webhooks?environment=test").text

    assert "Deliveries fail since" in overview(visitor)
    assert "Deliveries fail since" in hooks
    assert '<span class="badge good">Active' not in hooks


def test_what_only_administrators_may_change_is_shown_to_them_only(visitor, app):
    visitor.person.post("/api/keys", {"name": "ERP", "environment": "test"})
    change(visitor, ApiKey, expires_at=clock.now() + timedelta(days=1))
    member = Visitor(app, visitor.tenant, Role.MEMBER, "bob")

    assert RENEW in overview(visitor)
    assert RENEW not in overview(member)


def test_the_time_until_delivery_is_shown_once_a_document_was_delivered(caller, work):
    visitor = Visitor(caller.app, caller.tenant)
    address = "/dashboard/developers/usage?environment=test"
    assert "Until Delivered" not in visitor.get(address).text
    caller.sent()
    work()

    page = visitor.get(address).text
    assert "Until Delivered (median)" in page
    assert "95 % within" in page


# -- what needs a person, charts and bills ---------------------------------------------------------

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)  # a Tuesday


@pytest.fixture
def shop(app, monkeypatch) -> Shop:
    """An account at a fixed moment."""
    monkeypatch.setattr(clock, "now", lambda: NOW)
    return Shop(app)


@pytest.fixture
def reader(shop) -> Visitor:
    return Visitor(shop.app, shop.tenant)


def bars(page: str, section: str) -> list[tuple[str, str]]:
    """(address, text) of the places of the chart of a section."""
    part = page.partition(f'aria-labelledby="{section}"')[2].partition("</svg>")[0]
    found = re.findall(r'<a href="([^"]+)" tabindex="-1"><g><title>([^<]*)</title>', part)
    return [(html.unescape(address), html.unescape(text)) for address, text in found]


def test_what_needs_a_person_is_first_and_has_a_way_to_solve_it(shop, reader):
    assert "Nothing needs a person." in overview(reader)
    failed = shop.invoice(status="Failed", number="F-1")
    shop.invoice(number="D-1")
    page = overview(reader)
    needs = page.partition('id="needs"')[2].partition("</section>")[0]

    assert "Nothing needs a person." not in page
    assert "F-1" in needs
    assert "D-1" not in needs
    assert f'class="button" href="/dashboard/invoices/{failed}/correct"' in needs
    viewer = Visitor(shop.app, shop.tenant, Role.VIEWER)
    assert f'class="button" href="/dashboard/invoices/{failed}"' in overview(viewer)
    assert page.index('id="needs"') < page.index('id="days"') < page.index('id="recent"')


def test_a_press_on_a_day_opens_the_list_of_what_it_counts(shop, reader):
    for days, status in ((0, "Delivered"), (3, "Delivered"), (3, "Failed")):
        shop.invoice(status=status, created_at=NOW - timedelta(days=days))
    places = bars(overview(reader), "days")
    address, text = places[-4]

    assert len(places) == 30
    assert text == "November 21, 2026 · Delivered: 1 · Failed: 1"
    assert reader.get(address).text.count('<td class="state">') == 2
    assert places[0][1] == "October 26, 2026"


def test_figures_lead_to_the_documents_that_they_count(shop, reader):
    for days in (0, 1, 40):
        shop.invoice(created_at=NOW - timedelta(days=days))
    figures = re.findall(
        r'<li><a href="([^"]+)"><span>([^<]+)</span> <strong>(\d+)</strong> <small>(\d+) in',
        overview(reader),
    )

    assert [figure[1:] for figure in figures if figure[1] in ("Sent", "Failed")] == [
        ("Sent", "2", "1"), ("Failed", "0", "0"),
    ]  # fmt: skip
    for address, name, count, _ in figures:
        listed = reader.get(html.unescape(address)).text.count('<td class="state">')
        assert listed == int(count), name


def test_amounts_are_summed_by_week_and_currency(shop, reader):
    """Credit notes are subtracted, failed documents left out; bills are received."""
    monday = datetime(2026, 11, 16, tzinfo=UTC)
    sunday = monday + timedelta(days=6, hours=23)
    for at, amount, more in (
        (monday, "100.00", {}), (sunday, "50.25", {}), (sunday, "20.00", {"kind": "creditNote"}),
        (sunday, "999.00", {"status": "Failed"}), (sunday, "7.00", {"currency": "SEK"}),
        (monday, "30.00", {"direction": "received", "status": "Received"}),
        (monday - timedelta(seconds=1), "1.00", {}), (monday - timedelta(weeks=11), "5.00", {}),
    ):  # fmt: skip
        shop.invoice(created_at=at, grand_total=Decimal(amount), **more)
    page = overview(reader)
    texts = [text for _, text in bars(page, "amounts")]
    krona = bars(reader.get("/dashboard?environment=test&currency=SEK").text, "amounts")

    assert len(texts) == 12
    assert texts[-2] == "Week from November 16, 2026 · Sent: 130.25 EUR · Received: 30.00 EUR"
    assert texts[-3].endswith("Sent: 1.00 EUR · Received: 0.00 EUR")
    assert "5.00 EUR" not in " ".join(texts)
    assert krona[-2][1].endswith("Sent: 7.00 SEK · Received: 0.00 SEK")
    assert '130.25 <span class="code">EUR</span>' in page


def test_of_many_documents_only_whole_weeks_are_shown(shop, reader, monkeypatch):
    monkeypatch.setattr(amounts, "MAX_DOCUMENTS", 2)
    for days in (0, 1, 8):
        shop.invoice(created_at=NOW - timedelta(days=days))
    page = overview(reader)

    assert [text.partition(" ·")[0] for _, text in bars(page, "amounts")] == [
        "Week from November 23, 2026"
    ]
    assert "Only the newest" in page


def test_open_bills_are_shown_by_due_date_and_overdue_ones_marked(caller):
    """What a buyer has billed in the name of the account is no bill: it is paid to it."""
    reader, inbox = Visitor(caller.app, caller.tenant), Inbox(caller)
    today = clock.today()
    due = {"late": -1, "today": 0, "soon": 6, "later": 8}
    for name, days in (*reversed(due.items()), ("sold", 1)):
        bill = inbox.arrives(number=name)
        with caller.app.app_context(), db.writing() as connection:
            dated: dict[str, Any] = {"due_date": today + timedelta(days=days)}
            if name == "sold":
                dated["kind"] = "selfBilledInvoice"
            connection.execute(sa.update(Invoice).where(Invoice.id == bill).values(dated))
    page = overview(reader)
    rows = page.partition('id="due"')[2].partition("</section>")[0]

    assert re.findall(r">(late|today|soon|later|sold)</a>", rows) == list(due)
    assert rows.count("overdue") == 2  # as a class, and in words
    assert "Bills due within 7 days <strong>3</strong>" in page


def test_no_bar_is_higher_than_the_highest_line():
    for most in (0, 1, 2, 3, 12, 13, 45, 100, 101, 99999):
        places = [charts.Place(date(2026, 11, 1), "", None, [[("good", most)], [("bad", 1)]])]
        chart = charts.bars(places)
        top, value = chart.lines[-1]
        boxes = chart.groups[0].boxes

        assert value >= most
        assert all(box.y >= top - 0.01 or box.height == charts.MIN_HEIGHT for box in boxes), most
        assert all(box.height >= charts.MIN_HEIGHT for box in boxes)
        assert len(chart.lines) - 1 <= charts.MAX_STEPS
