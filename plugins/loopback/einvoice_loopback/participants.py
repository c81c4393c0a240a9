"""The magic participants and their behaviour; a test compares the README's table with this one.

They are GLNs of a demonstration prefix with valid check digits, so that the rules about identifiers
apply in the sandbox too (decisions 14 and 19.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import reasons
from einvoice.network.types import NetworkFinding, NotSent, Rejected


class DirectoryEntry(Enum):
    """The answer of the simulated directory."""

    REGISTERED = auto()
    ABSENT = auto()
    OTHER_DOCUMENTS = auto()
    UNAVAILABLE_ONCE = auto()


# Of participants that take no responses either.
NO_RESPONSES = frozenset({DirectoryEntry.ABSENT, DirectoryEntry.OTHER_DOCUMENTS})


class FollowUp(Enum):
    """The event after the delivery."""

    SECOND_RECEIPT = auto()
    RESPONSE_RECEIVED = auto()
    RESPONSE_IN_PROCESS = auto()
    RESPONSE_CONDITIONALLY_ACCEPTED = auto()
    RESPONSE_ACCEPTED = auto()
    RESPONSE_REJECTED = auto()
    RESPONSE_PAID = auto()
    UNDELIVERABLE = auto()
    REFUSED_IN_FRANCE = auto()
    INVOICE_BACK = auto()


class Authority(Enum):
    """The authority that has the document once it is Delivered, and gives it a number."""

    KSEF = auto()
    ANAF = auto()


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the network behaves for documents to a participant.

    after              seconds from the submit to the outcome; None: until it is advanced
    responds           False: no response to the submit; `find` knows after `after` seconds
    connects           False: no connection until `after` seconds after the first attempt; then the
                       outcome of the submit is Delivered. The send waits for it
    immediate_refusal  the outcome of the submit itself
    final_refusal      the outcome after `after` seconds; None: Delivered
    first_attempt      the outcome of the first attempt, if it differs from the later ones
    authority          whose number the delivery has, in the form of that network
    """

    words: str
    after: float | None = 2.0
    responds: bool = True
    connects: bool = True
    immediate_refusal: Rejected | None = None
    final_refusal: Rejected | None = None
    first_attempt: NotSent | None = None
    follow_up: FollowUp | None = None
    authority: Authority | None = None
    directory: DirectoryEntry = DirectoryEntry.REGISTERED


def _refusal(code: str, why: reasons.Reason, upstream_status: int | None = None) -> Rejected:
    return Rejected(
        code=code,
        reason=f"Simulated: {why.words}",
        upstream_status=upstream_status,
        retryable=why.retryable,
        reason_code=why.code,
    )


def _late(seconds: int) -> Behaviour:
    words = f"the send waits: the access point takes the document after {seconds} s, Delivered"
    return Behaviour(words, after=float(seconds), connects=False)


def _authority_refusal(
    network: str,
    code: str,
    words: str,
    *findings: NetworkFinding,
    why: reasons.Reason = reasons.DOCUMENT_REFUSED,
    upstream_status: int | None = None,
) -> Rejected:
    """A refusal in the shape that the access point of the network returns."""
    return Rejected(
        code=code,
        reason=f"Simulated {network}: {words}",
        upstream_status=upstream_status,
        retryable=why.retryable,
        reason_code=why.code,
        findings=findings,
    )


KSEF_NUMBER = "5265877635-20250826-0100001AF629-AF"  # the example of the Polish ministry
_KSEF_INVALID = _authority_refusal(
    "KSeF",
    "450",
    "the semantic check of the document failed.",
    NetworkFinding(
        "The NIP of the buyer is not valid.",
        field="invoice.buyer.taxId",
        advice="Correct the number of the buyer, and send the invoice again.",
    ),
)
_KSEF_USED = _authority_refusal(
    "KSeF",
    "440",
    f"another invoice has this number, {KSEF_NUMBER}.",
    NetworkFinding("Duplicate invoice.", field="invoice.number", advice="Use another number."),
    why=reasons.DUPLICATE_DOCUMENT,
)
_ANAF_INVALID = _authority_refusal(
    "ANAF",
    "BR-RO-110",
    "the county of the seller is not one of the list.",
    NetworkFinding(
        "The county of the seller is not one of the list.",
        rule="BR-RO-110",
        field="invoice.supplier.address.region",
    ),
    upstream_status=200,
)
_FRENCH_REJECTION = _authority_refusal(
    "French platform",
    "213",
    "the platform of the receiver rejects the document (Rejetée, 213).",
    NetworkFinding("REJ_SEMAN: a business rule is broken.", rule="REJ_SEMAN"),
)

ORDINARY = Behaviour("registered; Delivered after 2 s")

_BEHAVIOURS = {
    "9520000000004": ORDINARY,
    "9520000000011": Behaviour("Delivered after 60 s", after=60.0),
    "9520000000028": Behaviour("stays Processing until it is advanced", after=None),
    "9520000000035": Behaviour(
        "Failed after 2 s: the receiver's access point cannot be reached, retryable",
        final_refusal=_refusal("SIM-UNREACHABLE", reasons.RECEIVER_AP_UNREACHABLE),
    ),
    "9520000000042": Behaviour(
        "Failed after 2 s: the receiver's access point refuses",
        final_refusal=_refusal("SIM-REFUSED-BY-RECEIVER", reasons.REJECTED_BY_RECEIVER_AP),
    ),
    "9520000000059": Behaviour(
        "network-failed at once, upstreamStatus 400",
        immediate_refusal=_refusal("SIM-BAD-REQUEST", reasons.DOCUMENT_REFUSED, 400),
    ),
    "9520000000066": Behaviour(
        "network-failed at once, upstreamStatus 503, retryable",
        immediate_refusal=_refusal("SIM-UNAVAILABLE", reasons.NETWORK_UNAVAILABLE, 503),
    ),
    "9520000000073": Behaviour(
        "no answer to the submission; found as Delivered after 20 s", after=20.0, responds=False
    ),
    "9520000000080": Behaviour("lookup: not registered", directory=DirectoryEntry.ABSENT),
    "9520000000097": Behaviour(
        "registered without BIS Billing 3", directory=DirectoryEntry.OTHER_DOCUMENTS
    ),
    "9520000000103": Behaviour(
        "Delivered, then an Invoice Response RE with reasons",
        follow_up=FollowUp.RESPONSE_REJECTED,
    ),
    "9520000000110": Behaviour(
        "Delivered, then an Invoice Response AP",
        follow_up=FollowUp.RESPONSE_ACCEPTED,
    ),
    "9520000000127": Behaviour(
        "Delivered, then an invoice comes back from there",
        follow_up=FollowUp.INVOICE_BACK,
    ),
    "9520000000134": Behaviour(
        "Delivered twice: the same receipt again",
        follow_up=FollowUp.SECOND_RECEIPT,
    ),
    "9520000000141": Behaviour(
        "the first attempt fails, the second succeeds",
        first_attempt=NotSent(
            "Simulated: no connection at the first attempt.", 2.0, "SIM-NO-CONNECTION"
        ),
    ),
    "9520000000158": Behaviour(
        "the directory is unavailable once, then works", directory=DirectoryEntry.UNAVAILABLE_ONCE
    ),
    "9520000000165": _late(1),
    "9520000000172": _late(10),
    "9520000000189": _late(30),
    "9520000000196": Behaviour(
        "Delivered, then an Invoice Response AB: received",
        follow_up=FollowUp.RESPONSE_RECEIVED,
    ),
    "9520000000202": Behaviour(
        "Delivered, then an Invoice Response IP: in process",
        follow_up=FollowUp.RESPONSE_IN_PROCESS,
    ),
    "9520000000219": Behaviour(
        "Delivered, then an Invoice Response CA: conditionally accepted",
        follow_up=FollowUp.RESPONSE_CONDITIONALLY_ACCEPTED,
    ),
    "9520000000226": Behaviour(
        "Delivered, then an Invoice Response PD: paid",
        follow_up=FollowUp.RESPONSE_PAID,
    ),
    "9520000000233": Behaviour(
        "Delivered, then a Message Level Status RE: undeliverable",
        follow_up=FollowUp.UNDELIVERABLE,
    ),
    "9520000000240": Behaviour("as KSeF: Delivered, with a KSeF number", authority=Authority.KSEF),
    "9520000000257": Behaviour(
        "as KSeF: Failed after 2 s, 450 with a finding",
        final_refusal=_KSEF_INVALID,
    ),
    "9520000000264": Behaviour(
        "as KSeF: Failed after 2 s, 440: the number is used",
        final_refusal=_KSEF_USED,
    ),
    "9520000000271": Behaviour(
        "as ANAF: Delivered, with an upload index",
        authority=Authority.ANAF,
    ),
    "9520000000288": Behaviour(
        "as ANAF: Failed after 2 s, BR-RO-110 with a finding",
        final_refusal=_ANAF_INVALID,
    ),
    "9520000000295": Behaviour(
        "as in France: Delivered, then refused by the buyer (210)",
        follow_up=FollowUp.REFUSED_IN_FRANCE,
    ),
    "9520000000301": Behaviour(
        "as in France: Failed after 2 s, rejected by the platform (213)",
        final_refusal=_FRENCH_REJECTION,
    ),
}

MAGIC: dict[str, Behaviour] = {f"0088:{gln}": behaviour for gln, behaviour in _BEHAVIOURS.items()}
RESERVED = frozenset(ParticipantId.parse(text) for text in MAGIC)


def behaviour_of(participant: ParticipantId) -> Behaviour:
    """The behaviour of the participant; ORDINARY for those that are not magic."""
    return MAGIC.get(participant.canonical, ORDINARY)
