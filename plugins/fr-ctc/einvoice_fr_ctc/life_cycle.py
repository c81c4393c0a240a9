"""The meaning of a status of the life cycle for a sent invoice: outcome, and evidence.

The moment of a status decides which of two counts, not the order in which they arrive.
"""

from __future__ import annotations

from typing import Final

from einvoice.domain.responses import ReceiverResponse, ResponseStatus
from einvoice.network import reasons
from einvoice.network.mailboxes import News, ReceivedInvoice, SentInvoice
from einvoice.network.types import Delivered, Evidence, NetworkFinding, Rejected
from einvoice_fr_ctc.cdar import codes
from einvoice_fr_ctc.cdar.read import Status
from einvoice_fr_ctc.configuration import Handover
from einvoice_fr_ctc.evidence import LIFE_CYCLE, RETENTION_YEARS

_REASONS: Final = {
    "DOUBLON": reasons.DUPLICATE_DOCUMENT,
    "DEST_INC": reasons.RECEIVER_UNKNOWN,
    "ADR_ERR": reasons.RECEIVER_UNKNOWN,
    "REJ_ADR": reasons.RECEIVER_UNKNOWN,
    "IRR_TAILLE_F": reasons.TOO_LARGE,
}


def news_of(status: Status, message: bytes, flow_id: str, handover: Handover) -> News:
    """The effect of a status of a sent invoice."""
    kept = Evidence(
        LIFE_CYCLE,
        message,
        authority_reference=flow_id,
        retention_years=RETENTION_YEARS,
        response=response_of(status),
    )
    reference = SentInvoice(status.number, status.issue_date)
    return News(reference, _outcome(status, handover), (kept,))


def news_of_purchase(status: Status, message: bytes, flow_id: str) -> News:
    """The news in a status of a received invoice: kept, and shown where its seller gave it.

    What the buyer has said itself is in the invoice already.
    """
    said = codes.OF_SELLER.get(status.code)
    response = None
    if said is not None:
        lines = tuple(each.line for each in status.reasons)
        response = ReceiverResponse(
            said, status.at, status.by or None, lines, named(status.code),
            exact=status.at is not None,
        )  # fmt: skip
    kept = Evidence(
        LIFE_CYCLE,
        message,
        authority_reference=flow_id,
        retention_years=RETENTION_YEARS,
        response=response,
    )
    return News(ReceivedInvoice(status.number, status.issue_date, status.seller), None, (kept,))


def named(code: str) -> str:
    """A status with its official name.

    >>> named("210"), named("299")
    ('210 Refusée', '299')
    """
    return " ".join(filter(None, (code, codes.NAMES.get(code))))


def response_of(status: Status) -> ReceiverResponse | None:
    """The status in words for the seller; None while the invoice is on the way.

    A rejection by the buyer's platform says that the buyer does not get it, and so does a deposit
    that is not sent on.
    """
    found = codes.RESPONSES.get(status.code)
    if status.code in codes.FAILED or _is_stranded(status):
        found = ResponseStatus.UNDELIVERABLE
    if found is None:
        return None
    lines = tuple(each.line for each in status.reasons)
    return ReceiverResponse(
        found, status.at, status.by or None, lines, named(status.code), exact=status.at is not None
    )


def _is_stranded(status: Status) -> bool:
    """Whether the invoice is deposited, and reported, and no platform receives for the buyer."""
    given = [each.code for each in status.reasons]
    return status.code == codes.DEPOSITED and codes.NOT_SENT_ON in given


def _outcome(status: Status, handover: Handover) -> Delivered | Rejected | None:
    if status.code in codes.FAILED:
        return _rejected(status)
    is_there = status.code in codes.AT_BUYER or (
        handover is Handover.RECEIVED and status.code in codes.AT_PLATFORM
    )
    return Delivered() if is_there else None


def _rejected(status: Status) -> Rejected:
    codes_given = [each.code for each in status.reasons]
    reason = next(
        (_REASONS[code] for code in codes_given if code in _REASONS), reasons.DOCUMENT_REFUSED
    )
    lines = [each.line for each in status.reasons]
    return Rejected(
        codes_given[0] if codes_given and codes_given[0] else status.code,
        "; ".join([named(status.code), *lines]),
        retryable=reason.retryable,
        reason_code=reason.code,
        findings=tuple(
            NetworkFinding(each.line, each.code, advice=each.action or None)
            for each in status.reasons
        ),
    )
