"""The magic participants: what each of them acts out (the table that users read is this one).

They are GLNs of a demonstration prefix with right check digits, so that every rule about
identifiers stays in force (decisions 14 and 19.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import reasons
from einvoice.network.types import NotSent, Rejected


class DirectoryEntry(Enum):
    """What the simulated directory says."""

    REGISTERED = auto()
    ABSENT = auto()
    OTHER_DOCUMENTS = auto()
    UNAVAILABLE_ONCE = auto()


class FollowUp(Enum):
    """What comes after the delivery."""

    SECOND_RECEIPT = auto()
    RESPONSE_REJECTED = auto()
    RESPONSE_ACCEPTED = auto()
    INVOICE_BACK = auto()


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a participant acts out.

    after      seconds from the hand-over to the end; None: until somebody advances it
    answers    False: no answer to the hand-over; `find` knows `after` seconds later
    at_once    the refusal that answers the hand-over itself
    ends       the refusal that comes in the end; None: Delivered
    first      what becomes of the first attempt, if it is not like the others
    """

    words: str
    after: float | None = 2.0
    answers: bool = True
    at_once: Rejected | None = None
    ends: Rejected | None = None
    first: NotSent | None = None
    follow_up: FollowUp | None = None
    directory: DirectoryEntry = DirectoryEntry.REGISTERED


def _refusal(code: str, why: reasons.Reason, upstream_status: int | None = None) -> Rejected:
    return Rejected(
        code=code,
        reason=f"Simulated: {why.words}",
        upstream_status=upstream_status,
        retryable=why.retryable,
        reason_code=why.code,
    )


ORDINARY = Behaviour("registered; Delivered after 2 s")

_BEHAVIOURS = {
    "9520000000004": ORDINARY,
    "9520000000011": Behaviour("Delivered after 60 s", after=60.0),
    "9520000000028": Behaviour("stays Processing until it is advanced", after=None),
    "9520000000035": Behaviour(
        "Failed after 2 s: the receiver's access point cannot be reached, retryable",
        ends=_refusal("SIM-UNREACHABLE", reasons.RECEIVER_AP_UNREACHABLE),
    ),
    "9520000000042": Behaviour(
        "Failed after 2 s: the receiver's access point refuses",
        ends=_refusal("SIM-REFUSED-BY-RECEIVER", reasons.REJECTED_BY_RECEIVER_AP),
    ),
    "9520000000059": Behaviour(
        "network-failed at once, upstreamStatus 400",
        at_once=_refusal("SIM-BAD-REQUEST", reasons.DOCUMENT_REFUSED, 400),
    ),
    "9520000000066": Behaviour(
        "network-failed at once, upstreamStatus 503, retryable",
        at_once=_refusal("SIM-UNAVAILABLE", reasons.NETWORK_UNAVAILABLE, 503),
    ),
    "9520000000073": Behaviour(
        "no answer to the hand-over; Delivered is found out after 20 s", after=20.0, answers=False
    ),
    "9520000000080": Behaviour("lookup: not registered", directory=DirectoryEntry.ABSENT),
    "9520000000097": Behaviour(
        "registered without BIS Billing 3", directory=DirectoryEntry.OTHER_DOCUMENTS
    ),
    "9520000000103": Behaviour(
        "Delivered, then an Invoice Response RE with reasons", follow_up=FollowUp.RESPONSE_REJECTED
    ),
    "9520000000110": Behaviour(
        "Delivered, then an Invoice Response AP", follow_up=FollowUp.RESPONSE_ACCEPTED
    ),
    "9520000000127": Behaviour(
        "Delivered, then an invoice comes back from there", follow_up=FollowUp.INVOICE_BACK
    ),
    "9520000000134": Behaviour(
        "Delivered twice: the same receipt again", follow_up=FollowUp.SECOND_RECEIPT
    ),
    "9520000000141": Behaviour(
        "the first attempt fails, the second succeeds",
        first=NotSent("Simulated: no connection at the first attempt.", 2.0, "SIM-NO-CONNECTION"),
    ),
    "9520000000158": Behaviour(
        "the directory is unavailable once, then works", directory=DirectoryEntry.UNAVAILABLE_ONCE
    ),
}

MAGIC: dict[str, Behaviour] = {f"0088:{gln}": behaviour for gln, behaviour in _BEHAVIOURS.items()}
RESERVED = frozenset(ParticipantId.parse(text) for text in MAGIC)


def behaviour_of(participant: ParticipantId) -> Behaviour:
    """What the participant acts out; whoever is not magic is like the first."""
    return MAGIC.get(participant.canonical, ORDINARY)
