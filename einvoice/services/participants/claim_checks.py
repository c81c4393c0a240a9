"""Asking networks whether a claimed participant id is registered with us (decisions 20.1).

A worker asks for each pending claim: at once, then after as long as it has been pending, at most a
day, for 30 days. After that only an operator decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import calls
from einvoice.network.access_points import serves
from einvoice.network.types import ConfirmsParticipants, DirectoryUnavailable
from einvoice.observability import logging
from einvoice.services.account import claims
from einvoice.services.account.claims import PendingClaim
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db

log = logging.get(__name__)

ASKED_FOR = timedelta(days=30)
MIN_PAUSE, MAX_PAUSE = timedelta(minutes=5), timedelta(days=1)
# Seconds in which a job begins questions; with the last one it ends before its own time limit.
MAX_JOB_SECONDS = 240.0


def check(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Ask about the claims of these rows, and verify those that their network confirms."""
    last_begin = clock.monotonic() + MAX_JOB_SECONDS
    for row_id, claim_id in outbox.subjects(outbox_ids, token):
        found = claims.open_claim(claim_id)
        if found is None:
            _settle(row_id, token, None)
        elif clock.monotonic() > last_begin:
            _settle(row_id, token, clock.now())
        elif outbox.extend_from_now(row_id, token, _max_seconds(found, runtime)):
            if _is_confirmed(found, runtime) and claims.confirm(claim_id, runtime.caches):
                log.info("claim of a participant verified", participant=found.participant)
            _settle(row_id, token, _next(found, clock.now()))


def _points(found: PendingClaim, runtime: Runtime) -> list[ConfirmsParticipants]:
    participant = ParticipantId.parse(found.participant)
    return [
        point
        for point in runtime.access_points
        if point.environment == found.environment
        and isinstance(point, ConfirmsParticipants)
        and serves(point, participant)
    ]


def _max_seconds(found: PendingClaim, runtime: Runtime) -> float:
    """Seconds that its questions may take, with the margin of a lease."""
    count = len(_points(found, runtime))
    return (calls.LOOKUP_SECONDS + calls.WAIT_SECONDS) * count + runtime.settings.lease_margin


def _is_confirmed(found: PendingClaim, runtime: Runtime) -> bool:
    """Whether a network confirms it. Contested claims are not asked about: they need a person."""
    if found.contested:
        return False
    participant = ParticipantId.parse(found.participant)
    return any(_confirms(point, participant) for point in _points(found, runtime))


def _confirms(point: ConfirmsParticipants, participant: ParticipantId) -> bool:
    try:
        asked = calls.lookups.call(
            point.name, lambda: point.registered_here(participant), calls.LOOKUP_SECONDS
        )
    except (DirectoryUnavailable, calls.PluginBusy) as fault:
        log.info("claim not checked", access_point=point.name, fault=str(fault))
        return False
    except Exception:  # of a plugin: the claim is asked about again
        log.exception("check of a claim raised", access_point=point.name)
        return False
    return asked is True


def _next(found: PendingClaim, now: datetime) -> datetime | None:
    """When to ask again: after as long as it has been pending."""
    age = now - found.created_at
    return None if age > ASKED_FOR else now + max(MIN_PAUSE, min(age, MAX_PAUSE))


def _settle(row_id: int, token: str, due_at: datetime | None) -> None:
    """Ask again at this time; None: not again. A claim that was decided has no row any more."""
    with db.writing() as connection:
        if due_at is None:
            outbox.complete(connection, [row_id], token)
        else:
            outbox.reschedule(connection, [(row_id, outbox.CHORES, due_at)], token)
