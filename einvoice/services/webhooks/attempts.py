"""One attempt of a delivery: the signed request, and the client that sends it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.trace import Trace
from einvoice.http import ConcurrentClient, Request
from einvoice.observability import logging, spans, tracing
from einvoice.observability.spans import Kind, Span
from einvoice.security.sealing import SealBroken, keyring
from einvoice.services.webhooks.endpoints import seal_context
from einvoice.store.webhooks.webhooks import DueDelivery
from einvoice.webhooks import payloads, sending, signing
from einvoice.webhooks.payloads import Occurrence
from einvoice.webhooks.sending import Delivered, Failed, Reply, Result

log = logging.get(__name__)


@dataclass(frozen=True, slots=True)
class AttemptedDelivery:
    """A delivery with the result of this attempt; None where none was made."""

    due: DueDelivery
    result: Result | None


def begun(due: DueDelivery) -> Span | None:
    """The span of an attempt that begins, under the request that caused the event."""
    return spans.begin("webhook", Kind.CLIENT, due.trace)


def ended(span: Span, done: AttemptedDelivery) -> None:
    """End the span of an attempt. It has no address, which may contain a secret."""
    due, result = done.due, done.result
    attributes = {
        "einvoice.environment": due.environment,
        "einvoice.invoice": due.invoice_id,
        "einvoice.event": due.event_id,
        "einvoice.event_type": due.event_type,
        "einvoice.delivery": due.id,
        "einvoice.endpoint": due.endpoint_id,
        "einvoice.attempt": due.attempts + 1,
        "einvoice.outcome": type(result).__name__,
        "http.response.status_code": result.reply.status_code if result else None,
    }
    span.end(attributes, failed=not isinstance(result, Delivered))


def request(due: DueDelivery, settings: Settings, trace: Trace | None = None) -> Request | Failed:
    """The signed request of the next attempt. An unexpected exception is a failure.

    trace  what the receiver gets in the headers; None: the trace of the delivery
    """
    with tracing.bound(due.trace):
        try:
            return _request(due, clock.now(), settings, trace or due.trace)
        except SealBroken as fault:
            log.error("webhook secret cannot be opened", endpoint=due.endpoint_id, fault=str(fault))
            return Failed(Reply(0, error="the endpoint's secrets cannot be read; rotate them"))
        except Exception as fault:  # noqa: BLE001 - the delivery fails, the worker goes on
            log.error("webhook attempt broke", delivery=due.id, fault=type(fault).__name__)
            return broken(fault)


def broken(fault: Exception) -> Failed:
    """The result of an attempt that an unexpected exception ended."""
    return Failed(Reply(0, error=f"the attempt broke: {type(fault).__name__}"))


def _request(due: DueDelivery, now: datetime, settings: Settings, trace: Trace | None) -> Request:
    body = payloads.body(
        Occurrence(
            due.event_id,
            due.event_type,
            due.environment,
            due.invoice_id,
            due.payload,
            due.event_at,
            due.metadata,
            due.trace.request_id if due.trace else None,
        )
    )
    headers = _headers(due, body, now, settings) | _trace_headers(trace)
    return Request("POST", due.url, headers, body)


def _trace_headers(trace: Trace | None) -> dict[str, str]:
    """The id and the trace context of the request that caused the event."""
    if trace is None:
        return {}
    named = {"x-request-id": trace.request_id}
    return named | {"traceparent": trace.traceparent} if trace.traceparent else named


def _headers(due: DueDelivery, body: bytes, now: datetime, settings: Settings) -> dict[str, str]:
    ring = keyring(settings)
    earlier = (
        (due.old_signing_secret, due.old_signing_until),
        (due.older_signing_secret, due.older_signing_until),
    )
    sealed = [due.signing_secret]
    sealed += [secret for secret, until in earlier if secret and until and now < until]
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
def client(live: bool, settings: Settings) -> ConcurrentClient:
    """One client per policy and process: connections to busy receivers are kept."""
    return sending.client(
        sending.policy(live=live, allow_private=settings.webhook_allow_private),
        seconds=settings.webhook_timeout,
        user_agent=f"{settings.provider}-Webhooks",
    )
