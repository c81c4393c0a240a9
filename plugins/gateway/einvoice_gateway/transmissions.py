"""The status of a document at a phoss AP, which sends and repeats by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from einvoice import clock
from einvoice.domain.artefacts import MLS
from einvoice.http import HttpFault, Response
from einvoice.network import reasons
from einvoice.network.types import (
    Delivered,
    Evidence,
    Found,
    NeverSeen,
    NotSent,
    Outcome,
    Pending,
    Rejected,
    Unknown,
    receipt,
)
from einvoice_gateway import reports
from einvoice_gateway.client import RestClient, member

FIRST_POLL: Final = timedelta(seconds=2)
MAX_PAUSE_SECONDS: Final = 300.0
MAX_NEXT_RETRY: Final = timedelta(hours=1)
DEADLINE: Final = timedelta(days=1)
# Message Level Statuses are due 25 minutes after the delivery (Network Policy, MLS-2).
MLS_WAIT: Final = timedelta(hours=2)
_MLS_POLL: Final = timedelta(minutes=2)
_MLS_UNTIL: Final = "mls_until"  # in `Pending.state`: stored, so its text is permanent
_POLLS: Final = "polls"
_MLS_CODES: Final = {"received_ap": "AP", "received_ab": "AB", "received_re": "RE"}
_REFUSED: Final = {
    "rejected": reasons.DOCUMENT_REFUSED,  # by the verification there, before it is sent
    "permanently_failed": reasons.NOT_HANDED_OVER,  # all attempts have failed
}


def taken(reference: str) -> Pending:
    """The access point has the document and goes on sending it."""
    now = clock.now()
    return Pending(reference, now + FIRST_POLL, now + DEADLINE, {_POLLS: "0"})


def mls_awaited(reference: str) -> Pending:
    """The `follow_up` of a delivery: a Message Level Status may come."""
    now = clock.now()
    state = {_MLS_UNTIL: clock.timestamp(now + MLS_WAIT)}
    return Pending(reference, now + _MLS_POLL, state=state)


def polled(client: RestClient, pending: Pending) -> Outcome:
    """The outcome of a status query. NotSent: there is no answer now."""
    try:
        response = _asked(client, pending.reference)
    except HttpFault as fault:
        return _no_answer(f"the access point cannot be asked: {fault}", pending)
    status = _status_in(response, pending.reference)
    if status is None:
        return _no_answer(f"no status, but HTTP {response.status}", pending)
    if _MLS_UNTIL in pending.state:
        return _followed_up(status, response, pending)
    return _outcome(status, response, pending)


def found(client: RestClient, reference: str) -> Found:
    """The knowledge of the access point about a document whose submit was not answered."""
    try:
        response = _asked(client, reference)
        status = _status_in(response, reference)
        if status is not None:
            return _outcome(status, response, taken(reference))
        if response.status == 404 and _is_absent(client, reference):
            return NeverSeen()
    except HttpFault as fault:
        return Unknown(f"the access point cannot be asked: {fault}")
    return Unknown(f"no status, but HTTP {response.status}")


def _no_answer(words: str, pending: Pending) -> NotSent | Delivered:
    """Polled again later; a Message Level Status is not awaited beyond its time."""
    return Delivered() if _is_over(pending) else NotSent(words, code="status")


def _is_over(pending: Pending) -> bool:
    until = pending.state.get(_MLS_UNTIL)
    return until is not None and clock.now() >= datetime.fromisoformat(until)


def _asked(client: RestClient, reference: str) -> Response:
    path = f"/api/outbound/status/{quote(reference, safe='')}?includeArchive=true"
    return client.get(path)


def _status_in(response: Response, reference: str) -> Mapping[str, Any] | None:
    """The status of this document; None if the response does not hold it."""
    values = response.json()
    if response.status != 200 or not isinstance(values, dict):
        return None
    return values if member(values, "sbdhInstanceID") == reference else None


def _is_absent(client: RestClient, reference: str) -> bool:
    """Whether a 404 is that of the interface: its list of open documents answers, without it."""
    response = client.get("/api/outbound/in-transmission")
    listed = response.json()
    if response.status != 200 or not isinstance(listed, list):
        return False
    ids = {member(each, "sbdhInstanceID") for each in listed if isinstance(each, dict)}
    return reference not in ids


def _outcome(
    status: Mapping[str, Any], response: Response, pending: Pending
) -> Delivered | Rejected | Pending:
    name = member(status, "status")
    if name == "sent":
        return _delivered(status, response, pending.reference)
    if name in _REFUSED:
        words = member(status, "errorDetails")[:500] or f"the access point reports {name}"
        return reports.rejected(name, words, _REFUSED[name])
    return _later(status, pending)


def _delivered(status: Mapping[str, Any], response: Response, reference: str) -> Delivered:
    evidence = (receipt(response.body, "application/json"), *_mls(status, response))
    awaited = member(status, "mlsStatus") == "pending"
    return Delivered(evidence, mls_awaited(reference) if awaited else None)


def _followed_up(status: Mapping[str, Any], response: Response, pending: Pending) -> Outcome:
    """A poll for the Message Level Status, which ends after `MLS_WAIT`."""
    evidence = _mls(status, response)
    if evidence or member(status, "mlsStatus") == "not_applicable" or _is_over(pending):
        return Delivered(evidence)
    return replace(pending, next_poll_at=clock.now() + _MLS_POLL)


def _mls(status: Mapping[str, Any], response: Response) -> tuple[Evidence, ...]:
    """The received Message Level Status: its code, as the access point does not hand it out."""
    code = _MLS_CODES.get(member(status, "mlsStatus"))
    if code is None:
        return ()
    return (Evidence(MLS, response.body, "application/json", response_code=code),)


def _later(status: Mapping[str, Any], pending: Pending) -> Pending:
    """The same Pending with its next poll: ever later, and not before the next retry there."""
    now, polls = clock.now(), int(pending.state[_POLLS])
    pause = min(MAX_PAUSE_SECONDS, 2.0 * 2 ** min(polls, 10))
    due = now + timedelta(seconds=pause)
    if (retry := _moment(member(status, "nextRetryDT"))) is not None:
        due = max(due, min(retry, now + MAX_NEXT_RETRY))
    return replace(pending, next_poll_at=due, state={_POLLS: str(polls + 1)})


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.utcoffset() is not None else None
