"""Invoices through the interactive session: shared, within limits, never twice."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.http import Response
from einvoice.network.types import (
    Blocked,
    Delivered,
    NeverSeen,
    NotSent,
    Pending,
    Rejected,
    Unknown,
)
from einvoice_ksef.limits import Group, LimitsOf
from plugins.ksef.tests import company
from plugins.ksef.tests.company import SEND, all_at_once, kinds, lose
from tests.networks.ksef import authority as books
from tests.networks.ksef import texts
from tests.networks.ksef.keys import SYMMETRIC, TOKENS, digest

OPEN = "POST /sessions/online"
LIST = "GET /sessions/{referenceNumber}/invoices"


def submitted(bound, one):
    return bound.submit(one, bound.prepare(one))


def test_a_delivery_has_number_original_and_upo(authority, bound):
    one = company.envelope()
    outcome = company.sent(bound, one)
    [number] = authority.archive

    assert isinstance(outcome, Delivered)
    assert kinds(outcome.evidence) == ["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT"]
    original, receipt = outcome.evidence
    assert (original.content, original.authority_reference) == (one.document, number)
    assert original.legal_original
    assert number.encode() in receipt.content


def test_one_session_takes_the_invoices_of_all_workers(point, service, connection):
    """Eight workers send their first invoice at the same moment."""
    barrier = threading.Barrier(8)

    def work(_):
        bound = company.bound(point, connection)
        one = company.envelope()
        barrier.wait()
        return submitted(bound, one)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(work, range(8)))

    assert all(isinstance(each, Pending) for each in outcomes)
    assert len(service.named(OPEN)) == 1


def test_connections_have_sessions_of_their_own(point, service, authority, connection):
    """The keys of a session are those of a connection."""
    other = company.connected(point, {"token": authority.issue_token(company.SELLER)}, name="c2")
    for each in (connection, other):
        assert company.sent(company.bound(point, each), company.envelope()).evidence

    assert len(service.named(OPEN)) == 2


def test_a_session_that_was_closed_under_us_is_replaced(service, authority, bound):
    company.sent(bound, company.envelope())
    [session] = authority.sessions.values()
    session.code = 170
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Delivered)
    assert len(service.named(OPEN)) == 2
    assert len(authority.archive) == 2


@pytest.mark.parametrize("code", [21184, 21999])
def test_a_session_that_answers_otherwise_is_left_for_a_new_one(service, authority, bound, code):
    """With the code that was announced, and with one that nobody knows."""
    company.sent(bound, company.envelope())
    [session] = authority.sessions.values()
    authority.no_sends[session.reference] = code
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Delivered)
    assert isinstance(company.sent(bound, company.envelope()), Delivered)
    assert len(service.named(OPEN)) == 2


def test_an_unknown_code_of_every_session_opens_one_more_and_fails_no_document(
    service, authority, bound, move
):
    """In ten minutes; nothing was taken, so the document waits."""
    authority.no_sends = Always(21999)
    outcomes = []
    for _ in range(3):
        one = company.envelope()
        outcomes.append(bound.submit(one, bound.prepare(one)))
    assert [type(each) for each in outcomes] == [NotSent] * 3
    assert len(service.named(OPEN)) == 2
    move(minutes=11)
    one = company.envelope()
    bound.submit(one, bound.prepare(one))
    assert len(service.named(OPEN)) == 3


@pytest.mark.parametrize("count", [1, 7, 12])
def test_that_the_buyer_cannot_read_it_yet_is_said(service, authority, bound, move, count):
    """Delivered by the number; ten minutes later it is said, and when it is stored too."""
    authority.storage_delay = timedelta(hours=2)
    envelopes = [company.envelope() for _ in range(count)]
    pendings = company.all_at_once(bound, envelopes)
    delivered = bound.poll_many(list(zip(envelopes, pendings, strict=True)))
    assert all(isinstance(each, Delivered) and each.follow_up for each in delivered)
    said = []
    for minutes in (10, 60, 60):
        move(minutes=minutes)
        follow = [each.follow_up or each for each in delivered]
        follow = [getattr(each, "follow_up", None) or each for each in follow]
        delivered = bound.poll_many(list(zip(envelopes, follow, strict=True)))
        said.append([json.loads(e.content) for e in getattr(delivered[0], "evidence", ())])
        delivered = [
            Delivered(follow_up=each) if isinstance(each, Pending) else each for each in delivered
        ]

    assert said[:2] == [[{"availableToBuyer": False, "since": None}], []]
    assert said[2][0]["availableToBuyer"] is True
    assert all(each.follow_up is None for each in delivered)


@pytest.mark.parametrize("fault", [None, "gateway"])
def test_an_invoice_that_is_stored_within_minutes_needs_no_words(
    service, authority, bound, move, fault
):
    authority.storage_delay = timedelta(minutes=5)
    one = company.envelope()
    made = company.settled(bound, one, bound.submit(one, bound.prepare(one)))
    move(minutes=10)
    service.faults = lambda call: fault
    first = bound.poll(one, made.follow_up)
    service.faults = lambda call: None

    last = bound.poll(one, first) if isinstance(first, Pending) else first
    assert isinstance(first, Delivered if fault is None else Pending)
    assert last == Delivered()


class Always(dict):
    """One code for every session."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def __contains__(self, reference: object) -> bool:
        return True

    def __getitem__(self, reference: str) -> int:
        return self.code


def test_a_session_is_left_before_it_ends(service, authority, bound):
    company.sent(bound, company.envelope())
    key = next(key for key in bound.store.values if key.startswith("session-"))
    bound.store.values[key] = bound.store.values[key].replace("2026-", "2025-")
    company.sent(bound, company.envelope())

    assert len(service.named(OPEN)) == 2
    assert len(service.named("POST /sessions/online/{referenceNumber}/close")) == 1


@pytest.mark.parametrize("usage", [SYMMETRIC, TOKENS])
def test_keys_that_are_withdrawn_are_fetched_and_the_call_is_repeated_once(
    service, authority, point, connection, usage
):
    """Between two sends, and between two logins (21470)."""
    authority.keys.replace(usage, authority.now())
    fetched = len(service.named("GET /security/public-key-certificates"))
    point.open(connection)
    outcome = company.sent(company.bound(point, connection), company.envelope())

    assert isinstance(outcome, Delivered)
    assert len(service.named("GET /security/public-key-certificates")) == fetched + 1


def test_the_id_of_the_key_is_sent_with_a_session(service, authority, bound):
    company.sent(bound, company.envelope())
    sent = service.named(OPEN)[0].request.json()

    assert sent["encryption"]["publicKeyId"] in {each.id for each in authority.keys.published}


# -- one call for many -----------------------------------------------------------------------------


def test_many_invoices_are_asked_for_with_one_call(service, bound):
    envelopes = [company.envelope() for _ in range(9)]
    pendings = all_at_once(bound, envelopes)
    outcomes = bound.poll_many(list(zip(envelopes, pendings, strict=True)))

    assert all(isinstance(each, Delivered) for each in outcomes)
    assert len(service.named(LIST)) == 1
    assert not service.named("GET /sessions/{referenceNumber}/invoices/{invoiceReferenceNumber}")


def test_each_invoice_gets_its_own_upo(bound):
    envelopes = [company.envelope() for _ in range(7)]
    pendings = all_at_once(bound, envelopes)
    outcomes = bound.poll_many(list(zip(envelopes, pendings, strict=True)))

    for one, outcome in zip(envelopes, outcomes, strict=True):
        assert one.number.encode() in outcome.evidence[1].content


def test_an_invoice_that_is_being_processed_is_asked_for_later(authority, bound):
    authority.delay = timedelta(hours=1)
    one = company.envelope()
    first = submitted(bound, one)
    second = bound.poll(one, first)
    third = bound.poll(one, second)

    assert isinstance(third, Pending)
    assert third.next_poll_at - second.next_poll_at > timedelta(seconds=1)


def test_a_upo_that_cannot_be_fetched_follows_later(service, authority, bound):
    """Its link is of the network's storage, which may be away."""
    one = company.envelope()
    pending = submitted(bound, one)
    service.faults = lambda call: "gateway" if call.startswith("GET /storage") else None
    outcome = company.settled(bound, one, pending)
    service.faults = lambda call: None

    assert kinds(outcome.evidence) == ["AUTHORITY_DOCUMENT"]
    later = bound.poll(one, outcome.follow_up)
    assert kinds(later.evidence) == ["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT"]


def test_a_number_with_a_wrong_checksum_is_not_taken(authority, bound, monkeypatch):
    """The invoice stays open, and is asked for again."""
    wrong = f"{company.SELLER}-20260401-0123456789AB-00"
    monkeypatch.setattr(books, "ksef_number", lambda *_: wrong)

    assert isinstance(company.sent(bound, company.envelope()), Pending)


# -- refusals --------------------------------------------------------------------------------------


def test_an_invoice_that_the_network_refuses_is_rejected_with_its_words(bound):
    one = company.envelope()
    damaged = company.envelope(document=company.refused(one.document))
    outcome = company.sent(bound, damaged)

    assert isinstance(outcome, Rejected)
    assert (outcome.code, outcome.reason_code) == ("430", "document-refused")
    assert not outcome.retryable
    assert outcome.findings
    assert outcome.findings[0].text in outcome.reason


def test_another_document_is_never_sent(bound, service):
    assert isinstance(bound.prepare(company.envelope(document=b"<a/>")), Rejected)


def test_an_account_without_rights_blocks_and_names_them(service, authority, bound):
    for each in authority.logins.values():
        each.permissions = frozenset({"InvoiceRead"})
    outcome = submitted(bound, company.envelope())

    assert isinstance(outcome, Blocked)
    assert "InvoiceWrite" in outcome.reason


@pytest.mark.parametrize("code", [500, 550])
def test_what_the_network_could_not_process_is_sent_again(authority, bound, code):
    verdicts = [(code, ()), None]
    authority.verdict = lambda facts: verdicts.pop(0)
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Delivered)
    assert len(authority.archive) == 1


def test_what_the_network_never_processes_fails_after_several_tries(authority, service, bound):
    """The first at once, the others after some time each."""
    authority.verdict = lambda facts: (550, ())
    one = company.envelope()
    second = bound.poll(one, submitted(bound, one))
    waiting = bound.poll(one, second)
    outcome = company.settled(bound, one, waiting)

    assert waiting.next_poll_at - clock.now() > timedelta(seconds=50)
    assert len(service.named(SEND)) == 6
    assert isinstance(outcome, Rejected)
    assert (outcome.retryable, outcome.reason_code) == (True, "network-unavailable")


def test_a_status_that_is_not_known_fails_no_invoice(authority, bound, monkeypatch):
    monkeypatch.setitem(texts.INVOICE, 499, "Coś nowego")
    authority.verdict = lambda facts: (499, ())
    one = company.envelope()

    assert isinstance(company.sent(bound, one), Pending)


# -- duplicates ------------------------------------------------------------------------------------


def test_a_duplicate_of_our_own_bytes_is_a_success(authority, bound):
    one = company.envelope()
    first = company.sent(bound, one)
    again = company.envelope(one.number, document=one.document)
    second = company.sent(bound, again)

    assert isinstance(second, Delivered)
    assert [each.content for each in second.evidence] == [e.content for e in first.evidence]
    assert second.evidence[0].authority_reference == first.evidence[0].authority_reference
    assert len(authority.archive) == 1


def test_a_duplicate_of_other_bytes_is_a_refusal_that_names_the_other(authority, bound):
    one = company.envelope()
    company.sent(bound, one)
    other = company.envelope(one.number, document=one.document.replace(b"Us\xc5\x82uga", b"Inna"))
    outcome = company.sent(bound, other)
    [number] = authority.archive

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "duplicate-document"
    assert number in outcome.reason
    [finding] = outcome.findings
    assert finding.field == "invoice.number"
    assert number in finding.advice


# -- answers that are lost -------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["lost", "gateway", "html"])
def test_an_invoice_without_an_answer_is_never_sent_twice(service, authority, bound, fault):
    """It is found by its digest, or it is certain that it never arrived."""
    company.sent(bound, company.envelope())
    one = company.envelope()
    prepared = bound.prepare(one)
    lose(service, SEND, fault)
    outcome = bound.submit(one, prepared)
    found = bound.find(one, prepared)

    assert isinstance(outcome, Unknown)
    if fault == "lost":
        assert isinstance(company.settled(bound, one, found), Delivered)
    else:
        assert isinstance(found, NeverSeen)
        assert isinstance(company.sent(bound, one), Delivered)
    assert len(authority.archive) == 2
    assert len({digest(each.content) for each in authority.archive.values()}) == 2


def test_an_invoice_that_is_not_listed_yet_is_searched_again(service, connection, authority):
    """Only after a while it is certain that it never arrived."""
    point = company.point_at(service.url, patience=timedelta(minutes=5))
    bound = company.bound(point, connection)
    company.sent(bound, company.envelope())
    one = company.envelope()
    lose(service, SEND, "gateway")
    bound.submit(one, bound.prepare(one))

    assert isinstance(bound.find(one, bound.prepare(one)), Unknown)


def test_an_invoice_that_was_never_sent_is_sent_again_at_once(bound):
    one = company.envelope()

    assert isinstance(bound.find(one, bound.prepare(one)), NeverSeen)


def test_an_invoice_is_delivered_once_where_our_records_are_gone(service, authority, bound):
    """As after a restore: it is sent again, and the network names the first one."""
    one = company.envelope()
    submitted(bound, one)
    bound.store.records.clear()

    assert isinstance(bound.find(one, bound.prepare(one)), NeverSeen)
    outcome = company.sent(bound, one)
    [number] = authority.archive
    assert outcome.evidence[0].authority_reference == number
    assert len(service.named(SEND)) == 2


@pytest.mark.parametrize("fault", ["lost", "gateway", "html"])
def test_an_opening_without_an_answer_has_sent_nothing(service, authority, bound, fault):
    lose(service, OPEN, fault)
    one = company.envelope()

    assert isinstance(submitted(bound, one), NotSent)
    assert isinstance(company.sent(bound, one), Delivered)
    assert len(authority.archive) == 1


# -- limits ----------------------------------------------------------------------------------------


def test_the_pause_of_the_network_is_kept(service, authority, bound, connection):
    company.sent(bound, company.envelope())
    authority.limits.own[company.SELLER] = dict(authority.limits.default) | {
        "invoiceSend": (10, 1, 180)
    }
    authority.limits.default = authority.limits.own[company.SELLER]
    outcomes = [submitted(bound, company.envelope()) for _ in range(3)]

    assert isinstance(outcomes[-1], NotSent)
    assert outcomes[-1].retry_after
    assert len(authority.limits.refusals) == 1
    assert LimitsOf(bound.store, "ksef-test", company.SELLER).left(Group.SEND) == 0


def test_a_warning_of_the_system_is_kept_and_counted(service, authority, point, bound):
    authority.warning = "Przerwa techniczna 2026-12-01"
    company.sent(bound, company.envelope())
    noted = point.api._warnings.noted()

    assert noted.count > 1
    assert noted.last == "Przerwa techniczna 2026-12-01"


def test_members_that_are_not_published_are_ignored(authority, point):
    authority.unknown_members = True
    connection = company.connected(point, {"token": authority.issue_token(company.SELLER)})

    assert isinstance(company.sent(company.bound(point, connection), company.envelope()), Delivered)


# -- links -----------------------------------------------------------------------------------------


def test_a_link_that_redirects_is_not_followed(bound, point, monkeypatch):
    """The confirmation follows by the call for it."""
    one = company.envelope()
    pending = submitted(bound, one)
    redirect = Response(302, {"location": "http://127.0.0.1:9/elsewhere"}, b"")
    monkeypatch.setattr(point.api, "download", lambda link: redirect)
    outcome = company.settled(bound, one, pending)

    assert kinds(outcome.evidence) == ["AUTHORITY_DOCUMENT"]
    assert len(bound.poll(one, outcome.follow_up).evidence) == 2


@pytest.mark.parametrize("headers", [{}, {"x-ms-meta-hash": "AAAA"}])
def test_a_upo_that_was_changed_is_no_evidence(bound, point, monkeypatch, headers):
    """Neither with the digest that is stated for it, nor without one."""
    one = company.envelope()
    pending = submitted(bound, one)
    real = point.api.download

    def changed(link):
        found = real(link)
        body = found.body.replace(b"<NumerFaktury>FV", b"<NumerFaktury>XX")
        assert body != found.body
        return Response(200, headers, body)

    monkeypatch.setattr(point.api, "download", changed)

    outcome = company.settled(bound, one, pending)
    assert kinds(outcome.evidence) == ["AUTHORITY_DOCUMENT"]


def test_a_document_of_more_than_a_million_bytes_is_refused_by_the_service(bound):
    assert bound.capabilities.max_bytes == 1_000_000
