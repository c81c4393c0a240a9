"""Connection links: made for a tenant, handed to a person of it, revoked.

A link opens one connection: to a network in one environment, for one account where its maker states
it. Its token is returned once and stored as a digest. It ends when the connection works
(`changes.complete_link`), when it is revoked or expires, after MAX_ATTEMPTS, and with the
connection or the tenant. `link_forms` is what the person does with it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.connection_links import DEFAULT_LASTS, MAX_ENDED, MAX_LASTS, MAX_OPEN
from einvoice.domain.connections import State, compact_account
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound, Phrase
from einvoice.security import tokens
from einvoice.services.account import audit, tenants
from einvoice.services.connections import checks, points
from einvoice.services.principal import Reader
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections
from einvoice.store.connections import links as stored
from einvoice.store.connections.links import LinkRecord as LinkRecord
from einvoice.store.core import db
from einvoice.store.tables import ConnectionLink

PATH = "/connect"


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link to make: for a new connection to a network, or for one that there is.

    network        the name of a network, or of one of its access points
    account        None: the person states it
    connection_id  the connection to which it gives new consent or credentials
    expires_at     None: after DEFAULT_LASTS
    """

    environment: Environment
    network: str | None = None
    account: str | None = None
    name: str = ""
    connection_id: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A link that was just made. The URL has the token, which is stored nowhere."""

    link: LinkRecord
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Target:
    """The target of a link."""

    access_point: str
    network: str
    account: str | None
    connection_id: str | None


def create(tenant_id: str, new: NewLink, runtime: Runtime, by: Reader | None = None) -> IssuedLink:
    """Make a link. An earlier one for the same connection or account is revoked.

    Raises InvalidField, NotFound, AccountClosed, Conflict (the account has a connection, which is
    named; it is revoked; too many links are open), AccessPointUnavailable.
    """
    now, token, link_id = clock.now(), tokens.new(), str(uuid.uuid4())
    until = _end(new.expires_at, now)
    target = _target(tenant_id, new, runtime)
    with db.writing_session() as database:
        tenants.locked(database, tenant_id)
        _end_earlier(database, tenant_id, new.environment, target, now)
        _refuse_too_many(database, tenant_id, new.environment, now)
        row = ConnectionLink(
            id=link_id,
            tenant_id=tenant_id,
            environment=new.environment.value,
            access_point=target.access_point,
            network=target.network,
            account=target.account,
            name=new.name,
            connection_id=target.connection_id,
            digest=tokens.digest(token),
            attempts=0,
            created_at=now,
            expires_at=until,
        )
        database.add(row)
        stored.drop_oldest_ended(database, tenant_id, new.environment.value, now, MAX_ENDED)
        detail = {
            "network": target.network,
            "environment": row.environment,
            "account": target.account,
            "connectionId": target.connection_id,
            "expiresAt": clock.timestamp(until),
        }
        audit.record(database, tenant_id, by, "connectionLink.created", link_id, detail)
        database.flush()
        made = stored.record(row)
    return IssuedLink(made, address(token, runtime.settings))


def address(token: str, settings: Settings) -> str:
    """The URL of a link: at the host to which networks send browsers back."""
    return f"{settings.base_url.rstrip('/')}{PATH}/{token}"


def _end(asked: datetime | None, now: datetime) -> datetime:
    if asked is None:
        return now + DEFAULT_LASTS
    if asked <= now:
        message = "must be a moment to come"
        raise InvalidField([FieldError("/expiresAt", "in-the-past", message, Phrase("past"))])
    if asked > now + MAX_LASTS:
        message = f"must be within {MAX_LASTS.days} days"
        raise InvalidField([FieldError("/expiresAt", "too-late", message)])
    return asked


def _target(tenant_id: str, new: NewLink, runtime: Runtime) -> _Target:
    if new.connection_id is None:
        return _of_network(new, runtime)
    if new.network or new.account:
        message = "is not taken with connectionId: the connection has it"
        name = "network" if new.network else "account"
        raise InvalidField([FieldError(f"/{name}", "contradicts", message)])
    found = checks.find(tenant_id, new.connection_id)
    if found.environment != new.environment:
        raise checks.unknown(new.connection_id)
    if found.state == State.REVOKED:
        raise Conflict("This connection is revoked: make a link for the network.")
    points.named(runtime.access_points, found.access_point)
    return _Target(found.access_point, found.network, found.account, found.id)


def _of_network(new: NewLink, runtime: Runtime) -> _Target:
    if not new.network:
        message = "is required, or connectionId"
        raise InvalidField([FieldError("/network", "required", message, Phrase("required"))])
    point = points.chosen(runtime.access_points, new.environment, new.network).point
    return _Target(point.name, point.network, compact_account(new.account or "") or None, None)


def _end_earlier(
    database: DatabaseSession,
    tenant_id: str,
    environment: Environment,
    target: _Target,
    now: datetime,
) -> None:
    if target.connection_id is not None:
        stored.revoke_of_connection(database, target.connection_id, now)
    elif target.account is not None:
        place = (tenant_id, environment.value, target.access_point, target.account)
        other = connections.of_account(database, *place)
        if other is not None:
            raise Conflict(
                f"The connection {other.id} is for {other.account} at {other.network} already: "
                "make a link for it with connectionId."
            )
        stored.revoke_of_account(database, tenant_id, target.access_point, target.account, now)


def _refuse_too_many(
    database: DatabaseSession, tenant_id: str, environment: Environment, now: datetime
) -> None:
    there = stored.count_open(database, tenant_id, environment.value, now)
    if there >= MAX_OPEN:
        raise Conflict(
            f"There are {there} open links in the {environment} environment already: revoke one."
        )


def page(
    tenant_id: str,
    environments: tuple[Environment, ...],
    *,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[LinkRecord]:
    """At most `limit` links, oldest first; of ended ones the newest MAX_ENDED are kept."""
    return stored.page(tenant_id, [one.value for one in environments], after, limit)


def get(tenant_id: str, link_id: str, environments: tuple[Environment, ...]) -> LinkRecord:
    """One link, without its token. Raises NotFound."""
    found = stored.find(tenant_id, link_id)
    if found is None or found.environment not in environments:
        raise NotFound(f"There is no connection link {link_id}.")
    return found


def revoke(
    tenant_id: str,
    link_id: str,
    environments: tuple[Environment, ...],
    by: Reader | None = None,
) -> None:
    """Revoke a link: it stops working at once. One that has ended stays as it is.

    Raises NotFound.
    """
    found = get(tenant_id, link_id, environments)
    with db.writing_session() as database:
        if stored.revoke(database, found.id, clock.now()):
            audit.record(database, tenant_id, by, "connectionLink.revoked", link_id)
