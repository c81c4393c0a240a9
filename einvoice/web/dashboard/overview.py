"""The first page: what needs a person, what was sent and received, and which bills are due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from flask import Response, request, url_for

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import amounts, key_expiry, usage
from einvoice.services.account.amounts import WeekAmounts
from einvoice.services.account.usage import UsageDay
from einvoice.services.connections import accounts
from einvoice.services.invoices import drafts, lists, successors
from einvoice.services.invoices.lists import InvoiceFilters, InvoiceListItem, InvoicePageRequest
from einvoice.services.webhooks import endpoints
from einvoice.web import locales
from einvoice.web.dashboard import charts, first_steps, pages, usage_charts
from einvoice.web.dashboard.charts import Chart, Place
from einvoice.web.dashboard.pages import Pages

RECENT, SHOWN = 5, 6  # newest documents; matters and bills
COUNTED = 50  # bills and drafts that are read
DUE_DAYS = 7
CHART_WIDTH = 520

family = Pages("dashboard_overview", __name__, "/dashboard")


@dataclass(frozen=True, slots=True)
class Figure:
    """Documents of 30 days, of the 30 days before, and the address of their list."""

    name: str
    count: int
    before: int
    address: str


@dataclass(frozen=True, slots=True)
class DueBills:
    """Open bills with a due date, the first to be due first; without what buyers have billed in the
    name of the account, which is paid to it.

    items     at most SHOWN of them
    due       how many are due within DUE_DAYS days or overdue
    is_whole  whether all open bills were read
    """

    items: Sequence[InvoiceListItem]
    due: int
    is_whole: bool


@family.page("", least=Role.VIEWER)
def show_overview() -> Response:
    """The matters of the chosen environment, its amounts and documents, bills and newest ones."""
    shown = pages.environment()
    days = usage.days(
        pages.who().tenant_id,
        clock.today() - timedelta(days=2 * usage.DEFAULT_DAYS - 1),
        environment=shown,
    )
    present = days[: usage.DEFAULT_DAYS]
    waiting = _waiting_for_person(shown)
    weeks = amounts.by_week(pages.who().tenant_id, shown)
    asked = request.args.get("currency", "")
    currency = asked if asked in weeks.currencies else next(iter(weeks.currencies), None)
    chosen = weeks.currencies.get(currency or "", [])
    return pages.render(
        "dashboard/overview.html",
        days=present,
        figures=_figures(days, shown),
        chart=charts.bars(
            [usage_charts.of_day(day, shown) for day in reversed(present)], width=CHART_WIDTH
        ),
        waiting=waiting[:SHOWN],
        more=len(waiting) > SHOWN,
        bills=_due_bills(shown),
        drafted=len(drafts.page(pages.who(), shown, None, COUNTED)),
        most=COUNTED,
        today=clock.today(),
        amounts=chosen,
        amounts_are_whole=weeks.is_whole,
        currency=currency,
        currencies=[(each, _address(shown, each)) for each in list(weeks.currencies)[:SHOWN]],
        amount_chart=_amount_chart(chosen, shown) if chosen else None,
        recent=_newest(InvoiceFilters(environment=shown), RECENT),
        needing=_needing_administrator(shown),
        first_steps=first_steps.of(shown),
    )


def _amount_chart(weeks: Sequence[WeekAmounts], shown: Environment) -> Chart:
    """Of each week two bars: what was sent, and what was received."""
    say, locale = pages.words(), pages.page_locale()
    places = []
    for week in weeks:
        told = [
            f"{say(f'overview.{name}')}: {locales.figure(value, week.currency, locale)} "
            f"{week.currency}"
            for name, value in (("sent", week.sent), ("received", week.received))
        ]
        last = week.first + timedelta(days=6)
        named = say("overview.weekOf", day=pages.day(week.first))
        bars: list[list[tuple[str, Decimal | int]]] = [
            [("good", max(week.sent, Decimal(0)))], [("plain-bar", max(week.received, Decimal(0)))],
        ]  # fmt: skip
        address = usage_charts.list_address(shown, week.first, last, currency=week.currency)
        places.append(Place(week.first, " · ".join([named, *told]), address, bars))
    return charts.bars(places, width=CHART_WIDTH, labels=4)


def _address(shown: Environment, currency: str) -> str:
    return url_for("dashboard_overview.show_overview", environment=shown.value, currency=currency)


def _figures(days: Sequence[UsageDay], shown: Environment) -> list[Figure]:
    """The counts of 30 days, each beside the count of the 30 days before."""
    present, before = days[: usage.DEFAULT_DAYS], days[usage.DEFAULT_DAYS :]
    filters: dict[str, dict[str, str]] = {
        "sent": {"direction": "sent"},
        "delivered": {"networkStatus": "Delivered"},
        "processing": {"networkStatus": "Processing"},
        "failed": {"networkStatus": "Failed"},
        "received": {"direction": "received"},
    }
    return [
        Figure(
            name,
            sum(getattr(day, name) for day in present),
            sum(getattr(day, name) for day in before),
            usage_charts.list_address(shown, present[-1].day, present[0].day, **chosen),
        )
        for name, chosen in filters.items()
    ]


def _due_bills(shown: Environment) -> DueBills:
    found = _newest(InvoiceFilters(environment=shown, processed=False), COUNTED)
    soon = clock.today() + timedelta(days=DUE_DAYS)
    dated = sorted(
        (each for each in found if each.due_date is not None and not each.is_sold),
        key=lambda each: (each.due_date, each.id),
    )
    due = sum(each.due_date is not None and each.due_date <= soon for each in dated)
    return DueBills(dated[:SHOWN], due, len(found) < COUNTED)


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
    failed = _newest(InvoiceFilters(environment=shown, failure_done=False), COUNTED)
    replaced = successors.of(failed, pages.who().tenant_id, shown.value)
    failed = [each for each in failed if each.id not in replaced]
    asked = _newest(InvoiceFilters(environment=shown, attention=True), COUNTED)
    found = {each.id: each for each in (*failed, *asked)}.values()
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)


def _newest(filters: InvoiceFilters, most: int) -> list[lists.InvoiceListItem]:
    return list(lists.invoices(pages.who(), filters, InvoicePageRequest(most)).items)
