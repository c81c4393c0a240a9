"""The states of an invoice and what may follow what: this table is the specification."""

from __future__ import annotations

from enum import StrEnum


class NetworkStatus(StrEnum):
    """What the integrator sees (specification, "Network status of a sent invoice").

    A document that came in is Received from the first to the last.
    """

    PROCESSING = "Processing"
    DELIVERED = "Delivered"
    FAILED = "Failed"
    RECEIVED = "Received"


NEXT: dict[NetworkStatus, frozenset[NetworkStatus]] = {
    NetworkStatus.PROCESSING: frozenset({NetworkStatus.DELIVERED, NetworkStatus.FAILED}),
    NetworkStatus.DELIVERED: frozenset(),
    NetworkStatus.FAILED: frozenset(),
    NetworkStatus.RECEIVED: frozenset(),
}


def may_become(now: NetworkStatus, then: NetworkStatus) -> bool:
    """Nothing ever leaves Delivered or Failed; a resend is a new transmission."""
    return then in NEXT[now]


class Phase(StrEnum):
    """How far a transmission has come, for workers and operators."""

    QUEUED = "queued"  # nothing has reached the network
    SUBMITTING = "submitting"  # fenced: bytes may be on the wire
    PENDING = "pending"  # the network has it; the outcome will come
    UNKNOWN = "unknown"  # the outcome of a submission is not known; never repeated blindly
    DONE = "done"  # the status is final


class SendAnswer(StrEnum):
    """How the sending request was answered; fixed once (decisions 0.1)."""

    PROCESSING = "processing"
    DELIVERED = "delivered"  # told only to those who wait for the end (the /v1 family)
    NETWORK_FAILED = "network_failed"
