"""What concerns one purchase puts it aside; what concerns one list leaves the others.

Cases 1 to 6, 22 and 24 of clients of KSeF: an export that is never built, an order that is lost, an
invoice that is listed and not there yet, refused alone, with another digest, or of another form.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal

import pytest

from einvoice import clock
from einvoice.network.connections import NeedsPerson
from einvoice.network.mailboxes import MAX_CURSOR_LENGTH, Fetched, NotFetched
from einvoice.network.put_aside import MAX_ENTRIES, WAITS, PutAside
from einvoice_ksef import mailbox, mailbox_faults
from einvoice_ksef.items import Item
from einvoice_ksef.places import Cursor, Ordered, Place
from plugins.ksef.tests import company
from plugins.ksef.tests.receiving import DOWNLOAD, EXPORT, EXPORTED, METADATA, ids
from tests.networks.ksef import storage
from tests.networks.stand_ins import PAGE

pytestmark = pytest.mark.usefixtures("move")
AGAIN = WAITS[0] + timedelta(seconds=1)


def faults(point):
    return [
        (each.subject, each.reason) for each in mailbox_faults.open_faults(point.store, point.name)
    ]


def aside(inbox):
    return [each["id"] for each in json.loads(inbox.cursor).get("aside", ())]


@pytest.mark.parametrize("way", ["not_ready", "withheld"])
def test_an_invoice_that_is_not_handed_out_waits_alone(
    point, inbox, arrive, authority, move, service, way
):
    """The others are taken at once, and it when it is due; the account is not blamed."""
    numbers = arrive(4)
    getattr(authority, way).add(numbers[1])
    fetched = inbox.fetch()

    assert ids(fetched.documents) == [numbers[0], numbers[2], numbers[3]]
    assert (fetched.more, aside(inbox)) == (False, [numbers[1]])
    assert [subject for subject, _ in faults(point)] == [numbers[1]]
    move(seconds=AGAIN.total_seconds())
    assert ids(inbox.fetch().documents) == []
    getattr(authority, way).clear()
    asked = len(service.named(DOWNLOAD))
    assert ids(inbox.fetch().documents) == []
    assert len(service.named(DOWNLOAD)) == asked
    move(seconds=WAITS[1].total_seconds())
    assert ids(inbox.fetch().documents) == [numbers[1]]
    assert (aside(inbox), faults(point)) == ([], [])


def test_a_document_that_waits_is_not_lost_by_a_restart(inbox, arrive, authority, move):
    """It is part of the cursor, which is stored with the documents; the same fetch repeated has the
    same documents."""
    numbers = arrive(2)
    authority.not_ready.add(numbers[0])
    inbox.fetch()
    authority.not_ready.clear()
    move(seconds=AGAIN.total_seconds())
    first, again = (inbox.point.fetch(inbox.connection, inbox.cursor) for _ in range(2))

    assert ids(first.documents) == ids(again.documents) == [numbers[0]]


def test_an_account_without_any_right_to_download_is_no_fault_of_documents(
    point, inbox, arrive, authority
):
    """After five in a row the fetch ends for a minute; the next one goes on with the others."""
    numbers = arrive(8)
    authority.withheld.update(numbers)
    first = inbox.fetch()

    assert (first.documents, first.retry_after) == ((), 60.0)
    assert aside(inbox) == numbers[:5]
    assert not isinstance(inbox.fetch(), NeedsPerson)
    assert aside(inbox) == numbers


def test_the_list_waits_while_too_many_documents_do(inbox, arrive, authority, move, monkeypatch):
    monkeypatch.setattr("einvoice.network.put_aside.MAX_ENTRIES", 3)
    numbers = arrive(5)
    authority.withheld.update(numbers)
    fetched = inbox.fetch()

    assert (aside(inbox), fetched.retry_after) == (numbers[:3], 900.0)
    authority.withheld.clear()
    move(seconds=AGAIN.total_seconds())
    assert sorted(ids(inbox.fetch().documents)) == sorted(numbers)
    assert MAX_ENTRIES > 3


@pytest.mark.parametrize("count", [5, 25])
def test_a_document_with_another_digest_is_stored_with_a_warning(
    point, inbox, arrive, authority, count
):
    """Singly and in a package, with both digests."""
    numbers = arrive(count)
    listed = "A" * 43 + "="
    authority.listed_as[numbers[2]] = {"invoiceHash": listed}
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == numbers
    warned = {each.instance_id: each.warnings for each in inbox.stored.values() if each.warnings}
    ((number, (warning,)),) = warned.items()
    assert (number, warning.code) == (numbers[2], "digest-differs")
    assert listed in warning.message
    assert authority.archive[numbers[2]].hash in warning.message


@pytest.mark.parametrize(
    "content", [b"", PAGE, b"<html xmlns='http://www.w3.org/1999/xhtml'/>", b"\x81"]
)
def test_a_page_in_place_of_a_document_is_never_stored(inbox, arrive, authority, move, content):
    """At first it is taken for a fault of the network, after three fetches for one of the document.

    The document comes later, by itself.
    """
    numbers = arrive(3)
    good, authority.archive[numbers[0]].content = authority.archive[numbers[0]].content, content
    found = [ids(inbox.fetch().documents) for _ in range(3)]

    assert found == [[], [], numbers[1:]]
    assert aside(inbox) == [numbers[0]]
    authority.archive[numbers[0]].content = good
    move(seconds=AGAIN.total_seconds())
    assert ids(inbox.fetch().documents) == [numbers[0]]


@pytest.mark.parametrize("fault", ["gateway", "lost", "html"])
def test_a_network_without_downloads_is_not_a_fault_of_many_documents(
    inbox, arrive, service, fault
):
    """However long it lasts, two of them wait for it at most."""
    numbers = arrive(6)
    service.faults = lambda call: fault if call == DOWNLOAD else None
    outcomes = [inbox.fetch() for _ in range(12)]

    assert not any(getattr(each, "documents", ()) for each in outcomes)
    assert aside(inbox) == numbers[:2]
    service.faults = lambda call: None
    assert ids(inbox.fetch().documents) == numbers[2:]


# -- entries of another form -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"permanentStorageDate": "yesterday"},
        {"permanentStorageDate": None},
        {"seller": {}},
        {"seller": {"nip": None, "name": 7}},
        {"formCode": "FA"},
        {"invoiceHash": None, "grossAmount": "a lot", "issueDate": [], "currency": "zł"},
        {"thirdSubjects": [None, {"identifier": 1}]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("count", [3, 11])
def test_an_entry_that_names_an_invoice_is_taken_whatever_else_it_says(
    inbox, arrive, authority, service, change, count
):
    numbers = arrive(count)
    authority.listed_as[numbers[1]] = change
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == numbers
    sender = inbox.stored[numbers[1]].sender.value
    assert sender == f"PL{company.SELLER}"
    service.exchanges.clear()  # the list is not as published


@pytest.mark.parametrize(
    "entry", [{"ksefNumber": None}, {"ksefNumber": "../../sessions"}, {"ksefNumber": 7}]
)
@pytest.mark.parametrize("count", [3, 12])
def test_an_entry_that_names_no_invoice_is_kept_and_said_and_the_others_are_taken(
    point, inbox, arrive, authority, service, entry, count
):
    numbers = arrive(count)
    authority.listed_as[numbers[1]] = entry | {"note": "new in 2027"}
    for _ in range(3):
        while inbox.fetch().more:
            pass

    assert list(inbox.stored) == [numbers[0], *numbers[2:]]
    ((subject, reason),) = faults(point)
    assert subject == "entry of a list"
    assert reason.startswith("it has no KSeF number")
    (kept,) = json.loads(point.store.get(f"entries-{point.name}-{company.BUYER}"))
    assert json.loads(kept)["note"] == "new in 2027"
    service.exchanges.clear()  # the list is not as published


def test_what_the_list_says_is_given_with_the_document(inbox, arrive, authority):
    """Amounts, dates and names, for documents that cannot be read (case 24)."""
    (number,) = arrive(1)
    inbox.fetch()
    head = inbox.stored[number].stated
    facts = authority.archive[number].facts

    assert (head.number, head.issue_date) == (facts.number, date.fromisoformat(facts.issued))
    assert (head.grand_total, head.currency) == (Decimal(str(facts.gross)), facts.currency)
    assert (head.supplier_name, head.supplier_tax_id) == (facts.seller_name, f"PL{facts.seller}")


@pytest.mark.parametrize(
    "values",
    [
        {"grossAmount": float("nan"), "netAmount": 1e300, "vatAmount": True},
        {"invoiceNumber": "\x00\ud800", "issueDate": "2026-13-45", "currency": "pln"},
        {"seller": {"name": "\x00"}},
    ],
)
def test_what_the_list_says_is_only_taken_where_it_can_be_stored(values):
    number = company.NUMBER
    head = Item.of({"ksefNumber": number} | values, "2026-01-01T00:00:00Z").head()

    told = {name: getattr(head, name) for name in head.__slots__ if getattr(head, name) is not None}
    assert told == {"supplier_tax_id": f"PL{number[:10]}", "supplier_country": "PL"}


HOSTILE = {
    "permanentStorageDate": f"2026-07-11T12:23:56.{'1' * 100_000}+00:00",
    "invoiceNumber": "\ud800ż\x00" * 40_000,
    "invoiceHash": "ż" * 100_000,
    "issueDate": "ż" * 100_000,
    "currency": "ż" * 100_000,
    "grossAmount": "9" * 100_000,
    "seller": {"nip": "ż" * 100_000, "name": "ż" * 100_000},
    "formCode": {"systemCode": "ż" * 100_000, "schemaVersion": "ż" * 100_000},
}


def test_a_cursor_fits_whatever_the_lists_say():
    """With as many documents that wait as may, pages that are done, and orders."""
    now, aside = clock.now(), PutAside()
    for place in range(MAX_ENTRIES):
        number = f"{place:060}"
        item = Item.of({"ksefNumber": number} | HOSTILE, now.isoformat())
        values = {"item": item.as_text(), "list": "Subject2"}
        aside = aside.with_failed(number, values, "ż" * mailbox._MAX_REASON, now)
    done = tuple(f"{place:035}" for place in range(100))
    then = Place(now.isoformat(), done=done[:60])
    order = Ordered("r" * 100, "n" * 32, 100, now.isoformat(), then)
    places = {
        name: Place(now.isoformat(), done=done, order=order, until=until)
        for name, until in (
            ("Subject2", None),
            ("Subject3", None),
            ("Subject2 again", now.isoformat()),
            ("Subject3 again", now.isoformat()),
        )
    }
    cursor = Cursor(places, looked={"hours": now.isoformat(), "day": "2026-11-23"}, aside=aside)

    assert len(cursor.text()) <= MAX_CURSOR_LENGTH
    assert Cursor.parse(cursor.text(), ("Subject2", "Subject3"), now) == cursor


def test_hostile_entries_stop_nothing(point, inbox, arrive, authority, service):
    numbers = arrive(4)
    for number in numbers[:2]:
        authority.listed_as[number] = HOSTILE | {"invoiceNumber": "\x00ż" * 40_000}
    authority.not_ready.add(numbers[0])
    authority.listed_as[numbers[3]] = {"ksefNumber": "x" * 100_000}
    fetched = inbox.fetch()

    assert ids(fetched.documents) == numbers[1:3]
    assert max(len(reason) for _, reason in faults(point)) <= 500
    service.exchanges.clear()  # the list is not as published


# -- packages --------------------------------------------------------------------------------------


def test_a_package_that_is_not_built_in_an_hour_is_ordered_again(
    point, inbox, arrive, authority, service, move
):
    """The operator is told, until a package is built."""
    numbers = arrive(12)
    authority.export_delay = timedelta(days=3)
    assert inbox.fetch().retry_after == 10.0
    move(minutes=59)
    assert isinstance(inbox.fetch(), NotFetched)
    assert len(service.named(EXPORT)) == 1
    move(minutes=2)
    authority.export_delay = timedelta(0)
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == numbers
    assert (len(service.named(EXPORT)), service.named(DOWNLOAD)) == (2, [])
    assert faults(point) == []


def test_invoices_are_fetched_singly_for_a_while_when_two_packages_were_not_built(
    point, inbox, arrive, authority, service, move
):
    numbers = arrive(34)
    at = authority.now()
    for place, number in enumerate(numbers):  # twelve at once, and eleven twice later
        later = {0: 0.0, 1: 3.1, 2: 10.0}[max(0, (place - 1) // 11)]
        authority.archive[number].stored = at + timedelta(hours=later, seconds=place / 100 - 1)
    authority.export_delay = timedelta(days=3)
    for _ in range(3):
        inbox.fetch()
        move(minutes=61)
    ((subject, _),) = faults(point)
    assert (list(inbox.stored), subject) == (numbers[:12], "package of Subject2")
    move(minutes=10)
    inbox.fetch()
    assert (list(inbox.stored), len(service.named(EXPORT))) == (numbers[:23], 2)
    move(hours=7)
    inbox.fetch()
    assert (list(inbox.stored), len(service.named(EXPORT))) == (numbers[:23], 3)


def test_an_order_that_is_not_known_any_more_is_given_at_once_again(
    inbox, arrive, authority, service
):
    """21175, after a reset of the authority."""
    numbers = arrive(12)
    authority.export_delay = timedelta(minutes=5)
    inbox.fetch()
    authority.exports.clear()
    authority.export_delay = timedelta(0)
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == numbers
    assert [each.answer.status for each in service.named(EXPORTED)] == [200, 400, 200]


def test_an_order_whose_state_is_never_answered_is_dropped_after_an_hour(
    inbox, arrive, authority, service, move
):
    numbers = arrive(12)
    inbox.point.keys.current("SymmetricKeyEncryption")
    broken = iter(range(3))
    service.faults = lambda call: (
        "gateway" if call == EXPORTED and next(broken, None) is not None else None
    )
    inbox.fetch()
    move(minutes=30)
    assert isinstance(inbox.fetch(), NotFetched)
    move(minutes=31)
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == numbers


def test_a_package_of_one_list_does_not_hold_back_another(authority, arrive, service):
    """The company is buyer in one list and third party in the other (case 59)."""
    nip = "5555555555"
    both = company.point_at(service.url, third_party=True)
    third = company.connected(both, {"token": authority.issue_token(nip)}, nip, "c3")
    numbers = arrive(2, third=nip)
    fetched = both.fetch(third, None)
    values = json.loads(fetched.cursor)
    values["Subject2"]["order"] = {
        "reference": "20260101-EH-0000000000-0000000000-00",
        "nonce": "00" * 16,
        "count": 1,
        "last": values["Subject2"]["since"],
        "then": dict(values["Subject2"]),
        "taken": 0,
    }
    authority.exports.clear()
    more = arrive(2, third=nip)
    service.faults = lambda call: None
    again = both.fetch(third, json.dumps(values))

    assert (ids(fetched.documents), ids(again.documents)) == (numbers, more)
    assert [w.code for each in fetched.documents for w in each.warnings] == ["third-party"] * 2


def test_an_invoice_of_two_lists_says_both_roles(authority, arrive, service):
    """One bill: the number is its key."""
    both = company.point_at(service.url, third_party=True)
    given = {"token": authority.issue_token(company.BUYER)}
    buyer = company.connected(both, given, company.BUYER, "c3")
    (number,) = arrive(1, third=company.BUYER)
    fetched = both.fetch(buyer, None)
    (warning,) = fetched.documents[0].warnings

    assert set(ids(fetched.documents)) == {number}
    assert "also named as a third party" in warning.message


def test_a_hostile_package_is_not_used_and_its_invoices_are_fetched_singly(
    point, inbox, arrive, authority, service, monkeypatch
):
    """The mailbox goes on, and says it."""
    numbers = arrive(12)
    monkeypatch.setattr("einvoice_ksef.exports.MAX_FILES", 5)
    inbox.fetch()
    inbox.fetch()

    assert list(inbox.stored) == numbers
    ((subject, reason),) = faults(point)
    assert (subject, "more than 5 files" in reason) == ("package of Subject2", True)


def test_a_package_with_one_broken_document_gives_the_others_and_this_one_singly(
    inbox, arrive, authority, service, monkeypatch
):
    monkeypatch.setattr("einvoice_ksef.exports._MAX_FILE_BYTES", 40_000)
    numbers = arrive(12)
    real = authority.archive[numbers[4]].content
    authority.archive[numbers[4]].content = bytes(50_000)
    inbox.fetch()
    authority.archive[numbers[4]].content = real
    inbox.fetch()

    assert sorted(inbox.stored) == sorted(numbers)
    assert len(service.named(DOWNLOAD)) == len(numbers) - 4


def test_links_that_do_not_work_for_an_hour_end_the_order(inbox, arrive, monkeypatch):
    numbers = arrive(12)
    monkeypatch.setattr(storage, "LIFE", timedelta(0))
    inbox.fetch()
    inbox.fetch()

    assert list(inbox.stored) == numbers


# -- reading once more -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "wait", "taken"),
    [
        ({"hours": 2}, {"minutes": 61}, True),
        ({"hours": 2}, {"minutes": 30}, False),
        ({"hours": 20}, {"minutes": 61}, False),
        ({"hours": 20}, {"hours": 14}, True),
        ({"hours": 30}, {"hours": 14}, False),
    ],
)
def test_an_invoice_that_appears_below_the_mark_is_found(
    inbox, arrive, authority, service, move, age, wait, taken
):
    """The last three hours are read again each hour, the last day after midnight."""
    arrive(2)
    inbox.fetch()
    (late,) = arrive(1)
    authority.archive[late].stored = authority.now() - timedelta(**age)
    inbox.fetch()
    assert late not in inbox.stored
    move(**wait)
    downloads = len(service.named(DOWNLOAD))
    inbox.fetch()

    assert (late in inbox.stored) is taken
    assert len(service.named(DOWNLOAD)) - downloads == taken
    asked = len(service.named(METADATA))
    inbox.fetch()
    assert len(service.named(METADATA)) - asked == 1


def test_the_cursor_of_an_earlier_release_reads_the_last_month_again(
    inbox, arrive, authority, service
):
    """Which may have passed invoices; what is stored is not fetched again."""
    early, lost = arrive(2)
    inbox.fetch()
    del inbox.stored[lost]
    authority.archive[lost].stored = authority.now() - timedelta(days=20)
    values = json.loads(inbox.cursor)
    inbox.cursor = json.dumps({"Subject2": values["Subject2"]})
    downloads = len(service.named(DOWNLOAD))
    while inbox.fetch().more:
        pass

    assert list(inbox.stored) == [early, lost]
    assert len(service.named(DOWNLOAD)) - downloads == 1


def test_a_second_look_leaves_the_calls_of_an_hour_to_new_invoices(inbox, arrive, authority, move):
    """Half of them at least."""
    arrive(1)
    inbox.fetch()
    authority.limits.own[f"Nip:{company.BUYER}"] = dict(authority.limits.default)
    move(hours=2)
    reads = inbox.point.limits_of(inbox.connection)
    reads.learn({"invoiceMetadata": {"perSecond": 8, "perMinute": 16, "perHour": mailbox._SPARED}})
    fetched = inbox.fetch()

    assert isinstance(fetched, Fetched)
    assert fetched.retry_after == 600.0
    assert set(json.loads(inbox.cursor)) >= {"Subject2", "Subject2 again"}


def test_known_invoices_are_not_fetched_by_a_new_connection(inbox, arrive, service):
    """The account was connected before."""
    numbers = arrive(3)
    inbox.fetch()
    inbox.cursor = None
    inbox.fetch()

    assert list(inbox.stored) == numbers
    assert len(service.named(DOWNLOAD)) == 3
    assert clock.now() > clock.now() - AGAIN
