"""What ends with a tenant, a session or a platform's hold on a tenant ends for all of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound, SessionEnded, TenantClosed
from einvoice.services.account import (
    closure,
    credentials,
    key_expiry,
    platform_tenants,
    platforms,
    seats,
    session_ends,
    tenants,
)
from einvoice.services.account.platform_tenants import NewTenant
from einvoice.services.principal import ActingPlatform, Principal
from einvoice.store.core import budgets, db
from einvoice.store.tables import Tenant
from einvoice.web.runtime import runtime_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def caches(app):
    return runtime_of(app).caches


def acting(environment: Environment = Environment.LIVE) -> tuple[Principal, ActingPlatform]:
    """A credential of a new platform, and the platform."""
    platform = platforms.acting(platforms.create("P"), "k")
    return Principal(platform.id, environment, frozenset(), "k", platform=platform), platform


def owned(who: Principal, caches, name: str = "c-1", **terms) -> str:
    return platform_tenants.create(NewTenant(name, "Tenant", **terms), who, caches).tenant.id


def test_closing_a_tenant_is_noticed_by_every_process_at_the_next_use_of_a_key(
    caches, tenant, monkeypatch
):
    """Each key that was active is stamped, and no other one."""
    stamped: list[str] = []
    keys = [credentials.create(API_KEY, tenant, "k", environment) for environment in Environment]
    credentials.revoke(API_KEY, tenant, keys[0].record.id)
    monkeypatch.setattr(budgets, "stamp", stamped.append)
    closure.close(tenant, caches)
    closure.close(tenant, caches)

    assert stamped == [keys[1].record.id]


def test_a_platform_acts_for_its_open_tenants_by_either_id(caches):
    who, platform = acting()
    tenant_id = owned(who, caches, get_per_minute=7, post_per_minute=3)

    for name in (tenant_id, "c-1"):
        found = platforms.for_tenant(who, platform, name, caches)
        assert (found.tenant_id, found.environment) == (tenant_id, Environment.LIVE)
        assert found.platform is not None
        assert found.platform.for_tenant
        assert (found.platform.get_per_minute, found.platform.post_per_minute) == (7, 3)


def test_a_tenant_that_went_to_another_platform_is_not_found_by_the_first(caches):
    """Also while the name is remembered from before."""
    who, platform = acting()
    tenant_id = owned(who, caches)
    platforms.for_tenant(who, platform, "c-1", caches)
    with db.writing_session() as database:
        database.get_one(Tenant, tenant_id).platform_id = acting()[1].id
    caches.tenants.drop(tenant_id)

    with pytest.raises(NotFound):
        platforms.for_tenant(who, platform, "c-1", caches)


def test_a_closed_tenant_and_one_of_the_sandbox_are_refused_by_name(caches):
    who, platform = acting()
    test = Principal(platform.id, Environment.TEST, frozenset(), "k", platform=platform)
    owned(test, caches, "sandbox")
    closure.close(owned(who, caches, "over"), caches)

    with pytest.raises(TenantClosed, match="The tenant over was closed on"):
        platforms.for_tenant(who, platform, "over", caches)
    with pytest.raises(NotFound, match="sandbox"):
        platforms.for_tenant(who, platform, "sandbox", caches)
    assert platforms.for_tenant(test, platform, "sandbox", caches).environment == "test"


def test_a_tenant_that_is_created_again_is_the_same_with_its_values_or_a_conflict(caches):
    """One that was closed is found whatever the call says: its id stays taken."""
    who, _ = acting()
    tenant_id = owned(who, caches, get_per_minute=7)

    assert owned(who, caches) == owned(who, caches, get_per_minute=7) == tenant_id
    with pytest.raises(Conflict, match="another limits"):
        owned(who, caches, get_per_minute=8)
    closure.close(tenant_id, caches)
    again = platform_tenants.create(NewTenant("c-1", "Another", get_per_minute=8), who, caches)

    assert (again.tenant.id, again.is_new) == (tenant_id, False)
    assert again.tenant.closed_at is not None


def test_a_tenant_of_the_sandbox_is_of_both_environments_once_a_live_key_creates_it(caches):
    """At once, also where it is remembered as one of the sandbox; a test key changes nothing."""
    who, platform = acting()
    test = Principal(platform.id, Environment.TEST, frozenset(), "k", platform=platform)
    tenant_id = owned(test, caches)
    owned(test, caches)
    assert tenants.get(tenant_id, caches).sandbox_only

    owned(who, caches)

    assert not tenants.get(tenant_id, caches).sandbox_only


def test_a_tenant_that_does_not_exist_cannot_be_closed(caches):
    with pytest.raises(NotFound):
        closure.close("no-such-tenant", caches)


def test_sessions_end_at_once_where_the_tenant_is_remembered(caches, tenant):
    """Of one person, or of everyone; a later login is admitted."""
    now = clock.now().timestamp()
    session_ends.admit(tenant, "ann", now, caches)
    session_ends.end(tenant, "ann", caches)

    with pytest.raises(SessionEnded):
        session_ends.admit(tenant, "ann", now, caches)
    session_ends.admit(tenant, "bob", now, caches)
    session_ends.admit(tenant, "ann", now + 60, caches)
    session_ends.end(tenant, None, caches)
    with pytest.raises(SessionEnded):
        session_ends.admit(tenant, "bob", now, caches)


def test_as_many_people_are_sent_out_in_a_day_as_the_row_remembers(
    caches, tenant, monkeypatch, move
):
    """Everyone can be sent out after that, and more people a day later."""
    monkeypatch.setattr(session_ends, "MAX_SUBJECTS", 1)
    for subject in ("ann", "bob"):
        session_ends.end(tenant, subject, caches)
    with pytest.raises(Conflict, match="end those of everyone"):
        session_ends.end(tenant, "cleo", caches)
    move(days=2)

    session_ends.end(tenant, "cleo", caches)


def test_who_is_sent_out_leaves_one_seat_and_everyone_leaves_all(caches, tenant):
    with db.writing_session() as database:
        database.get_one(Tenant, tenant).plan = {"users": 5}
    caches.tenants.drop(tenant)
    for subject in ("ann", "bob", "cleo"):
        seats.take(tenant, subject, caches)
    counted = [seats.count(tenants.get(tenant).seats)]
    for subject in ("bob", None):
        session_ends.end(tenant, subject, caches)
        counted.append(seats.count(tenants.get(tenant).seats))

    assert counted == [3, 2, 0]


def test_keys_that_end_soon_are_listed_with_the_first_to_end_first(app, tenant):
    """Those of the environment that end within 14 days, to the second."""
    days = {"late": 14, "soon": 2, "later": 9}
    with_ends = {name: clock.now() + timedelta(days=count) for name, count in days.items()}
    with_ends["not soon"] = clock.now() + timedelta(days=15)
    for name, end in with_ends.items():
        credentials.create(API_KEY, tenant, name, Environment.TEST, expires_at=end)
    credentials.create(API_KEY, tenant, "endless", Environment.TEST)

    ending = [key.name for key in key_expiry.ending(tenant, Environment.TEST)]
    assert ending == ["soon", "later", "late"]
    assert key_expiry.ending(tenant, Environment.LIVE) == []
