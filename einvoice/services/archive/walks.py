"""Walks over all invoices in the order of their ids, which is that of time.

A walk remembers how far it has come, and one process at a time goes on with it. Invoices get behind
its position in two ways: they come from another installation with their ids (`visit_again`), or a
clock was ahead, which leaves the position in the future: such a walk begins again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.store.archive import archive_walks
from einvoice.store.archive.archive_walks import Candidate
from einvoice.store.core import db

LEASE = timedelta(minutes=5)
CLOCKS_APART = timedelta(days=1)  # of machines that walk in turns, at most


@dataclass(frozen=True, slots=True)
class Walk:
    """One pass over the invoices by id.

    start  the id after which it begins
    end    when those that it visits were made at the latest; None: it goes to the last id
    """

    name: str
    start: str = ""
    end: datetime | None = None


def bound(moment: datetime) -> str:
    """The lower bound of ids made at this moment and later (domain/ids)."""
    digits = f"{max(0, round(moment.timestamp() * 1000)):012x}"
    return f"{digits[:8]}-{digits[8:]}"


def unordered(name: str, now: datetime) -> Walk:
    """The walk over ids of earlier releases, which are not ordered by time: nearly all are above
    those of today."""
    return Walk(name, start=bound(now + timedelta(days=1)))


def go(
    walk: Walk,
    visit: Callable[[Sequence[Candidate]], None],
    *,
    at_most: int,
    now: datetime,
    is_over: Callable[[], bool],
) -> bool:
    """Go on with a walk until its time is over, so many invoices at once; whether more is left.
    Nothing while another process walks."""
    token, until = uuid.uuid4().hex, None if walk.end is None else bound(walk.end)
    position = archive_walks.begin_walk(
        walk.name, walk.start, token=token, now=now, lease=clock.lasting(LEASE)
    )
    if position is None:
        return False
    if walk.end is not None and position >= bound(walk.end + CLOCKS_APART):
        position = walk.start
    try:
        while not is_over():
            found = archive_walks.after(position, until, at_most)
            if not found:
                return False
            visit(found)
            position = found[-1].id
            with db.writing() as connection:
                lease_until = clock.now() + clock.lasting(LEASE)
                if not archive_walks.advance_walk(
                    connection, walk.name, token, position, lease_until
                ):
                    return True
        return True
    finally:
        archive_walks.end_walk(walk.name, token)


def visit_again(connection: Connection, tenant_id: str) -> None:
    """Have all walks visit the invoices of a tenant that came from another installation."""
    first = archive_walks.first_of(connection, tenant_id)
    if first is not None:
        archive_walks.rewind(connection, bound(first))
