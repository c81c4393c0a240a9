"""The tenants of a platform: created once per external id, changed, suspended, closed (21.1)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.services.account import audit, closure, plans, platforms
from einvoice.services.caches import Caches
from einvoice.services.principal import ActingPlatform, Principal
from einvoice.services.runtime import Runtime
from einvoice.store.account import platforms as stored
from einvoice.store.account.platforms import OwnedTenant as OwnedTenant
from einvoice.store.core import db
from einvoice.store.tables import Tenant


@dataclass(frozen=True, slots=True)
class NewTenant:
    """The terms of a tenant that a platform creates; None: the default of the service."""

    external_id: str
    name: str
    get_per_minute: int | None = None
    post_per_minute: int | None = None
    plan: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """The tenant of an external id, and whether this call has made it."""

    tenant: OwnedTenant
    is_new: bool


def create(new: NewTenant, who: Principal, caches: Caches) -> Created:
    """Create the tenant of the external id, once: the same call later changes nothing.

    With a live credential a tenant of the sandbox becomes one of both environments.
    Raises Conflict if the tenant exists with other values.
    """
    for _ in range(2):
        found = _existing(new, who, caches)
        if found is not None:
            return found
        try:
            return Created(_insert(new, who), is_new=True)
        except IntegrityError:
            continue  # another call was first: its tenant is committed
    raise Conflict(f"The tenant {new.external_id} is being created by another request.")


def _existing(new: NewTenant, who: Principal, caches: Caches) -> Created | None:
    platform = _platform(who)
    name = stored.tenant_of_external_id(platform.id, new.external_id)
    if name is None:
        return None
    with db.writing_session() as database:
        tenant = _locked(database, platform.id, name)
        if tenant.closed_at is None:
            _compare(tenant, new)
        if tenant.sandbox_only and who.environment is Environment.LIVE:
            tenant.sandbox_only = False
            audit.record(database, tenant.id, who, "tenant.live", tenant.id)
            database.flush()
        found = stored.record(tenant)
    caches.tenants.drop(found.id)
    return Created(found, is_new=False)


def _compare(tenant: Tenant, new: NewTenant) -> None:
    """Raise Conflict where the tenant has other values than the given ones."""
    given = {
        "name": new.name,
        "get_per_minute": new.get_per_minute,
        "post_per_minute": new.post_per_minute,
        "plan": new.plan,
    }
    members = {"get_per_minute": "limits", "post_per_minute": "limits"}
    differ = [
        members.get(column, column)
        for column, value in given.items()
        if value is not None and getattr(tenant, column) != value
    ]
    if differ:
        what = " and ".join(dict.fromkeys(differ))
        raise Conflict(
            f"The tenant {new.external_id} exists with another {what}: change it with "
            f"PATCH /api/platform/tenants/{tenant.id}."
        )


def _insert(new: NewTenant, who: Principal) -> OwnedTenant:
    platform, tenant_id = _platform(who), str(uuid.uuid4())
    with db.writing_session() as database:
        tenant = Tenant(
            id=tenant_id,
            name=new.name,
            profile={},
            created_at=clock.now(),
            platform_id=platform.id,
            external_id=new.external_id,
            sandbox_only=who.environment is Environment.TEST,
            get_per_minute=new.get_per_minute,
            post_per_minute=new.post_per_minute,
            plan=None if new.plan is None else dict(new.plan),
        )
        database.add(tenant)
        database.flush()
        detail = {"name": new.name, "externalId": new.external_id}
        audit.record(database, tenant_id, who, "tenant.created", tenant_id, detail)
        return stored.record(tenant)


def get(name: str, who: Principal) -> OwnedTenant:
    """The tenant with this id or external id, in any state. Raises NotFound."""
    platform = _platform(who)
    tenant_id = stored.tenant_named(platform.id, name)
    found = None if tenant_id is None else stored.owned(platform.id, tenant_id)
    if found is None:
        raise platforms.unknown_tenant(name)
    return found


def page(
    who: Principal,
    *,
    state: str | None,
    external_id: str | None,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[OwnedTenant]:
    """Tenants of the platform, the oldest first."""
    return stored.owned_page(
        _platform(who).id, state=state, external_id=external_id, after=after, limit=limit
    )


def change(name: str, values: Mapping[str, Any], who: Principal, caches: Caches) -> OwnedTenant:
    """Change columns of the tenant: name, external_id, limits, plan.

    Raises NotFound, InsufficientScope, Conflict (it is closed, or another one has the external id).
    """
    try:
        with db.writing_session() as database:
            tenant = open_tenant(database, name, who)
            for column, value in values.items():
                setattr(tenant, column, value)
            plans.begin(database, tenant.id, values.get("plan"))
            database.flush()
            audit.record(database, tenant.id, who, "tenant.changed", tenant.id, dict(values))
            found = stored.record(tenant)
    except IntegrityError:
        message = f"You have another tenant {values.get('external_id')}."
        raise Conflict(message) from None
    caches.tenants.drop(found.id)
    return found


def suspend(name: str, reason: str | None, who: Principal, caches: Caches) -> OwnedTenant:
    """Let the tenant receive, and send nothing. Repeating it changes only the reason.

    Raises NotFound, Conflict (it is closed), InsufficientScope.
    """
    with db.writing_session() as database:
        tenant = open_tenant(database, name, who)
        tenant.suspended_at = tenant.suspended_at or clock.now()
        tenant.suspension_reason = reason
        database.flush()
        detail = {"reason": reason}
        audit.record(database, tenant.id, who, "tenant.suspended", tenant.id, detail)
        found = stored.record(tenant)
    caches.tenants.drop(found.id)
    return found


def resume(name: str, who: Principal, caches: Caches) -> OwnedTenant:
    """End the suspension, if there is one. Raises as `suspend`."""
    with db.writing_session() as database:
        tenant = open_tenant(database, name, who)
        if tenant.suspended_at is not None:
            tenant.suspended_at = tenant.suspension_reason = None
            database.flush()
            audit.record(database, tenant.id, who, "tenant.resumed", tenant.id)
        found = stored.record(tenant)
    caches.tenants.drop(found.id)
    return found


def close(name: str, who: Principal, runtime: Runtime) -> OwnedTenant:
    """End all access to the tenant (account/closure). Raises NotFound, InsufficientScope."""
    found = changeable(name, who)
    closure.close(found.id, runtime.caches, who, runtime.access_points)
    return get(found.id, who)


def changeable(name: str, who: Principal) -> OwnedTenant:
    """The tenant, in any state, if the credential may change it.

    Raises NotFound, InsufficientScope.
    """
    found = get(name, who)
    _check_key(found, who)
    return found


def open_tenant(database: DatabaseSession, name: str, who: Principal) -> Tenant:
    """The tenant, locked, if it is open and the credential may change it.

    Raises NotFound, InsufficientScope, Conflict (it is closed).
    """
    tenant = _locked(database, _platform(who).id, get(name, who).id)
    _check_key(tenant, who)
    if tenant.closed_at is not None:
        raise Conflict(f"The tenant was closed on {tenant.closed_at:%Y-%m-%d}.")
    return tenant


def _locked(database: DatabaseSession, platform_id: str, tenant_id: str) -> Tenant:
    tenant = stored.lock_owned(database, platform_id, tenant_id)
    if tenant is None:
        raise platforms.unknown_tenant(tenant_id)
    return tenant


def _check_key(tenant: Tenant | OwnedTenant, who: Principal) -> None:
    """Raise InsufficientScope for a test credential and a tenant that has a live environment."""
    if who.environment is Environment.TEST and not tenant.sandbox_only:
        raise platforms.test_key_refused()


def _platform(who: Principal) -> ActingPlatform:
    if who.platform is None:
        raise LookupError("the credential is not that of a platform")
    return who.platform
