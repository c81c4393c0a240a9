"""Received invoices: listed by their metadata, and fetched singly or in export packages.

A page with a few invoices is fetched by their numbers, a longer one as a package. Each document is
compared with the digest that its metadata have.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, Protocol

import structlog
from lxml import etree

from einvoice import clock, xml
from einvoice.documents.type_id import type_in
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.http import HttpFault
from einvoice.network.connections import (
    Broken,
    CheckOutcome,
    Connection,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.network.mailboxes import (
    MAX_DOCUMENTS,
    Fetched,
    FetchOutcome,
    FetchTerms,
    MailboxDocument,
    NotFetched,
)
from einvoice.network.types import Blocked, NotSent
from einvoice_ksef import places, receipts
from einvoice_ksef.answers import Kind, members
from einvoice_ksef.calls import Calls, Failed, Refused
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.exports import Exports, NotAPackage, Package, StillBuilt
from einvoice_ksef.fa3 import form
from einvoice_ksef.keys import Keys, NoKey
from einvoice_ksef.limits import Group, LimitsOf, Spent
from einvoice_ksef.moments import moment
from einvoice_ksef.places import Item, Ordered, Page, Place

log = structlog.get_logger()

TERMS: Final = FetchTerms(every=timedelta(minutes=15), at_least=timedelta(seconds=2))
BUYER: Final = "Subject2"
THIRD: Final = "Subject3"
_UBL: Final = frozenset({"Invoice", "CreditNote"})
_SCHEME: Final = "9945"  # Polish VAT numbers
_PAGE: Final = MAX_DOCUMENTS
_FEW: Final = 10  # invoices of a page, which are fetched by their numbers
_MAX_BYTES: Final = 32 * 1024 * 1024  # of one fetch
_SECONDS: Final = 35.0
_RETRY_SECONDS: Final = 60.0
_PACKAGE_SECONDS: Final = 10.0  # between two queries of the state of a package


def roles_of(*, third_party: bool) -> tuple[str, ...]:
    """The roles of a taxpayer whose invoices are fetched."""
    return (BUYER, THIRD) if third_party else (BUYER,)


class _Stopped(Exception):
    """Nothing more can be fetched now; the message says why."""

    def __init__(self, reason: str, retry_after: float = _RETRY_SECONDS) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Check(Protocol):
    """Checks a connection, and renews its tokens."""

    def __call__(self, connection: Connection) -> CheckOutcome: ...


class Renewal:
    """Renews the tokens of a connection while it is fetched from; no check runs beside it."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self.outcome: CheckOutcome | None = None

    def __call__(self, connection: Connection) -> Connection | Blocked | NotSent:
        outcome = self.outcome = self._check(connection)
        if isinstance(outcome, NotChecked):
            return NotSent(outcome.reason)
        if not isinstance(outcome, Works):
            return Blocked(outcome.reason)
        return replace(
            connection,
            credentials=outcome.credentials or connection.credentials,
            state=outcome.state or connection.state,
        )

    def stored(self, found: FetchOutcome) -> FetchOutcome:
        """The outcome of a fetch with the tokens that were renewed."""
        outcome = self.outcome
        if isinstance(outcome, NeedsPerson | Broken):
            return outcome
        if not isinstance(outcome, Works):
            return found
        if isinstance(found, Fetched | NotFetched):
            return replace(found, credentials=outcome.credentials, connection_state=outcome.state)
        return replace(found, credentials=outcome.credentials, state=outcome.state)


class Reading:
    """One fetch from the lists of a taxpayer."""

    def __init__(
        self, calls: Calls, keys: Keys, limits: LimitsOf, nip: str, roles: Sequence[str]
    ) -> None:
        self._calls, self._limits, self._nip, self._roles = calls, limits, nip, roles
        self._exports = Exports(calls, keys)
        self._now, self._stop_at = clock.now(), clock.monotonic() + _SECONDS
        self._places: dict[str, Place] = {}
        self._documents: list[MailboxDocument] = []
        self._size = 0

    def fetched(self, cursor: str | None) -> Fetched | NotFetched:
        """The next part of the lists. Raises Failed for an account that lacks the right."""
        self._places = places.parsed(cursor, self._roles, self._now)
        begin, wait = dict(self._places), None
        try:
            for role in self._roles:
                self._read(role)
        except _Stopped as stop:
            if self._places == begin:
                return NotFetched(str(stop), retry_after=stop.retry_after)
            wait = stop.retry_after
        more = not all(each.ended for each in self._places.values())
        found = tuple(self._documents)
        return Fetched(places.text(self._places), found, more=more, retry_after=wait)

    def _read(self, role: str) -> None:
        """Read the list of a role to its end, or until enough was found. Raises _Stopped."""
        try:
            while not self._places[role].ended and not self._is_enough:
                self._go_on(role)
        except (Spent, NoKey, HttpFault, Refused) as fault:
            wait = fault.retry_after if isinstance(fault, Spent) else _RETRY_SECONDS
            raise _Stopped(f"KSeF hands over no invoices: {fault}", wait) from fault
        except Failed as failed:
            if failed.fault.kind is Kind.CONNECTION:
                raise
            wait = failed.fault.retry_after or _RETRY_SECONDS
            raise _Stopped(f"KSeF hands over no invoices: {failed}", wait) from failed

    @property
    def _is_enough(self) -> bool:
        found = len(self._documents) >= MAX_DOCUMENTS or self._size >= _MAX_BYTES
        return found or clock.monotonic() > self._stop_at

    def _go_on(self, role: str) -> None:
        """Take the next documents of a role."""
        place = self._places[role]
        if place.order is not None:
            self._take_package(role, place.done, place.order)
            return
        page = self._page(role, place)
        wanted = [each for each in page.items if each.number not in place.done]
        few = min(_FEW, self._limits.left(Group.DOWNLOAD))
        if place.singly or len(wanted) <= few:
            self._take_singly(role, page, wanted)
        else:
            last = wanted[-1].stored
            filters = _filters(role, wanted[0].stored, places.behind(last))
            then = page.behind(place)
            order = Ordered(*self._exports.start(filters), len(wanted), last, then)
            self._places[role] = replace(place, order=order)

    # -- the list ----------------------------------------------------------------------------------

    def _page(self, role: str, place: Place) -> Page:
        until = places.end_of_range(place, self._now)
        body = _filters(role, place.since, until)
        query = {"pageSize": str(_PAGE), "pageOffset": str(place.page), "sortOrder": "Asc"}
        path = "invoices/query/metadata"
        values = members(self._calls.make(Group.METADATA, "POST", path, body, query=query))
        try:
            return Page(
                tuple(Item.of(each) for each in values["invoices"]),
                bool(values["hasMore"]),
                bool(values["isTruncated"]),
                values.get("permanentStorageHwmDate"),
                until,
            )
        except (KeyError, TypeError, ValueError) as fault:
            raise _Stopped(f"the list of KSeF cannot be read: {fault}") from fault

    # -- documents ---------------------------------------------------------------------------------

    def _take_singly(self, role: str, page: Page, wanted: Sequence[Item]) -> None:
        for item in wanted:
            if self._is_enough:
                return
            path = f"invoices/ksef/{item.number}"
            self._add(item, self._calls.make(Group.DOWNLOAD, "GET", path).body)
            self._places[role] = self._places[role].with_done(item.number)
        self._places[role] = page.behind(self._places[role])

    def _take_package(self, role: str, done: Collection[str], order: Ordered) -> None:
        """Take the documents of a package."""
        try:
            package = self._exports.fetched(order.reference, order.nonce)
            items = _items(package, done, order)
        except StillBuilt as built:
            raise _Stopped(str(built), _PACKAGE_SECONDS) from built
        except NotAPackage as fault:
            log.error("package is not as it was ordered", reference=order.reference)
            self._places[role] = replace(self._places[role], order=None, singly=True)
            raise _Stopped(f"the package of KSeF is not used: {fault}") from fault
        for item in items[order.taken :]:
            if self._is_enough:
                return
            self._add(item, package.documents[item.number])
            order = replace(order, taken=order.taken + 1)
            self._places[role] = replace(self._places[role], order=order)
        self._places[role] = order.then

    def _add(self, item: Item, document: bytes) -> None:
        if digest_of(document) != item.digest:
            log.error("received invoice with another digest", number=item.number)
            raise _Stopped(f"the document of {item.number} is not that of its metadata")
        self._size += len(document)
        self._documents.append(
            MailboxDocument(
                instance_id=item.number,
                sender=ParticipantId(_SCHEME, f"PL{item.seller}"),
                receiver=ParticipantId(_SCHEME, f"PL{self._nip}"),
                document_type=document_type(item, document),
                process=form.PROCESS,
                document=document,
                evidence=(receipts.original(document, item.number),),
            )
        )


def _items(package: Package, done: Collection[str], order: Ordered) -> list[Item]:
    """The invoices of a package that are wanted. Raises NotAPackage."""
    try:
        listed = [Item.of(each) for each in package.listed if each["ksefNumber"] not in done]
    except (KeyError, TypeError, ValueError) as fault:
        raise NotAPackage(f"its metadata cannot be read: {fault}") from fault
    last = moment(order.last)
    found = [e for e in listed if e.number in package.documents and moment(e.stored) <= last]
    if len(found) < order.count:
        raise NotAPackage(f"it has {len(found)} invoices in place of {order.count}")
    return found


def _filters(role: str, since: str, until: str | None) -> dict[str, Any]:
    """Invoices in which the taxpayer has a role, by their date of permanent storage."""
    dates: dict[str, Any] = {
        "dateType": "PermanentStorage",
        "from": since,
        "restrictToPermanentStorageHwmDate": True,
    }
    if until is not None:
        dates["to"] = until
    return {"subjectType": role, "dateRange": dates}


def document_type(item: Item, document: bytes) -> DocumentTypeId:
    """The type of a received document: of UBL its own, else that of its form."""
    try:
        root = etree.QName(xml.parse(document))
    except xml.NotXml:
        return DocumentTypeId(form.DOCUMENT_TYPE.scheme, item.form[0])
    of_ubl = type_in(document) if root.localname in _UBL else None
    named = f"{root.namespace}::{root.localname}##{'::'.join(item.form)}"
    return of_ubl or DocumentTypeId(form.DOCUMENT_TYPE.scheme, named)
