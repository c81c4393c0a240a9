"""Plans: documents a month, networks, users and years of a tenant (decisions 21.1).

A plan is set by the platform of the tenant, or by the operator. Its documents are counted in the
transaction that accepts them (store/account/plan_counts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotInPlan, PlanLimitPaused, PlanLimitReached, RequestRefused
from einvoice.domain.plans import AboveLimit, Plan, month_of, next_month
from einvoice.network.access_points import stands_for
from einvoice.network.types import AccessPoint
from einvoice.services.account import audit, seats, tenants
from einvoice.services.caches import Caches
from einvoice.services.runtime import Runtime
from einvoice.store.account import plan_counts, usage
from einvoice.store.account.plan_counts import CountedMonth
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.core import db
from einvoice.store.sending.new_sends import PlanOfSend


@dataclass(frozen=True, slots=True)
class PlanState:
    """The plan of a tenant, the documents that it has sent in this month, and its users."""

    plan: Plan
    month: str
    sent: Mapping[Environment, int]
    users: int


def of_send(
    tenant: TenantRecord,
    environment: Environment,
    access_point: str,
    runtime: Runtime,
    now: datetime,
) -> PlanOfSend | None:
    """The month in which a send counts; None without a limit. Raises NotInPlan."""
    if tenant.plan is None:
        return None
    plan = Plan.of(tenant.plan)
    _check_network(plan, runtime.access_points[access_point])
    if plan.monthly_documents is None:
        return None
    month = CountedMonth(tenant.id, environment.value, month_of(now))
    return PlanOfSend(month, plan.monthly_documents, plan.above_limit is not AboveLimit.ALLOW)


def _check_network(plan: Plan, point: AccessPoint) -> None:
    """Raise NotInPlan for a network that the plan lacks; a simulator stands for any of them."""
    if plan.networks is None or any(stands_for(point, each) for each in plan.networks):
        return
    has = ", ".join(sorted(plan.networks)) or "none"
    raise NotInPlan(f"Your plan does not have the network {point.network}; it has: {has}.")


def refusal(limit: int, tenant: TenantRecord) -> RequestRefused:
    """The refusal of a send above the limit."""
    now = clock.now()
    sent = f"Your plan has {limit:,} documents a month, and they are sent for {month_of(now)}"
    if Plan.of(tenant.plan).above_limit is AboveLimit.WAIT:
        begins = next_month(now)
        seconds = int((begins - now).total_seconds()) + 1
        return PlanLimitPaused(f"{sent}: send again on {begins:%Y-%m-%d} (UTC).", seconds)
    return PlanLimitReached(f"{sent}: nothing was stored.")


def set_by_operator(tenant_id: str, plan: Mapping[str, Any] | None, caches: Caches) -> None:
    """Set the plan of a tenant; None: no limits. Raises NotFound, AccountClosed."""
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        tenant.plan = None if plan is None else dict(plan)
        begin(database, tenant_id, plan)
        audit.record(database, tenant_id, None, "tenant.plan-changed", tenant_id, {"plan": plan})
    caches.tenants.drop(tenant_id)


def begin(database: DatabaseSession, tenant_id: str, plan: Mapping[str, Any] | None) -> None:
    """Let a plan that begins within a month count the documents of the month so far."""
    if Plan.of(plan).monthly_documents is None:
        return
    now = clock.now()
    first = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    for environment in Environment:
        sent = usage.sent_since(database.connection(), tenant_id, environment.value, first)
        month = CountedMonth(tenant_id, environment.value, month_of(now))
        plan_counts.at_least(database.connection(), month, sent)


def state(
    tenant_id: str, plan: Mapping[str, Any] | None, seated: Mapping[str, float] | None
) -> PlanState:
    """The plan, with the documents of this month; 0 where no plan has counted them."""
    month = month_of(clock.now())
    months = {each: CountedMonth(tenant_id, each.value, month) for each in Environment}
    counted = plan_counts.of_months(list(months.values()))
    sent = {place: counted.get(one, 0) for place, one in months.items()}
    return PlanState(Plan.of(plan), month, sent, seats.count(seated))
