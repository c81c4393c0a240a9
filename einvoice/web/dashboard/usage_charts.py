"""Days of usage as places of a chart, each with the address of its list."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import url_for

from einvoice.domain.environments import Environment
from einvoice.services.account.usage import UsageDay
from einvoice.web import locales
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.charts import Place


def of_day(day: UsageDay, shown: Environment) -> Place:
    """The bar of a day of usage in the colours of the legend; a press opens its list."""
    say, locale = pages.words(), pages.page_locale()
    names = ("delivered", "processing", "failed", "received")
    counts = [(name, getattr(day, name)) for name in names]
    told = [f"{say(f'overview.{name}')}: {locales.number(n, locale)}" for name, n in counts if n]
    kinds = ("good", "note", "bad", "plain-bar")
    return Place(
        day.day,
        " · ".join([pages.day(day.day), *told]),
        list_address(shown, day.day, day.day),
        [[(kind, count) for kind, (_, count) in zip(kinds, counts, strict=True)]],
    )


def list_address(shown: Environment, first: date, last: date, **more: str) -> str:
    """The list of the documents that were accepted on these days."""
    values: dict[str, Any] = {"createdFrom": str(first), "createdTo": str(last), **more}
    return url_for("dashboard_invoices.list_invoices", environment=shown.value, **values)
