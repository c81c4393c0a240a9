"""The switch Live/Sandbox: its page, and the next one, are in the chosen environment."""

from __future__ import annotations

import html
import re

import pytest

from tests.web.buyer.shop import Shop
from tests.web.pages.test_protection import filled, rules
from tests.web.pages.visitor import Visitor

_BACK = re.compile(r'name="back" value="([^"]*)"')
_PRESSED = re.compile(r'name="environment" value="(\w+)" aria-pressed="true"')

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.mark.parametrize(("from_", "to"), [("test", "live"), ("live", "test")])
def test_the_switch_does_what_it_says_on_every_page(service, from_, to):
    """By its own form: the address of the page goes along."""
    shop = Shop(service)
    visitor, stayed = Visitor(service, shop.tenant), {}
    invoice = shop.invoice()
    pages = [filled(each) for each in rules(service, "GET")]
    pages += [f"/dashboard/invoices/{invoice}", "/dashboard/invoices/new?copies=" + invoice]
    for address in pages:
        visitor.post("/dashboard/preferences", {"environment": from_})
        for query in (f"?environment={from_}", ""):
            page = visitor.get(f"{address}{query}" if "?" not in address else address)
            if page.status_code != 200 or page.mimetype != "text/html":
                continue
            back = _BACK.search(page.text)
            if back is None:
                continue
            done = visitor.post(
                "/dashboard/preferences", {"environment": to, "back": html.unescape(back[1])}
            )
            after = visitor.get(done.headers["Location"])
            if after.status_code != 200 or _PRESSED.findall(after.text) != [to]:
                stayed[address] = (after.status_code, done.headers["Location"])

    assert stayed == {}
