"""Advance due transmissions, of documents and messages: submit, poll or resolve them, and settle
each once.

A job passes outbox rows and the token of their lease, and begins calls for some seconds: what it
has not come to then is due again. The phase decides the step: `queued` is submitted (`handover`),
`pending` polled, `submitting` and `unknown` (a worker died, or the network did not answer) resolved
(`polls`), and never submitted again blindly. No transaction is open during a call to an access
point. Every step may run twice.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import wait
from contextvars import copy_context

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.network.types import AccessPoint, NotSent
from einvoice.observability import logging
from einvoice.services.delivery import handover, job_parts, polls, settlement
from einvoice.services.delivery.following import Following, last_beginning
from einvoice.services.delivery.job_parts import JobPart, Turn
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Work

log = logging.get(__name__)

Step = Callable[[JobPart, Sequence[Work]], None]

SLOW_SECONDS = 20.0  # at one access point, while the documents of all others wait for the worker


def follow(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """`take_turn`, and then the documents that have waited for these in their sequences."""
    following = Following.of_job(token, runtime.settings.queue_lease)
    rows = list(outbox_ids)
    while rows:
        held = advance(rows, token, runtime, following, until=following.until)
        rows = following.claim_now(held)


def take_turn(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """`advance` what can be begun in the time that a job has."""
    advance(outbox_ids, token, runtime, until=last_beginning(runtime.settings.queue_lease))


def advance(
    outbox_ids: Sequence[int],
    token: str,
    runtime: Runtime,
    following: Following | None = None,
    *,
    until: float = math.inf,
) -> list[Work]:
    """Do the next step of the transmissions of the rows that the token leases; these.

    following  with what the job goes on; None: it ends with these
    until      of the machine's clock: then the rest is due again
    """
    points, turn = runtime.access_points, Turn(until)
    held = job_parts.without_pauses(transmissions.held(outbox_ids, token, clock.now()), token)
    for (name, environment), works in _by_access_point(held).items():
        if name in points and points[name].environment == environment:
            offered = JobPart(points[name], token, runtime, following=following, turn=turn)
            began = clock.monotonic()
            _advance_parts(job_parts.by_connection(offered, works))
            _tell_if_slow(name, works, clock.monotonic() - began)
        else:
            gone = NotSent(f"{environment} has no access point {name!r}", code="no-access-point")
            settlement.write([settlement.settled(w, gone, None) for w in works], token, points)
    return held


def _tell_if_slow(access_point: str, works: Sequence[Work], seconds: float) -> None:
    if seconds > SLOW_SECONDS:
        took = round(seconds, 1)
        log.warning(
            "access point kept a worker",
            access_point=access_point,
            transmissions=len(works),
            seconds=took,
        )


def _by_access_point(works: Iterable[Work]) -> dict[tuple[str, str], list[Work]]:
    """Groups of one environment and access point each."""
    groups: dict[tuple[str, str], list[Work]] = defaultdict(list)
    for work in works:
        groups[work.access_point, work.environment].append(work)
    return groups


def _advance_parts(parts: Iterable[tuple[JobPart, Sequence[Work]]]) -> None:
    """Parts of one document are worked on side by side, as many as the access point takes at once.

    One after the other, each account would wait for the answers to all others. The documents of a
    larger part are submitted side by side themselves.
    """
    together: list[tuple[JobPart, Sequence[Work]]] = []
    for part, works in parts:
        if len(works) > 1:
            _advance_at(part, works)
            continue
        together.append((part, works))
        if len(together) >= part.point.capabilities.concurrency:
            _advance_together(together)
            together = []
    _advance_together(together)


def _advance_together(parts: Sequence[tuple[JobPart, Sequence[Work]]]) -> None:
    """Raises what one of them has raised, after all have ended."""
    if len(parts) <= 1:
        for part, works in parts:
            _advance_at(part, works)
        return
    runtime, point = parts[0][0].runtime, parts[0][0].offered
    pool = runtime.threads.of_accounts(point)
    running = [
        pool.submit(copy_context().run, _advance_in_thread, part, works) for part, works in parts
    ]
    try:
        wait(running)
    except Exception:  # the job has taken too long
        runtime.threads.abandon(point)
        raise
    for each in running:
        each.result()


def _advance_in_thread(part: JobPart, works: Sequence[Work]) -> None:
    with part.runtime.context():
        _advance_at(part, works)


def _advance_at(part: JobPart, works: Sequence[Work]) -> None:
    due: dict[Step, list[Work]] = defaultdict(list)
    for work in works:
        step = _step_for(work) if _reaches(part.point, work) else _refuse_without_id
        due[step].append(work)
    for step, group in due.items():
        step(part, group)


def _reaches(point: AccessPoint, work: Work) -> bool:
    return work.receiver is not None or point.capabilities.reaches_without_id


def _refuse_without_id(part: JobPart, works: Sequence[Work]) -> None:
    """Hold documents whose access point reached receivers without a participant id, and does no
    more: another release of its plugin may be installed."""
    message = f"{part.point.name} reaches no receiver without a participant id"
    gone = NotSent(message, code="no-access-point")
    part.write([settlement.settled(w, gone, part.point) for w in works])


def _step_for(work: Work) -> Step:
    if work.status != NetworkStatus.PROCESSING:
        return polls.follow_up if work.pending else _complete
    return {
        Phase.QUEUED: handover.submit,
        Phase.SUBMITTING: polls.resolve,
        Phase.UNKNOWN: polls.resolve,
        Phase.PENDING: polls.poll,
    }.get(Phase(work.phase), _complete)


def _complete(part: JobPart, works: Sequence[Work]) -> None:
    """Delete the outbox rows of transmissions that were settled elsewhere, as by an operator."""
    with db.writing() as connection:
        outbox.complete(connection, [work.outbox_id for work in works], part.token)
