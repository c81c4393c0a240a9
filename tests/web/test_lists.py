"""GET /api/invoices: filters, order, pages and cursors, on both databases."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import chain
from uuid import uuid4

import pytest

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.services.directory import entries
from einvoice.store.invoices import lists
from einvoice.store.tables import Invoice, Transmission
from tests.web.caller import Caller, slug
from tests.web.invoice_listing import START, InvoiceListing

# Refusals without a query are tested with one database.
ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

FIELDS = {
    "invoiceId", "environment", "transactionId", "direction", "number", "issueDate", "dueDate",
    "currency", "grandTotal", "supplierName", "buyerName", "senderParticipantId",
    "receiverParticipantId", "networkStatus", "failureReason", "shared", "createdAt", "updatedAt",
    "supplierId", "customerId", "type", "glAccountCode", "processedAt", "processedBy", "response",
    "metadata", "amountPaid", "paid",
}  # fmt: skip


@pytest.fixture
def listing(caller) -> InvoiceListing:
    return InvoiceListing(caller)


def test_an_item_has_the_fields_of_the_contract_and_no_others(listing):
    """The fields of decisions 5; the response has the provider."""
    invoice_id = listing.add(due_date=date(2026, 12, 21))
    body = listing.get().json
    item = body["items"][0]

    assert set(body) == {"items", "nextCursor", "hasMore", "provider"}
    assert set(item) == FIELDS
    assert item["invoiceId"] == invoice_id
    assert (item["grandTotal"], item["dueDate"]) == (121.00, "2026-12-21")
    assert (item["networkStatus"], item["failureReason"]) == ("Processing", None)
    assert item["createdAt"] == item["updatedAt"] == clock.timestamp(START + timedelta(seconds=1))


def test_the_default_order_is_newest_first(listing):
    made = [listing.add() for _ in range(3)]

    assert listing.ids() == listing.ids(sort="-createdAt") == made[::-1]
    assert listing.ids(sort="createdAt") == made


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize(("count", "pages"), [(0, [0]), (3, [3]), (4, [3, 1]), (6, [3, 3])])
def test_pages_hold_everything_once(listing, sort, count, pages):
    """In order, each once, also with many accepted in one millisecond."""
    for _ in range(count):
        listing.add(created_at=START)
    walked = listing.walk(sort=sort, limit=3)

    assert [len(page) for page in walked] == pages
    assert sorted(chain(*walked)) == sorted(listing.ids())


def test_new_invoices_do_not_shift_later_pages(listing):
    made = [listing.add() for _ in range(4)]
    first = listing.get(limit=2).json
    listing.add()
    second = listing.get(limit=2, cursor=first["nextCursor"]).json

    assert [item["invoiceId"] for item in second["items"]] == made[1::-1]


def _made(listing):
    """Four invoices; the one at index 2 differs in every value."""
    made = [listing.add() for _ in range(2)]
    made.append(
        listing.add(
            number="ODD-1", currency="SEK", sender="0007:5567212047", receiver="9925:BE0123456789",
            issue_date=date(2026, 1, 31), supplier_name="Björk AB", buyer_name="100% Café",
            created_at=START + timedelta(minutes=10),
        )
    )  # fmt: skip
    listing.fail(made[2])
    made.append(listing.add(created_at=START + timedelta(minutes=20)))
    return made


FOUND = [
    {"number": "ODD-1"},
    {"currency": "SEK"},
    {"networkStatus": "Failed"},
    {"senderParticipantId": "0007:5567212047"},
    {"receiverParticipantId": "9925:BE0123456789"},
    {"receiverParticipantId": "9925:be0123456789"},
    {"issueDateTo": "2026-01-31"},
    {"issueDateFrom": "2026-01-31", "issueDateTo": "2026-01-31"},
    {"q": "odd"},
    {"q": "rk ab"},
    {"q": "0% c"},
    {"networkStatus": "Failed", "currency": "SEK", "q": "ODD", "direction": "sent"},
    {"receiverParticipantId": "9925:BE0123456789", "networkStatus": "Failed"},
    {
        "createdFrom": clock.timestamp(START + timedelta(minutes=10)),
        "createdTo": clock.timestamp(START + timedelta(minutes=10)),
    },
    {
        "createdFrom": clock.timestamp(START + timedelta(minutes=10)),
        "createdTo": clock.timestamp(START + timedelta(minutes=10)),
        "networkStatus": "Failed",
    },
]


@pytest.mark.parametrize("sort", ["-createdAt", "-issueDate", "-grandTotal", "-party"])
def test_sales_are_found_by_whether_they_are_paid(listing, sort):
    """By what is due of each, as numbers; what the tenant has bought is neither."""
    dues = [("121.00", None), ("121.00", "120.99"), ("121.00", "121.0"), ("9.00", "10.00")]
    made = []
    for n, (payable, paid) in enumerate(dues):
        day = date(2026, 1, 1 + n)
        made.append(
            listing.add(
                issue_date=day, payable=Decimal(payable), grand_total=Decimal(n + 1),
                buyer_name=f"Buyer {n}",
            )
        )  # fmt: skip
        given = paid and Decimal(paid)
        listing.write(Invoice, Invoice.id, made[-1], amount_paid=given)
    kinds = ("invoice", "selfBilledInvoice", "selfBilledInvoice")
    bill, mine, theirs = (listing.add(kind=kind) for kind in kinds)
    for received in (bill, theirs):
        listing.write(Invoice, Invoice.id, received, direction="received")
        listing.write(Transmission, Transmission.invoice_id, received, status="Received")
    listed = listing.get(sort=sort).json["items"]

    assert set(listing.ids(paid="false", sort=sort)) == {made[1], made[0], theirs}
    assert listing.ids(paid="true", sort=sort) == [made[3], made[2]]
    assert listing.ids(paid="false", sort=sort, networkStatus="Delivered") == []
    assert {each["invoiceId"]: each["paid"] for each in listed} == {
        made[0]: False, made[1]: False, made[2]: True, made[3]: True, theirs: False, bill: None,
        mine: None,
    }  # fmt: skip
    assert {each["amountPaid"] for each in listed} == {None, *map(Decimal, ("120.99", "121", "10"))}


def test_each_filter_finds_its_invoices(listing):
    """And no others; several filters are joined by "and"."""
    made = _made(listing)

    for query in FOUND:
        body = listing.get(**query, include="total").json
        assert [item["invoiceId"] for item in body["items"]] == [made[2]], query
        assert body["total"] == 1, query


BESIDE = [
    {"number": "odd-1"},
    {"number": "ODD-"},
    {"direction": "received"},
    {"networkStatus": "Delivered"},
    {"issueDateTo": "2026-01-30"},
    {"q": "%c"},
    {"q": "_DD"},
    {"q": "odd", "currency": "EUR"},
    {"createdTo": clock.timestamp(START - timedelta(milliseconds=1))},
    {"createdFrom": clock.timestamp(START + timedelta(minutes=20, milliseconds=1))},
]


def _customer(listing, tenant=None, **said):
    with listing.caller.app.app_context():
        return entries.create(CUSTOMER, tenant or listing.caller.tenant, said).id


def test_invoices_of_a_customer_are_found_by_the_ids_in_the_directory(listing):
    """By participant id or tax id; by name only without both."""
    signs = {"receiver": "9925:BE0123456789", "buyer_tax_id": "BE 0123.456.789"}
    theirs = [listing.add(**{name: value}) for name, value in signs.items()]
    named = listing.add(buyer_name="Plain Ltd")
    listing.write(Invoice, Invoice.id, listing.add(**signs), direction="received")
    known = _customer(listing, name="Plain Ltd", tax_id="be0123456789",
                      peppol_id="9925:be0123456789")  # fmt: skip
    unknown = _customer(listing, name="PLAIN LTD", external_id="2")

    assert listing.ids(customerId=known) == theirs[::-1]
    assert listing.ids(customerId=unknown) == [named]


def test_an_unknown_customer_has_no_invoices(listing):
    """One of another tenant is unknown too: nothing shows that it exists."""
    listing.add(buyer_name="Elsewhere")
    stranger = Caller(listing.caller.app).tenant
    theirs = _customer(listing, stranger, name="Elsewhere")
    answers = [listing.get(customerId=one, include="total") for one in (theirs, uuid4(), "x")]

    for answer in answers:
        assert answer.status_code == 200
        assert (answer.json["items"], answer.json["hasMore"], answer.json["total"]) == (
            [],
            False,
            0,
        )


def test_values_next_to_those_of_a_filter_are_not_found(listing):
    _made(listing)

    for query in BESIDE:
        body = listing.get(**query, include="total").json
        assert (body["items"], body["hasMore"], body["total"]) == ([], False, 0), query


def test_a_day_as_time_means_its_beginning_or_its_end(listing):
    """createdFrom and createdTo of the same day hold the whole day of UTC."""
    day = (START - timedelta(days=3)).replace(hour=0, minute=0, second=0, microsecond=0)
    inside = [
        listing.add(created_at=day),
        listing.add(created_at=day + timedelta(days=1, milliseconds=-1)),
    ]
    listing.add(created_at=day - timedelta(milliseconds=1))
    listing.add(created_at=day + timedelta(days=1))

    found = listing.ids(createdFrom=day.date(), createdTo=day.date(), sort="createdAt")
    assert found == inside


def test_the_invoice_of_a_transmission_is_found_in_each_order(listing):
    """By one transmission of its own, never by that of another tenant or an unknown one."""
    made = _made(listing)
    item = listing.get(number="ODD-1").json["items"][0]
    query = {"transactionId": item["transactionId"], "environment": "test"}

    for sort in ("createdAt", "-issueDate", "networkStatus", "party"):
        assert listing.ids(sort=sort, **query) == [made[2]], sort
    assert listing.ids(direction="received", **query) == []
    assert listing.ids(transactionId="txn_unknown") == []
    stranger = InvoiceListing(Caller(listing.caller.app))
    assert stranger.ids(transactionId=item["transactionId"]) == []


def test_the_participant_of_the_other_side_is_found_in_both_directions(listing):
    """Two participants at once are nobody; the own id is not the other side."""
    own, other = "0208:0403019261", "9925:BE0123456789"
    sent = listing.add(sender=own, receiver=other)
    received = listing.add(sender=other, receiver=own)
    listing.write(Invoice, Invoice.id, received, direction="received")

    assert listing.ids(participantId=other.lower()) == [received, sent]
    assert listing.ids(participantId=other, party=other.lower()) == [received, sent]
    assert listing.ids(participantId=other, party=own) == []
    assert listing.ids(participantId=own) == []


def test_received_ones_are_listed_as_such(listing):
    sent, received = listing.add(), listing.add()
    listing.write(Invoice, Invoice.id, received, direction="received")

    assert listing.ids(direction="received") == [received]
    assert listing.ids(direction="sent") == [sent]


@ONE_DATABASE
@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ({"limit": "0"}, "/limit", "out-of-range"),
        ({"limit": "201"}, "/limit", "out-of-range"),
        ({"limit": "1.0"}, "/limit", "wrong-type"),
        ({"limit": "١"}, "/limit", "wrong-type"),
        ({"limit": ["1", "1"]}, "/limit", "repeated"),
        ({"number": " "}, "/number", "blank"),
        ({"sort": "buyerName"}, "/sort", "unknown-code"),
        ({"include": "all"}, "/include", "unknown-code"),
        ({"direction": "both"}, "/direction", "unknown-code"),
        ({"networkStatus": "failed"}, "/networkStatus", "unknown-code"),
        ({"currency": "eur"}, "/currency", "unknown-code"),
        ({"issueDateFrom": "2026-02-30"}, "/issueDateFrom", "not-a-date"),
        ({"createdFrom": "2026-11-21T10:00:00"}, "/createdFrom", "not-a-moment"),
        ({"createdTo": "0001-01-01T00:00:00+14:00"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "soon"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "2026-W47-1"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "20261121T100000Z"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "2026-11-21T10Z"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "2026-11-21 10:00:00Z"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "2026-11-21T10:00:00.0123456789Z"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "2026-11-21T25:00:00Z"}, "/createdTo", "not-a-moment"),
        ({"receiverParticipantId": "9520000000004"}, "/receiverParticipantId", "wrong-form"),
        ({"cursor": "AAAA"}, "/cursor", "invalid-cursor"),
        ({"cursor": "not base64"}, "/cursor", "invalid-cursor"),
        ({"sellerId": "1"}, "/sellerId", "unknown-field"),
        ({"a/b": "1"}, "/a~1b", "unknown-field"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(listing, query, pointer, code):
    """Unknown ones too: a filter with a typing error must not list everything."""
    answer = listing.get(**query)
    errors = [(e["pointer"], e["code"]) for e in answer.json.get("errors", [])]

    assert (answer.status_code, errors) == (400, [(pointer, code)])
    assert answer.json["type"].endswith("/invalid-field")


@ONE_DATABASE
@pytest.mark.parametrize(
    "moment",
    [
        "2026-11-21",
        "2026-11-21T10:00Z",
        "2026-11-21T12:00:00+02:00",
        "2026-11-21T10:00:00.0000000Z",
        "2026-11-21T10:00:00.000000000Z",
    ],
)
def test_a_moment_has_up_to_nine_decimals(listing, moment):
    """.NET writes seven, Java and Go nine."""
    assert listing.get(createdTo=moment).status_code == 200


@ONE_DATABASE
@pytest.mark.parametrize(("limit", "status"), [("1", 200), ("200", 200), ("007", 200)])
def test_the_size_of_a_page_is_bounded(listing, limit, status):
    assert listing.get(limit=limit).status_code == status


def test_a_cursor_is_valid_for_one_query_of_one_tenant(listing, service):
    """A changed cursor, or one of other filters, another order or another tenant is refused."""
    for _ in range(3):
        listing.add()
    cursor = listing.get(limit=1, currency="EUR").json["nextCursor"]
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    live = Caller(service, Environment.LIVE, listing.caller.tenant)

    refused = [
        listing.get(cursor=changed, currency="EUR"),
        listing.get(cursor=cursor, currency="USD"),
        listing.get(cursor=cursor),
        listing.get(cursor=cursor, currency="EUR", sort="createdAt"),
        listing.get(cursor=cursor, currency="EUR", caller=Caller(service)),
        listing.get(cursor=cursor, currency="EUR", caller=live),
    ]
    assert {answer.json["errors"][0]["code"] for answer in refused} == {"invalid-cursor"}
    assert len(listing.ids(cursor=cursor, currency="EUR", limit=200)) == 2


def test_other_tenants_and_the_other_environment_are_not_listed(listing, service):
    listing.add()

    for stranger in (Caller(service), Caller(service, Environment.LIVE, listing.caller.tenant)):
        body = listing.get(stranger, include="total").json
        assert (body["items"], body["total"]) == ([], 0)


def test_the_scope_is_required(listing, service):
    sender = Caller(service, scopes=["invoices:send"])

    assert slug(listing.get(sender)) == "insufficient-scope"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize(
    "query",
    [
        {"currency": "SEK"},
        {"networkStatus": "Failed", "currency": "SEK"},
        {"networkStatus": "Failed", "receiverParticipantId": "0088:9520000000004"},
    ],
)
def test_a_filter_without_an_index_finds_all_on_several_short_pages(
    listing, monkeypatch, sort, query
):
    """A page examines a limited number of invoices; hasMore is true if there are others."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 4)
    found = []
    for number in range(13):
        invoice_id = listing.add(currency="SEK" if number in {0, 6, 12} else "EUR")
        if number in {0, 6, 12} or number % 2:
            listing.fail(invoice_id)
        if number in {0, 6, 12} or (number % 2 and "currency" not in query):
            found.append(invoice_id)
    pages = listing.walk(sort=sort, limit=2, **query)

    assert len(pages) > 1
    assert list(chain(*pages)) == (found if sort == "createdAt" else found[::-1])


@ONE_DATABASE
def test_the_query_is_documented_as_it_is_read(caller):
    """/openapi.json names every parameter with its meaning and its limits."""
    reported = caller.get("/openapi.json").json["paths"]["/api/invoices"]["get"]
    parameters = {p["name"]: p for p in reported["parameters"] if p.get("in") == "query"}

    assert {"limit", "cursor", "include", "sort", "q", "number", "createdFrom"} <= set(parameters)
    assert len(parameters) == 29
    assert all(p["description"] and not p["required"] for p in parameters.values())
    assert parameters["limit"]["schema"]["maximum"] == 200
    assert parameters["direction"]["schema"]["enum"] == ["sent", "received"]
