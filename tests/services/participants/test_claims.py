"""Claims of participant ids in live: pending until operator, number or network decide."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.claims import MAX_OPEN
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import audit, claims, closure, tenants
from einvoice.services.participants import claim_checks
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox
from einvoice.web.runtime import runtime_of
from tests.networks import registrar

LIVE, TEST = Environment.LIVE, Environment.TEST
OURS = ParticipantId.parse("0208:0123456749")


@pytest.fixture
def app(make_app):
    app = make_app([registrar])
    with app.app_context():
        yield app


@pytest.fixture
def caches(app):
    return runtime_of(app).caches


@pytest.fixture
def register(app):
    """The access point that knows by whom a participant is registered."""
    return runtime_of(app).access_points["register-live"]


@pytest.fixture
def tenant(app):
    return tenants.create("Acme NV")


@pytest.fixture
def other(app):
    return tenants.create("Other NV")


@pytest.fixture
def claim(caches):
    def _claim(tenant, participant=OURS, environment=LIVE):
        return claims.claim(tenant, environment, participant, caches)

    return _claim


def status(tenant, participant=OURS):
    return {one.participant: one.status for one in tenants.owned(tenant)}[participant.canonical]


def events(tenant):
    """(type, payload) of the tenant's events."""
    query = sa.select(Event.type, Event.payload).where(Event.tenant_id == tenant)
    with db.reading() as connection:
        return [(kind, payload) for kind, payload in connection.execute(query)]


@pytest.fixture
def work(app, monkeypatch):
    """Do what is due in `after` of time."""

    def _work(after=timedelta(0)):
        moment = clock.now() + after
        monkeypatch.setattr(clock, "now", lambda: moment)
        for tenant in outbox.tenants_in_turn(outbox.CHORES, "", 10):
            rows = outbox.claim(outbox.CHORES, tenant, 100, token="t", now=moment,
                                lease=timedelta(seconds=60))  # fmt: skip
            claim_checks.check([row.id for row in rows], "t", runtime_of(app))

    return _work


def due():
    """When the claims are asked about next."""
    with db.reading() as connection:
        query = sa.select(Outbox.due_at).where(Outbox.kind == outbox.CLAIM)
        return list(connection.execute(query).scalars())


# -- pending ---------------------------------------------------------------------------------------


def test_a_live_claim_is_pending_and_owns_nothing(app, caches, claim, tenant):
    made = claim(tenant)

    assert (made.status, made.decided_at, status(tenant)) == ("pending", None, "pending")
    assert tenants.owner_of(LIVE, OURS, caches) is None
    assert not tenants.owns(tenant, LIVE, OURS, caches)


def test_a_sandbox_claim_is_verified_at_once(app, caches, claim, tenant, other):
    assert claim(tenant, environment=TEST).status == "verified"
    assert tenants.owner_of(TEST, OURS, caches) == tenant

    with pytest.raises(Conflict):
        claim(other, environment=TEST)


def test_a_claim_is_answered_the_same_if_another_tenant_has_the_id(claim, tenant, other):
    free = claim(other, ParticipantId.parse("0208:0403019261"))
    tenants.own_participant(tenant, LIVE, OURS)
    taken = claim(other)

    assert (free.status, free.decided_by, free.reason) == (
        taken.status, taken.decided_by, taken.reason
    ) == ("pending", None, None)  # fmt: skip


def test_a_claim_executes_the_same_statements_whoever_has_the_id(app, claim, tenant, other):
    """So its duration says nothing either."""
    tenants.own_participant(tenant, LIVE, OURS)
    done: dict[ParticipantId, list[str]] = {}
    for participant in (OURS, ParticipantId.parse("0208:0403019261")):
        statements = done.setdefault(participant, [])
        with counted(statements):
            claim(other, participant)
    taken, free = done.values()

    assert len(taken) > 3
    assert taken == free


@contextmanager
def counted(statements):
    """Within the block the statements of the database are appended."""

    def _note(_connection, _cursor, statement, *_):
        statements.append(statement)

    engine = db.db.engine
    sa.event.listen(engine, "after_cursor_execute", _note)
    try:
        yield
    finally:
        sa.event.remove(engine, "after_cursor_execute", _note)


def test_a_tenant_cannot_claim_an_id_twice(claim, tenant):
    claim(tenant)

    with pytest.raises(Conflict, match="it is pending"):
        claim(tenant)


def test_open_claims_of_a_tenant_are_bounded(claim, tenant, other):
    for number in range(MAX_OPEN):
        claim(tenant, ParticipantId.parse(f"0088:{number:013}"))

    with pytest.raises(Conflict, match="remove some"):
        claim(tenant)
    assert claim(other).status == "pending"


def test_ids_of_a_tenant_in_the_sandbox_are_bounded(claim, tenant, other, monkeypatch):
    """There each claim is granted, so one tenant could occupy the ids of all others."""
    monkeypatch.setattr(claims, "MAX_SANDBOX", 3)
    for number in range(3):
        claim(tenant, ParticipantId.parse(f"0088:{number:013}"), Environment.TEST)

    with pytest.raises(Conflict, match="You have 3 ids in test"):
        claim(tenant, OURS, Environment.TEST)
    assert claim(other, OURS, Environment.TEST).status == "verified"
    assert claim(tenant).status == "pending"


def test_concurrent_claims_in_the_sandbox_keep_within_the_bound(app, claim, tenant, monkeypatch):
    monkeypatch.setattr(claims, "MAX_SANDBOX", 3)

    def _claim(number) -> bool:
        with app.app_context():
            try:
                claim(tenant, ParticipantId.parse(f"0088:{number:013}"), Environment.TEST)
            except Conflict:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(_claim, range(8))) == 3


# -- the operator ----------------------------------------------------------------------------------


def test_an_approved_claim_owns_the_id_and_is_an_event(app, caches, claim, tenant):
    claim(tenant)
    assert tenants.owner_of(LIVE, OURS, caches) is None
    claims.approve(tenant, LIVE, OURS, "Called them.", caches)

    assert tenants.owner_of(LIVE, OURS, caches) == tenant
    assert due() == []
    assert events(tenant) == [
        (
            "participant.verified",
            {
                "participantId": "0208:0123456749",
                "status": "verified",
                "decidedBy": "operator",
                "reason": "Called them.",
            },
        )
    ]


def test_of_two_claims_the_operator_verifies_one(caches, claim, tenant, other):
    claim(tenant)
    claim(other)
    assert [one.contested for one in claims.pending()] == [True, True]
    claims.approve(other, LIVE, OURS, "Register extract.", caches)

    with pytest.raises(Conflict, match="Another tenant has"):
        claims.approve(tenant, LIVE, OURS, "Too.", caches)
    assert (status(tenant), status(other)) == ("pending", "verified")
    assert events(tenant) == []


def test_the_network_does_not_decide_between_two_claims(caches, claim, tenant, other):
    """Nor where the second came after the network was asked about the first."""
    claim(tenant)
    [asked] = claims.pending()
    claim(other)

    assert claims.confirm(asked.id, caches) is False
    assert (status(tenant), status(other)) == ("pending", "pending")


def test_concurrent_approvals_of_one_id_verify_one_claim(app, caches, claim, tenant, other):
    """The index decides, whatever the two have read before."""
    both, start = (tenant, other), threading.Barrier(2)
    for each in both:
        claim(each)

    def approved(each: str) -> bool:
        with app.app_context():
            start.wait(10)
            try:
                claims.approve(each, LIVE, OURS, "Register extract.", caches)
            except Conflict:
                return False
            return True

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(approved, both))

    assert sorted(results) == [False, True]
    assert sorted(map(status, both)) == ["pending", "verified"]
    assert tenants.owner_of(LIVE, OURS, caches) == both[results.index(True)]


def test_a_rejected_claim_has_its_reason_and_may_be_made_again(caches, claim, tenant):
    claim(tenant)
    claims.reject(tenant, LIVE, OURS, "Not your number.")
    (rejected,) = tenants.owned(tenant)
    assert (rejected.status, rejected.reason) == ("rejected", "Not your number.")
    assert [kind for kind, _ in events(tenant)] == ["participant.rejected"]
    assert due() == []

    assert claim(tenant).status == "pending"
    assert len(due()) == 1


def test_only_a_claim_is_decided(caches, claim, tenant, other):
    with pytest.raises(NotFound):
        claims.approve(tenant, LIVE, OURS, "?", caches)
    tenants.own_participant(tenant, LIVE, OURS)

    with pytest.raises(Conflict):
        claims.reject(tenant, LIVE, OURS, "?")


def test_a_claim_that_is_decided_is_not_rejected(caches, claim, tenant, other):
    """A verified one is released by removing it; a rejected one may be claimed again."""
    claim(tenant)
    claims.approve(tenant, LIVE, OURS, "seen", caches)
    claim(other)
    claims.reject(other, LIVE, OURS, "not theirs")

    for tenant_id, words in ((tenant, "is verified"), (other, "is rejected")):
        with pytest.raises(Conflict, match=words):
            claims.reject(tenant_id, LIVE, OURS, "once more")
    with pytest.raises(Conflict, match="is verified"):
        claims.approve(tenant, LIVE, OURS, "once more", caches)
    assert (status(tenant), status(other)) == ("verified", "rejected")


def test_claims_and_their_decisions_are_in_the_audit_log(caches, claim, tenant):
    with audit.of_operator():
        claim(tenant)
        claims.reject(tenant, LIVE, OURS, "no proof")
        claim(tenant)
        claims.approve(tenant, LIVE, OURS, "seen", caches)
    newest = audit.page(tenant, before=None, limit=4, matching={})

    assert [(entry.action, entry.detail) for entry in reversed(newest)] == [
        ("participant.added", {"status": "pending"}),
        ("participant.rejected", {"reason": "no proof"}),
        ("participant.added", {"status": "pending"}),
        ("participant.verified", {"reason": "seen"}),
    ]
    assert {entry.target for entry in newest} == {f"live/{OURS.canonical}"}


def test_an_unknown_tenant_is_not_closed(app, caches):
    with pytest.raises(NotFound):
        closure.close("nothing", caches)


def test_an_assigned_id_verifies_the_claim_of_the_tenant(caches, claim, tenant, other):
    claim(tenant)
    claims.assign(tenant, LIVE, OURS, caches)

    assert status(tenant) == "verified"
    with pytest.raises(Conflict):
        claims.assign(other, LIVE, OURS, caches)


def test_pending_claims_are_listed_by_age_without_closed_tenants(caches, claim, tenant, other):
    claim(other)
    claim(tenant, ParticipantId.parse("0208:0403019261"))
    assert [one.tenant_id for one in claims.pending()] == [other, tenant]
    closure.close(other, caches)

    assert [(one.tenant_name, one.contested) for one in claims.pending()] == [("Acme NV", False)]


# -- verified numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "participant", "expected"),
    [
        ("BE 0123.456.749", "0208:0123456749", "verified"),
        ("0208:0123.456.749", "0208:0123456749", "verified"),
        ("BE0123456749", "9925:BE0123456749", "verified"),
        ("BE0123456749", "9925:0123456749", "verified"),
        ("DE123456788", "9930:de123456788", "verified"),
        ("0208:0123456749", "0208:0403019261", "pending"),
        ("0208:0123456749", "0007:0123456749", "pending"),
        ("DE123456788", "9957:123456788", "pending"),
    ],
)
def test_a_verified_number_verifies_a_claim_of_it_at_once(
    app, caches, claim, tenant, number, participant, expected
):
    claims.verify_number(tenant, number, caches)
    made = claim(tenant, ParticipantId.parse(participant))

    assert (made.status, made.decided_by) == (
        expected,
        "number" if expected == "verified" else None,
    )
    assert len(events(tenant)) == (expected == "verified")


def test_verifying_a_number_decides_claims_that_wait_for_it(caches, claim, tenant):
    claim(tenant)
    claim(tenant, ParticipantId.parse("0208:0403019261"))
    claims.verify_number(tenant, "BE0123456749", caches)

    assert status(tenant) == "verified"
    assert status(tenant, ParticipantId.parse("0208:0403019261")) == "pending"


def test_a_number_takes_no_id_from_another_tenant(caches, claim, tenant, other):
    tenants.own_participant(other, LIVE, OURS)
    claims.verify_number(tenant, "BE0123456749", caches)

    assert claim(tenant).status == "pending"


def test_a_withdrawn_number_verifies_nothing(caches, claim, tenant):
    claims.verify_number(tenant, "BE0123456749", caches)
    claims.withdraw_number(tenant, "BE 0123456749")

    assert claim(tenant).status == "pending"
    with pytest.raises(NotFound):
        claims.withdraw_number(tenant, "BE0123456749")


# -- the network -----------------------------------------------------------------------------------


def test_a_claim_is_verified_by_the_registration_of_the_participant(
    caches, claim, tenant, register, work
):
    """The register does not name our access point at first."""
    claim(tenant)
    work()
    assert status(tenant) == "pending"
    register.here.add(OURS.canonical)
    work(timedelta(minutes=4))
    assert status(tenant) == "pending"  # not asked yet
    work(timedelta(minutes=2))

    assert (status(tenant), due()) == ("verified", [])
    ((kind, payload),) = events(tenant)
    assert (kind, payload["decidedBy"]) == ("participant.verified", "network")


def test_the_network_does_not_decide_between_two_tenants(claim, tenant, other, register, work):
    register.here.add(OURS.canonical)
    claim(tenant)
    claim(other)
    work()

    assert (status(tenant), status(other), register.asked) == ("pending", "pending", [])


def test_a_register_that_does_not_answer_is_asked_again(claim, tenant, register, work):
    register.away = True
    claim(tenant)
    work()
    register.away, register.here = False, {OURS.canonical}
    work(timedelta(hours=1))

    assert (status(tenant), len(register.asked)) == ("verified", 2)


def test_networks_are_asked_for_thirty_days(claim, tenant, register, work):
    claim(tenant)
    work(timedelta(days=29))
    assert len(due()) == 1
    work(timedelta(days=2))

    assert (due(), status(tenant)) == ([], "pending")


def test_a_removed_claim_is_not_asked_about(caches, claim, tenant, register, work):
    claim(tenant)
    tenants.disown_participant(tenant, LIVE, OURS, caches)
    work()

    assert (register.asked, due()) == ([], [])
