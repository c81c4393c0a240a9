"""Sessions of people at the pages of the dashboard.

A login makes a random token, which the browser has as a cookie and the database as a digest. The
session ends at logout, after `session_idle` seconds without a request, after `session_lifetime`
seconds, when the account or the sessions of the person are ended (session_ends), and when the
identity provider no longer renews it. It is asked every REFRESH_AFTER, with the refresh token that
it gave, so a person who was revoked or has another role there is noticed within that time.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    IdentityProviderUnavailable,
    InvalidToken,
    NotFound,
    RequestRefused,
    SessionEnded,
)
from einvoice.domain.roles import Role
from einvoice.observability import logging
from einvoice.security import dev_issuer, sealing
from einvoice.security.identity_provider import Person
from einvoice.security.sealing import SealBroken
from einvoice.services.account import audit, session_ends, tenants
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.account import preferences
from einvoice.store.account import web_sessions as stored
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.account.web_sessions import WebSessionRecord
from einvoice.store.core import db

log = logging.get(__name__)

REFRESH_AFTER = timedelta(minutes=5)
NOTE_SEEN_AFTER = timedelta(minutes=1)
MAX_SESSIONS = 20  # of one person; the oldest end
MAX_PRESENT = 500  # sessions of which people are listed
_MAX_SWEPT = 100  # expired sessions that a login deletes
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class WebSession:
    """A session of a person who is logged in.

    tenant_id    the account they chose; None before they did
    environment  the one whose documents they see
    language     that they chose; None: the browser's
    dates        the form of dates that they chose; None: the one of the language
    """

    id: str = field(repr=False)
    subject: str
    email: str | None
    name: str | None
    roles: Mapping[str, Role]
    tenant_id: str | None
    environment: Environment
    language: str | None
    dates: str | None = None

    def person(self, address: str | None) -> Session:
        """The person in the chosen tenant. Raises NotFound before one is chosen."""
        if self.tenant_id is None or self.tenant_id not in self.roles:
            raise NotFound("No account is chosen.")
        return Session(
            self.tenant_id, self.subject, self.email, self.roles[self.tenant_id], address
        )


def begin(person: Person, runtime: Runtime, address: str | None = None) -> str:
    """Begin a session and return its token, which is not stored.

    Raises InvalidToken (no tenant of the person exists), AccountClosed and SessionEnded (none of
    them is open to the person).
    """
    usable = _usable(person, runtime)
    tenant_id = next(iter(usable)) if len(usable) == 1 else None
    with db.writing() as connection:
        language, dates = _preferred(connection, person, usable)
        token = add(connection, person, runtime, tenant_id, language=language, dates=dates)
        for each, role in usable.items():
            by = Session(each, person.subject, person.email, role, address)
            audit.record(connection, each, by, "session.opened", person.subject)
    return token


def add(
    connection: Connection,
    person: Person,
    runtime: Runtime,
    tenant_id: str | None = None,
    *,
    is_operator: bool = False,
    language: str | None = None,
    dates: str | None = None,
) -> str:
    """Add a session, one of the console if `is_operator`, and return its token."""
    token, now = secrets.token_urlsafe(_TOKEN_BYTES), clock.now()
    session_id = _digest(token)
    stored.make_room(connection, person.issuer, person.subject, MAX_SESSIONS - 1, now, _MAX_SWEPT)
    record = {
        "id": session_id,
        "issuer": person.issuer,
        "subject": person.subject,
        "email": person.email,
        "name": person.name,
        "roles": {} if is_operator else _stated(person.roles),
        "tenant_id": tenant_id,
        "environment": _first_environment(person).value,
        "language": language,
        "dates": dates,
        "secrets": _sealed(person, session_id, runtime.settings),
        "issued_at": person.issued_at,
        "created_at": now,
        "seen_at": now,
        "refreshed_at": now,
        "expires_at": now + timedelta(seconds=runtime.settings.session_lifetime),
        "is_operator": is_operator,
    }
    stored.add(connection, record)
    return token


def _preferred(
    connection: Connection, person: Person, roles: Mapping[str, Role]
) -> tuple[str | None, str | None]:
    """The language and the form of dates that a person has chosen, in whichever account last; their
    role and address are noted for letters."""
    now = clock.now()
    found = preferences.note_login(connection, _stated(roles), person.subject, person.email, now)
    last = max(found, key=lambda one: one.seen_at, default=None)
    return (last.language, last.dates) if last else (None, None)


def _first_environment(person: Person) -> Environment:
    """The one that is shown before the person chooses: in development there is only the sandbox."""
    return Environment.TEST if person.issuer == dev_issuer.NAME else Environment.LIVE


def of_local_issuer(token: str, runtime: Runtime) -> Person:
    """The person of a token of the local issuer (development).

    Raises NotFound where the issuer is off, InvalidToken, TokenExpired.
    """
    if not dev_issuer.is_on(runtime.settings):
        raise NotFound("There is no local issuer here.")
    claims = runtime.session_verifier.read(token)
    return Person(
        dev_issuer.NAME,
        claims.subject,
        claims.email,
        None,
        {claims.tenant_id: claims.role},
        claims.issued_at,
    )


def _usable(person: Person, runtime: Runtime) -> dict[str, Role]:
    """The roles in tenants that are open to the person. Raises the last refusal if none is."""
    found: dict[str, Role] = {}
    refusal: RequestRefused = InvalidToken("The login names no account of this service.")
    for tenant_id, role in person.roles.items():
        try:
            session_ends.admit(tenant_id, person.subject, person.issued_at, runtime.caches)
            found[tenant_id] = role
        except NotFound:
            continue
        except RequestRefused as fault:
            refusal = fault
    if not found:
        raise refusal
    return found


def find(token: str, runtime: Runtime) -> WebSession | None:
    """The session of a cookie's token, renewed at the provider where that is due; None without one.

    Raises AccountClosed for a tenant that was closed.
    """
    found = lasting(token, runtime)
    if found is None:
        return None
    if found.tenant_id is not None:
        try:
            session_ends.admit(found.tenant_id, found.subject, found.issued_at, runtime.caches)
        except (SessionEnded, NotFound):
            return None
    note_seen(found)
    return _session(found)


def lasting(token: str, runtime: Runtime, *, is_operator: bool = False) -> WebSessionRecord | None:
    """The stored session of a token, renewed at the provider where that is due; None without one,
    or if it is over."""
    found = stored.find(_digest(token), is_operator=is_operator)
    now = clock.now()
    if found is None or found.expires_at <= now or _is_idle(found, runtime.settings):
        return None
    if now - found.refreshed_at >= REFRESH_AFTER and found.secrets is not None:
        with runtime.slot.released():
            return _refreshed(found, runtime)
    return found


def note_seen(found: WebSessionRecord) -> None:
    """Note that the session is used, once a minute."""
    now = clock.now()
    if now - found.seen_at >= NOTE_SEEN_AFTER:
        stored.change(found.id, {"seen_at": now})


def _is_idle(found: WebSessionRecord, settings: Settings) -> bool:
    return clock.now() - found.seen_at > timedelta(seconds=settings.session_idle)


def _refreshed(found: WebSessionRecord, runtime: Runtime) -> WebSessionRecord | None:
    """The session after the provider was asked; None if it has ended there.

    One request asks; others use the session as it was. An outage does not end sessions.
    """
    provider, now = runtime.identity_provider, clock.now()
    held = _opened(found, runtime.settings).get("refresh_token")
    if provider is None or held is None:
        return found
    if not stored.claim_refresh(found.id, found.refreshed_at, now):
        return found
    try:
        person = provider.refresh(held)
    except IdentityProviderUnavailable:
        return found
    except InvalidToken:
        stored.remove(found.id)
        return None
    if person.subject != found.subject or not _may_stay(found, person):
        stored.remove(found.id)
        return None
    if not found.is_operator:
        with db.writing() as connection:
            _preferred(connection, person, person.roles)
    stored.change(
        found.id,
        {
            "roles": {} if found.is_operator else _stated(person.roles),
            "issued_at": person.issued_at,
            "secrets": _sealed(person, found.id, runtime.settings),
            "email": person.email,
            "name": person.name,
        },
    )
    return stored.find(found.id, is_operator=found.is_operator)


def _may_stay(found: WebSessionRecord, person: Person) -> bool:
    """Whether the provider still says what the session is for: an operator, or an account."""
    return person.is_operator if found.is_operator else bool(person.roles)


def choose(session: WebSession, tenant_id: str) -> None:
    """Enter another account of the person. Raises NotFound for one that is not theirs."""
    if tenant_id not in session.roles:
        raise NotFound("This account is not yours.")
    stored.change(session.id, {"tenant_id": tenant_id})


def prefer(session: WebSession, **values: str | None) -> None:
    """Keep choices of the person for the session: `environment`, `language` or `dates`."""
    stored.change(session.id, values)


def end(token: str, runtime: Runtime, *, is_operator: bool = False) -> str | None:
    """End a session; the ID token with which the provider's session is ended, if there is one."""
    found = stored.find(_digest(token), is_operator=is_operator)
    if found is None:
        return None
    stored.remove(found.id)
    return _opened(found, runtime.settings).get("id_token")


@dataclass(frozen=True, slots=True)
class Present:
    """A person with open sessions in an account."""

    subject: str
    name: str
    role: Role | None
    sessions: int
    seen_at: datetime


def present(tenant: TenantRecord, runtime: Runtime) -> list[Present]:
    """Who has a session in an account that is neither idle nor ended, the last one seen first."""
    found = [
        each
        for each in stored.of_tenant(tenant.id, clock.now(), MAX_PRESENT)
        if not _is_idle(each, runtime.settings) and not _is_ended(tenant, each)
    ]
    people: dict[str, list[WebSessionRecord]] = {}
    for each in found:
        people.setdefault(each.subject, []).append(each)
    return [
        Present(
            subject,
            theirs[0].name or theirs[0].email or subject,
            _role(theirs[0].roles.get(tenant.id)),
            len(theirs),
            theirs[0].seen_at,
        )
        for subject, theirs in people.items()
    ]


def _is_ended(tenant: TenantRecord, found: WebSessionRecord) -> bool:
    try:
        session_ends.check(tenant, found.subject, found.issued_at)
    except SessionEnded:
        return True
    return False


def _role(stated: str | None) -> Role | None:
    with suppress(ValueError):
        return Role(stated) if stated else None
    return None


def accounts(session: WebSession, runtime: Runtime) -> list[tuple[str, str, Role]]:
    """(id, name, role) of the person's accounts that are not closed, by name."""
    found = []
    for tenant_id, role in session.roles.items():
        try:
            tenant = tenants.get(tenant_id, runtime.caches)
        except NotFound:
            continue
        if tenant.closed_at is None:
            found.append((tenant_id, tenant.name, role))
    return sorted(found, key=lambda account: (account[1].casefold(), account[0]))


def _session(found: WebSessionRecord) -> WebSession:
    return WebSession(
        id=found.id,
        subject=found.subject,
        email=found.email,
        name=found.name,
        roles={each: Role(role) for each, role in found.roles.items()},
        tenant_id=found.tenant_id,
        environment=Environment(found.environment),
        language=found.language,
        dates=found.dates,
    )


def _stated(roles: Mapping[str, Role]) -> dict[str, str]:
    return {tenant_id: role.value for tenant_id, role in roles.items()}


def _sealed(person: Person, session_id: str, settings: Settings) -> bytes | None:
    """The provider's tokens, sealed for the session; None without any."""
    held = {"id_token": person.id_token, "refresh_token": person.refresh_token}
    plain = {name: token for name, token in held.items() if token is not None}
    if not plain:
        return None
    return sealing.keyring(settings).seal(json.dumps(plain).encode(), _context(session_id))


def _opened(found: WebSessionRecord, settings: Settings) -> dict[str, str]:
    if found.secrets is None:
        return {}
    try:
        plain = sealing.keyring(settings).open(found.secrets, _context(found.id))
    except SealBroken:
        log.warning("tokens of a session cannot be opened", fault="key")
        return {}
    opened: dict[str, str] = json.loads(plain)
    return opened


def _context(session_id: str) -> str:
    return sealing.context_of("web_sessions", session_id, "secrets")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
