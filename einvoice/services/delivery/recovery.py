"""Recovery after a restore of the database to an earlier moment (decisions 27).

Whatever the restored database believes not to be sent may have been sent after the moment. So all
deliveries are held, each network is asked what became of these documents, and what no network can
say waits for an operator. Then deliveries go on. Nothing is submitted meanwhile; every step may be
repeated.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.errors import Conflict
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import Repeat
from einvoice.services.account import audit
from einvoice.services.delivery import transmit
from einvoice.services.runtime import Runtime
from einvoice.store.core import db
from einvoice.store.installation import recoveries
from einvoice.store.installation.recoveries import RecoveryRecord as RecoveryRecord
from einvoice.store.installation.recoveries import UncertainCount

BATCH = 100
CLOCKS = timedelta(minutes=2)  # between the service's machines and the operator's
AUDIT_BATCH = 500

Progress = Callable[[int, int], None]  # asked, of how many


@dataclass(frozen=True, slots=True)
class Plan:
    """The actions of a recovery for the uncertain documents of one access point.

    asked     the network is asked what became of them
    repeated  submitted again, because the network recognises repetitions
    operator  they wait for an operator
    waiting   of those asked: later, since they wait for a connection or for another document
    """

    kind: str
    access_point: str
    environment: str
    asked: int = 0
    repeated: int = 0
    operator: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """A finished recovery: what was planned, and of how many the network has not said it yet."""

    plans: Sequence[Plan]
    unanswered: int


# -- holding ---------------------------------------------------------------------------------------


def is_held() -> bool:
    """Whether deliveries are held."""
    return recoveries.is_held()


def held() -> RecoveryRecord | None:
    """The hold that lasts; None if deliveries are not held."""
    return recoveries.held()


def hold() -> RecoveryRecord:
    """Hold all deliveries: no relay hands work out, and no job that is queued or running settles.

    A recovery that lasts may belong to an earlier restore, from the backup: this is another.
    """
    now = clock.now()
    found = RecoveryRecord(str(ids.time_ordered(now)), now, None)
    with db.writing() as connection:
        recoveries.hold(connection, found.id, now)
    return found


def release() -> None:
    """End the hold without asking the networks. Raises Conflict if a recovery has begun."""
    found = recoveries.held()
    if found is not None and found.since is not None:
        raise Conflict(f"A recovery since {clock.timestamp(found.since)} has begun: finish it.")
    with db.writing() as connection:
        recoveries.finish(connection, None, clock.now())


# -- recovering ------------------------------------------------------------------------------------


def plans(since: datetime, points: AccessPoints, *, repeat: bool) -> list[Plan]:
    """The actions of a recovery since then; changes nothing."""
    until = _until(recoveries.held(), since)
    counts = recoveries.count_uncertain(until)
    return [_plan(count, points, repeat=repeat) for count in counts]


def _until(found: RecoveryRecord | None, since: datetime) -> datetime:
    """Until when documents were accepted that are uncertain: the hold, or the moment if it is
    later, as it is if the hold is an earlier one, which the restored database had already."""
    return clock.now() if found is None else max(found.held_at, since + CLOCKS)


def _plan(count: UncertainCount, points: AccessPoints, *, repeat: bool) -> Plan:
    plan = Plan(count.kind, count.access_point, count.environment)
    capabilities = points.capabilities_of(count.access_point)
    if capabilities.has_status:
        return replace(plan, asked=count.count, waiting=count.waiting)
    if repeat and capabilities.repeat is Repeat.IDEMPOTENT:
        return replace(plan, repeated=count.count)
    return replace(plan, operator=count.count)


def recover(since: datetime, runtime: Runtime, progress: Progress, *, repeat: bool) -> Report:
    """Find out what became of all uncertain documents, and end the hold.

    since   the moment to which the database was restored
    repeat  submit again where the network recognises repetitions, instead of asking an operator

    Raises Conflict if deliveries are not held. After an interruption the next call goes on.
    """
    found = recoveries.held()
    if found is None:
        raise Conflict("Deliveries are not held: run `einvoice recover --hold` first.")
    planned = plans(since, runtime.access_points, repeat=repeat)
    _begin(found, since)
    found = replace(found, held_at=_until(found, since))
    for plan in planned:
        _mark(found, plan, since)
    unanswered = _ask(found, runtime, progress)
    with db.writing() as connection:
        report = {"documents": sum(p.asked + p.repeated + p.operator for p in planned)}
        recoveries.finish(connection, report, clock.now())
    return Report(planned, unanswered)


def _begin(found: RecoveryRecord, since: datetime) -> None:
    """Note the moment in the tenants' logs, skip numbers of events, and make everything due; once.

    Leases of an interrupted recovery are ended each time.
    """
    with db.writing() as connection:
        recoveries.end_leases(connection)
        if not recoveries.begin(connection, found.id, since):
            return
        recoveries.skip_event_numbers(connection)
        recoveries.make_due(connection, since, found.held_at, clock.now())
    tenants = recoveries.open_tenants()
    for start in range(0, len(tenants), AUDIT_BATCH):
        with db.writing() as connection:
            for tenant in tenants[start : start + AUDIT_BATCH]:
                detail = {"since": clock.timestamp(since)}
                audit.record(connection, tenant, None, "database.restored", found.id, detail)


def _mark(found: RecoveryRecord, plan: Plan, since: datetime) -> None:
    """Make the documents `unknown`, in groups; those for an operator need attention."""
    if plan.repeated:
        return
    scope = UncertainCount(plan.kind, plan.access_point, plan.environment, 0, 0)
    reason = f"the database was restored to {clock.timestamp(since)}: it may have been sent later"
    for_operator = plan.operator > 0
    while True:
        with db.writing() as connection:
            marked = recoveries.mark(
                connection, scope, found.held_at, reason, BATCH, clock.now(), attention=for_operator
            )
            if for_operator:
                _record(connection, marked, plan, found)
        if marked.total() < BATCH:
            return


def _record(
    connection: Connection, marked: Counter[str], plan: Plan, found: RecoveryRecord
) -> None:
    for tenant, count in marked.items():
        detail = {"accessPoint": plan.access_point, "count": count}
        if tenant:
            audit.record(connection, tenant, None, "transmission.uncertain", found.id, detail)


def _ask(found: RecoveryRecord, runtime: Runtime, progress: Progress) -> int:
    """Ask the networks, once for each document; how many were not answered."""
    start, asked = clock.now(), 0
    total = recoveries.count_to_ask(found.held_at, start)
    for count in _asking(found, start, runtime):
        asked += count
        progress(asked, max(asked, total))
    later = start + timedelta(days=365)
    return recoveries.count_to_ask(found.held_at, later)


def _asking(found: RecoveryRecord, start: datetime, runtime: Runtime) -> Iterator[int]:
    lease = clock.lasting(timedelta(seconds=runtime.settings.queue_lease))
    while True:
        token, until = uuid.uuid4().hex, clock.now() + lease
        claimed = recoveries.claim_to_ask(found.held_at, start, token, until, BATCH)
        if not claimed:
            return
        transmit.advance(claimed, token, runtime)
        yield len(claimed)
