"""Usage: documents a day over a longer time, and the limits of keys and clients."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

from flask import Response, request, url_for

from einvoice import clock
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT, Credential
from einvoice.domain.roles import Role
from einvoice.services.account import credentials, usage
from einvoice.services.account.usage import COUNTS, DEFAULT_DAYS, MAX_DAYS, UsageDay
from einvoice.web.dashboard import charts, pages, usage_charts
from einvoice.web.dashboard.keys import limits_of
from einvoice.web.dashboard.pages import Pages

SPANS = (DEFAULT_DAYS, MAX_DAYS)

family = Pages("dashboard_usage", __name__, "/dashboard/developers/usage")


@family.page("", least=Role.VIEWER)
def show_usage() -> Response:
    """The documents of the chosen environment; with `days=92` of three months."""
    principal, shown = pages.who(), pages.environment()
    span = MAX_DAYS if request.args.get("days") == str(MAX_DAYS) else DEFAULT_DAYS
    days = usage.days(
        principal.tenant_id, clock.today() - timedelta(days=span - 1), environment=shown
    )
    return pages.render(
        "dashboard/usage.html",
        days=days,
        counts=COUNTS,
        months=_months(days),
        chart=charts.bars([usage_charts.of_day(day, shown) for day in reversed(days)]),
        span=span,
        times=usage.delivery_times(principal.tenant_id, shown),
        spans=[(each, url_for("dashboard_usage.show_usage", days=each)) for each in SPANS],
        credentials=_active() if principal.role >= Role.ADMIN else [],
    )


def _months(days: list[UsageDay]) -> list[tuple[date, Counter[str]]]:
    """The counts of each month that the days are of, by its first day, newest first."""
    found: dict[date, Counter[str]] = {}
    for day in days:
        counts = found.setdefault(day.day.replace(day=1), Counter())
        counts.update({name: getattr(day, name) for name in COUNTS})
    return list(found.items())


def _active() -> list[tuple[Credential, tuple[int, int]]]:
    """The active keys and clients of the environment, each with its limits."""
    now, principal, shown = clock.now(), pages.who(), pages.environment()
    return [
        (each, limits_of(each))
        for kind in (API_KEY, OAUTH_CLIENT)
        for each in credentials.of_tenant(kind, principal.tenant_id, shown)
        if each.is_active(now)
    ]
