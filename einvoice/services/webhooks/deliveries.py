"""Deliver webhooks: post what is due, log the result, and schedule the next attempt.

No transaction is open during a POST, and results are written in groups as they come, so a slow
receiver does not delay the other deliveries. A worker killed between the POST and its commit
repeats the POST under the same webhook-id: delivery is at least once. Results are written under the
token of the lease, so a worker whose lease has ended changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain import events as types
from einvoice.observability import logging, metrics, tracing
from einvoice.services.webhooks.attempts import AttemptedDelivery
from einvoice.services.webhooks.posts import PostedGroup, Posts
from einvoice.store.core import db
from einvoice.store.inbound import notices
from einvoice.store.webhooks import events, webhook_queue
from einvoice.store.webhooks import webhooks as stored
from einvoice.store.webhooks.events import NewEvent, emit, emit_many
from einvoice.store.webhooks.webhooks import DeliveryAttempt, DueDelivery, EndpointState
from einvoice.webhooks import schedule
from einvoice.webhooks.sending import Delivered, Failed, Gone, Result, Retry

__all__ = ["Dispatcher", "NewEvent", "deliver", "emit", "emit_many"]

log = logging.get(__name__)

MAX_ENDPOINTS_PER_JOB = 10  # of a job that is delivered by itself
RESPONSIVE_MS = 2_000  # an endpoint that takes longer counts as slow
SETTLE_TRIES = 30  # while the database is unavailable
SETTLE_PAUSE_SECONDS = 1.0


def deliver(outbox_ids: Sequence[int], token: str, settings: Settings) -> None:
    """Attempt the deliveries of these outbox rows, as far as the token holds them.

    Returns when all results are written. What could not be posted in time is put back.
    """
    posts = Posts(settings, MAX_ENDPOINTS_PER_JOB)
    for batch in _batches(outbox_ids, token):
        posts.start(batch)
    posts.close()
    for group in posts.groups():
        settle(group)


def _batches(outbox_ids: Sequence[int], token: str) -> list[list[DueDelivery]]:
    """The rows that may be attempted, by endpoint; the others are settled or deleted."""
    due = stored.due(outbox_ids, token, clock.now())
    if len(due) < len(outbox_ids):
        stored.drop_orphans(outbox_ids, token)
    settle(PostedGroup([AttemptedDelivery(d, None) for d in due if not _may_attempt(d)]))
    by_endpoint = defaultdict(list)
    for one in due:
        if _may_attempt(one):
            by_endpoint[one.endpoint_id].append(one)
    return list(by_endpoint.values())


def _may_attempt(due: DueDelivery) -> bool:
    """Whether to post: to a disabled endpoint only a test."""
    return due.endpoint_status == stored.ACTIVE or due.trigger == events.TEST


class Dispatcher:
    """Posts what the jobs of a worker hand over, while the worker takes the next job.

    Results are settled in a thread of its own. `context` opens an application context for it.
    `endpoints`: how many are posted to at once; `per_job`: how many a job may have. At the end what
    was not posted is put back, with `finish` only after the time of a batch.
    """

    def __init__(
        self,
        settings: Settings,
        context: Callable[[], AbstractContextManager[object]],
        *,
        endpoints: int,
        per_job: int,
        finish: bool = False,
    ) -> None:
        self._context = context
        self._finish = finish
        self._per_job = per_job
        self._posts = Posts(settings, endpoints)
        self._thread = threading.Thread(target=self._settle, name="webhook-results", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the posts that have begun, and settle them."""
        self._posts.close(stop=not self._finish)
        self._thread.join()

    def accept(self, outbox_ids: Sequence[int], token: str) -> None:
        """Start the deliveries of a job. Returns when there is room for another job."""
        for batch in _batches(outbox_ids, token):
            self._posts.start(batch)
        self._posts.wait_for_room(self._per_job)

    def _settle(self) -> None:
        with self._context():
            for group in self._posts.groups():
                _settle_with_retries(group)


def _settle_with_retries(group: PostedGroup) -> None:
    """Settle; after a last failure the rows are due again when their leases end."""
    for _ in range(SETTLE_TRIES):
        try:
            settle(group)
        except SQLAlchemyError as fault:
            log.warning("webhook results wait for the database", fault=type(fault).__name__)
            time.sleep(SETTLE_PAUSE_SECONDS)
        except Exception:
            log.exception("webhook results could not be written")
            return
        else:
            return
    log.error("webhook results lost", results=len(group.attempted))


# -- settle ----------------------------------------------------------------------------------------


def settle(group: PostedGroup) -> None:
    """Write results in one commit; rows that their token no longer holds are left alone."""
    if not group.attempted and not group.put_back:
        return
    now = clock.now()
    endpoints = {done.due.endpoint_id for done in group.attempted}
    endpoints |= {due.endpoint_id for due in group.put_back}
    with db.writing_by_key() as connection:
        stored.keep_endpoints(connection, endpoints)
        written = [(done, _attempt_record(done, now)) for done in group.attempted]
        mine = _release(connection, written, group.put_back)
        stored.log_attempts(connection, [record for _, record in mine])
        forwarded = {done.due.invoice_id or "" for done, _ in mine if _forwards(done)}
        if forwarded:
            notices.forward(connection, sorted(forwarded), now)
        _update_endpoints(connection, [done for done, _ in mine], now)
    for done, record in mine:
        _report(done, record)


def _forwards(done: AttemptedDelivery) -> bool:
    """Whether the receiver has got the event of a received document."""
    received = done.due.event_type == types.TRANSACTION_RECEIVED
    return received and done.due.trigger != events.TEST and isinstance(done.result, Delivered)


def _report(done: AttemptedDelivery, record: DeliveryAttempt) -> None:
    metrics.webhook_attempted(record.status)
    log.info(
        "webhook attempted",
        delivery=record.id,
        endpoint=done.due.endpoint_id,
        event_id=done.due.event_id,
        status=record.status,
        status_code=record.status_code,
        attempt=record.attempts,
        **tracing.fields(done.due.trace),
    )


def _attempt_record(done: AttemptedDelivery, now: datetime) -> DeliveryAttempt:
    due, result = done.due, done.result
    if result is None:
        return _unattempted(due)
    attempts = due.attempts + 1
    again = _retry_delay(due, attempts, result)
    status = events.DELIVERED if isinstance(result, Delivered) else events.FAILED
    return DeliveryAttempt(
        id=due.id,
        status=events.PENDING if again is not None else status,
        attempts=attempts,
        status_code=result.reply.status_code,
        last_error=result.reply.error,
        duration_ms=result.reply.duration_ms,
        response_excerpt=result.reply.excerpt,
        next_retry_at=None if again is None else now + again,
        delivered_at=now if isinstance(result, Delivered) else None,
    )


def _unattempted(due: DueDelivery) -> DeliveryAttempt:
    reason = "not attempted: the endpoint is disabled"
    return DeliveryAttempt(
        due.id, events.FAILED, due.attempts, None, reason, None, None, None, None
    )


def _retry_delay(due: DueDelivery, attempts: int, result: Result) -> timedelta | None:
    """How long to wait before the next attempt; None for no more. A test is one attempt."""
    if due.trigger == events.TEST or isinstance(result, Delivered | Gone):
        return None
    return schedule.next_delay(attempts, result.after if isinstance(result, Retry) else None)


def _release(
    connection: Connection,
    written: Sequence[tuple[AttemptedDelivery, DeliveryAttempt]],
    put_back: Sequence[DueDelivery],
) -> list[tuple[AttemptedDelivery, DeliveryAttempt]]:
    """Delete or postpone the rows; returns the results whose token still held its row."""
    rows = [(d.due.outbox_id, d.due.token, w.next_retry_at) for d, w in written]
    held = webhook_queue.finish(connection, [(row, token) for row, token, at in rows if at is None])
    held |= webhook_queue.postpone(
        connection,
        [(row, token, at) for row, token, at in rows if at is not None]
        + [(due.outbox_id, due.token, None) for due in put_back],
    )
    return [(done, record) for done, record in written if done.due.outbox_id in held]


def _update_endpoints(
    connection: Connection, mine: Sequence[AttemptedDelivery], now: datetime
) -> None:
    """Note successes, failures and timeouts; disable endpoints that answer 410 or failed for five
    days."""
    by_endpoint = defaultdict(list)
    for done in mine:
        if done.result is not None:
            by_endpoint[done.due.endpoint_id].append(done)
    states = [_endpoint_state(endpoint, done, now) for endpoint, done in by_endpoint.items()]
    stored.note_states(connection, states, now)
    failing = {state.id for state in states if state.working is False}
    gone = {d.due.endpoint_id for d in mine if isinstance(d.result, Gone)}
    disabled = stored.disable(connection, gone, reason=webhook_queue.GONE, now=now)
    disabled += stored.disable(
        connection,
        failing,
        reason=f"{webhook_queue.GIVEN_UP}{schedule.GIVE_UP_AFTER.days} days",
        now=now,
        failing_before=now - schedule.GIVE_UP_AFTER,
    )
    _emit_disabled(connection, disabled)


def _endpoint_state(
    endpoint_id: str, done: Sequence[AttemptedDelivery], now: datetime
) -> EndpointState:
    """The state after these attempts. Tests count neither as success nor as failure."""
    results = [one.result for one in done if one.result is not None]
    counted = [one.result for one in done if one.due.trigger != events.TEST]
    timed_out = any(isinstance(one, Failed) and one.timed_out for one in results)
    timeouts = (done[0].due.timeouts or 0) + 1 if timed_out else 0
    return EndpointState(
        id=endpoint_id,
        working=any(isinstance(one, Delivered) for one in counted) if counted else None,
        responsive=max(one.reply.duration_ms for one in results) <= RESPONSIVE_MS and not timed_out,
        timeouts=timeouts,
        backoff_until=now + schedule.backoff(timeouts) if timed_out else None,
    )


def _emit_disabled(connection: Connection, disabled: Iterable[tuple[str, str, str]]) -> None:
    new = []
    for endpoint_id, tenant_id, environment in disabled:
        log.warning("webhook endpoint disabled", endpoint=endpoint_id)
        payload = {"webhookId": endpoint_id, "status": "disabled"}
        new.append(NewEvent(tenant_id, environment, types.WEBHOOK_DISABLED, None, payload))
    emit_many(connection, new)
