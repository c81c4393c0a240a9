"""The tenants of the installation, with what they have sent and received this month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.plans import next_month
from einvoice.services.account import plans, tenants
from einvoice.services.account.plans import PlanState
from einvoice.services.caches import Caches
from einvoice.store.account import all_tenants as stored
from einvoice.store.account.all_tenants import ListedTenant as ListedTenant
from einvoice.store.invoices import kind_counts


@dataclass(frozen=True, slots=True)
class MonthCount:
    """The documents of a tenant in an environment that were accepted this month (UTC)."""

    environment: Environment
    sent: int = 0
    failed: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class SeenTenant:
    """A tenant as operators see it."""

    tenant: ListedTenant
    months: Sequence[MonthCount]

    @property
    def plan(self) -> PlanState | None:
        """The plan and what of it is used; None: everything is allowed."""
        one = self.tenant
        return None if one.plan is None else plans.state(one.id, one.plan, one.seats)


def page(
    *,
    text: str | None = None,
    state: str | None = None,
    platform_id: str | None = None,
    before: tuple[datetime, str] | None = None,
    limit: int,
) -> list[SeenTenant]:
    """Tenants, the newest first, before that place; `text`: part of a name, or a whole id."""
    return _seen(
        stored.page(text=text, state=state, platform_id=platform_id, before=before, limit=limit)
    )


def get(tenant_id: str) -> SeenTenant:
    """A tenant, also a closed one. Raises NotFound."""
    found = stored.find(tenant_id)
    if found is None:
        raise tenants.unknown(tenant_id)
    return _seen([found])[0]


def suspend(tenant_id: str, reason: str, caches: Caches) -> SeenTenant:
    """Let the tenant receive, and send nothing. Raises NotFound, AccountClosed."""
    tenants.suspend(tenant_id, reason, caches)
    return get(tenant_id)


def resume(tenant_id: str, caches: Caches) -> SeenTenant:
    """End a suspension. Raises NotFound, AccountClosed."""
    tenants.resume(tenant_id, caches)
    return get(tenant_id)


def set_plan(tenant_id: str, plan: Mapping[str, Any] | None, caches: Caches) -> SeenTenant:
    """Replace the plan; None: no limits. Raises NotFound, AccountClosed."""
    plans.set_by_operator(tenant_id, plan, caches)
    return get(tenant_id)


def _seen(found: Sequence[ListedTenant]) -> list[SeenTenant]:
    """The tenants with their counts, by one statement for each environment."""
    ids = [tenant.id for tenant in found]
    now = clock.now()
    first = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    counts: dict[tuple[str, Environment], dict[str, int]] = {}
    for environment in Environment:
        if not ids:
            break
        for one in kind_counts.of_tenants(ids, environment.value, first, next_month(now)):
            counted = counts.setdefault((one.tenant_id, environment), {})
            counted[one.status] = counted.get(one.status, 0) + one.documents
    return [
        SeenTenant(each, [_month(e, counts.get((each.id, e), {})) for e in Environment])
        for each in found
    ]


def _month(environment: Environment, counted: Mapping[str, int]) -> MonthCount:
    sent = sum(counted.get(status, 0) for status in ("Processing", "Delivered", "Failed"))
    return MonthCount(environment, sent, counted.get("Failed", 0), counted.get("Received", 0))
