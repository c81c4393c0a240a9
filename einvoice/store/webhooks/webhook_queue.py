"""The queue of webhooks: outbox rows of the lane `webhooks`, claimed by endpoint.

An endpoint is held while any of its rows is leased, and only rows of one that is not held are
claimed. So all requests in flight to an endpoint belong to one worker, which posts two at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, case, func, literal_column, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.outbox import WEBHOOK, WEBHOOKS
from einvoice.store.tables import Outbox, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks.events import ACTIVE

# Written out, because a partial index is used only where its condition is in the statement.
_OF_LANE = Outbox.lane == literal_column(f"'{WEBHOOKS}'")
_OPEN = (_OF_LANE, Outbox.token.is_(None), Outbox.kind == WEBHOOK)


@dataclass(frozen=True, slots=True)
class HeldEndpoint:
    """An endpoint with leased rows. `responsive`: it answered its last request soon."""

    id: str
    tenant_id: str
    responsive: bool | None


@dataclass(frozen=True, slots=True)
class ReadyEndpoint:
    """An endpoint with due rows that is not in backoff. `timeouts` in a row make it a probe."""

    id: str
    tenant_id: str
    responsive: bool | None
    timeouts: int | None
    due_at: datetime


_HELD = RecordColumns(HeldEndpoint, WebhookEndpoint)
_SELECT_HELD = (
    _HELD.select()
    .distinct()
    .select_from(Outbox)
    .join(WebhookEndpoint, WebhookEndpoint.id == Outbox.endpoint_id)
    .where(_OF_LANE, Outbox.token.is_not(None))
)


def held(connection: Connection) -> list[HeldEndpoint]:
    """The endpoints whose rows wait in queues or are being posted."""
    return _HELD.all(connection.execute(_SELECT_HELD))


_OLDEST = (
    select(func.min(Outbox.due_at))
    .where(*_OPEN, Outbox.endpoint_id == WebhookEndpoint.id, Outbox.due_at <= bindparam("now"))
    .scalar_subquery()
)
_READY = RecordColumns(ReadyEndpoint, WebhookEndpoint, due_at=_OLDEST)
_SELECT_READY = _READY.select().where(
    rows.in_parameter(WebhookEndpoint.tenant_id, "tenants"),
    or_(
        WebhookEndpoint.backoff_until.is_(None),
        WebhookEndpoint.backoff_until <= bindparam("now"),
        WebhookEndpoint.status != ACTIVE,  # what is due to it is given up
    ),
)


def ready(tenants: Sequence[str], now: datetime) -> list[ReadyEndpoint]:
    """The endpoints of these tenants that have due rows and are not in backoff, held or not."""
    with db.reading() as connection:
        found = connection.execute(_SELECT_READY, {"tenants": tenants, "now": now})
        return [one for one in _READY.all(found) if one.due_at is not None]


def in_backoff(now: datetime) -> int:
    """How many active endpoints are in backoff."""
    query = select(func.count()).where(
        WebhookEndpoint.status == ACTIVE, WebhookEndpoint.backoff_until > now
    )
    with db.reading() as connection:
        return connection.execute(query).scalar_one()


_STATE = case(
    (WebhookEndpoint.status != ACTIVE, "disabled"),
    (WebhookEndpoint.failing_since.is_not(None), "failing"),
    else_="active",
)
# Why an endpoint is disabled: by its owner, or by the service as its receiver is gone or failed.
# Those of tenants that were closed or imported have other reasons.
BY_OWNER = "by its owner"
GONE, GIVEN_UP = "the receiver answered 410 Gone", "nothing but failures for "  # so many days
_REASON = WebhookEndpoint.disabled_reason
BY_SERVICE = or_(_REASON == GONE, _REASON.startswith(GIVEN_UP))
_COUNT_BY_STATE = (
    select(_STATE.label("state"), func.count().label("endpoints"))
    .where(or_(WebhookEndpoint.status == ACTIVE, BY_SERVICE))
    .group_by(_STATE)
)


def count_by_state() -> dict[str, int]:
    """How many endpoints are active, failing, or were disabled by the service."""
    with db.reading() as connection:
        found = {row.state: row.endpoints for row in connection.execute(_COUNT_BY_STATE)}
    return {state: found.get(state, 0) for state in ("active", "failing", "disabled")}


_LOCK = (
    select(WebhookEndpoint.id)
    .where(rows.in_parameter(WebhookEndpoint.id, "ids"))
    .order_by(WebhookEndpoint.id)
    .with_for_update(skip_locked=True, key_share=True)
)
_DUE = (
    select(Outbox.id)
    .where(*_OPEN, Outbox.endpoint_id == bindparam("endpoint"), Outbox.due_at <= bindparam("now"))
    .order_by(Outbox.due_at)
    .limit(bindparam("at_most"))
)
_CLAIM = (
    update(Outbox)
    .where(rows.in_subquery(Outbox.id, _DUE))
    .values(token=bindparam("holder"), lease_until=bindparam("until"))
    .returning(Outbox.id)
)


def claim(counts: Mapping[str, int], *, token: str, now: datetime, lease: timedelta) -> list[int]:
    """Lease due rows of these endpoints, up to the given number of each, the longest due first.

    Returns their ids. Endpoints that are held by now are left out.
    """
    with db.writing_by_key() as connection:
        locked = connection.execute(_LOCK, {"ids": list(counts)}).scalars().all()
        taken = {one.id for one in held(connection)}
        given = {"now": now, "holder": token, "until": now + lease}
        claimed: list[int] = []
        for endpoint in locked:
            if endpoint not in taken:
                of_it = {**given, "endpoint": endpoint, "at_most": counts[endpoint]}
                claimed += connection.execute(_CLAIM, of_it).scalars()
    return claimed


def move_to_front(connection: Connection, delivery_id: str, endpoint_id: str) -> None:
    """Let a delivery be the next of its endpoint."""
    first = select(func.min(Outbox.due_at)).where(*_OPEN, Outbox.endpoint_id == endpoint_id)
    oldest: datetime | None = connection.execute(first).scalar()
    if oldest is not None:
        connection.execute(
            update(Outbox)
            .where(Outbox.subject_id == delivery_id, Outbox.token.is_(None))
            .values(due_at=oldest - timedelta(milliseconds=1))
        )


# -- rows of an older version ----------------------------------------------------------------------


_UNASSIGNED = (
    select(Outbox.id)
    .where(*_OPEN, Outbox.endpoint_id.is_(None))
    .order_by(Outbox.id)
    .limit(bindparam("at_most"))
)
_ENDPOINT = (
    select(WebhookDelivery.endpoint_id)
    .where(WebhookDelivery.id == Outbox.subject_id)
    .correlate(Outbox)
    .scalar_subquery()
)
_ASSIGN = (
    update(Outbox)
    .where(rows.in_parameter(Outbox.id, "ids"), Outbox.token.is_(None))
    .values(endpoint_id=_ENDPOINT)
)
_CLAIM_WITHOUT = (
    update(Outbox)
    .where(
        rows.in_parameter(Outbox.id, "ids"), Outbox.token.is_(None), Outbox.endpoint_id.is_(None)
    )
    .values(token=bindparam("holder"), lease_until=bindparam("until"))
    .returning(Outbox.id)
)


def assign_endpoints(*, token: str, now: datetime, lease: timedelta, at_most: int) -> list[int]:
    """Set the endpoint of rows written by a version that does not write it.

    Leases and returns the rows whose delivery is gone.
    """
    with db.reading() as connection:
        ids = connection.execute(_UNASSIGNED, {"at_most": at_most}).scalars().all()
    if not ids:
        return []
    with db.writing_by_key() as connection:
        connection.execute(_ASSIGN, {"ids": ids})
        given = {"ids": ids, "holder": token, "until": now + lease}
        return list(connection.execute(_CLAIM_WITHOUT, given).scalars())


# -- results ---------------------------------------------------------------------------------------


_FINISH = """
DELETE FROM outbox WHERE (id, token) IN (SELECT x.id, x.token FROM {rows}) RETURNING id
"""
_POSTPONE = """
UPDATE outbox SET due_at = coalesce(x.due_at, outbox.due_at), token = NULL, lease_until = NULL
FROM {rows} WHERE outbox.id = x.id AND outbox.token = x.token RETURNING outbox.id
"""
_LEASED = {"id": rows.INT, "token": rows.TEXT}
_POSTPONED = {**_LEASED, "due_at": rows.MOMENT}


def finish(connection: Connection, leased: Iterable[tuple[int, str]]) -> set[int]:
    """Delete rows (id, token) whose work is done; the ids of those that the token still held."""
    given = [{"id": row, "token": token} for row, token in leased]
    return set(rows.execute(connection, _FINISH, _LEASED, given).scalars()) if given else set()


def postpone(
    connection: Connection, leased: Iterable[tuple[int, str, datetime | None]]
) -> set[int]:
    """End the lease of rows (id, token, next due time; None: as before).

    Returns the ids of those that the token still held.
    """
    given = [{"id": row, "token": token, "due_at": at} for row, token, at in leased]
    return set(rows.execute(connection, _POSTPONE, _POSTPONED, given).scalars()) if given else set()
