"""What comes after a simulated delivery: a second receipt, a buyer's answer, an invoice back.

Each follows two seconds after the delivery, as a poll of `Delivered.follow_up`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.network.types import (
    Busy,
    Delivered,
    Envelope,
    Inbound,
    InboundVerdict,
    Outcome,
    Pending,
)
from einvoice_loopback.evidence import REASONS, delivery_receipt, invoice_response, message_id
from einvoice_loopback.invoice_back import invoice_back
from einvoice_loopback.participants import Part, Sequel

_LATER = timedelta(seconds=2)


def begin(
    envelope: Envelope, part: Part, delivered: datetime, *, may_send_back: bool
) -> Pending | None:
    """The promise of what will follow; None where nothing does."""
    if part.sequel is None or (part.sequel is Sequel.INVOICE_BACK and not may_send_back):
        return None
    due = delivered + _LATER
    state = {
        "sequel": part.sequel.name,
        "delivered": clock.timestamp(delivered),
        "due": clock.timestamp(due),
    }
    return Pending(message_id(envelope), due, state=state)


def go_on(
    envelope: Envelope,
    pending: Pending,
    due: datetime,
    deliver_inbound: Callable[[Inbound], InboundVerdict] | None,
) -> Outcome:
    """What the sequel brings, now that it is due."""
    sequel = Sequel[pending.state["sequel"]]
    if sequel is Sequel.SECOND_RECEIPT:
        first = datetime.fromisoformat(pending.state["delivered"])
        return Delivered((delivery_receipt(envelope, first),))
    if sequel is Sequel.RESPONSE_REJECTED:
        return Delivered((invoice_response(envelope, "RE", REASONS, due),))
    if sequel is Sequel.RESPONSE_ACCEPTED:
        return Delivered((invoice_response(envelope, "AP", (), due),))
    return _send_back(envelope, pending, due, deliver_inbound)


def _send_back(
    envelope: Envelope,
    pending: Pending,
    due: datetime,
    deliver_inbound: Callable[[Inbound], InboundVerdict] | None,
) -> Outcome:
    """A repeated poll sends the same instance id again: whoever stores it knows it by that."""
    if deliver_inbound is not None:
        verdict = deliver_inbound(invoice_back(envelope, due))
        if isinstance(verdict, Busy):
            return replace(pending, next_poll_at=clock.now() + _LATER)
    return Delivered()
