"""GET /api/invoices: filters, order, pages and cursors, on both databases."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import chain
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.services.directory import entries
from einvoice.store import db, lists
from einvoice.store.tables import Invoice, Transmission
from tests.builders import accepted
from tests.web.caller import Caller, slug

# What is refused before the database is asked is no matter of the database.
ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

START = clock.now() - timedelta(hours=1)
FIELDS = {
    "invoiceId", "environment", "transactionId", "direction", "number", "issueDate", "dueDate",
    "currency", "grandTotal", "supplierName", "buyerName", "senderParticipantId",
    "receiverParticipantId", "networkStatus", "failureReason", "shared", "createdAt", "updatedAt",
    "supplierId", "glAccountCode", "processedAt", "processedBy",
}  # fmt: skip


class Desk:
    """A tenant's own invoices, each accepted a second after the one before."""

    def __init__(self, caller) -> None:
        self.caller, self.count = caller, 0

    def add(self, **fields) -> str:
        self.count += 1
        at = START + timedelta(seconds=self.count)
        with self.caller.app.app_context():
            return accepted(self.caller.tenant, **({"created_at": at} | fields)).invoice_id

    def get(self, caller=None, **query):
        return (caller or self.caller).get(f"/api/invoices?{urlencode(query, doseq=True)}")

    def ids(self, **query) -> list[str]:
        answer = self.get(**query)
        assert answer.status_code == 200, answer.json
        return [item["invoiceId"] for item in answer.json["items"]]

    def walk(self, **query) -> list[list[str]]:
        """Every page until hasMore is false."""
        pages, cursor = [], {}
        while True:
            body = self.get(**query, **cursor).json
            pages.append([item["invoiceId"] for item in body["items"]])
            assert body["hasMore"] is (body["nextCursor"] is not None)
            if not body["hasMore"]:
                return pages
            cursor = {"cursor": body["nextCursor"]}

    def write(self, table, column, invoice_id, **values) -> None:
        with self.caller.app.app_context(), db.writing() as connection:
            connection.execute(sa.update(table).where(column == invoice_id).values(values))

    def fail(self, invoice_id) -> None:
        failed = {"status": "Failed", "reason": "because", "settled_at": clock.now()}
        self.write(Transmission, Transmission.invoice_id, invoice_id, **failed)


@pytest.fixture
def desk(caller) -> Desk:
    return Desk(caller)


def test_an_item_has_the_fields_of_the_contract_and_no_others(desk):
    """Decisions 5, to the letter; the answer names the provider."""
    invoice_id = desk.add(due_date=date(2026, 12, 21))
    body = desk.get().json
    item = body["items"][0]

    assert set(body) == {"items", "nextCursor", "hasMore", "provider"}
    assert set(item) == FIELDS
    assert item["invoiceId"] == invoice_id
    assert (item["grandTotal"], item["dueDate"]) == (121.00, "2026-12-21")
    assert (item["networkStatus"], item["failureReason"]) == ("Processing", None)
    assert item["createdAt"] == item["updatedAt"] == clock.timestamp(START + timedelta(seconds=1))


def test_newest_first_unless_asked_otherwise(desk):
    made = [desk.add() for _ in range(3)]

    assert desk.ids() == desk.ids(sort="-createdAt") == made[::-1]
    assert desk.ids(sort="createdAt") == made


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize(("count", "pages"), [(0, [0]), (3, [3]), (4, [3, 1]), (6, [3, 3])])
def test_pages_hold_everything_once(desk, sort, count, pages):
    """In order, none twice, none left out; also where many were accepted in one millisecond."""
    for _ in range(count):
        desk.add(created_at=START)
    walked = desk.walk(sort=sort, limit=3)

    assert [len(page) for page in walked] == pages
    assert sorted(chain(*walked)) == sorted(desk.ids())


def test_what_arrives_while_paging_does_not_shift_the_pages(desk):
    made = [desk.add() for _ in range(4)]
    first = desk.get(limit=2).json
    desk.add()
    second = desk.get(limit=2, cursor=first["nextCursor"]).json

    assert [item["invoiceId"] for item in second["items"]] == made[1::-1]


def _made(desk):
    """Four invoices; the one at index 2 is another in every way."""
    made = [desk.add() for _ in range(2)]
    made.append(
        desk.add(
            number="ODD-1", currency="SEK", sender="0007:5567212047", receiver="9925:BE0123456789",
            issue_date=date(2026, 1, 31), supplier_name="Björk AB", buyer_name="100% Café",
            created_at=START + timedelta(minutes=10),
        )
    )  # fmt: skip
    desk.fail(made[2])
    made.append(desk.add(created_at=START + timedelta(minutes=20)))
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


def test_each_filter_finds_what_it_names(desk):
    """And only that; filters together mean all of them."""
    made = _made(desk)

    for query in FOUND:
        body = desk.get(**query, include="total").json
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


def _customer(desk, tenant=None, **said):
    with desk.caller.app.app_context():
        return entries.create(CUSTOMER, tenant or desk.caller.tenant, said).id


def test_a_customers_invoices_are_told_by_what_the_directory_knows(desk):
    """By participant id or tax id; by name only where there is neither."""
    signs = {"receiver": "9925:BE0123456789", "buyer_tax_id": "BE 0123.456.789"}
    theirs = [desk.add(**{name: value}) for name, value in signs.items()]
    named = desk.add(buyer_name="Plain Ltd")
    desk.write(Invoice, Invoice.id, desk.add(**signs), direction="received")
    known = _customer(desk, name="Plain Ltd", tax_id="be0123456789",
                      peppol_id="9925:be0123456789")  # fmt: skip
    unknown = _customer(desk, name="PLAIN LTD", external_id="2")

    assert desk.ids(customerId=known) == theirs[::-1]
    assert desk.ids(customerId=unknown) == [named]


def test_the_customer_of_another_tenant_is_none(desk):
    stranger = Caller(desk.caller.app).tenant
    answer = desk.get(customerId=_customer(desk, stranger, name="Elsewhere"))

    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_nothing_is_found_just_beside(desk):
    _made(desk)

    for query in BESIDE:
        body = desk.get(**query, include="total").json
        assert (body["items"], body["hasMore"], body["total"]) == ([], False, 0), query


def test_a_day_as_moment_means_its_beginning_or_its_end(desk):
    """createdFrom and createdTo of the same day hold the whole day of UTC."""
    day = (START - timedelta(days=3)).replace(hour=0, minute=0, second=0, microsecond=0)
    inside = [
        desk.add(created_at=day),
        desk.add(created_at=day + timedelta(days=1, milliseconds=-1)),
    ]
    desk.add(created_at=day - timedelta(milliseconds=1))
    desk.add(created_at=day + timedelta(days=1))

    found = desk.ids(createdFrom=day.date(), createdTo=day.date(), sort="createdAt")
    assert found == inside


def test_received_ones_are_listed_as_such(desk):
    sent, received = desk.add(), desk.add()
    desk.write(Invoice, Invoice.id, received, direction="received")

    assert desk.ids(direction="received") == [received]
    assert desk.ids(direction="sent") == [sent]


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
        ({"sort": "number"}, "/sort", "unknown-code"),
        ({"include": "all"}, "/include", "unknown-code"),
        ({"direction": "both"}, "/direction", "unknown-code"),
        ({"networkStatus": "failed"}, "/networkStatus", "unknown-code"),
        ({"currency": "eur"}, "/currency", "unknown-code"),
        ({"issueDateFrom": "2026-02-30"}, "/issueDateFrom", "not-a-date"),
        ({"createdFrom": "2026-11-21T10:00:00"}, "/createdFrom", "not-a-moment"),
        ({"createdTo": "0001-01-01T00:00:00+14:00"}, "/createdTo", "not-a-moment"),
        ({"createdTo": "soon"}, "/createdTo", "not-a-moment"),
        ({"receiverParticipantId": "9520000000004"}, "/receiverParticipantId", "wrong-form"),
        ({"cursor": "AAAA"}, "/cursor", "invalid-cursor"),
        ({"cursor": "not base64"}, "/cursor", "invalid-cursor"),
        ({"supplierId": "1"}, "/supplierId", "unknown-field"),
        ({"a/b": "1"}, "/a~1b", "unknown-field"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(desk, query, pointer, code):
    """Unknown ones too: a filter with a typing error must not list everything."""
    answer = desk.get(**query)
    errors = [(e["pointer"], e["code"]) for e in answer.json.get("errors", [])]

    assert (answer.status_code, errors) == (400, [(pointer, code)])
    assert answer.json["type"].endswith("/invalid-field")


@ONE_DATABASE
@pytest.mark.parametrize(("limit", "status"), [("1", 200), ("200", 200), ("007", 200)])
def test_limits_just_inside(desk, limit, status):
    assert desk.get(limit=limit).status_code == status


def test_a_cursor_serves_one_question_of_one_tenant(desk, service):
    """Changed, of other filters, of another order or of somebody else: refused alike."""
    for _ in range(3):
        desk.add()
    cursor = desk.get(limit=1, currency="EUR").json["nextCursor"]
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    live = Caller(service, Environment.LIVE, desk.caller.tenant)

    refused = [
        desk.get(cursor=changed, currency="EUR"),
        desk.get(cursor=cursor, currency="USD"),
        desk.get(cursor=cursor),
        desk.get(cursor=cursor, currency="EUR", sort="createdAt"),
        desk.get(cursor=cursor, currency="EUR", caller=Caller(service)),
        desk.get(cursor=cursor, currency="EUR", caller=live),
    ]
    assert {answer.json["errors"][0]["code"] for answer in refused} == {"invalid-cursor"}
    assert len(desk.ids(cursor=cursor, currency="EUR", limit=200)) == 2


def test_other_tenants_and_the_other_environment_are_not_listed(desk, service):
    desk.add()

    for stranger in (Caller(service), Caller(service, Environment.LIVE, desk.caller.tenant)):
        body = desk.get(stranger, include="total").json
        assert (body["items"], body["total"]) == ([], 0)


def test_the_scope_is_demanded(desk, service):
    sender = Caller(service, scopes=["invoices:send"])

    assert slug(desk.get(sender)) == "insufficient-scope"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize(
    "query",
    [
        {"currency": "SEK"},
        {"networkStatus": "Failed", "currency": "SEK"},
        {"networkStatus": "Failed", "receiverParticipantId": "0088:9520000000004"},
    ],
)
def test_a_rare_find_takes_several_short_pages_but_none_is_lost(desk, monkeypatch, sort, query):
    """A page examines so many invoices and no more; hasMore says that there are others."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 4)
    found = []
    for number in range(13):
        invoice_id = desk.add(currency="SEK" if number in {0, 6, 12} else "EUR")
        if number in {0, 6, 12} or number % 2:
            desk.fail(invoice_id)
        if number in {0, 6, 12} or (number % 2 and "currency" not in query):
            found.append(invoice_id)
    pages = desk.walk(sort=sort, limit=2, **query)

    assert len(pages) > 1
    assert list(chain(*pages)) == (found if sort == "createdAt" else found[::-1])


@ONE_DATABASE
def test_the_query_is_documented_as_it_is_read(caller):
    """/openapi.json names every parameter with its meaning and its limits."""
    told = caller.get("/openapi.json").json["paths"]["/api/invoices"]["get"]
    parameters = {p["name"]: p for p in told["parameters"] if p.get("in") == "query"}

    assert {"limit", "cursor", "include", "sort", "q", "number", "createdFrom"} <= set(parameters)
    assert len(parameters) == 18
    assert all(p["description"] and not p["required"] for p in parameters.values())
    assert parameters["limit"]["schema"]["maximum"] == 200
    assert parameters["direction"]["schema"]["enum"] == ["sent", "received"]
