"""/api/operator/tenants: all tenants with state, plan and usage; suspending, and setting plans."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from einvoice.domain.errors import AccountClosed
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.console import tenants as service
from einvoice.services.console.tenants import SeenTenant
from einvoice.web import bodies, paging
from einvoice.web.operator import tenant_schemas as schemas
from einvoice.web.operator.api import OperatorFamily, operator
from einvoice.web.paging import Page
from einvoice.web.platform.tenant_schemas import PlanChanges
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_tenants", __name__, "/tenants")

_QUERY, _REASON, _PLAN = schemas.OperatorTenantQuery(), schemas.OperatorReason(), PlanChanges()


@family.scoped("", READ)
@family.doc(parameters=[{"in": "query", "schema": schemas.OperatorTenantQuery}])
@family.response(200, schemas.OperatorTenantList())
def list_operator_tenants() -> Page[SeenTenant]:
    """List the tenants of the installation with state, plan and usage, the newest first."""
    query, by = paging.read_query(_QUERY), operator()
    found = service.page(
        text=query.get("q"),
        state=query.get("state") or None,
        platform_id=query.get("platformId"),
        before=paging.marked_moment(query, by),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, place, query, by)


@family.scoped("/<tenant>", READ)
@family.response(200, schemas.OperatorTenantResponse())
def get_operator_tenant(tenant: str) -> SeenTenant:
    """Get a tenant with state, plan and the documents of this month."""
    return service.get(tenant)


@family.scoped("/<tenant>/suspend", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.OperatorReason))
@family.refuses(AccountClosed)
@family.response(200, schemas.OperatorTenantResponse())
def suspend_operator_tenant(tenant: str) -> SeenTenant:
    """Let a tenant receive and read, and send nothing; its refusals name the reason."""
    asked = bodies.read_body(_REASON, bodies.received())
    return service.suspend(tenant, asked["reason"], runtime().caches)


@family.scoped("/<tenant>/resume", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(AccountClosed)
@family.response(200, schemas.OperatorTenantResponse())
def resume_operator_tenant(tenant: str) -> SeenTenant:
    """Let a suspended tenant send again."""
    read_empty_body()
    return service.resume(tenant, runtime().caches)


@family.scoped("/<tenant>/plan", MANAGE, methods=["PUT"])
@family.doc(requestBody=documented_body(PlanChanges))
@family.refuses(AccountClosed)
@family.response(200, schemas.OperatorTenantResponse())
def set_operator_tenant_plan(tenant: str) -> SeenTenant:
    """Replace the plan of a tenant."""
    asked = bodies.read_body(_PLAN, bodies.received())
    return service.set_plan(tenant, asked, runtime().caches)


@family.scoped("/<tenant>/plan", MANAGE, methods=["DELETE"])
@family.refuses(AccountClosed)
@family.response(200, schemas.OperatorTenantResponse())
def remove_operator_tenant_plan(tenant: str) -> SeenTenant:
    """Remove the plan of a tenant: it may use everything."""
    return service.set_plan(tenant, None, runtime().caches)


def place(one: SeenTenant) -> list[Any]:
    """The place of a tenant in the list."""
    created: datetime = one.tenant.created_at
    return [created.isoformat(), one.tenant.id]
