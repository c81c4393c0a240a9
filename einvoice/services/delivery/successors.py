"""Preparing the next document of a sequence while the one before it is on its way.

Nothing of it is stored: the transaction that makes the one before final leases it and passes its
fence (`handover`), if it is still next and the connection has the state that it was prepared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from contextvars import copy_context
from dataclasses import dataclass, replace

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.network.connections import sending_by_connection
from einvoice.observability import logging
from einvoice.services.connections import opened_accounts
from einvoice.services.delivery.job_parts import JobPart
from einvoice.services.delivery.preparation import Preparation, ready_to_send
from einvoice.services.delivery.settlement import SettledWork
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import PreparedTransmission, Work

log = logging.get(__name__)

# For how long an answer waits for the document after it to be prepared.
AWAIT_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Successor:
    """A prepared document that is next.

    part  the part of the job, with the connection as it was read for this document
    """

    part: JobPart
    ready: PreparedTransmission
    preparation: Preparation


def look_ahead(part: JobPart, work: Work) -> Future[Successor | None] | None:
    """Begin to prepare the document after this one; None if the job does not go on with it."""
    if part.following is None or part.following.is_over or not work.sequence_key:
        return None
    try:
        return part.threads.submit(copy_context().run, _in_thread, part, work)
    except RuntimeError:  # another part of the job has abandoned the threads
        return None


def may_follow(settled: Sequence[SettledWork]) -> bool:
    """Whether the verdicts are final, and say nothing about the connection."""
    verdicts = [each.verdict for each in settled]
    return all(
        verdict.settlement.status is not NetworkStatus.PROCESSING
        and verdict.blocked is None
        and verdict.throttled is None
        for verdict in verdicts
    )


def awaited(ahead: Future[Successor | None]) -> Successor | None:
    """The prepared document; None if there is none yet: it is prepared when its turn comes."""
    try:
        return ahead.result(AWAIT_SECONDS)
    except (TimeoutError, CancelledError):
        ahead.cancel()
        return None


def _in_thread(part: JobPart, work: Work) -> Successor | None:
    with part.runtime.context():
        try:
            return _successor(part, work)
        except Exception:
            log.exception("not prepared ahead", transmission=work.id)
            return None


def _successor(part: JobPart, work: Work) -> Successor | None:
    following, point = transmissions.next_after(work.id), sending_by_connection(part.offered)
    if point is None or work.connection_id is None:
        return None
    if following is None or not _is_plain(following, part):
        return None
    account = opened_accounts.opened(work.connection_id, point, part.runtime)
    if not account.is_usable or account.is_throttled:
        return None
    own = replace(part, point=account.bound(), account=account)
    preparation = Preparation.of(own)
    ready = ready_to_send(own, preparation, following)
    if not isinstance(ready, PreparedTransmission):
        return None
    return Successor(own, ready, preparation)


def _is_plain(work: Work, part: JobPart) -> bool:
    """Whether nothing but its preparation comes before its submission."""
    return (
        (work.status, work.phase) == (NetworkStatus.PROCESSING, Phase.QUEUED)
        and work.registration_id is None
        and (work.receiver is not None or part.point.capabilities.reaches_without_id)
    )
