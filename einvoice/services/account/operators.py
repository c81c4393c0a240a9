"""Operators of the service: sessions at the console, and keys of their programs.

Neither belongs to a tenant, and nothing that a tenant has is accepted for either: a session of the
console is another row than one of the dashboard, and keys are in a table of their own. Keys are
made by a command only.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.errors import Conflict, FieldError, InvalidApiKey, InvalidField, InvalidToken
from einvoice.domain.errors import NotFound as NotFound
from einvoice.domain.operators import MAX_KEYS, OWN_LOG, SCOPES
from einvoice.security import api_keys, dev_issuer
from einvoice.security.identity_provider import Person
from einvoice.services.account import audit, web_sessions
from einvoice.services.principal import Operator
from einvoice.services.runtime import Runtime
from einvoice.store.account import operator_keys as stored
from einvoice.store.account.operator_keys import OperatorKeyRecord as OperatorKeyRecord
from einvoice.store.core import db

_NOTE_USE_AFTER = timedelta(minutes=1)


# -- sessions --------------------------------------------------------------------------------------


def begin(person: Person, runtime: Runtime, address: str | None) -> str:
    """Begin a session at the console and return its token. Raises InvalidToken for a person whom
    the identity provider does not name an operator."""
    if not person.is_operator:
        raise InvalidToken("The identity provider does not name you an operator of this service.")
    by = Operator(person.email or person.name or person.subject, person.subject, address=address)
    with db.writing() as connection, audit.of_operator(by):
        token = web_sessions.add(connection, person, runtime, is_operator=True)
        audit.record(connection, OWN_LOG, None, "session.opened", person.subject)
    return token


def of_local_issuer(token: str, runtime: Runtime) -> Person:
    """The operator of a token of the local issuer (development).

    Raises NotFound where the issuer is off, InvalidToken, TokenExpired.
    """
    if not dev_issuer.is_on(runtime.settings):
        raise NotFound("There is no local issuer here.")
    claims = runtime.session_verifier.verified(token)
    if claims["iss"] != dev_issuer.NAME or claims.get(dev_issuer.OPERATOR) is not True:
        raise InvalidToken("This is not a token of an operator: einvoice dev-token --operator.")
    subject, email = str(claims.get("sub", "")), claims.get("email")
    return Person(
        dev_issuer.NAME,
        subject,
        email if isinstance(email, str) else None,
        None,
        {},
        float(claims["iat"]),
        is_operator=True,
    )


def find(token: str, runtime: Runtime, address: str | None) -> Operator | None:
    """The operator of a cookie's token; None without a session that lasts."""
    found = web_sessions.lasting(token, runtime, is_operator=True)
    if found is None:
        return None
    web_sessions.note_seen(found)
    name = found.email or found.name or found.subject
    return Operator(name, found.subject, frozenset(SCOPES), address)


def end(token: str, runtime: Runtime) -> str | None:
    """End a session; the ID token with which the provider's session is ended, if there is one."""
    return web_sessions.end(token, runtime, is_operator=True)


# -- keys ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewOperatorKey:
    """A stored key and its secret, which is shown only now."""

    record: OperatorKeyRecord
    secret: str


def create_key(
    name: str, scopes: Sequence[str], expires_at: datetime | None, created_by: str
) -> NewOperatorKey:
    """Create a key. Raises InvalidField, and Conflict if MAX_KEYS are active."""
    secret, now = api_keys.new_of_operator(), clock.now()
    _check(scopes, expires_at, now)
    record = OperatorKeyRecord(
        id=str(uuid.uuid4()),
        name=name,
        prefix=secret[:11],
        last4=secret[-4:],
        scopes=sorted(set(scopes)),
        created_by=created_by,
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
        last_used_ip=None,
    )
    with db.writing() as connection:
        if stored.count_active(connection, now) >= MAX_KEYS:
            raise Conflict(f"{MAX_KEYS} keys of operators are active: revoke one of them.")
        stored.add(connection, record, api_keys.fingerprint(secret))
        detail = {"name": name, "scopes": record.scopes}
        audit.record(connection, OWN_LOG, None, "operatorKey.created", record.id, detail)
    return NewOperatorKey(record, secret)


def _check(scopes: Sequence[str], expires_at: datetime | None, now: datetime) -> None:
    """Raise InvalidField for unknown scopes, and an end that is over."""
    wrong = [
        FieldError(f"/scopes/{place}", "unknown-scope", f"{each} is none of {', '.join(SCOPES)}")
        for place, each in enumerate(scopes)
        if each not in SCOPES
    ]
    if expires_at is not None and expires_at <= now:
        wrong.append(FieldError("/expiresAt", "in-the-past", "must be a moment to come"))
    if wrong:
        raise InvalidField(wrong)


def all_keys() -> list[OperatorKeyRecord]:
    """All keys, the oldest first, also those that have ended."""
    return stored.all_keys()


def revoke_key(key_id: str) -> None:
    """End a key at once. Raises NotFound."""
    with db.writing() as connection:
        found = stored.revoke(connection, key_id, clock.now())
        if found is None:
            raise NotFound(f"There is no key of an operator {key_id[:40]}.")
        if found:
            audit.record(connection, OWN_LOG, None, "operatorKey.revoked", key_id)


def recognise(key: str, address: str | None) -> Operator:
    """The operator of a key. Raises InvalidApiKey for anything else; keys are never cached."""
    if not api_keys.is_of_operator(key):
        raise InvalidApiKey("This needs the key of an operator: ok_…")
    now = clock.now()
    found = stored.find_live(api_keys.fingerprint(key), now)
    if found is None:
        raise InvalidApiKey("The key is unknown, expired or revoked.")
    if found.last_used_at is None or now - found.last_used_at >= _NOTE_USE_AFTER:
        stored.note_use(found.id, now, address)
    return Operator(found.name, found.id, frozenset(found.scopes), address)
