"""Ending sessions: tokens that were issued before a moment are refused (decisions 20.11).

The moments are in the tenant's row, in Unix seconds by subject; EVERYONE applies to all
tokens of the tenant. A subject is a person's, or the id of an OAuth client.
"""

from __future__ import annotations

from datetime import datetime

from einvoice import clock
from einvoice.domain.errors import Conflict, SessionEnded
from einvoice.security.jwt import LEEWAY_SECONDS, MAX_LIFETIME_SECONDS
from einvoice.services.account import audit, seats, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Session
from einvoice.store.account import preferences
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.core import db

EVERYONE = ""
MAX_SUBJECTS = 100
# No token that was issued before so many seconds is valid.
_MEMORY_SECONDS = MAX_LIFETIME_SECONDS + 2 * LEEWAY_SECONDS


def end(tenant_id: str, subject: str | None, caches: Caches, by: Session | None = None) -> datetime:
    """Refuse the tokens of the subject, by default of everyone, that are issued before now.

    They get no letters until they log in again. Returns the moment. Other processes notice it
    within a second. Raises NotFound, AccountClosed, and Conflict if the sessions of MAX_SUBJECTS
    others were ended in the last day.
    """
    now = clock.now()
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        ends = _remembered(tenant.session_ends or {}, now) | {subject or EVERYONE: now.timestamp()}
        if len(ends) > MAX_SUBJECTS + 1:
            raise Conflict(
                f"The sessions of {MAX_SUBJECTS} people were ended in the last day: end those of "
                "everyone."
            )
        tenant.session_ends = ends
        preferences.pause(database.connection(), tenant_id, subject)
        tenant.seats = seats.without(tenant.seats, subject) if subject else None
        detail = {"subject": subject}
        audit.record(database, tenant_id, by, "sessions.ended", subject or tenant_id, detail)
    caches.tenants.drop(tenant_id)
    return now


def _remembered(ends: dict[str, float], now: datetime) -> dict[str, float]:
    """The moments before which there are tokens that would be valid without them."""
    oldest = now.timestamp() - _MEMORY_SECONDS
    return {subject: moment for subject, moment in ends.items() if moment > oldest}


def admit(tenant_id: str, subject: str, issued_at: float, caches: Caches) -> None:
    """Check that an account is open to a person whose token was issued then (Unix seconds).

    Raises NotFound, AccountClosed and SessionEnded.
    """
    tenant = tenants.get(tenant_id, caches)
    tenants.check_open(tenant)
    check(tenant, subject, issued_at)


def check(tenant: TenantRecord, subject: str, issued_at: float) -> None:
    """Raise SessionEnded for a token that was issued before the sessions of its subject ended.

    `issued_at` (Unix seconds) is rounded down by most issuers, so a token of the same second counts
    as older.
    """
    if not tenant.session_ends:
        return
    moments = (tenant.session_ends.get(name, 0.0) for name in (EVERYONE, subject))
    if issued_at <= max(moments):
        raise SessionEnded("The session of this token was ended: log in, or request a new token.")
