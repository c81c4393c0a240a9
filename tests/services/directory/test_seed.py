"""Seeding a directory from invoices: which invoices are of one party, and concurrent seeds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.directory import entries as directory
from einvoice.services.directory import seed as seeding
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Outbox
from tests.builders import accepted

START = clock.now() - timedelta(days=1)


class Ledger:
    """A tenant's invoices, each accepted a minute after the last one."""

    def __init__(self, tenant):
        self.tenant, self.count = tenant, 0

    def sent(self, name="Buyer BV", tax=None, **fields):
        self.count += 1
        at = START + timedelta(minutes=self.count)
        given = {"buyer_name": name, "buyer_tax_id": tax, "created_at": at} | fields
        return accepted(self.tenant, **given).invoice_id

    def received(self, name, tax=None, **fields):
        invoice = self.sent(supplier_name=name, supplier_tax_id=tax, **fields)
        with db.writing() as connection:
            turned = sa.update(Invoice).where(Invoice.id == invoice)
            connection.execute(turned.values(direction="received"))

    def seed(self, kind=CUSTOMER, **options):
        found = seeding.seed(kind, self.tenant, **options)
        return found.created, found.skipped, found.total


@pytest.fixture
def ledger(app, tenant) -> Ledger:
    return Ledger(tenant)


def entries(tenant, kind=CUSTOMER):
    part = EntryPageRequest(limit=200, order="name", descending=False)
    return list(directory.page(kind, tenant, EntryFilters(), part).items)


def names(tenant, kind=CUSTOMER):
    return [entry.name for entry in entries(tenant, kind)]


def test_ten_invoices_of_one_buyer_are_one_party(ledger):
    """Decisions 19.12; a second run skips it."""
    for _ in range(10):
        ledger.sent()

    assert ledger.seed() == (1, 0, 1)
    assert ledger.seed() == (0, 1, 1)


def test_an_entry_takes_its_values_from_the_newest_invoice(ledger, tenant):
    """A value that the newest does not have comes from an older one."""
    ledger.sent("Old BV", "NL 1", buyer_country="NL", currency="SEK")
    ledger.sent("New BV", "nl-1", receiver="0088:9520000000011")
    assert ledger.seed() == (1, 0, 1)
    (entry,) = entries(tenant)

    assert (entry.name, entry.tax_id, entry.country_code) == ("New BV", "nl-1", "NL")
    assert (entry.peppol_id, entry.default_currency_code) == ("0088:9520000000011", "EUR")
    assert (entry.source, entry.network_status) == ("seed", "Checking")
    with db.reading() as connection:
        assert entry.id in connection.execute(sa.select(Outbox.subject_id)).scalars().all()


@pytest.mark.parametrize(
    ("invoices", "created", "skipped"),
    [
        ([("A", "1"), ("B", "1")], 1, 0),  # one tax id under two names
        ([("A", "1"), ("a ", "2")], 1, 1),  # one name under two tax ids: matched by name
        ([("A", "1"), ("ａ", None)], 1, 0),  # without a tax id: the party of its name
        ([("A", None), ("A", "1"), ("A", None)], 1, 0),
        ([("A", None), ("B", None)], 2, 0),
        ([("A", "B.E-1"), ("B", "be 1"), ("C", "BE/1"), ("D", " - ")], 2, 0),
    ],
)
def test_which_invoices_are_of_one_party(ledger, invoices, created, skipped):
    for name, tax in invoices:
        ledger.sent(name, tax)

    assert ledger.seed() == (created, skipped, created + skipped)
    assert ledger.seed() == (0, created + skipped, created + skipped)


@pytest.mark.parametrize("existing", [{"name": "X", "tax_id": "b.e 1"}, {"name": "BUYER  bv"}])
def test_an_existing_entry_is_skipped_and_not_changed(ledger, tenant, existing):
    entry = directory.create(CUSTOMER, tenant, existing)
    ledger.sent("Buyer BV", "BE1")

    assert ledger.seed() == (0, 1, 1)
    assert entries(tenant) == [entry]


def test_suppliers_are_the_senders_of_received_invoices(ledger, tenant):
    ledger.sent("Buyer", "1")
    ledger.received("Acme", "2", sender="0208:0123456749")
    assert ledger.seed(SUPPLIER) == (1, 0, 1)
    (supplier,) = entries(tenant, SUPPLIER)

    assert (supplier.name, supplier.tax_id) == ("Acme", "2")
    assert (supplier.peppol_id, supplier.country_code) == ("0208:0123456749", "BE")
    assert ledger.seed(CUSTOMER) == (1, 0, 1)


def test_invoices_of_both_environments_count_unless_one_is_given(ledger):
    ledger.sent("A", environment="test")
    ledger.sent("B", environment="live")

    assert ledger.seed(environment=Environment.LIVE) == (1, 0, 1)
    assert ledger.seed() == (1, 1, 2)


def test_invoices_of_other_tenants_do_not_count(ledger, app):
    ledger.sent()

    assert Ledger(tenants.create("Other")).seed() == (0, 0, 0)


def test_values_that_an_entry_cannot_hold_are_left_out(ledger, tenant):
    """Received documents may have names, tax ids and participant ids of any form."""
    ledger.sent("A" * 600, "9" * 60, receiver="nonsense")
    assert ledger.seed() == (1, 0, 1)
    (entry,) = entries(tenant)

    assert (entry.tax_id, entry.peppol_id, len(entry.name)) == (None, None, 512)


@pytest.mark.parametrize(("length", "kept"), [(50, True), (51, False)])
def test_the_longest_tax_id_that_fits_is_kept(ledger, tenant, length, kept):
    """An entry has room for 50 characters."""
    ledger.sent("A", "9" * length)
    ledger.seed()
    (entry,) = entries(tenant)

    assert entry.tax_id == ("9" * length if kept else None)


def test_concurrent_seeds_add_each_party_once(ledger, app, tenant):
    """Names are not unique in the database, so this depends on the lock."""
    for number in range(40):
        ledger.sent(f"Buyer {number}", None if number % 2 else str(number))

    def _seed(_):
        with app.app_context():
            return seeding.seed(CUSTOMER, tenant)

    with ThreadPoolExecutor(4) as pool:
        seeded = list(pool.map(_seed, range(4)))
    assert sum(one.created for one in seeded) == 40
    assert {one.total for one in seeded} == {40}
    assert len(set(names(tenant))) == len(entries(tenant)) == 40


def test_many_parties_are_added_in_several_commits(ledger, tenant, monkeypatch):
    monkeypatch.setattr(seeding, "MAX_PARTIES_PER_COMMIT", 2)
    for name in "ABCDE":
        ledger.sent(name)

    assert ledger.seed() == (5, 0, 5)
    assert names(tenant) == list("ABCDE")


def test_of_suppliers_with_one_participant_id_only_the_first_is_given_it(ledger, tenant):
    """The parties are still counted by tax id, then name; customers may share the id."""
    directory.create(
        SUPPLIER, tenant, {"name": "There", "country_code": "BE", "peppol_id": "0208:0123456749"}
    )
    for name, tax in (("One", "A1"), ("Two", "A2"), ("Three", "A3")):
        ledger.received(name, tax, sender="9915:abc" if name != "Three" else "0208:0123456749")
        ledger.sent(name, tax, receiver="9915:abc")

    assert (ledger.seed(SUPPLIER), ledger.seed(SUPPLIER)) == ((3, 0, 3), (0, 3, 3))
    ids = {entry.name: entry.peppol_id for entry in entries(tenant, SUPPLIER)}
    assert ids == {"There": "0208:0123456749", "Two": "9915:abc", "One": None, "Three": None}
    ledger.seed(CUSTOMER)
    assert [entry.peppol_id for entry in entries(tenant, CUSTOMER)] == ["9915:abc"] * 3
