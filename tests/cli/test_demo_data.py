"""The account of `einvoice demo --fill` has what a day at the pages has."""

from __future__ import annotations

from collections import Counter

import pytest

import einvoice_loopback
from einvoice.app import create_app
from einvoice.cli import demo, demo_data
from einvoice.config import Settings
from tests import databases
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor

HOOK = "http://127.0.0.1:65531/hook"  # the demo's own, which listens after the weeks are written

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    settings = Settings(
        data_dir=str(tmp_path_factory.mktemp("fill")), webhook_allow_private=True, **databases.ALONE
    )
    tenant = demo.prepared(settings, HOOK, fill=True)["tenant"]
    app = create_app(settings, plugins=[einvoice_loopback])
    yield Caller(app, tenant=tenant)
    databases.let_go(app)


def items(caller, query):
    return caller.get(f"/api/invoices?limit=200&{query}").json["items"]


def test_there_are_sixty_invoices_of_twelve_weeks_in_six_currencies(caller):
    sent = items(caller, "direction=sent")
    days = {each["createdAt"][:10] for each in sent}

    assert (len(sent), len({each["currency"] for each in sent})) == (60, 6)
    assert Counter(each["networkStatus"] for each in sent) == {
        "Delivered": 56, "Failed": 3, "Processing": 1,
    }  # fmt: skip
    assert Counter(each["response"]["status"] for each in sent if each["response"]) == {
        "accepted": 2, "paid": 3, "rejected": 1, "inProcess": 1,
    }  # fmt: skip
    assert len(days) > 50


def test_there_are_bills_drafts_and_a_webhook_that_is_down(caller):
    page = Visitor(caller.app, caller.tenant).get("/dashboard?environment=test").text

    assert len(items(caller, "direction=received")) == demo_data.BILLS
    assert len(items(caller, "direction=received&processed=false")) == 7
    assert len(caller.get("/api/drafts").json["items"]) == demo_data.DRAFTS
    assert "127.0.0.1:65530" in page


def test_the_webhook_of_the_demo_itself_takes_events(caller):
    """It was given up for the twelve weeks in which nothing listened."""
    found = Dashboard(caller.app, caller.tenant).get("/api/webhooks").json["items"]
    states = {each["url"]: each["status"] for each in found}

    assert states == {HOOK: "active", demo_data.DOWN: "active"}
