"""/api/platform/tenants: the tenants of a platform, by their id or by what it calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einvoice.domain.credentials import TENANTS_MANAGE, TENANTS_READ
from einvoice.domain.errors import Conflict
from einvoice.services.account import plans
from einvoice.services.account import platform_tenants as service
from einvoice.services.account.plans import PlanState
from einvoice.services.account.platform_tenants import NewTenant, OwnedTenant
from einvoice.services.principal import Principal
from einvoice.services.tenant_data import purge
from einvoice.web import bodies, credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.platform import tenant_schemas as schemas
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "platform_tenants",
    __name__,
    url_prefix="/api/platform/tenants",
    credential=credentials.platform,
    tag="Platforms",
)

MAX_PURGE_SECONDS = 5.0  # of one request

_NEW, _CHANGES, _QUERY, _SUSPENSION = (
    schemas.NewPlatformTenant(),
    schemas.PlatformTenantChanges(),
    schemas.PlatformTenantQuery(),
    schemas.SuspensionRequest(),
)
_RECORD = schemas.PlatformTenantResponse()


def _reader() -> Principal:
    credentials.require_one(TENANTS_READ, TENANTS_MANAGE)
    return credentials.principal()


def _manager() -> Principal:
    credentials.require(TENANTS_MANAGE)
    return credentials.principal()


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.PlatformTenantQuery}])
@family.response(200, schemas.PlatformTenantList())
def list_platform_tenants() -> Page[OwnedTenant]:
    """List the tenants of the platform."""
    who, query = _reader(), paging.read_query(_QUERY)
    found = service.page(
        who,
        state=query.get("state"),
        external_id=query.get("externalId"),
        after=paging.marked_moment(query, who),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, _place, query, who)


def _place(tenant: OwnedTenant) -> list[Any]:
    return [tenant.created_at.isoformat(), tenant.id]


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewPlatformTenant))
@family.refuses(Conflict)
@family.response(201, schemas.PlatformTenantResponse())
@family.alt_response(200, schema=schemas.PlatformTenantResponse(), description="It exists.")
def create_platform_tenant() -> Written[OwnedTenant]:
    """Create the tenant of an externalId, once: 200 with the same tenant if it exists.

    409 conflict if it exists with another name or other limits. A tenant that was created with a
    test credential works in the sandbox only, until the same request is made with a live one.
    """
    who = _manager()
    asked = bodies.read_body(_NEW, bodies.received())
    limits, plan = _limits(asked.get("limits")), asked.get("plan")
    new = NewTenant(asked["externalId"], asked["name"], **limits, plan=plan)
    made = service.create(new, who, runtime().caches)
    if made.is_new:
        return created(made.tenant, f"/api/platform/tenants/{made.tenant.id}")
    return made.tenant, 200, {}


def _limits(given: Mapping[str, int] | None) -> dict[str, Any]:
    limits = given or {}
    return {"get_per_minute": limits.get("get"), "post_per_minute": limits.get("post")}


@family.route("/<tenant>")
@family.response(200, schemas.PlatformTenantResponse())
def get_platform_tenant(tenant: str) -> OwnedTenant:
    """Get a tenant, by its tenantId or externalId."""
    return service.get(tenant, _reader())


@family.route("/<tenant>", methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.PlatformTenantChanges))
@family.refuses(Conflict)
@family.response(200, schemas.PlatformTenantResponse())
def update_platform_tenant(tenant: str) -> OwnedTenant:
    """Change name, externalId, limits or plan of a tenant. Requests notice it within a second."""
    who = _manager()
    record = _RECORD.dump(service.get(tenant, who))
    asked = bodies.read_patch(_CHANGES, bodies.received(), schemas.REMOVABLE, record)
    columns = {"externalId": "external_id", "name": "name"}
    values = {columns[name]: value for name, value in asked.items() if name in columns}
    if "limits" in asked:
        values |= _limits(asked["limits"])
    if "plan" in asked:
        values["plan"] = asked["plan"]
    return service.change(tenant, values, who, runtime().caches)


@family.route("/<tenant>/plan")
@family.response(200, schemas.TenantPlanState())
def get_tenant_plan(tenant: str) -> PlanState:
    """Get the plan of a tenant, the documents that it has sent in this month, and its users."""
    found = service.get(tenant, _reader())
    return plans.state(found.id, found.plan, found.seats)


@family.route("/<tenant>/suspend", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.SuspensionRequest, required=False))
@family.refuses(Conflict)
@family.response(200, schemas.PlatformTenantResponse())
def suspend_platform_tenant(tenant: str) -> OwnedTenant:
    """Let a tenant receive and read, and send nothing: 403 tenant-suspended, within a second.

    What was accepted before is delivered.
    """
    who, body = _manager(), bodies.received()
    asked = bodies.read_body(_SUSPENSION, body) if body.strip() else {}
    return service.suspend(tenant, asked.get("reason") or None, who, runtime().caches)


@family.route("/<tenant>/resume", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.PlatformTenantResponse())
def resume_platform_tenant(tenant: str) -> OwnedTenant:
    """Let a suspended tenant send again."""
    who = _manager()
    read_empty_body()
    return service.resume(tenant, who, runtime().caches)


@family.route("/<tenant>/close", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(200, schemas.PlatformTenantResponse())
def close_platform_tenant(tenant: str) -> OwnedTenant:
    """End a tenant: its keys, OAuth clients, share links, webhooks and connections.

    Nothing is received for it any more; documents stay for their retention. It cannot be undone.
    """
    who = _manager()
    read_empty_body()
    return service.close(tenant, who, runtime())


@family.route("/<tenant>/purge", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.PlatformTenantResponse())
@family.alt_response(
    202, schema=schemas.PlatformTenantResponse(), description="It has begun, and goes on."
)
def purge_platform_tenant(tenant: str) -> Written[OwnedTenant]:
    """Delete all that a closed tenant has, but its name and audit log. It cannot be undone.

    409 conflict says what stands in the way: documents and evidence whose retention has not ended,
    legal holds, what is not settled. 202 while rows are left: they are deleted without you, and
    the same request says how far it is.
    """
    who = _manager()
    read_empty_body()
    found, parts = service.changeable(tenant, who), runtime()
    with slots.released():
        done = purge.purge(found.id, parts.settings, seconds=MAX_PURGE_SECONDS, by=who)
    parts.caches.tenants.drop(found.id)
    return service.get(found.id, who), 202 if done.done_at is None else 200, {}
