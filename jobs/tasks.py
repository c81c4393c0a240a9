"""The functions that the table of work names, each around a service. Each may run twice.

Jobs in Redis carry the names of the functions for outbox rows. Renaming one loses the jobs that are
queued during an upgrade, which delays them by the length of a lease.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from einvoice import clock
from einvoice.observability import logging
from einvoice.services import plugin_duties, retention
from einvoice.services.account import audit_sealing, key_expiry, mail_domains
from einvoice.services.archive import work as archive
from einvoice.services.connections import leaving, parked_documents, periodic, renewals, withdrawals
from einvoice.services.console import service_status
from einvoice.services.delivery import transmit
from einvoice.services.inbound import later_evaluation, mailboxes, notices
from einvoice.services.invoices.block_counts import CountingRound
from einvoice.services.letters import sending, writing
from einvoice.services.participants import claim_checks, entries, publication_checks, reachability
from einvoice.services.reporting import rounds
from einvoice.services.send import batch_ends
from einvoice.services.tenant_data import export_jobs, purge
from einvoice.services.webhooks import deliveries
from einvoice.services.webhooks.deliveries import Dispatcher
from einvoice.store import outbox
from einvoice.store.invoices import text_index
from einvoice.web.runtime import runtime

log = logging.get(__name__)

# -- kinds of outbox rows --------------------------------------------------------------------------


def advance_transmissions(outbox_ids: Sequence[int], token: str) -> None:
    """Submit, poll or resolve the transmissions of these rows; in some lanes, also those that come
    after them in their sequences."""
    advance = transmit.follow if _GOES_ON.get() else transmit.take_turn
    advance(outbox_ids, token, runtime())


_GOES_ON: ContextVar[bool] = ContextVar("goes_on", default=False)


@contextmanager
def going_on() -> Iterator[None]:
    """Within the block jobs go on with what comes next in the sequences of their documents."""
    reset = _GOES_ON.set(True)
    try:
        yield
    finally:
        _GOES_ON.reset(reset)


def advance_messages(outbox_ids: Sequence[int], token: str) -> None:
    """`advance_transmissions` of messages without an invoice."""
    transmit.take_turn(outbox_ids, token, runtime())


def check_reachability(outbox_ids: Sequence[int], token: str) -> None:
    """Look up the directory entries of these rows on the network."""
    reachability.check(outbox_ids, token, runtime())


def judge_received_documents(outbox_ids: Sequence[int], token: str) -> None:
    """Judge the received documents of these rows, which were stored unread."""
    later_evaluation.judge(outbox_ids, token, runtime())


def finish_batches(outbox_ids: Sequence[int], token: str) -> None:
    """Announce the batches of these rows of which no document is open."""
    batch_ends.run(outbox_ids, token)


def send_letters(outbox_ids: Sequence[int], token: str) -> None:
    """Send the e-mails to people of these rows."""
    sending.run(outbox_ids, token, runtime())


def notify_access_points(outbox_ids: Sequence[int], token: str) -> None:
    """Call access points about the documents and messages of these rows."""
    notices.run(outbox_ids, token, runtime())


def check_connections(outbox_ids: Sequence[int], token: str) -> None:
    """Check the connections of these rows."""
    periodic.run(outbox_ids, token, runtime())


def fetch_mailboxes(outbox_ids: Sequence[int], token: str) -> None:
    """Fetch from the mailboxes of these rows."""
    mailboxes.run(outbox_ids, token, runtime())


def withdraw_consents(outbox_ids: Sequence[int], token: str) -> None:
    """Withdraw the consents of these rows at their networks."""
    withdrawals.run(outbox_ids, token, runtime())


def leave_networks(outbox_ids: Sequence[int], token: str) -> None:
    """Leave the networks of these rows, whose connections have ended."""
    leaving.run(outbox_ids, token, runtime())


def run_plugin_duties(outbox_ids: Sequence[int], token: str) -> None:
    """Run the duties of plugins of these rows."""
    plugin_duties.run(outbox_ids, token, runtime())


def work_on_archive(outbox_ids: Sequence[int], token: str) -> None:
    """Move documents and evidence to the archive, and drop those past their retention."""
    archive.run(outbox_ids, token, runtime())


def check_claims(outbox_ids: Sequence[int], token: str) -> None:
    """Ask networks about the claims of participant ids of these rows."""
    claim_checks.check(outbox_ids, token, runtime())


def check_mail_domains(outbox_ids: Sequence[int], token: str) -> None:
    """Ask DNS about the domains of these rows, from which tenants send mails."""
    mail_domains.check_rows(outbox_ids, token, runtime())


def check_publications(outbox_ids: Sequence[int], token: str) -> None:
    """Ask networks whether they still name this service for participant ids."""
    publication_checks.run(outbox_ids, token, runtime())


def report_periods(outbox_ids: Sequence[int], token: str) -> None:
    """Collect for and send the reports of periods of the connections of these rows."""
    rounds.run(outbox_ids, token, runtime())


def settle_entries(outbox_ids: Sequence[int], token: str) -> None:
    """Publish or withdraw the participant ids of these rows."""
    entries.run(outbox_ids, token, runtime())


def write_exports(outbox_ids: Sequence[int], token: str) -> None:
    """Write the exports of these rows."""
    export_jobs.run(outbox_ids, token, runtime())


def post_webhooks(outbox_ids: Sequence[int], token: str) -> None:
    """Post the webhook deliveries of these rows; in a worker, beside earlier jobs."""
    dispatcher = _DISPATCHER.get()
    if dispatcher is None:
        deliveries.deliver(outbox_ids, token, runtime().settings)
    else:
        dispatcher.accept(outbox_ids, token)


_DISPATCHER: ContextVar[Dispatcher | None] = ContextVar("dispatcher", default=None)


@contextmanager
def dispatching(dispatcher: Dispatcher) -> Iterator[None]:
    """Within the block jobs of webhooks are handed to this dispatcher."""
    with dispatcher:
        reset = _DISPATCHER.set(dispatcher)
        try:
            yield
        finally:
            _DISPATCHER.reset(reset)


# -- duties of the relay ---------------------------------------------------------------------------


def release_expired_leases() -> bool:
    """Make the rows due again whose worker is gone or too slow."""
    released = outbox.release_expired(clock.now())
    if released:
        log.warning("leases ended without an answer", rows=released)
    return False


def schedule_plugin_duties() -> bool:
    """Insert the rows of duties of plugins that have none."""
    plugin_duties.schedule(runtime())
    return False


def schedule_connection_checks() -> bool:
    """Insert the rows of connections that have none."""
    return periodic.schedule(runtime())


def schedule_mailboxes() -> bool:
    """Insert the mailboxes and rows of connections that have none."""
    return mailboxes.schedule(runtime())


def schedule_publications() -> bool:
    """Insert the row of the questions to networks if it has none."""
    publication_checks.schedule(runtime())
    return False


def schedule_reports() -> bool:
    """Insert the missing rows of reports of periods."""
    return rounds.schedule(runtime())


def schedule_archive() -> bool:
    """Insert the row of the archive's work if it has none."""
    archive.schedule(runtime().settings)
    return False


def sweep_retention() -> bool:
    """Delete old rows for a moment."""
    return retention.sweep_for(retention.RUN_SECONDS).more


_COUNTING = CountingRound()


def count_invoices() -> bool:
    """Count the documents of a few tenants, for totals."""
    return _COUNTING.step()


def merge_text_index() -> bool:
    """Merge what sends have appended to the index of texts."""
    text_index.merge()
    return False


def announce_expiring_keys() -> bool:
    """Emit the event for every API key that expires soon."""
    key_expiry.warn()
    return False


def resume_documents() -> bool:
    """Resume parked documents of connections that can be used again."""
    resumed = parked_documents.reconcile()
    if resumed:
        log.warning("parked documents of usable connections", documents=resumed)
    return False


def announce_connection_renewals() -> bool:
    """Emit the event for every connection that ends soon."""
    renewals.announce()
    return False


def seal_audit_log() -> bool:
    """Seal entries of the audit log that have no seal."""
    return audit_sealing.sweep(runtime().settings)


def write_letters() -> bool:
    """Write the e-mails to people that are due."""
    return writing.write(runtime())


def note_deliveries() -> bool:
    """Note when each network delivered last, for /status."""
    return service_status.note_deliveries()


def delete_purged_tenants() -> bool:
    """Delete rows of tenants whose purge has begun, for a moment."""
    return purge.sweep(retention.RUN_SECONDS)


def delete_exports() -> bool:
    """Delete files of exports that are older than they are kept."""
    export_jobs.sweep(runtime().settings)
    return False
