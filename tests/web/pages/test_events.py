"""The page of the event feed, and what became of the events of an invoice."""

from __future__ import annotations

import html
import re

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.store.webhooks.feed import COMMIT_MARGIN
from tests.web.buyer.shop import Shop
from tests.web.pages.visitor import Visitor
from tests.web.webhook_events import NEW, emit

EVENTS = "/dashboard/developers/events"


@pytest.fixture
def shop(service) -> Shop:
    return Shop(service)


def visitor_of(shop: Shop, role: Role = Role.ADMIN) -> Visitor:
    one = Visitor(shop.app, shop.tenant, role)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def ids(page: str) -> list[str]:
    return re.findall(r'<summary class="mono">([^<]+)</summary>', page)


def test_events_are_listed_newest_first_with_the_body_of_their_webhook(shop):
    invoice = shop.invoice()
    made = [emit(shop.app, shop.tenant, invoice=invoice), emit(shop.app, shop.tenant)]
    page = html.unescape(visitor_of(shop).get(EVENTS).text)

    assert ids(page) == made[::-1]
    assert f'"eventId": "{made[0]}"' in page
    assert f'href="/dashboard/invoices/{invoice}"' in page


def test_the_list_of_events_has_pages_without_a_gap(shop):
    made = [emit(shop.app, shop.tenant) for _ in range(52)]
    visitor = visitor_of(shop)
    first = visitor.get(EVENTS).text
    second = visitor.get(html.unescape(re.search(r'rel="next" href="([^"]+)"', first)[1])).text

    assert [len(ids(page)) for page in (first, second)] == [50, 2]
    assert ids(first) + ids(second) == made[::-1]
    assert 'rel="next"' not in second


def test_events_are_those_of_the_account_and_the_environment(shop):
    made = {name: emit(shop.app, shop.tenant, environment=name) for name in ("test", "live")}
    viewer, stranger = visitor_of(shop, Role.VIEWER), Visitor(shop.app)

    for name, event in made.items():
        assert ids(viewer.get(f"{EVENTS}?environment={name}").text) == [event]
        assert ids(stranger.get(f"{EVENTS}?environment={name}").text) == []


def test_an_invoice_shows_administrators_where_its_events_were_delivered(shop, monkeypatch):
    admin, member = visitor_of(shop), visitor_of(shop, Role.MEMBER)
    made = admin.person.post("/api/webhooks", NEW)
    invoice = shop.invoice()
    emit(shop.app, shop.tenant, invoice=invoice)
    emit(shop.app, shop.tenant)
    later = clock.now() + 2 * COMMIT_MARGIN
    monkeypatch.setattr(clock, "now", lambda: later)
    page = admin.get(f"/dashboard/invoices/{invoice}").text

    assert page.count(f'/dashboard/developers/webhooks/{made.json["webhookId"]}"') == 1
    assert '<span class="badge note">Pending</span>' in page
    assert NEW["url"] not in member.get(f"/dashboard/invoices/{invoice}").text
