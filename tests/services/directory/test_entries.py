"""Customers and suppliers: duplicates, changes, lists, and the match with parties of invoices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.errors import (
    Conflict,
    DuplicateCustomer,
    DuplicateSupplier,
    NotFound,
    PreconditionFailed,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.services.directory import counterparties, entries
from einvoice.services.directory.counterparties import Counterparty
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.store import tables
from einvoice.store.core import db
from einvoice.store.directory import pages
from einvoice.store.directory.entries import MAX_CANDIDATES
from einvoice.store.tables import Customer
from einvoice.web.runtime import runtime_of

START = clock.now() + timedelta(days=1)  # later than any test can be
RECEIVER = ParticipantId.parse("0088:9520000000004")


def customer(tenant, name="Buyer BV", **given):
    return entries.create(CUSTOMER, tenant, {"name": name, **given})


def names(tenant, kind=CUSTOMER, **filters):
    part = EntryPageRequest(limit=50, order=pages.NAME, descending=False)
    return [e.name for e in entries.page(kind, tenant, EntryFilters(**filters), part).items]


def test_an_entry_has_the_values_it_was_created_with(app, tenant):
    given = {
        "tax_id": "BE 0123.456.749", "peppol_id": "0208:0123456749", "country_code": "BE",
        "email": "ap@example.com", "phone": "+32 2 1", "external_id": "K-1",
        "address": {"city": "Gent", "line2": ""}, "default_currency_code": "EUR",
        "default_payment_terms_days": 0, "buyer_reference": "PO",
    }  # fmt: skip
    entry = customer(tenant, **given)

    kept = {name: getattr(entry, name) for name in given}
    assert kept == given | {"address": {"city": "Gent"}}
    assert (entry.source, entry.version, entry.network_status) == ("manual", 1, "Checking")
    assert entries.get(CUSTOMER, tenant, entry.id) == entry


@pytest.mark.parametrize("again", ["BE0123456749", "be 0123.456-749", "BE/0123456749"])
def test_a_tax_id_in_another_spelling_is_a_duplicate(app, tenant, again):
    first = customer(tenant, tax_id="BE 0123 456 749")

    with pytest.raises(DuplicateCustomer) as refusal:
        customer(tenant, name="Another", tax_id=again)
    assert refusal.value.existing_id == first.id


def test_an_external_id_is_a_duplicate_only_in_the_same_case(app, tenant):
    first = customer(tenant, external_id="K-1")

    with pytest.raises(DuplicateCustomer) as refusal:
        customer(tenant, external_id="K-1")
    assert refusal.value.existing_id == first.id
    customer(tenant, external_id="k-1")


def test_two_entries_may_have_the_same_name(app, tenant):
    """Only taxId and externalId are unique (decisions 2)."""
    assert customer(tenant).id != customer(tenant).id


def test_directories_and_tenants_are_separate(app, tenant):
    customer(tenant, tax_id="BE0123456749")
    customer(tenants.create("Other"), tax_id="BE0123456749")
    supplier = entries.create(
        SUPPLIER, tenant, {"name": "S", "country_code": "BE", "tax_id": "BE0123456749"}
    )

    with pytest.raises(NotFound):
        entries.get(CUSTOMER, tenant, supplier.id)
    with pytest.raises(DuplicateSupplier):
        entries.create(SUPPLIER, tenant, {"name": "T", "tax_id": "BE0123456749"})


def test_concurrent_creates_of_one_tax_id_make_one_entry(app, tenant):
    def _create(_):
        with app.app_context():
            try:
                return customer(tenant, tax_id="BE0123456749").id
            except DuplicateCustomer as refusal:
                return refusal.existing_id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(_create, range(16)))) == 1


# -- changes ---------------------------------------------------------------------------------------


def test_a_patch_sets_its_fields_and_removes_those_that_are_none(app, tenant):
    entry = customer(tenant, email="a@b", address={"city": "Gent", "line1": "Markt 1"})
    patch = {"name": "New", "email": None, "address": {"line1": None, "region": "X"}}
    changed = entries.change(CUSTOMER, tenant, entry.id, patch)

    assert (changed.name, changed.email) == ("New", None)
    assert changed.address == {"city": "Gent", "region": "X"}
    assert changed.version == 2
    assert names(tenant, text="new") == ["New"]


def test_a_patch_without_effect_does_not_count_as_a_version(app, tenant):
    entry = customer(tenant, email="a@b")

    assert entries.change(CUSTOMER, tenant, entry.id, {"email": "a@b"}) == entry


def test_a_change_of_an_older_version_is_refused(app, tenant):
    entry = customer(tenant)
    entries.change(CUSTOMER, tenant, entry.id, {"name": "B"}, expected={1})

    with pytest.raises(PreconditionFailed):
        entries.change(CUSTOMER, tenant, entry.id, {"name": "C"}, expected={1})
    with pytest.raises(PreconditionFailed):
        entries.remove(CUSTOMER, tenant, entry.id, expected={1})
    assert names(tenant) == ["B"]


def test_a_patch_cannot_set_the_tax_id_of_another_entry(app, tenant):
    first, second = customer(tenant, tax_id="BE0123456749"), customer(tenant)

    with pytest.raises(DuplicateCustomer) as refusal:
        entries.change(CUSTOMER, tenant, second.id, {"tax_id": "BE 0123456749"})
    assert refusal.value.existing_id == first.id
    entries.change(CUSTOMER, tenant, first.id, {"tax_id": "be0123456749"})


# -- pages -----------------------------------------------------------------------------------------


def walked(tenant, **part):
    found, after = [], None
    while True:
        page = entries.page(
            CUSTOMER, tenant, EntryFilters(), EntryPageRequest(limit=3, after=after, **part)
        )
        found += [entry.name for entry in page.items]
        if page.end is None:
            return found
        after = page.end


def test_pages_together_hold_each_entry_once_in_every_order(app, tenant):
    """Names are compared without case; equal names are ordered by id."""
    given = ["delta", "Alpha", "alpha", "ALPHA", "beta", "Élan", "Charlie"]
    for name in given:
        customer(tenant, name)

    up = walked(tenant, order=pages.NAME, descending=False)
    assert [name.lower() for name in up] == [
        "alpha", "alpha", "alpha", "beta", "charlie", "delta", "élan",
    ]  # fmt: skip
    assert walked(tenant, order=pages.NAME, descending=True) == up[::-1]
    assert sorted(walked(tenant, descending=False)) == sorted(given)
    assert walked(tenant) == walked(tenant, descending=False)[::-1]


ONE, TWO = "Odd  One", "Odd Two"
FOUND = [
    ({"text": "ODD"}, {ONE, TWO}),
    ({"text": "ｏdd  one"}, {ONE}),
    ({"text": "be0123"}, {ONE, TWO}),
    ({"text": "BE 0123.456"}, {ONE, TWO}),
    ({"text": "odd@exa"}, {ONE}),
    ({"text": "+32 9"}, set()),  # phone numbers are not searched
    ({"tax_id": "be 0123456749"}, {ONE}),
    ({"peppol_id": ParticipantId.parse("9925:be0123456749")}, {TWO}),
    ({"country_code": "BE"}, {ONE}),
    ({"network_status": "Unknown"}, {ONE}),
    ({"updated_since": START + timedelta(minutes=1)}, {ONE}),
    ({"text": "odd", "country_code": "BE"}, {ONE}),
    ({"text": "odd  two x"}, set()),
    ({"text": "d%e"}, set()),
    ({"text": "o_e"}, set()),
    ({"tax_id": "BE"}, set()),
    ({"tax_id": "-"}, set()),
    ({"country_code": "NL"}, set()),
    ({"network_status": "Reachable"}, set()),
    ({"text": "odd", "country_code": "DE"}, set()),
    ({"updated_since": START + timedelta(minutes=3)}, set()),
]


def test_each_filter_returns_exactly_the_matching_entries(app, tenant):
    for number in range(3):
        customer(tenant, f"Plain {number}", peppol_id=str(RECEIVER), country_code="DE")
    odd = {"tax_id": "BE-0123456749", "email": "Odd@example.com", "phone": "+32 9"}
    one = customer(tenant, ONE, **odd, country_code="BE")
    customer(tenant, TWO, peppol_id="9925:BE0123456749", country_code="FR")
    with db.writing() as connection:
        touched = sa.update(Customer).where(Customer.id == one.id)
        connection.execute(touched.values(updated_at=START + timedelta(minutes=2)))

    for query, expected in FOUND:
        assert set(names(tenant, **query)) == expected, query
        assert entries.total(CUSTOMER, tenant, EntryFilters(**query)) == len(expected), query


@pytest.mark.parametrize("descending", [True, False])
def test_a_search_over_many_entries_is_split_into_short_pages(app, tenant, monkeypatch, descending):
    monkeypatch.setattr(pages, "MAX_EXAMINED", 4)
    for number in range(13):
        customer(tenant, f"rare {number}" if number % 6 == 0 else f"usual {number}")
    found, after, turns = [], None, 0
    while turns == 0 or after is not None:
        part = EntryPageRequest(limit=2, order=pages.NAME, descending=descending, after=after)
        page = entries.page(CUSTOMER, tenant, EntryFilters(text="rare"), part)
        found += [entry.name for entry in page.items]
        after, turns = page.end, turns + 1

    assert turns > 1
    assert sorted(found) == ["rare 0", "rare 12", "rare 6"]


# -- matching and defaults -------------------------------------------------------------------------


def names_matching(tenant, receiver, tax_id, name) -> list[str]:
    found = counterparties.find_customers(tenant, receiver, tax_id, name, Caches())
    return [entry.name for entry in found]


def test_a_customer_is_matched_by_receiver_then_tax_id_then_name(app, tenant):
    """Decisions 19.16: each key only if the one before matches no entry."""
    elsewhere = ParticipantId.parse("0088:9520000000011")
    customer(tenant, "Buyer  bv")
    customer(tenant, "B", tax_id="NL 123456789 B01")

    assert names_matching(tenant, RECEIVER, None, "BUYER BV") == ["Buyer  bv"]
    assert names_matching(tenant, RECEIVER, "nl123456789b01", "Buyer BV") == ["B"]
    customer(tenant, "C", peppol_id=str(RECEIVER))
    assert names_matching(tenant, RECEIVER, "nl123456789b01", "Buyer BV") == ["C"]
    assert names_matching(tenant, elsewhere, "X", "unknown") == []
    assert names_matching(tenants.create("Other"), RECEIVER, None, "Buyer BV") == []


@pytest.mark.parametrize(
    ("tax_id", "name", "expected"),
    [
        ("a-2", "First", ["Second"]),
        (None, "First", ["First"]),
        ("A9", "SECOND", ["Second"]),
        (None, "Third", ["First", "Second"]),
        ("A9", "Third", ["First", "Second"]),
    ],
)
def test_of_customers_with_one_participant_id_the_tax_id_decides_then_the_name(
    app, tenant, tax_id, name, expected
):
    """A group may receive the invoices of all its companies under one participant id; if nothing
    distinguishes them, all are found, and none is silently the first."""
    customer(tenant, "First", peppol_id=str(RECEIVER), tax_id="A1")
    customer(tenant, "Second", peppol_id=str(RECEIVER), tax_id="A2")

    assert sorted(names_matching(tenant, RECEIVER, tax_id, name)) == expected


def test_of_customers_with_one_name_none_is_silently_the_first(app, tenant):
    for _ in range(MAX_CANDIDATES + 1):
        customer(tenant, "Same")

    assert names_matching(tenant, RECEIVER, None, "same") == ["Same"] * MAX_CANDIDATES


# -- one supplier for one participant id -----------------------------------------------------------


def supplier(tenant, name, **values):
    return entries.create(SUPPLIER, tenant, {"name": name, "country_code": "BE"} | values)


def doubled(tenant, *names, **values) -> list[str]:
    """Suppliers with one participant id, as earlier releases stored them; their ids."""
    made = [supplier(tenant, name) for name in names]
    with db.writing() as connection:
        for number, each in enumerate(made):
            change = {"peppol_id": str(RECEIVER), "peppol_key": RECEIVER.canonical}
            own = {name: given[number] for name, given in values.items()}
            update = sa.update(tables.Supplier).where(tables.Supplier.id == each.id)
            connection.execute(update.values(**change, **own))
    return [each.id for each in made]


def test_a_second_supplier_with_a_participant_id_is_refused(app, tenant):
    """In any spelling, on creation and change; another tenant and a customer may have it."""
    first = supplier(tenant, "First", peppol_id="9915:AbC")
    second = supplier(tenant, "Second")

    with pytest.raises(DuplicateSupplier) as created:
        supplier(tenant, "Third", peppol_id="9915:abc")
    with pytest.raises(DuplicateSupplier) as changed:
        entries.change(SUPPLIER, tenant, second.id, {"peppol_id": "9915:ABC"})

    expected = {"existingId": first.id, "field": "peppolId"}
    assert (created.value.extras(), changed.value.extras()) == (expected, expected)
    assert entries.change(SUPPLIER, tenant, first.id, {"peppol_id": "9915:ABC"}).id == first.id
    assert supplier(tenants.create("Other"), "First", peppol_id="9915:abc")
    assert customer(tenant, "First", peppol_id="9915:abc")
    assert customer(tenant, "Second", peppol_id="9915:abc")


@pytest.mark.parametrize(("field", "column"), [("taxId", "tax_id"), ("externalId", "external_id")])
def test_a_duplicate_names_its_field(app, tenant, field, column):
    first = supplier(tenant, "First", **{column: "A1"})

    with pytest.raises(DuplicateSupplier) as refused:
        supplier(tenant, "Second", **{column: "A1"})

    assert refused.value.extras() == {"existingId": first.id, "field": field}


def test_an_older_duplicate_can_be_changed_in_other_fields(app, tenant):
    first, _ = doubled(tenant, "First", "Second")

    changed = entries.change(SUPPLIER, tenant, first, {"phone": "1"})

    assert (changed.phone, changed.peppol_id) == ("1", str(RECEIVER))


def test_a_supplier_with_another_tax_id_gives_way_to_the_one_that_has_the_bills(app, tenant):
    """One participant id may send for several companies, of which one only can have it."""
    supplier(tenant, "Group", peppol_id=str(RECEIVER), tax_id="A1")
    supplier(tenant, "Daughter", tax_id="A2")

    def found(tax_id):
        [found] = counterparties.find_suppliers([Counterparty(tenant, RECEIVER, tax_id, "X")])
        return [s.name for s in found]

    assert found("A-2") == ["Daughter"]
    assert found("A1") == ["Group"]
    assert found("A3") == ["Group"]
    assert found(None) == ["Group"]


def test_a_merge_fills_in_what_the_entry_lacks_and_deletes_the_other(app, tenant):
    kept = supplier(tenant, "Kept", email="a@example.com", external_id="K")
    other = supplier(
        tenant, "Other", email="b@example.com", tax_id="A1", peppol_id=str(RECEIVER),
        address={"city": "Gent"}, default_gl_account_code="6000",
    )  # fmt: skip

    merged = entries.merge(SUPPLIER, tenant, kept.id, other.id)

    assert (merged.id, merged.name, merged.email) == (kept.id, "Kept", "a@example.com")
    assert (merged.tax_id, merged.peppol_id, merged.external_id) == ("A1", str(RECEIVER), "K")
    assert (merged.address, merged.default_gl_account_code) == ({"city": "Gent"}, "6000")
    assert merged.network_status == "Checking"
    assert merged.version > kept.version
    with pytest.raises(NotFound):
        entries.get(SUPPLIER, tenant, other.id)
    [found] = counterparties.find_suppliers([Counterparty(tenant, RECEIVER, None, "X")])
    assert [s.id for s in found] == [kept.id]


def test_a_merge_needs_two_entries_of_the_tenant(app, tenant):
    own = supplier(tenant, "Own")
    foreign = supplier(tenants.create("Other"), "Foreign")

    with pytest.raises(Conflict):
        entries.merge(SUPPLIER, tenant, own.id, own.id)
    for pair in ((own.id, foreign.id), (foreign.id, own.id), (own.id, "unknown")):
        with pytest.raises(NotFound):
            entries.merge(SUPPLIER, tenant, *pair)
    assert entries.get(SUPPLIER, tenant, own.id).name == "Own"


# -- values for invoices ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "due"), [(30, date(2026, 12, 21)), (0, date(2026, 11, 21)), (None, None)]
)
def test_the_due_date_follows_the_terms(app, tenant, terms, due):
    entry = customer(tenant, default_payment_terms_days=terms)
    points = runtime_of(app).access_points
    found = entries.invoice_defaults(CUSTOMER, tenant, entry.id, date(2026, 11, 21), points)

    assert (found.due_date, found.access_point_ref) == (due, None)
