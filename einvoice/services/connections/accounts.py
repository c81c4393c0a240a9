"""Connections of a tenant: add, list, change, check, revoke."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.connections import NEEDING, State, compact_account
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, Phrase
from einvoice.network.access_points import names_of_leaving
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.account import audit, tenants
from einvoice.services.connections import checks, consent_groups, parked_documents, points, sealing
from einvoice.services.connections.points import ConnectedPoint
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.connections import parked, shared_consents
from einvoice.store.connections.connections import ConnectionRecord as ConnectionRecord
from einvoice.store.connections.connections import StateCount as StateCount
from einvoice.store.core import db
from einvoice.store.tables import Connection

MAX_CONNECTIONS = 200  # per tenant and environment, without revoked ones
MAX_REVOKED = 100  # that are kept, per tenant and environment
OPERATOR = "operator"

log = logging.get(__name__)


@dataclass(frozen=True, slots=True)
class NewConnection:
    """A connection to add.

    network     the name of a network, or of one of its access points
    consent_of  the id of a connection whose consent it uses
    """

    environment: Environment
    network: str
    account: str
    name: str = ""
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    consent_of: str | None = None


def create(
    tenant_id: str, new: NewConnection, runtime: Runtime, by: Session | None = None
) -> ConnectionRecord:
    """Store the connection, and check it unless a person has to authorise it in the browser.

    Raises InvalidField, Conflict (the account has a connection; too many; no consent to use),
    NotFound, AccountClosed.
    """
    point = points.chosen(runtime.access_points, new.environment, new.network)
    account = compact_account(new.account)
    if not account:
        message = "must not be blank"
        raise InvalidField([FieldError("/account", "blank", message, Phrase("blank"))])
    form = point.connected.describe()
    points.check_credentials(form, new.credentials, complete=True)
    made = _add(tenant_id, new, account, point, runtime.settings, by)
    if new.consent_of is not None:
        return checks.run(made, point.connected.check, runtime)
    if form.browser:
        return made
    return checks.run(made, point.connected.open, runtime, _person(by))


def _add(
    tenant_id: str,
    new: NewConnection,
    account: str,
    point: ConnectedPoint,
    settings: Settings,
    by: Session | None,
) -> ConnectionRecord:
    try:
        with db.writing_session() as database:
            tenants.locked(database, tenant_id)
            return insert(database, tenant_id, new, account, point, settings, by)
    except IntegrityError:
        with db.reading_session() as database:
            _refuse_second(database, _place(tenant_id, new, account, point))
        raise


def insert(
    database: DatabaseSession,
    tenant_id: str,
    new: NewConnection,
    account: str,
    point: ConnectedPoint,
    settings: Settings,
    by: Session | None,
) -> ConnectionRecord:
    """Store a connection that was not checked yet; the caller has locked the tenant.

    Raises as `create`.
    """
    _refuse_second(database, _place(tenant_id, new, account, point))
    _refuse_too_many(database, tenant_id, new.environment.value)
    row = _row(tenant_id, new, account, point, settings)
    _give_consent(database, row, new.consent_of, point)
    database.add(row)
    detail = {"network": row.network, "account": account, "environment": row.environment}
    if new.consent_of is not None:
        detail["consentOf"] = new.consent_of
    audit.record(database, tenant_id, by, "connection.created", row.id, detail)
    database.flush()
    return stored.record(row)


def _place(
    tenant_id: str, new: NewConnection, account: str, point: ConnectedPoint
) -> tuple[str, str, str, str]:
    return tenant_id, new.environment.value, point.point.name, account


def _row(
    tenant_id: str, new: NewConnection, account: str, point: ConnectedPoint, settings: Settings
) -> Connection:
    connection_id, now = str(uuid.uuid4()), clock.now()
    sealed = None if point.shared else _sealed(connection_id, new.credentials, settings)
    return Connection(
        id=connection_id,
        tenant_id=tenant_id,
        environment=new.environment.value,
        access_point=point.point.name,
        network=point.point.network,
        account=account,
        name=new.name or account,
        state=State.SETTING_UP.value,
        credentials=sealed,
        version=1,
        created_at=now,
        updated_at=now,
    )


def _give_consent(
    database: DatabaseSession, row: Connection, consent_of: str | None, point: ConnectedPoint
) -> None:
    """Let a new connection use a consent: of another connection, or one still to be given."""
    if consent_of is not None:
        other = _with_consent(database, row, consent_of, point)
        row.consent_id, row.consent_by, row.consent_at = (
            other.consent_id, other.consent_by, other.consent_at,
        )  # fmt: skip
    elif point.shared is not None:
        consent_groups.add_consent(database, row)


def _with_consent(
    database: DatabaseSession, row: Connection, consent_of: str, point: ConnectedPoint
) -> Connection:
    """The tenant's connection at this access point whose consent was given, which is locked.

    Raises InvalidField, Conflict.
    """
    if point.shared is None:
        message = f"the consents of {row.network} are of one connection each"
        raise InvalidField([FieldError("/consentOf", "not-shared", message)])
    other = stored.find(database, row.tenant_id, consent_of)
    if other is None or (other.environment, other.access_point) != (
        row.environment, row.access_point,
    ):  # fmt: skip
        message = f"there is no connection {consent_of!r} to {row.network} in {row.environment}"
        raise InvalidField([FieldError("/consentOf", "unknown-connection", message)])
    consent = other.consent_id and shared_consents.lock(database, other.consent_id)
    database.refresh(other)
    if not consent or consent.credentials is None or other.state == State.REVOKED:
        raise Conflict(f"The connection {other.name} has no consent: give it there first.")
    return other


def _refuse_second(database: DatabaseSession, place: tuple[str, str, str, str]) -> None:
    other = stored.of_account(database, *place)
    if other is not None:
        raise Conflict(
            f"The connection {other.id} ({other.name}) is for {other.account} at {other.network} "
            f"in the {other.environment} environment already."
        )


def _refuse_too_many(database: DatabaseSession, tenant_id: str, environment: str) -> None:
    there = stored.count_open(database, tenant_id, environment)
    if there >= MAX_CONNECTIONS:
        raise Conflict(f"There are {there} connections in the {environment} environment already.")


def page(
    tenant_id: str,
    matching: Mapping[str, str],
    *,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[ConnectionRecord]:
    """At most `limit` connections, oldest first; `matching`: environment, state."""
    return stored.page(tenant_id, matching, after, limit)


def needing_person(tenant_id: str, environment: Environment) -> list[ConnectionRecord]:
    """The connections at which a person has to act, oldest first."""
    every = MAX_CONNECTIONS + MAX_REVOKED
    found = stored.page(tenant_id, {"environment": environment.value}, None, every)
    return [each for each in found if State(each.state) in NEEDING]


def get(tenant_id: str, connection_id: str) -> ConnectionRecord:
    """One connection, without its secrets. Raises NotFound."""
    return checks.find(tenant_id, connection_id)


def change(
    tenant_id: str,
    connection_id: str,
    runtime: Runtime,
    *,
    name: str | None = None,
    credentials: Mapping[str, str] | None = None,
    by: Session | None = None,
) -> ConnectionRecord:
    """Change the name, or replace some credentials and check the connection with them.

    Raises NotFound, InvalidField, Conflict (revoked), TooBusy, AccessPointUnavailable.
    """
    connection = get(tenant_id, connection_id)
    point = None
    if credentials:
        point = points.named(runtime.access_points, connection.access_point)
        points.check_credentials(point.connected.describe(), credentials, complete=False)
    changed = _change(connection, name, credentials, runtime.settings, by)
    if point is None:
        return changed
    return checks.run(changed, point.connected.open, runtime, _person(by))


def _change(
    record: ConnectionRecord,
    name: str | None,
    credentials: Mapping[str, str] | None,
    settings: Settings,
    by: Session | None,
) -> ConnectionRecord:
    with db.writing_session() as database:
        found = _locked(database, record.tenant_id, record.id)
        if found.state == State.REVOKED:
            raise Conflict("This connection is revoked.")
        if credentials:
            replace_credentials(found, credentials, settings)
        found.name, found.updated_at = name or found.name, clock.now()
        detail = {"name": found.name, "credentials": sorted(credentials or ())}
        audit.record(database, record.tenant_id, by, "connection.changed", record.id, detail)
        return stored.record(found)


def replace_credentials(
    connection: Connection, credentials: Mapping[str, str], settings: Settings
) -> None:
    """Seal these credentials beside the other ones of a locked connection. Raises InvalidField."""
    whole = {**_known(connection, settings), **credentials}
    connection.credentials = _sealed(connection.id, whole, settings)
    connection.version += 1


def _known(connection: Connection, settings: Settings) -> Mapping[str, str]:
    """The stored credentials; none if their key is gone, so that they can be given again."""
    try:
        return sealing.opened(stored.sealed(connection), settings).credentials
    except SealBroken:
        return {}


def _sealed(connection_id: str, credentials: Mapping[str, str], settings: Settings) -> bytes:
    try:
        return sealing.sealed(connection_id, "credentials", credentials, settings)
    except sealing.TooMuchToSeal:
        message = f"are larger than {sealing.MAX_SEALED_BYTES:,} bytes together"
        raise InvalidField([FieldError("/credentials", "too-long", message)]) from None


def _locked(database: DatabaseSession, tenant_id: str, connection_id: str) -> Connection:
    found = stored.find(database, tenant_id, connection_id, locked=True)
    if found is None:
        raise checks.unknown(connection_id)
    return found


def check(tenant_id: str, connection_id: str, runtime: Runtime) -> ConnectionRecord:
    """Check the account at the network now.

    Raises NotFound, Conflict (revoked), TooBusy, AccessPointUnavailable.
    """
    connection = get(tenant_id, connection_id)
    point = points.named(runtime.access_points, connection.access_point)
    return checks.run(connection, point.connected.check, runtime)


def revoke(
    tenant_id: str,
    connection_id: str,
    by: Session | None = None,
    points: Iterable[AccessPoint] = (),
) -> None:
    """End the connection and delete its credentials and state. Repeating it changes nothing.

    points  the access points of the installation: a network that keeps something for the account
            (`LeavesNetwork`) is left by a worker, which deletes credentials and state then

    Its documents are due: workers find that they cannot be sent any more. A consent that no other
    connection uses is withdrawn at the network, by a worker.

    Raises NotFound.
    """
    record = get(tenant_id, connection_id)
    names = names_of_leaving(points)
    consent_id = record.consent_id
    with db.writing_session() as database:
        if consent_id is not None:
            shared_consents.lock(database, consent_id)
        found = _locked(database, tenant_id, connection_id)
        if found.state == State.REVOKED:
            return
        reason = f"by {_person(by)}"
        leaves = record.access_point in names
        stored.revoke(database, found, reason, clock.now(), leaves=leaves)
        database.flush()
        parked_documents.park_or_resume(database.connection(), connection_id, State.REVOKED)
        if consent_id is not None:
            shared_consents.end_unused(database, tenant_id, clock.now())
        stored.drop_oldest_revoked(database, tenant_id, found.environment, MAX_REVOKED)
        audit.record(database, tenant_id, by, "connection.revoked", connection_id)


def waiting_documents(records: Iterable[ConnectionRecord]) -> dict[str, int]:
    """How many documents wait for each of the connections, by id; without those that have none."""
    return parked.count([one.id for one in records])


def waiting_since(records: Iterable[ConnectionRecord]) -> dict[str, datetime]:
    """Since when the first of the documents of each connection waits, by its id."""
    return parked.since([one.id for one in records])


def of_all(tenant_id: str | None, limit: int = 1000) -> list[ConnectionRecord]:
    """For operators: connections of a tenant, or of all tenants those that are not revoked."""
    return stored.all_of(tenant_id, limit)


def with_tokens(limit: int) -> list[ConnectionRecord]:
    """For operators: connections of all tenants whose credentials end, the first to end first."""
    return stored.with_tokens(limit)


def count_by_state() -> list[StateCount]:
    """For operators: how many connections of all tenants have each state, without revoked ones."""
    return stored.count_by_state()


def count_needing_person() -> dict[str, int]:
    """For operators: how many connections do not work until a person acts, by access point."""
    return stored.count_in((State.NEEDS_PERSON, State.BROKEN))


def _person(by: Session | None) -> str:
    return OPERATOR if by is None else by.email or by.subject
