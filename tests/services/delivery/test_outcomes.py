"""The table from (work, outcome, capabilities) to a verdict: docs/states.md, row by row."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.artefacts import RECEIPT
from einvoice.domain.delivery import DeliveredMeans
from einvoice.network.types import (
    Blocked,
    Capabilities,
    Delivered,
    Evidence,
    NeverSeen,
    NotSent,
    Pending,
    Rejected,
    Repeat,
    Unknown,
)
from einvoice.services.delivery import outcomes, settlement
from einvoice.services.invoices.evidence import artefact_of
from einvoice.store import outbox
from einvoice.store.sending.transmissions import Work

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROOF = Evidence(RECEIPT, b"<Receipt/>")
STATUS = Capabilities(has_status=True)
REPEATS = Capabilities(has_status=False, repeat=Repeat.IDEMPOTENT)
TELLS_AND_REPEATS = Capabilities(has_status=True, repeat=Repeat.IDEMPOTENT)
SILENT = Capabilities(has_status=False, repeat=Repeat.NEVER)


def seconds(count: float) -> datetime:
    return NOW + timedelta(seconds=count)


WORK = Work(
    outbox_id=1, id="txn_1", invoice_id="i", tenant_id="t", environment="test",
    access_point="ap", document_type="a::b", process="c::d", profile=None,
    sender_country=None,
    receiver_country=None, receiver_email=None,
    status="Processing", phase="submitting", attempts=0, fence=1,
    retry_until=seconds(100), message_id="m", prepared=None, prepared_state=None, pending=None,
    created_at=NOW, reason=None, registration_id=None, registration_checked_at=None, number="N",
    sender="0208:1", receiver="0088:2", document=b"",
)  # fmt: skip


OPEN, SENT = ("Processing", None), ("Delivered", events.TRANSACTION_SENT)
DELIVERED = (*SENT, "done", False, None)
FAILED = ("Failed", events.TRANSACTION_FAILED, "done", False, None)


def judged(outcome, can=STATUS, **work):
    return outcomes.settle(replace(WORK, **work), 7, outcome, can, NOW)


def verdict(outcome, can=STATUS, **work):
    """status, event, phase, attention, when to go on."""
    found = judged(outcome, can, **work)
    what = found.settlement
    assert what.fence == 7
    due = found.again[1] if found.again else None
    return what.status.value, found.event, what.phase.value, what.attention, due


@pytest.mark.parametrize(
    ("outcome", "can", "work", "expected"),
    [
        # Delivered and Rejected are final, whatever else is true.
        (Delivered((PROOF,)), STATUS, {}, DELIVERED),
        (Delivered((PROOF,), Pending("r", seconds(2))), STATUS, {},
         (*SENT, "done", False, seconds(2))),
        (Delivered((PROOF,), Pending("r")), STATUS, {},
         DELIVERED),
        (Rejected("C", "w", 400), STATUS, {}, FAILED),
        (Rejected("C", "w", 503, True), REPEATS, {"attempts": 9},
         FAILED),
        # Pending is polled when it says so; past its deadline a person looks at it.
        (Pending("r", seconds(5)), STATUS, {}, (*OPEN, "pending", False, seconds(5))),
        (Pending("r"), STATUS, {}, (*OPEN, "pending", False, NOW)),  # in a lane of no relay
        (Pending("r", None, seconds(9)), STATUS, {}, (*OPEN, "pending", False, seconds(9))),
        (Pending("r", seconds(5), seconds(0.001)), STATUS, {},
         (*OPEN, "pending", False, seconds(5))),
        (Pending("r", seconds(5), NOW), STATUS, {}, (*OPEN, "pending", True, None)),
        # NotSent is tried again after 1, 2, 4 … s, and finally at the end of its time.
        (NotSent("w"), STATUS, {}, (*OPEN, "queued", False, seconds(1))),
        (NotSent("w"), STATUS, {"attempts": 1}, (*OPEN, "queued", False, seconds(2))),
        (NotSent("w"), STATUS, {"attempts": 5}, (*OPEN, "queued", False, seconds(32))),
        (NotSent("w", 100.0), STATUS, {}, (*OPEN, "queued", False, seconds(100))),
        (NotSent("w", 100.001), STATUS, {}, (*OPEN, "queued", False, seconds(100))),
        (NotSent("w", -5.0), STATUS, {}, (*OPEN, "queued", False, NOW)),
        (NotSent("w", 1e300), STATUS, {}, (*OPEN, "queued", False, seconds(100))),
        (NotSent("w"), STATUS, {"attempts": 10_000}, (*OPEN, "queued", False, seconds(100))),
        (NotSent("w"), STATUS, {"retry_until": seconds(3)}, (*OPEN, "queued", False, seconds(1))),
        (NotSent("w"), STATUS, {"retry_until": NOW}, FAILED),
        # NeverSeen (of find) is as good as new.
        (NeverSeen(), STATUS, {"phase": "unknown"}, (*OPEN, "queued", False, NOW)),
        # Unknown is asked about, else repeated where that is safe, else left to a person.
        (Unknown("w"), STATUS, {}, (*OPEN, "unknown", False, seconds(15))),
        (Unknown("w", 3.0), STATUS, {}, (*OPEN, "unknown", False, seconds(3))),
        (Unknown("w", 1e300), STATUS, {}, (*OPEN, "unknown", False, NOW + timedelta(30))),
        (Unknown("w", 3.0), TELLS_AND_REPEATS, {}, (*OPEN, "unknown", False, seconds(3))),
        (Unknown("w", 3.0), REPEATS, {}, (*OPEN, "queued", False, seconds(3))),
        (Unknown("w"), SILENT, {}, (*OPEN, "unknown", True, None)),
        (Unknown("w"), STATUS, {"retry_until": seconds(0.001)},
         (*OPEN, "unknown", False, seconds(15))),
        (Unknown("w"), STATUS, {"retry_until": NOW}, (*OPEN, "unknown", True, None)),
        (Unknown("w"), REPEATS, {"retry_until": NOW}, (*OPEN, "unknown", True, None)),
        # With each attempt it waits for longer, as after NotSent, but never for less than 15 s.
        (Unknown("w"), REPEATS, {"attempts": 3}, (*OPEN, "queued", False, seconds(15))),
        (Unknown("w"), REPEATS, {"attempts": 4}, (*OPEN, "queued", False, seconds(16))),
        (Unknown("w"), STATUS, {"attempts": 6}, (*OPEN, "unknown", False, seconds(64))),
        (Unknown("w"), REPEATS, {"attempts": 99}, (*OPEN, "queued", False, seconds(600))),
        (Unknown("w", 3.0), REPEATS, {"attempts": 99}, (*OPEN, "queued", False, seconds(3))),
        # Blocked waits for the connection; what may have been sent is found out then.
        (Blocked("w"), STATUS, {"connection_id": "c"}, (*OPEN, "unknown", False, NOW)),
        (Blocked("w"), STATUS, {"connection_id": "c", "phase": "queued"},
         (*OPEN, "queued", False, NOW)),
        (Blocked("w"), STATUS, {"connection_id": "c", "phase": "pending"},
         (*OPEN, "pending", False, NOW)),
        (Blocked("w"), STATUS, {"phase": "queued"}, (*OPEN, "queued", False, seconds(1))),
        (Blocked("w"), STATUS, {}, (*OPEN, "unknown", False, seconds(15))),
    ],
)  # fmt: skip
def test_every_outcome_has_its_verdict(outcome, can, work, expected):
    assert verdict(outcome, can, **work) == expected


@pytest.mark.parametrize(
    ("wanted", "stored", "expected"),
    [
        (None, NOW, None),
        (NOW, NOW, None),
        (seconds(1), NOW, seconds(1)),
        (seconds(100), seconds(99), seconds(100)),
        (seconds(100), seconds(101), None),
        (NOW + timedelta(30), NOW, NOW + timedelta(30)),
        (NOW + timedelta(31), NOW, NOW + timedelta(30)),
    ],
)
@pytest.mark.parametrize("outcome", [NotSent("down"), Unknown("no answer")])
def test_an_outcome_may_let_a_document_wait_for_longer(outcome, wanted, stored, expected):
    """Never for a shorter time than it had, nor for more than 30 days."""
    found = judged(replace(outcome, retry_until=wanted), retry_until=stored)
    goes_on = found.again is not None

    assert found.retry_until == expected
    assert goes_on == ((expected or stored) > NOW)


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        ({"created_at": seconds(-100), "retry_until": NOW}, seconds(100)),
        ({"created_at": seconds(-51), "retry_until": seconds(49)}, seconds(100)),
        ({"created_at": seconds(-50), "retry_until": seconds(50)}, None),
        ({"created_at": seconds(-200), "retry_until": seconds(-100)}, seconds(100)),
        ({"created_at": seconds(-100), "retry_until": NOW, "attempts": 1}, None),
        ({"created_at": seconds(-100), "retry_until": NOW, "reason": "away"}, None),
        ({"created_at": NOW - timedelta(31), "retry_until": NOW}, None),
        # It was parked for most of that time, by which its own is longer.
        ({"created_at": seconds(-900), "due_at": NOW, "retry_until": seconds(100)}, None),
        (
            {"created_at": seconds(-900), "due_at": seconds(-90), "retry_until": seconds(10)},
            seconds(100),
        ),
    ],
)
@pytest.mark.parametrize("outcome", [NotSent("down"), Unknown("no answer")])
def test_a_document_that_waited_for_us_is_tried_for_its_whole_time(outcome, work, expected):
    """As after a day in which no worker ran; the time counts from the first attempt, but for a
    short wait. One that was tried, if only in vain to find its receiver, has had its time."""
    assert judged(outcome, **work).retry_until == expected


@pytest.mark.parametrize(
    ("outcome", "age", "until", "delayed"),
    [
        (NotSent("away", due_by=seconds(9)), 3600, seconds(1), True),
        (Unknown("no answer", due_by=seconds(9)), 3600, seconds(1), True),
        (NotSent("away", due_by=seconds(9)), 3599, seconds(1), False),
        (NotSent("away", due_by=seconds(9)), 3600, NOW, False),  # it has failed
        (Pending("reference"), 3600, seconds(1), False),
        (Pending("reference", untaken="not acknowledged"), 3600, seconds(1), True),
        (Pending("reference", untaken="not acknowledged"), 3599, seconds(1), False),
    ],
)
def test_a_document_that_its_network_has_not_taken_for_an_hour_is_delayed(
    outcome, age, until, delayed
):
    found = judged(outcome, created_at=seconds(-age), retry_until=until, attempts=1)

    assert found.delayed == delayed
    assert found.due_by == getattr(outcome, "due_by", None)


@pytest.mark.parametrize("outcome", [NotSent("down"), Unknown("no answer")])
@pytest.mark.parametrize("until", [seconds(100), NOW])
def test_evidence_of_a_document_that_waits_is_kept(outcome, until):
    """Also where it does not wait any longer."""
    assert judged(replace(outcome, evidence=(PROOF,)), retry_until=until).evidence == (PROOF,)
    assert judged(outcome, retry_until=until).evidence == ()


@pytest.mark.parametrize(("age", "wait"), [(0, 1), (0.5, 1), (7, 7), (599, 599), (601, 600)])
def test_what_never_came_to_the_fence_waits_as_long_as_it_has_waited(age, wait):
    """No attempt was made, so attempts cannot count; a second at least, ten minutes at most."""
    work = replace(WORK, created_at=seconds(-age), retry_until=seconds(86400), attempts=9)
    found = outcomes.settle(work, work.fence, NotSent("w"), STATUS, NOW)

    assert found.again == ("chores", seconds(wait))


@pytest.mark.parametrize(("age", "wait"), [(0, 15), (14, 15), (16, 16), (599, 599), (601, 600)])
def test_what_stays_unknown_is_asked_about_after_growing_distances(age, wait):
    """A question is no attempt, so they cannot count."""
    work = replace(WORK, created_at=seconds(-age), retry_until=seconds(86400), phase="unknown")
    found = outcomes.settle(work, work.fence, Unknown("w"), STATUS, NOW)

    assert found.again == ("chores", seconds(wait))


@pytest.mark.parametrize("outcome", [Unknown("w"), NotSent("w"), Pending("r"), NeverSeen()])
def test_only_a_final_status_is_settled_and_told(outcome):
    """settled_at belongs to Delivered and Failed; and Unknown never becomes Failed."""
    what = judged(outcome, SILENT, retry_until=seconds(3600))

    assert what.settlement.settled_at is None
    assert what.event is None


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Rejected("C", "w", 400), ("w", "document-refused", "C", 400, False, True)),
        (Rejected("C", "w", 503, True), ("w", "network-unavailable", "C", 503, True, True)),
        (Rejected("C", "w", reason_code="receiver-unknown"),
         ("w", "receiver-unknown", "C", None, False, True)),
        (NotSent("w", None, "X"), ("w", "not-handed-over", "X", None, True, False)),
    ],
)  # fmt: skip
def test_a_failure_says_why_in_our_words_and_in_theirs(outcome, expected):
    """reason, reasonCode, errorCode, upstreamStatus, retryable; and whether the network said no."""
    what = judged(outcome, retry_until=NOW).settlement

    assert (
        what.reason, what.reason_code, what.error_code, what.upstream_status, what.retryable,
        what.rejected,
    ) == expected  # fmt: skip


def test_other_people_s_words_fit_into_a_database():
    """No NUL, no half characters, no novel."""
    what = judged(Rejected("a\x00b", "x\ud800" + "y" * 5000)).settlement

    assert what.error_code == "ab"
    assert what.reason is not None
    assert what.reason.startswith("x?y")
    assert len(what.reason) == 2000


def test_the_words_of_attempts_and_evidence_fit_into_a_database():
    """They would keep the outcome from being stored."""
    attempt = settlement.settled(
        WORK, Unknown("a\x00b"), None, settlement.Attempt(1, 7, NOW)
    ).attempt
    evidence = Evidence(RECEIPT, b"<R/>", "text/xml\x00", authority_reference="A\ud800")
    kept = artefact_of(evidence, "N-1", NOW, tenant_id="t", invoice_id="i", transmission_id=None)

    assert attempt["detail"] == "ab"
    assert (kept.content_type, kept.authority_reference) == ("text/xml", "A?")


def test_waiting_grows_up_to_ten_minutes():
    found = [outcomes.backoff(attempt, None).total_seconds() for attempt in range(1, 13)]

    assert found == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]


@pytest.mark.parametrize(
    "pending",
    [
        Pending("r"),
        Pending("r", seconds(1.5), seconds(3), {"due": "x", "n": "ü"}),
    ],
)
def test_a_pending_comes_back_from_the_database_as_it_was(pending):
    assert outcomes.pending_from_json(outcomes.pending_as_json(pending)) == pending


# Seconds since the first poll without an answer, until the deadline; then until the next poll.
UNANSWERED = [
    (0, 90, 15),
    (14, 90, 15),
    (16, 90, 16),
    (40, 90, 40),
    (40, 30, 30),
    (300, None, 300),
    (600, None, 600),
    (90_000, None, 600),
    (40, -1, 40),
]


def test_polls_without_an_answer_back_off_and_lose_nothing():
    """A network that is away for a day is asked some 150 times about a document."""
    for since, deadline, wait in UNANSWERED:
        until = None if deadline is None else seconds(deadline)
        kept = Pending("r", NOW, until, {"a": "b"})
        stored = outcomes.pending_as_json(kept)
        if since:
            stored["unansweredSince"] = clock.timestamp(seconds(-since))
        again = outcomes.poll_again(replace(WORK, pending=stored), NOW)
        json = outcomes.pending_as_json(again)

        case = (since, deadline)
        assert again.next_poll_at == seconds(wait), case
        assert outcomes.pending_from_json(json) == replace(kept, next_poll_at=seconds(wait)), case
        assert json["unansweredSince"] == clock.timestamp(seconds(-since)), case


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        (None, DeliveredMeans.RECEIVER),
        (DeliveredMeans.AUTHORITY, DeliveredMeans.AUTHORITY),
    ],
)
def test_a_delivery_means_what_its_outcome_says_or_else_its_network(means, verdict):
    """The own meaning of a document is stored with it; the network's is not."""
    can = replace(STATUS, delivered_means=DeliveredMeans.RECEIVER)
    found = judged(Delivered((PROOF,), means=means), can)

    assert found.means is verdict
    assert found.settlement.delivered_means == (means and means.value)


def test_an_outcome_that_is_pushed_is_not_polled():
    """Its row stays, so that what waits is seen, in the lane that no relay serves."""
    lanes = [
        judged(outcome).again[0]
        for outcome in (Pending("r"), Pending("r", deadline=seconds(9)), Pending("r", seconds(5)))
    ]

    assert lanes == [outbox.PUSHED, outbox.CHORES, outbox.CHORES]
    assert outbox.PUSHED not in outbox.LANES


def test_the_first_answer_ends_the_growing_distances():
    """What the access point returns is stored as it is."""
    stored = outcomes.pending_as_json(outcomes.poll_again(WORK, NOW))
    verdict = outcomes.settle(replace(WORK, pending=stored), 1, Pending("r"), Capabilities(), NOW)

    assert "unansweredSince" not in (verdict.settlement.pending or {})
