"""The checks of stored work: what is late, fails, or waits for a person, of all tenants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta

from einvoice import clock
from einvoice.cli.doctor_problem import Problem
from einvoice.config import Settings
from einvoice.domain.connections import USABLE, State
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import AccessPoint
from einvoice.services.account import claims
from einvoice.services.connections import accounts, withdrawals
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.delivery import operations
from einvoice.services.inbound import mailboxes
from einvoice.services.participants import entries
from einvoice.services.reporting import reports
from einvoice.store import outbox
from einvoice.store.account import participants
from einvoice.store.account.entries import LateEntry
from einvoice.store.account.participants import MovedParticipant, PendingClaim
from einvoice.store.inbound import notices
from einvoice.store.installation import plugin_duties
from einvoice.store.sending import messages

MAX_OVERDUE_SECONDS = 60.0
MAX_UNTAKEN = timedelta(hours=6)
MAX_SHOWN_CLAIMS = 10
MAX_NAMED_MAILBOXES = 10
MAX_SHOWN_TOKENS = 20
MAX_SHOWN_REPORTS = 10
_NEEDS_ATTENTION = frozenset({State.NEEDS_PERSON, State.BROKEN, State.RENEWAL_DUE})


def problems(points: Iterable[AccessPoint]) -> Iterator[Problem]:
    """All problems of stored work, in the order in which to fix them.

    points  the access points, whose networks forget documents of mailboxes
    """
    yield from check_lanes()
    yield from check_refused_address(points)
    yield from check_duties()
    yield from check_sequences()
    yield from check_notices()
    yield from check_untaken()
    yield from check_attention()
    yield from check_reports()
    yield from check_period_reports()
    yield from check_connections()
    yield from check_mailboxes(points)
    yield from check_claims()
    yield from check_moved()
    yield from check_entries(points)


def check_lanes() -> Iterator[Problem]:
    now = clock.now()
    for lane in outbox.LANES:
        age = outbox.oldest_due([lane], now)
        if age > MAX_OVERDUE_SECONDS:
            yield Problem(
                f"Work of the lane {lane} has been due for {age:.0f} seconds",
                f"einvoice relay, einvoice worker {lane}, or more workers",
            )


def check_refused_address(points: Iterable[AccessPoint]) -> Iterator[Problem]:
    for point in points:
        refusal = refusal_of(point)
        if refusal is not None:
            yield Problem(
                f"{point.name} refuses this service, and no account is at fault, since "
                f"{refusal.since:%Y-%m-%d %H:%M}: {refusal.reason}",
                "it is tried every few minutes, and documents wait; ask the support of the network "
                "whether it blocks the address of this service",
            )


def check_duties() -> Iterator[Problem]:
    for duty in plugin_duties.failing():
        yield Problem(
            f"The duty {duty.name} of the plugin {duty.plugin} failed, {duty.failures} times in a "
            f"row: {duty.fault}",
            "it is repeated; the documentation of the plugin may help",
            serious=False,
        )


def check_sequences() -> Iterator[Problem]:
    for one in operations.blocking_sequences():
        if one.attention:
            yield Problem(
                f"{one.waiting} transmissions wait for {one.holder}, which needs an operator",
                "einvoice transmissions sequences",
                serious=False,
            )


def check_notices() -> Iterator[Problem]:
    failing = notices.count_failing()
    if failing:
        yield Problem(
            f"{failing} calls of access points about documents and messages fail",
            "they are repeated, for a day or until they succeed; the log of the worker of the lane "
            "plugins has the fault",
            serious=False,
        )


def check_untaken() -> Iterator[Problem]:
    """Networks that have not taken a document for hours, without those that a receiver has."""
    for one in outbox.oldest_unsettled():
        if one.waits_for == "network" and clock.now() - one.since > MAX_UNTAKEN:
            yield Problem(
                f"{one.access_point} has not taken its oldest document since "
                f"{one.since:%Y-%m-%d %H:%M}",
                "ask the network, or see its page of the console",
                serious=False,
            )


def check_attention() -> Iterator[Problem]:
    kinds = Counter(each.kind is None for each in operations.needing_attention())
    for name, waiting in (("transmissions", kinds[True]), ("messages", kinds[False])):
        if waiting:
            yield Problem(
                f"{waiting} {name} need an operator",
                "einvoice transmissions attention",
                serious=False,
            )


def check_reports() -> Iterator[Problem]:
    for one in messages.overdue_reports(clock.now()):
        yield Problem(
            f"{one.count} reports to the tax authority of {one.reports_to} are overdue, the oldest "
            f"since {one.oldest_due_at:%Y-%m-%d %H:%M}",
            "einvoice transmissions attention, for those that failed; the others are repeated "
            "until their network is back",
        )


def check_period_reports() -> Iterator[Problem]:
    today = clock.today()
    for one in reports.unfinished(today, MAX_SHOWN_REPORTS):
        late = one.due_on < today
        words = f"was due on {one.due_on}" if late else f"is due on {one.due_on}"
        reason = f": {one.fault}" if one.fault else ""
        yield Problem(
            f"The report of {one.kind} of {one.account} at {one.access_point} from {one.starts_on} "
            f"to {one.ends_on} is {one.status} and {words}{reason}",
            "einvoice transmissions attention; check the connection, and workers of the lane "
            "chores; a refused report is repeated by its tenant",
            serious=late,
        )
    for one in reports.incomplete(today, MAX_SHOWN_REPORTS):
        yield Problem(
            f"The report of {one.kind} of {one.account} at {one.access_point}, due on "
            f"{one.due_on}, leaves out {len(one.left_out)} documents: {one.left_out[0]['reason']}",
            "the tenant sees them at the dashboard, under connections",
            serious=False,
        )


def reporting_gaps(points: AccessPoints, settings: Settings) -> Iterator[Problem]:
    for record, gap in reports.gaps(points, settings, clock.today(), MAX_SHOWN_REPORTS):
        yield Problem(
            f"The connection {record.name} ({record.account}, {record.access_point}) cannot report "
            f"to the tax authority: {gap}",
            "its tenant gives what is missing: PATCH /api/connections/{connectionId}",
            serious=False,
        )


def check_connections() -> Iterator[Problem]:
    for one in accounts.count_by_state():
        if one.state in _NEEDS_ATTENTION:
            ends = f"; the soonest ends on {one.soonest_end:%Y-%m-%d}" if one.soonest_end else ""
            message = f"Connections to networks in the state {one.state}: {one.count}{ends}"
            yield Problem(message, "einvoice connections list", serious=False)
    late = withdrawals.count_late()
    if late:
        yield Problem(
            f"{late} consents of removed connections are not withdrawn at their networks",
            "it is tried for a week; the log of the worker of the lane plugins has the reason",
            serious=False,
        )


def check_claims() -> Iterator[Problem]:
    now, waiting = clock.now(), claims.pending()
    shown = waiting[:MAX_SHOWN_CLAIMS]
    for one in shown:
        days = (now - one.created_at).days
        others = ", contested" if one.contested else ""
        yield Problem(
            f"The tenant {one.tenant_name} has claimed {one.participant} in {one.environment} for "
            f"{days} days{others}",
            f"einvoice participants approve {_named(one)} --reason …, or reject",
            serious=False,
        )
    if len(waiting) > len(shown):
        yield Problem(
            f"{len(waiting) - len(shown)} more claims of participant ids wait for a decision",
            "einvoice participants pending",
            serious=False,
        )


def check_moved() -> Iterator[Problem]:
    count = participants.count_moved()
    for one in participants.moved(MAX_SHOWN_CLAIMS):
        yield Problem(
            f"The network does not name this service for {one.participant} of the tenant "
            f"{one.tenant_name} in {one.environment} since {one.since:%Y-%m-%d}: {one.reason}",
            f"einvoice participants network {one.tenant_id}; register it again, or release it: "
            f"einvoice participants remove {_named(one)}",
            serious=False,
        )
    if count > MAX_SHOWN_CLAIMS:
        yield Problem(
            f"{count - MAX_SHOWN_CLAIMS} more participant ids have moved away from this service",
            "if they are many of one day: compare certificate and endpoint with those of the SMP",
            serious=False,
        )


def check_entries(points: Iterable[AccessPoint]) -> Iterator[Problem]:
    for kind, count, found in (
        ("does not list", entries.count_refused(), entries.refused(MAX_SHOWN_CLAIMS)),
        ("has not answered about", entries.count_late(), entries.late(MAX_SHOWN_CLAIMS)),
    ):
        for one in found:
            yield Problem(
                f"The directory of {one.access_point} {kind} {one.participant} of the tenant "
                f"{one.tenant_name} since {one.since:%Y-%m-%d %H:%M}: {one.fault}",
                f"einvoice participants publish {_named(one)}, or move-in",
                serious=False,
            )
        if count > len(found):
            yield Problem(
                f"There are {count - len(found)} more participant ids that a directory {kind}",
                "if they are many of one day: look at the settings of its publisher",
                serious=False,
            )
    environments = {point.name: point.environment for point in points}
    for name, count in entries.unpublished(points).items():
        if count:
            yield Problem(
                f"{count} verified participant ids have no current entry at {name}",
                f"einvoice participants republish --environment {environments[name]}",
                serious=False,
            )


def _named(one: PendingClaim | MovedParticipant | LateEntry) -> str:
    """The arguments of a command about a participant id."""
    return f"{one.tenant_id} {one.participant} --environment {one.environment}"


def check_mailboxes(points: Iterable[AccessPoint]) -> Iterator[Problem]:
    for one in mailboxes.overdue()[:MAX_NAMED_MAILBOXES]:
        since = f"{one.fetched_at:%Y-%m-%d %H:%M}" if one.fetched_at else "the beginning"
        reason = f": {one.fault}" if one.fault else ""
        lost = mailboxes.lost_from(one, points)
        if lost is not None:
            reason += f"; its network forgets documents from {lost:%Y-%m-%d} on"
        yield Problem(
            f"The mailbox of connection {one.connection_id} ({one.access_point}, {one.account}) "
            f"has not been fetched since {since}{reason}",
            "einvoice connections mailboxes; check the connection, and the worker of the lane "
            "plugins",
            serious=lost is not None,
        )


def connections() -> Iterator[str]:
    """The connections of all tenants by state, and the soonest end of those that work."""
    found = accounts.count_by_state()
    if not found:
        return
    yield "connections: " + ", ".join(f"{one.count} {one.state}" for one in found)
    ends = [one.soonest_end for one in found if one.state in USABLE and one.soonest_end]
    if ends:
        yield f"  the soonest ends on {min(ends):%Y-%m-%d}"
    for one in accounts.with_tokens(MAX_SHOWN_TOKENS):
        yield "  " + _tokens(one)


def _tokens(record: ConnectionRecord) -> str:
    """Until when a connection works, when it ends for good, and when it was last renewed."""
    ends = f", consent ends {record.expires_at:%Y-%m-%d}" if record.expires_at else ""
    renewed = f", last renewed {record.renewed_at:%Y-%m-%d %H:%M}" if record.renewed_at else ""
    until = f"valid until {record.valid_until:%Y-%m-%d}{ends}{renewed}"
    return f"{record.access_point} {record.account}: {until}"
