"""Calling access points about documents that they handed over or sent, and about their messages.

A notice is a row that is written in the transaction of its cause. The notices of a subject are
called in their order, one at a time; the messages that a call returns are stored in the transaction
that removes the notice. So a call is made at least once, and its messages are queued once. An
access point that takes several outcomes is called once about the documents of a job.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.messages import (
    FollowsDocuments,
    FollowsManyDocuments,
    FollowsMessages,
    MessageResult,
    Outgoing,
    ReceivedFinding,
    ReceivedOutcome,
    ReportsReceived,
    Step,
)
from einvoice.network.sent_documents import FollowsSentDocuments
from einvoice.network.types import AccessPoint
from einvoice.observability import logging, metrics
from einvoice.services import plugin_calls
from einvoice.services.delivery import message_outcomes, messages, payment_messages, sent_notices
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.inbound import notices
from einvoice.store.inbound.notices import DueNotice, FollowedDocument
from einvoice.store.inbound.received import NewReceived
from einvoice.store.invoices import invoices, payments
from einvoice.store.outbox import Held
from einvoice.store.sending import messages as stored
from einvoice.validation import from_data, is_judgement

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
    add_first_of(
        connection, [(one.invoice_id, one.tenant_id, one.key.access_point) for one in documents]
    )


def add_first_of(connection: Connection, subjects: Sequence[tuple[str, str, str]]) -> None:
    """`add_first` of documents by (invoice id, tenant id, access point)."""
    notices.add_first(connection, subjects, Step.JUDGED.value, clock.now())


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Start the calls of these rows in threads that settle them: together where the access point
    takes several outcomes, else a thread for each."""
    held = outbox.held(outbox_ids, token, clock.now())
    plugin_calls.start_groups(
        _shares,
        [group for rows in _by_access_point(held) for group in _groups(rows, runtime)],
        token,
        most=MAX_CALLS,
        call=partial(_call_all, token, runtime),
        context=runtime.context,
    )


def _by_access_point(held: Sequence[Held]) -> Iterable[Sequence[Held]]:
    found: dict[str | None, list[Held]] = defaultdict(list)
    for row in held:
        found[row.access_point].append(row)
    return found.values()


def _groups(rows: Sequence[Held], runtime: Runtime) -> Iterator[Sequence[Held]]:
    """The rows of an access point that one call is about."""
    points, name = runtime.access_points, rows[0].access_point or ""
    if name in points and isinstance(points[name], FollowsManyDocuments):
        yield rows
    else:
        yield from ([row] for row in rows)


def _call_all(token: str, runtime: Runtime, rows: Sequence[Held]) -> None:
    """Make the calls of the subjects of these rows, each until one fails, and end the rows.

    If a call about several fails, each of them is called about by itself.
    """
    seconds = CALL_SECONDS + runtime.settings.lease_margin
    while rows:
        mine = outbox.extend_all_from_now([row.id for row in rows], token, seconds)
        rows = [row for row in rows if row.id in mine]
        first = notices.first_of([row.subject_id for row in rows])
        due = [(row, first[row.subject_id]) for row in rows if row.subject_id in first]
        result = _tried(due, rows, token, runtime)
        if not isinstance(result, BaseException):
            rows = result
        elif len(due) > 1:
            for row in rows:
                _call_all(token, runtime, [row])
            return
        elif not all(_failed(notice, row, token, result, runtime) for row, notice in due):
            return


def _tried(
    due: Sequence[tuple[Held, DueNotice]], rows: Sequence[Held], token: str, runtime: Runtime
) -> list[Held] | BaseException:
    """The result of `_call`, or what made it fail."""
    try:
        return _call(due, rows, token, runtime)
    except PluginBusy as fault:
        return fault
    except (Exception, SystemExit) as fault:
        log.exception("access point raised", access_point=rows[0].access_point, calls=len(due))
        return fault


def _call(
    due: Sequence[tuple[Held, DueNotice]], rows: Sequence[Held], token: str, runtime: Runtime
) -> list[Held]:
    """Make one call about the notices, and store its messages with the end of the notices.

    Rows that have no other notice are deleted; returns the others. Raises what the access point
    raises, and PluginBusy.
    """
    found = _answers(due, runtime)
    with db.writing_by_key() as connection:
        mine = _mine(connection, rows, token)
        done = [(row, notice) for row, notice in due if row.id in mine]
        for row, notice in done:
            _queue(connection, row, notice, found[notice.id])
        notices.remove(connection, [notice.id for _, notice in done])
        locked = [row for row in rows if row.id in mine]
        left = notices.left_among(connection, [row.subject_id for row in locked])
        ended = [row.id for row in locked if row.subject_id not in left]
        outbox.complete(connection, ended, token)
    for row, _ in done:
        metrics.notice_ended(row.access_point or "", "done")
    return [row for row in locked if row.subject_id in left]


def _queue(connection: Connection, row: Held, notice: DueNotice, found: Sequence[Outgoing]) -> None:
    """Queue what the access point has returned for a notice."""
    for message in found:
        message_id = messages.add(connection, row.access_point or "", message)
        if notice.step == payment_messages.PAID:
            payments.set_message(connection, notice.subject_id, message_id)


def _answers(
    due: Sequence[tuple[Held, DueNotice]], runtime: Runtime
) -> Mapping[int, Sequence[Outgoing]]:
    """The result of the access point, by notice."""
    if not due:
        return {}
    name = due[0][0].access_point or ""
    asked = [notice for _, notice in due]
    return _calls.call(name, partial(_messages, name, asked, runtime), CALL_SECONDS)


def _messages(
    name: str, due: Sequence[DueNotice], runtime: Runtime
) -> Mapping[int, Sequence[Outgoing]]:
    """The result of the access point, by notice. Runs in a thread of its own."""
    point = runtime.access_points[name]
    settled = [notice for notice in due if notice.step == message_outcomes.SETTLED]
    sent = [notice for notice in due if notice.step in sent_notices.STEPS]
    paid = [notice for notice in due if notice.step == payment_messages.PAID]
    received = [notice for notice in due if notice not in (*settled, *sent, *paid)]
    with runtime.context():
        documents = notices.followed([notice.subject_id for notice in received])
        results = {notice.id: _result(notice.subject_id) for notice in settled}
        ends = sent_notices.outcomes([notice.subject_id for notice in sent], point)
        told = {notice.id: payment_messages.due(notice.subject_id, point) for notice in paid}
    outcomes = {
        notice.id: outcome(documents[notice.subject_id], notice.step, notice.created_at, runtime)
        for notice in received
        if notice.subject_id in documents
    }
    found: dict[int, Sequence[Outgoing]] = {notice.id: () for notice in due} | told
    answers = _of_documents(point, list(outcomes.values()))
    found |= {id_: tuple(each) for id_, each in zip(outcomes, answers, strict=True)}
    for id_, result in results.items():
        if isinstance(point, FollowsMessages) and result is not None:
            found[id_] = tuple(point.message_settled(result))
    for notice in sent:
        if isinstance(point, FollowsSentDocuments) and notice.subject_id in ends:
            is_refused = notice.step == sent_notices.REFUSED
            end = replace(ends[notice.subject_id], refused=is_refused)
            found[notice.id] = tuple(point.sent_outcome(end))
    _check(found.values())
    return found


def _of_documents(
    point: AccessPoint, outcomes: Sequence[ReceivedOutcome]
) -> Iterable[Iterable[Outgoing]]:
    """The result of the access point for each outcome."""
    if len(outcomes) > 1 and isinstance(point, FollowsManyDocuments):
        return point.received_outcomes(outcomes)
    if isinstance(point, FollowsDocuments):
        return [point.received_outcome(outcome) for outcome in outcomes]
    return [()] * len(outcomes)


def _check(answers: Iterable[Sequence[Outgoing]]) -> None:
    for found in answers:
        if len(found) > MAX_MESSAGES or not all(isinstance(one, Outgoing) for one in found):
            raise TypeError(f"a call returns at most {MAX_MESSAGES} Outgoing")


def outcome(
    document: FollowedDocument, step: str, at: datetime, runtime: Runtime
) -> ReceivedOutcome:
    """The notice to an access point about a document that has reached a step."""
    worded = [_as_counted(from_data(finding)) for finding in document.findings]
    ranked = sorted(worded, key=lambda finding: finding["severity"] != "error")
    return ReceivedOutcome(
        document_id=document.invoice_id,
        access_point=document.access_point,
        instance_id=document.instance_id,
        environment=Environment(document.environment),
        tenant_id=document.tenant_id,
        sender=ParticipantId.parse(document.sender),
        receiver=None if document.receiver is None else ParticipantId.parse(document.receiver),
        document_type=DocumentTypeId.parse(document.document_type),
        process=ProcessId.parse(document.process),
        step=Step(step),
        at=at,
        received_at=document.created_at,
        valid=all(finding["severity"] != "error" for finding in worded),
        findings=tuple(_finding(finding) for finding in ranked[:MAX_FINDINGS]),
        receiver_country=document.receiver_country,
        state=document.inbound_state or {},
        connection_id=document.connection_id,
        read_ubl=partial(_read_ubl, document, runtime),
    )


def _read_ubl(document: FollowedDocument, runtime: Runtime) -> bytes:
    """The document as UBL; raises ArchiveUnavailable."""
    with runtime.context():
        found = invoices.documents(document.invoice_id, document.tenant_id, document.environment)
    return b"" if found is None else found.document


def _as_counted(finding: dict[str, object]) -> dict[str, object]:
    """A finding for a network: that a document was not judged is no error of its sender."""
    counts = finding["severity"] != "error" or is_judgement(str(finding["ruleId"]))
    return finding if counts else finding | {"severity": "warning"}


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


def _failed(
    notice: DueNotice, row: Held, token: str, fault: BaseException, runtime: Runtime
) -> bool:
    """Postpone the call, or give it up after GIVE_UP_AFTER; whether the next one may be made."""
    now = clock.now()
    late = now >= notice.created_at + GIVE_UP_AFTER
    given_up = late and not _may_be_owed(notice, row, runtime)
    with db.writing() as connection:
        if not _mine(connection, [row], token):
            return False
        if given_up:
            notices.remove(connection, [notice.id])
        else:
            notices.count_failure(connection, notice.id)
            due = now + backoff(notice.attempts + 1)
            outbox.reschedule(connection, [(row.id, outbox.PLUGINS, due)], token)
    metrics.notice_ended(row.access_point or "", "given-up" if given_up else "failed")
    message = "notice given up" if given_up else "notice failed"
    said = str(fault) if isinstance(fault, PluginBusy) else type(fault).__name__
    log.warning(message, access_point=row.access_point, subject=notice.subject_id, fault=said)
    return given_up


def _may_be_owed(notice: DueNotice, row: Held, runtime: Runtime) -> bool:
    """Whether the law may ask for the report of the call, so that it is never given up."""
    if notice.step in (*sent_notices.STEPS, payment_messages.PAID):
        return True
    point = next((each for each in runtime.access_points if each.name == row.access_point), None)
    if notice.step != Step.JUDGED.value or not isinstance(point, ReportsReceived):
        return False
    try:
        return bool(point.reports_received())
    except Exception:  # of a plugin, whose call has failed already
        log.exception("reports_received raised", access_point=row.access_point)
        return True


def backoff(attempts: int) -> timedelta:
    """The pause after the n-th failure: 5, 10, 20 … seconds, at most an hour."""
    return min(MAX_BACKOFF, MIN_BACKOFF * (1 << min(attempts - 1, 20)))


def _mine(connection: Connection, rows: Sequence[Held], token: str) -> set[int]:
    """The rows that the token still leases, locked until the commit."""
    now = clock.now()
    ids = [row.id for row in rows]
    until = now + clock.lasting(timedelta(seconds=1))
    return outbox.extend(connection, ids, token, until, now)
