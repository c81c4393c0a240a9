"""From the answer to a submit to its outcome: sending reports and HTTP statuses.

Both kinds of access points answer with the same report. Only what proves that the receiver refused
the document, or that nothing was sent, ends as a failure or is sent again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from einvoice import clock
from einvoice.domain.artefacts import RECEIPT
from einvoice.http import HttpFault, Response
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
from einvoice_gateway.client import member
from einvoice_peppol import outcomes
from einvoice_peppol.as4.answers import MAX_ERRORS, MAX_WORDS, SignalError
from einvoice_peppol.outcomes import Next

ASK_AFTER_SECONDS: Final = 60.0
INVALID_PARAMETERS: Final = "INVALID_PARAMETERS"
_AS4_ERROR: Final = "AS4_ERROR_MESSAGE_RECEIVED"
_INVALID_SIGNAL: Final = "INVALID_SIGNAL_MESSAGE_RECEIVED"
_SUCCESS: Final = "SUCCESS"
# HTTP statuses after which the access point may have the document nevertheless.
_DOUBTFUL: Final = (408, 409, 422)
_SECONDS = re.compile(r"[0-9]{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Report:
    """A sending report, with the bytes of the answer."""

    values: Mapping[str, Any]
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the receiver's access point has acknowledged the document."""
        return self.values.get("overallSuccess") is True

    @property
    def result(self) -> str:
        """The `sendingResult`; empty if nothing was sent."""
        return member(self.values, "sendingResult")

    @property
    def evidence(self) -> Evidence:
        """The receipt of the receiver's access point; without one the report."""
        signal = member(self.values, "as4ReceivedSignalMsg")
        reference = member(self.values, "as4MessageId") or None
        if signal:
            return Evidence(RECEIPT, signal.encode(), authority_reference=reference)
        return Evidence(RECEIPT, self.content, "application/json", authority_reference=reference)

    @property
    def errors(self) -> list[SignalError]:
        """The errors of the receiver's access point, without warnings."""
        listed = self.values.get("as4ResponseErrors")
        found = listed[:MAX_ERRORS] if isinstance(listed, list) else []
        errors = [_error(each) for each in found if isinstance(each, dict)]
        return [error for error in errors if error.is_failure]


def report_in(response: Response) -> Report | None:
    """The report of a response; None if it holds none."""
    values = response.json()
    if response.status not in (200, 422) or not isinstance(values, dict):
        return None
    if not isinstance(values.get("overallSuccess"), bool):
        return None
    return Report(values, response.body)


def not_answered(fault: HttpFault) -> NotSent | Unknown:
    """The outcome without a response."""
    if fault.maybe_sent:
        return Unknown(f"the access point did not answer: {fault}", ask_after=ASK_AFTER_SECONDS)
    return NotSent(f"the access point cannot be reached: {fault}", code="unreachable")


def without_report(response: Response) -> NotSent | Rejected | Unknown:
    """The outcome of an HTTP status alone."""
    status = response.status
    words = f"the access point answers with HTTP status {status} and without a report"
    if status == 400:
        return rejected("400", words, reasons.DOCUMENT_REFUSED, status)
    if status == 413:
        return rejected("413", words, reasons.TOO_LARGE, status)
    if 300 <= status < 500 and status not in _DOUBTFUL:
        return NotSent(words, retry_after=_retry_after(response), code=str(status))
    return Unknown(words, ask_after=_retry_after(response) or ASK_AFTER_SECONDS)


def final_outcome(report: Report, reference: str) -> Outcome:
    """The outcome of a report of an access point that sends once and keeps nothing."""
    if report.is_success:
        return Delivered((report.evidence,))
    if report.values.get("lookupError") and not report.result:
        return NotSent("the access point cannot look the receiver up", code="lookup")
    if report.result == INVALID_PARAMETERS:
        return invalid_parameters()
    if report.result == _AS4_ERROR and report.errors:
        return _refused(report.errors[0], report, reference)
    if report.result in (_SUCCESS, _INVALID_SIGNAL):
        return _needs_attention(report, reference)
    return Unknown(f"the access point reports {report.result[:60] or 'no result'}")


def invalid_parameters() -> Rejected:
    """The access point made no message of the document, and never will."""
    words = "the access point refuses the document or its envelope"
    return rejected(INVALID_PARAMETERS, words, reasons.DOCUMENT_REFUSED)


def rejected(code: str, words: str, reason: reasons.Reason, status: int | None = None) -> Rejected:
    """A final failure, with the advice that belongs to its reason."""
    return Rejected(code, words, status, reason.retryable, reason.code)


def _refused(error: SignalError, report: Report, reference: str) -> Outcome:
    """The outcome of an error of the receiver's access point, which has not taken the document."""
    words = outcomes.words_of(error)
    match outcomes.next_step(error):
        case Next.REPEAT:
            return NotSent(words, code=error.code)
        case Next.ATTENTION:
            return _needs_attention(report, reference)
        case _:
            return rejected(error.code, words, outcomes.reason_of(error))


def _needs_attention(report: Report, reference: str) -> Pending:
    """The receiver seems to have the document, and nothing proves it: an operator decides."""
    return Pending(reference, deadline=clock.now(), evidence=(report.evidence,))


def _error(values: Mapping[str, Any]) -> SignalError:
    code = member(values, "errorCode")
    words = member(values, "shortDescription") or member(values, "description")
    return SignalError(
        code=f"EBMS:{code}" if code.isdigit() else code[:40] or "EBMS:0004",
        severity=member(values, "severity") or "failure",
        words=words[:MAX_WORDS],
        detail=member(values, "errorDetails")[:MAX_WORDS],
    )


def _retry_after(response: Response) -> float | None:
    value = response.headers.get("retry-after", "").strip()
    return float(value) if _SECONDS.fullmatch(value) else None
