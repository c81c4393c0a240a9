"""The sections of the dashboard, in their order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the navigation: `nav.<name>` is its text, `families` have its pages."""

    name: str
    endpoint: str
    families: frozenset[str]


def _section(name: str, endpoint: str, *more: str) -> Section:
    return Section(name, endpoint, frozenset({endpoint.partition(".")[0], *more}))


SECTIONS = (
    _section("overview", "dashboard_overview.show_overview"),
    _section("invoices", "dashboard_invoices.list_invoices"),
    _section("connections", "dashboard_connections.list_connections"),
)
