"""The first page: what was sent and received, and what needs a person."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import key_expiry, usage
from einvoice.services.account.usage import UsageDay
from einvoice.services.connections import accounts
from einvoice.services.invoices import lists, successors
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest
from einvoice.services.webhooks import endpoints
from einvoice.web.dashboard import charts, first_steps, pages
from einvoice.web.dashboard.pages import Pages

RECENT = 8

family = Pages("dashboard_overview", __name__, "/dashboard")


@family.page("", least=Role.VIEWER)
def show_overview() -> Response:
    """Thirty days of the chosen environment, failed documents, and the newest ones."""
    shown = pages.environment()
    days = usage.days(pages.who().tenant_id, environment=shown)
    return pages.render(
        "dashboard/overview.html",
        days=days,
        totals=_totals(days),
        chart=charts.bars([charts.of_day(day) for day in reversed(days)]),
        times=usage.delivery_times(pages.who().tenant_id, shown),
        waiting=_waiting_for_person(shown),
        recent=_newest(InvoiceFilters(environment=shown)),
        needing=_needing_administrator(shown),
        first_steps=first_steps.of(shown),
    )


def _needing_administrator(shown: Environment) -> dict[str, list[Any]]:
    """The matters that need a person who may change them; none for others."""
    principal = pages.who()
    if principal.role < Role.ADMIN:
        return {}
    found: dict[str, list[Any]] = {
        "keys": key_expiry.ending(principal.tenant_id, shown),
        "webhooks": endpoints.failing(principal.tenant_id, shown),
        "connections": accounts.needing_person(principal.tenant_id, shown),
    }
    return found if any(found.values()) else {}


def _waiting_for_person(shown: Environment) -> list[lists.InvoiceListItem]:
    """The newest documents that failed and were not replaced, were refused by their receiver, or
    have an unknown end."""
    failed = _newest(InvoiceFilters(environment=shown, status=NetworkStatus.FAILED), 10 * RECENT)
    replaced = successors.of(failed, pages.who().tenant_id, shown.value)
    failed = [each for each in failed if each.id not in replaced]
    asked = _newest(InvoiceFilters(environment=shown, attention=True))
    found = {each.id: each for each in (*failed, *asked)}.values()
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)[:RECENT]


def _newest(filters: InvoiceFilters, most: int = RECENT) -> list[lists.InvoiceListItem]:
    return list(lists.invoices(pages.who(), filters, InvoicePageRequest(most)).items)


def _totals(days: list[UsageDay]) -> dict[str, int]:
    return {name: sum(getattr(day, name) for day in days) for name in usage.COUNTS}
