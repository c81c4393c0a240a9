"""The outcomes of invoices that KSeF has: number, UPO, or the reason of a refusal.

A few invoices of a session are asked for singly, many of them with one call for the list of the
session. A package is asked for its own state first. What KSeF has cancelled, or could not process,
is sent again in another session.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network import reasons
from einvoice.network.types import (
    Blocked,
    Delivered,
    Envelope,
    Evidence,
    NetworkFinding,
    NotSent,
    Outcome,
    Pending,
    Rejected,
    Unknown,
)
from einvoice_ksef import buyer_access, issuing, receipts
from einvoice_ksef.answers import Kind, Status
from einvoice_ksef.calls import Calls, Failed, Refused, without_right
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.issuing import Issuing
from einvoice_ksef.limits import Group, Spent
from einvoice_ksef.packages import OPEN, close_again
from einvoice_ksef.rows import Inquiry, Row
from einvoice_ksef.sends import PACKAGE
from einvoice_ksef.session_receipts import AWAITED, SessionReceipts
from einvoice_ksef.submission import (
    DEADLINE,
    DIGEST,
    EARLIER,
    INVOICE,
    KIND,
    NUMBER,
    POLLS,
    SESSION,
    TRIES,
    WAITED,
    Submission,
)

log = structlog.get_logger()

ASKED_SINGLY: Final = 5  # invoices of a session; more are asked for with its list
MAX_TRIES: Final = 5  # of an invoice that KSeF cancels or cannot process
_INTERVALS: Final = (3, 5, 10, 20, 40, 60, 120, 300)  # seconds
_LAST_INTERVAL: Final = 900
_RECEIPT_INTERVAL: Final = timedelta(seconds=60)
_RETRY_INTERVALS: Final = (10, 60, 300, 900, 1800)  # by the number of tries
_NOT_LISTED: Final = Status(Kind.RUNNING, 0, "not listed")
_NOT_IN_PACKAGE: Final = Row("", "", Status(Kind.RETRY, 0, "The package does not have it."))
# Statuses of invoices that are refused.
NO_SCOPE: Final = 410  # the account may not issue invoices for the seller
# What a technical correction is for: faults of the file and of its content, not missing rights.
_CORRECTED: Final = frozenset({430, 450})
_NEW_NUMBER: Final = "Send the document under a number that was not used before."
Asked = tuple[Envelope, Pending]


class Polling:
    """Asks for the invoices of one connection."""

    def __init__(
        self,
        calls: Calls,
        submission: Submission,
        issued: Issuing,
        session_receipts: SessionReceipts,
    ) -> None:
        self._calls, self._submission, self._issued = calls, submission, issued
        self._session_receipts = session_receipts
        self._inquiry = Inquiry(calls)

    def outcomes(self, batch: Sequence[Asked]) -> list[Outcome]:
        """One outcome for each, in order."""
        batch = [(issuing.as_sent(one, pending.state), pending) for one, pending in batch]
        found: dict[int, Outcome] = {}
        groups: dict[str, list[int]] = defaultdict(list)
        followed: dict[str, list[int]] = defaultdict(list)
        for place, (envelope, pending) in enumerate(batch):
            if buyer_access.is_followed(pending.state):
                followed[pending.state[SESSION]].append(place)
            elif AWAITED in pending.state:
                found[place] = self._session_receipts.outcome(pending)
            elif NUMBER in pending.state:
                found[place] = self._late_receipt(envelope, pending)
            else:
                groups[pending.state[SESSION]].append(place)
        for session, places in groups.items():
            asked = [batch[place] for place in places]
            found.update(zip(places, self._of_session(session, asked), strict=True))
        for session, places in followed.items():
            asked = [batch[place] for place in places]
            found.update(zip(places, self._accesses(session, asked), strict=True))
        return [found[place] for place in range(len(batch))]

    def _accesses(self, session: str, asked: Sequence[Asked]) -> Sequence[Outcome]:
        """Whether the buyers of delivered invoices can read them; asked again after a fault."""
        try:
            rows = self._rows(session, asked)
        except (Refused, Spent, HttpFault, Failed):
            rows = [None] * len(asked)
        return [
            buyer_access.outcome(pending, row)
            for (_, pending), row in zip(asked, rows, strict=True)
        ]

    # -- the states --------------------------------------------------------------------------------

    def _of_session(self, session: str, asked: Sequence[Asked]) -> Sequence[Outcome]:
        try:
            rows = self._rows(session, asked)
        except Refused as refused:
            return [refused.outcome] * len(asked)
        except Spent as spent:
            wait = timedelta(seconds=spent.retry_after)
            return [_again(pending, wait) for _, pending in asked]
        except HttpFault as fault:
            return [NotSent(str(fault))] * len(asked)
        except Failed as failed:
            return [_failed(failed)] * len(asked)
        done = (row for row in rows if row and row.status.kind is Kind.DONE)
        links = {row.upo_url: row.digest for row in done}
        kept = receipts.fetched(self._calls.api, links)
        found = {
            place: self._outcome(envelope, pending, row, kept)
            for place, ((envelope, pending), row) in enumerate(zip(asked, rows, strict=True))
            if row is None or row.status.kind is not Kind.RETRY
        }
        undone = {
            place: row.status
            for place, row in enumerate(rows)
            if row is not None and row.status.kind is Kind.RETRY
        }
        found.update(self._resent(asked, undone))
        return [found[place] for place in range(len(asked))]

    def _rows(self, session: str, asked: Sequence[Asked]) -> Sequence[Row | None]:
        """The invoice of each; None while KSeF does not list it."""
        if all(pending.state[KIND] == PACKAGE for _, pending in asked):
            return self._rows_of_package(session, asked)
        if len(asked) <= ASKED_SINGLY:
            return [self._inquiry.invoice(session, pending.state[INVOICE]) for _, pending in asked]
        by_digest = best_by_digest(self._inquiry.invoices(session))
        return [by_digest.get(pending.state[DIGEST]) for _, pending in asked]

    def _rows_of_package(self, session: str, asked: Sequence[Asked]) -> Sequence[Row | None]:
        """The same of a package, once KSeF has processed it; an open one is closed.

        A gateway can answer its closing with a page and status 200, and KSeF know nothing of it.
        """
        status = self._inquiry.session(session)
        if status.code == OPEN:
            close_again(self._calls, session)
        if status.kind in (Kind.RUNNING, Kind.UNKNOWN):
            return [None] * len(asked)
        if status.kind is Kind.RETRY:
            return [Row("", pending.state[DIGEST], status) for _, pending in asked]
        by_digest = best_by_digest(self._inquiry.invoices(session))
        return [by_digest.get(pending.state[DIGEST], _NOT_IN_PACKAGE) for _, pending in asked]

    def _outcome(
        self,
        envelope: Envelope,
        pending: Pending,
        row: Row | None,
        kept: Mapping[str, Evidence],
    ) -> Outcome:
        status = row.status if row else _NOT_LISTED
        match status.kind:
            case Kind.DONE if row and row.number:
                made = self.delivered(envelope, pending, row.number, kept.get(row.upo_url))
                made = self._with_session(made, envelope, pending)
                return buyer_access.announced(made, pending, row)
            case Kind.DUPLICATE:
                return self._duplicate(envelope, pending, status)
            case Kind.DOCUMENT:
                if issuing.OFFLINE in pending.state and status.code in _CORRECTED:
                    self._issued.note_refused(envelope, pending.state[DIGEST])
                return refused(status)
            case Kind.UNKNOWN:
                log.error("unknown status of an invoice", code=status.code, text=status.text)
        return _again(pending)

    def delivered(
        self, envelope: Envelope, pending: Pending, number: str, receipt: Evidence | None
    ) -> Delivered:
        """KSeF gave the number. Without a receipt it is fetched later."""
        original = receipts.original(envelope.document, number)
        if receipt is not None:
            return Delivered((original, receipt))
        now, state = clock.now(), {**pending.state, NUMBER: number}
        later = Pending(pending.reference, now + _RECEIPT_INTERVAL, now + DEADLINE, state)
        return Delivered((original,), follow_up=later)

    def _late_receipt(self, envelope: Envelope, pending: Pending) -> Outcome:
        number, session = pending.state[NUMBER], pending.state[SESSION]
        receipt = self._receipt(session, number, digest_of(envelope.document))
        if receipt is None:
            return _again(pending)
        made = Delivered((receipts.original(envelope.document, number), receipt))
        return self._with_session(made, envelope, pending)

    def _with_session(self, made: Delivered, envelope: Envelope, pending: Pending) -> Delivered:
        """The delivery with the UPO of the session, unless that is of an earlier invoice."""
        if EARLIER in pending.state:
            return made
        session, kind = pending.state[SESSION], pending.state[KIND]
        return self._session_receipts.announced(made, envelope, session, kind)

    def _receipt(self, session: str, number: str, digest: str) -> Evidence | None:
        path = f"sessions/{session}/invoices/ksef/{number}/upo"
        try:
            response = self._calls.make(Group.SESSION, "GET", path)
        except (Failed, Refused, Spent, HttpFault):
            return None
        return receipts.kept(response, digest, self._calls.api.signers)

    # -- duplicates --------------------------------------------------------------------------------

    def _duplicate(self, envelope: Envelope, pending: Pending, status: Status) -> Outcome:
        """Success if the invoice that KSeF has is this one, byte by byte."""
        number = status.extensions.get("originalKsefNumber", "")
        session = status.extensions.get("originalSessionReferenceNumber", "")
        try:
            digest = digest_of(envelope.document)
            is_ours = self._is_same(number, session, digest)
        except (Refused, Spent, HttpFault):
            return _again(pending)
        if is_ours is None:
            return _again(pending)
        if is_ours:
            receipt = self._receipt(session, number, digest) if session else None
            state = {**pending.state, SESSION: session, EARLIER: "1"}
            original = replace(pending, state=state)
            return self.delivered(envelope, original, number, receipt)
        if issuing.OFFLINE in pending.state:
            self._issued.note_refused(envelope, pending.state[DIGEST])
            self._issued.note_used_number(envelope, pending.state[DIGEST])
        return _used_number(number, status)

    def _is_same(self, number: str, session: str, digest: str) -> bool | None:
        """Whether the invoice with this KSeF number has this digest; None: not known."""
        if not number:
            return None
        if session:
            try:
                rows = [row for row in self._inquiry.invoices(session) if row.number == number]
            except Failed:
                rows = []  # of another account
            if rows:
                return rows[0].digest == digest
        try:
            response = self._calls.make(Group.DOWNLOAD, "GET", f"invoices/ksef/{number}")
        except Failed:
            return None
        return digest_of(response.body) == digest

    # -- what KSeF did not process -----------------------------------------------------------------

    def _resent(
        self, asked: Sequence[Asked], undone: Mapping[int, Status]
    ) -> Iterator[tuple[int, Outcome]]:
        """Send invoices again, together, in another session; at most MAX_TRIES times.

        The first time at once, then after a while each.
        """
        again = []
        for place, status in undone.items():
            pending = asked[place][1]
            if int(pending.state[TRIES]) >= MAX_TRIES:
                yield place, _given_up(status)
            elif pending.state[TRIES] == "0" or WAITED in pending.state:
                again.append(place)
            else:
                yield place, _waiting(pending)
        sent = [(asked[n][0], issuing.of_pending(asked[n][1].state)) for n in again]
        for group in self._submission.outcomes(sent):
            for position, outcome in group:
                place = again[position]
                yield place, _after_resend(asked[place][1], outcome)


def _after_resend(pending: Pending, outcome: Outcome) -> Outcome:
    tries = int(pending.state[TRIES])
    if isinstance(outcome, Pending):
        return replace(outcome, state={**outcome.state, TRIES: str(tries + 1)})
    if isinstance(outcome, Rejected | Blocked):
        return outcome
    waiting = _waiting(pending)
    if isinstance(outcome, NotSent | Unknown) and outcome.evidence:  # it is issued offline now
        state = {**waiting.state, issuing.OFFLINE: "1"}
        return replace(waiting, state=state, evidence=outcome.evidence)
    return waiting


def _waiting(pending: Pending) -> Pending:
    """Poll again after a while; what KSeF has not processed by then is sent again."""
    tries = int(pending.state[TRIES])
    due = clock.now() + timedelta(seconds=_RETRY_INTERVALS[min(tries, MAX_TRIES - 1)])
    return replace(pending, next_poll_at=due, state={**pending.state, WAITED: "1"})


def _given_up(status: Status) -> Rejected:
    reason = reasons.NETWORK_UNAVAILABLE
    return Rejected(
        str(status.code),
        f"KSeF did not process it {MAX_TRIES + 1} times: {status.text}",
        retryable=reason.retryable,
        reason_code=reason.code,
    )


def best_by_digest(rows: Iterator[Row]) -> dict[str, Row]:
    """The row of each document; of several that one with a KSeF number."""
    found: dict[str, Row] = {}
    for row in rows:
        if row.digest not in found or row.number:
            found[row.digest] = row
    return found


def refused(status: Status) -> Rejected:
    """A document that KSeF refuses for good, with its errors one by one."""
    reason = reasons.SENDER_REFUSED if status.code == NO_SCOPE else reasons.DOCUMENT_REFUSED
    return Rejected(
        str(status.code),
        status.text,
        retryable=reason.retryable,
        reason_code=reason.code,
        findings=tuple(NetworkFinding(each) for each in status.details),
    )


def _used_number(number: str, status: Status) -> Rejected:
    """A document whose number another one has in KSeF, which may have a KSeF number."""
    reason = reasons.DUPLICATE_DOCUMENT
    words = f"KSeF has another invoice of this number, {number or 'without a KSeF number'}."
    text, advice = status.text or words, f"{words} {_NEW_NUMBER}"
    return Rejected(
        str(status.code),
        words,
        retryable=reason.retryable,
        reason_code=reason.code,
        findings=(NetworkFinding(text, field="invoice.number", advice=advice),),
    )


def _again(pending: Pending, wait: timedelta | None = None) -> Pending:
    polls = int(pending.state[POLLS])
    seconds = _INTERVALS[polls] if polls < len(_INTERVALS) else _LAST_INTERVAL
    due = clock.now() + (wait or timedelta(seconds=seconds))
    return replace(pending, next_poll_at=due, state={**pending.state, POLLS: str(polls + 1)})


def _failed(failed: Failed) -> Outcome:
    if failed.fault.kind is Kind.CONNECTION:
        return Blocked(without_right(failed.fault))
    return NotSent(str(failed))
