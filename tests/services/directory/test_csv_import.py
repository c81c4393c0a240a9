"""Importing and exporting a directory as CSV (decisions 3)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from einvoice.domain.directory import CUSTOMER
from einvoice.domain.errors import CsvInvalid, CsvMissingColumns, FileTooLarge
from einvoice.services.account import tenants
from einvoice.services.computing.pool import Computing
from einvoice.services.directory import candidates, csv_import
from einvoice.services.directory import entries as directory
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from tests.computing import InProcess

FILE = b"Name,TaxId,PeppolId\nA,1,\nB,,\na,2,\nC,1,\nD,,208:1\n"


def run(*given, **options):
    return csv_import.run(*given, computing=InProcess(), **options)


def entries(tenant):
    part = EntryPageRequest(limit=200, order="name", descending=False)
    return list(directory.page(CUSTOMER, tenant, EntryFilters(), part).items)


def names(tenant):
    return [entry.name for entry in entries(tenant)]


def counts(done):
    return done.created, done.skipped, done.table.failed, done.table.total


def test_correct_rows_are_stored_and_wrong_ones_reported(app, tenant):
    """A row is skipped if its tax id or name is in the directory or higher up in the file."""
    done = run(CUSTOMER, tenant, FILE)

    assert counts(done) == (2, 2, 1, 5)
    assert names(tenant) == ["A", "B"]
    assert counts(run(CUSTOMER, tenant, FILE)) == (0, 4, 1, 5)


def test_a_dry_run_returns_the_same_and_stores_nothing(app, tenant):
    dry = run(CUSTOMER, tenant, FILE, dry_run=True)
    assert names(tenant) == []

    assert counts(dry) == counts(run(CUSTOMER, tenant, FILE))


def test_an_atomic_import_stores_all_rows_or_none(app, tenant):
    for dry_run in (False, True):
        with pytest.raises(CsvInvalid) as refusal:
            run(CUSTOMER, tenant, FILE, atomic=True, dry_run=dry_run)
    assert names(tenant) == []
    assert refusal.value.report["errors"][0]["row"] == 6
    good = FILE.replace(b"208:1", b"0208:1")

    assert counts(run(CUSTOMER, tenant, good, atomic=True)) == (3, 2, 0, 5)


def test_a_file_has_at_most_five_mebibytes(app, tenant):
    largest = b"Name\n" + (b" " * 1_000 + b"\n") * 6_000
    largest = largest[: csv_import.MAX_BYTES]
    run(CUSTOMER, tenant, largest, dry_run=True)

    with pytest.raises(FileTooLarge):
        run(CUSTOMER, tenant, largest + b" ")


def test_concurrent_imports_add_each_entry_once(app, tenant):
    content = b"Name,TaxId\n" + b"".join(b"N%d,%d\n" % (n, n) for n in range(300))

    def _import(_):
        with app.app_context():
            return run(CUSTOMER, tenant, content).created

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(_import, range(4))) == 300
    assert directory.total(CUSTOMER, tenant, EntryFilters()) == 300


def test_an_export_can_be_imported_without_change(app, tenant, monkeypatch):
    """In the same directory all rows are skipped; in another the same entries are added."""
    monkeypatch.setattr(csv_import, "EXPORT_PAGE_SIZE", 2)
    content = (
        "Name,TaxId,PeppolId,Email,Phone,DefaultCurrencyCode,DefaultPaymentTermsDays,CountryCode\n"
        '"=A, ""q""",1,0208:1,a@b,+32 9,EUR,0,BE\n\'=B,,,,,,,\nÇ;x,,,,-,,30,\n'
    ).encode()
    run(CUSTOMER, tenant, content)
    text = "".join(csv_import.export(CUSTOMER, tenant))
    assert counts(run(CUSTOMER, tenant, text.encode())) == (0, 3, 0, 3)
    other = tenants.create("Other")
    assert counts(run(CUSTOMER, other, text.encode())) == (3, 0, 0, 3)

    assert "".join(csv_import.export(CUSTOMER, other)) == text
    columns = ("name", "tax_id", "peppol_id", "email", "phone", "default_payment_terms_days")
    assert [[getattr(e, c) for c in columns] for e in entries(other)] == [
        [getattr(e, c) for c in columns] for e in entries(tenant)
    ]


def test_a_large_file_is_read_in_a_computing_process(tenant, monkeypatch):
    """With the same result, and the same refusals."""
    small = counts(run(CUSTOMER, tenant, FILE, dry_run=True))
    called = []
    real = Computing.run
    monkeypatch.setattr(Computing, "run", lambda self, *a: called.append(a[1]) or real(self, *a))
    monkeypatch.setattr(csv_import, "MAX_READ_HERE_BYTES", len(FILE))
    assert counts(run(CUSTOMER, tenant, FILE, dry_run=True)) == small
    assert called == []
    monkeypatch.setattr(csv_import, "MAX_READ_HERE_BYTES", len(FILE) - 1)

    assert counts(run(CUSTOMER, tenant, FILE, dry_run=True)) == small
    assert called == [candidates.read_file]
    with pytest.raises(CsvMissingColumns) as refused:
        run(CUSTOMER, tenant, b"x" * len(FILE))
    assert refused.value.extras() == {"missingColumns": ["Name"]}


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_keys_of_a_large_file_are_computed_in_a_computing_process(tenant, monkeypatch, dry_run):
    """The web process stores what it gets back."""
    monkeypatch.setattr(csv_import, "MAX_READ_HERE_BYTES", 0)
    real = Computing.run

    def compute(*given):
        result = real(*given)
        monkeypatch.setattr(candidates, "match_keys", pytest.fail)
        return result

    monkeypatch.setattr(Computing, "run", compute)

    assert run(CUSTOMER, tenant, FILE, dry_run=dry_run).created == 2


def test_a_small_file_is_read_with_a_computing_slot(tenant, monkeypatch):
    """The slot is given back for the work with the database."""
    released, seen = [False], []

    @contextmanager
    def leaving():
        released[0] = True
        yield
        released[0] = False

    computing = InProcess()
    monkeypatch.setattr(computing, "_slot", SimpleNamespace(released=leaving))
    for name in ("read_file", "_store"):
        real = getattr(csv_import, name)
        monkeypatch.setattr(
            csv_import, name, lambda *a, real=real: seen.append(released[0]) or real(*a)
        )

    csv_import.run(CUSTOMER, tenant, FILE, computing=computing)

    assert seen == [False, True]
