"""/api/customers and /api/suppliers over HTTP: decisions 2, 3, 19.12, 19.13, 19.16."""

from __future__ import annotations

import csv
import io
import json
import uuid
from datetime import timedelta
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.services.directory.csv_import import MAX_BYTES
from einvoice.services.participants import reachability
from einvoice.share import Limit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
BOTH = pytest.mark.parametrize("kind", ["customer", "supplier"])
COMMON = {
    "externalId", "name", "taxId", "peppolId", "countryCode", "email", "phone", "address",
    "networkStatus", "networkCheckedAt", "source", "createdAt", "updatedAt",
}  # fmt: skip
FIELDS = {
    "customer": COMMON
    | {"customerId", "defaultCurrencyCode", "defaultPaymentTermsDays", "buyerReference"},
    "supplier": COMMON | {"supplierId", "defaultGlAccountCode"},
}
# As the contract prints them.
CUSTOMER = {
    "name": "Example Company BV", "taxId": "BE0123456749", "peppolId": "0208:0123456749",
    "defaultCurrencyCode": "EUR", "defaultPaymentTermsDays": 30, "countryCode": "BE",
}  # fmt: skip
SUPPLIER = {
    "name": "Acme NV", "taxId": "BE0403019261", "countryCode": "BE",
    "defaultGlAccountCode": "612000", "networkStatus": "Reachable",
}  # fmt: skip
GIVEN = {"customer": CUSTOMER, "supplier": SUPPLIER}


@pytest.fixture
def dashboard(service) -> Dashboard:
    return Dashboard(service, role=Role.MEMBER)


def add(dashboard, kind="customer", **fields):
    answer = dashboard.post(f"/api/{kind}s", {"name": "N", "countryCode": "BE"} | fields)
    assert answer.status_code == 201, answer.text
    return answer.json


def upload(dashboard, content, kind="customer", query="", name="file"):
    """A form with one file, as a browser sends it."""
    raw = content if isinstance(content, bytes) else content.encode()
    head = f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="x.csv"\r\n\r\n'
    form = "multipart/form-data; boundary=x"
    path = f"/api/{kind}s/import{query}"
    return dashboard.call(
        "POST", path, data=head.encode() + raw + b"\r\n--x--\r\n", Content_Type=form
    )


def look_up(dashboard):
    """Carry out the due lookups, as a worker does."""
    with dashboard.app.app_context():
        rows = outbox.claim(outbox.CHORES, dashboard.tenant, 100, token="t", now=clock.now(),
                            lease=timedelta(seconds=60))  # fmt: skip
        reachability.check([row.id for row in rows], "t", runtime_of(dashboard.app))


# -- one entry -------------------------------------------------------------------------------------


@BOTH
def test_a_record_has_the_fields_of_the_contract_and_no_others(dashboard, kind):
    """201 with Location and the record; absent values are null, never missing."""
    answer = dashboard.post(f"/api/{kind}s", GIVEN[kind])
    record = answer.json
    entry_id = record[f"{kind}Id"]

    assert (answer.status_code, set(record)) == (201, FIELDS[kind])
    assert answer.headers["Location"] == f"/api/{kind}s/{entry_id}"
    assert record.items() >= GIVEN[kind].items()
    assert (record["source"], record["email"], record["address"]) == ("manual", None, None)
    found = dashboard.get(answer.headers["Location"])
    assert (found.json, found.headers["ETag"]) == (record, answer.headers["ETag"])


@BOTH
def test_email_phone_external_id_and_address_are_stored(dashboard, kind):
    said = {"email": "a@b", "phone": "+32", "externalId": "K", "address": {"city": "Gent"}}
    record = add(dashboard, kind, **said)

    members = ("line1", "line2", "line3", "city", "postalCode", "region", "countryCode")
    whole = dict.fromkeys(members)
    expected = said | {"address": whole | {"city": "Gent"}}
    assert {name: record[name] for name in said} == expected


def test_a_participant_is_looked_up_in_the_background(dashboard):
    record = add(dashboard, peppolId=RECEIVER)
    address = f"/api/customers/{record['customerId']}"
    assert (record["networkStatus"], record["networkCheckedAt"]) == ("Checking", None)
    look_up(dashboard)
    looked_up = dashboard.get(address).json
    assert looked_up["networkStatus"] == "Reachable"
    assert looked_up["networkCheckedAt"] is not None
    changed = dashboard.patch(address, {"peppolId": "0088:9520000000080"}).json
    assert (changed["networkStatus"], changed["networkCheckedAt"]) == ("Checking", None)
    look_up(dashboard)

    assert dashboard.get(address).json["networkStatus"] == "NotReachable"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("kind", "body", "errors"),
    [
        ("customer", {}, [("/name", "required")]),
        ("supplier", {}, [("/name", "required"), ("/countryCode", "required")]),
        ("supplier", {"name": "A", "countryCode": ""}, [("/countryCode", "unknown-code")]),
        ("customer", {"name": " "}, [("/name", "blank")]),
        ("customer", {"name": "x" * 513}, [("/name", "too-long")]),
        ("customer", {"name": "A", "peppolId": "208:1"}, [("/peppolId", "wrong-form")]),
        ("customer", {"name": "A", "countryCode": "UK"}, [("/countryCode", "unknown-code")]),
        ("customer", {"name": "A", "email": "ab"}, [("/email", "wrong-form")]),
        (
            "customer",
            {"name": "A", "defaultPaymentTermsDays": 366, "defaultCurrencyCode": "KRO"},
            [
                ("/defaultCurrencyCode", "unknown-code"),
                ("/defaultPaymentTermsDays", "out-of-range"),
            ],
        ),
        (
            "customer",
            {"name": "A", "defaultPaymentTermsDays": -1},
            [("/defaultPaymentTermsDays", "out-of-range")],
        ),
        (
            "customer",
            {"name": "A", "defaultPaymentTermsDays": "30"},
            [("/defaultPaymentTermsDays", "wrong-type")],
        ),
        ("customer", {"name": "A", "networkStatus": "X"}, [("/networkStatus", "unknown-field")]),
        (
            "supplier",
            {**SUPPLIER, "networkStatus": "X"},
            [("/networkStatus", "unknown-code")],
        ),
        ("supplier", SUPPLIER | {"buyerReference": "X"}, [("/buyerReference", "unknown-field")]),
        ("customer", {"name": "A", "address": {"town": "X"}}, [("/address/town", "unknown-field")]),
    ],
)
def test_errors_are_reported_by_field(dashboard, kind, body, errors):
    answer = dashboard.post(f"/api/{kind}s", body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == errors


@BOTH
def test_a_tax_id_in_use_is_refused_with_the_id_of_its_entry(dashboard, kind):
    first = add(dashboard, kind, taxId="BE 0123.456.749")
    answer = dashboard.post(f"/api/{kind}s", GIVEN[kind] | {"taxId": "be0123456749"})

    assert (answer.status_code, slug(answer)) == (409, f"duplicate-{kind}")
    assert answer.json["existingId"] == first[f"{kind}Id"]
    assert answer.json["field"] == "taxId"


@ONE_DATABASE
@pytest.mark.parametrize(("kind", "status"), [("customer", 201), ("supplier", 409)])
def test_a_participant_id_belongs_to_one_supplier_and_to_any_number_of_customers(
    dashboard, kind, status
):
    first = add(dashboard, kind, peppolId="9915:Abc")
    answer = dashboard.post(f"/api/{kind}s", GIVEN[kind] | {"peppolId": "9915:abc"})

    assert answer.status_code == status
    if status == 409:
        assert slug(answer) == "duplicate-supplier"
        assert (answer.json["existingId"], answer.json["field"]) == (
            first["supplierId"],
            "peppolId",
        )


@BOTH
def test_two_entries_are_merged_into_the_one_in_the_path(dashboard, kind):
    kept = add(dashboard, kind, email="a@b")[f"{kind}Id"]
    other = add(dashboard, kind, email="c@d", taxId="A1", phone="1")[f"{kind}Id"]
    answer = dashboard.post(f"/api/{kind}s/{kept}/merge", {"otherId": other})

    assert answer.status_code == 200
    assert [answer.json[n] for n in (f"{kind}Id", "email", "taxId", "phone")] == [
        kept, "a@b", "A1", "1",
    ]  # fmt: skip
    assert answer.headers["ETag"] == '"2"'
    assert dashboard.get(f"/api/{kind}s/{other}").status_code == 404
    again = dashboard.post(f"/api/{kind}s/{kept}/merge", {"otherId": other})
    itself = dashboard.post(f"/api/{kind}s/{kept}/merge", {"otherId": kept})
    nothing = dashboard.post(f"/api/{kind}s/{kept}/merge", {})
    assert (slug(again), slug(itself), slug(nothing)) == ("not-found", "conflict", "invalid-field")


@ONE_DATABASE
def test_a_send_that_several_customers_match_takes_the_defaults_of_none(dashboard):
    """Not silently those of the oldest: a warning names them."""
    for name, reference in (("One", "R-1"), ("Two", "R-2")):
        add(dashboard, "customer", name=name, peppolId=RECEIVER, buyerReference=reference)
    caller = Caller(dashboard.app, tenant=dashboard.tenant)
    answer = caller.send(caller.body(buyerReference=None, dueDate=None))
    warnings = {w["code"]: w for w in answer.json["warnings"]}

    assert {"customer-ambiguous", "buyer-reference-defaulted", "due-date-missing"} <= set(warnings)
    assert "One (" in warnings["customer-ambiguous"]["message"]
    assert warnings["customer-ambiguous"]["field"] == "invoice.buyer"


# -- changes ---------------------------------------------------------------------------------------


@BOTH
def test_a_patch_merges(dashboard, kind):
    """RFC 7396: null removes, inside the address too; what is not named stays."""
    record = add(dashboard, kind, email="a@b", phone="1", address={"city": "Gent", "line1": "X"})
    address = f"/api/{kind}s/{record[f'{kind}Id']}"
    patch = {"email": None, "phone": "2", "address": {"line1": None, "region": "R"}}
    changed = dashboard.patch(address, patch).json

    assert (changed["name"], changed["email"], changed["phone"]) == ("N", None, "2")
    kept = {name: value for name, value in changed["address"].items() if value}
    assert kept == {"city": "Gent", "region": "R"}
    assert dashboard.patch(address, {"address": None}).json["address"] is None


@ONE_DATABASE
@pytest.mark.parametrize(
    ("kind", "patch", "code"),
    [
        ("customer", {"name": None}, "required"),
        ("customer", {"name": " "}, "blank"),
        ("supplier", {"countryCode": None}, "required"),
        ("supplier", {"countryCode": ""}, "blank"),
        ("customer", {"customerId": "x"}, "unknown-field"),
        ("customer", {"source": None}, "unknown-field"),
        ("customer", {"defaultPaymentTermsDays": 1.5}, "wrong-type"),
    ],
)
def test_a_patch_cannot_make_a_record_invalid(dashboard, kind, patch, code):
    entry_id = add(dashboard, kind)[f"{kind}Id"]
    answer = dashboard.patch(f"/api/{kind}s/{entry_id}", patch)

    assert [e["code"] for e in answer.json["errors"]] == [code]


def test_a_change_of_an_older_version_is_refused(dashboard):
    """By ETag and If-Match; a lookup does not change the version."""
    record = dashboard.post("/api/customers", {"name": "A", "peppolId": RECEIVER})
    address, seen = record.headers["Location"], record.headers["ETag"]
    look_up(dashboard)
    changed = dashboard.patch(address, {"name": "B"}, If_Match=seen)
    assert (changed.status_code, changed.headers["ETag"] != seen) == (200, True)

    odd = ('"x"', '""', f'"{"9" * 5000}"')
    for stale in (seen, *odd, "W/" + changed.headers["ETag"]):
        assert (
            slug(dashboard.patch(address, {"name": "C"}, If_Match=stale)) == "precondition-failed"
        )
        assert dashboard.delete(address, If_Match=stale).status_code == 412
    assert dashboard.get(address).json["name"] == "B"
    many = f'"9", {changed.headers["ETag"]}'
    assert dashboard.patch(address, {"name": "C"}, If_Match=many).status_code == 200
    assert dashboard.delete(address, If_Match="*").status_code == 204


@BOTH
def test_a_deleted_record_is_not_found(dashboard, kind):
    address = f"/api/{kind}s/{add(dashboard, kind)[f'{kind}Id']}"

    assert (dashboard.delete(address).status_code, dashboard.delete(address).status_code) == (
        204,
        404,
    )
    assert slug(dashboard.get(address)) == "not-found"


def test_every_change_is_in_the_audit_log(dashboard):
    record = add(dashboard)
    address = f"/api/customers/{record['customerId']}"
    dashboard.patch(address, {"phone": "1"})
    dashboard.delete(address)
    upload(dashboard, "Name\nA\n")
    query = sa.select(AuditEntry.action, AuditEntry.actor).order_by(AuditEntry.sequence)
    with dashboard.app.app_context(), db.reading() as connection:
        found = connection.execute(query.where(AuditEntry.tenant_id == dashboard.tenant))
        noted = [tuple(row) for row in found]

    actions = ["customer.created", "customer.changed", "customer.deleted", "customer.imported"]
    assert noted == [(action, "ann") for action in actions]


# -- lists -----------------------------------------------------------------------------------------


@BOTH
def test_pages_follow_each_other_in_every_order(dashboard, kind):
    for name in ("delta", "Alpha", "charlie", "Bravo", "écho"):
        add(dashboard, kind, name=name)
    for sort, expected in {
        "name": ["Alpha", "Bravo", "charlie", "delta", "écho"],
        "-name": ["écho", "delta", "charlie", "Bravo", "Alpha"],
    }.items():
        found, cursor = [], {}
        while True:
            query = urlencode({"limit": 2, "sort": sort, **cursor})
            body = dashboard.get(f"/api/{kind}s?{query}").json
            found += [item["name"] for item in body["items"]]
            if not body["hasMore"]:
                break
            cursor = {"cursor": body["nextCursor"]}
        assert found == expected

    body = dashboard.get(f"/api/{kind}s?include=total&limit=1").json
    assert set(body) == {"items", "nextCursor", "hasMore", "total", "provider"}
    assert (body["total"], set(body["items"][0])) == (5, FIELDS[kind])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "acme"}, ["Acme"]),
        ({"taxId": "be-1"}, ["Acme"]),
        ({"peppolId": RECEIVER}, ["Acme"]),
        ({"countryCode": "NL"}, ["Other"]),
        ({"externalId": "K-1"}, ["Acme"]),
        ({"externalId": "k-1"}, []),
        ({"networkStatus": "Checking"}, ["Acme"]),
        ({"updatedSince": "2026-01-01"}, ["Acme", "Other"]),
        ({"updatedSince": "2099-01-01"}, []),
        ({"q": "acme", "countryCode": "NL"}, []),
    ],
)
def test_filters_are_joined_by_and(dashboard, query, found):
    add(dashboard, name="Acme", taxId="BE 1", peppolId=RECEIVER, externalId="K-1")
    add(dashboard, name="Other", countryCode="NL")
    body = dashboard.get(f"/api/customers?{urlencode(query | {'sort': 'name'})}").json

    assert [item["name"] for item in body["items"]] == found


def test_a_cursor_serves_one_list(dashboard, service):
    for name in ("A", "B", "C"):
        add(dashboard, name=name)
        add(dashboard, "supplier", name=name)
    cursor = dashboard.get("/api/customers?limit=1&sort=name").json["nextCursor"]

    for stranger, path in [
        (dashboard, f"/api/customers?limit=1&sort=-name&cursor={cursor}"),
        (dashboard, f"/api/customers?limit=1&cursor={cursor}"),
        (dashboard, f"/api/suppliers?limit=1&sort=name&cursor={cursor}"),
        (Dashboard(service), f"/api/customers?limit=1&sort=name&cursor={cursor}"),
    ]:
        assert stranger.get(path).json["errors"][0]["code"] == "invalid-cursor"


def test_a_long_name_fits_a_cursor(dashboard):
    for letter in "ab":
        add(dashboard, name=letter + "語" * 511)
    cursor = dashboard.get("/api/customers?limit=1&sort=name").json["nextCursor"]
    body = dashboard.get(f"/api/customers?limit=1&sort=name&cursor={cursor}").json

    assert body["items"][0]["name"][0] == "b"


# -- seeding and files -----------------------------------------------------------------------------


def test_customers_are_seeded_from_sent_invoices(service):
    """Ten invoices of one new buyer: 1, 0, 1; again: 0, 1, 1 (decisions 19.12)."""
    caller = Caller(service)
    dashboard = Dashboard(service, caller.tenant)
    buyer = {"name": "Buyer BV", "taxId": "BE 0403.019.261", "address": {"countryCode": "BE"}}
    for _ in range(10):
        caller.sent(buyer=buyer)

    assert dashboard.post("/api/customers/seed-from-invoices").json == {
        "created": 1, "skipped": 0, "total": 1,
    }  # fmt: skip
    assert dashboard.post("/api/customers/seed-from-invoices?environment=test").json == {
        "created": 0, "skipped": 1, "total": 1,
    }  # fmt: skip
    (entry,) = dashboard.get("/api/customers").json["items"]
    assert (entry["name"], entry["taxId"], entry["source"]) == (
        "Buyer BV", "BE 0403.019.261", "seed",
    )  # fmt: skip
    assert (entry["peppolId"], entry["countryCode"]) == (RECEIVER, "BE")
    assert dashboard.post("/api/suppliers/seed-from-invoices").json == {
        "created": 0, "skipped": 0, "total": 0,
    }  # fmt: skip
    live = dashboard.post("/api/customers/seed-from-invoices?environment=live")
    assert live.json["total"] == 0


def test_an_import_reports_its_rows(dashboard):
    content = "Name;PeppolId;Colour\nA;0208:1;red\nB;208:12;\nA;;\n"
    body = upload(dashboard, content).json

    assert body == {
        "created": 1, "skipped": 1, "failed": 1, "total": 3, "dryRun": False,
        "errors": [
            {
                "row": 3, "column": "PeppolId", "code": "invalid-participant-id",
                "message": "is not of the form <4-digit scheme>:<identifier>", "value": "208:12",
            }
        ],
        "errorsTruncated": False,
        "warnings": [
            {"code": "column-ignored", "column": "Colour",
             "message": "is not a column of this import"}
        ],
        "encoding": "utf-8", "provider": "eInvoice",
    }  # fmt: skip
    (entry,) = dashboard.get("/api/customers").json["items"]
    assert (entry["source"], entry["networkStatus"]) == ("import", "Checking")


def test_dry_and_atomic_runs_store_nothing_of_a_wrong_file(dashboard):
    content = "CompanyName,CountryCode,TaxId\nA,BE,1\nB,BE,\n"
    dry = upload(dashboard, content, "supplier", "?dryRun=true").json
    atomic = upload(dashboard, content, "supplier", "?atomic=true")

    assert (dry["created"], dry["failed"], dry["dryRun"]) == (1, 1, True)
    assert (atomic.status_code, slug(atomic)) == (400, "csv-invalid")
    assert atomic.json["errors"] == dry["errors"]
    assert dashboard.get("/api/suppliers").json["items"] == []


@ONE_DATABASE
@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (b"Name\nA", {"name": "datei"}, "missing-file"),
        (b"Name\n\x81", {}, "csv-unreadable"),
        (b"TaxId\n1", {}, "csv-missing-columns"),
        (b"Name" + b"," * 100 + b"\nA", {}, "csv-too-many-columns"),
        (b"Name\n" + b"A\n" * 10_001, {}, "csv-too-many-rows"),
        (lambda: b"Name\n" + b" " * MAX_BYTES, {}, "file-too-large"),
        (lambda: b"Name\n" + b" " * (12 * 2**20 + 1), {}, "file-too-large"),
    ],
    ids=[
        "another name", "unreadable", "without a column", "columns", "rows", "above the limit",
        "above that of bodies",
    ],
)  # fmt: skip
def test_an_unusable_file_is_refused(dashboard, content, options, expected):
    answer = upload(dashboard, content() if callable(content) else content, **options)

    assert slug(answer) == expected
    assert answer.status_code == (413 if expected == "file-too-large" else 400)


@ONE_DATABASE
@pytest.mark.parametrize(("others", "status"), [(999, 200), (1000, 413)])
def test_a_file_among_too_many_parts_is_refused_for_them(dashboard, others, status):
    """Not for its size: the body is far below the limit."""
    head = "--x\r\nContent-Disposition: form-data; name="
    form = f'{head}"other"\r\n\r\n1\r\n' * others
    form += f'{head}"file"; filename="x.csv"\r\n\r\nName\nA\r\n--x--\r\n'
    answer = dashboard.call("POST", "/api/customers/import", data=form.encode(),
                            Content_Type="multipart/form-data; boundary=x")  # fmt: skip

    assert answer.status_code == status
    if status == 413:
        assert answer.json["detail"].startswith("The form has more than 1,000 parts, or a field")


@ONE_DATABASE
def test_a_second_file_is_refused(dashboard):
    """It would otherwise be lost silently."""
    head = '--x\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'
    answer = upload(dashboard, f"Name\nA\r\n{head}Name\nB")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/file"]
    assert dashboard.get("/api/customers").json["items"] == []


@ONE_DATABASE
def test_only_a_form_is_accepted(dashboard):
    answer = dashboard.call(
        "POST", "/api/customers/import", data=b"Name\nA", Content_Type="text/csv"
    )

    assert (answer.status_code, slug(answer)) == (415, "unsupported-media-type")
    wrong = upload(dashboard, "Name\nA", query="?dryRun=yes")
    assert slug(wrong) == "invalid-field"


def test_an_export_imports_again_without_change(dashboard, service):
    add(dashboard, name="=cmd()", phone="+32 9", taxId="1", email="a@b", defaultPaymentTermsDays=0)
    add(dashboard, name='"Quoted, ; "', countryCode="NL")
    answer = dashboard.get("/api/customers/export")
    assert answer.content_type.startswith("text/csv; charset=utf-8")
    assert 'filename="customers.csv"' in answer.headers["Content-Disposition"]
    cells = [cell for row in csv.reader(io.StringIO(answer.text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@")]
    again = upload(dashboard, answer.data).json
    assert (again["created"], again["skipped"], again["failed"]) == (0, 2, 0)
    other = Dashboard(service)
    assert upload(other, answer.data).json["created"] == 2

    assert other.get("/api/customers/export").data == answer.data


# -- invoices --------------------------------------------------------------------------------------


def test_the_defaults_of_a_customer_merge_into_a_send(service):
    """The merged body is accepted, with the due date of the payment terms."""
    caller = Caller(service)
    dashboard = Dashboard(service, caller.tenant)
    record = add(
        dashboard, name="Buyer BV", peppolId=RECEIVER, defaultCurrencyCode="EUR",
        email="ap@b.example", defaultPaymentTermsDays=30, buyerReference="PO-9",
        address={"city": "Gent"},
    )  # fmt: skip
    look_up(dashboard)
    path = f"/api/customers/{record['customerId']}/invoice-defaults?issueDate=2026-11-21"
    body = dashboard.get(path).json
    assert (body["peppolId"], body["currency"]) == (RECEIVER, "EUR")
    assert (body["paymentTermsDays"], body["dueDate"]) == (30, "2026-12-21")
    assert (body["networkStatus"], body["environment"]) == ("Reachable", "test")
    ready = caller.body()
    for name in ("buyer", "currency", "issueDate", "dueDate", "buyerReference"):
        ready["invoice"].pop(name, None)
    for name in ("receiverParticipantId", "accessPointRef"):
        del ready["routing"][name]
    for part in ("invoice", "routing"):
        ready[part] |= body["send"][part]

    assert caller.send(ready).status_code == 200


def test_an_entry_without_values_has_null_defaults(dashboard):
    entry_id = add(dashboard, countryCode=None)["customerId"]
    body = dashboard.get(f"/api/customers/{entry_id}/invoice-defaults").json

    today = clock.today().isoformat()
    assert body["send"] == {"invoice": {"issueDate": today, "buyer": {"name": "N"}}, "routing": {}}
    assert (body["dueDate"], body["paymentTermsDays"], body["taxId"]) == (None, None, None)


def test_the_defaults_of_a_supplier_name_its_account(dashboard):
    entry_id = add(dashboard, "supplier", defaultGlAccountCode="612000")["supplierId"]
    body = dashboard.get(f"/api/suppliers/{entry_id}/invoice-defaults?issueDate=2026-11-21").json

    assert (body["glAccountCode"], body["issueDate"]) == ("612000", "2026-11-21")
    wrong = dashboard.get(f"/api/suppliers/{entry_id}/invoice-defaults?issueDate=2026-13-01")
    assert slug(wrong) == "invalid-field"


def ubl(caller, invoice_id):
    items = caller.get(f"/api/invoices/{invoice_id}/artefacts?type=UBL").json["items"]
    return caller.get(f"/api/invoices/{invoice_id}/artefacts/{items[0]['artefactId']}").text


@pytest.mark.parametrize("by", ["peppolId", "taxId", "name"])
def test_a_send_takes_missing_values_from_the_directory(service, by):
    """Reference and due date (decisions 17.8, 17.9, 19.16), and no warnings any more."""
    caller = Caller(service)
    ways = {"peppolId": RECEIVER, "taxId": "BE0403019261", "name": "BUYER  bv"}
    said = {by: ways[by], "defaultPaymentTermsDays": 14, "buyerReference": "From the directory"}
    add(Dashboard(service, caller.tenant), **said)
    body = caller.body()
    body["invoice"]["buyer"]["taxId"] = "BE 0403.019.261"
    for name in ("dueDate", "buyerReference"):
        del body["invoice"][name]
    answer = caller.send(body)

    assert answer.status_code == 200, answer.text
    assert not {w["code"] for w in answer.json.get("warnings", ())} & {
        "buyer-reference-defaulted", "due-date-missing",
    }  # fmt: skip
    document = ubl(caller, answer.json["invoiceId"])
    assert "<cbc:BuyerReference>From the directory</cbc:BuyerReference>" in document
    assert "<cbc:DueDate>2026-12-05</cbc:DueDate>" in document


def test_values_of_a_send_take_precedence_over_the_directory(service):
    caller = Caller(service)
    said = {"peppolId": RECEIVER, "defaultPaymentTermsDays": 14, "buyerReference": "Directory"}
    add(Dashboard(service, caller.tenant), **said)
    document = ubl(caller, caller.sent())

    assert "<cbc:BuyerReference>PO-1</cbc:BuyerReference>" in document
    assert "<cbc:DueDate>2026-12-21</cbc:DueDate>" in document


# -- who may ---------------------------------------------------------------------------------------


@ONE_DATABASE
@BOTH
def test_viewers_read_and_members_write(service, kind):
    viewer = Dashboard(service, role=Role.VIEWER)
    entry_id = add(Dashboard(service, viewer.tenant, Role.MEMBER), kind)[f"{kind}Id"]
    base = f"/api/{kind}s"

    for path in ("", "/export", f"/{entry_id}", f"/{entry_id}/invoice-defaults"):
        assert viewer.get(base + path).status_code == 200
    refused = [
        viewer.post(base, GIVEN[kind]),
        viewer.patch(f"{base}/{entry_id}", {"name": "X"}),
        viewer.delete(f"{base}/{entry_id}"),
        viewer.post(f"{base}/seed-from-invoices"),
        upload(viewer, "Name\nA", kind),
    ]
    assert {slug(answer) for answer in refused} == {"forbidden"}


@ONE_DATABASE
@BOTH
def test_an_api_key_is_refused_by_the_directory(service, kind):
    """Keys are refused on the routes of people (decisions 9)."""
    assert slug(Caller(service).get(f"/api/{kind}s")) == "token-required"


@BOTH
def test_entries_of_another_tenant_cannot_be_read_or_changed(dashboard, service, kind):
    """404, with the same text as for an unknown id."""
    entry_id = add(dashboard, kind, taxId="BE1")[f"{kind}Id"]
    stranger = Dashboard(service)
    for path in ("", "/invoice-defaults"):
        answer = stranger.get(f"/api/{kind}s/{entry_id}{path}")
        nothing = stranger.get(f"/api/{kind}s/{uuid.uuid4()}{path}")
        assert (answer.status_code, nothing.status_code) == (404, 404)
        assert answer.json["detail"].replace(entry_id, "") == nothing.json["detail"].replace(
            nothing.json["instance"].split("/")[3], ""
        )
    assert stranger.patch(f"/api/{kind}s/{entry_id}", {"name": "X"}).status_code == 404
    assert stranger.delete(f"/api/{kind}s/{entry_id}").status_code == 404
    assert stranger.get(f"/api/{kind}s?include=total").json["total"] == 0
    assert entry_id not in json.dumps(stranger.get(f"/api/{kind}s?taxId=BE1").json)
    assert add(stranger, kind, taxId="BE1")[f"{kind}Id"] != entry_id


@ONE_DATABASE
@pytest.mark.parametrize("route", ["import", "seed-from-invoices", "export"])
def test_bulk_work_waits_for_its_turn_or_is_refused(dashboard, monkeypatch, route):
    """Imports, seedings and exports of other tenants are being done, and too many wait."""
    turns = runtime_of(dashboard.app).computing._bulk_turns
    monkeypatch.setattr(turns, "limit", Limit(0))
    if route == "import":
        answer = upload(dashboard, b"Name\nA\n")
    else:
        method = "GET" if route == "export" else "POST"
        answer = dashboard.call(method, f"/api/customers/{route}")

    assert (answer.status_code, slug(answer)) == (503, "computing-unavailable")
    assert answer.headers["Retry-After"] == "5"
    assert dashboard.get("/api/customers").json["items"] == []
