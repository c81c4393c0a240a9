"""The sandbox's `advance`: end the wait of a simulated transmission (decisions 14)."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import Advanceable
from einvoice.services.delivery import envelopes, outcomes, settlement
from einvoice.services.invoices import detail
from einvoice.services.principal import Principal
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.invoices.invoices import InvoiceRecord
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Work


def advance(invoice_id: str, principal: Principal, points: AccessPoints) -> InvoiceRecord:
    """Make the event that the invoice waits for due now, for a worker.

    Raises NotFound (for live keys always), Conflict (nothing to advance).
    """
    if principal.environment is not Environment.TEST:
        raise NotFound("Invoices are advanced in the sandbox only.")
    record = detail.record_of(invoice_id, principal)
    work = transmissions.find(record.transmission_id)
    if work is None or not _is_waiting(work):
        raise Conflict(f"Invoice {record.id} is {record.status} and waits for nothing.")
    point = next((p for p in points if p.name == work.access_point), None)
    if not isinstance(point, Advanceable):
        raise Conflict(f"Invoice {record.id} waits for a network that cannot be advanced.")
    onwards = point.advance(
        envelopes.envelope_of(work), outcomes.pending_from_json(work.pending or {})
    )
    now = clock.now()
    with db.writing() as connection:
        if not transmissions.set_pending(connection, work, outcomes.pending_as_json(onwards)):
            raise Conflict(f"Invoice {record.id} has changed meanwhile.")
        settlement.plan(connection, work, outbox.CHORES, onwards.next_poll_at or now)
    return record


def _is_waiting(work: Work) -> bool:
    """Whether it waits for an outcome or, if delivered, for announced evidence."""
    if work.status == NetworkStatus.DELIVERED:
        return work.pending is not None
    return work.status == NetworkStatus.PROCESSING and work.phase == Phase.PENDING
