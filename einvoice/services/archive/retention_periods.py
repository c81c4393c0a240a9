"""Until when documents and evidence have to be kept (compliance/retention)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Protocol

from einvoice.compliance import retention
from einvoice.compliance.retention import RetentionRule
from einvoice.domain.environments import Environment
from einvoice.domain.invoice import is_sold
from einvoice.domain.plans import Plan
from einvoice.store.account import tenants

MAX_AHEAD = timedelta(days=366)


class Kept(Protocol):
    """The facts that decide the retention of an invoice."""

    @property
    def environment(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def supplier_country(self) -> str | None: ...
    @property
    def buyer_country(self) -> str | None: ...
    @property
    def issue_date(self) -> date | None: ...
    @property
    def created_at(self) -> datetime: ...


def years_of_plans(tenant_ids: Collection[str]) -> dict[str, int]:
    """The years for which the plans of tenants have documents kept, of those that say any."""
    years = {
        tenant_id: Plan.of(plan).retention_years
        for tenant_id, plan in tenants.plans_of(tenant_ids).items()
    }
    return {tenant_id: found for tenant_id, found in years.items() if found is not None}


def rule_of(
    invoice: Kept, artefact_years: int | None, default_years: int, plan_years: int | None = None
) -> RetentionRule:
    """The rule of the tenant's country: the supplier's of a sent invoice, else the buyer's; of a
    self-billed one, which the buyer sends, the other way round.

    artefact_years  what the network says of a piece of evidence
    default_years   where the country is not known
    plan_years      of the tenant's plan
    """
    if invoice.environment == Environment.TEST:
        return retention.sandbox_rule()
    sold = is_sold(invoice.direction, invoice.kind)
    country = invoice.supplier_country if sold else invoice.buyer_country
    return retention.rule_of(
        country, artefact_years=artefact_years, plan_years=plan_years, default=default_years
    )


def keep_until(
    invoice: Kept, artefact_years: int | None, default_years: int, plan_years: int | None = None
) -> date:
    """The last day of its retention, counted from its arrival, or from a later date of issue.

    A date of issue more than a year ahead is wrong, and not counted from.
    """
    arrived = invoice.created_at.date()
    issued = invoice.issue_date or arrived
    day = issued if arrived < issued < arrived + MAX_AHEAD else arrived
    return rule_of(invoice, artefact_years, default_years, plan_years).keep_until(day)
