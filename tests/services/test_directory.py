"""The directory's rules behind its routes: matching, duplicates, defaults, lookups."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    DuplicateCustomer,
    DuplicateSupplier,
    NotFound,
    PreconditionFailed,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.services.directory import entries
from einvoice.services.directory.entries import Filters, Slice
from einvoice.services.participants import reachability
from einvoice.store import db, outbox
from einvoice.store.directory import pages
from einvoice.store.tables import Customer, Outbox
from einvoice.web.runtime import runtime_of

START = clock.now() + timedelta(days=1)  # later than any test can be
RECEIVER = ParticipantId.parse("0088:9520000000004")


def customer(tenant, name="Buyer BV", **said):
    return entries.create(CUSTOMER, tenant, {"name": name, **said})


def names(tenant, kind=CUSTOMER, **filters):
    part = Slice(limit=50, order=pages.NAME, descending=False)
    return [e.name for e in entries.page(kind, tenant, Filters(**filters), part).items]


def test_what_was_given_is_what_is_kept(app, tenant):
    said = {
        "tax_id": "BE 0123.456.749", "peppol_id": "0208:0123456749", "country_code": "BE",
        "email": "ap@example.com", "phone": "+32 2 1", "external_id": "K-1",
        "address": {"city": "Gent", "line2": ""}, "default_currency_code": "EUR",
        "default_payment_terms_days": 0, "buyer_reference": "PO",
    }  # fmt: skip
    entry = customer(tenant, **said)

    kept = {name: getattr(entry, name) for name in said}
    assert kept == said | {"address": {"city": "Gent"}}
    assert (entry.source, entry.version, entry.network_status) == ("manual", 1, "Checking")
    assert entries.get(CUSTOMER, tenant, entry.id) == entry


@pytest.mark.parametrize("again", ["BE0123456749", "be 0123.456-749", "BE/0123456749"])
def test_a_tax_id_is_taken_in_every_spelling(app, tenant, again):
    first = customer(tenant, tax_id="BE 0123 456 749")

    with pytest.raises(DuplicateCustomer) as refusal:
        customer(tenant, name="Another", tax_id=again)
    assert refusal.value.existing_id == first.id


def test_an_external_id_is_taken_exactly(app, tenant):
    first = customer(tenant, external_id="K-1")

    with pytest.raises(DuplicateCustomer) as refusal:
        customer(tenant, external_id="K-1")
    assert refusal.value.existing_id == first.id
    customer(tenant, external_id="k-1")


def test_a_name_may_be_there_twice(app, tenant):
    """Only tax id and externalId are refused on create (decisions 2)."""
    assert customer(tenant).id != customer(tenant).id


def test_the_two_directories_and_other_tenants_are_apart(app, tenant):
    customer(tenant, tax_id="BE0123456749")
    customer(tenants.create("Other"), tax_id="BE0123456749")
    supplier = entries.create(
        SUPPLIER, tenant, {"name": "S", "country_code": "BE", "tax_id": "BE0123456749"}
    )

    with pytest.raises(NotFound):
        entries.get(CUSTOMER, tenant, supplier.id)
    with pytest.raises(DuplicateSupplier):
        entries.create(SUPPLIER, tenant, {"name": "T", "tax_id": "BE0123456749"})


def test_many_equal_creates_at_once_make_one(app, tenant):
    def _create(_):
        with app.app_context():
            try:
                return customer(tenant, tax_id="BE0123456749").id
            except DuplicateCustomer as refusal:
                return refusal.existing_id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(_create, range(16)))) == 1


# -- changes ---------------------------------------------------------------------------------------


def test_a_patch_changes_what_it_names_and_removes_what_is_none(app, tenant):
    entry = customer(tenant, email="a@b", address={"city": "Gent", "line1": "Markt 1"})
    patch = {"name": "New", "email": None, "address": {"line1": None, "region": "X"}}
    changed = entries.change(CUSTOMER, tenant, entry.id, patch)

    assert (changed.name, changed.email) == ("New", None)
    assert changed.address == {"city": "Gent", "region": "X"}
    assert changed.version == 2
    assert names(tenant, text="new") == ["New"]


def test_a_patch_that_changes_nothing_makes_no_version(app, tenant):
    entry = customer(tenant, email="a@b")

    assert entries.change(CUSTOMER, tenant, entry.id, {"email": "a@b"}) == entry


def test_a_version_that_is_gone_is_refused(app, tenant):
    entry = customer(tenant)
    entries.change(CUSTOMER, tenant, entry.id, {"name": "B"}, expected={1})

    with pytest.raises(PreconditionFailed):
        entries.change(CUSTOMER, tenant, entry.id, {"name": "C"}, expected={1})
    with pytest.raises(PreconditionFailed):
        entries.remove(CUSTOMER, tenant, entry.id, expected={1})
    assert names(tenant) == ["B"]


def test_a_patch_cannot_take_anothers_tax_id(app, tenant):
    first, second = customer(tenant, tax_id="BE0123456749"), customer(tenant)

    with pytest.raises(DuplicateCustomer) as refusal:
        entries.change(CUSTOMER, tenant, second.id, {"tax_id": "BE 0123456749"})
    assert refusal.value.existing_id == first.id
    entries.change(CUSTOMER, tenant, first.id, {"tax_id": "be0123456749"})


# -- pages -----------------------------------------------------------------------------------------


def walked(tenant, **part):
    found, after = [], None
    while True:
        page = entries.page(CUSTOMER, tenant, Filters(), Slice(limit=3, after=after, **part))
        found += [entry.name for entry in page.items]
        if page.end is None:
            return found
        after = page.end


def test_pages_hold_everything_once_in_both_orders(app, tenant):
    """Case and accents do not tear names apart; equal names are told by their ids."""
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
    ({"text": "+32 9"}, set()),  # phone numbers are not looked through
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


def test_each_filter_finds_what_it_names_and_nothing_beside(app, tenant):
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
        assert entries.total(CUSTOMER, tenant, Filters(**query)) == len(expected), query


@pytest.mark.parametrize("descending", [True, False])
def test_a_rare_find_takes_several_short_pages_but_none_is_lost(
    app, tenant, monkeypatch, descending
):
    monkeypatch.setattr(pages, "EXAMINED", 4)
    for number in range(13):
        customer(tenant, f"rare {number}" if number % 6 == 0 else f"usual {number}")
    found, after, turns = [], None, 0
    while turns == 0 or after is not None:
        part = Slice(limit=2, order=pages.NAME, descending=descending, after=after)
        page = entries.page(CUSTOMER, tenant, Filters(text="rare"), part)
        found += [entry.name for entry in page.items]
        after, turns = page.end, turns + 1

    assert turns > 1
    assert sorted(found) == ["rare 0", "rare 12", "rare 6"]


# -- invoices --------------------------------------------------------------------------------------


def test_a_customer_is_found_by_receiver_then_tax_id_then_name(app, tenant):
    """Decisions 19.16, each way only when the one before finds nothing."""
    caches = Caches()
    by_name = customer(tenant, "Buyer  bv")
    by_tax = customer(tenant, "B", tax_id="NL 123456789 B01")
    assert entries.find_customer(tenant, RECEIVER, None, "BUYER BV", caches).id == by_name.id
    assert (
        entries.find_customer(tenant, RECEIVER, "nl123456789b01", "Buyer BV", caches).id
        == by_tax.id
    )
    by_id = customer(tenant, "C", peppol_id=str(RECEIVER))

    assert (
        entries.find_customer(tenant, RECEIVER, "nl123456789b01", "Buyer BV", caches).id == by_id.id
    )
    elsewhere = ParticipantId.parse("0088:9520000000011")
    assert entries.find_customer(tenant, elsewhere, "X", "nobody", caches) is None
    assert (
        entries.find_customer(tenants.create("Other"), RECEIVER, None, "Buyer BV", caches) is None
    )


def test_of_several_behind_one_participant_the_tax_id_tells(app, tenant):
    """A group may receive all its companies' invoices at one address."""
    caches = Caches()
    customer(tenant, "First", peppol_id=str(RECEIVER), tax_id="A1")
    second = customer(tenant, "Second", peppol_id=str(RECEIVER), tax_id="A2")

    assert entries.find_customer(tenant, RECEIVER, "a-2", "First", caches).id == second.id


@pytest.mark.parametrize(
    ("terms", "due"), [(30, date(2026, 12, 21)), (0, date(2026, 11, 21)), (None, None)]
)
def test_the_due_date_follows_the_terms(app, tenant, terms, due):
    entry = customer(tenant, default_payment_terms_days=terms)
    points = runtime_of(app).access_points
    found = entries.invoice_defaults(CUSTOMER, tenant, entry.id, date(2026, 11, 21), points)

    assert (found.due_date, found.access_point_ref) == (due, None)


# -- lookups ---------------------------------------------------------------------------------------


class Worker:
    """A worker's hands for the lane, on a clock of our own."""

    def __init__(self, app, tenant):
        self.runtime, self.tenant, self.moment = runtime_of(app), tenant, clock.now()

    def claim(self):
        rows = outbox.claim(outbox.MAINTENANCE, self.tenant, 100, token="t", now=self.moment,
                            lease=timedelta(days=9))  # fmt: skip
        return [row.id for row in rows]

    def work(self, seconds=5):
        self.moment += timedelta(seconds=seconds)
        reachability.check(self.claim(), "t", self.runtime)


def status(tenant, entry, kind=CUSTOMER):
    return entries.get(kind, tenant, entry.id).network_status


def owed():
    with db.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(Outbox)).scalar_one()


@pytest.mark.parametrize(
    ("kind", "participant", "expected"),
    [
        (CUSTOMER, "0088:9520000000004", "Reachable"),
        (CUSTOMER, "0088:9520000000080", "NotReachable"),
        (CUSTOMER, "0088:9520000000097", "NotReachable"),
        (SUPPLIER, "0088:9520000000097", "Reachable"),
        (SUPPLIER, "0088:9520000000080", "NotReachable"),
    ],
)
def test_a_participant_is_looked_up(app, tenant, kind, participant, expected):
    """A customer is reached by an invoice; of a supplier it is enough to be known."""
    entry = entries.create(kind, tenant, {"name": "N", "peppol_id": participant})
    assert status(tenant, entry, kind) == "Checking"
    Worker(app, tenant).work()
    checked = entries.get(kind, tenant, entry.id)

    assert checked.network_status == expected
    assert checked.network_checked_at is not None
    assert checked.version == 1, "a lookup is nobody's change"
    assert owed() == 0


def test_a_lookup_leaves_the_reference_to_send_by(app, tenant):
    entry = customer(tenant, peppol_id=str(RECEIVER))
    worker = Worker(app, tenant)
    worker.work()
    found = entries.invoice_defaults(
        CUSTOMER, tenant, entry.id, clock.today(), worker.runtime.access_points
    )

    assert (found.environment, len(found.access_point_ref)) == (Environment.TEST, 36)


def test_a_silent_directory_is_asked_again(app, tenant):
    """Participant …0158 answers the second time."""
    entry = customer(tenant, peppol_id="0088:9520000000158")
    worker = Worker(app, tenant)
    worker.work()
    assert (status(tenant, entry), owed()) == ("Unknown", 1)
    worker.work(seconds=0)
    assert status(tenant, entry) == "Unknown", "not at once"
    worker.work(seconds=120)

    assert (status(tenant, entry), owed()) == ("Reachable", 0)


def test_where_nobody_can_be_asked_the_status_is_unknown(app, tenant):
    """A tenant that is live is looked up live, where no access point is installed."""
    tenants.own_participant(tenant, Environment.LIVE, ParticipantId.parse("0208:0123456749"))
    elsewhere = customer(tenant, peppol_id="0208:0123456749")
    sandbox = customer(tenant, peppol_id=str(RECEIVER))
    Worker(app, tenant).work()

    assert (status(tenant, elsewhere), owed()) == ("Unknown", 0)
    assert status(tenant, sandbox) == "Reachable", "it exists in the sandbox only"


def test_an_answer_about_the_participant_before_is_not_written(app, tenant):
    """The participant changed while a worker was asking; the change owed a lookup of its own."""
    entry = customer(tenant, peppol_id="0088:9520000000080")
    worker = Worker(app, tenant)
    worker.moment += timedelta(seconds=5)
    ids = worker.claim()
    entries.change(CUSTOMER, tenant, entry.id, {"peppol_id": str(RECEIVER)})
    reachability.check(ids, "t", worker.runtime)
    assert status(tenant, entry) == "Reachable"
    reachability.check(ids, "t", worker.runtime)
    worker.work()

    assert (status(tenant, entry), owed()) == ("Reachable", 0)


def test_a_killed_worker_leaves_its_lookup_to_the_next(app, tenant):
    entry = customer(tenant, peppol_id=str(RECEIVER))
    now = clock.now() + timedelta(seconds=5)
    claimed = outbox.claim(
        outbox.MAINTENANCE, tenant, 9, token="dead", now=now, lease=timedelta(seconds=-10)
    )
    reachability.check([row.id for row in claimed], "dead", runtime_of(app))
    assert (status(tenant, entry), owed()) == ("Checking", 1)
    outbox.release_expired(now)
    Worker(app, tenant).work()

    assert status(tenant, entry) == "Reachable"


def test_what_is_gone_owes_nothing(app, tenant):
    entry, other = customer(tenant, peppol_id=str(RECEIVER)), customer(tenant, "Other")
    entries.change(CUSTOMER, tenant, other.id, {"peppol_id": str(RECEIVER)})
    entries.change(CUSTOMER, tenant, other.id, {"peppol_id": None})
    assert status(tenant, other) == "Unknown"
    entries.remove(CUSTOMER, tenant, entry.id)
    Worker(app, tenant).work()

    assert owed() == 0


def test_a_status_given_stays_until_a_lookup_says_otherwise(app, tenant):
    """Decisions 19.13."""
    said = {"name": "S", "country_code": "BE", "network_status": "Reachable"}
    given = entries.create(SUPPLIER, tenant, said)
    looked_up = entries.create(SUPPLIER, tenant, said | {"peppol_id": "0088:9520000000080"})
    assert status(tenant, looked_up, SUPPLIER) == "Reachable"
    Worker(app, tenant).work()

    assert status(tenant, given, SUPPLIER) == "Reachable"
    assert status(tenant, looked_up, SUPPLIER) == "NotReachable"
