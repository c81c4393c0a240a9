"""Platforms: accounts that own tenants, and act for them (decisions 21.1).

The account of a platform is a row of `tenants` like every other, so that its keys, OAuth clients,
webhooks, events, answered requests and audit log are the ones of an account.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InsufficientScope, NotFound, TenantClosed
from einvoice.services.account import audit, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import ActingPlatform, Principal
from einvoice.store.account import platforms as stored
from einvoice.store.account.platforms import PlatformRecord as PlatformRecord
from einvoice.store.core import db
from einvoice.store.tables import Platform, Tenant

MAX_LISTED = 1_000


# -- by the operator -------------------------------------------------------------------------------


def create(name: str) -> str:
    """Create a platform with its account; returns its id."""
    platform_id, now = str(uuid.uuid4()), clock.now()
    with db.writing_session() as database:
        database.add(Tenant(id=platform_id, name=name, profile={}, created_at=now))
        database.flush()
        database.add(Platform(id=platform_id, created_at=now))
        audit.record(database, platform_id, None, "platform.created", platform_id, {"name": name})
    return platform_id


def get(platform_id: str, caches: Caches | None = None) -> PlatformRecord:
    """The platform; with `caches` at most a second old. Raises NotFound."""
    if caches is None:
        found = stored.find(platform_id)
    else:
        found = caches.platforms.get(platform_id, lambda: stored.find(platform_id))
    if found is None:
        raise unknown(platform_id)
    return found


def unknown(platform_id: str) -> NotFound:
    """The refusal of an id that no platform has."""
    return NotFound(f"There is no platform {platform_id[:40]}.")


def page(
    after: tuple[datetime, str] | None = None, limit: int = MAX_LISTED
) -> list[tuple[PlatformRecord, int]]:
    """Platforms, the oldest first, each with the number of its tenants."""
    found = stored.page(after, limit)
    counted = stored.count_owned([platform.id for platform in found])
    return [(platform, counted.get(platform.id, 0)) for platform in found]


def set_verifies_numbers(platform_id: str, *, verifies: bool) -> None:
    """Whether the numbers of the platform's identifications are verified by its word (21.2).

    Raises NotFound.
    """
    with db.writing_session() as database:
        if not stored.set_verifies_numbers(database, platform_id, verifies=verifies):
            raise unknown(platform_id)
        detail = {"verifiesNumbers": verifies}
        audit.record(database, platform_id, None, "platform.changed", platform_id, detail)


def adopt(platform_id: str, tenant_id: str, external_id: str) -> None:
    """Make a tenant of the operator one of the platform's. Raises NotFound, Conflict."""
    tenants.give_to(get(platform_id).id, tenant_id, external_id)


# -- by its credential -----------------------------------------------------------------------------


def acting(platform_id: str, credential_id: str, caches: Caches | None = None) -> ActingPlatform:
    """The platform of a credential, about itself. Raises NotFound."""
    return ActingPlatform(platform_id, get(platform_id, caches).name, credential_id)


def for_tenant(who: Principal, platform: ActingPlatform, name: str, caches: Caches) -> Principal:
    """The principal for the platform's tenant with this id or external id.

    A live credential does not find a tenant that only test keys have created. Raises NotFound,
    TenantClosed, TenantMoved.
    """
    key = platform.id, name
    tenant_id = caches.platform_tenants.get(key, lambda: stored.tenant_named(*key))
    tenant = None if tenant_id is None else tenants.get(tenant_id, caches)
    if tenant is None or tenant.platform_id != platform.id:
        raise unknown_tenant(name)
    if (refusal := tenants.moved(tenant)) is not None:
        raise refusal
    if tenant.closed_at is not None:
        raise TenantClosed(f"The tenant {name[:100]} was closed on {tenant.closed_at:%Y-%m-%d}.")
    if tenant.sandbox_only and who.environment is Environment.LIVE:
        raise NotFound(
            f"The tenant {name[:100]} is one of the sandbox: create it with a live key first."
        )
    limits = tenant.get_per_minute, tenant.post_per_minute
    named = replace(platform, for_tenant=True, get_per_minute=limits[0], post_per_minute=limits[1])
    return replace(who, tenant_id=tenant.id, platform=named)


def check_may_change(who: Principal, caches: Caches) -> None:
    """Raise InsufficientScope for a test credential and a tenant with a live environment.

    What is the tenant's, and of no environment, concerns its live documents, too.
    """
    tenant = tenants.get(who.tenant_id, caches)
    if who.environment is Environment.TEST and not tenant.sandbox_only:
        raise test_key_refused()


def test_key_refused() -> InsufficientScope:
    """The refusal of a test credential to change what belongs to both environments."""
    return InsufficientScope(
        "A test credential may change only tenants that were created by test credentials: use a "
        "live one."
    )


def unknown_tenant(name: str) -> NotFound:
    """The refusal of an id that no tenant of the platform has."""
    return NotFound(f"The platform has no tenant {name[:100]!r}.")
