"""Rows and events of the outcome of a message, in the transaction that settles it.

A message that answers a received document becomes an artefact of it when it is delivered, with its
evidence. A response of a tenant to a bill gets the outcome, and its event. A report to an authority
gets its event too. An access point that follows its messages gets a notice
(services/inbound/notices). A message that fails needs an operator, unless it is a response,
whose tenant can send another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.delivery import NetworkStatus
from einvoice.network.access_points import AccessPoints
from einvoice.network.messages import FollowsMessages
from einvoice.network.types import Evidence
from einvoice.observability import metrics
from einvoice.services.invoices.evidence import artefact_of
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.inbound import notices, responses
from einvoice.store.invoices import artefacts
from einvoice.store.invoices.artefacts import NewArtefact
from einvoice.store.sending import messages, transmissions
from einvoice.store.sending.messages import MessageRecord
from einvoice.store.sending.transmissions import Settlement, Work

SETTLED = "settled"  # the step of a notice about a message

Outcome = tuple[Work, Settlement, Sequence[Evidence]]


def store(
    connection: Connection,
    outcomes: Sequence[Outcome],
    points: AccessPoints | None,
    now: datetime,
    *,
    seen: bool,
) -> set[str]:
    """Store what follows from outcomes of messages; the ids of those that need an operator.

    points  the installed ones; those that follow their messages get notices
    seen    an operator made the outcomes, and needs no notice
    """
    final = [one for one in outcomes if one[1].status is not NetworkStatus.PROCESSING]
    for work, settlement, evidence in outcomes:
        add_artefacts(connection, work, evidence, settlement)
    _tell_of_reports(connection, final)
    told = {w.id for w, s, _ in final if w.invoice_id and _settle_response(connection, s)}
    failed = [w.id for w, s, _ in final if s.status is NetworkStatus.FAILED]
    unseen = set() if seen else {each for each in failed if each not in told}
    for message_id in unseen:
        transmissions.set_attention(connection, message_id, True)
    followed = {p.name for p in points or () if isinstance(p, FollowsMessages)}
    subjects = [
        (work.id, work.tenant_id or outbox.NO_TENANT, work.access_point)
        for work, _, _ in final
        if work.access_point in followed
    ]
    notices.add_first(connection, subjects, SETTLED, now)
    return unseen


def _tell_of_reports(connection: Connection, final: Sequence[Outcome]) -> None:
    """Emit the events of reports to authorities."""
    reports = messages.reports_among(connection, [work.id for work, _, _ in final])
    deliveries.emit_many(
        connection,
        [
            _reported(work, settlement, reports[work.id])
            for work, settlement, _ in final
            if work.id in reports
        ],
    )


def _reported(work: Work, settlement: Settlement, reports_to: str) -> deliveries.NewEvent:
    is_sent = settlement.status is NetworkStatus.DELIVERED
    return deliveries.NewEvent(
        tenant_id=work.tenant_id,
        environment=work.environment,
        type=events.INVOICE_REPORTED,
        invoice_id=work.invoice_id,
        payload={
            "invoiceId": work.invoice_id,
            "reportId": work.id,
            "reportsTo": reports_to,
            "kind": work.kind,
            "status": settlement.status.value,
            "reason": None if is_sent else settlement.reason,
        },
    )


def _settle_response(connection: Connection, settlement: Settlement) -> bool:
    """Store the outcome with the response that the message carries, if any, and emit its event.

    Whether there is one; its tenant then gets an event.
    """
    at = settlement.settled_at or clock.now()
    status, reason = settlement.status.value, settlement.reason
    found = responses.settle(connection, settlement.id, status, reason, at)
    if found is None:
        return False
    members = {"invoiceId": found.invoice_id, "responseId": found.id, "responseCode": found.code}
    is_sent = settlement.status is NetworkStatus.DELIVERED
    event = deliveries.NewEvent(
        tenant_id=found.tenant_id,
        environment=found.environment,
        type=events.RESPONSE_SENT if is_sent else events.RESPONSE_FAILED,
        invoice_id=found.invoice_id,
        payload={**members, "status": status, **({} if is_sent else {"reason": reason})},
    )
    deliveries.emit_many(connection, [event])
    return True


def add_artefacts(
    connection: Connection, work: Work, evidence: Sequence[Evidence], settled: Settlement | None
) -> None:
    """The artefacts of the document that a message answers: the message once it is delivered, and
    its evidence, of the kind of the message followed by its own (MLS_RECEIPT).

    settled  the outcome with which the evidence came; None: it came later
    """
    is_sent = settled is not None and settled.status is NetworkStatus.DELIVERED
    if not work.invoice_id or not (evidence or is_sent):
        return
    message = messages.record(connection, work.id)
    if message is None:
        return
    kind = ArtefactKind(message.kind, message.content_type, message.file_name)
    made = [_of_evidence(kind, one) for one in evidence]
    if settled is not None and is_sent:
        made.insert(0, Evidence(kind, work.document))
        _measure(message, settled)
    artefacts.add_missing(connection, [_artefact(message, one) for one in made])


def _measure(message: MessageRecord, settled: Settlement) -> None:
    """Record how long the document waited for the message, which networks limit."""
    if message.answered_at is not None:
        seconds = ((settled.settled_at or clock.now()) - message.answered_at).total_seconds()
        metrics.document_answered(message.access_point, message.kind, seconds)


def _of_evidence(kind: ArtefactKind, evidence: Evidence) -> Evidence:
    code = f"{kind.code}_{evidence.kind.code}"[:32]
    name = f"{kind.code.lower()}-{evidence.kind.file_name}"
    content_type = evidence.content_type or evidence.kind.content_type
    own = ArtefactKind(code, content_type, name)
    return Evidence(own, evidence.content, content_type, evidence.authority_reference)


def _artefact(message: MessageRecord, evidence: Evidence) -> NewArtefact:
    return artefact_of(
        evidence,
        message.key,
        clock.now(),
        tenant_id=message.tenant_id or "",
        invoice_id=message.invoice_id or "",
        transmission_id=message.transmission_id,
    )
