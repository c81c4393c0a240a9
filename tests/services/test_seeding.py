"""Filling a directory from invoices and files: who counts as one party, and what two do at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import CsvInvalid, FileTooLarge
from einvoice.services.account import tenants
from einvoice.services.directory import csv_import
from einvoice.services.directory import entries as directory
from einvoice.services.directory import seed as seeding
from einvoice.services.directory.entries import Filters, Slice
from einvoice.store import db
from einvoice.store.tables import Invoice, Outbox
from tests.builders import accepted

START = clock.now() - timedelta(days=1)


class Ledger:
    """A tenant's invoices, each a minute after the one before."""

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
    part = Slice(limit=200, order="name", descending=False)
    return list(directory.page(kind, tenant, Filters(), part).items)


def names(tenant, kind=CUSTOMER):
    return [entry.name for entry in entries(tenant, kind)]


def test_ten_invoices_of_one_buyer_are_one_party(ledger):
    """Decisions 19.12, and a second run finds it there."""
    for _ in range(10):
        ledger.sent()

    assert ledger.seed() == (1, 0, 1)
    assert ledger.seed() == (0, 1, 1)


def test_an_entry_says_what_the_newest_invoice_says(ledger, tenant):
    """And what that one leaves open, an older one does."""
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
def test_who_is_one_party(ledger, invoices, created, skipped):
    for name, tax in invoices:
        ledger.sent(name, tax)

    assert ledger.seed() == (created, skipped, created + skipped)
    assert ledger.seed() == (0, created + skipped, created + skipped)


@pytest.mark.parametrize("there", [{"name": "X", "tax_id": "b.e 1"}, {"name": "BUYER  bv"}])
def test_who_is_there_is_skipped_and_left_as_it_is(ledger, tenant, there):
    entry = directory.create(CUSTOMER, tenant, there)
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


def test_both_environments_count_unless_one_is_named(ledger):
    ledger.sent("A", environment="test")
    ledger.sent("B", environment="live")

    assert ledger.seed(environment=Environment.LIVE) == (1, 0, 1)
    assert ledger.seed() == (1, 1, 2)


def test_other_tenants_are_not_seen(ledger, app):
    ledger.sent()

    assert Ledger(tenants.create("Other")).seed() == (0, 0, 0)


def test_what_no_entry_can_hold_is_left_out(ledger, tenant):
    """Documents from elsewhere say what they like."""
    ledger.sent("A" * 600, "9" * 60, receiver="nonsense")
    assert ledger.seed() == (1, 0, 1)
    (entry,) = entries(tenant)

    assert (entry.tax_id, entry.peppol_id, len(entry.name)) == (None, None, 512)


def test_two_that_seed_at_once_make_each_party_once(ledger, app, tenant):
    """Together they created what there is; names are no unique keys, so this is the lock's work."""
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


def test_large_directories_are_seeded_in_several_commits(ledger, tenant, monkeypatch):
    monkeypatch.setattr(seeding, "MAX_PARTIES_PER_COMMIT", 2)
    for name in "ABCDE":
        ledger.sent(name)

    assert ledger.seed() == (5, 0, 5)
    assert names(tenant) == list("ABCDE")


# -- files -----------------------------------------------------------------------------------------

FILE = b"Name,TaxId,PeppolId\nA,1,\nB,,\na,2,\nC,1,\nD,,208:1\n"


def counts(done):
    return done.created, done.skipped, done.table.failed, done.table.total


def test_right_rows_are_stored_wrong_ones_told(app, tenant):
    """A row whose tax id or name is in the directory, or higher up in the file, is skipped."""
    done = csv_import.run(CUSTOMER, tenant, FILE)

    assert counts(done) == (2, 2, 1, 5)
    assert names(tenant) == ["A", "B"]
    assert counts(csv_import.run(CUSTOMER, tenant, FILE)) == (0, 4, 1, 5)


def test_a_dry_run_tells_the_same_and_stores_nothing(app, tenant):
    dry = csv_import.run(CUSTOMER, tenant, FILE, dry_run=True)
    assert names(tenant) == []

    assert counts(dry) == counts(csv_import.run(CUSTOMER, tenant, FILE))


def test_an_atomic_import_stores_all_or_nothing(app, tenant):
    for dry_run in (False, True):
        with pytest.raises(CsvInvalid) as refusal:
            csv_import.run(CUSTOMER, tenant, FILE, atomic=True, dry_run=dry_run)
    assert names(tenant) == []
    assert refusal.value.report["errors"][0]["row"] == 6
    good = FILE.replace(b"208:1", b"0208:1")

    assert counts(csv_import.run(CUSTOMER, tenant, good, atomic=True)) == (3, 2, 0, 5)


def test_a_file_has_five_mebibytes(app, tenant):
    largest = b"Name\n" + (b" " * 1_000 + b"\n") * 6_000
    largest = largest[: csv_import.MAX_BYTES]
    csv_import.run(CUSTOMER, tenant, largest, dry_run=True)

    with pytest.raises(FileTooLarge):
        csv_import.run(CUSTOMER, tenant, largest + b" ")


def test_two_that_import_at_once_make_each_entry_once(app, tenant):
    content = b"Name,TaxId\n" + b"".join(b"N%d,%d\n" % (n, n) for n in range(300))

    def _import(_):
        with app.app_context():
            return csv_import.run(CUSTOMER, tenant, content).created

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(_import, range(4))) == 300
    assert directory.total(CUSTOMER, tenant, Filters()) == 300


def test_what_is_exported_imports_again_without_change(app, tenant, monkeypatch):
    """Here it is all there; elsewhere it makes the same entries."""
    monkeypatch.setattr(csv_import, "EXPORT_PAGE_SIZE", 2)
    content = (
        "Name,TaxId,PeppolId,Email,Phone,DefaultCurrencyCode,DefaultPaymentTermsDays,CountryCode\n"
        '"=A, ""q""",1,0208:1,a@b,+32 9,EUR,0,BE\n\'=B,,,,,,,\nÇ;x,,,,-,,30,\n'
    ).encode()
    csv_import.run(CUSTOMER, tenant, content)
    text = "".join(csv_import.export(CUSTOMER, tenant))
    assert counts(csv_import.run(CUSTOMER, tenant, text.encode())) == (0, 3, 0, 3)
    other = tenants.create("Other")
    assert counts(csv_import.run(CUSTOMER, other, text.encode())) == (3, 0, 0, 3)

    assert "".join(csv_import.export(CUSTOMER, other)) == text
    columns = ("name", "tax_id", "peppol_id", "email", "phone", "default_payment_terms_days")
    assert [[getattr(e, c) for c in columns] for e in entries(other)] == [
        [getattr(e, c) for c in columns] for e in entries(tenant)
    ]
