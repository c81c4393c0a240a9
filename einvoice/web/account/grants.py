"""What API keys and OAuth clients share at the dashboard: terms, budgets, rotation."""

from __future__ import annotations

from typing import Protocol

from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS
from einvoice.web import bodies
from einvoice.web.contract import Contract
from einvoice.web.runtime import runtime

# Field of a change → column.
COLUMNS = {
    "name": "name",
    "scopes": "scopes",
    "allowedIps": "allowed_ips",
    "allowedReceivers": "allowed_receivers",
}


class Budgeted(Protocol):
    """A record with the operator's budgets; None is the default of the settings."""

    @property
    def get_per_minute(self) -> int | None: ...
    @property
    def post_per_minute(self) -> int | None: ...


def rate_limits(record: Budgeted) -> dict[str, int]:
    """The effective budgets, as responses state them."""
    settings = runtime().settings
    return {
        "get": record.get_per_minute or settings.limit_get,
        "post": record.post_per_minute or settings.limit_post,
    }


def read_grace(rotation: Contract) -> int:
    """Seconds for which the old secret is still accepted; the body is optional."""
    body = bodies.received()
    asked = bodies.read_body(rotation, body) if body.strip() else {}
    found: int = asked.get("gracePeriodSeconds", DEFAULT_GRACE_SECONDS)
    return found
