"""Deliver webhooks: post what is due, log the result, and schedule the next attempt.

No transaction is open during a POST, and a slow receiver does not delay the other deliveries of the
job. A worker killed between the POST and its commit repeats the POST under the same webhook-id:
delivery is at least once. Results are written under the token of the lease, so a worker whose lease
has ended changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain import events as types
from einvoice.domain.environments import Environment
from einvoice.http import Client
from einvoice.observability import logging, metrics
from einvoice.security.sealing import SealBroken, keyring
from einvoice.services.webhooks.endpoints import seal_context
from einvoice.store import db, events, outbox
from einvoice.store import webhooks as stored
from einvoice.store.events import NewEvent, emit, emit_many
from einvoice.store.webhooks import DeliveryAttempt, DueDelivery
from einvoice.webhooks import payloads, schedule, sending, signing
from einvoice.webhooks.payloads import Occurrence
from einvoice.webhooks.sending import Delivered, Failed, Gone, Reply, Result, Retry

__all__ = ["NewEvent", "deliver", "emit", "emit_many"]

log = logging.get(__name__)

MAX_CONCURRENT_POSTS = 20  # posts of one job that wait for their receivers at the same time

GATHER_SECONDS = 0.02  # seconds a result waits for others to share its commit


@dataclass(frozen=True, slots=True)
class AttemptedDelivery:
    """A delivery with the result of this attempt; None where none was made."""

    due: DueDelivery
    result: Result | None


def deliver(outbox_ids: Sequence[int], token: str, settings: Settings) -> None:
    """Attempt the deliveries behind these outbox rows, as far as the token holds them."""
    due = stored.due(outbox_ids, token, clock.now())
    if len(due) < len(outbox_ids):
        stored.drop_orphans(outbox_ids, token)
    settle([AttemptedDelivery(d, None) for d in due if not _may_attempt(d)], token)
    for done in _attempts([d for d in due if _may_attempt(d)], settings):
        settle(done, token)


def _may_attempt(due: DueDelivery) -> bool:
    """Whether to post: to a disabled endpoint only a test."""
    return due.endpoint_status == stored.ACTIVE or due.trigger == events.TEST


def _attempts(due: Sequence[DueDelivery], settings: Settings) -> Iterator[list[AttemptedDelivery]]:
    """Post all at once; yields results in the groups they come in."""
    if not due:
        return
    with ThreadPoolExecutor(min(MAX_CONCURRENT_POSTS, len(due))) as pool:
        running = {pool.submit(_attempt, one, settings): one for one in due}
        while running:
            wait(running, return_when=FIRST_COMPLETED)
            finished, _ = wait(running, timeout=GATHER_SECONDS)
            yield [
                AttemptedDelivery(one, _result(future, one))
                for future, one in _finished(running, finished)
            ]


def _finished(
    running: dict[Future[Result], DueDelivery], finished: Iterable[Future[Result]]
) -> list[tuple[Future[Result], DueDelivery]]:
    return [(future, running.pop(future)) for future in finished]


def _result(future: Future[Result], due: DueDelivery) -> Result:
    """The result of the attempt; an unexpected exception is a failure."""
    fault = future.exception()
    if fault is None:
        return future.result()
    log.error("webhook attempt broke", delivery=due.id, fault=type(fault).__name__)
    return Failed(Reply(0, error=f"the attempt broke: {type(fault).__name__}"))


def _attempt(due: DueDelivery, settings: Settings) -> Result:
    now = clock.now()
    body = payloads.body(
        Occurrence(
            due.event_id, due.event_type, due.environment, due.invoice_id, due.payload, due.event_at
        )
    )
    try:
        headers = _headers(due, body, now, settings)
    except SealBroken as fault:
        log.error("webhook secret cannot be opened", endpoint=due.endpoint_id, fault=str(fault))
        return Failed(Reply(0, error="the endpoint's secrets cannot be read; rotate them"))
    sender = _client(due.environment == Environment.LIVE, settings)
    return sending.post(sender, due.url, headers, body, now=now)


def _headers(due: DueDelivery, body: bytes, now: datetime, settings: Settings) -> dict[str, str]:
    ring = keyring(settings)
    sealed = [due.signing_secret]
    if due.old_signing_secret and due.old_signing_until and now < due.old_signing_until:
        sealed.append(due.old_signing_secret)
    signs = seal_context(due.endpoint_id, "signing_secret")
    return signing.headers(
        body,
        event_id=due.event_id,
        attempt=due.attempts + 1,
        at=now,
        secret=ring.open(due.secret, seal_context(due.endpoint_id, "secret")).decode(),
        signing_secrets=[ring.open(key, signs).decode() for key in sealed],
    )


@lru_cache(maxsize=8)
def _client(live: bool, settings: Settings) -> Client:
    """One client per policy and process: connections to busy receivers are kept."""
    return sending.client(
        sending.policy(live=live, allow_private=settings.webhook_allow_private),
        seconds=settings.webhook_timeout,
        user_agent=f"{settings.provider}-Webhooks",
    )


# -- settle ----------------------------------------------------------------------------------------


def settle(done: Sequence[AttemptedDelivery], token: str) -> None:
    """Write results in one commit; rows that the token no longer holds are left alone."""
    if not done:
        return
    now = clock.now()
    with db.writing_by_key() as connection:
        held = stored.still_held(connection, [d.due.outbox_id for d in done], token)
        mine = [d for d in done if d.due.outbox_id in held]
        written = [_attempt_record(d, now) for d in mine]
        stored.log_attempts(connection, written)
        _release(connection, mine, written, token)
        _update_endpoints(connection, mine, now)
    for d, record in zip(mine, written, strict=True):
        metrics.webhook_attempted(record.status)
        log.info(
            "webhook attempted",
            delivery=record.id,
            endpoint=d.due.endpoint_id,
            event_id=d.due.event_id,
            status=record.status,
            status_code=record.status_code,
            attempt=record.attempts,
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
    mine: Sequence[AttemptedDelivery],
    written: Sequence[DeliveryAttempt],
    token: str,
) -> None:
    rows = [(d.due.outbox_id, w.next_retry_at) for d, w in zip(mine, written, strict=True)]
    outbox.complete(connection, [row for row, at in rows if at is None], token)
    outbox.reschedule(
        connection, [(row, outbox.WEBHOOKS, at) for row, at in rows if at is not None], token
    )


def _update_endpoints(
    connection: Connection, mine: Sequence[AttemptedDelivery], now: datetime
) -> None:
    """Note successes and failures; disable endpoints that answer 410 or failed for five days."""
    counted = [d for d in mine if d.result is not None and d.due.trigger != events.TEST]
    working = {d.due.endpoint_id for d in counted if isinstance(d.result, Delivered)}
    failing = {d.due.endpoint_id for d in counted} - working
    gone = {d.due.endpoint_id for d in mine if isinstance(d.result, Gone)}
    stored.note_working(connection, working)
    stored.note_failing(connection, failing, now)
    disabled = stored.disable(connection, gone, reason="the receiver answered 410 Gone", now=now)
    disabled += stored.disable(
        connection,
        failing,
        reason=f"nothing but failures for {schedule.GIVE_UP_AFTER.days} days",
        now=now,
        failing_before=now - schedule.GIVE_UP_AFTER,
    )
    _emit_disabled(connection, disabled)


def _emit_disabled(connection: Connection, disabled: Iterable[tuple[str, str, str]]) -> None:
    told = []
    for endpoint_id, tenant_id, environment in disabled:
        log.warning("webhook endpoint disabled", endpoint=endpoint_id)
        payload = {"webhookId": endpoint_id, "status": "disabled"}
        told.append(NewEvent(tenant_id, environment, types.WEBHOOK_DISABLED, None, payload))
    emit_many(connection, told)
