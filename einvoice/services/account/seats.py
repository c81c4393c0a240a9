"""The people who may use an account, where its plan limits them (domain/plans.Plan.users).

A person takes a seat with the first request, and has it until 30 days have passed without one, or
until somebody ends the sessions of the person. Seats are in the row of the tenant, by a digest of
the subject of the sessions, with the time of a request of the last day (Unix seconds).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta

from einvoice import clock
from einvoice.domain.errors import NotInPlan
from einvoice.domain.plans import Plan
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.store.core import db

FREE_AFTER, NOTED_FOR = timedelta(days=30), timedelta(days=1)


def take(tenant_id: str, subject: str, caches: Caches) -> None:
    """Let a person use the account, if there is a seat. Raises NotInPlan, NotFound, AccountClosed.

    A person who has a seat keeps it, also where the plan has fewer by now.
    """
    tenant = tenants.get(tenant_id, caches)
    most = Plan.of(tenant.plan).users
    if most is None:
        return
    seat, now = seat_of(subject), clock.now().timestamp()
    if (tenant.seats or {}).get(seat, 0.0) > now - NOTED_FOR.total_seconds():
        return
    with db.writing_session() as database:
        row = tenants.locked(database, tenant_id)
        taken = _taken(row.seats, now)
        if seat not in taken and len(taken) >= most:
            raise _full(most)
        row.seats = taken | {seat: now}
    caches.tenants.drop(tenant_id)


def count(seats: Mapping[str, float] | None) -> int:
    """How many people have a seat now."""
    return len(_taken(seats, clock.now().timestamp()))


def without(seats: Mapping[str, float] | None, subject: str) -> dict[str, float] | None:
    """The seats without the person's."""
    if seats is None:
        return None
    return {seat: at for seat, at in seats.items() if seat != seat_of(subject)}


def seat_of(subject: str) -> str:
    """The digest by which a person's seat is kept."""
    return hashlib.sha256(subject.encode()).hexdigest()[:16]


def _taken(seats: Mapping[str, float] | None, now: float) -> dict[str, float]:
    oldest = now - FREE_AFTER.total_seconds()
    return {seat: at for seat, at in (seats or {}).items() if at > oldest}


def _full(most: int) -> NotInPlan:
    people = "person" if most == 1 else "people"
    return NotInPlan(
        f"Your plan has {most:,} {people}, and as many use this account: a seat is free when the "
        f"access of one of them is ended, or after {FREE_AFTER.days} days without use."
    )
