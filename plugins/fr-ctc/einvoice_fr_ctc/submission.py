"""Submitting a file, and what becomes of it: acknowledgement, and the search after a time-out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from einvoice import clock
from einvoice.domain.delivery import DeliveredMeans
from einvoice.http import HttpFault, Response
from einvoice.network import reasons
from einvoice.network.reasons import Reason
from einvoice.network.types import (
    Blocked,
    Delivered,
    Envelope,
    Found,
    NetworkFinding,
    NeverSeen,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Rejected,
    Unknown,
)
from einvoice_fr_ctc import evidence, flows
from einvoice_fr_ctc.answers import (
    ALREADY_THERE,
    ERROR,
    OK,
    Fault,
    Flow,
    Unreadable,
    fault_in,
    members,
    unreadable,
)
from einvoice_fr_ctc.calls import Calls, Refused

_INTERVALS: Final = (5, 15, 30, 60, 120, 300, 600)  # seconds between two queries of a flow
_LAST_INTERVAL: Final = 1800
_MAX_WAIT: Final = 3600.0
_BUSY_SECONDS: Final = 60.0
_POLLS, _RULE, _HASH, _WAITS = "polls", "rule", "sha256", "waits"
_AT_THE_BUYER: Final = "life-cycle"
_UNTAKEN: Final = "The platform has not acknowledged the document yet."

# The reasons of an acknowledgement that are not faults of the document. Unknown ones are.
_REASONS: Final = {
    ALREADY_THERE: reasons.DUPLICATE_DOCUMENT,
    "FileSizeExceeded": reasons.TOO_LARGE,
    "InvoiceLCAccessDenied": reasons.SENDER_REFUSED,
    "ChecksumMismatch": reasons.NETWORK_UNAVAILABLE,  # damaged on its way
}


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a platform is waited for.

    first_poll  from the submission to the first query
    ask_after   until a flow without an answer is searched for; what is not found then was not taken
    taken       how long the acknowledgement may take before an operator looks at it
    handed_over how long the buyer's side may take
    """

    first_poll: timedelta = timedelta(seconds=5)
    ask_after: float = 30.0
    taken: timedelta = timedelta(days=5)
    handed_over: timedelta = timedelta(days=14)


class Submission:
    """The files of one company."""

    def __init__(self, calls: Calls, timing: Timing) -> None:
        self._calls, self._timing = calls, timing

    # -- operations --------------------------------------------------------------------------------

    def submitted(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        content = prepared.content or envelope.document
        upload = flows.upload_of(envelope, content, prepared.state)
        api = self._calls.api
        try:
            response = self._calls.make(lambda at, token: api.submit(at, token, upload))
            return self._answered(envelope, prepared, response)
        except Refused as refused:
            return refused.outcome
        except HttpFault as fault:
            return self._unknown(str(fault)) if fault.maybe_sent else NotSent(str(fault))

    def polled(self, envelope: Envelope, pending: Pending) -> Outcome:
        """The platform's present answer about a flow."""
        if pending.state.get(_WAITS) == _AT_THE_BUYER:
            return _waiting(pending)
        try:
            response = self._flow(pending.reference)
            if response.status == 200:
                flow = Flow.of(members(response))
                return self._of_flow(envelope, flow, pending, response.body)
        except Refused as refused:
            return NotSent(refused.outcome.reason)
        except (HttpFault, Unreadable) as fault:
            return NotSent(str(fault))
        named = fault_in(response)
        return NotSent(named.words if named else unreadable(response), _retry_after(response))

    def found(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Search for a flow by our id."""
        try:
            listed = self._listed(flows.tracking_id(envelope))
        except Refused as refused:
            outcome = refused.outcome
            return outcome if isinstance(outcome, Blocked) else Unknown(outcome.reason)
        except (HttpFault, Unreadable) as fault:
            return self._unknown(str(fault))
        if not listed:
            return NeverSeen()
        best = min(listed, key=lambda flow: flow.status == ERROR)
        return self._pending(best.id, self._state(envelope, prepared))

    # -- the submission ----------------------------------------------------------------------------

    def _answered(self, envelope: Envelope, prepared: Prepared, response: Response) -> Outcome:
        if response.status in (200, 201, 202):
            try:
                flow = Flow.of(members(response))
            except Unreadable as strange:
                return self._unknown(str(strange))
            return self._pending(flow.id, self._state(envelope, prepared))
        fault = fault_in(response)
        match response.status:
            case 409 | 400 | 422 if fault is not None and fault.code == ALREADY_THERE:
                return self._already_there(envelope, self._state(envelope, prepared), fault.words)
            case 413:
                return _refused(fault, response, reasons.TOO_LARGE)
            case 400 | 409 | 415 | 422 if fault is not None:
                return _refused(fault, response, reasons.DOCUMENT_REFUSED)
            case 404:
                words = "there is no Flow Service at the address of the connection"
                return NotSent(f"{words}: HTTP 404", retry_after=_BUSY_SECONDS)
            case 429 | 503:
                words = fault.words if fault else unreadable(response)
                return NotSent(words, _retry_after(response) or _BUSY_SECONDS)
            case _:
                return self._unknown(fault.words if fault else unreadable(response))

    def _state(self, envelope: Envelope, prepared: Prepared) -> dict[str, str]:
        content = prepared.content or envelope.document
        rule = prepared.state.get(_RULE, flows.B2B)
        return {_RULE: rule, _HASH: sha256(content).hexdigest()}

    def _pending(self, flow_id: str, state: Mapping[str, str]) -> Pending:
        now = clock.now()
        until = now + self._timing.taken
        return Pending(flow_id, now + self._timing.first_poll, until, state, untaken=_UNTAKEN)

    def _unknown(self, reason: str) -> Unknown:
        return Unknown(reason, ask_after=self._timing.ask_after)

    # -- the acknowledgement -----------------------------------------------------------------------

    def _of_flow(self, envelope: Envelope, flow: Flow, pending: Pending, answer: bytes) -> Outcome:
        kept = (evidence.acknowledgement(answer, flow.id),)
        if flow.is_already_there:
            words = "; ".join(each.words for each in flow.errors)
            return self._already_there(envelope, pending.state, words, besides=flow.id)
        if flow.status == ERROR:
            return _failed(flow)
        if flow.status != OK:
            return _later(pending)
        if envelope.document_type == flows.LIFE_CYCLE_TYPE:
            return Delivered(kept)
        if envelope.document_type == flows.REPORT_TYPE:
            return Delivered(kept, means=DeliveredMeans.REPORTED)
        if pending.state.get(_RULE, flows.B2B) not in flows.TO_BUYERS:
            return Delivered(kept, means=DeliveredMeans.REPORTED)
        state = {**pending.state, _WAITS: _AT_THE_BUYER}
        deadline = clock.now() + self._timing.handed_over
        return Pending(pending.reference, None, deadline, state, kept)

    def _already_there(
        self, envelope: Envelope, state: Mapping[str, str], words: str, besides: str = ""
    ) -> Outcome:
        """Go on with the flow that the platform has from before, if it has our id and our bytes."""
        try:
            for flow in self._listed(flows.tracking_id(envelope)):
                if flow.id == besides or flow.status == ERROR:
                    continue
                if self._digest(flow.id) == state.get(_HASH):
                    return self._pending(flow.id, state)
        except Refused as refused:
            return self._unknown(refused.outcome.reason)
        except (HttpFault, Unreadable) as fault:
            return self._unknown(str(fault))
        reason = reasons.DUPLICATE_DOCUMENT
        return Rejected(ALREADY_THERE, words, reason_code=reason.code)

    # -- calls -------------------------------------------------------------------------------------

    def _flow(self, flow_id: str) -> Response:
        api = self._calls.api
        return self._calls.make(lambda at, token: api.flow(at, token, flow_id))

    def _digest(self, flow_id: str) -> str:
        """The checksum of the file that the platform has. Raises Unreadable."""
        api = self._calls.api
        response = self._calls.make(lambda at, token: api.file(at, token, flow_id))
        if response.status != 200:
            raise Unreadable(unreadable(response))
        return sha256(response.body).hexdigest()

    def _listed(self, tracking_id: str) -> Iterable[Flow]:
        """The flows with our id. Raises Unreadable."""
        api, where = self._calls.api, {"trackingId": tracking_id}
        response = self._calls.make(lambda at, token: api.search(at, token, where))
        if response.status != 200:
            raise Unreadable(unreadable(response))
        listed = members(response).get("results")
        if not isinstance(listed, list):
            raise Unreadable("the search has no list of results")
        found = [Flow.of(each) for each in listed]
        return [each for each in found if each.tracking_id == tracking_id]


def _waiting(pending: Pending) -> Pending:
    return Pending(pending.reference, None, pending.deadline, pending.state)


def _later(pending: Pending) -> Pending:
    """The flow is still being checked: the next query after a longer time."""
    polls = int(pending.state.get(_POLLS, "0"))
    seconds = _INTERVALS[polls] if polls < len(_INTERVALS) else _LAST_INTERVAL
    state = {**pending.state, _POLLS: str(polls + 1)}
    next_at = clock.now() + timedelta(seconds=seconds)
    return Pending(pending.reference, next_at, pending.deadline, state, untaken=_UNTAKEN)


def _failed(flow: Flow) -> Rejected:
    """A flow that the platform has refused after its checks."""
    errors = flow.errors
    code = errors[0].code if errors else "Error"
    reason = _REASONS.get(code, reasons.DOCUMENT_REFUSED)
    return Rejected(
        code,
        "; ".join(each.words for each in errors) or "The platform names no reason.",
        retryable=reason.retryable,
        reason_code=reason.code,
        findings=tuple(NetworkFinding(each.words, each.code, each.item) for each in errors),
    )


def _refused(fault: Fault | None, response: Response, reason: Reason) -> Rejected:
    return Rejected(
        fault.code if fault else f"HTTP {response.status}",
        fault.words if fault else unreadable(response),
        response.status,
        reason.retryable,
        reason.code,
    )


def _retry_after(response: Response) -> float | None:
    """The time until the next call that the platform asks for; at most an hour."""
    text = response.headers.get("retry-after", "")
    return min(float(text), _MAX_WAIT) if text.isdecimal() else None
