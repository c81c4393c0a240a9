"""API keys and OAuth clients are administered by the same functions (decisions 9, 11, 20.10)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain import credentials as domain
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidField, NotFound
from einvoice.services.account import audit, credentials, issuance, tenants

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KINDS = pytest.mark.parametrize("kind", [API_KEY, OAUTH_CLIENT], ids=str)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Three active ones instead of a hundred."""
    monkeypatch.setattr(issuance, "MAX_ACTIVE", 3)


@pytest.fixture
def at(monkeypatch):
    """`at(moment)` sets the time."""

    def _set(moment) -> None:
        monkeypatch.setattr(clock, "now", lambda: moment)

    _set(NOW)
    return _set


def create(kind, tenant, environment=Environment.TEST, **terms):
    return credentials.create(kind, tenant, "erp", environment, **terms)


def test_the_bound_is_one_hundred():
    assert domain.MAX_ACTIVE == 100


@KINDS
def test_one_more_than_the_bound_is_refused(tenant, kind):
    """Each kind, environment and tenant is counted separately."""
    for _ in range(3):
        create(kind, tenant)

    with pytest.raises(Conflict, match=f"3 active {kind}s in the test environment"):
        create(kind, tenant)
    assert len(credentials.of_tenant(kind, tenant)) == 3
    create(kind, tenant, Environment.LIVE)
    create(kind, tenants.create("Other"))
    create(API_KEY if kind is OAUTH_CLIENT else OAUTH_CLIENT, tenant)


@KINDS
def test_a_revoked_one_does_not_count(tenant, kind):
    made = [create(kind, tenant) for _ in range(3)]
    credentials.revoke(kind, tenant, made[1].record.id)
    create(kind, tenant)

    with pytest.raises(Conflict):
        create(kind, tenant)


def test_an_expired_key_does_not_count(tenant, at):
    """It counts until the moment it expires."""
    for ends in (1, 2, 2):
        create(API_KEY, tenant, expires_at=NOW + timedelta(hours=ends))
    at(NOW + timedelta(minutes=59))
    with pytest.raises(Conflict):
        create(API_KEY, tenant)
    at(NOW + timedelta(hours=1))

    create(API_KEY, tenant)


@KINDS
def test_of_concurrent_creations_no_more_than_the_bound_succeed(app, tenant, kind):
    """They are counted one after the other, so none misses the row of another."""

    def _create(_) -> bool:
        with app.app_context():
            try:
                create(kind, tenant)
            except Conflict:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(_create, range(8)))

    assert sum(made) == 3
    assert len(credentials.of_tenant(kind, tenant)) == 3


def test_a_key_can_be_rotated_at_the_bound_without_grace(tenant, at):
    """With a grace both keys would be active; the refusal leaves the old one as it was."""
    made = [create(API_KEY, tenant) for _ in range(3)]
    old = made[0].record.id
    with pytest.raises(Conflict, match="3 active keys"):
        credentials.rotate(API_KEY, tenant, old, 1)
    assert credentials.get(API_KEY, tenant, old).expires_at is None

    credentials.rotate(API_KEY, tenant, old, 0)
    assert credentials.get(API_KEY, tenant, old).expires_at == NOW


@pytest.mark.parametrize(
    ("seconds", "is_allowed"), [(-1, False), (0, True), (604_800, True), (604_801, False)]
)
@KINDS
def test_the_grace_of_a_rotation_is_at_most_a_week(tenant, kind, seconds, is_allowed):
    made = create(kind, tenant).record.id
    if is_allowed:
        assert credentials.rotate(kind, tenant, made, seconds).secret
        return

    with pytest.raises(InvalidField, match="0 to 604800 seconds"):
        credentials.rotate(kind, tenant, made, seconds)
    assert len(credentials.of_tenant(kind, tenant)) == 1


@KINDS
def test_the_audit_log_names_the_successor_of_a_key(tenant, kind):
    """A client keeps its id, and has none."""
    made = create(kind, tenant).record.id
    with audit.of_operator():
        rotated = credentials.rotate(kind, tenant, made, 60).record.id
    (newest, *_) = audit.page(tenant, before=None, limit=10, matching={})

    assert (newest.action, newest.target) == (f"{kind.audit_name}.rotated", made)
    assert newest.detail == {"gracePeriodSeconds": 60} | (
        {"newKeyId": rotated} if kind is API_KEY else {}
    )


def test_a_client_can_be_rotated_at_the_bound(tenant):
    """It stays one client, with two secrets for a while."""
    made = [create(OAUTH_CLIENT, tenant) for _ in range(3)]

    assert (
        credentials.rotate(OAUTH_CLIENT, tenant, made[0].record.id).record.id == made[0].record.id
    )


def test_a_key_rotated_by_two_at_once_has_one_successor(app, tenant, monkeypatch):
    """The second one read the key before the first had rotated it: 409."""
    old = create(API_KEY, tenant).record.id
    read = credentials.get

    def _rotated_meanwhile(*args):
        seen = read(*args)
        monkeypatch.setattr(credentials, "get", read)
        credentials.rotate(API_KEY, tenant, old)
        return seen

    monkeypatch.setattr(credentials, "get", _rotated_meanwhile)

    with pytest.raises(Conflict):
        credentials.rotate(API_KEY, tenant, old)
    assert len(credentials.of_tenant(API_KEY, tenant)) == 2


@KINDS
def test_the_list_holds_all_active_ones_and_the_newest_that_ended(tenant, kind, at, monkeypatch):
    """In each environment, oldest first."""
    monkeypatch.setattr(credentials, "MAX_ENDED_LISTED", 2)
    names = []
    for n, environment in enumerate([*[Environment.TEST] * 5, Environment.LIVE]):
        at(NOW + timedelta(hours=n))
        made = credentials.create(kind, tenant, str(n), environment)
        names.append(made.record.name)
        if n not in (0, 4):
            credentials.revoke(kind, tenant, made.record.id)

    def listed(environment=None):
        return [c.name for c in credentials.of_tenant(kind, tenant, environment)]

    assert listed() == ["0", "2", "3", "4", "5"]
    assert listed(Environment.TEST) == ["0", "2", "3", "4"]
    assert listed(Environment.LIVE) == ["5"]


@KINDS
def test_a_revoked_one_is_neither_changed_nor_rotated(tenant, kind):
    made = create(kind, tenant).record.id
    credentials.revoke(kind, tenant, made)

    with pytest.raises(Conflict, match="is revoked: create a new one"):
        credentials.change(kind, tenant, made, {"name": "again"}, None)
    with pytest.raises(Conflict, match="create a new one"):
        credentials.rotate(kind, tenant, made)
    assert credentials.get(kind, tenant, made).name == "erp"


@KINDS
def test_what_another_tenant_has_is_not_found(tenant, kind):
    """By no function, whatever it would do."""
    mine, other = create(kind, tenant).record.id, tenants.create("Other")

    for call in (
        lambda: credentials.get(kind, other, mine),
        lambda: credentials.change(kind, other, mine, {"name": "theirs"}, None),
        lambda: credentials.rotate(kind, other, mine),
        lambda: credentials.revoke(kind, other, mine),
        lambda: credentials.limit(kind, other, mine, 1, 1),
    ):
        with pytest.raises(NotFound, match=f"There is no {kind}"):
            call()
    assert credentials.get(kind, tenant, mine).revoked_at is None
    assert credentials.of_tenant(kind, other) == []


@KINDS
def test_an_unknown_tenant_gets_none(app, kind):
    with pytest.raises(NotFound, match="There is no tenant"):
        create(kind, "nothing")


@KINDS
def test_limits_are_set_and_removed(tenant, kind):
    made = create(kind, tenant).record.id
    credentials.limit(kind, tenant, made, 5, 6)
    found = credentials.get(kind, tenant, made)
    assert (found.get_per_minute, found.post_per_minute) == (5, 6)

    credentials.limit(kind, tenant, made, None, None)
    found = credentials.get(kind, tenant, made)
    assert (found.get_per_minute, found.post_per_minute) == (None, None)


def test_a_rotation_that_another_one_overtakes_is_told_so(tenant, monkeypatch):
    """The key is neither revoked nor expired: the other rotation returned its successor."""
    key = create(API_KEY, tenant).record.id
    overtaken = []

    def _now() -> datetime:
        if not overtaken:
            overtaken.append(True)
            credentials.rotate(API_KEY, tenant, key)
        return NOW

    monkeypatch.setattr(clock, "now", _now)
    with pytest.raises(Conflict, match=f"Another request has just rotated the key {key}"):
        credentials.rotate(API_KEY, tenant, key)

    assert len(credentials.of_tenant(API_KEY, tenant)) == 2
