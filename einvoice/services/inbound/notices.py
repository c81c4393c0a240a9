"""Calling access points about documents that they handed over, and about their messages.

A notice is a row that is written in the transaction of its cause. The notices of a subject are
called in their order, one at a time; the messages that a call returns are stored in the transaction
that removes the notice. So a call is made at least once, and its messages are queued once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.messages import (
    FollowsDocuments,
    FollowsMessages,
    MessageResult,
    Outgoing,
    ReceivedFinding,
    ReceivedOutcome,
    Step,
)
from einvoice.observability import logging, metrics
from einvoice.services import plugin_calls
from einvoice.services.delivery import messages
from einvoice.services.runtime import Runtime
from einvoice.store import db, notices, outbox
from einvoice.store import messages as stored
from einvoice.store.notices import DueNotice, FollowedDocument
from einvoice.store.outbox import Held
from einvoice.store.received import NewReceived
from einvoice.validation import from_data

log = logging.get(__name__)

CALL_SECONDS = 30.0
MAX_CALLS = 8  # of one access point in a worker
MIN_BACKOFF, MAX_BACKOFF = timedelta(seconds=5), timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=1)
MAX_MESSAGES = 20  # of one call
MAX_FINDINGS = 200  # that an access point gets
_VERDICT = {NetworkStatus.DELIVERED.value: True, NetworkStatus.FAILED.value: False}

_shares = Shares()
_calls = Shares(MAX_CALLS)


def add_step(connection: Connection, invoice_id: str, step: Step) -> None:
    """Add the notice of a step, in the caller's transaction, if its access point follows it."""
    found = notices.lock_followed(connection, invoice_id)
    if found is not None:
        add(connection, invoice_id, step, found.tenant_id, found.access_point)


def add(
    connection: Connection, invoice_id: str, step: Step, tenant_id: str, access_point: str
) -> None:
    """Add the notice of a step of a document that the caller has locked."""
    notices.add(
        connection,
        subject_id=invoice_id,
        step=step.value,
        tenant_id=tenant_id,
        access_point=access_point,
        now=clock.now(),
    )


def add_first(connection: Connection, documents: Sequence[NewReceived]) -> None:
    """Add the notice that documents were judged, in the transaction that stores them."""
    subjects = [(one.invoice_id, one.tenant_id, one.key.access_point) for one in documents]
    notices.add_first(connection, subjects, Step.JUDGED.value, clock.now())


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Start the calls of these rows, each in a thread that settles it."""
    plugin_calls.start(
        _shares,
        outbox.held(outbox_ids, token, clock.now()),
        token,
        most=MAX_CALLS,
        call=partial(_call_all, token, runtime),
        context=runtime.context,
    )


def _call_all(token: str, runtime: Runtime, row: Held) -> None:
    """Make the calls of a subject until one fails."""
    seconds = CALL_SECONDS + runtime.settings.lease_margin
    for notice in notices.of_row(row.subject_id):
        if not outbox.extend_from_now(row.id, token, seconds):
            return
        if not _call(notice, row, token, runtime):
            return
    with db.writing() as connection:
        _end(connection, row, token)


def _call(notice: DueNotice, row: Held, token: str, runtime: Runtime) -> bool:
    """Make one call and store its messages; False if it is made again later."""
    try:
        found = _calls.call(
            row.access_point or "", partial(_messages, notice, row, runtime), CALL_SECONDS
        )
        with db.writing() as connection:
            if not _is_mine(connection, row, token):
                return False
            for message in found:
                messages.add(connection, row.access_point or "", message)
            notices.remove(connection, notice.id)
    except PluginBusy as fault:
        return _failed(notice, row, token, str(fault))
    except (Exception, SystemExit) as fault:
        log.exception("access point raised", access_point=row.access_point, step=notice.step)
        return _failed(notice, row, token, type(fault).__name__)
    metrics.notice_ended(row.access_point or "", "done")
    return True


def _messages(notice: DueNotice, row: Held, runtime: Runtime) -> Sequence[Outgoing]:
    """What the access point returns. Runs in a thread of its own."""
    point = runtime.access_points[row.access_point or ""]
    with runtime.context():
        document = None if notice.step == messages.SETTLED else notices.followed(notice.subject_id)
        result = _result(notice.subject_id) if notice.step == messages.SETTLED else None
    found: Sequence[Outgoing] = ()
    if isinstance(point, FollowsDocuments) and document is not None:
        found = tuple(point.received_outcome(_outcome(document, notice)))
    elif isinstance(point, FollowsMessages) and result is not None:
        found = tuple(point.message_settled(result))
    if len(found) > MAX_MESSAGES or not all(isinstance(one, Outgoing) for one in found):
        raise TypeError(f"a call returns at most {MAX_MESSAGES} Outgoing")
    return found


def _outcome(document: FollowedDocument, notice: DueNotice) -> ReceivedOutcome:
    worded = [from_data(finding) for finding in document.findings]
    ranked = sorted(worded, key=lambda finding: finding["severity"] != "error")
    return ReceivedOutcome(
        document_id=document.invoice_id,
        access_point=document.access_point,
        instance_id=document.instance_id,
        environment=Environment(document.environment),
        tenant_id=document.tenant_id,
        sender=ParticipantId.parse(document.sender),
        receiver=None if document.receiver is None else ParticipantId.parse(document.receiver),
        document_type=DocumentTypeId(*document.document_type.split("::", 1)),
        process=ProcessId(*document.process.split("::", 1)),
        step=Step(notice.step),
        at=notice.created_at,
        received_at=document.created_at,
        valid=all(finding["severity"] != "error" for finding in worded),
        findings=tuple(_finding(finding) for finding in ranked[:MAX_FINDINGS]),
        receiver_country=document.receiver_country,
        state=document.inbound_state or {},
        connection_id=document.connection_id,
    )


def _finding(data: dict[str, object]) -> ReceivedFinding:
    location = data.get("location")
    return ReceivedFinding(
        severity=str(data["severity"]),
        source=str(data["source"]),
        rule_id=str(data["ruleId"]),
        message=str(data["message"]),
        location=None if location is None else str(location),
    )


def _result(message_id: str) -> MessageResult | None:
    with db.reading() as connection:
        found = stored.record(connection, message_id)
    if found is None or found.status not in _VERDICT:
        return None
    return MessageResult(
        message_id=found.id,
        key=found.key,
        access_point=found.access_point,
        environment=Environment(found.environment),
        answers=found.invoice_id,
        delivered=_VERDICT[found.status],
        at=found.settled_at or found.created_at,
        reason=found.reason,
        error_code=found.error_code,
    )


def _failed(notice: DueNotice, row: Held, token: str, fault: str) -> bool:
    """Postpone the call, or give it up after GIVE_UP_AFTER; whether the next one may be made."""
    now = clock.now()
    given_up = now >= notice.created_at + GIVE_UP_AFTER
    with db.writing() as connection:
        if not _is_mine(connection, row, token):
            return False
        if given_up:
            notices.remove(connection, notice.id)
        else:
            notices.count_failure(connection, notice.id)
            due = now + backoff(notice.attempts + 1)
            outbox.reschedule(connection, [(row.id, outbox.PLUGINS, due)], token)
    metrics.notice_ended(row.access_point or "", "given-up" if given_up else "failed")
    words = "notice given up" if given_up else "notice failed"
    log.warning(words, access_point=row.access_point, subject=notice.subject_id, fault=fault)
    return given_up


def backoff(attempts: int) -> timedelta:
    """The pause after the n-th failure: 5, 10, 20 … seconds, at most an hour."""
    return min(MAX_BACKOFF, MIN_BACKOFF * (1 << min(attempts - 1, 20)))


def _is_mine(connection: Connection, row: Held, token: str) -> bool:
    """Whether the token still leases the row, which is locked until the commit."""
    now = clock.now()
    return bool(outbox.extend(connection, [row.id], token, now + timedelta(seconds=1), now))


def _end(connection: Connection, row: Held, token: str) -> None:
    """Delete the row, or make it due again for notices that were added meanwhile."""
    if not _is_mine(connection, row, token):
        return
    if notices.is_left(connection, row.subject_id):
        outbox.reschedule(connection, [(row.id, outbox.PLUGINS, clock.now())], token)
    else:
        outbox.complete(connection, [row.id], token)
