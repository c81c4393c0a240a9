"""Dropping the bytes of documents and evidence whose retention has ended, and then their rows.

Only where the operator has switched it on. Retention ends with a year, so one walk a year visits
all invoices that are old enough. The transaction that empties a row, or takes a part from its
object, writes the proof: digest, size, kind, time and rule. An object that no part points to any
more is deleted after that commit; if the process is killed before, by the sweep.

Rows are switched on apart from bytes. An invoice leaves all tables in the transaction that drops
the last of its parts; its number by month stays (store/invoices/ended), and the audit log of its
tenant has one digest of all parts of the invoices that left together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.archive.objects import digest
from einvoice.compliance.retention import RetentionRule
from einvoice.config import Settings
from einvoice.observability import logging, metrics
from einvoice.services import believed_clock
from einvoice.services.account import audit
from einvoice.services.archive import retention_periods, upkeep, walks
from einvoice.services.archive.transfer import KINDS
from einvoice.services.archive.walks import Walk
from einvoice.store.archive import archive_walks, dropped, holds
from einvoice.store.archive.archive_objects import NewPart
from einvoice.store.archive.archive_walks import Candidate
from einvoice.store.archive.dropped import KeptArtefact, KeptInvoice
from einvoice.store.core import db
from einvoice.store.invoices import ended as stored
from einvoice.store.invoices.ended import EndedInvoice

log = logging.get(__name__)

MAX_INVOICES = 100  # of one transaction
YOUNGEST = timedelta(days=365)  # the shortest retention


def drop(settings: Settings, *, seconds: float, now: datetime | None = None) -> tuple[int, bool]:
    """Drop what is due, for at most so many seconds; how many parts, and whether more is left.

    Nothing where the clock cannot be believed. Raises StoreFault.
    """
    if not settings.archive_drop or not believed_clock.deletes():
        return 0, False
    now = now or clock.now()
    deadline, counts = clock.monotonic() + seconds, list[int]()

    def _visit(found: Sequence[Candidate]) -> None:
        counts.append(_drop([one.id for one in found], settings, now))

    def _is_over() -> bool:
        return clock.monotonic() > deadline

    left = [
        walks.go(walk, _visit, at_most=MAX_INVOICES, now=now, is_over=_is_over)
        for walk in _walks(now, settings.archive_drop_rows)
    ]
    return sum(counts), any(left)


def look_again() -> None:
    """Have the next drop look at all invoices: an operator asks for it."""
    with db.writing() as connection:
        begin_again(connection, clock.now())


def begin_again(connection: Connection, now: datetime) -> None:
    """Walk over all invoices once more: a hold has ended, or fewer years are asked for."""
    for rows in (False, True):
        for walk in _walks(now, rows):
            archive_walks.forget_walk(connection, walk.name)


def _walks(now: datetime, rows: bool) -> list[Walk]:
    """The walks of a year; rows that stayed until now have walks of their own."""
    name = f"{'rows' if rows else 'drop'}-{now.year}"
    return [
        Walk(name, end=now - YOUNGEST),
        walks.unordered(f"{name[0]}{now.year}-{archive_walks.UNORDERED}", now),
    ]


def _drop(invoice_ids: Sequence[str], settings: Settings, now: datetime) -> int:
    """Drop what is due of these invoices in one transaction; how many parts."""
    busy = archive_walks.busy(invoice_ids)
    with db.writing() as connection:
        invoices, evidence = dropped.lock(connection, [i for i in invoice_ids if i not in busy])
        free = _not_held(connection, invoices)
        ended = _Ended(free, settings.archive_retention_years, now.date())
        own = [one for one in invoices if one.id in ended.invoices]
        due = [one for one in evidence if ended.artefact(one)]
        in_rows = [*_in_rows(connection, own, ended), *_artefacts_in_rows(due, ended)]
        in_objects = {one.id: ended.invoices[one.id].words for one in own if one.archived_at}
        for each in due:
            if each.archived_at:
                in_objects[each.id] = ended.artefacts[each.id].words
        dropped.drop_in_rows(connection, in_rows, now)
        count = len(in_rows) + dropped.drop_in_objects(connection, in_objects, now)
        unused = dropped.begin_removals(connection, in_objects, now) if in_objects else []
        deleted = ended.whole(evidence) if settings.archive_drop_rows else set()
        if deleted:
            _delete_rows(connection, deleted)
        dropped.clear_copies(connection, ended.invoices.keys() - deleted)
    for found in unused:
        upkeep.remove(found, now)
    if count:
        metrics.archive_dropped(count)
        log.info("dropped after their retention", parts=count)
    return count


def _delete_rows(connection: Connection, invoice_ids: Collection[str]) -> None:
    """Delete invoices of which everything is dropped, and note it in the audit log."""
    invoices = stored.of(connection, invoice_ids)
    by_owner = groupby(sorted(invoices, key=_owner), key=_owner)
    for (tenant_id, environment), theirs in by_owner:
        left = list(theirs)
        detail = {
            "environment": environment,
            "documents": len(left),
            "first": clock.timestamp(min(one.created_at for one in left)),
            "last": clock.timestamp(max(one.created_at for one in left)),
            "sha256": stored.digest(connection, left),
        }
        with audit.of_operator():
            audit.record(connection, tenant_id, None, "documents.ended", left[0].id, detail)
    if invoices:
        stored.delete(connection, invoices)
        metrics.archive_ended(len(invoices))


def _owner(invoice: EndedInvoice) -> tuple[str, str]:
    return invoice.tenant_id, invoice.environment


def _not_held(connection: Connection, invoices: Sequence[KeptInvoice]) -> list[KeptInvoice]:
    """Those without a legal hold; none begins before the commit."""
    owners = {one.tenant_id for one in invoices}
    holds.lock_tenants(connection, owners)
    tenants, single = holds.held(connection, owners)
    return [one for one in invoices if one.tenant_id not in tenants and one.id not in single]


class _Ended:
    """The rules of invoices whose retention has ended, and of their artefacts."""

    def __init__(self, free: Sequence[KeptInvoice], default_years: int, today: date) -> None:
        self._free = {one.id: one for one in free}
        self._default_years, self._today = default_years, today
        self._of_plans = retention_periods.years_of_plans({one.tenant_id for one in free})
        self.artefacts: dict[str, RetentionRule] = {}
        self.invoices = {
            one.id: rule for one in free if (rule := self._rule(one, None)) is not None
        }

    def whole(self, artefacts: Iterable[KeptArtefact]) -> set[str]:
        """The invoices whose retention, and the retention of all their artefacts, has ended."""
        kept = {one.invoice_id for one in artefacts if one.id not in self.artefacts}
        return self.invoices.keys() - kept

    def artefact(self, one: KeptArtefact) -> bool:
        """Whether the retention of the artefact has ended; notes its rule."""
        invoice = self._free.get(one.invoice_id)
        rule = self._rule(invoice, one.retention_years) if invoice else None
        if rule is not None:
            self.artefacts[one.id] = rule
        return rule is not None

    def _rule(self, invoice: KeptInvoice, years: int | None) -> RetentionRule | None:
        given = years, self._default_years, self._of_plans.get(invoice.tenant_id)
        if retention_periods.keep_until(invoice, *given) >= self._today:
            return None
        return retention_periods.rule_of(invoice, *given)


def _in_rows(
    connection: Connection, own: Sequence[KeptInvoice], ended: _Ended
) -> Iterator[tuple[NewPart, str]]:
    """The parts of invoices whose bytes are in their rows, read one after the other."""
    for one in own:
        if one.archived_at is None:
            for part, content in dropped.bytes_of(connection, one.id).items():
                if content:
                    new = NewPart(
                        one.id, part, one.tenant_id, one.id, KINDS[part].code, digest(content),
                        len(content),
                    )  # fmt: skip
                    yield new, ended.invoices[one.id].words


def _artefacts_in_rows(due: Sequence[KeptArtefact], ended: _Ended) -> Iterator[tuple[NewPart, str]]:
    for one in due:
        if one.archived_at is None:
            yield one.part, ended.artefacts[one.id].words
