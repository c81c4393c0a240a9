"""Metrics read from the database and from Redis whenever /metrics is requested."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.domain.connections import USABLE, State
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services import operator_notes
from einvoice.services.connections import accounts
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.inbound import mailboxes
from einvoice.services.participants import entries
from einvoice.services.readiness import Service
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import participants
from einvoice.store.core import budgets
from einvoice.store.installation import server_state
from einvoice.store.webhooks import webhook_queue

log = logging.get(__name__)


class Gauges(Collector):
    """Gauges of stored work and of the servers, and whether these answer and take writes."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def describe(self) -> list[Metric]:
        """Nothing: registering must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        yield from self._data_directory()
        state = self._runtime.readiness.state()
        yield _value(
            "einvoice_database_writable",
            "1 if the database takes writes, else 0",
            state.database is Service.UP,
        )
        up = state.database is not Service.DOWN
        try:
            with self._runtime.context():
                yield from _redis()
                if up:
                    yield from _stored()
                    yield _refused(self._runtime.access_points)
        except SQLAlchemyError as fault:
            log.warning("no gauges without a database", fault=type(fault).__name__)
            up = False
        yield _value("einvoice_database_up", "1 if the database answers, else 0", up)

    def _data_directory(self) -> Iterator[Metric]:
        found = _family("einvoice_data_directory_bytes", "Disk of the data directory", "kind")
        try:
            disk = shutil.disk_usage(self._runtime.settings.data_path)
        except OSError as fault:
            log.warning("no gauge of the data directory", fault=fault.strerror)
            return
        yield _filled(found, {"size": disk.total, "free": disk.free})


def _family(name: str, documentation: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, documentation, labels=labels)


def _value(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(name, documentation, value=float(value))


def _filled(family: GaugeMetricFamily, values: Mapping[str, float]) -> Metric:
    """The family with a value for each value of its one label."""
    for label, value in values.items():
        family.add_metric([label], value)
    return family


def _stored() -> Iterator[Metric]:
    yield from _outbox()
    yield _unsettled()
    yield from _webhook_endpoints()
    yield from _connections()
    yield _mailboxes()
    yield _moved()
    yield from _entries()
    yield from _server()
    yield from _notes()


def _outbox() -> Iterator[Metric]:
    age = _family(
        "einvoice_outbox_oldest_due_seconds",
        "How long the oldest open row of the lane has been due; 0 if none is",
        "lane",
    )
    rows = _family("einvoice_outbox_rows", "Open rows of the lane, due now or later", "lane")
    now = clock.now()
    open_rows = outbox.open_rows()
    yield _filled(age, {lane: outbox.oldest_due([lane], now) for lane in outbox.LANES})
    lanes = (*outbox.LANES, outbox.PARKED, outbox.WAITING, outbox.PUSHED)
    yield _filled(rows, {lane: open_rows.get(lane, 0) for lane in lanes})


def _unsettled() -> Metric:
    """Gauges of documents that are being sent, retried later, asked about, parked or in order."""
    found = _family(
        "einvoice_transmissions_oldest_unsettled_seconds",
        "Age of the oldest document without a final outcome, by access point and what it waits for:"
        " network, connection or document",
        "access_point",
        "waits_for",
    )
    now = clock.now()
    for one in outbox.oldest_unsettled():
        age = max(0.0, (now - one.since).total_seconds())
        found.add_metric([one.access_point, one.waits_for], age)
    return found


def _webhook_endpoints() -> Iterator[Metric]:
    yield _value(
        "einvoice_webhook_endpoints_in_backoff",
        "Webhook endpoints that timed out and get no requests for a while",
        webhook_queue.in_backoff(clock.now()),
    )
    states = _family(
        "einvoice_webhook_endpoints",
        "Webhook endpoints by state: active, failing (its last request failed), disabled (by the "
        "service, after failures)",
        "state",
    )
    yield _filled(states, webhook_queue.count_by_state())


def _refused(points: Iterable[AccessPoint]) -> Metric:
    found = _family(
        "einvoice_network_refuses_seconds",
        "How long the network has refused this service, whatever the account; 0 if it does not",
        "access_point",
    )
    now = clock.now()
    for point in points:
        refusal = refusal_of(point)
        seconds = 0.0 if refusal is None else (now - refusal.since).total_seconds()
        found.add_metric([point.name], seconds)
    return found


def _mailboxes() -> Metric:
    return _value(
        "einvoice_mailboxes_overdue",
        "Mailboxes that have not been fetched for three of their intervals and an hour",
        len(mailboxes.overdue()),
    )


def _moved() -> Metric:
    return _value(
        "einvoice_participants_moved",
        "Participant ids for which their network named this service, and does not any more",
        participants.count_moved(),
    )


def _entries() -> Iterator[Metric]:
    yield _value(
        "einvoice_participants_refused",
        "Participant ids that the directory of their network does not let this service list",
        entries.count_refused(),
    )
    yield _value(
        "einvoice_participants_unsettled",
        "Participant ids about which the directory of their network has not answered for an hour",
        entries.count_late(),
    )


def _connections() -> Iterator[Metric]:
    found = _family(
        "einvoice_connections",
        "Accounts of tenants at networks, by state, without revoked ones",
        "state",
    )
    states = accounts.count_by_state()
    counts = {one.state: one.count for one in states}
    shown = (state for state in State if state is not State.REVOKED)
    yield _filled(found, {state.value: counts.get(state.value, 0) for state in shown})
    ends = [one.soonest_end for one in states if one.state in USABLE and one.soonest_end]
    soonest = GaugeMetricFamily(
        "einvoice_connections_soonest_end_timestamp_seconds",
        "When the first of the connections that work ends, in Unix seconds; absent if none ends",
        labels=(),
    )
    if ends:
        soonest.add_metric([], min(ends).timestamp())
    yield soonest


def _server() -> Iterator[Metric]:
    """Gauges of PostgreSQL: its clock, and its archive of WAL where there is one."""
    found = server_state.read()
    yield _optional(
        "einvoice_database_clock_difference_seconds",
        "Clock of the database minus that of this machine",
        found.clock_difference,
    )
    yield _optional(
        "einvoice_database_archiving_failing",
        "1 if the last attempt to archive WAL failed; absent without an archive",
        found.archiving_failing,
    )
    yield _optional(
        "einvoice_database_last_archived_timestamp_seconds",
        "When WAL was last archived, in Unix seconds",
        found.last_archived,
    )


def _optional(name: str, documentation: str, value: float | None) -> Metric:
    """A gauge without a sample if there is no value."""
    found = GaugeMetricFamily(name, documentation, labels=())
    if value is not None:
        found.add_metric([], value)
    return found


def _redis() -> Iterator[Metric]:
    writable, memory = 0.0, _family("einvoice_redis_memory_bytes", "Memory of Redis", "kind")
    try:
        budgets.check_writes()
        writable = 1.0
    except (budgets.RedisUnavailable, budgets.WriteRefused):
        pass  # said by the gauge
    yield _value("einvoice_redis_writable", "1 if Redis answers and takes writes, else 0", writable)
    found = budgets.memory()
    if found is not None:
        _filled(memory, {"used": found.used} | ({"limit": found.limit} if found.limit else {}))
    yield memory


def _notes() -> Iterator[Metric]:
    """The notes of commands: runs of `einvoice doctor`, and backups."""
    reports = operator_notes.doctor_reports()
    ran = _family(
        "einvoice_doctor_run_timestamp_seconds",
        "When einvoice doctor last reported from the host, in Unix seconds",
        "host",
    )
    yield _filled(ran, {one.host: one.at.timestamp() for one in reports})
    problems = _family(
        "einvoice_doctor_problems",
        "What einvoice doctor found on the host, by level: note, warning or serious",
        "host",
        "level",
    )
    for one in reports:
        for level, count in one.counts.items():
            problems.add_metric([one.host, level], count)
    yield problems
    yield _certificates(reports)
    backup = operator_notes.last_backup()
    yield _optional(
        "einvoice_backup_timestamp_seconds",
        "When einvoice db note-backup was last run, in Unix seconds",
        None if backup is None else backup.timestamp(),
    )
    restored = operator_notes.last_restored()
    yield _optional(
        "einvoice_backup_restored_timestamp_seconds",
        "When einvoice db note-backup --restored was last run, in Unix seconds",
        None if restored is None else restored.timestamp(),
    )


def _certificates(reports: Iterable[operator_notes.DoctorReport]) -> Metric:
    """As the newest report knows them: a certificate that was replaced is one that ends later."""
    ends = _family(
        "einvoice_certificate_end_timestamp_seconds",
        "When a certificate that einvoice doctor looked at ends, in Unix seconds",
        "certificate",
    )
    newest: dict[str, float] = {}
    for one in sorted(reports, key=lambda report: report.at):
        newest |= {name: end.timestamp() for name, end in one.certificates.items()}
    return _filled(ends, newest)
