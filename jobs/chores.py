"""The job behind the lane chores: polls and retries of transmissions, lookups for directories."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice import app
from einvoice.services.delivery import transmit
from einvoice.services.participants import reachability


def advance(outbox_ids: Sequence[int], token: str) -> None:
    """Do what these outbox rows owe, each by the service of its kind."""
    transmit.advance(outbox_ids, token, app.access_points())
    reachability.check(outbox_ids, token, app.access_points())
