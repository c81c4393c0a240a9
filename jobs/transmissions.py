"""The job behind the lanes waited and bulk."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice import app
from einvoice.services.delivery import transmit


def advance(outbox_ids: Sequence[int], token: str) -> None:
    """Carry the transmissions behind these outbox rows on."""
    transmit.advance(outbox_ids, token, app.access_points())
