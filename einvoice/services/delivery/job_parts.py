"""The parts of a job: its transmissions by access point and connection, and which of them wait."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.network.connections import sending_by_connection
from einvoice.network.types import AccessPoint, NotSent
from einvoice.observability import logging
from einvoice.services.connections import opened_accounts, parked_documents
from einvoice.services.connections.opened_accounts import Account
from einvoice.services.delivery import outcomes, settlement
from einvoice.services.delivery.following import Following
from einvoice.services.delivery.settlement import SettledWork
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import parked
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Work

log = logging.get(__name__)

MAX_LEASE_EXTENSION = timedelta(minutes=5)


@dataclass(slots=True)
class Turn:
    """The time in which a job begins calls. The first one is always made, so that work goes on.

    until  of the machine's clock
    """

    until: float = math.inf
    _begun: bool = False

    def begins(self) -> bool:
        """Whether one more call may begin."""
        is_first, self._begun = not self._begun, True
        return is_first or clock.monotonic() <= self.until


@dataclass(frozen=True, slots=True)
class JobPart:
    """The part of a job at one access point, and for one connection.

    point    what is called: the access point, or that as seen by the account
    token    of the lease
    account  the connection, and `unbound` the access point, where it sends by connections
    following  with what the job goes on; None: it does not
    turn     the time of the job
    """

    point: AccessPoint
    token: str
    runtime: Runtime
    account: Account | None = None
    unbound: AccessPoint | None = None
    following: Following | None = None
    turn: Turn = field(default_factory=Turn)

    @property
    def offered(self) -> AccessPoint:
        """The access point as its plugin offers it."""
        return self.point if self.unbound is None else self.unbound

    @property
    def margin(self) -> timedelta:
        """How long a lease lasts beyond the access point's timeout, by the clock."""
        return clock.lasting(timedelta(seconds=self.runtime.settings.lease_margin))

    @property
    def threads(self) -> ThreadPoolExecutor:
        return self.runtime.threads.of(self.point)

    def write(self, settled: Sequence[SettledWork]) -> None:
        """Store verdicts under the lease, and before that what they say about the account."""
        if self.account is not None:
            for verdict in (one.verdict for one in settled):
                if verdict.blocked is not None:
                    self.account.block(verdict.blocked)
                elif verdict.throttled is not None:
                    self.account.throttle(verdict.throttled)
        settlement.write(settled, self.token, self.runtime.access_points)


def by_connection(
    offered: JobPart, works: Sequence[Work]
) -> Iterator[tuple[JobPart, Sequence[Work]]]:
    """The parts of a job at one access point: each has the transmissions of one connection.

    Those whose connection cannot be used are parked, or settled if it is revoked. Messages without
    an invoice that have no connection are sent by the access point itself.
    """
    point = sending_by_connection(offered.point)
    if point is None:
        yield offered, works
        return
    groups: dict[str | None, list[Work]] = defaultdict(list)
    for work in works:
        groups[work.connection_id].append(work)
    for connection_id, group in groups.items():
        if connection_id is None:
            messages = [work for work in group if work.kind is not None]
            if messages:
                yield offered, messages
            # Documents that were accepted before the access point needed accounts.
            others = [work for work in group if work.kind is None]
            _retry(offered, others, "the document has no connection", "no-connection")
            continue
        account = opened_accounts.opened(connection_id, point, offered.runtime)
        unbound = replace(offered, account=account)
        if not hold_back(unbound, group):
            yield from _bound(unbound, account, group)


def _bound(
    part: JobPart, account: Account, works: Sequence[Work]
) -> Iterator[tuple[JobPart, Sequence[Work]]]:
    try:
        point = account.bound()
    except Exception as fault:
        log.exception("access point not bound", connection=account.id)
        reason = f"the access point could not use the connection: {type(fault).__name__}"
        _retry(part, works, reason, "bind-failed")
        return
    yield replace(part, point=point, unbound=part.point), works


def hold_back(part: JobPart, works: Sequence[Work]) -> bool:
    """Whether the works wait, because the account cannot be used now; their rows are released."""
    account = part.account
    if account is None:
        return False
    if account.state is State.REVOKED:
        _end(part, works)
    elif not account.is_usable:
        ids = [work.outbox_id for work in works]
        parked_documents.park(ids, part.token, account.id, clock.now())
    elif account.throttled_until is not None and account.is_throttled:
        postpone(part, works, account.throttled_until)
    else:
        return False
    return True


def _end(part: JobPart, works: Sequence[Work]) -> None:
    """Settle the works of a revoked connection. What follows a final status is not asked for."""
    now = clock.now()
    open_ = [work for work in works if work.status == NetworkStatus.PROCESSING]
    revoked = [SettledWork(w, outcomes.revoked(w, now)) for w in open_]
    settlement.write(revoked, part.token, part.runtime.access_points)
    final = [work.outbox_id for work in works if work.status != NetworkStatus.PROCESSING]
    if final:
        with db.writing() as connection:
            outbox.complete(connection, final, part.token)


def _retry(part: JobPart, works: Sequence[Work], reason: str, code: str) -> None:
    """Try documents that were not sent again, until their time is over, and others later."""
    now = clock.now()
    queued = [w for w in works if w.phase == Phase.QUEUED]
    not_sent = NotSent(reason, code=code)
    refused = [settlement.settled(w, not_sent, None) for w in queued]
    settlement.write(refused, part.token, part.runtime.access_points)
    others = [work for work in works if work.phase != Phase.QUEUED]
    postpone(part, others, now + outcomes.ASK_AGAIN_AFTER)


def chunks(part: JobPart, works: Sequence[Work]) -> Iterator[Sequence[Work]]:
    """Chunks of as many as the access point accepts concurrently or in bulk.

    None are left once the account cannot be used, or the time of the job is over: their rows wait.
    """
    capabilities = part.point.capabilities
    step = max(1, capabilities.bulk, capabilities.concurrency)
    for start in range(0, len(works), step):
        rest = works[start:]
        if hold_back(part, rest) or give_back(part, rest):
            return
        yield rest[:step]


def give_back(part: JobPart, works: Sequence[Work]) -> bool:
    """Whether the job begins no more calls: then the rows of the works are due again as they were.

    To be asked before each call. Of a network that does not answer one call is waited for, not one
    call after the other, while what other networks take waits for the worker.
    """
    if part.turn.begins():
        return False
    outbox.release([work.outbox_id for work in works], part.token)
    return True


def extend_leases(part: JobPart, works: Sequence[Work], calls: int | None = None) -> list[Work]:
    """The works whose lease has not ended, extended by the duration of the calls.

    calls  how many are made one after the other; None: as the concurrency allows
    """
    point = part.point
    if calls is None:
        calls = 1 if point.capabilities.concurrency > 1 else len(works)
    longest = timedelta(seconds=point.capabilities.timeout) * calls
    with db.writing() as connection:
        now = clock.now()
        until = now + clock.lasting(min(longest, MAX_LEASE_EXTENSION)) + part.margin
        held = outbox.extend(connection, [work.outbox_id for work in works], part.token, until, now)
    return [work for work in works if work.outbox_id in held]


def postpone(part: JobPart, works: Sequence[Work], due: datetime) -> None:
    """Release the rows of the works until then."""
    rows = [(work.outbox_id, outbox.CHORES, due) for work in works]
    if rows:
        with db.writing() as connection:
            outbox.reschedule(connection, rows, part.token)


def without_pauses(works: Sequence[Work], token: str) -> list[Work]:
    """The works with the time for which their rows were outside of the lanes added to theirs."""
    paused = {work.id: without_pause(work) for work in works if work.paused_at is not None}
    if paused:
        with db.writing_by_key() as connection:
            end_pauses(connection, list(paused.values()), token)
    return [paused.get(work.id, work) for work in works]


def without_pause(work: Work) -> Work:
    """The work with the time for which its row was outside of the lanes added to its own."""
    if work.paused_at is None or work.due_at is None:
        return work
    pause = max(timedelta(0), work.due_at - work.paused_at)
    return replace(work, retry_until=work.retry_until + pause)


def end_pauses(connection: Connection, works: Sequence[Work], token: str) -> None:
    """Store until when works without their pauses are tried."""
    transmissions.extend_retries(connection, {work.id: work.retry_until for work in works})
    parked.end_pause(connection, [work.outbox_id for work in works], token)
