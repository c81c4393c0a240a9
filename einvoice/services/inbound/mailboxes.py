"""Fetching documents from the mailboxes of connections.

Each mailbox has an outbox row of the lane `plugins`, which the relay inserts where it is missing. A
fetch holds the lease of its connection, so it does not run beside a check or another fetch. What it
returns is read before the transaction that stores documents, cursor, connection and the time of the
next fetch: a worker that is killed before it fetches again from the same cursor, and documents that
are known are not stored again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import uniform
from typing import Any

from sqlalchemy.engine import Connection as DatabaseConnection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.connections import USABLE, State
from einvoice.domain.environments import Environment
from einvoice.mail import one_line
from einvoice.network.access_points import AccessPoints
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.connections import Broken, Connection, NeedsPerson
from einvoice.network.mailboxes import (
    MAX_BYTES,
    MAX_CURSOR_LENGTH,
    MAX_DOCUMENTS,
    MAX_INTERVAL,
    MAX_KNOWN,
    MAX_NEWS,
    MAX_SECONDS,
    MIN_INTERVAL,
    Fetched,
    FetchOutcome,
    FetchTerms,
    ForgetsMailboxes,
    Mailbox,
    MailboxDocument,
    News,
    NotFetched,
    ReadsAgain,
    ReceivedInvoice,
    SentInvoice,
    UnusableMessage,
)
from einvoice.network.messages import FollowsDocuments
from einvoice.network.types import AccessPoint
from einvoice.observability import logging, metrics
from einvoice.security.sealing import SealBroken
from einvoice.services import plugin_calls
from einvoice.services.connections import checks, sealing
from einvoice.services.delivery import pushed_outcomes
from einvoice.services.inbound import arrival_storage
from einvoice.services.inbound.arrival_storage import Arrival, ReadArrival
from einvoice.services.runtime import Runtime
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.connections import connections
from einvoice.store.connections.connections import ConnectionRecord, SealedConnection
from einvoice.store.core import db
from einvoice.store.inbound import bill_arrivals, received
from einvoice.store.inbound import mailboxes as stored
from einvoice.store.inbound.mailboxes import MailboxRecord as MailboxRecord
from einvoice.store.inbound.received import MessageKey
from einvoice.store.outbox import Held
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Work

log = logging.get(__name__)

MAX_CALLS = 8  # fetches of one access point at the same time in a worker, or its concurrency
MAX_SCHEDULED = 500
MAX_LISTED = 1000
STORE_SECONDS = 120.0  # for reading and storing what was fetched
# Until a mailbox is looked at again whose connection cannot be used, or is in use.
UNUSABLE_PAUSE, BUSY_PAUSE = timedelta(minutes=15), timedelta(seconds=10)
MIN_BACKOFF = timedelta(seconds=30)
MAX_RETRY_AFTER = timedelta(days=1)
# A mailbox is overdue after so many intervals and an hour without a successful fetch.
OVERDUE_INTERVALS, OVERDUE_AFTER = 3, timedelta(hours=1)
_PREFIX = "mbx_"
_SENDER = "mailbox"  # in the key of a message: the id was given by the mailbox, not by the sender

_shares = Shares()
_calls = Shares(MAX_CALLS)


@dataclass(frozen=True, slots=True)
class Job:
    """A fetch: the row and its token, the mailbox, and the connection that it has leased."""

    row: Held
    token: str
    runtime: Runtime
    point: Mailbox
    terms: FetchTerms
    mailbox: MailboxRecord
    leased: SealedConnection
    began: datetime

    @property
    def access_point(self) -> str:
        return self.mailbox.access_point


# -- when ------------------------------------------------------------------------------------------


def schedule(runtime: Runtime) -> bool:
    """Insert the missing mailboxes and rows, due within a minute; whether there may be more."""
    offered = {point.name: point for point in runtime.access_points if isinstance(point, Mailbox)}
    missing = connections.without_row(_PREFIX, MAX_SCHEDULED, list(offered)) if offered else []
    now = clock.now()
    for one in missing:
        every = terms_of(offered[one.access_point]).every.total_seconds()
        with db.writing() as connection:
            stored.add(connection, one.id, one.tenant_id, one.access_point, every, now)
            outbox.enqueue(
                connection,
                kind=outbox.MAILBOX,
                lane=outbox.PLUGINS,
                subject_id=_PREFIX + one.id,
                tenant_id=one.tenant_id,
                due_at=now + timedelta(seconds=uniform(0.0, 60.0)),
                access_point=one.access_point,
            )
    return len(missing) == MAX_SCHEDULED


def terms_of(point: Mailbox) -> FetchTerms:
    """The terms of the access point, within bounds."""
    terms = point.fetch_terms()
    return FetchTerms(
        min(max(terms.every, MIN_INTERVAL), MAX_INTERVAL),
        min(max(terms.at_least, MIN_INTERVAL), MAX_INTERVAL),
        min(max(terms.seconds, 1.0), MAX_SECONDS),
        terms.kept,
    )


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Start the fetches of these rows, each in a thread that reschedules its row."""
    held = outbox.held(outbox_ids, token, clock.now())
    names = {row.access_point or "" for row in held}
    most = min(runtime.access_points.capabilities_of(n).concurrency for n in names) if names else 1
    plugin_calls.start(
        _shares,
        held,
        token,
        most=min(most, MAX_CALLS),
        call=partial(_work, token, runtime),
        context=runtime.context,
    )


def _work(token: str, runtime: Runtime, row: Held) -> None:
    """Fetch, or say when to look again."""
    connection_id = row.subject_id.removeprefix(_PREFIX)
    mailbox, found = stored.find(connection_id), connections.by_id(connection_id)
    if mailbox is None or found is None or found.state == State.REVOKED:
        _forget(runtime.access_points, row.access_point or "", connection_id)
        _end(row, token, connection_id)
        return
    point = _offered(runtime.access_points, found.access_point)
    due = _not_yet(mailbox, found)
    if point is None or due is not None:
        _postpone(row, token, due or clock.now() + UNUSABLE_PAUSE)
        return
    lease, now, terms = str(uuid.uuid4()), clock.now(), terms_of(point)
    until = now + clock.lasting(timedelta(seconds=terms.seconds + STORE_SECONDS))
    leased = connections.lease(found.tenant_id, found.id, lease, now, until)
    if leased is None:
        _postpone(row, token, now + BUSY_PAUSE * uniform(1.0, 2.0))
        return
    try:
        job = Job(row, token, runtime, point, terms, mailbox, leased, now)
        if _begun(job, until):
            _fetch(job)
    finally:
        connections.release(leased.id, lease, leased.consent_id)


def _offered(points: AccessPoints, name: str) -> Mailbox | None:
    point = points.get(name)
    return point if isinstance(point, Mailbox) else None


def _forget(points: AccessPoints, name: str, connection_id: str) -> None:
    """Let the access point delete what it keeps of a connection that was revoked."""
    point = points.get(name)
    if isinstance(point, ForgetsMailboxes):
        point.forget(connection_id)


def _not_yet(mailbox: MailboxRecord, record: ConnectionRecord) -> datetime | None:
    """When to look again, if it may not be fetched from now."""
    now = clock.now()
    if State(record.state) not in USABLE:
        return now + UNUSABLE_PAUSE
    if mailbox.not_before is not None and mailbox.not_before > now:
        return mailbox.not_before
    return None


def _begun(job: Job, until: datetime) -> bool:
    """Lease the row for the fetch, and record when the next one may begin; False if it is not held
    any more."""
    margin = clock.lasting(timedelta(seconds=job.runtime.settings.lease_margin))
    with db.writing() as connection:
        if not outbox.extend(connection, [job.row.id], job.token, until + margin, job.began):
            return False
        every, id_ = job.terms.every.total_seconds(), job.mailbox.connection_id
        stored.begin(connection, id_, every, job.began + job.terms.at_least)
    return True


def wake(access_point: str, connection_id: str) -> bool:
    """Fetch from the mailbox of a connection as soon as its network lets us; whether it waited."""
    mailbox = stored.find(connection_id)
    if mailbox is None or mailbox.access_point != access_point:
        return False
    with db.writing() as connection:
        return outbox.make_due(connection, _PREFIX + connection_id, clock.now())


def _postpone(row: Held, token: str, due: datetime) -> None:
    with db.writing() as connection:
        outbox.reschedule(connection, [(row.id, outbox.PLUGINS, due)], token)


def _end(row: Held, token: str, connection_id: str) -> None:
    with db.writing() as connection:
        stored.remove(connection, connection_id)
        outbox.complete(connection, [row.id], token)


# -- fetch -----------------------------------------------------------------------------------------


def _fetch(job: Job) -> None:
    try:
        connection = sealing.opened(job.leased, job.runtime.settings)
    except SealBroken:
        _fail(job, checks.UNREADABLE)
        return
    secrets = connection.credentials
    try:
        outcome = _calls.call(job.access_point, _call(job, connection), job.terms.seconds)
    except PluginBusy:
        _fail(job, f"did not end within {job.terms.seconds:g} seconds")
        return
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - its text may hold a secret
        _fail(job, f"the access point raised {type(fault).__name__}")
        return
    match outcome:
        case Fetched():
            _take(job, outcome)
        case NotFetched():
            _fail(job, checks.shown(outcome.reason, secrets), outcome)
        case NeedsPerson() | Broken() if outcome.connection_id == connection.id:
            checks.store(job.leased, connection, outcome, job.runtime.settings)
            _fail(job, checks.shown(outcome.reason, secrets))
        case _:
            _fail(job, "the access point returned no outcome of this connection")


def _call(job: Job, connection: Connection) -> Callable[[], FetchOutcome]:
    point, cursor = job.point, job.mailbox.cursor
    if isinstance(point, ReadsAgain):
        return partial(point.fetch_new, connection, cursor, partial(_known, job))
    return partial(point.fetch, connection, cursor)


def _known(job: Job, instance_ids: Collection[str]) -> frozenset[str]:
    """The ids of the network whose documents are stored for this account."""
    ids = list(instance_ids)[:MAX_KNOWN]
    keys = [_key(job, each) for each in ids]
    found = received.known_among(keys) | bill_arrivals.known_among(keys)
    return frozenset(key.instance_id for key in found)


def _key(job: Job, instance_id: str) -> MessageKey:
    place = f"{job.leased.tenant_id}/{job.leased.account}"
    return MessageKey(job.access_point, instance_id, _SENDER, place)


def _take(job: Job, fetched: Fetched) -> None:
    """Store what was fetched: first the news, which may be applied twice, then the rest."""
    wrong = _fault_of(fetched)
    if wrong is not None:
        log.error("fetched too much", access_point=job.access_point, fault=wrong)
        _fail(job, wrong)
        return
    for news in fetched.news:
        _apply(job, news)
    followed = isinstance(job.point, FollowsDocuments)
    unique = {document.instance_id: document for document in fetched.documents}
    arrivals = [_arrival(job, document, followed=followed) for document in unique.values()]
    new = [_read(job, arrival) for arrival in arrivals if arrival_storage.known(arrival) is None]
    count = _store(job, fetched, new)
    if count is None:
        log.warning("fetch dropped: the mailbox was changed", connection=job.leased.id)
        return
    metrics.mailbox_fetched(job.access_point, "fetched")
    metrics.documents_fetched(job.access_point, count, len(unique) - count)


def _fault_of(fetched: Fetched) -> str | None:
    """The fault that prevents storing it; None if it can be stored."""
    if not isinstance(fetched.cursor, str) or len(fetched.cursor) > MAX_CURSOR_LENGTH:
        return f"the cursor is not a text of at most {MAX_CURSOR_LENGTH:,} characters"
    if len(fetched.documents) > MAX_DOCUMENTS or len(fetched.news) > MAX_NEWS:
        return f"more than {MAX_DOCUMENTS} documents or {MAX_NEWS} news in one fetch"
    if len(fetched.unusable) > MAX_NEWS:
        return f"more than {MAX_NEWS} messages without a document in one fetch"
    size = sum(len(document.document) for document in fetched.documents)
    if size > MAX_BYTES and len(fetched.documents) > 1:
        return f"more than {MAX_BYTES:,} bytes in one fetch"
    return None


def _apply(job: Job, news: News) -> None:
    """Settle a document of this tenant, or keep evidence of it."""
    found = _about(job, news.reference)
    if found is None or found.tenant_id != job.leased.tenant_id:
        log.info("news of no document", access_point=job.access_point, connection=job.leased.id)
        return
    if news.outcome is not None and not isinstance(news.reference, ReceivedInvoice):
        points = job.runtime.access_points
        pushed_outcomes.settle(job.access_point, found.id, news.outcome, points)
    if news.evidence:
        pushed_outcomes.deliver_evidence(job.access_point, found.id, news.evidence)


def _about(job: Job, reference: str | SentInvoice | ReceivedInvoice) -> Work | None:
    """The document that news are about; one that is named by its number is of this connection."""
    if isinstance(reference, str):
        return transmissions.by_reference(job.access_point, reference)
    scope = job.leased.tenant_id, job.leased.environment
    if isinstance(reference, ReceivedInvoice):
        return transmissions.received_by_number(
            job.access_point, scope, reference.number, reference.issue_date, reference.seller
        )
    number, issue_date = reference.number, reference.issue_date
    return transmissions.by_number(job.leased.id, scope, number, issue_date)


def _arrival(job: Job, document: MailboxDocument, *, followed: bool) -> Arrival:
    connection = job.leased
    return Arrival(
        key=_key(job, document.instance_id),
        tenant_id=connection.tenant_id,
        environment=Environment(connection.environment),
        sender=document.sender,
        receiver=document.receiver,
        document_type=document.document_type,
        process=document.process,
        document=document.document,
        evidence=document.evidence,
        state=document.state if followed else None,
        connection_id=connection.id,
        stated=document.stated,
        warnings=document.warnings,
        gl_account_code=connection.gl_account_code,
        seller_id=document.seller_id,
    )


def _read(job: Job, arrival: Arrival) -> ReadArrival:
    return arrival_storage.read(arrival, job.runtime.computing, job.runtime.forms)


# -- store -----------------------------------------------------------------------------------------


def _store(job: Job, fetched: Fetched, new: Sequence[ReadArrival]) -> int | None:
    """Store documents, cursor, connection and the next fetch in one transaction; how many documents
    are new. None if the row or the mailbox has another holder."""
    now = clock.now()
    not_before, due = _next(job, fetched, now)
    with db.writing_session() as database:
        connection = database.connection()
        if not _is_mine(connection, job, now):
            return None
        count = sum(_added(connection, one) for one in new)
        if not stored.advance(connection, job.mailbox, fetched.cursor, count, now):
            database.rollback()
            return None
        stored.delay(connection, job.mailbox.connection_id, not_before)
        _tell_of_unusable(connection, job, fetched.unusable)
        _renew(database, job, fetched)
        outbox.reschedule(connection, [(job.row.id, outbox.PLUGINS, due)], job.token)
    return count


def _tell_of_unusable(
    connection: DatabaseConnection, job: Job, messages: Sequence[UnusableMessage]
) -> None:
    """Tell the tenant of messages without a document, with the cursor after them."""
    deliveries.emit_many(connection, [_unusable_event(job, each) for each in messages])


def _unusable_event(job: Job, message: UnusableMessage) -> deliveries.NewEvent:
    sender, subject = one_line(message.sender, 200), one_line(message.subject, 200)
    return deliveries.NewEvent(
        tenant_id=job.leased.tenant_id,
        environment=job.leased.environment,
        type=events.MAIL_WITHOUT_INVOICE,
        invoice_id=None,
        payload={
            "connectionId": job.leased.id,
            "name": f"{sender}: {subject}",
            "sender": sender,
            "subject": subject,
            "reasons": [one_line(each, 300) for each in message.reasons[:20]],
        },
    )


def _added(connection: DatabaseConnection, new: ReadArrival) -> bool:
    """Store a document; one whose content the database refuses without it."""
    try:
        with connection.begin_nested():
            return arrival_storage.add(connection, new)
    except (OperationalError, InterfaceError):
        raise
    except (DBAPIError, ValueError) as fault:
        log.error(
            "document stored unread",
            access_point=new.arrival.key.access_point,
            fault=type(fault).__name__,
        )
    return arrival_storage.add(connection, arrival_storage.unread(new.arrival))


def _next(job: Job, fetched: Fetched, now: datetime) -> tuple[datetime, datetime]:
    """Before when no fetch may begin, and when the next one is due."""
    not_before = max(job.began + job.terms.at_least, now + _wait(fetched.retry_after))
    moved = fetched.cursor != job.mailbox.cursor
    due = now if fetched.more and moved else now + job.terms.every * uniform(0.95, 1.05)
    return not_before, max(not_before, due)


def _wait(seconds: float | None) -> timedelta:
    wanted = timedelta(seconds=max(0.0, seconds or 0.0))
    return min(wanted, MAX_RETRY_AFTER)


def _is_mine(connection: DatabaseConnection, job: Job, now: datetime) -> bool:
    """Whether the token still leases the row, which is locked until the commit."""
    until = now + clock.lasting(timedelta(seconds=1))
    return bool(outbox.extend(connection, [job.row.id], job.token, until, now))


def _renew(database: DatabaseSession, job: Job, outcome: Fetched | NotFetched) -> None:
    """Replace credentials and state of the connection, unless a person has changed it."""
    values = _sealed(job, {
        "credentials": outcome.credentials, "plugin_state": outcome.connection_state
    })  # fmt: skip
    if values and not connections.change(database, job.leased, values):
        log.warning("state dropped: the connection was changed", connection=job.leased.id)


def _sealed(job: Job, given: Mapping[str, Mapping[str, str] | None]) -> dict[str, Any]:
    try:
        return {
            column: sealing.sealed_again(job.leased, column, values, job.runtime.settings)
            for column, values in given.items()
            if values is not None
        }
    except sealing.TooMuchToSeal as fault:
        log.error("state not stored", connection=job.leased.id, fault=str(fault))
        return {}


def _fail(job: Job, fault: str, outcome: NotFetched | None = None) -> None:
    """Record a fetch without documents, and try again after a pause that grows."""
    now = clock.now()
    not_before = max(
        job.began + job.terms.at_least, now + _wait(outcome.retry_after if outcome else None)
    )
    pause = min(job.terms.every, MIN_BACKOFF * (1 << min(job.mailbox.failures, 10)))
    with db.writing_session() as database:
        connection = database.connection()
        if not _is_mine(connection, job, now):
            return
        stored.record_failure(connection, job.mailbox.connection_id, fault)
        stored.delay(connection, job.mailbox.connection_id, not_before)
        if outcome is not None:
            _renew(database, job, outcome)
        due = max(not_before, now + pause)
        outbox.reschedule(connection, [(job.row.id, outbox.PLUGINS, due)], job.token)
    metrics.mailbox_fetched(job.access_point, "failed")
    log.warning(
        "mailbox not fetched",
        connection=job.leased.id,
        access_point=job.access_point,
        fault=fault,
        failures=job.mailbox.failures + 1,
    )


# -- for operators ---------------------------------------------------------------------------------


def of_all(tenant_id: str | None) -> list[MailboxRecord]:
    """Mailboxes of a tenant, or of all; those that were not fetched for the longest first."""
    return stored.all_of(tenant_id, MAX_LISTED)


def overdue() -> list[MailboxRecord]:
    """Mailboxes that have not been fetched for three of their intervals and an hour."""
    now = clock.now()
    return [one for one in stored.not_fetched_since(now - OVERDUE_AFTER, MAX_LISTED)
            if (one.fetched_at or one.created_at) < now - _patience(one)]  # fmt: skip


def lost_from(mailbox: MailboxRecord, points: Iterable[AccessPoint]) -> datetime | None:
    """From when on its network forgets documents that were not fetched; None: never.

    Only for a mailbox that was not fetched for half of the time for which they are kept.
    """
    point = next((each for each in points if each.name == mailbox.access_point), None)
    kept = terms_of(point).kept if isinstance(point, Mailbox) else None
    last = mailbox.fetched_at or mailbox.created_at
    return None if kept is None or clock.now() - last < kept / 2 else last + kept


def _patience(mailbox: MailboxRecord) -> timedelta:
    return OVERDUE_AFTER + OVERDUE_INTERVALS * timedelta(seconds=mailbox.every_seconds)
