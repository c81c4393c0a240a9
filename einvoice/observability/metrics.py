"""Metrics, with one function for each event. docs/operators.md lists them all."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import lru_cache

from prometheus_client import Counter, Gauge, Histogram

from einvoice.observability import metric_files

metric_files.install()

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

_answered = Counter(
    "einvoice_http_requests",
    "Requests answered, by endpoint (none: no such route), method and status",
    ["endpoint", "method", "status"],
)
_took = Histogram(
    "einvoice_http_request_seconds",
    "Time from the request to its answer, waiting for the network included",
    ["endpoint"],
    buckets=_SECONDS,
)
_failures = Counter(
    "einvoice_authentication_failures",
    "Refused credentials, by the slug of the refusal",
    ["reason"],
)
_identity_provider = Counter(
    "einvoice_identity_provider_failures",
    "Questions about people that the identity provider did not answer: unavailable, or "
    "client-refused (wrong id or secret of the client)",
    ["reason"],
)
_uncounted = Counter(
    "einvoice_limits_uncounted_requests",
    "Requests let through without counting them, because Redis did not answer",
)
_refused = Counter(
    "einvoice_limits_refused_requests",
    "Requests refused with rate-limit-exceeded",
    ["verb"],
)
_settled = Counter(
    "einvoice_transmissions_settled",
    "Outcomes written down, by access point and network status (Processing: to be continued)",
    ["access_point", "status"],
)
_attention = Counter(
    "einvoice_transmissions_attention",
    "Outcomes that only a person can settle (einvoice transmissions attention)",
    ["access_point"],
)
_messages = Counter(
    "einvoice_messages_settled",
    "Outcomes of messages without an invoice, by access point and network status (Processing: to "
    "be continued)",
    ["access_point", "status"],
)
_answers = Histogram(
    "einvoice_answer_seconds",
    "Time from the arrival of a document to the delivery of a message that answers it, by access "
    "point and kind of message",
    ["access_point", "kind"],
    buckets=(5.0, 30.0, 60.0, 300.0, 600.0, 1200.0, 3600.0, 86400.0),
)
_notices = Counter(
    "einvoice_notices",
    "Calls of access points about received documents and messages, by result: done, failed or "
    "given-up",
    ["access_point", "result"],
)
_checked = Counter(
    "einvoice_connection_checks",
    "Checks of connections by schedule, by access point and the state they found, or unanswered",
    ["access_point", "result"],
)
_fetched = Counter(
    "einvoice_mailbox_fetches",
    "Fetches from mailboxes of connections, by access point and result: fetched or failed",
    ["access_point", "result"],
)
_arrived = Counter(
    "einvoice_documents_arrived",
    "Documents that networks handed over, by access point and what they were answered",
    ["access_point", "verdict"],
)
_webhooks = Counter(
    "einvoice_webhook_attempts",
    "Attempts to post webhooks, by result",
    ["status"],
)
_handed_out = Counter(
    "einvoice_relay_rows",
    "Rows of the outbox that the relay handed to the queues, by lane",
    ["lane"],
)
_heartbeat = Gauge(
    "einvoice_relay_heartbeat_timestamp_seconds",
    "When a relay last finished a round, in Unix seconds",
    multiprocess_mode="max",
)
_jobs = Histogram(
    "einvoice_job_seconds",
    "Jobs that workers finished and the time they took, by lane",
    ["lane"],
    buckets=_SECONDS,
)
_failed_jobs = Counter(
    "einvoice_job_failures",
    "Jobs that ended with an exception, by lane; the outbox repeats what they left",
    ["lane"],
)

_computing_waiting = Gauge(
    "einvoice_computing_waiting",
    "Requests that wait for their turn to compute",
    multiprocess_mode="livesum",
)
_computing_refused = Counter(
    "einvoice_computing_refused",
    "Computations refused with computing-unavailable: full (too many wait) or late",
    ["reason"],
)
_computing_took = Histogram(
    "einvoice_computing_seconds",
    "Computations in processes of their own and the time they took, by function",
    ["function"],
    buckets=_SECONDS,
)
_computing_ended = Counter(
    "einvoice_computing_processes_ended",
    "Computing processes that were ended, by reason: calls, memory or died",
    ["reason"],
)

_database_faults = Counter(
    "einvoice_database_faults",
    "Requests refused with database-unavailable, by fault: unavailable, full or read-only",
    ["fault"],
)
_network_faults = Counter(
    "einvoice_network_faults",
    "Requests refused with access-point-unavailable, because a network or its directory did not "
    "answer",
)
_attempts = Counter(
    "einvoice_transmission_attempts",
    "Submissions to access points, by access point and outcome",
    ["access_point", "outcome"],
)

_archive_moved = Counter(
    "einvoice_archive_moved",
    "Documents, originals and pieces of evidence moved from the database to the archive",
)
_archive_moved_bytes = Counter(
    "einvoice_archive_moved_bytes", "Their bytes in the database before they were moved"
)
_archive_dropped = Counter(
    "einvoice_archive_dropped",
    "Documents, originals and pieces of evidence dropped at the end of their retention",
)
_archive_ended = Counter(
    "einvoice_archive_ended", "Invoices whose rows were deleted at the end of their retention"
)
_archive_faults = Counter(
    "einvoice_archive_faults",
    "Objects of the archive that could not be read or written, by fault: unavailable, missing or "
    "damaged",
    ["fault"],
)
_archive_read = Histogram(
    "einvoice_archive_read_seconds",
    "Time to read one object of the archive, by store",
    ["store"],
    buckets=_SECONDS,
)


# What operators look for in the archive (deploy/prometheus/alerts.yaml).
_ARCHIVE_FAULTS = ("unavailable", "missing", "damaged")


_DATABASE_FAULTS = ("unavailable", "full", "read-only")
OUTCOMES = ("Delivered", "Rejected", "Pending", "NotSent", "Blocked", "Unknown")


def start_at_zero(access_points: Iterable[str], lanes: Iterable[str]) -> None:
    """Export the counts that alerts watch before anything is counted.

    `increase()` compares samples, so it does not see the count with which a series begins.
    """
    for name in access_points:
        _attention.labels(name)
        _settled.labels(name, "Failed")
        for outcome in OUTCOMES:
            _attempts.labels(name, outcome)
    for lane in lanes:
        _failed_jobs.labels(lane)
    for fault in _ARCHIVE_FAULTS:
        _archive_faults.labels(fault)
    for fault in _DATABASE_FAULTS:
        _database_faults.labels(fault)
    for status in ("delivered", "pending", "failed"):
        _webhooks.labels(status)
    _identity_provider.labels("client-refused")


def database_failed(fault: str) -> None:
    """`fault` is unavailable, full or read-only."""
    _database_faults.labels(fault).inc()


def network_failed() -> None:
    _network_faults.inc()


def transmission_attempted(access_point: str, outcome: str) -> None:
    """`outcome` is the name of its type (network/types)."""
    _attempts.labels(access_point, outcome).inc()


def archive_moved(parts: int, size: int) -> None:
    _archive_moved.inc(parts)
    _archive_moved_bytes.inc(size)


def archive_dropped(parts: int) -> None:
    _archive_dropped.inc(parts)


def archive_ended(invoices: int) -> None:
    _archive_ended.inc(invoices)


def archive_fault(fault: str) -> None:
    """`fault` is unavailable, missing or damaged."""
    _archive_faults.labels(fault).inc()


def archive_read(store: str, seconds: float) -> None:
    _archive_read.labels(store).observe(seconds)


def request_answered(endpoint: str, method: str, status: str, seconds: float) -> None:
    """`status` is that of HTTP, or provoked."""
    answered, took = _of_answers(endpoint, method, status)
    answered.inc()
    took.observe(seconds)


@lru_cache(maxsize=2000)
def _of_answers(endpoint: str, method: str, status: str) -> tuple[Counter, Histogram]:
    """Cached, because `labels` checks and locks on every call."""
    return _answered.labels(endpoint, method, status), _took.labels(endpoint)


def message_settled(access_point: str, status: str, *, attention: bool) -> None:
    _messages.labels(access_point, status).inc()
    if attention:
        _attention.labels(access_point).inc()


def document_answered(access_point: str, kind: str, seconds: float) -> None:
    """`kind` of the message: MLS, INVOICE_RESPONSE or one of a plugin."""
    _answers.labels(access_point, kind).observe(seconds)


def notice_ended(access_point: str, result: str) -> None:
    """`result` is done, failed (called again later) or given-up."""
    _notices.labels(access_point, result).inc()


def connection_checked(access_point: str, result: str) -> None:
    """`result` is the state that was found, or unanswered."""
    _checked.labels(access_point, result).inc()


def mailbox_fetched(access_point: str, result: str) -> None:
    """`result` is fetched or failed."""
    _fetched.labels(access_point, result).inc()


def documents_fetched(access_point: str, stored: int, duplicates: int) -> None:
    """Documents of a mailbox, counted with those that are pushed."""
    _arrived.labels(access_point, "Stored").inc(stored)
    _arrived.labels(access_point, "Duplicate").inc(duplicates)


def document_arrived(access_point: str, verdict: str) -> None:
    """`verdict` is Stored, Duplicate, NotServiced or Busy."""
    _arrived.labels(access_point, verdict).inc()


def authentication_failed(reason: str) -> None:
    """`reason` is the slug of the refusal."""
    _failures.labels(reason).inc()


def identity_provider_failed(reason: str) -> None:
    """`reason`: unavailable or client-refused."""
    _identity_provider.labels(reason).inc()


def request_uncounted() -> None:
    _uncounted.inc()


def request_over_limit(verb: str) -> None:
    """`verb` is get or post, the class of the request; open where no key is needed."""
    _refused.labels(verb).inc()


def transmission_settled(access_point: str, status: str, *, attention: bool) -> None:
    _settled.labels(access_point, status).inc()
    if attention:
        _attention.labels(access_point).inc()


def webhook_attempted(status: str) -> None:
    _webhooks.labels(status).inc()


def rows_handed_out(lane: str, count: int) -> None:
    _handed_out.labels(lane).inc(count)


def relay_alive(moment: float) -> None:
    """`moment` in Unix seconds."""
    _heartbeat.set(moment)


def job_finished(lane: str, seconds: float, *, well: bool) -> None:
    _jobs.labels(lane).observe(seconds)
    if not well:
        _failed_jobs.labels(lane).inc()


def computation_waiting() -> AbstractContextManager[None]:
    """Surrounds the wait for a turn to compute."""
    return _computing_waiting.track_inprogress()


def computation_refused(reason: str) -> None:
    """`reason` is full or late."""
    _computing_refused.labels(reason).inc()


def computation_finished(function: str, seconds: float) -> None:
    _computing_took.labels(function).observe(seconds)


def computing_process_ended(reason: str) -> None:
    """`reason` is calls, memory or died."""
    _computing_ended.labels(reason).inc()
