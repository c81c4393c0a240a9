"""The simulated directory: every participant is registered, except some of the magic ones.

A search by name finds the magic participants by their behaviour.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    SELF_BILLED_CREDIT_NOTE,
    SELF_BILLED_INVOICE,
    XRECHNUNG_CREDIT_NOTE,
    XRECHNUNG_INVOICE,
    XRECHNUNG_INVOICE_CII,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.domain.leitweg_ids import SCHEME as LEITWEG_SCHEME
from einvoice.network.types import (
    DirectoryUnavailable,
    ListedParticipant,
    NotRegistered,
    Registration,
)
from einvoice_loopback.participants import MAGIC, DirectoryEntry, behaviour_of

_BILLING = Registration(
    (
        BIS_INVOICE,
        BIS_CREDIT_NOTE,
        BIS_INVOICE_CII,
        SELF_BILLED_INVOICE,
        SELF_BILLED_CREDIT_NOTE,
    )
)
_XRECHNUNG = (XRECHNUNG_INVOICE, XRECHNUNG_CREDIT_NOTE, XRECHNUNG_INVOICE_CII)
_PUBLIC_BUYER = Registration((*_BILLING.document_types, *_XRECHNUNG))  # German ones
_ORDERS_ONLY = Registration(
    (
        DocumentTypeId(
            "busdox-docid-qns",
            "urn:oasis:names:specification:ubl:schema:xsd:Order-2::Order"
            "##urn:fdc:peppol.eu:poacc:trns:order:3::2.1",
        ),
    )
)
COUNTRY = "BE"
_LISTED = [
    ListedParticipant(ParticipantId.parse(text), f"Sandbox receiver: {behaviour.words}", COUNTRY)
    for text, behaviour in MAGIC.items()
    if behaviour.directory is not DirectoryEntry.ABSENT
]
AGAIN_AFTER = timedelta(seconds=60)


class Directory:
    """Answers lookups. "Unavailable once" needs state between two lookups.

    The next lookup may run in another process of the machine, so the time of the last outage is
    stored in a file of the data directory. After a minute the next lookup finds the directory
    unavailable again, so that the case can be tested repeatedly.
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
            raise DirectoryUnavailable("Simulated: the directory does not answer; look up again.")
        return _PUBLIC_BUYER if participant.scheme == LEITWEG_SCHEME else _BILLING

    @staticmethod
    def search(name: str, country: str | None, limit: int) -> Iterator[ListedParticipant]:
        """The magic participants with this text in their name. They are all in one country."""
        if country in (None, COUNTRY):
            found = (one for one in _LISTED if name.casefold() in one.name.casefold())
            yield from islice(found, limit + 1)

    def _outage_begins(self) -> bool:
        """Whether this lookup fails: the first one does, those of the next minute do not."""
        now = clock.now()
        last = self._last_outage()
        if last is not None and timedelta(0) <= now - last < AGAIN_AFTER:
            return False
        return self._remember(now)

    def _remember(self, moment: datetime) -> bool:
        """Store the time of the outage. False, so no outage, if the file cannot be written."""
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
