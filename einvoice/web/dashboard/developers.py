"""The tabs that the pages for developers share."""

from __future__ import annotations

Tab = tuple[str, str, dict[str, str]]


def tabs() -> list[Tab]:
    """(name in the words, page, its values) of the section, in their order."""
    return [
        ("keys.keys", "dashboard_keys.list_credentials", {"kind": "keys"}),
        ("keys.clients", "dashboard_keys.list_credentials", {"kind": "clients"}),
        ("webhooks.webhooks", "dashboard_webhooks.list_endpoints", {}),
        ("events.title", "dashboard_events.list_events", {}),
        ("usage.title", "dashboard_usage.show_usage", {}),
        ("audit.title", "dashboard_audit.list_entries", {}),
    ]
