"""The job behind the lane webhooks."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice import app
from einvoice.services.webhooks import deliveries


def deliver(outbox_ids: Sequence[int], token: str) -> None:
    """Post the webhooks behind these outbox rows."""
    deliveries.deliver(outbox_ids, token, app.settings())
