"""The queue of work: rows are claimed in batches under a lease, tenants in turn.

A row is inserted in the transaction that causes the work and deleted in the one that did it. In
between it is due (token NULL), leased (token and end of the lease set) and, when the lease ends
without a result, due again. Only the holder of the token may act; after the lease ended the token
is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import (
    ColumnElement,
    Executable,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.ids import is_message, moment_of
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Outbox, Recovery, WebhookEndpoint

TRANSMISSION = "transmission"
WEBHOOK = "webhook"
LOOKUP = "lookup"  # of an entry of the directory
DUTY = "duty"  # of a plugin
CLAIM = "claim"  # of a participant id
PUBLICATION = "publication"  # of participant ids, to ask networks about
ENTRY = "entry"  # of a participant id in the directory of a network, to write or withdraw
MAIL_DOMAIN = "mail-domain"  # of a tenant, to ask DNS about
MESSAGE = "message"  # without an invoice
CONNECTION = "connection"  # to check
MAILBOX = "mailbox"  # of a connection, to fetch from
CONSENT = "consent"  # to withdraw at its network
LEAVE = "leave"  # a connection that has ended, whose network deletes what it keeps for it
ARCHIVE = "archive"  # to move, and to delete what nothing points to
EXPORT = "export"  # of a tenant's data
JUDGEMENT = "judgement"  # of a received document that was stored unread
BATCH = "batch"  # of documents, whose end is an event
REPORT = "report"  # of the periods of a connection, to collect and to send
LETTER = "letter"  # an e-mail to a person
NOTICE = "notice"  # to an access point, about a document or a message
DELIVERIES = (TRANSMISSION, MESSAGE)  # the kinds of rows of transmissions
NO_TENANT = "plugins"  # of rows of messages that are of no tenant

WAITED = "waited"  # sends whose request is waiting: first, one by one
BULK = "bulk"  # all other sends, in batches
CHORES = "chores"  # polls, retries, lookups for directories, duties of plugins
WEBHOOKS = "webhooks"
PLUGINS = "plugins"  # calls of access points that may take long: each in a thread of its own
LANES = (WAITED, BULK, CHORES, WEBHOOKS, PLUGINS)
# The key of Redis that every relay sets while it runs, and for how many seconds it stays.
RELAY_KEY, RELAY_KEY_SECONDS = "einvoice-relay", 30
# Lanes that no relay serves: rows wait until their connection can be used, for another row, or for
# an outcome that is pushed: by the network, or by `advance` in the sandbox.
PARKED, WAITING, PUSHED = "parked", "waiting", "pushed"
# No network is polled as rarely: a row that is due later has the deadline of an outcome that is
# pushed, such as the life cycle of an invoice in France.
SOON = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A leased row. The holder of the token given to `claim` may work on it."""

    id: int
    kind: str
    subject_id: str
    access_point: str | None


_CLAIMED = RecordColumns(Claimed, Outbox)


def enqueue(
    connection: Connection,
    *,
    kind: str,
    lane: str,
    subject_id: str,
    tenant_id: str,
    due_at: datetime,
    access_point: str | None = None,
    connection_id: str | None = None,
    waits_for: str | None = None,
) -> None:
    """Insert a row of work, inside the caller's transaction.

    waits_for  the sequence of a transmission that is not the next one of it
    """
    connection.execute(
        insert(Outbox).values(
            kind=kind,
            subject_id=subject_id,
            tenant_id=tenant_id,
            access_point=access_point,
            connection_id=connection_id,
            due_at=due_at,
            **place(lane, waits_for, due_at),
        )
    )


def enqueue_chore(connection: Connection, kind: str, subject_id: str, scope: str) -> None:
    """Insert a row of work of no tenant, due at once, unless the subject has one.

    scope  in place of a tenant: the row takes turns with the tenants
    """
    if not is_enqueued(connection, subject_id):
        enqueue(
            connection,
            kind=kind,
            lane=CHORES,
            subject_id=subject_id,
            tenant_id=scope,
            due_at=clock.now(),
        )


def place(lane: str, waits_for: str | None, now: datetime) -> dict[str, Any]:
    """The columns that say where a new row is: in its lane, or waiting for its sequence."""
    if waits_for is None:
        return {"lane": lane, "waits_for": None, "paused_at": None}
    return {"lane": WAITING, "waits_for": waits_for, "paused_at": now}


def _any_open(lane: str) -> ColumnElement[int]:
    """The id of a row of the lane that is not leased. The order is that of an index, so a planner
    whose statistics overestimate such rows does not look for one in the whole table."""
    query = select(Outbox.id).where(Outbox.lane == lane, Outbox.token.is_(None))
    return query.order_by(Outbox.tenant_id, Outbox.due_at).limit(1).scalar_subquery()


IS_HELD = sa.exists().where(Recovery.finished_at.is_(None))
_OPEN = select(IS_HELD, *(_any_open(lane) for lane in LANES))


def open_lanes() -> set[str]:
    """The lanes with rows that are not leased, due now or later; none while deliveries are held."""
    with db.reading() as connection:
        held, *found = connection.execute(_OPEN).one()
    if held:
        return set()
    return {lane for lane, row_id in zip(LANES, found, strict=True) if row_id is not None}


_ENQUEUE_MANY = """
INSERT INTO outbox (kind, lane, subject_id, tenant_id, due_at)
SELECT :kind, :lane, x.subject_id, :tenant_id, x.due_at FROM {rows} WHERE true
"""


def enqueue_many(
    connection: Connection,
    due: Iterable[tuple[str, datetime]],
    *,
    kind: str,
    lane: str,
    tenant_id: str,
) -> None:
    """Insert work for many subjects of a tenant: (subject id, when it is due)."""
    rows.execute(
        connection,
        _ENQUEUE_MANY,
        {"subject_id": rows.TEXT, "due_at": rows.MOMENT},
        ({"subject_id": subject, "due_at": at} for subject, at in due),
        kind=kind,
        lane=lane,
        tenant_id=tenant_id,
    )


# A loose index scan: one index probe per tenant, however many rows are due.
_TENANTS = text(
    """
    WITH RECURSIVE turn(tenant_id) AS (
        SELECT min(tenant_id) FROM outbox
        WHERE lane = :lane AND token IS NULL AND tenant_id > :after
        UNION ALL
        SELECT (SELECT min(tenant_id) FROM outbox
                WHERE lane = :lane AND token IS NULL AND tenant_id > turn.tenant_id)
        FROM turn WHERE turn.tenant_id IS NOT NULL
    )
    SELECT tenant_id FROM turn WHERE tenant_id IS NOT NULL LIMIT :count
    """
)


def tenants_in_turn(lane: str, after: str, count: int) -> list[str]:
    """Up to `count` tenants with rows not leased in the lane, ids above `after` first."""
    with db.reading() as connection:
        first = _tenants(connection, lane, "", count)
        if len(first) < count:  # that is all of them
            return sorted(first, key=lambda tenant: (tenant <= after, tenant))
        found = _tenants(connection, lane, after, count) if after else first
    return (found + [tenant for tenant in first if tenant not in set(found)])[:count]


def _tenants(connection: Connection, lane: str, after: str, count: int) -> list[str]:
    answer = connection.execute(_TENANTS, {"lane": lane, "after": after, "count": count})
    return list(answer.scalars())


def _claim_statement() -> Executable:
    due = (
        select(Outbox.id)
        .where(
            Outbox.lane == bindparam("of_lane"),
            Outbox.tenant_id == bindparam("of_tenant"),
            Outbox.token.is_(None),
            Outbox.due_at <= bindparam("now"),
        )
        .order_by(Outbox.due_at)
        .limit(bindparam("at_most"))
        .with_for_update(skip_locked=True)
    )
    return (
        update(Outbox)
        .where(rows.in_subquery(Outbox.id, due))
        .values(token=bindparam("holder"), lease_until=bindparam("until"))
        .returning(*_CLAIMED.returning())
    )


_CLAIM = _claim_statement()


def claim(
    lane: str, tenant_id: str, limit: int, *, token: str, now: datetime, lease: timedelta
) -> list[Claimed]:
    """Lease up to `limit` due rows of one tenant, the longest due first."""
    given = {
        "of_lane": lane, "of_tenant": tenant_id, "now": now, "at_most": limit,
        "holder": token, "until": now + lease,
    }  # fmt: skip
    with db.writing() as connection:
        leased = connection.execute(_CLAIM, given)
        return _CLAIMED.all(leased)


_COUNT_LEASES = select(func.count(Outbox.token.distinct())).where(
    Outbox.lane == bindparam("of_lane"), Outbox.token.is_not(None)
)


def count_leases(lane: str, *, ending_after: datetime | None = None) -> int:
    """How many claims (tokens) of the lane wait in queues or are being worked on; of all, or of
    those whose lease ends later."""
    counted = _COUNT_LEASES
    if ending_after is not None:
        counted = counted.where(Outbox.lease_until > ending_after)
    with db.reading() as connection:
        return connection.execute(counted, {"of_lane": lane}).scalar_one()


def release_expired(now: datetime) -> int:
    """Make rows due again whose lease has ended: their worker stopped or is too slow."""
    with db.writing_by_key() as connection:
        freed = connection.execute(
            update(Outbox)
            .where(Outbox.token.is_not(None), Outbox.lease_until < now)
            .values(token=None, lease_until=None)
        )
        return freed.rowcount


_SECOND = timedelta(seconds=1)
_TIMED_OUT = select(WebhookEndpoint.id).where(WebhookEndpoint.timeouts > 0)


def oldest_due(lanes: Sequence[str], now: datetime) -> float:
    """Seconds of reality since the oldest row of the lanes became due; 0 without one.

    Without rows of webhook endpoints whose last request timed out: they wait for their receiver.
    """
    query = select(func.min(Outbox.due_at)).where(Outbox.lane.in_(lanes))
    if WEBHOOKS in lanes:
        timed_out = rows.in_subquery(Outbox.endpoint_id, _TIMED_OUT)
        query = query.where(or_(Outbox.endpoint_id.is_(None), ~timed_out))
    with db.reading() as connection:
        oldest: datetime | None = connection.execute(query).scalar()
    return max(timedelta(0), now - oldest) / clock.lasting(_SECOND) if oldest else 0.0


def open_rows() -> dict[str, int]:
    """How many rows each lane has; a lane without any is missing."""
    query = select(Outbox.lane, func.count().label("rows")).group_by(Outbox.lane)
    with db.reading() as connection:
        return {row.lane: row.rows for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class OldestUnsettled:
    """The oldest document of an access point without a final outcome.

    waits_for  network, push (of its outcome, also with a deadline later than SOON), connection (the
               row is parked) or document (of its sequence)
    """

    access_point: str
    waits_for: str
    since: datetime


_WAITS_FOR = sa.case(
    (Outbox.lane == PARKED, "connection"),
    (Outbox.lane == WAITING, "document"),
    (
        or_(Outbox.lane == PUSHED, Outbox.due_at > bindparam("soon", type_=Outbox.due_at.type)),
        "push",
    ),
    else_="network",
)
# Ids are ordered by time, so the least one is the oldest. Reads the outbox, which has open rows
# only, as `open_rows` does; not the transmissions.
_OLDEST_UNSETTLED = (
    select(Outbox.access_point, _WAITS_FOR, func.min(Outbox.subject_id))
    .where(Outbox.kind == TRANSMISSION, Outbox.access_point.is_not(None))
    .group_by(Outbox.access_point, _WAITS_FOR)
)


def oldest_unsettled() -> list[OldestUnsettled]:
    """Counts by access point and by what documents wait for: due, leased, later or parked."""
    with db.reading() as connection:
        found = connection.execute(_OLDEST_UNSETTLED, {"soon": clock.now() + SOON}).all()
    moments = ((point, waits, moment_of(oldest)) for point, waits, oldest in found)
    return [OldestUnsettled(point, waits, at) for point, waits, at in moments if at is not None]


_EXTEND = (
    update(Outbox)
    .where(
        rows.in_parameter(Outbox.id, "ids"),
        Outbox.token == bindparam("holder"),
        Outbox.lease_until > bindparam("now"),
    )
    .values(lease_until=bindparam("until"))
    .returning(Outbox.id)
)


def extend(
    connection: Connection, ids: Iterable[int], token: str, until: datetime, now: datetime
) -> set[int]:
    """Extend the lease of rows that the token still holds, and return their ids.

    Locks them until the commit.
    """
    given = {"ids": ids, "holder": token, "now": now, "until": until}
    return set(connection.execute(_EXTEND, given).scalars())


def extend_from_now(row_id: int, token: str, seconds: float) -> bool:
    """`extend_all_from_now` of one row; False if it is due or leased again."""
    return bool(extend_all_from_now([row_id], token, seconds))


def extend_all_from_now(ids: Iterable[int], token: str, seconds: float) -> set[int]:
    """Extend leases in a transaction of its own; the ids of the rows that the token still holds.

    seconds  from now until the leases end, of reality
    """
    now = clock.now()
    until = now + clock.lasting(timedelta(seconds=seconds))
    with db.writing_by_key() as connection:
        return extend(connection, ids, token, until, now)


def subjects(ids: Iterable[int], token: str) -> list[tuple[int, str]]:
    """(row id, subject) of the rows that the token holds."""
    query = select(Outbox.id, Outbox.subject_id).order_by(Outbox.due_at, Outbox.id)
    held = query.where(rows.in_values(Outbox.id, ids), Outbox.token == token)
    with db.reading() as connection:
        return [(row.id, row.subject_id) for row in connection.execute(held)]


@dataclass(frozen=True, slots=True)
class Held:
    """A row that a worker holds."""

    id: int
    subject_id: str
    access_point: str | None


_HELD = RecordColumns(Held, Outbox)


def held(ids: Iterable[int], token: str, now: datetime) -> list[Held]:
    """The rows that the token leases, the longest due first."""
    query = _HELD.select().order_by(Outbox.due_at, Outbox.id)
    leased = query.where(
        rows.in_values(Outbox.id, ids), Outbox.token == token, Outbox.lease_until > now
    )
    with db.reading() as connection:
        return _HELD.all(connection.execute(leased))


_RELEASE = (
    update(Outbox)
    .where(rows.in_parameter(Outbox.id, "ids"), Outbox.token == bindparam("holder"))
    .values(token=None, lease_until=None)
)


def release(ids: Iterable[int], token: str) -> None:
    """Make rows due again that the token leases, and with which nothing was done."""
    with db.writing_by_key() as connection:
        connection.execute(_RELEASE, {"ids": sorted(ids), "holder": token})


_COMPLETE = delete(Outbox).where(
    rows.in_parameter(Outbox.id, "ids"), Outbox.token == bindparam("holder")
)


def complete(connection: Connection, ids: Iterable[int], token: str) -> int:
    """Delete rows whose work is done, in the transaction that stores the result.

    Returns how many of them the token still held.
    """
    return connection.execute(_COMPLETE, {"ids": ids, "holder": token}).rowcount


_RESCHEDULE = """
UPDATE outbox SET due_at = x.due_at, lane = x.lane, token = NULL, lease_until = NULL
FROM {rows} WHERE outbox.id = x.id AND outbox.token = :token
"""


def reschedule(
    connection: Connection, due: Iterable[tuple[int, str, datetime]], token: str
) -> None:
    """Release rows until another time: (row id, lane, when)."""
    rows.execute(
        connection,
        _RESCHEDULE,
        {"id": rows.INT, "lane": rows.TEXT, "due_at": rows.MOMENT},
        ({"id": i, "lane": lane, "due_at": at} for i, lane, at in due),
        token=token,
    )


def make_due(connection: Connection, subject_id: str, now: datetime) -> bool:
    """Make the subject's rows that are not leased due at once; whether there were any later."""
    made = connection.execute(
        update(Outbox)
        .where(
            Outbox.subject_id == subject_id,
            Outbox.token.is_(None),
            Outbox.parked_by.is_(None),
            Outbox.waits_for.is_(None),
            or_(Outbox.due_at > now, Outbox.lane == PUSHED),
        )
        .values(due_at=now, lane=sa.case((Outbox.lane == PUSHED, CHORES), else_=Outbox.lane))
    )
    return bool(made.rowcount)


def is_enqueued(connection: Connection, subject_id: str) -> bool:
    """Whether the subject has any row, leased or not."""
    query = select(func.count()).where(Outbox.subject_id == subject_id)
    return connection.execute(query).scalar_one() > 0


def delivery_kind(transmission_id: str) -> str:
    """The kind of the row of a transmission. The release before knows messages by theirs."""
    return MESSAGE if is_message(transmission_id) else TRANSMISSION


def reclaim(
    connection: Connection,
    subject_id: str,
    tenant_id: str,
    access_point: str,
    due_at: datetime,
    connection_id: str | None = None,
    lane: str = CHORES,
) -> None:
    """Make a transmission's row due at `due_at` and end its lease, or insert a row.

    Callers have raised the fence, so a result of the previous holder is ignored.
    """
    taken = connection.execute(
        update(Outbox)
        .where(Outbox.subject_id == subject_id)
        .values(lane=lane, due_at=due_at, token=None, lease_until=None, parked_by=None)
    )
    if not taken.rowcount:
        enqueue(
            connection,
            kind=delivery_kind(subject_id),
            lane=lane,
            subject_id=subject_id,
            tenant_id=tenant_id or NO_TENANT,
            due_at=due_at,
            access_point=access_point,
            connection_id=connection_id,
        )


def discard(connection: Connection, subject_id: str) -> None:
    """Delete the subject's rows: an operator has settled it."""
    connection.execute(delete(Outbox).where(Outbox.subject_id == subject_id))
