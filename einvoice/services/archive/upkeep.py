"""Deleting objects that nothing points to, and comparing all that are stored.

The row of each object is committed before the object is written. So an object whose writer was
killed has a row that is not `stored`; when nothing points to it after a day, its row becomes
`removing`, which nothing can be pointed to, then the object is deleted, then the row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.archive.objects import (
    ObjectDamaged,
    ObjectMissing,
    ObjectRetained,
    unpack,
)
from einvoice.observability import logging, metrics
from einvoice.store.archive import archive_objects, archive_walks
from einvoice.store.archive.archive_objects import ArchiveFigures, RegisteredObject
from einvoice.store.core.resources import resources

log = logging.get(__name__)

ORPHAN_AFTER = timedelta(days=1)
MAX_OBJECTS = 100  # of one sweep


def sweep(now: datetime | None = None) -> int:
    """Delete objects that nothing points to; how many. Raises StoreFault."""
    now = now or clock.now()
    before, removed = now - ORPHAN_AFTER, 0
    for found in archive_objects.unfinished(before, MAX_OBJECTS):
        if archive_objects.begin_removal(found, before, now):
            removed += remove(found, now)
    if removed:
        log.info("objects removed that nothing points to", objects=removed)
    return removed


def remove(found: RegisteredObject, now: datetime) -> bool:
    """Delete an object that is `removing`; False if the store keeps it. Raises StoreFault."""
    try:
        resources().archive.named(found.store).delete(found.name.key)
    except ObjectRetained:
        archive_objects.postpone_removal(found, now)
        return False
    archive_objects.end_removal(found)
    return True


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """The objects by store and state, and the invoices that have to be looked at again."""

    figures: list[ArchiveFigures]
    put_off: int


def status() -> ArchiveStatus:
    """The sums of the archive. Reads the rows of all objects."""
    return ArchiveStatus(archive_objects.figures(), archive_walks.count_later())


@dataclass(slots=True)
class Verified:
    """How many objects were read and compared, their bytes, and how many of them failed."""

    objects: int = 0
    size: int = 0
    faults: int = 0


def verify(report: Callable[[str, str], None], limit: int | None = None) -> Verified:
    """Read all stored objects and compare them with their SHA-256; at most `limit` of them.

    `report` is called with key and fault (missing, or what is damaged). Raises StoreFault.
    """
    done, position = Verified(), ("", "")
    while limit is None or done.objects < limit:
        rest = MAX_OBJECTS if limit is None else limit - done.objects
        found = archive_objects.stored_after(position, min(MAX_OBJECTS, rest))
        if not found:
            break
        for each in found:
            _compare(each, done, report)
        position = found[-1].id
    return done


def _compare(one: RegisteredObject, done: Verified, report: Callable[[str, str], None]) -> None:
    done.objects += 1
    done.size += one.size
    try:
        unpack(resources().archive.named(one.store).get(one.name.key), one.name, one.size)
    except ObjectMissing:
        fault, message = "missing", "missing"
    except ObjectDamaged as damage:
        fault, message = "damaged", str(damage)
    else:
        return
    done.faults += 1
    metrics.archive_fault(fault)
    log.error("archive not readable", fault=fault, key=one.name.key)
    report(one.name.key, message)
