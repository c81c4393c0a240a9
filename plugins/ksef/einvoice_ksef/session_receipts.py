"""The UPO of a whole session: kept once, by the first invoice of it that has a number.

Its other invoices name that one. KSeF makes it when the session is closed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import structlog

from einvoice import clock
from einvoice.domain.artefacts import ArtefactKind
from einvoice.http import HttpFault
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import Blocked, Delivered, Envelope, Evidence, Outcome, Pending
from einvoice_ksef import evidence
from einvoice_ksef.answers import Area, Kind, status_of
from einvoice_ksef.calls import Calls, Failed, Refused, without_right
from einvoice_ksef.limits import Group, Spent
from einvoice_ksef.receipts import DIGEST_HEADER, RETENTION_YEARS
from einvoice_ksef.sends import PACKAGE

log = structlog.get_logger()

SESSION_RECEIPT: Final = ArtefactKind(
    "SESSION_RECEIPT", "application/xml", "session-receipt-{number}.xml"
)
# Says which invoice has it.
SESSION_RECEIPT_AT: Final = ArtefactKind(
    "SESSION_RECEIPT_AT", "application/json", "session-receipt-{number}.json"
)
AWAITED: Final = "sessionReceipt"  # member of `Pending.state`
# An interactive session is used for two hours, and then closed.
FIRST_POLL: Final = timedelta(hours=2, minutes=15)
FIRST_POLL_OF_PACKAGE: Final = timedelta(minutes=2)
INTERVAL: Final = timedelta(minutes=15)
PATIENCE: Final = timedelta(days=3)
_KEPT: Final = timedelta(days=30)  # after the first invoice of a session
_MARGIN: Final = timedelta(minutes=2)  # between the clocks of our processes
_OPEN: Final = 100
_KIND: Final = "kind"  # of the session, as in `submission`


class SessionReceipts:
    """The UPOs of the sessions of one connection. `wanted`: by the setting."""

    def __init__(self, calls: Calls, store: PluginStore, prefix: str, *, wanted: bool) -> None:
        self._calls, self._store = calls, store
        self._prefix, self._wanted = prefix, wanted
        self._known: dict[str, str] = {}

    def announced(
        self, outcome: Delivered, envelope: Envelope, session: str, kind: str
    ) -> Delivered:
        """The delivery, followed by the UPO of the session, or by the name of who has it.

        kind  of the session
        """
        if not self._wanted or outcome.follow_up is not None:
            return outcome
        keeper = self._keeper(session, envelope.invoice_id)
        if keeper != envelope.invoice_id:
            return replace(outcome, evidence=(*outcome.evidence, _named(session, keeper)))
        now = clock.now()
        due = now + (FIRST_POLL_OF_PACKAGE if kind == PACKAGE else FIRST_POLL)
        awaited = {AWAITED: session, _KIND: kind}
        return replace(outcome, follow_up=Pending(session, due, now + PATIENCE, awaited))

    def _keeper(self, session: str, invoice: str) -> str:
        """The invoice that keeps the UPO of a session: this one, if none does yet."""
        if session not in self._known:
            series = f"{self._prefix}-{session}"
            if not self._noted(series):
                self._store.append(series, invoice)
            self._known[session] = self._noted(series) or invoice
        return self._known[session]

    def _noted(self, series: str) -> str:
        """The first invoice that was noted; several may be at the same moment."""
        now = clock.now()
        found = self._store.read(series, now - _KEPT, now + _MARGIN)
        return str(found[0].value) if found else ""

    def outcome(self, pending: Pending) -> Outcome:
        """The UPO of the session that is awaited; Delivered without one ends the waiting."""
        session, is_over = pending.state[AWAITED], False
        try:
            values = self._calls.make(Group.SESSION, "GET", f"sessions/{session}").members()
            kept = self._fetched(session, values)
            if kept:
                return Delivered(kept)
            is_over = self._is_without(session, pending.state[_KIND], values)
        except Refused as refused:
            if isinstance(refused.outcome, Blocked):
                return refused.outcome
        except Failed as failed:
            if failed.fault.kind is Kind.CONNECTION:
                return Blocked(without_right(failed.fault))
            is_over = failed.fault.kind is Kind.MISSING
        except (Spent, HttpFault):
            pass
        now = clock.now()
        if is_over or (pending.deadline is not None and pending.deadline < now):
            log.warning("no UPO of a session", session=session)
            return Delivered()
        return replace(pending, next_poll_at=now + INTERVAL)

    def _is_without(self, session: str, kind: str, values: Mapping[str, Any]) -> bool:
        """Whether there will be none. A session that is still open is used no more: close it."""
        status = status_of(Area.SESSION, values.get("status"))
        if status.code == _OPEN and kind != PACKAGE:
            self._calls.make(Group.ONLINE_SESSION, "POST", f"sessions/online/{session}/close")
        return status.kind is Kind.RETRY

    def _fetched(self, session: str, values: Mapping[str, Any]) -> tuple[Evidence, ...]:
        """All pages; none while one of them is missing or not trusted. Raises HttpFault."""
        pages: Sequence[Mapping[str, Any]] = (values.get("upo") or {}).get("pages") or ()
        found = [self._page(session, str(page.get("downloadUrl") or "")) for page in pages]
        kept = [each for each in found if each is not None]
        return tuple(kept) if len(kept) == len(pages) else ()

    def _page(self, session: str, url: str) -> Evidence | None:
        response = self._calls.api.download(url)
        if response.status != 200:
            return None
        stated = response.headers.get(DIGEST_HEADER)
        try:
            upo = evidence.checked(response.body, stated, self._calls.api.signers)
        except evidence.NotEvidence as fault:
            log.error("UPO is not trusted", reason=str(fault))
            return None
        if upo.session != session:
            log.error("UPO is of another session", session=upo.session)
            return None
        return Evidence(SESSION_RECEIPT, response.body, retention_years=RETENTION_YEARS)


def _named(session: str, invoice: str) -> Evidence:
    content = json.dumps({"session": session, "invoiceId": invoice, "type": SESSION_RECEIPT.code})
    return Evidence(SESSION_RECEIPT_AT, content.encode(), retention_years=RETENTION_YEARS)
