"""The tabs that the pages for developers share."""

from __future__ import annotations

from flask import url_for


def tabs() -> list[tuple[str, str]]:
    """(name in the words, address) of the pages of the section, in their order."""
    return [
        ("keys.keys", url_for("dashboard_keys.list_credentials", kind="keys")),
        ("keys.clients", url_for("dashboard_keys.list_credentials", kind="clients")),
        ("webhooks.webhooks", url_for("dashboard_webhooks.list_endpoints")),
        ("audit.title", url_for("dashboard_audit.list_entries")),
    ]
