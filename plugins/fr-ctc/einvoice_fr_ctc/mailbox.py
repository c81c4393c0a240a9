"""Reading the incoming flows of a company: received invoices, and statuses of sent ones.

What concerns one flow puts it aside; what concerns the platform or the account ends the fetch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import structlog

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network.mailboxes import (
    Fetched,
    MailboxDocument,
    News,
    NotFetched,
)
from einvoice_fr_ctc import life_cycle, received
from einvoice_fr_ctc.answers import Flow, Unreadable, fault_in, members, unreadable
from einvoice_fr_ctc.calls import Calls
from einvoice_fr_ctc.cdar import read as cdar
from einvoice_fr_ctc.companies import siren_of
from einvoice_fr_ctc.configuration import Side
from einvoice_fr_ctc.cursor import Cursor

log = structlog.get_logger()

PAGE: Final = 100
_MAX_PAGES: Final = 20  # of one fetch
_MAX_FILES: Final = 80
_MAX_NEWS: Final = 400
_MAX_BYTES: Final = 32 * 1024 * 1024
_SECONDS: Final = 35.0
_MAX_FAILED: Final = 3  # files in a row: then it is not one of them that is at fault
_RETRY_SECONDS: Final = 60.0
_INVOICES: Final = frozenset({"SupplierInvoice", "CustomerInvoice"})
_STATUSES: Final = frozenset({"CustomerInvoiceLC", "SupplierInvoiceLC"})
_OPEN: Final = frozenset({"", "Undefined"})  # types that say nothing: the file does
_CDAR: Final = "CDAR"
_CURSOR_REFUSED: Final = frozenset({400, 404, 410, 422})


class _Stopped(Exception):
    """Nothing more can be fetched now; the message says why."""

    def __init__(self, reason: str, retry_after: float = _RETRY_SECONDS) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class _Failed(Exception):
    """The file of one flow cannot be fetched now; the message says why."""


class Reading:
    """One fetch of a connection. Raises Refused of `Calls`."""

    def __init__(self, calls: Calls, side: Side) -> None:
        self._calls, self._side = calls, side
        self._account = calls.connection.account
        self._siren = siren_of(self._account) or ""
        self._now, self._stop_at = clock.now(), clock.monotonic() + _SECONDS
        self._cursor = Cursor(self._now)
        self._documents: list[MailboxDocument] = []
        self._news: list[News] = []
        self._size = self._failed = 0
        self._more = False

    def fetched(self, text: str | None) -> Fetched | NotFetched:
        """The next flows."""
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
        found = tuple(self._documents), tuple(self._news)
        return Fetched(self._cursor.text(), *found, more=self._more, retry_after=retry_after)

    # -- the list ----------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read pages until the list ends, or until enough was found."""
        for _ in range(_MAX_PAGES):
            page = self._page()
            if page is None:
                self._cursor = self._cursor.restarted()
                continue
            flows, following = page
            for flow in flows:
                if self._is_enough:
                    self._more = True
                    return
                if not self._cursor.is_done(flow):
                    self._take(flow)
                    self._cursor = self._cursor.after(flow)
            if following:
                self._cursor = self._cursor.next_page(following)
            elif len(flows) >= PAGE:
                self._cursor = self._cursor.next_range()
            else:
                self._cursor = self._cursor.at_the_end()
                return
        self._more = True

    @property
    def _is_enough(self) -> bool:
        files = len(self._documents) >= _MAX_FILES or len(self._news) >= _MAX_NEWS
        found = bool(self._documents or self._news)
        return files or self._size >= _MAX_BYTES or (found and clock.monotonic() > self._stop_at)

    def _page(self) -> tuple[list[Flow], str] | None:
        """The flows of a page, and the platform's cursor of the next one. Raises _Stopped.

        None: the platform refuses its cursor.
        """
        where = {"updatedAfter": self._cursor.updated_after, "flowDirection": ["In"]}
        api, cursor = self._calls.api, self._cursor.platform or None
        try:
            response = self._calls.make(
                lambda at, token: api.search(at, token, where, cursor, PAGE)
            )
            if response.status in _CURSOR_REFUSED and cursor is not None:
                return None
            if response.status != 200:
                fault = fault_in(response)
                raise _Stopped(fault.words if fault else unreadable(response))
            values = members(response)
            listed = values.get("results")
            if not isinstance(listed, list):
                raise _Stopped("The search has no list of results.")
            following = values.get("nextCursor")
            return [*self._readable(listed)], following if isinstance(following, str) else ""
        except (HttpFault, Unreadable) as fault:
            raise _Stopped(f"The platform does not list its flows: {fault}") from fault

    def _readable(self, listed: list[object]) -> list[Flow]:
        found = []
        for each in listed:
            try:
                found.append(Flow.of(each))
            except Unreadable as fault:
                log.warning("flow cannot be read", connection=self._calls.connection.id,
                            reason=str(fault))  # fmt: skip
        return found

    # -- one flow ----------------------------------------------------------------------------------

    def _take(self, flow: Flow) -> None:
        """Fetch a flow that is an invoice or a status, or put it aside. Raises _Stopped."""
        if not _is_wanted(flow):
            return
        if self._cursor.aside.is_full:
            raise _Stopped(f"{len(self._cursor.aside.entries)} flows cannot be fetched")
        try:
            self._fetch(flow)
        except _Failed as fault:
            self._put_aside(flow, str(fault))
            if self._failed >= _MAX_FAILED:
                words = f"The platform does not hand over {self._failed} files in a row: {fault}"
                self._cursor = self._cursor.after(flow)
                raise _Stopped(words) from fault
        else:
            self._failed = 0
            self._cursor = replace(self._cursor, aside=self._cursor.aside.without(flow.id))

    def _put_aside(self, flow: Flow, reason: str) -> None:
        self._failed += 1
        log.warning("flow cannot be fetched", flow=flow.id, reason=reason)
        values = {"type": flow.type, "syntax": flow.syntax}
        aside = self._cursor.aside.with_failed(flow.id, values, reason, self._now)
        self._cursor = replace(self._cursor, aside=aside)

    def _try_again(self) -> None:
        """Fetch the flows that were put aside and are due."""
        for entry in self._cursor.aside.due(self._now):
            if self._is_enough or self._failed >= _MAX_FAILED:
                break
            values = entry.values
            self._take_again(Flow(entry.id, type=values["type"], syntax=values["syntax"]))
        self._failed = 0

    def _take_again(self, flow: Flow) -> None:
        try:
            self._fetch(flow)
        except _Failed as fault:
            self._put_aside(flow, str(fault))
        else:
            self._cursor = replace(self._cursor, aside=self._cursor.aside.without(flow.id))

    def _fetch(self, flow: Flow) -> None:
        """Fetch the file of a flow. Raises _Failed."""
        api = self._calls.api
        try:
            response = self._calls.make(lambda at, token: api.file(at, token, flow.id))
        except HttpFault as fault:
            raise _Failed(f"The platform does not answer: {fault}") from fault
        if response.status != 200:
            fault_named = fault_in(response)
            raise _Failed(fault_named.words if fault_named else unreadable(response))
        if not response.body:
            raise _Failed("The file of the flow is empty.")
        self._size += len(response.body)
        self._keep(flow, response.body)

    def _keep(self, flow: Flow, content: bytes) -> None:
        """Note what a file holds: statuses of our invoices, or a received document."""
        if flow.syntax == _CDAR or flow.type in _STATUSES or _is_cdar(flow, content):
            self._keep_statuses(flow, content)
        else:
            self._documents.append(received.document_of(flow.id, content, self._account))

    def _keep_statuses(self, flow: Flow, content: bytes) -> None:
        try:
            statuses = cdar.read(content)
        except cdar.NotALifeCycle as fault:
            raise _Failed(f"The message of the life cycle cannot be read: {fault}") from fault
        for status in sorted(statuses, key=lambda each: each.code):
            if status.seller in ("", self._siren):
                self._news.append(life_cycle.news_of(status, content, flow.id, self._side.handover))
            else:
                self._news.append(life_cycle.news_of_purchase(status, content, flow.id))


def _is_wanted(flow: Flow) -> bool:
    return flow.type in _INVOICES | _STATUSES | _OPEN or flow.syntax == _CDAR


def _is_cdar(flow: Flow, content: bytes) -> bool:
    """Whether a flow whose type says nothing is a message of the life cycle."""
    return flow.type in _OPEN and b"CrossDomainAcknowledgementAndResponse" in content[:4096]
