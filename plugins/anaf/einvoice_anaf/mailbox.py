"""Received invoices and messages of buyers, from the list of messages of a company.

The list is read in windows of time: of a day, where there are several pages of messages. A new
window begins an hour before the end of the list as it was, because a message may be listed late. A
single file that cannot be fetched does not hold back the others: it is tried again every four
hours. The cursor says how far the list is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog

from einvoice import clock, xml
from einvoice.documents.type_id import type_in
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import HttpFault, Response
from einvoice.network.mailboxes import Fetched, MailboxDocument, News, NotFetched
from einvoice.network.types import Evidence
from einvoice_anaf import evidence, form, sealed
from einvoice_anaf.answers import Kind, classify
from einvoice_anaf.client import Api, cif_of
from einvoice_anaf.configuration import Side
from einvoice_anaf.listing import Item, MessageType, Page, page_of
from einvoice_anaf.quota import Spent
from einvoice_anaf.sealed import NotAFile, NotSealed, SealedFile

log = structlog.get_logger()

KEPT: Final = timedelta(days=60)
_BEGIN: Final = KEPT - timedelta(hours=1)  # how far back the first window begins
_OLDEST: Final = KEPT - timedelta(minutes=5)
_WINDOW_SECONDS: Final = 86_400.0
_OVERLAP_SECONDS: Final = 3600.0
_LATE: Final = timedelta(hours=4)  # between two tries of a file
_MAX_PAGES: Final = 100  # of one fetch
_MAX_FILES: Final = 40
_MAX_BYTES: Final = 32 * 1024 * 1024
_SECONDS: Final = 35.0
_MAX_DONE: Final = 600  # ids, which fit into a cursor
_MAX_LATE: Final = 60
_RETRY_SECONDS: Final = 60.0
_WANTED: Final = frozenset({MessageType.RECEIVED.value, MessageType.FROM_BUYER.value})


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a mailbox is read. Times are seconds since 1970.

    since, until  the window that is being read; until 0: none
    page, place   the next message of it
    done          ids of messages near the end of the list, which the next window has again
    late          messages whose file could not be fetched: id, index, type, seller, since when
    late_at       when these are tried again
    """

    since: float
    until: float = 0.0
    page: int = 1
    place: int = 0
    done: tuple[str, ...] = ()
    late: tuple[tuple[str, str, str, str, float], ...] = ()
    late_at: float = 0.0

    @classmethod
    def parse(cls, text: str | None, now: datetime) -> Cursor:
        """The cursor of a text; None: from the beginning of the list."""
        values: dict[str, Any] = json.loads(text) if text else {"since": 0.0}
        values["done"] = tuple(values.get("done", ()))
        values["late"] = tuple(tuple(each) for each in values.get("late", ()))
        cursor = cls(**values)
        if cursor.since >= (now - _OLDEST).timestamp():
            return cursor
        return replace(cursor, since=(now - _BEGIN).timestamp(), until=0.0)

    def text(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def window(self, end: float) -> Cursor:
        """The cursor at the beginning of the window that begins at `since`."""
        return replace(self, until=end, page=1, place=0)

    def day(self) -> Cursor | None:
        """The first day of the window, if it is longer and was not begun."""
        until = self.since + _WINDOW_SECONDS
        if self.page > 1 or self.place or self.until <= until:
            return None
        return replace(self, until=until)

    def with_done(self, item: Item) -> Cursor:
        return replace(self, done=(*self.done, item.id)[-_MAX_DONE:])

    def with_late(self, item: Item, now: datetime) -> Cursor:
        """Keep a message whose file could not be fetched."""
        entry = (item.id, item.index, item.type, item.seller, now.timestamp())
        at = self.late_at if self.late else (now + _LATE).timestamp()
        return replace(self, late=(*self.late, entry), late_at=at)


class _Stopped(Exception):
    """Nothing more can be fetched now; the message says why."""

    def __init__(self, reason: str, retry_after: float = _RETRY_SECONDS) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class TokenEnded(Exception):
    """The access token is no longer valid."""


class Reading:
    """One fetch from the list of a company, with an access token."""

    def __init__(self, api: Api, side: Side, token: str, account: str, margin: timedelta) -> None:
        self._api, self._side, self._token = api, side, token
        self._account, self._cif = account, cif_of(account)
        self._now = clock.now()
        self._end = (self._now - margin).timestamp()
        self._stop_at = clock.monotonic() + _SECONDS
        self._cursor = Cursor(0.0)
        self._documents: list[MailboxDocument] = []
        self._news: list[News] = []
        self._files = self._size = 0

    def fetched(self, text: str | None) -> Fetched | NotFetched:
        """The next part of the list. Raises TokenEnded."""
        self._cursor = Cursor.parse(text, self._now)
        try:
            if self._cursor.late and self._cursor.late_at <= self._now.timestamp():
                self._try_late()
            self._read()
        except _Stopped as stop:
            if self._documents or self._news:
                return self._result(stop.retry_after)
            return NotFetched(str(stop), retry_after=stop.retry_after)
        return self._result()

    def _result(self, retry_after: float | None = None) -> Fetched:
        more = self._cursor.until > 0
        found = tuple(self._documents), tuple(self._news)
        return Fetched(self._cursor.text(), *found, more=more, retry_after=retry_after)

    def _read(self) -> None:
        """Read windows until the list ends, or until enough was found."""
        if not self._cursor.until:
            self._cursor = self._cursor.window(self._end)
        for _ in range(_MAX_PAGES):
            page = self._page()
            if page.pages > 1 and (day := self._cursor.day()) is not None:
                self._cursor = day
                continue
            for item in page.items[self._cursor.place :]:
                if self._is_enough:
                    return
                self._take(item)
            if self._cursor.page < page.pages:
                self._cursor = replace(self._cursor, page=self._cursor.page + 1, place=0)
            elif not self._next_window():
                return
            if clock.monotonic() > self._stop_at:
                return

    def _next_window(self) -> bool:
        """Go on with the next window; False: the list is read to its end."""
        cursor = self._cursor
        if cursor.until >= self._end:
            since = max(cursor.since, cursor.until - _OVERLAP_SECONDS)
            self._cursor = replace(cursor, since=since, until=0.0)
            return False
        self._cursor = replace(cursor, since=cursor.until).window(self._end)
        return True

    @property
    def _is_enough(self) -> bool:
        late = self._files > 0 and clock.monotonic() > self._stop_at
        return late or self._files >= _MAX_FILES or self._size >= _MAX_BYTES

    def _take(self, item: Item) -> None:
        """Go on after a message, whose file is fetched if it is wanted and new."""
        wanted = item.type in _WANTED and item.id not in self._cursor.done
        if wanted and len(self._cursor.late) >= _MAX_LATE:
            raise _Stopped(f"{_MAX_LATE} files of ANAF cannot be fetched")
        if wanted:
            fetched = self._fetch(item)
            kept = self._cursor if fetched else self._cursor.with_late(item, self._now)
            self._cursor = kept.with_done(item)
        self._cursor = replace(self._cursor, place=self._cursor.place + 1)

    def _try_late(self) -> None:
        """Fetch the files that could not be fetched before, while the authority has them."""
        entries, now = self._cursor.late, self._now
        self._cursor = replace(self._cursor, late_at=(now + _LATE).timestamp())
        for entry in entries:
            file_id, index, kind, seller, since = entry
            lost = now.timestamp() - since > KEPT.total_seconds()
            if self._is_enough:
                return
            if lost:
                log.error("message is lost", account=self._account, message=file_id)
            if lost or self._fetch(Item(file_id, index, kind, seller, "")):
                left = tuple(each for each in self._cursor.late if each != entry)
                self._cursor = replace(self._cursor, late=left)

    def _page(self) -> Page:
        cursor = self._cursor
        since, until = (datetime.fromtimestamp(t, UTC) for t in (cursor.since, cursor.until))
        answer = self._answer(
            lambda: self._api.messages(self._token, self._cif, since, until, cursor.page)
        )
        try:
            return page_of(classify(answer.status, answer.body))
        except ValueError as fault:
            raise _Stopped(f"ANAF does not list the messages: {fault}") from fault

    def _answer(self, request: Callable[[], Response]) -> Response:
        """The response. Raises TokenEnded and _Stopped."""
        try:
            response = request()
        except Spent as spent:
            raise _Stopped(str(spent), spent.retry_after) from spent
        except HttpFault as fault:
            raise _Stopped(f"ANAF does not answer: {fault}") from fault
        if response.status == 401:
            raise TokenEnded
        return response

    # -- files -------------------------------------------------------------------------------------

    def _fetch(self, item: Item) -> bool:
        """Fetch a file and note what it holds; whether it could be read. Raises _Stopped."""
        self._files += 1
        response = self._answer(lambda: self._api.download(self._token, item.id))
        answer = classify(response.status, response.body)
        of_the_file = answer.status == 200 and "eroare" in answer.values
        if answer.kind is not Kind.FILE and not of_the_file:
            raise _Stopped(f"ANAF does not hand over messages: {answer.text}")
        try:
            file = sealed.opened(response.body)
        except NotAFile as fault:
            words = answer.text or str(fault)
            log.warning("message cannot be fetched", message=item.id, reason=words)
            return False
        self._size += len(file.document)
        if item.type == MessageType.RECEIVED:
            self._documents.append(self._document(item, file))
        else:
            self._news.append(_news(item, file))
        return True

    def _document(self, item: Item, file: SealedFile) -> MailboxDocument:
        return MailboxDocument(
            instance_id=item.index or item.id,
            sender=ParticipantId("9947", f"RO{item.seller or '0'}"),
            receiver=ParticipantId("9947", f"RO{self._cif}"),
            document_type=type_in(file.document) or form.INVOICE,
            process=form.PROCESS,
            document=file.document,
            evidence=(self._original(item, file),),
        )

    def _original(self, item: Item, file: SealedFile) -> Evidence:
        try:
            file.verify(self._side.signers)
        except NotSealed as fault:
            log.error("received file is not trusted", index=item.index, reason=str(fault))
            return evidence.untrusted(file.archive, item.index)
        return evidence.sealed(file, item.index)


def _news(item: Item, file: SealedFile) -> News:
    """The message of a buyer about an invoice that was sent."""
    try:
        index = xml.parse(file.document).get("index_incarcare")
    except xml.NotXml:
        index = None
    message = Evidence(evidence.BUYER_MESSAGE, file.document, authority_reference=item.index)
    return News(index or item.index, evidence=(message,))
