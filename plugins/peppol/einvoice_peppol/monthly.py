"""Sending the monthly reports to OpenPeppol, from the third day of the next month on.

Both are sent, also for a month without exchanges; not for months before the service was set up.
A report whose sums are wrong is not sent: the duty fails, which the doctor shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.identifiers import DocumentTypeId
from einvoice.network.duties import Duty
from einvoice.network.messages import Outgoing
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import Inbox
from einvoice_peppol import mls, reports
from einvoice_peppol.configuration import Network
from einvoice_peppol.end_users import UNKNOWN_COUNTRY
from einvoice_peppol.reporting import Item, Ledger, reportable
from einvoice_peppol.statuses import country_of

FIRST_DAY: Final = 3  # received documents are judged by then
_EVERY, _SECONDS = timedelta(hours=6), 300.0
_RETRY_FOR: Final = timedelta(days=7)
TSR: Final = ArtefactKind("PEPPOL_TSR", "application/xml", "tsr.xml")
EUSR: Final = ArtefactKind("PEPPOL_EUSR", "application/xml", "eusr.xml")
_Make = Callable[[Iterable[Item], date, str], bytes]
_Check = Callable[[bytes], list[str]]
KINDS: Final[tuple[tuple[ArtefactKind, DocumentTypeId, _Make, _Check], ...]] = (
    (TSR, reports.TSR_TYPE, reports.transaction_statistics, reports.check_transaction_statistics),
    (EUSR, reports.EUSR_TYPE, reports.end_user_statistics, reports.check_end_user_statistics),
)

log = structlog.get_logger()


class InvalidReport(Exception):
    """A report whose numbers contradict each other. The message names the rules."""


class MonthlyReports:
    """Makes and sends the reports of a network."""

    def __init__(self, own: Network, ledger: Ledger, inbox: Inbox, store: PluginStore) -> None:
        self._own, self._ledger, self._inbox, self._store = own, ledger, inbox, store
        self._key = f"reports-{own.stage.name}"

    def duty(self) -> Duty:
        return Duty(f"{self._own.stage.name}-reports", _EVERY, self.run, _SECONDS)

    def run(self) -> None:
        """Queue the reports of the last month, once. Raises InvalidReport."""
        now = clock.now()
        month = last_month(now.date())
        text = f"{month:%Y-%m}"
        done = self._store.get(self._key)
        if done is None:  # set up in this month: the first report is due after it
            self._store.change(self._key, None, text)
            return
        if str(done) >= text or now.day < FIRST_DAY:
            return
        self._queue(month, text)
        self._store.put(self._key, text)
        log.info("reports queued", network=self._own.stage.name, month=text)

    def send_again(self, month: date) -> list[str]:
        """Queue the reports of a month again: of several the last one counts. Their ids.

        Raises InvalidReport.
        """
        return self._queue(month, f"{month:%Y-%m}-{clock.now():%Y%m%dT%H%M%S}")

    def _queue(self, month: date, key: str) -> list[str]:
        return [
            self._inbox.queue_message(
                self._own.stage.name, self._message(key, kind, document_type, content)
            )
            for kind, document_type, content in made(self._ledger, month, self._own)
        ]

    def _message(
        self, key: str, kind: ArtefactKind, document_type: DocumentTypeId, content: bytes
    ) -> Outgoing:
        return Outgoing(
            key=f"{kind.code.lower()}-{key}",
            kind=kind,
            environment=self._own.stage.environment,
            sender=mls.spid_of(self._own.seat),
            receiver=reports.RECIPIENT,
            document_type=document_type,
            process=reports.PROCESS,
            document=content,
            sender_country=country_of(self._own.identity),
            retry_for=_RETRY_FOR,
        )


def made(
    ledger: Ledger, month: date, own: Network
) -> list[tuple[ArtefactKind, DocumentTypeId, bytes]]:
    """Both reports of a month with their types. Raises InvalidReport."""
    country = country_of(own.identity) or UNKNOWN_COUNTRY
    items = [reportable(item, country) for item in ledger.items(month)]
    found = []
    for kind, document_type, make, check in KINDS:
        content = make(items, month, own.seat)
        if wrong := check(content):
            raise InvalidReport(f"{kind.code} of {month:%Y-%m}: {'; '.join(wrong[:10])}")
        found.append((kind, document_type, content))
    return found


def last_month(day: date) -> date:
    """The first day of the month before."""
    return (day.replace(day=1) - timedelta(days=1)).replace(day=1)
