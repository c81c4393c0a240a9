"""Storing arrived documents: concurrent messages together, with one commit.

Each document is read by itself; what is known of its message, sender and number is asked for a
group. A document that breaks its group does not hold back the others: each is then done by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from einvoice.domain.errors import Overloaded
from einvoice.network.types import Busy, Duplicate, InboundVerdict, Stored
from einvoice.observability import logging
from einvoice.services.computing.pool import Computing
from einvoice.services.forms import Forms
from einvoice.services.grouping import Grouping, Work
from einvoice.services.inbound import arrival_storage
from einvoice.services.inbound.arrival_storage import Arrival, ReadArrival
from einvoice.store.core import db
from einvoice.store.inbound.received import KnownMessage, MessageKey

log = logging.get(__name__)

NO_DATABASE = (OperationalError, InterfaceError, NoConnection)
# Reading and judging a document of this size takes about 5 ms; a group has up to 24.
MAX_GROUPED_BYTES = 32 * 1024
# How long a message waits for those that are being opened beside it, or that its sender sends next
# over its other connections.
BURST_WAIT_SECONDS = 0.02
_MAX_RUNS = 2  # the second one finds the document that has come first under the same id

Context = Callable[[], AbstractContextManager[object]]


@dataclass(slots=True)
class _Item:
    """A document on its way into the store, and what has become of it.

    arrival   under an own id, if its sender has used its id for another document
    known     the message was stored before
    new       what is to be stored; None: known, or the message of another item of its group
    is_first  it was stored now
    fault     what has stopped it
    """

    arrival: Arrival
    known: KnownMessage | None = None
    new: ReadArrival | None = None
    is_first: bool = False
    fault: Exception | None = None


class Arrivals:
    """Stores documents, each message once. Safe to call from several threads.

    computing   reads large documents
    grouping    does the work of concurrent calls; None: each call does its own
    to_compute  opens an application context to read documents in, so that the web can limit how
                many threads compute; None: the caller's is used
    """

    def __init__(
        self,
        computing: Computing,
        forms: Forms,
        grouping: Grouping | None = None,
        to_compute: Context | None = None,
    ) -> None:
        self._computing = computing
        self._forms = forms
        self._grouping = grouping
        self._to_compute = to_compute
        self._work = Work(self._read, self._store)

    def store(self, arrival: Arrival) -> InboundVerdict:
        """Store the document and say so, or that its message is known.

        Returns Busy if its group did not begin in time. Raises the exceptions of the database.
        """
        for _ in range(_MAX_RUNS):
            item = _Item(arrival)
            try:
                self._run(item)
            except Overloaded as fault:
                log.warning("inbound waits for its group", fault=fault.detail)
                return Busy()
            verdict = _verdict(item)
            if verdict is not None:
                return verdict
        return Busy()

    def _run(self, item: _Item) -> None:
        if self._grouping is not None and len(item.arrival.document) <= MAX_GROUPED_BYTES:
            self._grouping.run(item, self._work)
        else:
            self._read([item])
            self._store([item])

    # -- the steps of a group ----------------------------------------------------------------------

    def _read(self, items: Sequence[_Item]) -> None:
        """Read the documents whose message is not known, each message once."""
        if self._to_compute is None:
            _one_by_one_after_fault(self._read_together, items)
            return
        with self._to_compute():
            _one_by_one_after_fault(self._read_together, items)

    def _read_together(self, items: Sequence[_Item]) -> None:
        known = _known_among(items)
        first: dict[MessageKey, _Item] = {}
        for item in items:
            item.known = known.get(item.arrival.key)
            if item.known is None:
                first.setdefault(item.arrival.key, item)
        arrivals = [item.arrival for item in first.values()]
        read = arrival_storage.read_all(arrivals, self._computing, self._forms)
        for item, new in zip(first.values(), read, strict=True):
            item.new = new

    def _store(self, items: Sequence[_Item]) -> None:
        """Store what was read, in one commit."""
        new = [item for item in items if item.new is not None and item.fault is None]
        if new:
            _one_by_one_after_fault(_store_together, new)


def _known_among(items: Sequence[_Item]) -> dict[MessageKey, KnownMessage]:
    """The messages of these items that were stored before. An item whose id is that of another
    document, stored or of an earlier item, is given an own one."""
    known = arrival_storage.known_among(item.arrival for item in items)
    first = {key: found.sha256 for key, found in known.items()}
    reused = []
    for item in items:
        sha256 = item.arrival.sha256
        if first.setdefault(item.arrival.key, sha256) != sha256:
            item.arrival = arrival_storage.under_own_id(item.arrival)
            reused.append(item.arrival)
    return known | arrival_storage.known_among(reused) if reused else known


def _store_together(items: Sequence[_Item]) -> None:
    new = [item.new for item in items if item.new is not None]
    with db.writing() as connection:
        first = arrival_storage.add_all(connection, new)
    for item in items:
        item.is_first = item.new is not None and item.new.row.invoice_id in first


def _one_by_one_after_fault(
    step: Callable[[Sequence[_Item]], None], items: Sequence[_Item]
) -> None:
    """Do a step for all items; for each by itself, if one of several makes it fail.

    Without a database it is not done again: all items have the fault.
    """
    fault = _fault_of(step, items)
    if fault is None:
        return
    if len(items) == 1 or isinstance(fault, NO_DATABASE):
        _note(items, fault)
        return
    log.warning("documents stored one by one", count=len(items), fault=type(fault).__name__)
    for item in items:
        _note([item], _fault_of(step, [item]))


def _fault_of(step: Callable[[Sequence[_Item]], None], items: Sequence[_Item]) -> Exception | None:
    try:
        step(items)
    except Exception as fault:  # noqa: BLE001 - raised in the threads of the items
        return fault
    return None


def _note(items: Iterable[_Item], fault: Exception | None) -> None:
    for item in items:
        item.fault = fault


# -- in the thread of a message --------------------------------------------------------------------


def _verdict(item: _Item) -> InboundVerdict | None:
    """Stored or Duplicate; Busy if who stored the message has not committed. Raises its fault.

    None: another document of this id was stored meanwhile, so that this one is to be stored again.
    """
    if item.fault is not None:
        raise item.fault
    known = item.known
    if item.new is not None and item.is_first:
        return _stored(item.arrival, item.new)
    if known is None:
        known = arrival_storage.known(item.arrival)
    if known is None:
        return Busy()
    if known.sha256 != item.arrival.sha256:
        return None
    return Duplicate(known.invoice_id, known.receipt)


def _stored(arrival: Arrival, new: ReadArrival) -> Stored:
    log.info(
        "document received",
        invoice=new.row.invoice_id,
        transmission=new.row.transmission_id,
        tenant=new.row.tenant_id,
        light=new.light,
    )
    return Stored(new.row.invoice_id, arrival.receipt)
