"""GET /api/invoices in the order of a value, and by amounts and parties, on both databases."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import chain, product

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.store.core import db
from einvoice.store.invoices import lists
from einvoice.store.tables import Invoice, Received, Transmission
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.invoice_listing import START, InvoiceListing

ORDERS = ("issueDate", "grandTotal", "number", "networkStatus", "party")
# In every order another one is first; the amounts are not in the order of their digits.
ROWS = (
    {"issue_date": date(2026, 1, 2), "grand_total": Decimal("1000.00"), "number": "B-1",
     "buyer_name": "Delta BV"},
    {"issue_date": date(2026, 1, 1), "grand_total": Decimal("99.50"), "number": "C-1",
     "buyer_name": "charlie NV"},
    {"issue_date": date(2026, 1, 3), "grand_total": Decimal("-20.00"), "number": "D-1",
     "buyer_name": "Bravo SA"},
    {"issue_date": date(2026, 1, 4), "grand_total": Decimal("121.00"), "number": "A-1",
     "buyer_name": "Alfa GmbH"},
)  # fmt: skip
EXPECTED = {
    "issueDate": [1, 0, 2, 3],
    "grandTotal": [2, 1, 3, 0],
    "number": [3, 0, 1, 2],
    "networkStatus": [2, 0, 1, 3],
    "party": [3, 2, 1, 0],
}


@pytest.fixture
def listing(caller) -> InvoiceListing:
    return InvoiceListing(caller)


@pytest.fixture
def made(listing) -> list[str]:
    """The ids of ROWS; the third one is Failed."""
    found = [listing.add(**row) for row in ROWS]
    listing.fail(found[2])
    return found


def receive(listing, **values) -> str:
    """A received invoice, from the participant 9925:BE0123456789."""
    values = {"direction": "received", "sender": "9925:BE0123456789"} | values
    invoice_id = listing.add()
    listing.write(Invoice, Invoice.id, invoice_id, **values)
    return invoice_id


def test_each_order_is_read_in_both_directions(listing, made):
    """Amounts as numbers, names in any case of letters."""
    for order in ORDERS:
        expected = [made[place] for place in EXPECTED[order]]

        assert listing.ids(sort=order) == expected
        assert listing.ids(sort=f"-{order}") == expected[::-1]


@pytest.mark.parametrize("filters", [{}, {"currency": "EUR"}], ids=["all", "filtered"])
@pytest.mark.parametrize("examined", [5_000, 2])
def test_pages_hold_everything_once_in_order(listing, made, monkeypatch, examined, filters):
    """Also those of equal values, of few invoices and of more than are examined."""
    equal = [listing.add(**ROWS[1]) for _ in range(3)]
    monkeypatch.setattr(lists, "MAX_EXAMINED", examined)
    for order in ORDERS if examined > 2 else ORDERS[:-1]:
        expected = _with_equal(order, made, equal)

        assert list(chain(*listing.walk(sort=order, limit=2, **filters))) == expected, order
        found = list(chain(*listing.walk(sort=f"-{order}", limit=2, **filters)))
        assert found == expected[::-1], order


def _with_equal(order, made, equal) -> list[str]:
    """Equal values are in the order of creation or, where the index has no more, of their ids."""
    if order == "networkStatus":
        return [*(made[place] for place in EXPECTED[order]), *equal]
    expected, place = [made[each] for each in EXPECTED[order]], EXPECTED[order].index(1)
    same = [made[1], *equal]
    expected[place : place + 1] = same if order == "number" else sorted(same)
    return expected


@pytest.mark.parametrize("examined", [5_000, 2])
def test_what_could_not_be_read_follows_all_others(listing, made, monkeypatch, examined):
    """In both directions; a status it has."""
    values = ("number", "issue_date", "grand_total", "supplier_name", "buyer_name")
    unreadable = [receive(listing, **dict.fromkeys(values)) for _ in range(2)]
    monkeypatch.setattr(lists, "MAX_EXAMINED", examined)
    for order in ORDERS[:3] if examined == 2 else ("party", *ORDERS[:3]):
        expected = [made[place] for place in EXPECTED[order]]

        assert list(chain(*listing.walk(sort=order, limit=1))) == expected + unreadable
        assert list(chain(*listing.walk(sort=f"-{order}", limit=1))) == (
            expected[::-1] + unreadable[::-1]
        )


@pytest.mark.parametrize("order", ["issueDate", "grandTotal", "number", "party"])
def test_a_cursor_keeps_its_place_among_new_invoices(listing, made, order):
    expected = [made[place] for place in EXPECTED[order]]
    first = listing.get(sort=order, limit=2).json
    listing.add(**ROWS[EXPECTED[order][0]])
    second = listing.get(sort=order, limit=2, cursor=first["nextCursor"]).json

    assert [item["invoiceId"] for item in first["items"] + second["items"]] == expected


def test_a_cursor_of_another_order_is_refused(listing, made):
    cursor = listing.get(sort="number", limit=1).json["nextCursor"]
    refused = [listing.get(cursor=cursor, **query) for query in ({}, {"sort": "-number"})]

    assert {answer.json["errors"][0]["code"] for answer in refused} == {"invalid-cursor"}


FILTERS = (
    {"networkStatus": "Failed"},
    {"direction": "received"},
    {"direction": "received", "processed": "false"},
    {"createdFrom": clock.timestamp(START + timedelta(seconds=3))},
    {"createdTo": clock.timestamp(START + timedelta(seconds=3))},
    {"grandTotalFrom": "100", "grandTotalTo": "121"},
    {"issueDateFrom": "2026-01-02", "issueDateTo": "2026-01-03"},
    {"q": "a"},
    {"party": "delta"},
    {"party": "9925:BE0123456789"},
    {"number": "A-1"},
)


@pytest.mark.parametrize("examined", [5_000, 5])
def test_filters_find_the_same_in_every_order(listing, made, monkeypatch, examined):
    """By an index of theirs, or by examining the invoices of the order."""
    bill = receive(listing, grand_total=Decimal("5.00"), supplier_name="Delta Supplies")
    arrive(listing, bill)
    monkeypatch.setattr(lists, "MAX_EXAMINED", examined)
    for query in FILTERS:
        expected = sorted(listing.ids(**query))
        for order in ORDERS:
            for sort in (order, f"-{order}"):
                assert sorted(listing.ids(sort=sort, **query)) == expected != [], (sort, query)


def arrive(listing, invoice_id: str) -> None:
    """The row of a received document that waits to be processed."""
    row = {"invoice_id": invoice_id, "tenant_id": listing.caller.tenant, "environment": "test",
           "access_point": "a", "sender": "s", "receiver": "r", "instance_id": invoice_id,
           "document_type": "a::b", "process": "c::d", "sha256": "0" * 64,
           "created_at": START}  # fmt: skip
    with listing.caller.app.app_context(), db.writing() as connection:
        connection.execute(sa.insert(Received).values(row))


def test_more_than_can_be_sorted_are_refused(listing, made, monkeypatch):
    """The order by names has no index; a filter that an index finds makes them few enough."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 3)
    answer = listing.get(sort="party")

    assert (answer.status_code, answer.json["errors"][0]["code"]) == (400, "too-many-to-sort")
    assert listing.ids(sort="party", networkStatus="Failed") == [made[2]]


FOUND = (
    ({"grandTotalFrom": "99.50"}, [3, 1, 0]),
    ({"grandTotalFrom": "99.51"}, [3, 0]),
    ({"grandTotalTo": "99.50"}, [2, 1]),
    ({"grandTotalTo": "99.49"}, [2]),
    ({"grandTotalTo": "-20"}, [2]),
    ({"grandTotalFrom": "121", "grandTotalTo": "121.0"}, [3]),
    ({"party": "BRAVO"}, [2]),
    ({"party": "a"}, [3, 2, 1, 0]),
    ({"party": "Acme"}, []),
    ({"party": "A-1"}, []),
    ({"party": "9925:BE0123456789"}, []),
    ({"party": "0088:9520000000004"}, [3, 2, 1, 0]),
)


def test_amounts_and_parties_find_their_invoices(listing, made):
    """The party is the other side only, and amounts include both ends."""
    for query, places in FOUND:
        body = listing.get(**query, include="total").json

        assert [item["invoiceId"] for item in body["items"]] == [made[place] for place in places]
        assert body["total"] == len(places)


def test_the_party_of_what_was_received_is_its_seller(listing, made):
    """By name and by participant id; the tenant itself is no party."""
    bill = receive(listing, supplier_name="Alfa Parts", buyer_name="Acme NV")

    assert listing.ids(party="alfa") == [bill, made[3]]
    assert listing.ids(party="9925:be0123456789") == [bill]
    assert listing.ids(party="alfa", direction="received") == [bill]


def test_the_party_of_a_self_billed_invoice_is_who_did_not_write_it(listing):
    """The supplier of one that was sent, the buyer of one that was received."""
    names = {"supplier_name": "Seller", "buyer_name": "Customer", "kind": "selfBilledInvoice"}
    sent = listing.add()
    listing.write(Invoice, Invoice.id, sent, **names)
    received = receive(listing, **names)

    assert listing.ids(party="seller") == [sent]
    assert listing.ids(party="customer") == [received]


@pytest.mark.parametrize("examined", [5_000, 2])
def test_other_tenants_and_environments_are_in_no_order(
    listing, made, service, monkeypatch, examined
):
    monkeypatch.setattr(lists, "MAX_EXAMINED", examined)
    for stranger in (Caller(service), Caller(service, Environment.LIVE, listing.caller.tenant)):
        for order, query in product(ORDERS, ({}, {"party": "delta"}, {"grandTotalFrom": "0"})):
            assert listing.get(stranger, sort=order, **query).json["items"] == []


def test_people_name_the_environment_of_an_order(listing, made, service):
    """They see both, and the order of a value is that of one index."""
    ann = Dashboard(service, listing.caller.tenant)
    refused = ann.get("/api/invoices?sort=number")
    shown = ann.get("/api/invoices?sort=number&environment=test")

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (400, "/environment")
    assert [item["number"] for item in shown.json["items"]] == ["A-1", "B-1", "C-1", "D-1"]


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
@pytest.mark.parametrize("value", ["1,5", "1e3", "abc", "1.", "--1", "٣"])
def test_an_amount_is_digits_with_a_point(listing, value):
    answer = listing.get(grandTotalFrom=value)

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (400, "/grandTotalFrom")


def test_the_status_of_a_resent_invoice_is_that_of_its_newest_transmission(listing, made):
    """Earlier transmissions have left the list."""
    listing.write(Transmission, Transmission.invoice_id, made[0], listed_at=None)

    assert listing.ids(sort="networkStatus") == [made[2], made[1], made[3]]
