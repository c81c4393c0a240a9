"""The sections of the dashboard, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the navigation: `nav.<name>` is its text, `families` have its pages."""

    name: str
    endpoint: str
    families: frozenset[str]
    values: Mapping[str, str]


def _section(name: str, endpoint: str, *more: str, **values: str) -> Section:
    """A section that begins with this page; `more` are other families that belong to it."""
    return Section(name, endpoint, frozenset({endpoint.partition(".")[0], *more}), values)


SECTIONS = (
    _section("overview", "dashboard_overview.show_overview"),
    _section(
        "invoices",
        "dashboard_invoices.list_invoices",
        "dashboard_invoice_mails",
        "dashboard_payments",
        "dashboard_new_invoice",
        "dashboard_drafts",
    ),
    _section("bills", "dashboard_bills.list_bills", "dashboard_unread_bills"),
    _section("parties", "dashboard_parties.list_parties", kind="customers"),
    _section("check", "dashboard_checking.show_check", "dashboard_sending_files"),
    _section(
        "connections",
        "dashboard_connections.list_connections",
        "dashboard_connection_links",
        "dashboard_networks",
        "dashboard_period_reports",
    ),
    _section(
        "developers",
        "dashboard_keys.list_credentials",
        "dashboard_webhooks",
        "dashboard_events",
        "dashboard_usage",
        "dashboard_audit",
        kind="keys",
    ),
    _section(
        "settings",
        "dashboard_settings.show_settings",
        "dashboard_participants",
        "dashboard_exports",
        "dashboard_holds",
        "dashboard_preferences",
        "dashboard_mail",
        "dashboard_mail_domains",
        "dashboard_mail_addresses",
        "dashboard_mail_held",
    ),
)
