"""The UPO of whole sessions: kept once, and named by the other invoices of the session."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from einvoice.http import Response
from einvoice.network.types import Delivered, Pending
from einvoice_ksef import evidence
from plugins.ksef.tests import company
from tests.networks.ksef.keys import digest

CLOSE = "POST /sessions/online/{referenceNumber}/close"


@pytest.fixture
def point(service):
    return company.point_at(service.url, session_upo=True)


def kinds(outcome) -> list[str]:
    return [each.kind.code for each in outcome.evidence]


def awaited(bound, one, pending, most=5) -> Delivered:
    """What a follow-up ends with, without waiting for its time."""
    outcome = pending
    for _ in range(most):
        if not isinstance(outcome, Pending):
            break
        outcome = bound.poll(one, outcome)
    assert isinstance(outcome, Delivered)
    return outcome


def test_the_first_invoice_of_a_session_keeps_its_upo_and_others_name_it(bound, service):
    """The session is closed for it when it is used no more."""
    first, second = company.envelope(), company.envelope()
    one, two = company.sent(bound, first), company.sent(bound, second)
    kept = awaited(bound, first, one.follow_up)
    [upo] = kept.evidence
    named = json.loads(two.evidence[-1].content)

    assert kinds(one) == ["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT"]
    assert kinds(two) == ["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT", "SESSION_RECEIPT_AT"]
    assert two.follow_up is None
    assert (kept.follow_up, upo.kind.code, upo.retention_years) == (None, "SESSION_RECEIPT", 10)
    found = evidence.read(upo.content)
    assert {each.digest for each in found.invoices} == {
        digest(first.document),
        digest(second.document),
    }
    assert named == {
        "session": found.session,
        "invoiceId": first.invoice_id,
        "type": "SESSION_RECEIPT",
    }
    assert len(service.named(CLOSE)) == 1


def test_a_session_is_asked_for_after_the_time_for_which_it_is_used(bound, move):
    outcome = company.sent(bound, company.envelope())
    wait = outcome.follow_up.next_poll_at - outcome.follow_up.deadline

    assert wait.total_seconds() == (2.25 - 72) * 3600


def test_one_invoice_of_a_package_keeps_its_upo(bound, service):
    envelopes = [company.envelope() for _ in range(12)]
    batch = [(one, bound.prepare(one)) for one in envelopes]
    found = dict(pair for group in bound.submit_as_completed(batch) for pair in group)
    asked = [(one, found[place]) for place, one in enumerate(envelopes)]
    outcomes = bound.poll_many(asked)
    keepers = [place for place in range(12) if outcomes[place].follow_up is not None]
    [keeper] = keepers
    [upo] = awaited(bound, envelopes[keeper], outcomes[keeper].follow_up).evidence

    assert len(evidence.read(upo.content).invoices) == 12
    assert sum("SESSION_RECEIPT_AT" in kinds(each) for each in outcomes) == 11
    assert not service.named(CLOSE)


def test_without_the_setting_there_is_none(service, connection):
    bound = company.bound(company.point_at(service.url), connection)
    outcomes = [company.sent(bound, company.envelope()) for _ in range(2)]

    assert [kinds(each) for each in outcomes] == [["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT"]] * 2
    assert [each.follow_up for each in outcomes] == [None, None]


@pytest.mark.parametrize("change", [(b"Offline", b"Online"), (b"</Nip>", b"</Nip> ")])
def test_a_upo_that_was_changed_is_not_kept(bound, point, monkeypatch, change):
    one = company.envelope()
    first = company.sent(bound, one)
    closed = bound.poll(one, first.follow_up)
    genuine = point.api.download

    def changed(url):
        answer = genuine(url)
        body = answer.body.replace(*change)
        assert body != answer.body
        return Response(200, {}, body)

    monkeypatch.setattr(point.api, "download", changed)

    assert isinstance(closed, Pending)
    assert isinstance(bound.poll(one, closed), Pending)


def test_the_waiting_ends_after_three_days(bound, authority, move, monkeypatch):
    """As where KSeF makes none."""
    one = company.envelope()
    first = company.sent(bound, one)
    monkeypatch.setattr(authority, "_finish", lambda session: False)
    before = bound.poll(one, first.follow_up)
    move(days=3, minutes=1)
    after = bound.poll(one, before)

    assert isinstance(before, Pending)
    assert after == Delivered()


def test_an_invoice_of_an_earlier_session_is_not_confirmed_by_this_one(bound, point, connection):
    """KSeF says that it has the same bytes already (440)."""
    one = company.envelope()
    company.sent(bound, one)
    point.store.records.clear()
    again = company.sent(company.bound(point, connection), one)

    assert kinds(again)[0] == "AUTHORITY_DOCUMENT"
    assert "SESSION_RECEIPT_AT" not in kinds(again)
    assert again.follow_up is None


def test_the_upo_of_a_provider_s_session_is_given_to_no_seller(pef_point, pef_connection):
    """It names the invoices of other sellers."""
    pef_point.side = replace(pef_point.side, session_upo=True)
    bound = company.bound(pef_point, pef_connection)
    outcomes = [company.sent(bound, company.pef_envelope()) for _ in range(2)]

    assert [each.follow_up for each in outcomes] == [None, None]
    assert all("SESSION_RECEIPT_AT" not in kinds(each) for each in outcomes)
