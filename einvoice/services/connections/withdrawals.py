"""Withdrawing consents at their networks, after their last connection was removed.

The removal marks the consent and adds an outbox row in its transaction; a worker calls the access
point. The credentials are deleted when the network has ended the consent, at the latest after
GIVE_UP_AFTER. The lease of the consent is taken, so a token that is being renewed is withdrawn too.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from einvoice import clock
from einvoice.domain.errors import AccessPointUnavailable
from einvoice.network import calls
from einvoice.network.calls import CONNECTION_SECONDS, PluginBusy, Shares
from einvoice.network.connections import NotChecked, SharedConsent
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services import plugin_calls
from einvoice.services.account import audit
from einvoice.services.connections import checks, points, sealing
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import shared_consents
from einvoice.store.connections.shared_consents import EndedConsent
from einvoice.store.core import db
from einvoice.store.outbox import Held

log = logging.get(__name__)

GIVE_UP_AFTER, LATE_AFTER = timedelta(days=7), timedelta(hours=1)
MAX_CALLS = 2  # of one access point at the same time in a worker
WITHDRAWN, NOT_WITHDRAWN = "consent.withdrawn", "consent.not-withdrawn"
_FAULTY = "The access point failed while it withdrew the consent."
_UNANSWERED = "The network did not answer."

_shares = Shares()


def count_late() -> int:
    """For operators: consents that networks have not withdrawn for an hour."""
    return shared_consents.count_ended(clock.now() - LATE_AFTER)


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Withdraw the consents of these rows, each in a thread that settles its row."""
    plugin_calls.start(
        _shares,
        outbox.held(outbox_ids, token, clock.now()),
        token,
        most=MAX_CALLS,
        call=partial(_work, token, runtime),
        context=runtime.context,
    )


def _work(token: str, runtime: Runtime, row: Held) -> None:
    consent = shared_consents.ended(row.subject_id.removeprefix(shared_consents.PREFIX))
    if consent is None:
        with db.writing() as connection:
            outbox.complete(connection, [row.id], token)
        return
    seconds = CONNECTION_SECONDS + runtime.settings.lease_margin
    if not outbox.extend_from_now(row.id, token, seconds):
        return
    fault = _fault_of(consent, runtime)
    if fault is None:
        log.info("consent withdrawn", consent=consent.id, access_point=consent.access_point)
        _end(consent, row, token, WITHDRAWN, {"network": consent.access_point})
    elif clock.now() - consent.ended_at > GIVE_UP_AFTER:
        log.error("consent not withdrawn", consent=consent.id, fault=fault)
        detail = {"network": consent.access_point, "reason": fault}
        _end(consent, row, token, NOT_WITHDRAWN, detail)
    else:
        log.warning("consent not withdrawn yet", consent=consent.id, fault=fault)
        plugin_calls.again(row, token, clock.now() - consent.ended_at)


def _fault_of(consent: EndedConsent, runtime: Runtime) -> str | None:
    """Call the access point; why the consent is not withdrawn, without secrets. None: it is."""
    try:
        point = points.named(runtime.access_points, consent.access_point).shared
    except AccessPointUnavailable as fault:
        return str(fault)
    if point is None:
        return "The access point withdraws no consents."
    now, token = clock.now(), str(uuid.uuid4())
    until = now + clock.lasting(checks.LEASE)
    sealed = shared_consents.lease_ended(consent.id, token, now, until)
    if sealed is None:
        return "Another call has the consent."
    try:
        credentials = sealing.opened_consent(sealed, runtime.settings)
        return _called(consent.access_point, point, credentials)
    except SealBroken:
        return checks.UNREADABLE
    finally:
        with db.writing() as connection:
            shared_consents.release(connection, consent.id, token)


def _called(name: str, point: SharedConsent, credentials: Mapping[str, str]) -> str | None:
    try:
        outcome = calls.connections.call(
            name, partial(point.withdraw, credentials), CONNECTION_SECONDS
        )
    except PluginBusy:
        return _UNANSWERED
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - of a plugin; it may hold a secret
        log.warning("withdrawal failed", access_point=name, fault=type(fault).__name__)
        return _FAULTY
    if outcome is None:
        return None
    reason = outcome.reason if isinstance(outcome, NotChecked) else _FAULTY
    return checks.shown(reason, credentials)


def _end(
    consent: EndedConsent, row: Held, token: str, action: str, detail: Mapping[str, str]
) -> None:
    with db.writing() as connection:
        shared_consents.remove(connection, consent.id)
        outbox.complete(connection, [row.id], token)
        with audit.of_operator():
            audit.record(connection, consent.tenant_id, None, action, consent.id, detail)
