"""What the buyer said of a delivered invoice is a state that people see, on every page of it."""

from __future__ import annotations

import csv
import io
import re

import pytest

from einvoice.domain.responses import ResponseStatus
from einvoice.domain.roles import Role
from einvoice.services.invoices import listing_csv
from einvoice.web.dashboard.words import words_of
from tests.web.caller import Caller
from tests.web.pages.visitor import Visitor
from tests.web.test_receiver_responses import Plugin, arrives, delivered, done, said

LIST = "/dashboard/invoices?environment=test"
BADGES = {
    "received": "Delivered",
    **{status: words_of("en")[f"responseStatus.{status}"] for status in ResponseStatus
       if status != "received"},
}  # fmt: skip


pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def service(build):
    return build([Plugin()])


@pytest.fixture
def caller(service):
    return Caller(service)


def badges(text: str) -> list[str]:
    """Of states, and the mark of what needs attention."""
    found = re.findall(
        r'<span class="badge[^"]*">([^<]+)</span>|<span class="attention" title="([^"]+)"', text
    )
    return [badge or mark for badge, mark in found]


def rows(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_each_response_is_the_badge_of_the_invoice_on_its_page_and_in_the_list(caller):
    visitor = Visitor(caller.app, caller.tenant)
    for status, badge in BADGES.items():
        invoice = delivered(caller)
        arrives(caller, invoice, said(ResponseStatus(status)))
        page = visitor.get(f"/dashboard/invoices/{invoice}").text
        number = re.search(r"<h1[^>]*>Invoice ([^<]+)</h1>", page)[1]
        needs = ["Needs attention"] * (status in {"rejected", "undeliverable", "cancelled"})

        assert badges(page)[: 1 + len(needs)] == [badge, *needs], status
        assert badges(visitor.get(f"{LIST}&number={number}").text) == [badge, *needs], status
        assert badges(visitor.get(f"{LIST}&response={status}").text)[:1] == [badge], status
        [row] = rows(
            visitor.get(f"/dashboard/invoices/export.csv?number={number}&environment=test")
        )
        assert (row["networkStatus"], row["response"]) == ("Delivered", status)


def test_a_rejection_says_why_and_waits_for_a_person_until_it_is_done(caller):
    invoice, other = delivered(caller), delivered(caller)
    arrives(
        caller, invoice,
        said(ResponseStatus.REJECTED, by="Buyer BV", text="Call us.", reasons=("Wrong price",)),
    )  # fmt: skip
    visitor, address = Visitor(caller.app, caller.tenant), f"/dashboard/invoices/{invoice}"
    page = visitor.get(address).text
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER, "eve").get(address).text
    before = visitor.get("/dashboard?environment=test").text
    refused = visitor.post(f"/dashboard/invoices/{other}/attention/done")
    answer = visitor.post(f"{address}/attention/done")
    after = visitor.get(answer.headers["Location"]).text
    overview = visitor.get("/dashboard?environment=test").text

    for text in (
        "Wrong price",
        "Call us.",
        "Buyer BV",
        "The buyer responded: Rejected by the buyer",
    ):
        assert text in page, text
    assert "rejected by Buyer BV" not in page  # the words of the API
    assert ("/attention/done" in page, "/attention/done" in viewer) == (True, False)
    assert f'href="{address}"' in before.partition('id="recent"')[0].partition('id="needs"')[2]
    assert refused.status_code == 409
    assert "Marked as done" in after
    assert "by ann@example.com" in after
    assert "/attention/done" not in after
    assert "Nothing needs a person." in overview
    assert badges(visitor.get(f"{LIST}&attention=true").text) == []
    assert "Rejected by the buyer" in badges(visitor.get(LIST).text)


def test_a_page_shows_what_a_key_has_marked_as_done_in_every_language(caller):
    invoice = delivered(caller)
    arrives(caller, invoice, said(ResponseStatus.UNDELIVERABLE))
    done(caller, invoice)
    visitor = Visitor(caller.app, caller.tenant)

    for language in ("en", "nl", "pl"):
        visitor.post("/dashboard/preferences", {"language": language})
        page = visitor.get(f"/dashboard/invoices/{invoice}")
        assert page.status_code == 200
        assert words_of(language)["history.attentionDone"] in page.text


def test_another_account_ends_no_attention(caller):
    invoice = delivered(caller)
    arrives(caller, invoice, said(ResponseStatus.REJECTED))
    stranger = Visitor(caller.app, Caller(caller.app).tenant)

    assert stranger.post(f"/dashboard/invoices/{invoice}/attention/done").status_code == 404
    assert caller.get(f"/api/invoices/{invoice}").json["attention"] is True


def test_columns_of_the_export_are_only_added(build):
    """Programs read the file by position too."""
    assert listing_csv.COLUMNS[:2] == ("invoiceId", "environment")
    assert listing_csv.COLUMNS[-3:] == ("createdAt", "response", "amountPaid")
