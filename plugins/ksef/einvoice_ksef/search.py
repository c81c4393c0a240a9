"""The search for an invoice whose answer was lost, before it is sent again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network.types import (
    Blocked,
    Envelope,
    Found,
    NeverSeen,
    Pending,
    Prepared,
    Unknown,
)
from einvoice_ksef.answers import Kind
from einvoice_ksef.calls import Calls, Failed, Refused, without_right
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.issuing import Issuing
from einvoice_ksef.limits import Spent
from einvoice_ksef.packages import OPEN, close_again
from einvoice_ksef.polling import best_by_digest
from einvoice_ksef.rows import Inquiry
from einvoice_ksef.sends import PACKAGE, Sends, Sent
from einvoice_ksef.submission import accepted

AGAIN_SECONDS: Final = 15.0


class Search:
    """Searches the sessions of one connection.

    patience  how long after a send an invoice may be missing in the list of its session
    """

    def __init__(self, calls: Calls, sends: Sends, issuing: Issuing, patience: timedelta) -> None:
        self._calls, self._sends, self._patience = calls, sends, patience
        self._issuing = issuing
        self._inquiry = Inquiry(calls)

    def found(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Pending in the session that has the invoice; NeverSeen if certainly none has."""
        known = self._known(envelope)
        if not isinstance(known, Pending):
            return known
        [way] = self._issuing.ways([(envelope, prepared)], tried=True)
        return replace(known, state={**known.state, **way.state_of(envelope)})

    def _known(self, envelope: Envelope) -> Found:
        digest = digest_of(envelope.document)
        try:
            sessions = self._sends.of(digest)
            if not sessions:  # nothing was sent; it is sent once the network answers
                self._calls.api.public_keys()
            found = [self._in_session(sent, digest) for sent in sessions]
        except Refused as refused:
            outcome = refused.outcome
            return outcome if isinstance(outcome, Blocked) else Unknown(outcome.reason)
        except Failed as failed:
            if failed.fault.kind is Kind.CONNECTION:
                return Blocked(without_right(failed.fault))
            return Unknown(str(failed), AGAIN_SECONDS)
        except (Spent, HttpFault) as fault:
            return Unknown(str(fault), AGAIN_SECONDS)
        for wanted in (Pending, Unknown):
            if known := [each for each in found if isinstance(each, wanted)]:
                return known[0]
        return NeverSeen()

    def _in_session(self, sent: Sent, digest: str) -> Pending | NeverSeen | Unknown:
        try:
            if sent.kind == PACKAGE:
                return self._in_package(sent, digest)
            rows = best_by_digest(self._inquiry.invoices(sent.session))
        except Failed as failed:
            if failed.fault.kind in (Kind.SESSION, Kind.MISSING):
                return NeverSeen()
            raise
        if digest not in rows:
            is_late = clock.now() - sent.at > self._patience
            return NeverSeen() if is_late else Unknown("It is not listed yet.", AGAIN_SECONDS)
        row = rows[digest]
        if row.status.kind is Kind.RETRY:
            return NeverSeen()
        return accepted(sent.session, sent.kind, digest, row.reference)

    def _in_package(self, sent: Sent, digest: str) -> Pending | NeverSeen | Unknown:
        """A package that was never closed is closed now: it holds the invoice."""
        status = self._inquiry.session(sent.session)
        if status.kind is Kind.RETRY:
            return NeverSeen()
        if status.code == OPEN and not close_again(self._calls, sent.session):
            return Unknown("The package is being closed.", AGAIN_SECONDS)
        return accepted(sent.session, sent.kind, digest)
