"""Consent in the browser: the OAuth authorization code flow of a connection (RFC 6749, 4.1).

The state names one consent of one person and tenant. It is random, used once, and expires. It is
accepted only in the browser in which the consent began, which has a cookie: otherwise a person
could be led to authorise a connection of another tenant (RFC 6749, 10.12). Both are stored as
digests.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.connections import SharedConsent
from einvoice.services.account import audit, tenants
from einvoice.services.connections import changes, checks, consent_groups, points, sealing
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.connections import links
from einvoice.store.connections.connections import ConnectionRecord, ConsentRecord
from einvoice.store.core import db
from einvoice.store.tables import ConnectionConsent

CONSENT_LASTS = changes.LINK_GRACE
CALLBACK_PATH = "/connections/callback"
_REFUSED = "Consent was not given at the network."


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent that has begun. `browser` is the value of the cookie."""

    url: str
    expires_at: datetime
    browser: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ended:
    """A consent that has ended. `by_link`: it began at a connection link, without a login."""

    connection: ConnectionRecord
    given: bool
    by_link: bool


def begin(
    tenant_id: str, connection_id: str, runtime: Runtime, by: Session, link_id: str | None = None
) -> Consent:
    """Begin a consent; an earlier one of the connection ends.

    link_id  the connection link by which it begins, which has to be open still

    Raises NotFound, Conflict (revoked, or not authorised in the browser), AccessPointUnavailable.
    """
    record = checks.find(tenant_id, connection_id)
    browser = points.named(runtime.access_points, record.access_point).browser
    if browser is None:
        raise Conflict("This network has no consent in the browser: give credentials instead.")
    state, cookie, now = secrets.token_urlsafe(32), secrets.token_urlsafe(32), clock.now()
    until = now + CONSENT_LASTS
    with db.writing_session() as database:
        found = stored.find(database, tenant_id, connection_id, locked=True)
        if found is None or found.state == State.REVOKED:
            raise Conflict("This connection is revoked.")
        if link_id is not None and links.lock_open(database, link_id, now) is None:
            raise NotFound("This link is not valid.")
        connection = sealing.opened(stored.sealed(found), runtime.settings)
        has_none = found.consent_id is None and found.credentials is None
        if has_none and isinstance(browser, SharedConsent):
            consent_groups.add_consent(database, found)  # of a tenant that was imported
        stored.drop_consents(database, connection_id, now)
        database.add(
            ConnectionConsent(
                id=_digest(state),
                tenant_id=tenant_id,
                connection_id=connection_id,
                subject=by.email or by.subject,
                link_id=link_id,
                browser=_digest(cookie),
                created_at=now,
                expires_at=until,
            )
        )
        audit.record(database, tenant_id, by, "connection.authorising", connection_id)
    url = browser.authorise_url(connection, state, redirect_uri(runtime))
    return Consent(url, until, cookie)


def finish(state: str, cookie: str, code: str, runtime: Runtime) -> Ended:
    """Exchange the code with which the browser came back; the connection after it.

    Raises NotFound (the state is unknown, used, expired, or of another browser), AccountClosed,
    Conflict, TooBusy, AccessPointUnavailable.
    """
    consent = _take(state, cookie)
    tenants.check_open(tenants.get(consent.tenant_id))
    record = checks.find(consent.tenant_id, consent.connection_id)
    browser = points.named(runtime.access_points, record.access_point).browser
    if browser is None:
        raise _unknown()
    where = redirect_uri(runtime)
    changed = checks.run(
        record,
        lambda connection: browser.authorised(connection, code, where),
        runtime,
        consent.subject,
    )
    return Ended(changed, given=True, by_link=consent.link_id is not None)


def refuse(state: str, cookie: str) -> Ended:
    """Note that consent was not given. Raises NotFound as `finish` does."""
    consent = _take(state, cookie)
    with db.writing_session() as database:
        found = stored.find(database, consent.tenant_id, consent.connection_id, locked=True)
        if found is not None and found.state != State.REVOKED:
            found.reason, found.updated_at = _REFUSED, clock.now()
    record = checks.find(consent.tenant_id, consent.connection_id)
    return Ended(record, given=False, by_link=consent.link_id is not None)


def redirect_uri(runtime: Runtime) -> str:
    """Where the network sends the browser back to: to be registered there."""
    return f"{runtime.settings.base_url.rstrip('/')}{CALLBACK_PATH}"


def _take(state: str, cookie: str) -> ConsentRecord:
    found = stored.take_consent(_digest(state), _digest(cookie), clock.now())
    if found is None:
        raise _unknown()
    return found


def _unknown() -> NotFound:
    return NotFound("This consent has ended, or began in another browser: begin it again.")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
