"""Metrics read from the database whenever /metrics is requested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.connections import accounts
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.inbound import mailboxes
from einvoice.store import outbox, webhook_queue

log = logging.get(__name__)


class Gauges(Collector):
    """Gauges of outbox and connections, and whether the database answers."""

    def __init__(
        self,
        context: Callable[[], AbstractContextManager[object]],
        points: Iterable[AccessPoint] = (),
    ) -> None:
        self._context, self._points = context, tuple(points)

    def describe(self) -> list[Metric]:
        """Nothing: registering must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("einvoice_database_up", "1 if the database answers, else 0")
        try:
            with self._context():
                yield from _outbox()
                yield _connections()
                yield _mailboxes()
                yield _refused(self._points)
        except SQLAlchemyError as fault:
            log.warning("no gauges without a database", fault=type(fault).__name__)
            up.add_metric([], 0)
        else:
            up.add_metric([], 1)
        yield up


def _outbox() -> Iterator[Metric]:
    age = GaugeMetricFamily(
        "einvoice_outbox_oldest_due_seconds",
        "How long the oldest open row of the lane has been due; 0 if none is",
        labels=["lane"],
    )
    rows = GaugeMetricFamily(
        "einvoice_outbox_rows", "Open rows of the lane, due now or later", labels=["lane"]
    )
    now = clock.now()
    open_rows = outbox.open_rows()
    for lane in outbox.LANES:
        age.add_metric([lane], outbox.oldest_due([lane], now))
        rows.add_metric([lane], open_rows.get(lane, 0))
    for lane in (outbox.PARKED, outbox.WAITING):
        rows.add_metric([lane], open_rows.get(lane, 0))
    backoff = GaugeMetricFamily(
        "einvoice_webhook_endpoints_in_backoff",
        "Webhook endpoints that timed out and get no requests for a while",
        value=webhook_queue.in_backoff(now),
    )
    yield from (age, rows, backoff)


def _refused(points: Iterable[AccessPoint]) -> Metric:
    found = GaugeMetricFamily(
        "einvoice_network_refuses_seconds",
        "How long the network has refused this service, whatever the account; 0 if it does not",
        labels=["access_point"],
    )
    now = clock.now()
    for point in points:
        refusal = refusal_of(point)
        seconds = 0.0 if refusal is None else (now - refusal.since).total_seconds()
        found.add_metric([point.name], seconds)
    return found


def _mailboxes() -> Metric:
    return GaugeMetricFamily(
        "einvoice_mailboxes_overdue",
        "Mailboxes that have not been fetched for three of their intervals and an hour",
        value=len(mailboxes.overdue()),
    )


def _connections() -> Metric:
    found = GaugeMetricFamily(
        "einvoice_connections",
        "Accounts of tenants at networks, by state, without revoked ones",
        labels=["state"],
    )
    counts = {one.state: one.count for one in accounts.count_by_state()}
    for state in State:
        if state is not State.REVOKED:
            found.add_metric([state.value], counts.get(state.value, 0))
    return found
