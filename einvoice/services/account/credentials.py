"""Create, change, limit, rotate and revoke API keys and OAuth clients (decisions 9 and 11).

`by` is the person at the dashboard; None is the operator (account/audit).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.credentials import MAX_ENDED_LISTED, Credential, CredentialKind
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.services.account import audit, credential_terms, issuance, key_expiry, tenants
from einvoice.services.account.issuance import ISSUERS
from einvoice.services.principal import Session
from einvoice.store.account import credentials as stored
from einvoice.store.account.credentials import MODELS, Model
from einvoice.store.core import budgets, db


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A stored credential and its secret, which is shown only now."""

    record: Credential
    secret: str


def create(
    kind: CredentialKind,
    tenant_id: str,
    name: str,
    environment: Environment,
    *,
    scopes: Sequence[str] | None = None,
    expires_at: datetime | None = None,
    allowed_ips: Sequence[str] = (),
    allowed_receivers: Sequence[str] = (),
    by: Session | None = None,
) -> NewCredential:
    """Issue a credential to the tenant; `expires_at` is only for a kind that expires.

    scopes     default: those of the kind (credential_terms.default_scopes)
    tenant_id  of a kind of platforms: the platform's id

    Raises NotFound, InvalidField, InvalidParticipant, Conflict (MAX_ACTIVE are active).
    """
    issuer = ISSUERS[kind]
    secret = issuer.new_secret(environment)
    with db.writing_session() as database:
        tenants.locked(database, tenant_id)
        now = clock.now()
        issuance.check_account(database, kind, tenant_id)
        if scopes is None:
            scopes = credential_terms.default_scopes(kind)
        credential_terms.check(scopes, allowed_ips, expires_at, now, kind=kind)
        values = {
            "id": issuer.new_id(environment),
            "tenant_id": tenant_id,
            "environment": environment.value,
            "name": name,
            "scopes": credential_terms.unique(scopes),
            "allowed_ips": credential_terms.unique(allowed_ips),
            "allowed_receivers": credential_terms.canonical_receivers(allowed_receivers),
            "created_by": credential_terms.creator(by),
            "created_at": now,
            **({"expires_at": expires_at} if kind.expires else {}),
        }
        issuance.check_count(database, kind, tenant_id, environment.value, now)
        new = MODELS[kind](**values, **issuer.secret_columns(secret))
        database.add(new)
        detail = {"name": name, "environment": environment.value, "scopes": new.scopes}
        audit.record(database, tenant_id, by, f"{kind.audit_name}.created", new.id, detail)
        record = stored.record(kind, new)
        key_expiry.announce(database, record, now)
        return NewCredential(record, secret)


def of_tenant(
    kind: CredentialKind, tenant_id: str, environment: Environment | None = None
) -> list[Credential]:
    """The tenant's credentials, oldest first; of both environments when none is given.

    All active ones, and in each environment the newest MAX_ENDED_LISTED that ended.
    """
    now, wanted = clock.now(), list(Environment) if environment is None else [environment]
    with db.reading_session() as database:
        found: list[Model] = []
        for place in wanted:
            found += stored.active(database, kind, tenant_id, place.value, now)
            found += stored.newest_ended(
                database, kind, tenant_id, place.value, now, MAX_ENDED_LISTED
            )
        records = [stored.record(kind, model) for model in found]
    return sorted(records, key=lambda r: (r.created_at, r.id))


def get(kind: CredentialKind, tenant_id: str, credential_id: str) -> Credential:
    """One credential, in any state. Raises NotFound."""
    with db.reading_session() as database:
        return stored.record(kind, _found(database, kind, tenant_id, credential_id))


def _found(
    database: DatabaseSession,
    kind: CredentialKind,
    tenant_id: str,
    credential_id: str,
    *,
    locked: bool = False,
) -> Model:
    model = stored.find(database, kind, tenant_id, credential_id, locked=locked)
    if model is None:
        raise NotFound(f"There is no {kind} {credential_id[:40]}.")
    return model


def change(
    kind: CredentialKind,
    tenant_id: str,
    credential_id: str,
    changes: Mapping[str, Any],
    by: Session | None,
) -> Credential:
    """Change name, scopes, allowed_ips or allowed_receivers, for all processes.

    Keys follow at once, tokens of a client within a second. Raises NotFound, InvalidField,
    InvalidParticipant, Conflict (it is revoked).
    """
    with db.writing_session() as database:
        model = _found(database, kind, tenant_id, credential_id, locked=True)
        if model.revoked_at is not None:
            raise _ended(kind, credential_id, "revoked")
        checked = credential_terms.checked_changes(kind, changes)
        if checked:
            stored.set_columns(model, checked)
            audit.record(
                database, tenant_id, by, f"{kind.audit_name}.changed", credential_id, checked
            )
        changed = stored.record(kind, model)
    _notify(kind, credential_id)
    return changed


def rotate(
    kind: CredentialKind,
    tenant_id: str,
    credential_id: str,
    grace_seconds: int = credential_terms.DEFAULT_GRACE_SECONDS,
    by: Session | None = None,
) -> NewCredential:
    """A new secret with the same rights; the old one is accepted during the grace period.

    A key is followed by a new one, which has a lifetime of the same length, also if it is rotated
    again within the grace period. A client keeps its id.
    Raises NotFound, InvalidField (grace), Conflict (it is revoked, expired or being rotated now, or
    MAX_ACTIVE are active while both keys are, two old secrets of a client are still accepted).
    """
    credential_terms.check_grace(grace_seconds)
    issuer, seen, now = ISSUERS[kind], get(kind, tenant_id, credential_id), clock.now()
    secret, lifetime = issuer.new_secret(Environment(seen.environment)), _lifetime(kind, seen, now)
    with db.writing_session() as database:
        tenants.locked(database, tenant_id)
        old = _found(database, kind, tenant_id, credential_id, locked=True)
        current = stored.record(kind, old)
        if not current.is_active(now):
            raise _ended(kind, credential_id, "revoked or expired" if kind.expires else "revoked")
        if current.ends_at != seen.ends_at:
            raise Conflict(f"Another request has just rotated the {kind} {credential_id}.")
        grace = timedelta(seconds=grace_seconds)
        new = issuer.rotate(database, old, secret, now, grace, lifetime)
        successor = {} if new.id == credential_id else {"newKeyId": new.id}
        detail = {**successor, "gracePeriodSeconds": grace_seconds}
        audit.record(database, tenant_id, by, f"{kind.audit_name}.rotated", credential_id, detail)
        made = NewCredential(stored.record(kind, new), secret)
        for one in (stored.record(kind, old), made.record):
            key_expiry.announce(database, one, now)
    _notify(kind, credential_id)
    return made


def _lifetime(kind: CredentialKind, key: Credential, now: datetime) -> timedelta | None:
    """For how long what follows the key lasts; None: for ever.

    The end of a key that was rotated is that of its grace period. Its newest successor, which the
    audit log names, has the length of its life.
    """
    if key.ends_at is None:
        return None
    if key.ends_at - now <= timedelta(seconds=credential_terms.MAX_GRACE_SECONDS):
        rotated = {"action": f"{kind.audit_name}.rotated", "target": key.id}
        for entry in audit.page(key.tenant_id, before=None, limit=1, matching=rotated):
            with suppress(NotFound):
                return _lifetime(kind, get(kind, key.tenant_id, entry.detail["newKeyId"]), now)
    return key.ends_at - key.created_at


def revoke(
    kind: CredentialKind, tenant_id: str, credential_id: str, by: Session | None = None
) -> None:
    """End the credential. Raises NotFound.

    A key stops working at once, within a second if Redis is not available. A client gets no more
    tokens, and those it has end within a second.
    """
    with db.writing_session() as database:
        model = _found(database, kind, tenant_id, credential_id, locked=True)
        if model.revoked_at is None:
            model.revoked_at = clock.now()
            audit.record(database, tenant_id, by, f"{kind.audit_name}.revoked", credential_id)
    _notify(kind, credential_id)


def limit(
    kind: CredentialKind, tenant_id: str, credential_id: str, get: int | None, post: int | None
) -> None:
    """Set the requests a minute; None is the default of the settings. Raises NotFound."""
    with db.writing_session() as database:
        model = _found(database, kind, tenant_id, credential_id, locked=True)
        model.get_per_minute, model.post_per_minute = get, post
        detail = {"getPerMinute": get, "postPerMinute": post}
        audit.record(database, tenant_id, None, f"{kind.audit_name}.limited", credential_id, detail)
    _notify(kind, credential_id)


def _ended(kind: CredentialKind, credential_id: str, how: str) -> Conflict:
    return Conflict(f"The {kind} {credential_id} is {how}: create a new one.")


def _notify(kind: CredentialKind, credential_id: str) -> None:
    """Make running services read the credential again; call after the commit."""
    if kind.notifies:
        budgets.stamp(credential_id)
