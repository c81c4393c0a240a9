"""A new webhook, and events for it."""

from __future__ import annotations

import uuid

from einvoice.store.core import db
from einvoice.store.webhooks import events

URL = "https://receiver.example/hook"
NEW = {"url": URL, "environment": "test"}


def emit(
    app,
    tenant: str,
    environment: str = "test",
    event_type: str = "transaction.sent",
    invoice: str | None = None,
) -> str:
    with app.app_context(), db.writing() as connection:
        return events.emit(
            connection, tenant_id=tenant, environment=environment, event_type=event_type,
            invoice_id=invoice or str(uuid.uuid4()), payload={"status": "Delivered"},
        )  # fmt: skip
