"""The states of a transmission, and how its send was answered (docs/states.md)."""

from __future__ import annotations

from enum import StrEnum


class NetworkStatus(StrEnum):
    """The network status that integrators see.

    Processing becomes Delivered or Failed once, and both are final: a resend is another
    transmission. The UPDATE of `store.transmissions.settle` enforces that. A received document is
    Received from the beginning.
    """

    PROCESSING = "Processing"
    DELIVERED = "Delivered"
    FAILED = "Failed"
    RECEIVED = "Received"


class DeliveredMeans(StrEnum):
    """The holder of a document that is Delivered. It differs by network."""

    RECEIVER = "receiver"  # the receiver, or who receives for it
    PLATFORM = "platform"  # a platform on which the receiver fetches it
    AUTHORITY = "authority"  # an authority; the receiver gets it from the sender
    MAIL = "mail"  # the mail server of the receiver, or the operator's relay to it
    REPORTED = "reported"  # nobody: it is reported to an authority only


class Clearance(StrEnum):
    """Whether a network has to clear an invoice before it is handed out.

    Cleared is what Delivered means at such a network.
    """

    NONE = "none"
    MARKED = "marked"  # before it, the PDF is marked as not yet cleared
    WITHHELD = "withheld"  # before it, the law forbids handing out: there is no PDF


class Phase(StrEnum):
    """How far a transmission has come, for workers and operators."""

    QUEUED = "queued"  # nothing has been sent to the network
    SUBMITTING = "submitting"  # fenced: bytes may be on the wire
    PENDING = "pending"  # the network has accepted it; the outcome follows
    UNKNOWN = "unknown"  # the outcome of a submission is not known; never repeated blindly
    DONE = "done"  # the status is final


class SendAnswer(StrEnum):
    """How the sending request was answered, stored once (decisions 0.1)."""

    PROCESSING = "processing"
    DELIVERED = "delivered"  # only for requests that wait for the final status (the /v1 family)
    NETWORK_FAILED = "network_failed"
