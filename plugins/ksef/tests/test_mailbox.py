"""Received invoices are listed and fetched once, in order, and nothing is lost."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.connection_testing import ConnectedContract
from einvoice.network.connections import NeedsPerson
from einvoice.network.mailbox_testing import MailboxContract
from einvoice.network.mailboxes import Fetched, NotFetched
from einvoice_ksef import exports
from einvoice_ksef.exports import NotAPackage
from einvoice_ksef.fa3 import form
from einvoice_ksef.keys import Usage
from plugins.ksef.tests import company
from plugins.ksef.tests.receiving import DOWNLOAD, EXPORT, METADATA, drained, ids
from tests.networks.ksef import packages, queries, samples, storage
from tests.networks.ksef.keys import SYMMETRIC


class TestMail(MailboxContract, ConnectedContract):
    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, buyer):
        return buyer

    @pytest.fixture
    def an_envelope(self):
        return company.envelope

    @pytest.fixture
    def arrive(self, arrive):
        return arrive

    def wait(self, seconds):
        """The stand-in has no quota of seconds."""


def test_a_received_invoice_has_its_number_and_its_parties(point, buyer, arrive, authority):
    (number,) = arrive(1)
    (document,), _ = drained(point, buyer)

    assert (document.instance_id, document.document) == (
        number,
        authority.archive[number].content,
    )
    assert document.sender == ParticipantId("9945", f"PL{company.SELLER}")
    assert document.receiver == ParticipantId("9945", f"PL{company.BUYER}")
    assert (document.document_type, document.process) == (form.DOCUMENT_TYPE, form.PROCESS)
    (original,) = document.evidence
    assert (original.authority_reference, original.legal_original) == (number, True)
    assert original.content == document.document


def test_a_few_invoices_are_fetched_by_their_numbers(point, buyer, arrive, service):
    numbers = arrive(10)
    documents, _ = drained(point, buyer)

    assert ids(documents) == numbers
    assert (len(service.named(DOWNLOAD)), len(service.named(EXPORT))) == (10, 0)


def test_many_invoices_are_fetched_in_packages(point, buyer, arrive, service):
    """Each with one query of the list, one order and one query of its state."""
    numbers = arrive(120)
    before = len(service.named(METADATA))
    documents, cursor = drained(point, buyer)
    again, _ = drained(point, buyer, cursor)

    assert ids(documents) == numbers
    assert again == []
    assert len(service.named(EXPORT)) == 2
    assert service.named(DOWNLOAD) == []
    assert len(service.named(METADATA)) - before == 3


def test_a_package_that_is_still_built_is_waited_for(point, buyer, arrive, authority, service):
    """Its state is asked for, and not the list."""
    numbers = arrive(11)
    authority.delay = timedelta(seconds=30)
    first = point.fetch(buyer, None)
    listed = len(service.named(METADATA))
    second = point.fetch(buyer, first.cursor)

    assert (first.documents, first.more, first.retry_after) == ((), True, 10.0)
    assert isinstance(second, NotFetched)
    authority.pass_time(seconds=31)
    documents, _ = drained(point, buyer, first.cursor)
    assert ids(documents) == numbers
    assert len(service.named(METADATA)) - listed == 0


def test_a_package_that_is_cut_goes_on_where_it_was(point, buyer, arrive, monkeypatch):
    numbers = arrive(30)
    size = len(samples.fa3("R/1"))
    monkeypatch.setattr("einvoice_ksef.mailbox._MAX_BYTES", 12 * size)
    documents, _ = drained(point, buyer)

    assert ids(documents) == numbers


def test_the_invoices_of_a_package_that_lacks_one_are_fetched_singly(
    point, buyer, arrive, service, monkeypatch
):
    numbers = arrive(20)
    real = packages.packed
    monkeypatch.setattr(
        packages, "packed", lambda files, kind: real(dict(list(files.items())[1:]), kind)
    )
    monkeypatch.setattr("tests.networks.ksef.queries.packed", packages.packed)
    fetched = point.fetch(buyer, None)

    assert (fetched.documents, fetched.more, fetched.retry_after) == ((), True, 60.0)
    assert ids(drained(point, buyer, fetched.cursor)[0]) == numbers
    assert (len(service.named(EXPORT)), len(service.named(DOWNLOAD))) == (1, 20)


def test_invoices_are_fetched_when_the_list_is_complete(point, buyer, arrive, authority):
    """One that is stored behind the high-water mark comes with a later fetch, and only once."""
    authority.lag = timedelta(minutes=10)
    numbers = arrive(3)
    early, cursor = drained(point, buyer)
    authority.pass_time(minutes=11)
    late, cursor = drained(point, buyer, cursor)
    last, _ = drained(point, buyer, cursor)

    assert (early, ids(late), last) == ([], numbers, [])


def test_an_invoice_that_is_stored_late_is_not_lost(point, buyer, arrive, authority):
    """It is stored after others with a later number, before the mark has passed it."""
    authority.lag = timedelta(minutes=10)
    first, second = arrive(2)
    authority.archive[first].stored = authority.now() + timedelta(minutes=5)
    authority.pass_time(minutes=11)
    early, cursor = drained(point, buyer)
    authority.pass_time(minutes=10)
    late, _ = drained(point, buyer, cursor)

    assert (ids(early), ids(late)) == ([second], [first])


def test_invoices_of_one_moment_are_fetched_once(point, buyer, arrive, authority):
    numbers = arrive(5)
    moment = authority.now()
    for number in numbers:
        authority.archive[number].stored = moment
    authority.lag = authority.now() - moment
    documents, cursor = drained(point, buyer)
    authority.lag = timedelta(0)
    again, _ = drained(point, buyer, cursor)

    assert sorted(ids(documents + again)) == sorted(numbers)


def test_a_long_list_is_read_in_ranges_of_a_hundred_days(point, buyer, arrive, authority, service):
    """After a year without a fetch."""
    _, cursor = drained(point, buyer)
    values = json.loads(cursor)
    values["Subject2"]["since"] = (clock.now() - timedelta(days=365)).isoformat()
    numbers = arrive(8)
    for place, number in enumerate(numbers):
        authority.archive[number].stored = authority.now() - timedelta(days=40 * (8 - place))
    documents, _ = drained(point, buyer, json.dumps(values))

    assert ids(documents) == numbers
    ranges = [each.request.json()["dateRange"] for each in service.named(METADATA)]
    assert sum("to" in each for each in ranges) == 3


@pytest.mark.parametrize(("age", "count"), [(89, 1), (91, 0)])
def test_the_first_fetch_reads_ninety_days(point, buyer, arrive, authority, age, count):
    (number,) = arrive(1)
    authority.archive[number].stored = authority.now() - timedelta(days=age)

    assert len(drained(point, buyer)[0]) == count


def test_a_list_that_is_cut_by_the_network_is_read_on(point, buyer, arrive, authority):
    authority.query_most = 150
    numbers = arrive(170)

    assert ids(drained(point, buyer)[0]) == numbers


def test_invoices_for_third_parties_are_fetched_if_it_is_set(point, authority, arrive, service):
    nip = "5555555555"
    token = {"token": authority.issue_token(nip)}
    third = company.connected(point, token, nip, "c3")
    numbers = arrive(2, third=nip)
    assert drained(point, third)[0] == []
    both = company.point_at(service.url)
    both.side = replace(both.side, third_party=True)
    documents, cursor = drained(both, third)

    assert ids(documents) == numbers
    assert {"Subject2", "Subject3"} <= set(json.loads(cursor))
    assert drained(both, third, cursor)[0] == []


def test_the_list_of_a_role_is_not_asked_for_while_another_is_read(
    authority, arrive, service, buyer
):
    """Each query counts towards the twenty of an hour."""
    both = company.point_at(service.url)
    both.side = replace(both.side, third_party=True)
    arrive(120, third="5555555555")
    third = company.connected(
        both, {"token": authority.issue_token("5555555555")}, "5555555555", "c3"
    )
    before = len(service.named(METADATA))
    drained(both, third)

    asked = [each.request.json() for each in service.named(METADATA)]
    roles = [each["subjectType"] for each in asked][before:]
    assert (roles.count("Subject2"), roles.count("Subject3")) == (1, 2)


def test_the_limits_stop_a_fetch(point, authority):
    """Nothing is asked for that the network would refuse."""
    authority.use_production_limits()
    token = {"token": authority.issue_token(company.BUYER)}
    buyer = company.connected(point, token, company.BUYER)
    outcomes, cursor = [], None
    for _ in range(17):
        outcomes.append(point.fetch(buyer, cursor))
        cursor = getattr(outcomes[-1], "cursor", cursor)

    assert isinstance(outcomes[0], Fetched)
    assert isinstance(outcomes[-1], NotFetched)
    assert outcomes[-1].retry_after > 10
    assert authority.limits.refusals == []


@pytest.mark.parametrize("fault", ["gateway", "lost", "html"])
def test_a_list_that_is_not_answered_is_fetched_later(point, buyer, service, fault):
    service.faults = lambda call: fault if call == METADATA else None

    assert isinstance(point.fetch(buyer, None), NotFetched)


@pytest.mark.parametrize("fault", ["gateway", "lost"])
def test_a_fetch_that_is_cut_goes_on_where_it_was(point, buyer, arrive, service, fault):
    numbers = arrive(5)
    calls = []

    def faults(call):
        calls.extend([call] if call == DOWNLOAD else [])
        return fault if call == DOWNLOAD and len(calls) >= 3 else None

    service.faults = faults
    first = point.fetch(buyer, None)
    service.faults = lambda call: None

    assert ids(first.documents) == numbers[:2]
    assert (first.more, first.retry_after) == (True, 60.0)
    assert ids(drained(point, buyer, first.cursor)[0]) == numbers[2:]


def test_ended_tokens_are_renewed_by_the_fetch(point, buyer, authority):
    authority.pass_time(minutes=20)
    fetched = point.fetch(buyer, None)

    assert isinstance(fetched, Fetched)
    assert fetched.credentials["accessToken"] != buyer.credentials["accessToken"]


def test_a_login_that_was_revoked_needs_a_person(point, buyer, authority):
    authority.ksef_tokens[buyer.credentials["token"]].status = "Revoked"
    authority.tokens.issued.clear()

    assert isinstance(point.fetch(buyer, None), NeedsPerson)


def test_an_account_without_the_right_to_read_needs_a_person(point, buyer, authority):
    for login in authority.logins.values():
        login.permissions = frozenset({"InvoiceWrite"})
    outcome = point.fetch(buyer, None)

    assert isinstance(outcome, NeedsPerson)
    assert "InvoiceRead" in outcome.reason


def test_the_sessions_own_invoices_are_not_received(point, bound, connection):
    company.sent(bound, company.envelope())

    assert drained(point, connection)[0] == []


@pytest.mark.parametrize(
    "archive",
    [
        b"no zip",
        packages.packed({"a.xml": b"<a/>"}),
        packages.packed({"_metadata.json": b"[]"}),
        packages.packed({"_metadata.json": b"{"}),
    ],
)
def test_a_file_of_another_form_is_not_a_package(archive):
    with pytest.raises(NotAPackage):
        exports.opened(archive)


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(exports, "_MAX_FILE_BYTES", 1000)
    files = {"_metadata.json": b'{"invoices": []}', "a.xml": bytes(1000), "b.xml": bytes(1001)}
    package = exports.opened(packages.packed(files))

    assert len(package.document("a")) == 1000
    with pytest.raises(NotAPackage, match="more than"):
        package.document("b")


def test_a_package_has_a_bounded_number_of_files(monkeypatch):
    """Those of its metadata and documents are counted before its directory is read."""
    monkeypatch.setattr(exports, "MAX_FILES", 3)
    files = {"_metadata.json": b'{"invoices": []}', "a.xml": b"", "b.xml": b""}

    assert "b" in exports.opened(packages.packed(files))
    with pytest.raises(NotAPackage, match="more than 3 files"):
        exports.opened(packages.packed(files | {"c.xml": b""}))


def test_a_package_is_unpacked_one_document_at_a_time():
    """A package whose documents have a hundred times the bytes of one holds one of them."""
    size = 4 << 20
    files = {f"{n}.xml": bytes(size) for n in range(20)}
    archive = packages.packed({"_metadata.json": b'{"invoices": []}'} | files)
    tracemalloc.start()
    try:
        package = exports.opened(archive)
        sizes = {len(package.document(str(n))) for n in range(20)}
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert sizes == {size}
    assert peak < 4 * size


@pytest.mark.parametrize("declared", ["true", "false"])
def test_the_parts_of_a_package_are_bounded_whatever_they_say_of_their_size(
    point, buyer, arrive, service, monkeypatch, declared
):
    """The invoices are fetched singly."""
    numbers = arrive(12)
    real = queries._part
    change = {"encryptedPartSize": 16} if declared == "false" else {}
    monkeypatch.setattr(queries, "_part", lambda *given: real(*given) | change)
    monkeypatch.setattr(exports, "MAX_PACKAGE_BYTES", 2000)
    fetched = point.fetch(buyer, None)

    assert fetched.documents == ()
    assert ids(drained(point, buyer, fetched.cursor)[0]) == numbers
    assert len(service.named(DOWNLOAD)) == 12


@pytest.mark.parametrize("way", ["expired", "redirected"])
def test_the_invoices_of_a_package_whose_links_do_not_work_are_fetched_singly(
    point, buyer, arrive, authority, service, monkeypatch, way
):
    """A redirect is not followed."""
    numbers = arrive(12)
    if way == "expired":
        monkeypatch.setattr(storage, "LIFE", timedelta(0))
    else:
        authority.storage.moved_to = f"{service.url}/elsewhere"
    fetched = point.fetch(buyer, None)

    assert ids(drained(point, buyer, fetched.cursor)[0]) == numbers
    assert len(service.named(DOWNLOAD)) == 12
    assert not any("elsewhere" in each.request.path for each in service.exchanges)


@pytest.mark.parametrize("count", [2, 12])
def test_members_that_are_not_known_are_ignored(point, buyer, arrive, authority, count):
    numbers = arrive(count)
    authority.unknown_members = True

    assert ids(drained(point, buyer)[0]) == numbers


def test_a_key_that_was_withdrawn_is_fetched_again_for_a_package(
    point, buyer, arrive, authority, service
):
    """The order is repeated once with the new key."""
    numbers = arrive(12)
    point.keys.current(Usage.SYMMETRIC_KEY)
    authority.keys.replace(SYMMETRIC, authority.now())

    assert ids(drained(point, buyer)[0]) == numbers
    assert [each.answer.status for each in service.named(EXPORT)] == [400, 201]


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_package_has_the_last_invoice_of_its_page(
    point, buyer, arrive, service, monkeypatch, exclusive
):
    """Whether or not KSeF counts the end of a range to the range."""
    real = queries._found

    def without_end(*given, **named):
        found = real(*given, **named)
        until = datetime.fromisoformat(given[1]["dateRange"].get("to") or "9999-01-01T00:00Z")
        kept = [each for each in found.invoices if not exclusive or each.stored < until]
        return replace(found, invoices=kept)

    monkeypatch.setattr(queries, "_found", without_end)
    numbers = arrive(130)

    assert ids(drained(point, buyer)[0]) == numbers
    assert len(service.named(EXPORT)) == 2
