"""Received invoices and messages of buyers, from the list of messages of a company.

The list is read in windows of time: of a day, where there are several pages of messages. A new
window begins an hour before the end of the list as it was, because a message may be listed late. A
single file that cannot be fetched is put aside and does not hold back the others: it is tried again
at growing distances, until ANAF forgets it. The cursor says how far the list is read.

An archive that was downloaded is always stored, also where nothing in it is a document: then as it
is, because ANAF hands it out for 60 days only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog

from einvoice import clock, xml
from einvoice.documents.type_id import type_in
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.request import SendWarning
from einvoice.http import HttpFault, Response
from einvoice.network.mailboxes import Fetched, MailboxDocument, News, NotFetched
from einvoice.network.own_address import AddressRefused
from einvoice.network.put_aside import PutAside
from einvoice.network.types import Evidence
from einvoice_anaf import evidence, form, parties, responses, sealed
from einvoice_anaf.answers import Answer, Kind, classify
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
_MAX_PAGES: Final = 100  # of one fetch
_MAX_FILES: Final = 40
_MAX_BYTES: Final = 32 * 1024 * 1024
_SECONDS: Final = 35.0
_MAX_DONE: Final = 600  # ids, which fit into a cursor
_MAX_FAILED: Final = 3  # files in a row: then it is not one of them that is at fault
_RETRY_SECONDS: Final = 60.0
_QUOTA_SECONDS: Final = 3600.0
_TOLD_TRIES: Final = 3  # after so many the doctor names a file
_WANTED: Final = frozenset({MessageType.RECEIVED.value, MessageType.FROM_BUYER.value})


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a mailbox is read. Times are seconds since 1970.

    since, until  the window that is being read; until 0: none
    page, place   the next message of it
    done          ids of messages near the end of the list, which the next window has again
    aside         messages whose file could not be fetched
    """

    since: float
    until: float = 0.0
    page: int = 1
    place: int = 0
    done: tuple[str, ...] = ()
    aside: PutAside = field(default=PutAside())

    @classmethod
    def parse(cls, text: str | None, now: datetime) -> Cursor:
        """The cursor of a text; None: from the beginning of the list."""
        values: dict[str, Any] = json.loads(text) if text else {"since": 0.0}
        values["done"] = tuple(values.get("done", ()))
        late, at = values.pop("late", ()), values.pop("late_at", 0.0)
        values["aside"] = PutAside.of_data(values.get("aside", _put_aside(late, at)))
        cursor = cls(**values)
        if cursor.since >= (now - _OLDEST).timestamp():
            return cursor
        return replace(cursor, since=(now - _BEGIN).timestamp(), until=0.0)

    def text(self) -> str:
        data = asdict(self) | {"aside": self.aside.as_data()}
        return json.dumps(data, separators=(",", ":"))

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

    def with_aside(self, item: Item, reason: str, now: datetime) -> Cursor:
        """Keep a message whose file could not be fetched."""
        return replace(self, aside=self.aside.with_failed(item.id, _values(item), reason, now))

    def without(self, file_id: str) -> Cursor:
        """Without a message that was put aside."""
        return replace(self, aside=self.aside.without(file_id))


def _values(item: Item) -> dict[str, str]:
    return {"index": item.index, "type": item.type, "seller": item.seller}


def _put_aside(late: list[list[Any]], at: float) -> list[dict[str, Any]]:
    """The entries that were put aside in the form of cursors of an earlier release."""
    names = ("index", "type", "seller")
    return [
        {"id": id_, "values": dict(zip(names, given, strict=True)), "reason": "", "since": since,
         "due": at}
        for id_, *given, since in late
    ]  # fmt: skip


class _Stopped(Exception):
    """Nothing more can be fetched now; the message says why."""

    def __init__(self, reason: str, retry_after: float = _RETRY_SECONDS) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class _Failed(Exception):
    """The file of one message cannot be fetched now; the message says why."""


class TokenEnded(Exception):
    """The access token is no longer valid."""


class Reading:
    """One fetch from the list of a company, with an access token.

    note  reports a file that is not trusted, or cannot be fetched, for `einvoice doctor`
    """

    def __init__(
        self,
        api: Api,
        side: Side,
        token: str,
        account: str,
        margin: timedelta,
        note: Callable[[str], None],
    ) -> None:
        self._api, self._side, self._token, self._note = api, side, token, note
        self._account, self._cif = account, cif_of(account)
        self._now = clock.now()
        self._end = (self._now - margin).timestamp()
        self._stop_at = clock.monotonic() + _SECONDS
        self._cursor = Cursor(0.0)
        self._documents: list[MailboxDocument] = []
        self._news: list[News] = []
        self._files = self._size = self._failed = 0

    def fetched(self, text: str | None) -> Fetched | NotFetched:
        """The next part of the list. Raises TokenEnded."""
        self._cursor = Cursor.parse(text, self._now)
        try:
            self._try_again()
            self._read()
        except _Stopped as stop:
            if self._documents or self._news or self._failed:
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
        if item.type in _WANTED and item.id not in self._cursor.done:
            if self._cursor.aside.is_full:
                raise _Stopped(f"{len(self._cursor.aside.entries)} files cannot be fetched")
            self._fetch_or_put_aside(item)
            self._cursor = self._cursor.with_done(item)
        self._cursor = replace(self._cursor, place=self._cursor.place + 1)
        if self._failed >= _MAX_FAILED:
            raise _Stopped(f"ANAF does not hand over {self._failed} files in a row")

    def _fetch_or_put_aside(self, item: Item) -> None:
        """Fetch the file of a message, or keep the message for later. Raises _Stopped."""
        try:
            self._fetch(item)
        except _Failed as fault:
            self._failed += 1
            log.warning("message cannot be fetched", message=item.id, reason=str(fault))
            self._cursor = self._cursor.with_aside(item, str(fault), self._now)
            if self._tries(item.id) == _TOLD_TRIES:
                self._note(f"{item.id} of {self._account} cannot be fetched: {fault}")
        else:
            self._failed = 0
            self._cursor = self._cursor.without(item.id)

    def _tries(self, file_id: str) -> int:
        return next((e.tries for e in self._cursor.aside.entries if e.id == file_id), 0)

    def _try_again(self) -> None:
        """Fetch the files that were put aside and are due, while the authority has them."""
        for entry in self._cursor.aside.due(self._now):
            if self._is_enough or self._failed >= _MAX_FAILED:
                break
            if self._now - entry.put_aside_at > KEPT:
                log.error("message is lost", account=self._account, message=entry.id)
                self._note(f"{entry.id} of {self._account} is lost: {entry.reason}")
                self._cursor = self._cursor.without(entry.id)
            else:
                self._fetch_or_put_aside(Item(entry.id, **entry.values, buyer=""))
        self._failed = 0

    def _page(self) -> Page:
        cursor = self._cursor
        since, until = (datetime.fromtimestamp(t, UTC) for t in (cursor.since, cursor.until))
        try:
            answer = self._answer(
                lambda: self._api.messages(self._token, self._cif, since, until, cursor.page)
            )
        except HttpFault as fault:
            raise _Stopped(f"ANAF does not answer: {fault}") from fault
        found = classify(answer.status, answer.body)
        try:
            return page_of(found)
        except ValueError as fault:
            seconds = _QUOTA_SECONDS if _is_spent(found) else _RETRY_SECONDS
            raise _Stopped(f"ANAF does not list the messages: {fault}", seconds) from fault

    def _answer(self, request: Callable[[], Response]) -> Response:
        """The response. Raises TokenEnded, _Stopped and HttpFault of this call alone."""
        try:
            response = request()
        except Spent as spent:
            raise _Stopped(str(spent), spent.retry_after) from spent
        except AddressRefused as refused:
            raise _Stopped(str(refused), refused.retry_after) from refused
        if response.status == 401:
            raise TokenEnded
        return response

    # -- files -------------------------------------------------------------------------------------

    def _fetch(self, item: Item) -> None:
        """Fetch a file and note what it holds. Raises _Failed and _Stopped."""
        self._files += 1
        try:
            response = self._answer(lambda: self._api.download(self._token, item.id))
        except HttpFault as fault:
            raise _Failed(f"ANAF does not answer: {fault}") from fault
        answer = classify(response.status, response.body)
        if answer.kind is Kind.QUOTA and not _is_spent(answer):
            raise _Stopped(f"ANAF hands over no messages now: {answer.text}")
        if answer.kind is not Kind.FILE:
            raise _Failed(answer.text or f"HTTP {answer.status}")
        file = self._opened(item, response.body)
        self._size += len(file.document)
        if item.type == MessageType.RECEIVED:
            self._documents.append(self._document(item, file))
        else:
            self._news.append(_news(item, file))

    def _opened(self, item: Item, archive: bytes) -> SealedFile:
        """The parts of an archive; of one of another form, the archive itself without a seal."""
        try:
            return sealed.opened(archive)
        except NotAFile as fault:
            log.error("received file has another form", message=item.id, reason=str(fault))
            return SealedFile(archive, archive, b"")

    def _document(self, item: Item, file: SealedFile) -> MailboxDocument:
        return MailboxDocument(
            instance_id=item.index or item.id,
            sender=ParticipantId("9947", f"RO{item.seller or '0'}"),
            receiver=ParticipantId("9947", f"RO{self._cif}"),
            document_type=type_in(file.document) or form.INVOICE,
            process=form.PROCESS,
            document=file.document,
            evidence=(self._original(item, file),),
            warnings=tuple(_of_another(file.document, self._cif)),
        )

    def _original(self, item: Item, file: SealedFile) -> Evidence:
        try:
            file.verify(self._side.signers)
        except NotSealed as fault:
            log.error("received file is not trusted", index=item.index, reason=str(fault))
            self._note(f"{item.index} {fault}")
            return evidence.untrusted(file.archive, item.index)
        return evidence.sealed(file, item.index, verified=bool(self._side.signers))


def _is_spent(answer: Answer) -> bool:
    """Whether the calls of a day are used up, and not those of this moment."""
    return answer.kind is Kind.QUOTA and answer.status == 200


def _of_another(document: bytes, cif: str) -> Iterator[SendWarning]:
    """A warning about a document in which the company is not the one that receives it."""
    numbers = parties.receiving_numbers(document)
    if numbers and cif not in numbers:
        named = ", ".join(sorted(numbers))
        words = (
            f"ANAF has listed this document for {cif}, and the buyer in it is {named}: check "
            "whether it is for your company before you book or pay it."
        )
        yield SendWarning("buyer-is-another", words, "invoice.buyer.taxId")


def _news(item: Item, file: SealedFile) -> News:
    """The message of a buyer about an invoice that was sent."""
    try:
        root = xml.parse(file.document)
    except xml.NotXml:
        index, said = None, responses.read("", item.buyer)
    else:
        index, said = (
            root.get("index_incarcare"),
            responses.read(root.get("message", ""), item.buyer),
        )
    message = Evidence(
        evidence.BUYER_MESSAGE, file.document, authority_reference=item.index, response=said
    )
    return News(index or item.index, evidence=(message,))
