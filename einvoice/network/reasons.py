"""The catalogue of reason codes (`reasonCode`): why a network did not take a document.

An access point translates its network's own codes into these (`Rejected.reason_code`), so that an
integrator handles the same codes for every network. `docs/plugins.md` lists them; a test compares
the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Resolution(StrEnum):
    """The advice to the sender (decisions 12)."""

    FIX = "fix"  # correct the document or its routing, and send it again
    RESEND = "resend"  # send the same document again later
    CONTACT_RECEIVER = "contact-receiver"  # only the receiver can solve it


@dataclass(frozen=True, slots=True)
class Reason:
    """An entry of the catalogue. Codes are permanent."""

    code: str
    resolution: Resolution
    words: str

    @property
    def retryable(self) -> bool:
        """Whether the same document may succeed later."""
        return self.resolution is Resolution.RESEND


DOCUMENT_REFUSED = Reason(
    "document-refused", Resolution.FIX, "The network refused the document: its form or a rule."
)
TOO_LARGE = Reason(
    "document-too-large", Resolution.FIX, "The document is larger than the network takes."
)
SENDER_REFUSED = Reason(
    "sender-refused", Resolution.FIX, "The network does not let this sender send here."
)
DUPLICATE_DOCUMENT = Reason(
    "duplicate-document", Resolution.FIX, "The network already has a document of this number."
)
NETWORK_UNAVAILABLE = Reason(
    "network-unavailable", Resolution.RESEND, "The network could not take the document just now."
)
RECEIVER_AP_UNREACHABLE = Reason(
    "receiver-ap-unreachable", Resolution.RESEND, "The receiver's access point did not answer."
)
NOT_HANDED_OVER = Reason(
    "not-handed-over",
    Resolution.RESEND,
    "The document could not be handed over for as long as it was tried.",
)
CONNECTION_REVOKED = Reason(
    "connection-revoked",
    Resolution.RESEND,
    "The connection by which the document was to be sent is revoked.",
)
REJECTED_BY_RECEIVER_AP = Reason(
    "rejected-by-receiver-ap",
    Resolution.CONTACT_RECEIVER,
    "The receiver's access point refused the document.",
)
RECEIVER_UNKNOWN = Reason(
    "receiver-unknown", Resolution.CONTACT_RECEIVER, "The network no longer knows the receiver."
)

REASONS = {
    reason.code: reason
    for reason in (
        DOCUMENT_REFUSED,
        TOO_LARGE,
        SENDER_REFUSED,
        DUPLICATE_DOCUMENT,
        NETWORK_UNAVAILABLE,
        RECEIVER_AP_UNREACHABLE,
        NOT_HANDED_OVER,
        CONNECTION_REVOKED,
        REJECTED_BY_RECEIVER_AP,
        RECEIVER_UNKNOWN,
    )
}
