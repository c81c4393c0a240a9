"""Processes beside the web: the relay hands due work to RQ queues, workers carry it out.

A job is two lines around a service and may run twice. Redis holds nothing that the database does
not know: a lost queue costs the length of a lease.
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.store import outbox


@dataclass(frozen=True, slots=True)
class Lane:
    """How the work of one lane travels: function, rows per job, lease until the fence.

    `leases` counts in EINVOICE_QUEUE_LEASE and covers the way through the queue; passing the fence
    prolongs it (services/delivery/transmit).
    """

    name: str
    function: str
    batch: int
    leases: int
    timeout: int  # seconds RQ lets one job run


JOBS: dict[str, Lane] = {
    lane.name: lane
    for lane in (
        Lane(outbox.WAITED, "jobs.transmissions.advance", 16, 1, 180),
        Lane(outbox.BULK, "jobs.transmissions.advance", 100, 1, 600),
        Lane(outbox.CHORES, "jobs.chores.advance", 100, 1, 600),
        Lane(outbox.WEBHOOKS, "jobs.webhook.deliver", 20, 2, 600),
    )
}
