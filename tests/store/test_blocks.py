"""Totals are exact, whatever is counted in blocks and whatever changes meanwhile."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.services.account import tenants
from einvoice.services.invoices import block_counts
from einvoice.services.invoices.block_counts import CountingRound
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.invoices import blocks, kind_counts, lists
from einvoice.store.invoices.blocks import Counted
from einvoice.store.invoices.invoice_filters import InvoiceFilter
from einvoice.store.sending import resends
from einvoice.store.sending.resends import Resend
from einvoice.store.tables import InvoiceBlock, Transmission
from tests.builders import accepted
from tests.store.plans import executed

START = clock.now() - timedelta(days=2)
FINAL = ("Delivered", "Failed", "Received")


@pytest.fixture
def small_blocks(monkeypatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 5)


def add(tenant, second, status, environment="test") -> str:
    """A document created so many seconds after START; its transmission's id."""
    at = START + timedelta(seconds=second)
    send = accepted(tenant, created_at=at, environment=environment)
    settle(send.transmission_id, status)
    return send.transmission_id


def settle(transmission_id, status) -> None:
    with db.writing() as connection:
        connection.execute(
            sa.update(Transmission).where(Transmission.id == transmission_id).values(status=status)
        )


def count(tenant) -> None:
    """Count all that can be counted."""
    block_counts.count(tenant, math.inf)


def total(tenant, **filters) -> int:
    return lists.count(InvoiceFilter(tenant, "test", **filters))


def counted(tenant) -> list[bool]:
    """Whether each block is counted."""
    query = (
        sa.select(InvoiceBlock.delivered.is_not(None))
        .where(InvoiceBlock.tenant_id == tenant)
        .order_by(InvoiceBlock.environment, InvoiceBlock.since)
    )
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


def test_totals_are_those_of_the_documents(app, tenant, small_blocks):
    """By status, direction and time; with several documents of one moment at the edges of blocks,
    documents of others, and a block with a document that is Processing."""
    chance = random.Random(7)
    made = [(min(n // 2 * 2, 40), chance.choice(FINAL)) for n in range(50)]
    made[30] = (made[30][0], "Processing")
    for second, status in made:
        add(tenant, second, status)
    add(tenants.create("Other"), 3, "Delivered")
    add(tenant, 3, "Delivered", environment="live")
    count(tenant)

    assert True in counted(tenant)
    assert False in counted(tenant)
    by_status = Counter(status for _, status in made)
    assert total(tenant) == 50
    assert type(total(tenant)) is int
    for status in (*FINAL, "Processing"):
        assert total(tenant, status=status) == by_status[status]
    assert total(tenant, direction="received", status="Failed") == 0
    for first, last in ((0, 40), (1, 39), (7, 31), (10, 10), (11, 11), (30, 99)):
        bounds = {
            "created_from": START + timedelta(seconds=first),
            "created_to": START + timedelta(seconds=last),
        }
        within = Counter(status for second, status in made if first <= second <= last)
        assert total(tenant, **bounds) == within.total()
        assert total(tenant, status="Failed", **bounds) == within["Failed"]


def test_a_block_is_counted_when_its_last_document_is_final(app, tenant, small_blocks):
    waiting = add(tenant, 2, "Processing")
    for second in range(3, 12):
        add(tenant, second, "Delivered")
    count(tenant)
    before = counted(tenant), total(tenant, status="Delivered")
    settle(waiting, "Failed")
    count(tenant)

    assert before == ([False], 9)
    assert counted(tenant) == [True]
    assert (total(tenant, status="Failed"), total(tenant, status="Delivered")) == (1, 9)


def test_new_documents_are_in_no_block(app, tenant, small_blocks):
    """A transaction may commit later than one that began after it."""
    for _ in range(12):
        accepted(tenant, created_at=clock.now() - blocks.MAX_DELAY / 2)
    count(tenant)

    assert counted(tenant) == []
    assert total(tenant) == 12


def test_a_resend_opens_the_block_of_its_document(app, tenant, small_blocks):
    failed = add(tenant, 2, "Failed")
    for second in range(3, 12):
        add(tenant, second, "Delivered")
    count(tenant)
    before = counted(tenant)
    with db.reading() as connection:
        invoice_id = connection.execute(
            sa.select(Transmission.invoice_id).where(Transmission.id == failed)
        ).scalar_one()
    now = clock.now()
    resends.resend(
        Resend(invoice_id, failed, "txn_new", tenant, "test", "simulator", None, None, now,
               outbox.BULK, now)
    )  # fmt: skip
    after = counted(tenant)

    assert (before, after) == ([True], [False])
    assert total(tenant, status="Failed") == 0
    assert total(tenant, status=NetworkStatus.PROCESSING) == 1
    assert total(tenant) == 10


def test_counts_are_forgotten_with_the_documents_of_an_import(app, tenant, small_blocks):
    """Of another place in the order of creation."""
    for second in range(2, 12):
        add(tenant, second, "Delivered")
    count(tenant)
    add(tenant, 4, "Delivered")
    with db.writing() as connection:
        blocks.forget(connection, Counted(tenant, "test"))

    assert total(tenant) == 11
    count(tenant)
    assert total(tenant) == 11


def test_a_total_is_one_statement(app, tenant, small_blocks):
    """So it is exact at one moment, while documents change from one status to another."""
    for second in range(12):
        add(tenant, second, "Delivered")
    count(tenant)
    with executed() as found:
        assert total(tenant) == 12

    assert len(found) == 1


def test_a_round_counts_the_documents_of_all_tenants(app, small_blocks, monkeypatch):
    """In steps of a few tenants; then the round begins at the first one again."""
    monkeypatch.setattr(block_counts, "TENANTS_PER_STEP", 2)
    monkeypatch.setattr(block_counts, "STEP_SECONDS", math.inf)
    names = [tenants.create(f"Tenant {number}") for number in range(3)]
    for tenant in names:
        for second in range(12):
            add(tenant, second, "Delivered")
    work = CountingRound()
    steps = [work.step(), work.step()]

    assert steps == [True, False]
    assert [counted(tenant) for tenant in names] == [[True, True]] * 3
    assert work.step() is True


def test_a_step_ends_when_its_time_has_passed(app, tenant, small_blocks, monkeypatch):
    """After one block of each environment; the same tenant is next."""
    monkeypatch.setattr(block_counts, "STEP_SECONDS", -1.0)
    for second in range(18):
        add(tenant, second, "Delivered")
    work = CountingRound()
    steps = [work.step() for _ in range(4)]

    assert steps == [True, True, True, False]
    assert counted(tenant) == [True, True, True]


# -- by access point -------------------------------------------------------------------------------


def by_kind(tenant, first=None, end=None) -> dict[tuple[str, str], int]:
    """As the usage of platforms counts them, from one moment to another."""
    found = kind_counts.of_tenants(
        [tenant], "test", first or START - timedelta(days=1), end or START + timedelta(days=1)
    )
    sums: dict[tuple[str, str], int] = {}
    for one in found:
        key = one.access_point, one.status
        sums[key] = sums.get(key, 0) + one.documents
    return sums


def of_rows(tenant, first=None, end=None) -> dict[tuple[str, str], int]:
    """The same by reading every document."""
    query = (
        sa.select(Transmission.access_point, Transmission.status, sa.func.count())
        .where(
            Transmission.tenant_id == tenant,
            Transmission.environment == "test",
            Transmission.listed_at >= (first or START - timedelta(days=1)),
            Transmission.listed_at < (end or START + timedelta(days=1)),
        )
        .group_by(Transmission.access_point, Transmission.status)
    )
    with db.reading() as connection:
        return {(row[0], row[1]): row[2] for row in connection.execute(query)}


def test_counts_by_access_point_are_those_of_the_documents(app, tenant, small_blocks):
    """Whole blocks, parts of blocks, an open one between others, and documents after the last."""
    for second in range(33):
        made = add(tenant, second, FINAL[second % 3] if second != 12 else "Processing")
        if second % 4 == 0:
            _send_by(made, "other-test")
    count(tenant)
    times = [START + timedelta(seconds=second) for second in (0, 3, 5, 11, 20, 29, 40)]

    wrong = [
        (first, end)
        for first in times
        for end in times
        if first < end and by_kind(tenant, first, end) != of_rows(tenant, first, end)
    ]

    assert wrong == []
    assert counted(tenant).count(True) >= 4


def _send_by(transmission_id, access_point) -> None:
    one = Transmission.id == transmission_id
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).where(one).values(access_point=access_point))


def test_counted_blocks_are_not_read_again(app, tenant, small_blocks):
    """What is changed without opening its block is not seen, so its documents were not read."""
    made = [add(tenant, second, "Delivered") for second in range(12)]
    count(tenant)
    settle(made[0], "Failed")

    assert {status: number for (_, status), number in by_kind(tenant).items()} == {"Delivered": 12}


@pytest.mark.parametrize("change", [{"kinds": None}, {"failed": 1}])
def test_a_block_that_the_release_before_has_counted_is_read(app, tenant, small_blocks, change):
    """It counts without kinds, and leaves those of an earlier count."""
    for second in range(12):
        add(tenant, second, "Delivered")
    count(tenant)
    with db.writing() as connection:
        one = InvoiceBlock.tenant_id == tenant
        connection.execute(sa.update(InvoiceBlock).where(one).values(**change))

    assert by_kind(tenant) == of_rows(tenant)
    if change == {"kinds": None}:
        count(tenant)
        with db.reading() as connection:
            query = sa.select(InvoiceBlock.kinds).where(InvoiceBlock.tenant_id == tenant)
            assert None not in connection.execute(query).scalars().all()
