"""The table of work: lanes, the task of each kind of outbox row, duties of the relay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from einvoice.services import retention
from einvoice.store import outbox
from jobs import tasks

ENDPOINTS_PER_JOB = 8  # of a job of webhooks

Task = Callable[[Sequence[int], str], None]  # outbox ids, the token that leases them


@dataclass(frozen=True, slots=True)
class Lane:
    """A queue with workers of its own.

    tasks    the task of each kind of outbox row
    batch    rows per job at most; the rows of a job are of one kind and one access point
    leases   lease until the fence, in units of EINVOICE_QUEUE_LEASE: covers the wait in the queue.
             Passing the fence prolongs it (services/delivery/handover)
    timeout  seconds RQ lets one job run
    endpoints  webhook endpoints a worker posts to at the same time; 0: rows have no endpoint. Such
             a job has rows of several endpoints, `batch` of each at most
    jobs     how many jobs per worker may be queued or running. More where a job starts calls that
             go on after it (services/plugin_calls)
    every    the least seconds between two rounds that hand out rows, which gather meanwhile into
             larger jobs
    goes_on  a job goes on with what comes next in the sequences of its documents, while others wait
    """

    name: str
    tasks: Mapping[str, Task]
    batch: int
    leases: int
    timeout: int
    endpoints: int = 0
    jobs: int = 2
    every: float = 0.0
    goes_on: bool = False


LANES: dict[str, Lane] = {
    lane.name: lane
    for lane in (
        Lane(
            outbox.WAITED,
            {outbox.TRANSMISSION: tasks.advance_transmissions},
            batch=16, leases=1, timeout=180,
        ),
        Lane(
            outbox.BULK,
            {outbox.TRANSMISSION: tasks.advance_transmissions},
            batch=100, leases=1, timeout=600, goes_on=True,
        ),
        Lane(
            outbox.CHORES,
            {
                outbox.TRANSMISSION: tasks.advance_transmissions,
                outbox.LOOKUP: tasks.check_reachability,
                outbox.DUTY: tasks.run_plugin_duties,
                outbox.CLAIM: tasks.check_claims,
                outbox.PUBLICATION: tasks.check_publications,
                outbox.ARCHIVE: tasks.work_on_archive,
                outbox.MESSAGE: tasks.advance_messages,
                outbox.JUDGEMENT: tasks.judge_received_documents,
                outbox.BATCH: tasks.finish_batches,
                outbox.LETTER: tasks.send_letters,
                outbox.MAIL_DOMAIN: tasks.check_mail_domains,
                outbox.REPORT: tasks.report_periods,
            },
            batch=100, leases=1, timeout=600,
        ),
        Lane(
            outbox.WEBHOOKS,
            {outbox.WEBHOOK: tasks.post_webhooks},
            batch=40, leases=2, timeout=600, endpoints=96,
        ),
        Lane(
            outbox.PLUGINS,
            {
                outbox.NOTICE: tasks.notify_access_points,
                outbox.CONNECTION: tasks.check_connections,
                outbox.MAILBOX: tasks.fetch_mailboxes,
                outbox.CONSENT: tasks.withdraw_consents,
                outbox.LEAVE: tasks.leave_networks,
                outbox.EXPORT: tasks.write_exports,
                outbox.ENTRY: tasks.settle_entries,
            },
            batch=50, leases=1, timeout=60, jobs=64, every=0.25,
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Duty:
    """Work that every relay runs regularly, in its own process. Safe to run in several relays.

    run    does a bounded amount of work; returns whether more is left
    every  the interval between two runs; also after a failure
    again  the interval while more is left
    """

    name: str
    run: Callable[[], bool]
    every: timedelta
    again: timedelta = timedelta(seconds=1)


DUTIES: tuple[Duty, ...] = (
    Duty("release expired leases", tasks.release_expired_leases, timedelta(seconds=1)),
    Duty(
        "delete what is past its retention",
        tasks.sweep_retention,
        timedelta(hours=1),
        again=timedelta(seconds=retention.INTERVAL_SECONDS),
    ),
    Duty("count documents for totals", tasks.count_invoices, timedelta(minutes=1)),
    Duty("merge the index of texts", tasks.merge_text_index, timedelta(seconds=5)),
    Duty("schedule the work of the archive", tasks.schedule_archive, timedelta(minutes=1)),
    Duty("schedule duties of plugins", tasks.schedule_plugin_duties, timedelta(minutes=1)),
    Duty("schedule questions to networks", tasks.schedule_publications, timedelta(minutes=1)),
    Duty("schedule fetches of mailboxes", tasks.schedule_mailboxes, timedelta(minutes=1)),
    Duty("schedule reports of periods", tasks.schedule_reports, timedelta(minutes=1)),
    Duty("schedule checks of connections", tasks.schedule_connection_checks, timedelta(minutes=1)),
    Duty("announce API keys that expire", tasks.announce_expiring_keys, timedelta(minutes=10)),
    Duty(
        "announce connections that end",
        tasks.announce_connection_renewals,
        timedelta(minutes=10),
    ),
    Duty("delete rows of purged tenants", tasks.delete_purged_tenants, timedelta(minutes=1)),
    Duty("delete files of exports", tasks.delete_exports, timedelta(minutes=10)),
    Duty("write letters to people", tasks.write_letters, timedelta(minutes=1)),
    Duty("note the last deliveries", tasks.note_deliveries, timedelta(minutes=1)),
    Duty("seal the audit log", tasks.seal_audit_log, timedelta(seconds=30)),
    Duty("resume documents of usable connections", tasks.resume_documents, timedelta(minutes=1)),
)
