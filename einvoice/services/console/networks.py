"""How the networks are: what waits, what failed lately, certificates, mailboxes, connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.network.facts import Fact
from einvoice.network.types import AccessPoint
from einvoice.services import operator_notes
from einvoice.services.connections import accounts, facts
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.inbound import mailboxes
from einvoice.services.inbound.mailboxes import MailboxRecord
from einvoice.services.reporting import reports
from einvoice.services.reporting.reports import PeriodReportRecord
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.sending import recent_outcomes

RECENT = timedelta(hours=24)
MAX_MAILBOXES = 100


@dataclass(frozen=True, slots=True)
class Waiting:
    """The oldest document without a final outcome that waits for this."""

    waits_for: str
    since: datetime


@dataclass(frozen=True, slots=True)
class NetworkState:
    """An access point: what waits there, and what became of the documents of the last day.

    refused_since, refusal  the network refuses this service, whatever the account
    mailboxes_late          mailboxes that are not fetched as often as they should be
    accounts_blocked        connections of tenants that a person has to mend
    facts                   what the access point says of itself
    """

    access_point: str
    network: str
    environment: str
    waiting: Sequence[Waiting]
    delivered: int
    failed: int
    processing: int
    refused_since: datetime | None
    refusal: str | None
    mailboxes_late: int
    accounts_blocked: int = 0
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate that `einvoice doctor` has looked at."""

    name: str
    ends_at: datetime

    @property
    def days(self) -> int:
        """Whole days until its end; negative after it."""
        return (self.ends_at - clock.now()).days


@dataclass(frozen=True, slots=True)
class Networks:
    """All of them, with what is not of one access point."""

    states: Sequence[NetworkState]
    certificates: Sequence[Certificate]
    mailboxes: Sequence[MailboxRecord]
    connections: Sequence[accounts.StateCount]
    lanes: Sequence[Lane] = field(default_factory=tuple)
    reports: Sequence[PeriodReportRecord] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """A queue: its open work, and for how many seconds the oldest has been due."""

    name: str
    rows: int
    due_seconds: int


def state(runtime: Runtime) -> Networks:
    """The state of all access points that are installed."""
    late = mailboxes.overdue()
    return Networks(
        states=_states(runtime, late),
        certificates=certificates(),
        mailboxes=late[:MAX_MAILBOXES],
        connections=accounts.count_by_state(),
        lanes=_lanes(),
        reports=reports.due_soon(),
    )


def certificates() -> list[Certificate]:
    """Those that the newest reports of `einvoice doctor` know, the first to end first."""
    newest: dict[str, datetime] = {}
    for report in sorted(operator_notes.doctor_reports(), key=lambda report: report.at):
        newest |= report.certificates
    return sorted((Certificate(*each) for each in newest.items()), key=lambda one: one.ends_at)


def _states(runtime: Runtime, late: Sequence[MailboxRecord]) -> list[NetworkState]:
    waiting: dict[str, list[Waiting]] = {}
    for one in outbox.oldest_unsettled():
        waiting.setdefault(one.access_point, []).append(Waiting(one.waits_for, one.since))
    blocked = accounts.count_needing_person()
    counted = recent_outcomes.by_access_point(clock.now() - RECENT)
    return [
        replace(
            _state(point, waiting.get(point.name, ()), counted.get(point.name, {}), late),
            accounts_blocked=blocked.get(point.name, 0),
            facts=facts.of_access_point(point, runtime),
        )
        for point in runtime.access_points
    ]


def _state(
    point: AccessPoint,
    waiting: Sequence[Waiting],
    counted: Mapping[str, int],
    late: Sequence[MailboxRecord],
) -> NetworkState:
    refusal = refusal_of(point)
    return NetworkState(
        access_point=point.name,
        network=point.network,
        environment=point.environment.value,
        waiting=sorted(waiting, key=lambda one: one.since),
        delivered=counted.get("Delivered", 0),
        failed=counted.get("Failed", 0),
        processing=counted.get("Processing", 0),
        refused_since=None if refusal is None else refusal.since,
        refusal=None if refusal is None else refusal.reason,
        mailboxes_late=sum(1 for one in late if one.access_point == point.name),
    )


def _lanes() -> list[Lane]:
    now, open_rows = clock.now(), outbox.open_rows()
    lanes = [Lane(lane, open_rows.get(lane, 0), int(outbox.oldest_due([lane], now)))
             for lane in outbox.LANES]  # fmt: skip
    apart = (outbox.PARKED, outbox.WAITING, outbox.PUSHED)
    return lanes + [Lane(lane, open_rows.get(lane, 0), 0) for lane in apart]
