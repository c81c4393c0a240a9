"""The items of the monthly reports, and the reports made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from lxml import etree

from einvoice import clock
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE, DocumentTypeId, ProcessId
from einvoice_peppol import mls, reports
from einvoice_peppol.reporting import RECEIVED, SENT, Item, Ledger, bounds
from plugins.peppol.tests import official
from tests.memory_store import MemoryStore

VECTORS = Path(__file__).parent / "vectors" / "reports"
OCTOBER = date(2026, 10, 1)
SEAT = "POP000001"
SENT_ITEM = Item(
    "m-1", datetime(2026, 10, 2, 10, tzinfo=UTC), SENT, SEAT, "POP000002", BIS_INVOICE,
    BIS_BILLING_PROCESS, "BE", None, "user-1",
)  # fmt: skip
RECEIVED_ITEM = replace(
    SENT_ITEM, key="i-1", direction=RECEIVED, c2="POP000002", c3=SEAT, country_c4="NL"
)


@pytest.fixture
def store(monkeypatch):
    made = MemoryStore()
    made.now = SENT_ITEM.at
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


@pytest.fixture
def ledger(store):
    return Ledger(store, "peppol")


# -- items ---------------------------------------------------------------------------------------


def test_what_was_recorded_is_read_again(ledger):
    ledger.record([SENT_ITEM, RECEIVED_ITEM])
    ledger.record([replace(SENT_ITEM, key="m-2", end_user=None)])

    assert [*ledger.items(OCTOBER)] == [
        SENT_ITEM,
        RECEIVED_ITEM,
        replace(SENT_ITEM, key="m-2", end_user=None),
    ]


def test_an_exchange_that_was_recorded_twice_counts_once(ledger):
    """A worker that dies records what it did not settle again."""
    ledger.record([SENT_ITEM])
    ledger.record([replace(SENT_ITEM, at=SENT_ITEM.at + timedelta(minutes=1)), RECEIVED_ITEM])

    assert [each.key for each in ledger.items(OCTOBER)] == ["m-1", "i-1"]


def test_the_same_id_in_both_directions_is_two_exchanges(ledger):
    ledger.record([SENT_ITEM, replace(RECEIVED_ITEM, key=SENT_ITEM.key)])

    assert len([*ledger.items(OCTOBER)]) == 2


@pytest.mark.parametrize(
    ("moment", "counted"),
    [
        (datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC), False),
        (datetime(2026, 10, 1, tzinfo=UTC), True),
        (datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC), True),
        (datetime(2026, 11, 1, tzinfo=UTC), False),
    ],
)
def test_an_exchange_belongs_to_its_month_in_utc(ledger, store, moment, counted):
    store.now = moment
    ledger.record([replace(SENT_ITEM, at=moment)])

    assert bool([*ledger.items(OCTOBER)]) is counted


def test_a_received_document_that_was_judged_later_belongs_to_its_month(ledger, store):
    store.now = datetime(2026, 11, 2, tzinfo=UTC)
    ledger.record([replace(RECEIVED_ITEM, at=datetime(2026, 10, 31, 23, 59, tzinfo=UTC))])

    assert len([*ledger.items(OCTOBER)]) == 1


def test_each_network_has_items_of_its_own(ledger, store):
    Ledger(store, "peppol-test").record([SENT_ITEM])

    assert [*ledger.items(OCTOBER)] == []


@pytest.mark.parametrize("kind", [reports.TSR_TYPE, reports.EUSR_TYPE])
def test_reports_are_not_reported(ledger, kind):
    ledger.record([replace(SENT_ITEM, document_type=kind)])

    assert [*ledger.items(OCTOBER)] == []


def test_many_items_are_written_in_few_records_and_read_in_pages(ledger, store):
    ledger.record([replace(SENT_ITEM, key=f"m-{n}") for n in range(120)])
    assert len(store.records) == 3
    for number in range(1200):
        ledger.record([replace(RECEIVED_ITEM, key=f"i-{number}")])

    assert len([*ledger.items(OCTOBER)]) == 1320


def test_long_items_are_split_into_records_that_fit(ledger, store):
    long = DocumentTypeId("busdox-docid-qns", "x" * 2000)
    ledger.record([replace(SENT_ITEM, key=f"m-{n}", document_type=long) for n in range(50)])

    assert len(store.records) == 2
    assert len([*ledger.items(OCTOBER)]) == 50


def test_a_record_that_cannot_be_read_does_not_hide_the_others(ledger, store):
    store.append("exchanges-peppol", "nonsense\n[1]")
    ledger.record([SENT_ITEM])

    assert [*ledger.items(OCTOBER)] == [SENT_ITEM]


@pytest.mark.parametrize(
    ("day", "first", "last"),
    [
        (date(2026, 1, 31), date(2026, 1, 1), date(2026, 2, 1)),
        (date(2026, 11, 1), date(2026, 11, 1), date(2026, 12, 1)),
        (date(2026, 12, 31), date(2026, 12, 1), date(2027, 1, 1)),
    ],
)
def test_the_bounds_of_a_month(day, first, last):
    assert [moment.date() for moment in bounds(day)] == [first, last]


# -- reports -------------------------------------------------------------------------------------


def items_of_vector():
    for number, line in enumerate((VECTORS / "items.txt").read_text().splitlines()):
        at, direction, c2, c3, scheme, kind, by, process, c1, c4, user = line.split("|")
        yield Item(
            str(number), datetime.fromisoformat(at), direction, c2, c3,
            DocumentTypeId(scheme, kind), ProcessId(by, process), c1, c4 or None, user,
        )  # fmt: skip


def content_of(document):
    """All elements with attributes and texts; the order of the parts is free."""
    root = etree.fromstring(document)
    parts = [each for each in root if len(each) and etree.QName(each).localname[:3] == "Sub"]
    rest = [each for each in root if each not in parts]
    return [_content(each) for each in rest], Counter(_content(each) for each in parts)


def _content(element):
    inner = tuple(_content(each) for each in element)
    return element.tag, tuple(sorted(element.attrib.items())), (element.text or "").strip(), inner


@pytest.mark.parametrize(
    ("make", "name"),
    [(reports.transaction_statistics, "tsr"), (reports.end_user_statistics, "eusr")],
)
def test_the_reports_are_those_that_peppol_reporting_makes(make, name):
    made = make([*items_of_vector()], OCTOBER, SEAT)

    assert content_of(made) == content_of((VECTORS / f"{name}.xml").read_bytes())


STATUS = replace(
    RECEIVED_ITEM, key="s", document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS, end_user=None
)
CASES = [
    [],
    [SENT_ITEM],
    [RECEIVED_ITEM],
    [SENT_ITEM, RECEIVED_ITEM, STATUS],
    [STATUS],
    [replace(RECEIVED_ITEM, country_c4=None, end_user=None)],
    [replace(SENT_ITEM, key=str(n), end_user=f"u{n % 3}", c3=f"POP00000{n % 4}") for n in range(9)],
    [*items_of_vector()],
]


@pytest.mark.parametrize("items", CASES)
@pytest.mark.parametrize("month", [OCTOBER, date(2026, 12, 31), date(2028, 2, 29)])
def test_transaction_statistics_keep_the_official_rules(items, month):
    made = reports.transaction_statistics(items, month, SEAT)

    assert reports.check_transaction_statistics(made) == []
    assert official.conforms(official.TSR_SCHEMA, made)
    assert official.failures(official.TSR, made) == []


@pytest.mark.parametrize("items", CASES)
def test_end_user_statistics_keep_the_official_rules(items):
    made = reports.end_user_statistics(items, OCTOBER, SEAT)

    assert reports.check_end_user_statistics(made) == []
    assert official.conforms(official.EUSR_SCHEMA, made)
    assert official.failures(official.EUSR, made) == []


def test_the_ids_of_customers_are_not_reported():
    made = reports.end_user_statistics([SENT_ITEM], OCTOBER, SEAT)

    assert b"user-1" not in made


def test_a_customer_with_several_ids_is_one_end_user():
    items = [SENT_ITEM, replace(SENT_ITEM, key="m-2"), replace(RECEIVED_ITEM, end_user="user-1")]
    root = etree.fromstring(reports.end_user_statistics(items, OCTOBER, SEAT))

    assert [each.text for each in root.find("{*}FullSet")] == ["1", "1", "1"]


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"<Incoming>1<", b"<Incoming>2<"), (b"<Outgoing>1<", b"<Outgoing>0<")],
)
def test_wrong_sums_of_transactions_are_found_as_officially(before, after):
    made = reports.transaction_statistics([SENT_ITEM, RECEIVED_ITEM], OCTOBER, SEAT)
    wrong = made.replace(before, after, 1)
    found = reports.check_transaction_statistics(wrong)

    assert found
    assert {each[:10] for each in found} <= set(official.failures(official.TSR, wrong))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"<SendingEndUsers>1<", b"<SendingEndUsers>0<"),
        (b"OrReceivingEndUsers>1<", b"OrReceivingEndUsers>0<"),
        (b'"PerEUC"', b'"PerDT-EUC"'),
    ],
)
def test_impossible_numbers_of_end_users_are_found(before, after):
    made = reports.end_user_statistics([SENT_ITEM, RECEIVED_ITEM], OCTOBER, SEAT)
    wrong = made.replace(before, after)

    assert reports.check_end_user_statistics(wrong)
    assert official.failures(official.EUSR, wrong)
