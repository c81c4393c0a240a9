"""The index of texts finds what the examination of all invoices finds, on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain, product

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.cli import doctor_checks
from einvoice.services.account import tenants
from einvoice.store.core import db, postgresql
from einvoice.store.core.postgresql import Optimisations
from einvoice.store.installation import schema_revisions
from einvoice.store.invoices import invoice_filters, lists, text_index
from einvoice.store.invoices.invoice_filters import BuyerFilter, InvoiceFilter
from einvoice.store.tables import Invoice
from tests import databases
from tests.builders import accepted
from tests.store.plans import executed, plan_of

INDEX = "ix_invoices_text"
START = clock.now() - timedelta(hours=1)
NUMBERS = ("INV-2026/001", "100%_sure", "Zebra 7", "ÉTÉ-5", "zeb", "inv-2026/002", "7", "Рога-1")


@pytest.fixture
def database_url(request, tmp_path):
    with databases.fresh(request, "postgresql", tmp_path) as url:
        yield url


@pytest.fixture
def store_optimisations() -> Optimisations:
    return postgresql.ALL


@pytest.fixture
def numbered(app, tenant, monkeypatch) -> str:
    """A tenant with an invoice of each number, and newer ones than a page examines."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 4)
    for position, number in enumerate([*NUMBERS, *(f"new-{i}" for i in range(6))]):
        accepted(tenant, number=number, created_at=START + timedelta(seconds=position))
    return tenant


def walk(tenant, text, **filters) -> list[list[str]]:
    """The numbers on each page of two, newest first."""
    wanted = InvoiceFilter(tenant, "test", text=text, **filters)
    pages, after = [], None
    while True:
        page = lists.page(wanted, 2, after=after, newest_first=True)
        pages.append([item.number for item in page.items])
        if page.end is None:
            return pages
        after = page.end


def test_rare_old_invoices_are_on_the_first_page(numbered):
    """Behind more newer ones than a page examines; text and pages in any case of letters."""
    assert walk(numbered, "ZEBRA") == [["Zebra 7"]]
    assert walk(numbered, "2026/00") == [["inv-2026/002", "INV-2026/001"]]
    assert walk(numbered, "no such number") == [[]]


CUSTOMERS = {
    "participant id": BuyerFilter(("0208:0999999999",), None, "-"),
    "tax id": BuyerFilter((), "BE0999999999", "-"),
    "both": BuyerFilter(("0208:0999999999",), "BE0999999999", "-"),
    "name": BuyerFilter((), None, "RARELY & SONS"),
}


@pytest.mark.parametrize("buyer", CUSTOMERS.values(), ids=CUSTOMERS)
def test_old_invoices_of_a_customer_of_few_are_on_the_first_page(numbered, buyer):
    """Not behind a page for every few thousand newer invoices."""
    changed = {
        "receiver": "0208:0999999999",
        "buyer_tax_id": "be 0999.999-999",
        "buyer_name": "Rarely & Sons",
    }
    with db.writing() as connection:
        connection.execute(sa.update(Invoice).where(Invoice.number == NUMBERS[0]).values(changed))

    assert walk(numbered, None, buyer=buyer) == [[NUMBERS[0]]]
    assert walk(numbered, None, buyer=buyer, currency="SEK") == [[]]


TEXTS = ["zeb", "2026/", "0%_s", "%", "_", "7", "new-", "É", "été-5", "Рога", "рога", "acme", "a"]


FILTERS = [{}, {"status": "Processing"}, {"currency": "SEK"}]


def test_the_index_changes_no_result(numbered):
    """Of any text and filters: neither which invoices are found nor how many are counted."""

    def found(text: str, filters: dict[str, str]) -> list[str]:
        return list(chain(*walk(numbered, text, **filters)))

    cases = list(product(TEXTS, FILTERS))
    with_index = [found(*case) for case in cases]
    counted = [lists.count(InvoiceFilter(numbered, "test", text=t, **f)) for t, f in cases]
    with db.writing() as connection:
        connection.execute(sa.text("DROP INDEX ix_invoices_text"))

    for case, numbers, total in zip(cases, with_index, counted, strict=True):
        assert found(*case) == numbers, case
        assert len(numbers) == total, case


def test_invoices_of_other_tenants_and_environments_are_not_found(numbered):
    accepted(tenants.create("Other"), number="Zebra 8")
    accepted(numbered, number="Zebra 9", environment="live")

    assert walk(numbered, "zebra") == [["Zebra 7"]]


def test_a_frequent_word_is_read_page_by_page(numbered):
    """Of more invoices than a page examines; pages may be short, and all are found."""
    pages = walk(numbered, "new-")

    assert len(pages) > 1
    assert list(chain(*pages)) == [f"new-{i}" for i in reversed(range(6))]


def test_a_search_of_which_too_much_is_expected_is_not_begun(numbered, monkeypatch):
    """By the statistics of the table: the index would have to find all of it first."""
    wanted = InvoiceFilter(numbered, "test", text="zebra", currency="SEK")
    with executed() as found:
        lists.page(wanted, 2, after=None, newest_first=True)
        monkeypatch.setattr(lists, "MAX_EXPECTED", 0)
        lists.page(wanted, 2, after=None, newest_first=True)

    searches = [sql for sql, _, _ in found if sql.startswith("WITH") and "like" in sql.lower()]
    assert len(searches) == 1


def test_a_search_that_takes_too_long_is_given_up(app, monkeypatch):
    """The transaction goes on, with the time-out that it had."""
    monkeypatch.setattr(lists, "TEXT_SEARCH_MS", 20)
    with db.reading_by_key() as connection:
        before = connection.execute(sa.text("SHOW statement_timeout")).scalar()
        found = lists._within_time(connection, sa.select(sa.text("pg_sleep(10)::text")))
        after = connection.execute(sa.text("SHOW statement_timeout")).scalar()

    assert found is None
    assert after == before


def test_new_entries_are_merged_once(numbered):
    text_index.merge()
    accepted(numbered, number="one more")

    assert text_index.merge() > 0
    assert text_index.merge() == 0


def test_without_the_extensions_the_schema_is_upgraded_and_doctor_says_so(numbered, monkeypatch):
    """The search examines; when the extensions are there, `db text-index` builds the index."""
    schema_revisions.downgrade("0032")
    with db.writing() as connection:
        connection.execute(sa.text("DROP EXTENSION pg_trgm, btree_gin"))
    there = text_index.CREATE_EXTENSIONS
    monkeypatch.setattr(text_index, "CREATE_EXTENSIONS", there.replace("pg_trgm", "no_such"))
    schema_revisions.upgrade()
    unbuilt, found = text_index.build(), list(chain(*walk(numbered, "zebra")))
    said = [problem.message for problem in doctor_checks.check_database()]
    monkeypatch.setattr(text_index, "CREATE_EXTENSIONS", there)
    built, again = text_index.build(), text_index.build()
    left = [problem.message for problem in doctor_checks.check_database()]

    assert (unbuilt, built, again) == (False, True, True)
    assert found == ["Zebra 7"]
    assert any("text search has no index" in message for message in said)
    assert not any("text search" in message for message in left)
    assert walk(numbered, "zebra") == [["Zebra 7"]]


def test_the_condition_of_a_search_is_one_of_the_index(numbered):
    """Of the number and both names: the planner finds it among the operators of the index."""
    condition = invoice_filters.conditions(InvoiceFilter(numbered, "test", text="Zebra"))["text"]
    with executed() as found, db.reading_by_key() as connection:
        connection.execute(sa.select(sa.func.count()).select_from(Invoice).where(condition))
    conditions = [
        node["Index Cond"] for node in plan_of(found[0]) if node.get("Index Name") == INDEX
    ]

    assert len(conditions) == 3
    assert all("~~ '%zebra%'" in one for one in conditions)
