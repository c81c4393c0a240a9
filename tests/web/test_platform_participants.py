"""A platform claims, publishes, withdraws and moves the participant ids of its tenants."""

from __future__ import annotations

import uuid

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.domain.publication import Answer, Publication, Published
from einvoice.services.account import audit, claims
from einvoice.services.caches import Caches
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.store.account import participants
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from tests.networks import almanac
from tests.web.caller import slug
from tests.web.platform import Platform
from tests.workers import await_calls, claimed


@pytest.fixture(scope="module")
def service(build):
    return build([almanac])


@pytest.fixture
def book(service):
    return runtime_of(service).access_points["almanac-test"].book


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service)


@pytest.fixture
def tenant(platform) -> str:
    return platform.created("c-1")


def of(tenant: str) -> str:
    return f"/api/platform/tenants/{tenant}/participants"


def an_id() -> str:
    return f"0088:{uuid.uuid4().int % 10**13:013d}"


def owned(platform, tenant) -> str:
    participant = an_id()
    assert platform.post(of(tenant), {"participantId": participant}).status_code == 201
    return participant


def turn(service, *tenants):
    """A worker settles the entries of the tenants."""
    with service.app_context():
        entries.run(*claimed(outbox.PLUGINS, *tenants, kind=outbox.ENTRY), runtime_of(service))
        await_calls()


def publication(platform, tenant, participant) -> tuple[str, str | None]:
    found = platform.get(f"{of(tenant)}/{participant}").json
    return found["publication"], found["publicationReason"]


def test_a_claim_is_published_withdrawn_and_published_again(service, platform, tenant, book):
    """Each step again changes nothing, and the audit log has each once."""
    participant = owned(platform, tenant)
    path = f"{of(tenant)}/{participant}"
    turn(service, tenant)
    seen = [publication(platform, tenant, participant), participant in book.entries]
    for step in ("withdraw", "publish"):
        for _ in range(2):
            assert platform.post(f"{path}/{step}").status_code == 200
        seen.append(publication(platform, tenant, participant))
        turn(service, tenant)
        seen += [publication(platform, tenant, participant), participant in book.entries]

    assert seen == [
        ("published", None), True,
        ("none", "withdrawn"), ("none", "withdrawn"), False,
        ("pending", None), ("published", None), True,
    ]  # fmt: skip
    with service.app_context():
        logged = audit.page(tenant, before=None, limit=10, matching={})
    assert [(each.action, each.detail["platform"][:8]) for each in logged] == [
        ("participant.publish", "Platform"),
        ("participant.withdraw", "Platform"),
        ("participant.added", "Platform"),
        ("tenant.created", "Platform"),
    ]


def test_the_same_claim_again_changes_nothing(platform, tenant):
    """In the spelling of the network or in another one: 200 with the same participant id."""
    first = platform.post(of(tenant), {"participantId": "0208:0403019261"})
    again = platform.post(of(tenant), {"participantId": "0208:0403.019.261"})

    assert [first.status_code, again.status_code] == [201, 200]
    assert first.headers["Location"] == f"{of(tenant)}/0208:0403019261"
    assert again.json == first.json == platform.get(first.headers["Location"]).json
    assert [each["participantId"] for each in platform.get(of(tenant)).json["items"]] == [
        "0208:0403019261"
    ]
    assert platform.call("DELETE", first.headers["Location"]).status_code == 204
    assert slug(platform.get(first.headers["Location"])) == "not-found"


def test_an_id_moves_out_by_a_key_and_in_by_one(service, platform, tenant, book):
    moving, coming = owned(platform, tenant), an_id()
    turn(service, tenant)
    given, repeated = (
        platform.post(f"{of(tenant)}/{moving}/move-out", Idempotency_Key="k") for _ in range(2)
    )
    book.entries[coming] = ("somebody", (BIS_INVOICE,), None)
    book.keys[coming] = "the key"
    platform.post(of(tenant), {"participantId": coming})
    turn(service, tenant)
    refused = publication(platform, tenant, coming)
    there = platform.post(f"{of(tenant)}/{coming}/move-in", {"migrationKey": "the key"})

    assert given.json["migrationKey"] == book.keys[moving]
    assert repeated.json["migrationKey"] is None
    assert refused == ("refused", "elsewhere")
    assert (there.status_code, there.json["publication"]) == (200, "published")


def test_the_key_of_another_participant_moves_nothing(service, platform, tenant, book):
    """The network's words say why, and both keys stay as they are."""
    wanted, other = an_id(), an_id()
    for participant in (wanted, other):
        book.entries[participant] = ("somebody", (BIS_INVOICE,), None)
        platform.post(of(tenant), {"participantId": participant})
        book.keys[participant] = f"key of {participant}"
    turn(service, tenant)
    keys, listed = dict(book.keys), dict(book.entries)

    answer = platform.post(f"{of(tenant)}/{wanted}/move-in", {"migrationKey": f"key of {other}"})

    assert slug(answer) == "conflict"
    assert "The migration key is wrong." in answer.json["detail"]
    assert (book.keys, book.entries) == (keys, listed)
    assert publication(platform, tenant, wanted)[0] == "refused"


def test_what_is_published_elsewhere_is_refused_until_it_is_free(service, platform, tenant, book):
    participant = an_id()
    book.entries[participant] = ("somebody", (BIS_INVOICE,), None)
    platform.post(of(tenant), {"participantId": participant})
    path = f"{of(tenant)}/{participant}"
    found = []
    for _ in range(2):
        turn(service, tenant)
        answer = platform.post(f"{path}/publish")
        found.append((answer.status_code, answer.json["publication"]))
    del book.entries[participant]
    turn(service, tenant)

    assert found == [(200, "refused")] * 2
    assert publication(platform, tenant, participant) == ("published", None)


def test_an_id_that_moved_away_is_not_published_without_a_key(service, platform, tenant):
    participant = owned(platform, tenant)
    turn(service, tenant)
    with service.app_context():
        _has_moved(tenant, participant)

    answer = platform.post(f"{of(tenant)}/{participant}/publish")

    assert slug(answer) == "conflict"
    assert "migration key" in answer.json["detail"]


def test_of_two_platforms_one_has_an_id(service, platform, tenant):
    """The sandbox refuses the second; live tells neither, and the operator decides."""
    participant = owned(platform, tenant)
    other = Platform(service)
    mine = other.created("c-1")
    refused = other.post(of(mine), {"participantId": participant})
    lives = [Platform(service, Environment.LIVE, each.id) for each in (platform, other)]
    tenants = [live.created(f"l-{n}") for n, live in enumerate(lives)]
    claim = {"participantId": participant}
    answers = [live.post(of(one), claim) for live, one in zip(lives, tenants, strict=True)]
    early = lives[0].post(f"{of(tenants[0])}/{participant}/publish")
    with service.app_context():
        claims.approve(tenants[1], Environment.LIVE, _parsed(participant), "Seen.", Caches())
    turn(service, *tenants)

    assert slug(refused) == "conflict"
    assert [(each.status_code, each.json["status"]) for each in answers] == [(201, "pending")] * 2
    assert slug(early) == "conflict"
    assert publication(lives[0], tenants[0], participant)[0] == "none"
    assert publication(lives[1], tenants[1], participant)[0] == "published"


def _parsed(participant: str) -> ParticipantId:
    return ParticipantId.parse(participant)


def _has_moved(tenant: str, participant: str) -> None:
    """Another provider has taken it over, as the daily questions have found."""
    with db.writing_session() as database:
        row = participants.lock(database, tenant, "test", participant)
        moved = Published(Publication.MOVED, Answer.ELSEWHERE.value, clock.now())
        participants.set_published(row, moved)


STEPS = (
    ("GET", "", None), ("DELETE", "", None), ("POST", "/publish", None),
    ("POST", "/withdraw", None),
    ("POST", "/move-out", None), ("POST", "/move-in", {"migrationKey": "k"}),
)  # fmt: skip


def test_no_step_reaches_what_the_credential_does_not(service, platform, tenant, book):
    """Other platforms, the other environment, other tenants of the platform, no id at all."""
    participant = owned(platform, tenant)
    live = Platform(service, Environment.LIVE, platform.id)
    stranger, sibling = Platform(service), platform.created("c-2")
    turn(service, tenant)
    kept = dict(book.entries)
    asked = [
        (live, tenant, participant), (stranger, tenant, participant),
        (platform, sibling, participant), (platform, tenant, "nonsense"),
    ]  # fmt: skip
    wrong = [
        (one.environment, path, answer.text)
        for one, who, what in asked
        for method, path, body in STEPS
        if slug(answer := one.call(method, f"{of(who)}/{what}{path}", body)) != "not-found"
    ]
    turn(service, tenant, sibling)

    assert wrong == []
    assert book.entries == kept
    assert publication(platform, tenant, participant) == ("published", None)


def test_reading_needs_one_scope_and_changing_the_other(service, platform, tenant):
    participant = owned(platform, tenant)
    reader = Platform(service, platform=platform.id, scopes=["tenants:read"])
    none = Platform(service, platform=platform.id, scopes=["usage:read"])

    assert reader.get(of(tenant)).status_code == 200
    for method, path, body in STEPS[1:]:
        answer = reader.call(method, f"{of(tenant)}/{participant}{path}", body)
        assert slug(answer) == "insufficient-scope", path
    assert slug(reader.post(of(tenant), {"participantId": an_id()})) == "insufficient-scope"
    assert slug(none.get(of(tenant))) == "insufficient-scope"


def test_ids_are_listed_in_pages(platform, tenant):
    made = sorted(owned(platform, tenant) for _ in range(5))

    first = platform.get(f"{of(tenant)}?limit=3").json
    rest = platform.get(f"{of(tenant)}?limit=3&cursor={first['nextCursor']}").json

    assert [each["participantId"] for each in first["items"] + rest["items"]] == made


def test_a_network_that_publishes_nobody_is_said(build):
    """The sandbox of a service without such a network; withdrawing is possible always."""
    platform = Platform(build())
    tenant = platform.created("c-1")
    participant = owned(platform, tenant)

    refused = platform.post(f"{of(tenant)}/{participant}/publish")

    assert slug(refused) == "conflict"
    assert refused.json["detail"] == f"No network of test publishes {participant}."
    assert platform.post(f"{of(tenant)}/{participant}/withdraw").status_code == 200


def test_members_that_nobody_reads_are_refused(platform, tenant):
    participant = owned(platform, tenant)
    for step in ("publish", "withdraw", "move-out"):
        answer = platform.post(f"{of(tenant)}/{participant}/{step}", {"reason": "x"})
        assert slug(answer) == "invalid-field", step
    claim = {"participantId": an_id(), "environment": "live"}
    assert slug(platform.post(of(tenant), claim)) == "invalid-field"
