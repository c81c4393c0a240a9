"""Received invoices: listed by their metadata, and fetched singly or in export packages.

A page with a few invoices is fetched by their numbers, a longer one as a package. Each document is
compared with the digest that its metadata have. A document that KSeF does not hand over is put
aside and tried later, while the list goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import structlog
from lxml import etree

from einvoice import clock, xml
from einvoice.documents.type_id import type_in
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.domain.request import SendWarning
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
    Known,
    MailboxDocument,
    NotFetched,
    nothing_known,
)
from einvoice.network.types import Blocked, NotSent
from einvoice_ksef import places, receipts
from einvoice_ksef.answers import FIRST_EXCEPTION, Kind, shown
from einvoice_ksef.calls import Calls, Failed, Refused
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.exports import Exports, NotAPackage, Package, StillBuilt
from einvoice_ksef.fa3 import form
from einvoice_ksef.forms import form_of
from einvoice_ksef.items import Item, NotAnItem, date_in
from einvoice_ksef.keys import Keys, NoKey
from einvoice_ksef.limits import Group, Spent
from einvoice_ksef.mailbox_faults import MailboxFaults
from einvoice_ksef.moments import moment, moment_or_none
from einvoice_ksef.places import NOT_STUCK, Cursor, Ordered, Page, Place

log = structlog.get_logger()

TERMS: Final = FetchTerms(every=timedelta(minutes=15), at_least=timedelta(seconds=2))
BUYER: Final = "Subject2"
THIRD: Final = "Subject3"
_UBL: Final = frozenset({"Invoice", "CreditNote"})
_INVOICES: Final = _UBL | {"Faktura"}
_FORBIDDEN: Final = 403
# Third parties, by their numbers in the list.
_ROLES: Final = {
    "0": "another role",
    "1": "factor",
    "2": "recipient",
    "3": "original entity",
    "4": "additional buyer",
    "5": "issuer of the invoice",
    "6": "payer",
    "7": "issuer of a local government unit",
    "8": "recipient of a local government unit",
    "9": "issuer of a VAT group",
    "10": "recipient of a VAT group",
    "11": "employee",
}
_SCHEME: Final = "9945"  # Polish VAT numbers
_PAGE: Final = MAX_DOCUMENTS
_FEW: Final = 10  # invoices of a page, which are fetched by their numbers
_MAX_BYTES: Final = 32 * 1024 * 1024  # of one fetch
_SECONDS: Final = 35.0
_RETRY_SECONDS: Final = 60.0
_PACKAGE_SECONDS: Final = 10.0  # between two queries of the state of a package
ORDER_DEADLINE: Final = timedelta(hours=1)  # for a package to be built
_ORDERS: Final = 2  # that are given up before pages are fetched singly for a while
_SINGLY_FOR: Final = timedelta(hours=6)
_SPARED, _SPARED_SECONDS = 8, 600.0  # queries of an hour that a second look leaves to new invoices
_MAX_AGAIN: Final = 10  # documents that were put aside and are tried by one fetch
_IN_A_ROW: Final = 5  # documents that are refused before it counts as a fault of the network
_STUCK_TRIES: Final = 3  # failures of the network at one number before it is put aside
_STUCK_NUMBERS: Final = 2  # numbers that are put aside for that without a success between them
_GIVEN_UP: Final = timedelta(days=365)
_FULL: Final = 900.0  # seconds until the next fetch while too many documents wait
_MAX_REASON: Final = 120
_MAX_REFERENCE: Final = 100  # characters of the reference of an order
_ITEM, _LIST = "item", "list"  # of a document that was put aside


def roles_of(*, third_party: bool) -> tuple[str, ...]:
    """The roles of a taxpayer whose invoices are fetched."""
    return (BUYER, THIRD) if third_party else (BUYER,)


class _Stopped(Exception):
    """Nothing more can be fetched now; the message says why. `of_list`: of this list only."""

    def __init__(
        self, reason: str, retry_after: float = _RETRY_SECONDS, *, of_list: bool = False
    ) -> None:
        super().__init__(reason)
        self.retry_after, self.of_list = retry_after, of_list


class _NotAnInvoice(Exception):
    """The answer of KSeF for a number is neither the listed document nor another invoice."""


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
    """One fetch from the lists of a taxpayer.

    What concerns one document puts it aside, what concerns one list ends this list for now, and
    what concerns the network or the account ends the fetch.
    """

    def __init__(
        self,
        calls: Calls,
        keys: Keys,
        nip: str,
        faults: MailboxFaults,
        known: Known = nothing_known,
    ) -> None:
        self._calls, self._limits, self._nip = calls, calls.limits, nip
        self._faults, self._known = faults, known
        self._exports = Exports(calls, keys)
        self._now, self._stop_at = clock.now(), clock.monotonic() + _SECONDS
        self._cursor = Cursor({})
        self._documents: list[MailboxDocument] = []
        self._size = self._failures = 0

    def fetched(self, cursor: str | None, roles: Sequence[str]) -> Fetched | NotFetched:
        """The next part of the lists. Raises Failed for an account that lacks the right."""
        begin = Cursor.parse(cursor, roles, self._now)
        self._cursor = begin.with_second_look(self._now)
        self._try_again()
        stops = self._read_all()
        found = tuple(self._documents)
        if stops and not found and self._cursor == begin:
            return NotFetched(str(stops[0]), retry_after=stops[0].retry_after)
        more = any(not each.ended for each in self._cursor.places.values())
        if not stops:
            return Fetched(self._cursor.text(), found, more=more)
        wait = min(stop.retry_after for stop in stops)
        return Fetched(self._cursor.text(), found, more=more, retry_after=wait)

    def _read_all(self) -> list[_Stopped]:
        """Read the lists one after the other; why they were not read to their ends."""
        stops = []
        for name in list(self._cursor.places):
            try:
                self._read(name)
            except _Stopped as stop:
                stops.append(stop)
                if not stop.of_list:
                    return stops
        return stops

    def _read(self, name: str) -> None:
        """Read a list to its end, or until enough was found. Raises _Stopped."""
        try:
            while not self._is_read(name) and not self._is_enough:
                self._go_on(name)
        except Spent as spent:
            words = f"KSeF hands over no invoices: {spent}"
            raise _Stopped(words, spent.retry_after, of_list=True) from spent
        except (NoKey, HttpFault, Refused, _NotAnInvoice) as fault:
            raise _Stopped(f"KSeF hands over no invoices: {fault}") from fault
        except Failed as failed:
            if failed.fault.kind is Kind.CONNECTION:
                raise
            wait = failed.fault.retry_after or _RETRY_SECONDS
            raise _Stopped(f"KSeF hands over no invoices: {failed}", wait) from failed

    def _is_read(self, name: str) -> bool:
        place = self._cursor.places.get(name)
        return place is None or place.ended

    @property
    def _is_enough(self) -> bool:
        found = len(self._documents) >= MAX_DOCUMENTS or self._size >= _MAX_BYTES
        return found or clock.monotonic() > self._stop_at

    def _move(self, name: str, place: Place) -> None:
        self._cursor = self._cursor.with_place(name, place)

    def _go_on(self, name: str) -> None:
        """Take the next documents of a list."""
        place = self._cursor.places[name]
        if place.order is not None:
            self._take_package(name, place, place.order)
            return
        if place.until is not None and self._limits.left(Group.METADATA) <= _SPARED:
            raise _Stopped("The calls are left to new invoices.", _SPARED_SECONDS, of_list=True)
        page = self._page(name, place)
        wanted = self._wanted(page, place)
        few = min(_FEW, self._limits.left(Group.DOWNLOAD))
        if place.singly or len(wanted) <= few or self._is_singly:
            self._take_singly(name, page, wanted)
        else:
            self._order(name, page, wanted)

    def _wanted(self, page: Page, place: Place) -> list[Item]:
        aside, listed = self._cursor.aside, [each.number for each in page.items]
        skipped = {*place.done, *(self._known(listed) if listed else ())}
        skipped.update(each.instance_id for each in self._documents)
        return [e for e in page.items if e.number not in skipped and e.number not in aside]

    # -- the list ----------------------------------------------------------------------------------

    def _page(self, name: str, place: Place) -> Page:
        until = places.end_of_range(place, self._now)
        body = _filters(places.role_of(name), place.since, until)
        query = {"pageSize": str(_PAGE), "pageOffset": str(place.page), "sortOrder": "Asc"}
        path = "invoices/query/metadata"
        values = self._calls.make(Group.METADATA, "POST", path, body, query=query).members()
        try:
            listed, has_more, is_cut = (
                values[each] for each in ("invoices", "hasMore", "isTruncated")
            )
            entries = list(listed)
        except (KeyError, TypeError) as fault:
            raise _Stopped(f"the list of KSeF cannot be read: {fault}") from fault
        mark = date_in(values, "permanentStorageHwmDate") or None
        items = tuple(self._readable(entries, place.since))
        return Page(items, bool(has_more), bool(is_cut), mark, until)

    def _readable(self, entries: Iterable[object], since: str) -> Iterator[Item]:
        """The entries that name an invoice; the others are kept as they are."""
        before = since
        for entry in entries:
            try:
                item = Item.of(entry, before, self._nip)
            except NotAnItem as fault:
                self._faults.keep(entry, str(fault))
                continue
            before = item.stored
            yield item

    # -- documents that wait -----------------------------------------------------------------------

    def _try_again(self) -> None:
        """Fetch documents that were put aside. It never stops the lists."""
        for entry in self._cursor.aside.due(self._now)[:_MAX_AGAIN]:
            item = Item.of_text(entry.values[_ITEM])
            try:
                self._take(item, self._download(item), entry.values[_LIST])
            except (Spent, NoKey, Refused, HttpFault):
                return
            except (Failed, _NotAnInvoice) as fault:
                self._put_aside(item, entry.values[_LIST], str(fault))
                if _is_of_network(fault):
                    return
                continue
            self._faults.solved(item.number)
            aside = self._cursor.aside.without(item.number)
            self._cursor = replace(self._cursor, aside=aside)

    def _put_aside(self, item: Item, name: str, reason: str) -> None:
        """Try this document later. Raises _Stopped if too many wait."""
        aside = self._cursor.aside
        if item.number not in aside:
            if aside.is_full:
                raise _Stopped(f"{len(aside.entries)} documents of KSeF cannot be fetched", _FULL)
            self._faults.note(item.number, reason)
        values = {_ITEM: item.as_text(), _LIST: places.role_of(name)}
        aside = aside.with_failed(item.number, values, shown(reason, _MAX_REASON), self._now)
        gone = [e for e in aside.entries if self._now - e.put_aside_at > _GIVEN_UP]
        for entry in gone:
            log.error("received invoice is given up", number=entry.id, tries=entry.tries)
            aside = aside.without(entry.id)
        self._cursor = replace(self._cursor, aside=aside)

    def _failed(self, item: Item, name: str, fault: Exception) -> None:
        """Put a document aside that KSeF does not hand over. Raises _Stopped and the fault.

        What the network does to one number again and again is taken for a fault of this document.
        """
        if _is_of_network(fault):
            number, tries, aside = self._cursor.stuck
            tries = tries + 1 if number == item.number else 1
            self._cursor = replace(self._cursor, stuck=(item.number, tries, aside))
            if tries < _STUCK_TRIES or aside >= _STUCK_NUMBERS:
                raise fault
            self._cursor = replace(self._cursor, stuck=(item.number, 0, aside + 1))
        self._failures += 1
        self._put_aside(item, name, str(fault))
        if self._failures >= _IN_A_ROW:
            raise _Stopped(f"KSeF hands over none of {self._failures} invoices: {fault}")

    # -- documents ---------------------------------------------------------------------------------

    def _take_singly(self, name: str, page: Page, wanted: Sequence[Item]) -> None:
        for item in wanted:
            if self._is_enough:
                return
            try:
                self._take(item, self._download(item), name)
            except (Failed, HttpFault, _NotAnInvoice) as fault:
                self._failed(item, name, fault)
            self._move(name, self._cursor.places[name].with_done(item.number))
        self._move(name, page.behind(self._cursor.places[name]))

    def _download(self, item: Item) -> bytes:
        path = f"invoices/ksef/{item.number}"
        return self._calls.make(Group.DOWNLOAD, "GET", path).body

    def _take(self, item: Item, document: bytes, name: str) -> None:
        """Take a document. Raises _NotAnInvoice."""
        warnings = tuple(self._warnings(item, document, name))
        self._failures, self._cursor = 0, replace(self._cursor, stuck=NOT_STUCK)
        self._size += len(document)
        self._documents.append(
            MailboxDocument(
                instance_id=item.number,
                sender=ParticipantId(_SCHEME, f"PL{item.seller or '0'}"),
                receiver=ParticipantId(_SCHEME, f"PL{self._nip}"),
                document_type=document_type(item, document),
                process=form.PROCESS,
                document=document,
                evidence=(receipts.original(document, item.number),),
                stated=item.head(),
                warnings=warnings,
            )
        )

    def _warnings(self, item: Item, document: bytes, name: str) -> Iterator[SendWarning]:
        """The values of the list beside the document. Raises _NotAnInvoice."""
        if digest_of(document) != item.digest:
            if not _is_invoice(document):
                raise _NotAnInvoice(f"KSeF gives {len(document)} bytes that are no invoice")
            log.error("received invoice with another digest", number=item.number)
            words = (
                f"The document that KSeF handed over has the digest {digest_of(document)}; its "
                f"list says {item.digest or 'none'}. Compare it with the original of the seller."
            )
            yield SendWarning("digest-differs", words)
        if item.third:
            role = _ROLES.get(item.third, _ROLES["0"])
            also = "" if places.role_of(name) == THIRD else "also "
            words = f"Your company is {also}named as a third party of this invoice: {role}."
            yield SendWarning("third-party", words)

    # -- packages ----------------------------------------------------------------------------------

    @property
    def _is_singly(self) -> bool:
        """Whether KSeF lately did not build packages."""
        until = moment_or_none(self._cursor.singly_until)
        return until is not None and self._now < until

    def _order(self, name: str, page: Page, wanted: Sequence[Item]) -> None:
        place, last = self._cursor.places[name], wanted[-1].stored
        filters = _filters(places.role_of(name), wanted[0].stored, places.behind(last))
        try:
            reference, nonce = self._exports.start(filters)
        except Failed as failed:
            if _is_of_network(failed):
                raise
            self._give_up(name, f"it cannot be ordered: {failed}", singly=True)
            return
        if len(reference) > _MAX_REFERENCE:
            self._give_up(name, "the reference of the order is too long", singly=True)
            return
        order = Ordered(reference, nonce, len(wanted), last, page.behind(place))
        self._move(name, replace(place, order=order))
        self._ordered_at(name)

    def _ordered_at(self, name: str) -> datetime:
        """When the package was ordered; now, of an order of an earlier release."""
        at, given_up = self._cursor.orders.get(name, ("", 0))
        found = moment_or_none(at)
        if found is None:
            orders = {**self._cursor.orders, name: (self._now.isoformat(), given_up)}
            self._cursor = replace(self._cursor, orders=orders)
        return found or self._now

    def _take_package(self, name: str, place: Place, order: Ordered) -> None:
        """Take the documents of a package."""
        is_late = self._now - self._ordered_at(name) > ORDER_DEADLINE
        try:
            package = self._exports.fetched(order.reference, order.nonce)
            items = self._items(package, place.done, order)
            self._unpack(name, package, items, order)
        except StillBuilt as built:
            if not is_late:
                raise _Stopped(str(built), _PACKAGE_SECONDS, of_list=True) from built
            self._give_up(name, f"KSeF has not built it for an hour: {built}")
        except NotAPackage as fault:
            self._give_up(name, str(fault), singly=True)
            raise _Stopped(f"the package of KSeF is not used: {fault}", of_list=True) from fault
        except (Failed, HttpFault) as fault:
            is_missing = isinstance(fault, Failed) and fault.fault.kind is Kind.MISSING
            if not is_missing and not is_late:
                raise
            self._give_up(name, str(fault))

    def _give_up(self, name: str, reason: str, *, singly: bool = False) -> None:
        """Drop an order. The page is ordered again, or fetched singly; after several all pages."""
        self._faults.note(_package_of(name), reason)
        given_up = self._cursor.orders.get(name, ("", 0))[1] + 1
        orders = {**self._cursor.orders, name: ("", given_up)}
        self._cursor = replace(self._cursor, orders=orders)
        if given_up >= _ORDERS and not singly:
            until = (self._now + _SINGLY_FOR).isoformat()
            self._cursor = replace(self._cursor, singly_until=until)
        self._move(name, replace(self._cursor.places[name], order=None, singly=singly))

    def _unpack(self, name: str, package: Package, items: Sequence[Item], order: Ordered) -> None:
        for item in items[order.taken :]:
            if self._is_enough:
                return
            document = package.document(item.number)
            try:
                self._take(item, document, name)
            except _NotAnInvoice as fault:
                self._put_aside(item, name, str(fault))
            order = replace(order, taken=order.taken + 1)
            self._move(name, replace(self._cursor.places[name], order=order))
        if self._cursor.orders.get(name, ("", 0))[1]:
            self._faults.solved(_package_of(name))
        orders = {each: at for each, at in self._cursor.orders.items() if each != name}
        self._cursor = replace(self._cursor, orders=orders)
        self._move(name, order.then)

    def _items(self, package: Package, done: Collection[str], order: Ordered) -> list[Item]:
        """The invoices of a package that are wanted. Raises NotAPackage."""
        last = moment(order.last)
        listed = [e for e in self._readable(package.listed, order.last) if e.number not in done]
        found = [e for e in listed if e.number in package and moment(e.stored) <= last]
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
    known = form_of(document)
    own = (known.system_code, known.schema_version) if known else ("unknown", "")
    form_code = item.form if item.form[0] else own
    try:
        root = etree.QName(xml.parse(document))
    except xml.NotXml:
        return DocumentTypeId(form.DOCUMENT_TYPE.scheme, form_code[0])
    of_ubl = type_in(document) if root.localname in _UBL else None
    named = f"{root.namespace}::{root.localname}##{'::'.join(form_code)}"
    return of_ubl or DocumentTypeId(form.DOCUMENT_TYPE.scheme, named)


def _is_invoice(document: bytes) -> bool:
    """Whether it is the document of an invoice, which need not be readable as a whole."""
    if form_of(document) is not None:
        return True
    try:
        return etree.QName(xml.parse(document)).localname in _INVOICES
    except xml.NotXml:
        return False


def _is_of_network(fault: Exception) -> bool:
    """Whether a call for a document failed for other reasons than this document."""
    if not isinstance(fault, Failed) or fault.fault.code >= FIRST_EXCEPTION:
        return not isinstance(fault, Failed)
    is_forbidden = fault.fault.code == _FORBIDDEN and fault.fault.kind is not Kind.CONNECTION
    return is_forbidden or fault.fault.kind in (Kind.UNKNOWN, Kind.TOKEN)


def _package_of(name: str) -> str:
    return f"package of {places.role_of(name)}"
