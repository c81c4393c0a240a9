"""The spans of a delivery: the step of a job, and within it the attempt at the network.

Both are made when the step is stored, so a worker that is killed has none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.trace import Trace
from einvoice.observability import spans
from einvoice.observability.spans import Attributes, Kind
from einvoice.store.sending.transmissions import Settlement, Work

# The steps of a job (services/delivery/transmit) by the phase that it found.
_STEPS = {
    Phase.QUEUED: "submit",
    Phase.SUBMITTING: "resolve",
    Phase.UNKNOWN: "resolve",
    Phase.PENDING: "poll",
}
_FAULTS = frozenset({"Unknown", "NotSent", "Blocked"})  # outcomes without a word of the network


def record(
    work: Work,
    settlement: Settlement,
    attempt: Mapping[str, object] | None,
    network: str | None,
) -> None:
    """Record the step that has been stored, under the request that sent the document."""
    if not spans.is_on():
        return
    now = clock.nanoseconds()
    began = _earliest(spans.job_began(), attempt, now)
    step = _STEPS.get(Phase(work.phase), "settle") if spans.job_began() else "settle"
    span = spans.begin(f"{step} transmission", Kind.CONSUMER, work.trace, at=began)
    if span is None:
        return
    failed = settlement.status is NetworkStatus.FAILED or settlement.attention
    if attempt is not None:
        _record_attempt(attempt, span.trace, _of_attempt(work, settlement, attempt, network))
    span.end(_of_step(work, settlement), failed=failed)


def _record_attempt(attempt: Mapping[str, Any], parent: Trace, attributes: Attributes) -> None:
    span = spans.begin("attempt", Kind.CLIENT, parent, at=_nanoseconds(attempt["started_at"]))
    if span is not None:
        failed = attempt["outcome"] == "Rejected" or attempt["outcome"] in _FAULTS
        span.end(attributes, failed=failed, at=_nanoseconds(attempt["ended_at"]))


def _of_step(work: Work, settlement: Settlement) -> Attributes:
    return {
        "einvoice.tenant": work.tenant_id,
        "einvoice.environment": work.environment,
        "einvoice.invoice": work.invoice_id,
        "einvoice.transmission": work.id,
        "einvoice.status": settlement.status.value,
        "einvoice.phase": settlement.phase.value,
        "einvoice.attention": settlement.attention,
        "einvoice.job": structlog.contextvars.get_contextvars().get("job"),
    }


def _of_attempt(
    work: Work, settlement: Settlement, attempt: Mapping[str, Any], network: str | None
) -> Attributes:
    return {
        "einvoice.transmission": work.id,
        "einvoice.network": network,
        "einvoice.access_point": work.access_point,
        "einvoice.attempt": attempt["number"],
        "einvoice.outcome": attempt["outcome"],
        "einvoice.reason": settlement.reason_code,
    }


def _earliest(job: int | None, attempt: Mapping[str, Any] | None, now: int) -> int:
    """When the step began: with its job, and not after its attempt."""
    began = now if job is None else job
    return began if attempt is None else min(began, _nanoseconds(attempt["started_at"]))


def _nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000) * 1_000
