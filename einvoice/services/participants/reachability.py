"""Looking up in the background whether the network reaches a directory entry's participant.

The work is an outbox row, inserted in the transaction that sets the participant. It may run twice:
a result is stored only while the entry has the same participant. If the network's directory does
not answer, the lookup is repeated for a day with growing delays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.claims import ClaimStatus
from einvoice.domain.directory import EntryKind, Reachability
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, RequestRefused
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import AccessPoint, Registration
from einvoice.services.participants import lookup
from einvoice.services.participants.routing import directories_of
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import participants
from einvoice.store.core import db
from einvoice.store.directory import checks
from einvoice.store.directory.checks import ReachabilityCheck

# A large import must not delay polls and retries, which share the lane.
LOOKUPS_PER_SECOND = 20
MAX_CONCURRENT_LOOKUPS = 8
MIN_RETRY_DELAY, MAX_RETRY_PERIOD = timedelta(seconds=30), timedelta(days=1)


def plan_lookups(
    connection: Connection, tenant_id: str, entry_ids: Iterable[str], now: datetime
) -> None:
    """Insert a lookup of each entry, spread over time, inside the caller's transaction."""
    spread = (
        (entry, now + timedelta(seconds=n // LOOKUPS_PER_SECOND))
        for n, entry in enumerate(entry_ids)
    )
    outbox.enqueue_many(
        connection, spread, kind=outbox.LOOKUP, lane=outbox.CHORES, tenant_id=tenant_id
    )


def environment_of(
    tenant_id: str, participant: ParticipantId | None, points: AccessPoints
) -> Environment:
    """The environment in which a directory's participant is looked up; entries have none.

    Live if the tenant owns a live participant id; otherwise, and for participants of the sandbox,
    the sandbox.
    """
    live = any(
        owned.environment == Environment.LIVE and owned.status == ClaimStatus.VERIFIED
        for owned in participants.owned(tenant_id)
    )
    if live and not (participant and points.reserved(participant)):
        return Environment.LIVE
    return Environment.TEST


@dataclass(frozen=True, slots=True)
class _Query:
    """The query about an entry.

    point               the access point whose directory is asked
    is_reached_without  whether a network without a directory reaches the participant
    invoice_type        of the network with the directory
    """

    check: ReachabilityCheck
    participant: ParticipantId
    environment: Environment
    point: AccessPoint | None = None
    is_reached_without: bool = False
    invoice_type: DocumentTypeId | None = None


@dataclass(frozen=True, slots=True)
class _QueryResult:
    query: _Query
    status: Reachability
    registration: Registration | None = None
    silent: bool = False  # the directory did not answer


def check(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Carry out the lookups among the rows that the token leases."""
    now = clock.now()
    held = checks.held(outbox_ids, token, now)
    _drop(outbox_ids, held, token, now)
    asked = [_query_for(c, c.peppol_id, runtime) for c in held if c.peppol_id]
    margin = runtime.settings.lease_margin
    for start in range(0, len(asked), MAX_CONCURRENT_LOOKUPS):
        some = _still_held(asked[start : start + MAX_CONCURRENT_LOOKUPS], token, margin)
        if some:
            with ThreadPoolExecutor(len(some)) as pool:
                _write(list(pool.map(_ask, some)), token)


def _query_for(found: ReachabilityCheck, peppol_id: str, runtime: Runtime) -> _Query:
    participant, points = ParticipantId.parse(peppol_id), runtime.access_points
    environment = environment_of(found.tenant_id, participant, points)
    try:
        asked = directories_of(participant, environment, points)
    except RequestRefused:  # no access point serves it, or several have a directory
        return _Query(found, participant, environment)
    point, without = asked.point, bool(asked.reachable_by)
    if point is None:
        return _Query(found, participant, environment, None, without)
    profile = runtime.forms.of(point.network).profile_for(DocumentKind.INVOICE)
    kind = profile.type_of(DocumentKind.INVOICE)
    return _Query(found, participant, environment, point, without, kind)


def _ask(query: _Query) -> _QueryResult:
    """Query the directory, with no transaction open; a network without one reaches everybody."""
    reached = Reachability.REACHABLE if query.is_reached_without else None
    if query.point is None:
        return _QueryResult(query, reached or Reachability.UNKNOWN)
    try:
        found = lookup.query_directory(query.point, query.participant)
    except AccessPointUnavailable:
        return _QueryResult(query, reached or Reachability.UNKNOWN, silent=True)
    return _QueryResult(query, reached or _status(query, found), found)


def _status(query: _Query, found: Registration | None) -> Reachability:
    """Customers must accept invoices; suppliers need only be registered."""
    if found is None:
        return Reachability.NOT_REACHABLE
    if query.check.kind.must_receive_invoices and not _receives(query.invoice_type, found):
        return Reachability.NOT_REACHABLE
    return Reachability.REACHABLE


def _receives(invoice_type: DocumentTypeId | None, found: Registration) -> bool:
    registered = [str(each) for each in found.document_types]
    return invoice_type is not None and invoice_type.registered_as(registered) is not None


def _still_held(asked: Sequence[_Query], token: str, margin: float) -> list[_Query]:
    """The queries whose lease has not ended, extended by the time limits and `margin` seconds."""
    points = [query.point for query in asked if query.point]
    longest = max((point.capabilities.timeout for point in points), default=0.0)
    with db.writing() as connection:
        now = clock.now()
        until = now + clock.lasting(timedelta(seconds=longest + margin))
        ids = [query.check.outbox_id for query in asked]
        held = outbox.extend(connection, ids, token, until, now)
    return [query for query in asked if query.check.outbox_id in held]


def _write(results: Sequence[_QueryResult], token: str) -> None:
    """Store the references to send by; then the statuses, together with the end of the work."""
    for result in results:
        query = result.query
        point = query.point
        if point is not None and not result.silent:
            lookup.store_answer(
                query.participant, point, result.registration,
                query.check.tenant_id, query.environment,
            )  # fmt: skip
    now = clock.now()
    by_kind: dict[EntryKind, list[tuple[str, str, str]]] = defaultdict(list)
    for result in results:
        found, participant = result.query.check, result.query.participant
        by_kind[found.kind].append((found.entry_id, participant.canonical, result.status.value))
    next_try = {result.query.check.outbox_id: _next(result, now) for result in results}
    again = [(row, outbox.CHORES, at) for row, at in next_try.items() if at is not None]
    with db.writing_by_key() as connection:
        for kind, statuses in by_kind.items():
            checks.write(connection, kind, statuses, now)
        outbox.reschedule(connection, again, token)
        outbox.complete(connection, [row for row, at in next_try.items() if at is None], token)


def _next(result: _QueryResult, now: datetime) -> datetime | None:
    """When to repeat an unanswered lookup: after as long as it has been unanswered."""
    asked_at = result.query.check.asked_at
    if not result.silent or asked_at is None or now - asked_at > MAX_RETRY_PERIOD:
        return None
    return now + max(MIN_RETRY_DELAY, now - asked_at)


def _drop(
    outbox_ids: Sequence[int], held: Sequence[ReachabilityCheck], token: str, now: datetime
) -> None:
    """Delete the lookups of entries that were deleted or have no participant any more."""
    due = {found.outbox_id for found in held if found.peppol_id}
    with db.writing() as connection:
        checks.drop(connection, [row for row in outbox_ids if row not in due], token, now)
