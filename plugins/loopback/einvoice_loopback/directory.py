"""The simulated directory: everybody is registered, except where a magic participant is not."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_loopback.participants import DirectoryEntry, behaviour_of

_BILLING = Registration((BIS_INVOICE, BIS_CREDIT_NOTE, BIS_INVOICE_CII))
_ORDERS_ONLY = Registration(
    (
        DocumentTypeId(
            "busdox-docid-qns",
            "urn:oasis:names:specification:ubl:schema:xsd:Order-2::Order"
            "##urn:fdc:peppol.eu:poacc:trns:order:3::2.1",
        ),
    )
)
AGAIN_AFTER = timedelta(seconds=60)


class Directory:
    """Answers lookups. One answer needs a memory: "unavailable once".

    A lookup tells nothing but the participant, and the next one may be asked in another process
    of the machine: the moment of the last outage is kept in a file of the data directory. A
    minute later the next lookup finds the directory unavailable again, so that the case can be
    rehearsed as often as one likes.
    """

    def __init__(self, data_dir: Path) -> None:
        self._memory = data_dir / "simulator-outage"

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        """Raises DirectoryUnavailable."""
        directory = behaviour_of(participant).directory
        if directory is DirectoryEntry.ABSENT:
            return NotRegistered()
        if directory is DirectoryEntry.OTHER_DOCUMENTS:
            return _ORDERS_ONLY
        if directory is DirectoryEntry.UNAVAILABLE_ONCE and self._outage_begins():
            raise DirectoryUnavailable("Simulated: the directory does not answer; ask once more.")
        return _BILLING

    def _outage_begins(self) -> bool:
        """True for the first to ask; false for a minute after, for everybody."""
        now = clock.now()
        last = self._last_outage()
        if last is not None and timedelta(0) <= now - last < AGAIN_AFTER:
            return False
        return self._remember(now)

    def _remember(self, moment: datetime) -> bool:
        """False where nothing can be written: without a memory the directory simply works."""
        try:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            self._memory.write_text(clock.timestamp(moment))
        except OSError:
            return False
        return True

    def _last_outage(self) -> datetime | None:
        try:
            return datetime.fromisoformat(self._memory.read_text())
        except (OSError, ValueError):
            return None
