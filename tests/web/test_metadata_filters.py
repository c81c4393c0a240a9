"""Lists filter by metadata, under the names that the tenant has named."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.services.account import profile
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard


@pytest.fixture
def names(service):
    """`names(caller, …)`: the names by which its tenant searches from now on."""

    def _set(caller, *given):
        caches = runtime_of(service).caches
        with service.app_context():
            profile.change(caller.tenant, {"searchableMetadata": list(given)}, None, caches)
        caches.clear()

    return _set


def ids(caller, query):
    answer = caller.get(f"/api/invoices?{query}")
    assert answer.status_code == 200, answer.text
    return [item["invoiceId"] for item in answer.json["items"]]


def test_invoices_are_found_by_their_metadata(caller, names):
    """Under each name, and under several together; in exports and totals too."""
    names(caller, "erpId", "order")
    one = caller.sent(metadata={"erpId": "4711", "order": 'A "1"', "other": "x"})
    two = caller.sent(metadata={"erpId": "4712", "order": 'A "1"'})
    caller.sent()

    assert ids(caller, "metadata.erpId=4711") == [one]
    assert ids(caller, "metadata.order=A%20%221%22") == [two, one]
    assert ids(caller, "metadata.order=A%20%221%22&metadata.erpId=4712") == [two]
    assert ids(caller, "metadata.erpId=471") == []
    assert ids(caller, "metadata.erpId=4711&number=none") == []
    assert caller.get("/api/invoices?metadata.erpId=4711&include=total").json["total"] == 1


def test_pages_go_on_with_the_same_texts(caller, names):
    """In any order: programs write parameters in that of their maps."""
    names(caller, "run", "shop")
    sent = [caller.sent(metadata={"run": "7", "shop": "a"}) for _ in range(3)]
    first = caller.get("/api/invoices?metadata.run=7&metadata.shop=a&limit=2").json
    cursor = first["nextCursor"]
    path = f"/api/invoices?limit=2&metadata.shop=a&cursor={cursor}&metadata.run=7"

    found = [item["invoiceId"] for item in first["items"] + caller.get(path).json["items"]]
    assert found == sent[::-1]
    other = caller.get(path.replace("run=7", "run=8"))
    assert slug(other) == "invalid-field"


WRONG = {  # query → pointer of the refusal
    "metadata.other=1": "/metadata.other",
    "metadata.erpId=": "/metadata.erpId",
    "metadata.erpId=1&metadata.erpId=2": "/metadata.erpId",
    "metadata.erpId=%00": "/metadata.erpId",
    f"metadata.erpId={'x' * 501}": "/metadata.erpId",
    "metadata.=1": "/metadata.",
    "metadata=1": "/metadata",
}


def test_another_name_and_a_text_that_cannot_be_are_refused(caller, names):
    names(caller, "erpId")
    for query, pointer in WRONG.items():
        answer = caller.get(f"/api/invoices?{query}")
        assert slug(answer) == "invalid-field", query
        assert [each["pointer"] for each in answer.json["errors"]] == [pointer], query


def test_only_what_is_sent_after_it_was_named_is_found(caller, names):
    """Nothing is stored twice for accounts that name nothing."""
    caller.sent(metadata={"erpId": "4711"})
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Invoice.searchable).where(Invoice.tenant_id == caller.tenant)
        assert connection.execute(query).scalars().all() == [None]
    names(caller, "erpId")
    later = caller.sent(metadata={"erpId": "4711", "none": None})

    assert ids(caller, "metadata.erpId=4711") == [later]


def test_another_tenant_and_the_other_environment_find_nothing(caller, names):
    names(caller, "erpId")
    caller.sent(metadata={"erpId": "4711"})
    other = Caller(caller.app)
    live = Caller(caller.app, Environment.LIVE, caller.tenant)

    assert slug(other.get("/api/invoices?metadata.erpId=4711")) == "invalid-field"
    names(other, "erpId")
    assert ids(other, "metadata.erpId=4711") == ids(live, "metadata.erpId=4711") == []


NAMES = (["a", "a"], [f"n{n}" for n in range(9)], ["a.b"], [""], ["x" * 41], "erpId")


def test_at_most_eight_names_of_letters_and_digits_are_searched(service):
    ann = Dashboard(service)
    for given in NAMES:
        assert slug(ann.patch("/api/tenant", {"searchableMetadata": given})) == "invalid-field", (
            given
        )
    eight = [f"n-{n}" for n in range(8)]
    kept = ann.patch("/api/tenant", {"searchableMetadata": eight})
    assert kept.json["searchableMetadata"] == eight
