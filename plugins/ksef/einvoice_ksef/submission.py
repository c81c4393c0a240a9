"""Documents on their way to KSeF: singly in the open session, or many in a package.

A few documents are sent one by one. More of them go as a package, and also fewer once the calls of
the interactive session are used up; then packages keep a distance, in which documents gather.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network import reasons
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
from einvoice_ksef.answers import FIRST_EXCEPTION, Fault, Kind
from einvoice_ksef.calls import MAX_DELAY_SECONDS, Calls, Failed, Refused, not_sent
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.forms import FA, FormCode, form_of
from einvoice_ksef.issuing import Issuing, Way
from einvoice_ksef.keys import NoKey
from einvoice_ksef.limits import Group, Spent
from einvoice_ksef.packages import CloseLost, Packages
from einvoice_ksef.sends import ONLINE, PACKAGE, Sends
from einvoice_ksef.sessions import OpenSession, Sessions

SINGLY: Final = 10  # so many documents of a job at most are sent one by one
FULL: Final = 100  # documents of a job
_AT_ONCE: Final = 0.2  # part of the calls of an hour that packages may use without a distance
_CALLS: Final = 2  # of a package: to open and to close it
DEADLINE: Final = timedelta(days=3)  # for the outcome
ASK_AFTER: Final = 20.0  # seconds until a search may find what was sent without an answer
FIRST_POLL: Final = {ONLINE: timedelta(seconds=2), PACKAGE: timedelta(seconds=5)}

# Members of `Pending.state`.
SESSION, KIND, DIGEST, INVOICE, POLLS, TRIES, WAITED, NUMBER, EARLIER = (
    "session",
    "kind",
    "digest",
    "invoice",
    "polls",
    "tries",
    "waited",
    "number",
    "earlier",
)
_NOTHING_SENT: Final = (Failed, Refused, Spent, HttpFault, NoKey)
Sending = tuple[Envelope, Way]
Place = tuple[int, Envelope, Way]  # position in the batch, document


class Submission:
    """Sends the documents of one connection."""

    def __init__(
        self,
        calls: Calls,
        sessions: Sessions,
        packages: Packages,
        sends: Sends,
        issuing: Issuing,
    ) -> None:
        self._calls, self._sessions = calls, sessions
        self._packages, self._sends = packages, sends
        self._issuing = issuing

    def submitted(
        self, batch: Sequence[tuple[Envelope, Prepared]]
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """Send prepared documents of one form; groups of (position in the batch, outcome)."""
        ways = self._issuing.ways(batch)
        envelopes = [as_prepared(*each) for each in batch]
        yield from self.outcomes(list(zip(envelopes, ways, strict=True)))

    def outcomes(self, batch: Sequence[Sending]) -> Iterator[list[tuple[int, Outcome]]]:
        """Send documents of one form; groups of (position in the batch, outcome)."""
        for group in self._sent_in_groups([(n, *each) for n, each in enumerate(batch)]):
            yield [(place, self._issuing.noted(*batch[place], outcome)) for place, outcome in group]

    def _sent_in_groups(self, places: Sequence[Place]) -> Iterator[list[tuple[int, Outcome]]]:
        if not places:
            return
        form = form_of(places[0][1].document) or FA
        corrections = [each for each in places if each[2].corrects]
        if corrections:  # packages take none
            yield from self._one_by_one(form, corrections)
            rest = [each for each in places if not each[2].corrects]
            yield from self._sent_in_groups(rest)
            return
        left = self._calls.limits.left(Group.SEND)
        if len(places) > min(SINGLY, left):
            wait = self._distance(len(places))
            if wait <= 0:
                yield from self._packages_of(form, places)
                return
            if left == 0:
                yield [(place, _later(wait)) for place, *_ in places]
                return
        yield from self._one_by_one(form, places)

    def _distance(self, count: int) -> float:
        """Seconds until a package of so many documents may be sent.

        A full one is sent at once, and so are the first smaller ones of an hour; further ones keep
        a distance in which documents gather, so that the calls of the hour suffice.
        """
        limits = self._calls.limits
        if limits.left(Group.BATCH_SESSION) < _CALLS:
            return MAX_DELAY_SECONDS
        used, most = limits.used(Group.BATCH_SESSION)
        if count >= FULL or (count > SINGLY and used < most * _AT_ONCE):
            return 0.0
        distance = _CALLS * 3600 / (most * (1 - _AT_ONCE))
        return min(distance - limits.idle_seconds(Group.BATCH_SESSION), MAX_DELAY_SECONDS)

    # -- packages ----------------------------------------------------------------------------------

    def _packages_of(
        self, form: FormCode, places: Sequence[Place]
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """A package declares the mode of all its invoices, so there may be one of each."""
        for offline in (False, True):
            some = [each for each in places if each[2].offline is offline]
            if some:
                yield self._packaged(form, some, offline=offline)

    def _packaged(
        self, form: FormCode, places: Sequence[Place], *, offline: bool
    ) -> list[tuple[int, Outcome]]:
        files = {f"{each.transmission_id}.xml": each.document for _, each, _ in places}
        try:
            reference = self._packages.send(form, files, offline=offline)
        except CloseLost as lost:
            return [(place, Unknown(str(lost), ASK_AFTER)) for place, *_ in places]
        except _NOTHING_SENT as fault:
            return [(place, not_sent(fault)) for place, *_ in places]
        return [
            (place, accepted(reference, PACKAGE, digest_of(each.document)))
            for place, each, _ in places
        ]

    # -- the open session --------------------------------------------------------------------------

    def _one_by_one(
        self, form: FormCode, places: Sequence[Place]
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """One group for each document; after the first that the account stops, all others wait."""
        stopped: Outcome | None = None
        for place, envelope, way in places:
            outcome = stopped or self._sent(form, envelope, way)
            if isinstance(outcome, Blocked) or (
                isinstance(outcome, NotSent) and outcome.retry_after is not None
            ):
                stopped = outcome
            yield [(place, outcome)]

    def _sent(self, form: FormCode, envelope: Envelope, way: Way) -> Outcome:
        """Send a document; once more in a new session if this one takes nothing."""
        for is_repeated in (False, True):
            try:
                session = self._sessions.current(form)
            except _NOTHING_SENT as fault:
                return not_sent(fault)
            outcome = self._in_session(form, session, envelope, way)
            if outcome is not None:
                return outcome
            self._sessions.leave(form, session)
            if is_repeated:
                break
        return NotSent("KSeF closes sessions while they are used.", retry_after=30.0)

    def _in_session(
        self, form: FormCode, session: OpenSession, envelope: Envelope, way: Way
    ) -> Outcome | None:
        """The outcome; None: the session takes nothing more."""
        digest = digest_of(envelope.document)
        self._sends.add(session.reference, ONLINE, [digest])
        try:
            response = self._send(session, envelope.document, digest, way)
        except HttpFault as fault:
            return Unknown(str(fault), ASK_AFTER) if fault.maybe_sent else NotSent(str(fault))
        except (Refused, Spent) as fault:
            return not_sent(fault)
        except Failed as failed:
            if _is_unknown_code(failed.fault) and self._sessions.may_leave(form):
                return None
            return _refusal(failed)
        reference = response.members().get("referenceNumber")
        if not isinstance(reference, str):
            return Unknown("KSeF gives no reference of the invoice.", ASK_AFTER)
        return accepted(session.reference, ONLINE, digest, reference)

    def _send(self, session: OpenSession, document: bytes, digest: str, way: Way) -> Response:
        encrypted = session.key.encrypted(document)
        body: dict[str, Any] = {
            "invoiceHash": digest,
            "invoiceSize": len(document),
            "encryptedInvoiceHash": digest_of(encrypted),
            "encryptedInvoiceSize": len(encrypted),
            "encryptedInvoiceContent": base64.b64encode(encrypted).decode(),
            "offlineMode": way.offline,
        }
        if way.corrects:
            body["hashOfCorrectedInvoice"] = way.corrects
        path = f"sessions/online/{session.reference}/invoices"
        return self._calls.make(Group.SEND, "POST", path, body)


def as_prepared(envelope: Envelope, prepared: Prepared) -> Envelope:
    """The envelope with the document that is sent: another one in a technical correction."""
    content = prepared.content
    return envelope if content is None else replace(envelope, document=content)


def accepted(session: str, kind: str, digest: str, invoice: str = "") -> Pending:
    """A document that KSeF has, in this session."""
    now: datetime = clock.now()
    state = {SESSION: session, KIND: kind, DIGEST: digest, POLLS: "0", TRIES: "0"}
    if invoice:
        state[INVOICE] = invoice
    reference = invoice or f"{session}/{digest}"
    return Pending(reference, now + FIRST_POLL[kind], now + DEADLINE, state)


def rejected(fault: Fault) -> Rejected:
    """A document that KSeF refuses for good."""
    reason = reasons.DOCUMENT_REFUSED
    return Rejected(
        str(fault.code), fault.text, retryable=reason.retryable, reason_code=reason.code
    )


def _refusal(failed: Failed) -> Outcome | None:
    match failed.fault.kind:
        case Kind.SESSION:
            return None
        case Kind.DOCUMENT:
            return rejected(failed.fault)
        case Kind.UNKNOWN if not _is_unknown_code(failed.fault):
            return Unknown(str(failed), ASK_AFTER)
    return not_sent(failed)


def _is_unknown_code(fault: Fault) -> bool:
    """Whether KSeF refuses the call with a code that is not published: it has taken nothing."""
    return fault.kind is Kind.UNKNOWN and fault.code >= FIRST_EXCEPTION


def _later(seconds: float) -> NotSent:
    words = "The calls for single invoices are used up; the invoice follows."
    return NotSent(words, retry_after=max(1.0, seconds))
