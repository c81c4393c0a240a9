"""The search for an upload whose answer was lost.

The authority lists uploads by index, without the numbers of invoices. What this service knows of an
index comes from its ledger; the file of another one is downloaded, once, and compared. An upload
that is still being checked is not listed yet, so the search goes on for a while before the document
is uploaded again. A rejected upload is not found: its repetition is rejected the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network.types import (
    Blocked,
    Envelope,
    Found,
    NeverSeen,
    Prepared,
    SentDocument,
    Unknown,
)
from einvoice_anaf import sealed
from einvoice_anaf.answers import Kind, classify
from einvoice_anaf.calls import Calls, Refused
from einvoice_anaf.ledger import Ledger, digest_of
from einvoice_anaf.listing import Item, page_of
from einvoice_anaf.quota import Spent
from einvoice_anaf.sealed import NotAFile
from einvoice_anaf.submission import accepted

BEFORE: Final = timedelta(days=1)  # the first call of a search comes after the upload
OLDEST: Final = timedelta(days=60) - timedelta(minutes=5)
_CLOCKS: Final = timedelta(minutes=2)  # between ours and that of the authority
_SENT: Final = "T"
_MAX_DOWNLOADS: Final = 5  # in one call
_MAX_PAGES: Final = 20
_AGAIN_SECONDS: Final = 15.0


class NotKnown(Exception):
    """The authority does not answer as it should; the message says how."""


class Search:
    """Searches uploads of one company."""

    def __init__(self, calls: Calls, ledger: Ledger, cif: str, patience: timedelta) -> None:
        self._calls, self._ledger, self._cif, self._patience = calls, ledger, cif, patience

    def found(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Pending with the index, if there is one; NeverSeen after the whole search."""
        begun = self._ledger.searched_since(envelope.transmission_id)
        try:
            index, complete = self._index(envelope, begun)
        except Refused as refused:
            outcome = refused.outcome
            return outcome if isinstance(outcome, Blocked) else Unknown(outcome.reason)
        except (Spent, HttpFault, NotKnown) as fault:
            return Unknown(str(fault), _AGAIN_SECONDS)
        if index is not None:
            self._ledger.end_search(envelope.transmission_id)
            return accepted(index, timedelta(0))
        if not complete or clock.now() - begun < self._patience:
            return Unknown("The upload is not listed yet.", _AGAIN_SECONDS)
        self._ledger.end_search(envelope.transmission_id)
        return NeverSeen()

    def sent_since(self, moment: datetime) -> Iterator[SentDocument]:
        """The cleared uploads of the company since then, by this service or another.

        Raises NotKnown, Refused, Spent and HttpFault.
        """
        if moment < clock.now() - OLDEST:
            raise NotKnown("ANAF lists the messages of 60 days")
        for item in self._sent(moment):
            yield SentDocument(item.index, item.buyer or None)

    def _index(self, envelope: Envelope, begun: datetime) -> tuple[str | None, bool]:
        """The index of the document, and whether everything listed was compared."""
        digest, since = digest_of(envelope.document), _earliest(envelope, begun)
        known = self._ledger.known(since)
        if (index := _index_of(digest, known)) is not None:
            return index, True
        left = _MAX_DOWNLOADS
        for item in self._sent(since):
            if item.index in known or not _may_be(item, envelope):
                continue
            if left == 0 or not self._ledger.claim(item.id):
                return None, False
            left -= 1
            known |= self._ledger.known(since)  # another search may have just ended
            if item.index not in known:
                known[item.index] = self._digest_of(item)
                self._ledger.add(item.index, known[item.index])
            self._ledger.release(item.id)
        return _index_of(digest, known), True

    def _sent(self, since: datetime) -> Iterator[Item]:
        """The messages about documents that were sent and cleared since then."""
        until, api = clock.now(), self._calls.api
        for number in range(1, _MAX_PAGES + 1):
            response = self._calls.make(
                lambda token, page=number: api.messages(  # type: ignore[misc]
                    token, self._cif, since, until, page, _SENT
                )
            )
            try:
                page = page_of(classify(response.status, response.body))
            except ValueError as fault:
                raise NotKnown(str(fault)) from fault
            yield from page.items
            if number >= page.pages:
                return
        raise NotKnown(f"ANAF lists more than {_MAX_PAGES} pages of messages")

    def _digest_of(self, item: Item) -> str:
        response = self._calls.make(lambda token: self._calls.api.download(token, item.id))
        answer = classify(response.status, response.body)
        if answer.kind is not Kind.FILE:
            raise NotKnown(answer.text)
        try:
            return digest_of(sealed.opened(response.body).document)
        except NotAFile as fault:
            raise NotKnown(str(fault)) from fault


def _earliest(envelope: Envelope, begun: datetime) -> datetime:
    """The earliest time of the upload. After a restore of our database the first call may come
    days later, so it is when the document was accepted; the list goes back 60 days."""
    since = begun - BEFORE
    if envelope.accepted_at is not None:
        since = min(since, envelope.accepted_at - _CLOCKS)
    return max(since, clock.now() - OLDEST)


def _index_of(digest: str, known: dict[str, str]) -> str | None:
    """The newest index with this digest."""
    found = [index for index, each in known.items() if each == digest]
    return max(found, key=int) if found else None


def _may_be(item: Item, envelope: Envelope) -> bool:
    """Whether a message may be about the document: its buyer is the same, or not known."""
    number = (envelope.buyer.vat_id or envelope.buyer.tax_id or "").removeprefix("RO")
    return not number or not item.buyer or item.buyer == number
