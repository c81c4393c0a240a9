"""An upload and its outcome: `ExecutionStatus` decides, not the HTTP status."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network import reasons
from einvoice.network.reasons import Reason
from einvoice.network.types import (
    Blocked,
    Envelope,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Rejected,
    Unknown,
)
from einvoice_anaf import evidence
from einvoice_anaf.answers import Answer, Kind, classify
from einvoice_anaf.calls import Calls, Refused
from einvoice_anaf.findings import findings_of
from einvoice_anaf.ledger import Ledger, digest_of
from einvoice_anaf.quota import Spent
from einvoice_anaf.sealed import error_of
from einvoice_anaf.uploads import Upload

DEADLINE: Final = timedelta(days=5)  # for the final state
ASK_AFTER: Final = 20.0  # seconds until a search may find an upload without an answer
_QUOTA_SECONDS: Final = 60.0
_TECHNICAL_SECONDS: Final = 300.0


class Submission:
    """Uploads of one company."""

    def __init__(self, calls: Calls, ledger: Ledger, cif: str, first_poll: timedelta) -> None:
        self._calls, self._ledger, self._cif = calls, ledger, cif
        self._first_poll = first_poll

    def outcome(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        """Upload the document."""
        try:
            response = self._upload(envelope, Upload.from_state(prepared.state))
        except Refused as refused:
            return refused.outcome
        except Spent as spent:
            return NotSent(str(spent), retry_after=spent.retry_after)
        except HttpFault as fault:
            return Unknown(str(fault), ASK_AFTER) if fault.maybe_sent else NotSent(str(fault))
        answer = classify(response.status, response.body)
        if answer.kind is not Kind.ACCEPTED:
            return refusal(answer, envelope.document)
        self._ledger.add(answer.index, digest_of(envelope.document))
        return accepted(answer.index, self._first_poll, response.body)

    def _upload(self, envelope: Envelope, upload: Upload) -> Response:
        query = {"standard": upload.query["standard"], "cif": self._cif, **upload.query}
        return self._calls.make(
            lambda token: self._calls.api.upload(token, upload.call, query, envelope.document)
        )


def accepted(index: str, first_poll: timedelta, answer: bytes | None = None) -> Pending:
    """An upload with this index, whose state is queried next."""
    now = clock.now()
    kept = () if answer is None else (evidence.answer(answer, index),)
    return Pending(index, now + first_poll, now + DEADLINE, evidence=kept)


def refusal(answer: Answer, document: bytes) -> Outcome:
    """The outcome of an upload of the document that was not accepted."""
    match answer.kind:
        case Kind.REFUSED:
            return _rejected(answer, reasons.DOCUMENT_REFUSED, document)
        case Kind.TOO_LARGE:
            return _rejected(answer, reasons.TOO_LARGE, document)
        case Kind.CALL if answer.values.get("ExecutionStatus") == "1":
            return _rejected(answer, reasons.DOCUMENT_REFUSED, document)
        case Kind.NO_RIGHT:
            return Blocked(answer.text)
        case Kind.QUOTA | Kind.CALL:
            return NotSent(answer.text, retry_after=_QUOTA_SECONDS)
        case Kind.TECHNICAL if answer.values.get("ExecutionStatus") == "1":
            return NotSent(answer.text, retry_after=_TECHNICAL_SECONDS)
        case _:
            return Unknown(answer.text, ASK_AFTER)


def _rejected(answer: Answer, reason: Reason, document: bytes) -> Rejected:
    return Rejected(
        code="ExecutionStatus 1",
        reason=answer.text,
        upstream_status=answer.status,
        retryable=reason.retryable,
        reason_code=reason.code,
        findings=findings_of(map(error_of, answer.errors), document),
    )
