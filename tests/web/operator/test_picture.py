"""The picture of docs/operators.md is what operators see, at a fixed moment.

After a change that is meant: EINVOICE_NEW_GOLDEN=1, then look at the picture.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PIL import Image

from einvoice import clock
from einvoice.services.account import plans, tenants
from einvoice.services.caches import Caches
from tests.browser import serving, visiting
from tests.builders import accepted
from tests.web.buyer.pictures import compare
from tests.web.console import OperatorPerson

DOCS = Path(__file__).parents[3] / "docs"
NOW = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
SIZE = {"width": 1100, "height": 520}


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
def test_the_picture_of_the_documentation_is_what_operators_see(browser, service, monkeypatch):
    moment = [NOW - timedelta(days=9)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    with service.app_context():
        made = []
        for name in ("Alpha Bouw BV", "Café Central", "Nordwind GmbH", "Studio Blu"):
            moment[0] += timedelta(days=2)
            made.append(tenants.create(name))
        plans.set_by_operator(made[0], {"monthlyDocuments": 500}, Caches())
        tenants.suspend(made[2], "Invoice of May is unpaid", Caches())
        for number, tenant in enumerate((made[0], made[0], made[0], made[1])):
            accepted(tenant, environment="live", number=f"N{number}")
    moment[0] = NOW
    look = {"viewport": SIZE, "locale": "en-GB", "timezone_id": "UTC"}
    with serving(service) as origin, visiting(browser, origin, **look) as one:
        one.page.goto(origin + OperatorPerson(service, log_in=False).link)
        one.page.goto(f"{origin}/operator/tenants")
        one.page.wait_for_load_state("networkidle")
        taken = Image.open(io.BytesIO(one.page.screenshot())).convert("RGB")

    compare(taken, DOCS / "pictures" / "console.png")
    assert "(pictures/console.png)" in (DOCS / "operators.md").read_text()
