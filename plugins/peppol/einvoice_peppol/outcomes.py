"""From the answer of a receiving access point to the outcome of a submit.

Sources: Peppol AS4 Profile 2.0.3 and ebMS 3.0, 6.7. What is final and what is repeated follows what
the receiver can know: an error signal is its decision, an HTTP error without one is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from einvoice import clock
from einvoice.domain.artefacts import RECEIPT
from einvoice.http import Blocked, HttpFault, Response, TimedOut
from einvoice.network import reasons
from einvoice.network.types import (
    Delivered,
    Evidence,
    NotSent,
    Outcome,
    Pending,
    Rejected,
    Unknown,
)
from einvoice_peppol import hosts
from einvoice_peppol.as4 import answers, incoming
from einvoice_peppol.as4.answer_body import soap_in
from einvoice_peppol.as4.answers import Answer, InvalidReceipt, SignalError
from einvoice_peppol.as4.errors import NOT_SERVICED, Refused
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.verification import CheckSigner

MAX_ANSWER_BYTES: Final = 1 << 20
_GZIP: Final = ("gzip", "x-gzip")
# Codes after which the same message may be taken later: the connection or the delivery behind the
# receiving access point failed, or it says that it made no receipt.
_REPEATED: Final = {"EBMS:0005", "EBMS:0202", "EBMS:0301"}
# Codes after which the receiver may have another certificate or address than the one that was used.
_REFRESHED: Final = {"EBMS:0009", "EBMS:0101", "EBMS:0102", "EBMS:0103"}
_OTHER: Final = "EBMS:0004"
_DUPLICATE: Final = "EBMS:4001"  # of phase4 since 4.5; before, EBMS:0004 with words
_HANDLED = re.compile(r"already (handled|processed|received)|duplicate", re.IGNORECASE)
_TEMPORARY = re.compile(r"temporar|try again|retry", re.IGNORECASE)
# Words with EBMS:0004 that blame the message itself. All others may be of a backend that is away:
# "An undefined error occurred", "Could not be processed", exceptions of a database.
_FINAL = re.compile(
    r"\bSBDH?\b|StandardBusinessDocument|malformed|not well.?formed|schematron|"
    r"schema (?:validation|violation|error)|"
    r"(?:document|message|payload) (?:is |was )?(?:refused|rejected|invalid|not valid)|"
    r"(?:invalid|unknown|unsupported) (?:document|payload|message|envelope|xml|receiver|sender|"
    r"participant|process)|not.(?:supported|allowed|permitted|registered|serviced)|unsupported",
    re.IGNORECASE,
)
# After a time-out the receiver may still be at work on the message.
TIMED_OUT_AGAIN_SECONDS: Final = 300.0
_SECONDS = re.compile(r"[0-9]{1,6}", re.ASCII)


class Next(Enum):
    """The next step after an error signal."""

    REPEAT = auto()
    REFRESH = auto()  # repeat if the receiver is registered differently now, otherwise final
    ATTENTION = auto()
    FINAL = auto()


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that was sent, for comparing its answer. `attempt` counts from 1."""

    message_id: str
    references: tuple[Reference, ...]
    attempt: int = 1


def not_answered(fault: HttpFault, attempt: int = 1) -> Outcome:
    """The outcome without a response."""
    if isinstance(fault, Blocked):
        return _rejected("address", f"the receiver's address is refused: {fault}", None)
    if fault.maybe_sent:
        words = f"the receiver's access point did not answer: {fault}"
        if isinstance(fault, TimedOut):
            again = max(TIMED_OUT_AGAIN_SECONDS, hosts.distance(attempt))
            return Unknown(words, ask_after=again)
        return Unknown(words)
    return NotSent(f"the receiver's access point cannot be reached: {fault}", code="unreachable")


def postponed(seconds: float) -> NotSent:
    """The outcome of a document that waits because its receiver's host does not answer."""
    words = "not tried now: the receiver's access point has not answered other messages"
    return NotSent(words, retry_after=seconds, code="host-away")


def is_silent(result: Response | HttpFault, outcome: Outcome) -> bool:
    """Whether the host did not answer as an access point: not at all, or with its proxy's page."""
    if isinstance(result, HttpFault):
        return not isinstance(result, Blocked)
    is_page = isinstance(outcome, NotSent) and outcome.code == str(result.status)
    return is_page or isinstance(outcome, Unknown)


def answer_in(response: Response) -> Answer | None:
    """The signal in a response of any status; None if there is none."""
    return answers.read(_soap(response))


def _soap(response: Response) -> bytes:
    """The SOAP message of a response, out of what it is packed in."""
    body = response.body
    if response.headers.get("content-encoding", "").strip().lower() in _GZIP:
        try:
            body = incoming.inflated(body, MAX_ANSWER_BYTES)
        except Refused:
            return body
    return soap_in(body, response.headers.get("content-type", ""))


def of(
    response: Response, sent: Sent, check_signer: CheckSigner, *, is_changed: bool = False
) -> Outcome:
    """The outcome of a response.

    is_changed  whether the receiver is registered with another address or certificate by now, as
                `may_be_outdated` asks
    """
    answer = answer_in(response)
    if answer is None or answer.in_reply_to not in (None, sent.message_id):
        return _without_signal(response, sent.attempt)
    failures = [error for error in answer.errors if error.is_failure]
    if failures:
        return _refused(failures[0], response, sent, is_changed)
    if answer.has_receipt and 200 <= response.status < 300:
        return _received(answer, response, sent, check_signer)
    return _without_signal(response, sent.attempt)


def may_be_outdated(response: Response) -> bool:
    """Whether the lookup should be repeated before the outcome is concluded."""
    answer = answer_in(response)
    errors = answer.errors if answer else ()
    return any(next_step(error) is Next.REFRESH for error in errors if error.is_failure)


def _received(answer: Answer, response: Response, sent: Sent, check_signer: CheckSigner) -> Outcome:
    try:
        answers.verify_receipt(answer, sent.message_id, sent.references, check_signer)
    except InvalidReceipt:
        return _needs_attention(response, sent)
    return Delivered((_evidence(response, sent),))


def _needs_attention(response: Response, sent: Sent) -> Pending:
    """The receiver seems to have the document, and nothing proves it: an operator decides.

    Neither a failure, after which it would be sent again, nor a delivery. A Message Level Status
    may still settle it.
    """
    evidence = (_evidence(response, sent),)
    return Pending(sent.message_id, deadline=clock.now(), evidence=evidence)


def _evidence(response: Response, sent: Sent) -> Evidence:
    return Evidence(RECEIPT, _soap(response), authority_reference=sent.message_id)


def _refused(error: SignalError, response: Response, sent: Sent, is_changed: bool) -> Outcome:
    words = words_of(error)
    match next_step(error):
        case Next.REPEAT:
            return NotSent(words, code=error.code)
        case Next.REFRESH if is_changed:
            return NotSent(words, retry_after=1.0, code=error.code)
        case Next.ATTENTION:
            return _needs_attention(response, sent)
        case _:
            return _rejected(error.code, words, response.status, reason_of(error))


def next_step(error: SignalError) -> Next:
    """The next step after an error of the receiving access point."""
    if error.code == _DUPLICATE:
        return Next.ATTENTION
    if error.code in _REPEATED:
        return Next.REPEAT
    if error.code in _REFRESHED or _is_not_serviced(error):
        return Next.REFRESH
    if error.code == _OTHER:
        return _after_other(f"{error.words} {error.detail}")
    return Next.FINAL


def _after_other(words: str) -> Next:
    """The next step after EBMS:0004 (Other), which has no meaning but its text.

    General words are repeated until the document's time is over.
    """
    if _HANDLED.search(words):
        return Next.ATTENTION
    if _TEMPORARY.search(words) or not _FINAL.search(words):
        return Next.REPEAT
    return Next.FINAL


def _is_not_serviced(error: SignalError) -> bool:
    return error.code == _OTHER and error.detail == NOT_SERVICED


def reason_of(error: SignalError) -> reasons.Reason:
    """Why the document failed, where the error is final."""
    if _is_not_serviced(error):
        return reasons.RECEIVER_UNKNOWN
    return reasons.REJECTED_BY_RECEIVER_AP


def _without_signal(response: Response, attempt: int) -> Outcome:
    """The outcome of an HTTP status alone. A status of 5xx may come after the message was taken."""
    status = response.status
    words = f"the receiver's access point answers with HTTP status {status} and without a receipt"
    if status == 413:
        return _rejected("413", words, status, reasons.TOO_LARGE)
    if 300 <= status < 500:
        return NotSent(words, retry_after=_retry_after(response, attempt), code=str(status))
    return Unknown(words, ask_after=_retry_after(response, attempt))


def _retry_after(response: Response, attempt: int) -> float | None:
    """The pause that the other side asks for, which shortens none of ours."""
    value = response.headers.get("retry-after", "").strip()
    if not _SECONDS.fullmatch(value):
        return None
    return max(float(value), hosts.distance(attempt))


def _rejected(
    code: str,
    words: str,
    status: int | None,
    reason: reasons.Reason = reasons.RECEIVER_AP_UNREACHABLE,
) -> Rejected:
    return Rejected(
        code=code,
        reason=words,
        upstream_status=status,
        retryable=reason.retryable,
        reason_code=reason.code,
    )


def words_of(error: SignalError) -> str:
    """The error in words, with its code."""
    said: Iterable[str] = dict.fromkeys(part for part in (error.words, error.detail) if part)
    return f"the receiver's access point refuses the message: {error.code} {': '.join(said)}"
