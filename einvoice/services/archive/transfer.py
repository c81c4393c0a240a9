"""Moving documents, originals, PDFs and evidence from rows to the object store.

An object is registered, written, read back and compared; then one transaction points the rows to
their objects and clears their bytes. Whatever is killed in between is done again: until that commit
the bytes are in their rows. Walks visit the invoices in the order of their ids, which is that of
time, and remember how far they came; invoices that are not final are looked at again later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.archive.objects import (
    ObjectDamaged,
    ObjectMissing,
    ObjectRetained,
    ObjectStore,
    digest,
    pack,
    packed_as,
    unpack,
)
from einvoice.archive.stores import ObjectStores
from einvoice.config import Settings
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import ArtefactKind
from einvoice.observability import logging, metrics
from einvoice.services.archive import retention_periods, walks
from einvoice.services.archive.walks import Walk
from einvoice.store.archive import archive_objects, archive_walks
from einvoice.store.archive.archive_objects import (
    NewObject,
    NewPart,
    ObjectId,
    RegisteredObject,
    Removing,
)
from einvoice.store.archive.archive_walks import Candidate, InvoiceBytes
from einvoice.store.archive.archived import ObjectState, Part
from einvoice.store.core import db
from einvoice.store.core.resources import resources

log = logging.get(__name__)

MAX_INVOICES = 200  # of one step of a walk
MAX_IN_COMMIT = 50
MAX_BYTES = 32 * 1024 * 1024  # in memory; a larger invoice is moved by itself
WRITERS = 8  # objects written at the same time
LARGE_AFTER = timedelta(hours=1)
LOOK_AGAIN = timedelta(days=1)
# The parts of an invoice, as artefacts.
KINDS = {
    Part.ORIGINAL: kinds.ORIGINAL,
    Part.DOCUMENT: kinds.UBL,
    Part.NETWORK_DOCUMENT: kinds.NETWORK_DOCUMENT,
}


@dataclass(slots=True)
class Moved:
    """The numbers of moved invoices, parts of them and of their artefacts, and bytes."""

    invoices: int = 0
    parts: int = 0
    size: int = 0
    put_off: int = 0

    def add(self, other: Moved) -> None:
        """Add up."""
        self.invoices += other.invoices
        self.parts += other.parts
        self.size += other.size
        self.put_off += other.put_off


# Whether an invoice is moved now, by its candidate and the bytes of its artefacts.
_IsDue = Callable[[Candidate, int], bool]


def move(settings: Settings, *, seconds: float, now: datetime | None = None) -> tuple[Moved, bool]:
    """Move what is due for at most so many seconds; what was moved, and whether more is left.

    Without a store that is written to, nothing is moved. Raises StoreFault.
    """
    stores = resources().archive
    if stores.written is None:
        return Moved(), False
    now = now or clock.now()
    mover = _Mover(settings, stores, stores.written, clock.monotonic() + seconds)
    left = mover.move_put_off(now)
    for walk, is_due in _walks(settings, now):
        left = mover.walk(walk, is_due, now) or left
    if mover.moved.parts:
        log.info("moved to the archive", parts=mover.moved.parts, bytes=mover.moved.size)
    return mover.moved, left


def _walks(settings: Settings, now: datetime) -> list[tuple[Walk, _IsDue]]:
    oldest = now - timedelta(days=settings.archive_after_days)

    def _is_large(one: Candidate, artefacts: int) -> bool:
        return one.size + artefacts >= settings.archive_large_bytes

    def _is_worth_it(one: Candidate, artefacts: int) -> bool:
        return one.size + artefacts >= settings.archive_min_bytes

    return [
        (Walk("by-size", end=now - LARGE_AFTER), _is_large),
        (Walk("by-age", end=oldest), _is_worth_it),
        (walks.unordered(archive_walks.UNORDERED, now), _is_worth_it),
    ]


@dataclass(slots=True)
class _Mover:
    settings: Settings
    stores: ObjectStores
    store: ObjectStore
    deadline: float
    moved: Moved = field(default_factory=Moved)

    @property
    def out_of_time(self) -> bool:
        return clock.monotonic() > self.deadline

    def move_put_off(self, now: datetime) -> bool:
        """Move invoices that were put off until now; whether more are left."""
        while not self.out_of_time:
            found = archive_walks.due_later(now, MAX_INVOICES)
            self._move(found, now)
            if len(found) < MAX_INVOICES:
                return False
        return True

    def walk(self, walk: Walk, is_due: _IsDue, now: datetime) -> bool:
        """Go on with a walk; whether more is left. Nothing while another process walks."""

        def _visit(found: Sequence[Candidate]) -> None:
            self._move(self._due(walk, is_due, found, now), now)

        return walks.go(
            walk, _visit, at_most=MAX_INVOICES, now=now, is_over=lambda: self.out_of_time
        )

    def _due(
        self, walk: Walk, is_due: _IsDue, found: Sequence[Candidate], now: datetime
    ) -> list[Candidate]:
        """The candidates to move now; too young ones of an unordered walk are put off."""
        open_ = [one for one in found if one.archived_at is None]
        sizes = archive_walks.artefact_sizes([one.id for one in open_]) if open_ else {}
        due = [one for one in open_ if is_due(one, sizes.get(one.id, 0))]
        age = timedelta(days=self.settings.archive_after_days)
        young = [one for one in due if walk.end is None and one.created_at + age > now]
        with db.writing() as connection:
            for one in young:
                archive_walks.put_off(connection, [one.id], one.created_at + age)
        return [one for one in due if one not in young]

    def _move(self, found: Sequence[Candidate], now: datetime) -> None:
        """Move invoices with their artefacts; those that are in work are put off."""
        if not found:
            return
        waiting = archive_walks.busy([one.id for one in found])
        self._put_off(waiting, now)
        final = [one for one in found if one.id not in waiting]
        for chunk in _chunks(final, archive_walks.artefact_sizes([one.id for one in final])):
            self._move_chunk(chunk, now)

    def _put_off(self, ids: Collection[str], now: datetime) -> None:
        if ids:
            self.moved.put_off += len(ids)
            with db.writing() as connection:
                archive_walks.put_off(connection, ids, now + LOOK_AGAIN)

    def _move_chunk(self, ids: Sequence[str], now: datetime) -> None:
        content = _content_of(ids, self.settings.archive_retention_years)
        try:
            objects = self._written(content, now)
            with db.writing_by_key() as connection:
                parts = _point(connection, content, objects, now)
                archive_walks.not_put_off(connection, ids)
        except (Removing, ObjectDamaged) as fault:
            log.warning("not moved to the archive", invoices=len(ids), reason=str(fault))
            self._put_off(ids, now)
            return
        size = sum(part.size for part in parts)
        self.moved.add(Moved(len({part.invoice_id for part in parts}), len(parts), size))
        metrics.archive_moved(len(parts), size)

    def _written(self, content: _Content, now: datetime) -> list[RegisteredObject]:
        """Register, write and compare the objects of the content, several at a time.

        Raises StoreFault, ObjectDamaged and Removing.
        """
        registered = archive_objects.register(
            [self._new(content, each) for each in content.contents], now
        )
        for each in registered:
            if each.state == ObjectState.REMOVING:
                raise Removing(each.sha256)
        with ThreadPoolExecutor(WRITERS, thread_name_prefix="archive") as pool:
            list(pool.map(lambda each: self._write(each, content.contents[each.id]), registered))
        return registered

    def _new(self, content: _Content, key: ObjectId) -> NewObject:
        encoding, packed = pack(content.contents[key])
        return NewObject(
            tenant_id=key[0],
            sha256=key[1],
            store=self.store.name,
            encoding=encoding,
            size=len(content.contents[key]),
            stored_size=len(packed),
            retain_until=content.retain_until[key],
        )

    def _write(self, one: RegisteredObject, content: bytes) -> None:
        """Write an object if it is not there, and compare what the store returns.

        What is there and damaged is written again. Raises StoreFault and ObjectDamaged.
        """
        store = self.stores.named(one.store)
        packed = packed_as(one.encoding, content)
        store.put(one.name.key, packed, one.retain_until)
        try:
            unpack(store.get(one.name.key), one.name, len(content))
        except (ObjectMissing, ObjectDamaged):
            metrics.archive_fault("damaged")
            log.error("object written again", tenant=one.tenant_id, sha256=one.sha256)
            _replace(store, one, packed)
            unpack(store.get(one.name.key), one.name, len(content))


def _replace(store: ObjectStore, one: RegisteredObject, packed: bytes) -> None:
    try:
        store.delete(one.name.key)
    except ObjectRetained as fault:
        raise ObjectDamaged(f"{one.name.key} is damaged, and the store keeps it") from fault
    store.put(one.name.key, packed, one.retain_until)


def _point(
    connection: Connection, content: _Content, objects: Sequence[RegisteredObject], now: datetime
) -> list[NewPart]:
    """Point the rows to their objects and clear their bytes; the parts that were moved.

    Raises Removing.
    """
    archive_objects.confirm(connection, objects, now)
    cleared = archive_objects.clear_invoices(connection, content.invoices, now)
    cleared |= archive_objects.clear_artefacts(connection, content.artefacts, now)
    parts = [part for part in content.parts if part.owner_id in cleared]
    archive_objects.add_parts(connection, parts, now)
    return parts


@dataclass(slots=True)
class _Content:
    """A group to move: parts, their bytes by object, and until when each is kept."""

    parts: list[NewPart] = field(default_factory=list)
    contents: dict[ObjectId, bytes] = field(default_factory=dict)
    retain_until: dict[ObjectId, date | None] = field(default_factory=dict)
    invoices: list[str] = field(default_factory=list)
    artefacts: list[str] = field(default_factory=list)

    def add(self, part: NewPart, content: bytes, until: date | None) -> None:
        """Add a part; of the same bytes the later date holds."""
        key = (part.tenant_id, part.sha256)
        self.parts.append(part)
        self.contents[key] = content
        known = self.retain_until.get(key)
        self.retain_until[key] = until if known is None or until is None else max(known, until)


def _content_of(invoice_ids: Sequence[str], default_years: int) -> _Content:
    found = _Content()
    owners, evidence = archive_walks.bytes_of(invoice_ids)
    of_plans = retention_periods.years_of_plans({owner.tenant_id for owner in owners})
    for owner in owners:
        if owner.archived_at is None:
            found.invoices.append(owner.id)
            for part, kind, content in _parts_of(owner):
                sha256 = digest(content)
                new = NewPart(
                    owner.id, part, owner.tenant_id, owner.id, kind.code, sha256, len(content)
                )
                years = None, default_years, of_plans.get(owner.tenant_id)
                found.add(new, content, retention_periods.keep_until(owner, *years))
    by_id = {owner.id: owner for owner in owners}
    for one in evidence:
        if digest(one.content) != one.sha256:
            log.error("evidence is not what was stored", artefact=one.id, sha256=one.sha256)
            metrics.archive_fault("damaged")
            continue
        found.artefacts.append(one.id)
        new = NewPart(
            one.id, Part.CONTENT, one.tenant_id, one.invoice_id, one.kind, one.sha256,
            len(one.content),
        )  # fmt: skip
        until = retention_periods.keep_until(
            by_id[one.invoice_id], one.retention_years, default_years, of_plans.get(one.tenant_id)
        )
        found.add(new, one.content, until)
    return found


def _parts_of(owner: InvoiceBytes) -> Iterator[tuple[Part, ArtefactKind, bytes]]:
    for part, kind in KINDS.items():
        content: bytes | None = getattr(owner, part.value)
        if content:
            yield part, kind, content


def _chunks(found: Sequence[Candidate], artefacts: Mapping[str, int]) -> Iterator[list[str]]:
    """Ids of invoices that are moved in one commit: their bytes, with the bytes of artefacts,
    fit into memory together."""
    chunk: list[str] = []
    size = 0
    for one in found:
        more = one.size + artefacts.get(one.id, 0)
        if chunk and (size + more > MAX_BYTES or len(chunk) == MAX_IN_COMMIT):
            yield chunk
            chunk, size = [], 0
        chunk.append(one.id)
        size += more
    if chunk:
        yield chunk
