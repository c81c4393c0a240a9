"""Events after a simulated delivery: a second receipt, an Invoice Response, an invoice back.

Each comes two seconds after the delivery, as the outcome of a poll of `Delivered.follow_up`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.network.types import (
    Busy,
    Delivered,
    Envelope,
    Evidence,
    Inbound,
    InboundVerdict,
    Outcome,
    Pending,
)
from einvoice_loopback.evidence import (
    CONDITION,
    REASONS,
    delivery_receipt,
    french_refusal,
    invoice_response,
    message_id,
    undeliverable,
)
from einvoice_loopback.invoice_back import invoice_back
from einvoice_loopback.participants import Behaviour, FollowUp
from einvoice_loopback.responses import RESPONSE_TYPE

STATE_KEY = "sequel"  # in `Pending.state`: stored, so its text is permanent
_LATER = timedelta(seconds=2)
# Invoice Responses: the code, and the reasons by their codes.
_RESPONSES: Mapping[FollowUp, tuple[str, Sequence[tuple[str, str]]]] = {
    FollowUp.RESPONSE_RECEIVED: ("AB", ()),
    FollowUp.RESPONSE_IN_PROCESS: ("IP", ()),
    FollowUp.RESPONSE_CONDITIONALLY_ACCEPTED: ("CA", CONDITION),
    FollowUp.RESPONSE_ACCEPTED: ("AP", ()),
    FollowUp.RESPONSE_REJECTED: ("RE", REASONS),
    FollowUp.RESPONSE_PAID: ("PD", ()),
}
_STATEMENTS: Mapping[FollowUp, Callable[[Envelope, datetime], Evidence]] = {
    FollowUp.UNDELIVERABLE: undeliverable,
    FollowUp.REFUSED_IN_FRANCE: french_refusal,
}


def promised(
    envelope: Envelope, behaviour: Behaviour, delivered: datetime, *, may_send_back: bool
) -> Pending | None:
    """The `follow_up` of the delivery; None for participants without one, and for responses."""
    if behaviour.follow_up is None or envelope.document_type == RESPONSE_TYPE:
        return None
    if behaviour.follow_up is FollowUp.INVOICE_BACK and not may_send_back:
        return None
    due = delivered + _LATER
    state = {
        STATE_KEY: behaviour.follow_up.name,
        "delivered": clock.timestamp(delivered),
        "due": clock.timestamp(due),
    }
    return Pending(message_id(envelope), due, state=state)


def follow_up_outcome(
    envelope: Envelope,
    pending: Pending,
    due: datetime,
    deliver_inbound: Callable[[Inbound], InboundVerdict] | None,
) -> Outcome:
    """The outcome of the poll at which the follow-up is due."""
    follow_up = FollowUp[pending.state[STATE_KEY]]
    if follow_up is FollowUp.SECOND_RECEIPT:
        first = datetime.fromisoformat(pending.state["delivered"])
        return Delivered((delivery_receipt(envelope, first),))
    if follow_up in _RESPONSES:
        return Delivered((invoice_response(envelope, *_RESPONSES[follow_up], due),))
    if follow_up in _STATEMENTS:
        return Delivered((_STATEMENTS[follow_up](envelope, due),))
    return _send_back(envelope, pending, due, deliver_inbound)


def _send_back(
    envelope: Envelope,
    pending: Pending,
    due: datetime,
    deliver_inbound: Callable[[Inbound], InboundVerdict] | None,
) -> Outcome:
    """A repeated poll sends the same instance id again, which the inbox recognises."""
    if deliver_inbound is not None:
        verdict = deliver_inbound(invoice_back(envelope, due))
        if isinstance(verdict, Busy):
            return replace(pending, next_poll_at=clock.now() + _LATER)
    return Delivered()
