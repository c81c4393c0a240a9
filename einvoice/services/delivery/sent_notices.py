"""Notices of the final outcomes of sent documents, for access points that follow them.

The notice is written in the transaction that settles the transmission, so no report that the law
asks for is lost; `services/inbound/notices` makes the call. The report itself never delays the
invoice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.access_points import AccessPoints
from einvoice.network.sent_documents import FollowsSentDocuments, SentDocument, SentOutcome
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.delivery import envelopes
from einvoice.store.core import db
from einvoice.store.inbound import notices
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Settlement, Work

log = logging.get(__name__)

SENT = "sent"  # the step of a notice about a transmission of a sent document
REFUSED = "refused"  # of one whose receiver's access point refused it after its receipt
STEPS = (SENT, REFUSED)


def add(
    connection: Connection,
    settled: Sequence[tuple[Work, Settlement]],
    points: AccessPoints | None,
) -> None:
    """Add the notices of final outcomes that their access points follow."""
    following = {p.name: p for p in points or () if isinstance(p, FollowsSentDocuments)}
    if not following:
        return
    final = [
        (work.id, work.tenant_id, work.access_point)
        for work, settlement in settled
        if settlement.status is not NetworkStatus.PROCESSING
        and work.access_point in following
        and _is_followed(following[work.access_point], work)
    ]
    notices.add_first(connection, final, SENT, clock.now())


def add_refused(work: Work, points: AccessPoints | None) -> None:
    """Add the notice that a delivered document was refused, if its access point follows it."""
    point = next((each for each in points or () if each.name == work.access_point), None)
    if not isinstance(point, FollowsSentDocuments) or work.kind is not None:
        return
    if work.status != NetworkStatus.DELIVERED or not _is_followed(point, work):
        return
    with db.writing() as connection:
        transmissions.lock(connection, work.id)
        notices.add(
            connection,
            subject_id=work.id,
            step=REFUSED,
            tenant_id=work.tenant_id,
            access_point=work.access_point,
            now=clock.now(),
        )


def _is_followed(point: FollowsSentDocuments, work: Work) -> bool:
    """Whether the access point follows the document; so it does if asking it raises."""
    try:
        return bool(point.follows_sent(_about(work)))
    except Exception:  # of a plugin: the outcome is stored all the same
        log.exception("follows_sent raised", access_point=work.access_point, transmission=work.id)
        return True


def _about(work: Work) -> SentDocument:
    return SentDocument(
        environment=Environment(work.environment),
        sender=ParticipantId.parse(work.sender),
        receiver=envelopes.receiver_of(work),
        document_type=DocumentTypeId.parse(work.document_type),
        process=ProcessId.parse(work.process),
        sender_country=work.sender_country,
        receiver_country=work.receiver_country,
    )


def outcomes(transmission_ids: Iterable[str], point: AccessPoint) -> dict[str, SentOutcome]:
    """The outcome of each transmission at the access point, by its id.

    Raises ArchiveUnavailable. One whose document is gone is missing.
    """
    found = (transmissions.find(each) for each in transmission_ids)
    return {work.id: _outcome(work, point) for work in found if work is not None}


def _outcome(work: Work, point: AccessPoint) -> SentOutcome:
    delivered = work.status == NetworkStatus.DELIVERED
    ending = transmissions.ending(work.id)
    means = ending.delivered_means or point.capabilities.delivered_means
    return SentOutcome(
        access_point=work.access_point,
        envelope=envelopes.envelope_of(work),
        submitted=work.attempts > 0,
        delivered=delivered,
        means=DeliveredMeans(means) if delivered else None,
        at=ending.settled_at or clock.now(),
        reason=None if delivered else work.reason,
        error_code=None if delivered else ending.error_code,
        state=work.prepared_state or {},
    )
