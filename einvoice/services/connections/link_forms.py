"""The form of a connection link, as a person sees and sends it.

The link is the only credential. Whoever has it may try at most MAX_ATTEMPTS times; the connection
that they make is the link's, and no other one of the tenant can be seen or changed by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.connection_links import MAX_ATTEMPTS
from einvoice.domain.connections import State, compact_account
from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField, NotFound, Phrase
from einvoice.domain.roles import Role
from einvoice.network.connections import ConnectionForm
from einvoice.security import tokens
from einvoice.services.account import audit, tenants
from einvoice.services.connections import accounts, checks, consents, points
from einvoice.services.connections.consents import Consent
from einvoice.services.connections.points import ConnectedPoint
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections
from einvoice.store.connections import links as stored
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.connections.links import LinkRecord, PresentedLink
from einvoice.store.core import db
from einvoice.store.tables import Connection, ConnectionLink


@dataclass(frozen=True, slots=True)
class OpenedLink:
    """An open link with the form of its network, and its connection if there is one by now."""

    presented: PresentedLink
    form: ConnectionForm
    connection: ConnectionRecord | None

    @property
    def link(self) -> LinkRecord:
        return self.presented.link

    @property
    def account(self) -> str | None:
        """The account that the person cannot choose any more."""
        return self.link.account

    @property
    def is_new(self) -> bool:
        """Whether all required fields have to be given."""
        return self.connection is None


@dataclass(frozen=True, slots=True)
class Submission:
    """The values that a person sends by a link.

    person   the e-mail address that they state
    address  of the client
    """

    person: str
    account: str | None = None
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    address: str | None = None


def opened(token: str, runtime: Runtime) -> OpenedLink:
    """The link of this token, if it is open. Raises NotFound, AccessPointUnavailable.

    Malformed tokens are looked up too, so they take the same time.
    """
    found = stored.find_open(tokens.digest(token), clock.now())
    if found is None:
        raise invalid()
    link = found.link
    form = points.named(runtime.access_points, link.access_point).connected.describe()
    there = link.connection_id and checks.find(link.tenant_id, link.connection_id)
    return OpenedLink(found, form, there or None)


def invalid() -> NotFound:
    """The refusal of every token that is not the one of an open link."""
    return NotFound("This link is not valid.")


def submit(token: str, given: Submission, runtime: Runtime) -> ConnectionRecord | Consent:
    """Store what a person gives, and ask the network; or begin its consent in this browser.

    The link ends with the transaction that stores that the connection works. Until then the person
    may correct what was given.

    Raises NotFound, InvalidField, Conflict, AccountClosed, TooBusy, AccessPointUnavailable.
    """
    link = opened(token, runtime).link
    point = points.named(runtime.access_points, link.access_point)
    by = Session(
        link.tenant_id,
        subject=link.id,
        email=given.person,
        role=Role.ADMIN,
        address=given.address,
        environment=Environment(link.environment),
    )
    connection = _stored(link, given, point, runtime, by)
    if point.connected.describe().browser:
        return consents.begin(link.tenant_id, connection.id, runtime, by, link.id)
    return checks.run(connection, point.connected.open, runtime, given.person)


def _stored(
    link: LinkRecord, given: Submission, point: ConnectedPoint, runtime: Runtime, by: Session
) -> ConnectionRecord:
    """The connection of the link, with what was given. It is made once, also by two tabs."""
    for _ in range(2):
        with db.writing_session() as database:
            found = None
            if link.connection_id is None:
                tenants.locked(database, link.tenant_id)
            else:
                found = connections.find(
                    database, link.tenant_id, link.connection_id, locked=True
                )  # fmt: skip
            row = stored.lock_open(database, link.id, clock.now())
            if row is None:
                raise invalid()
            if row.connection_id == link.connection_id:
                kept = _attempt(database, row, found, given, point, runtime, by)
                break
            link = stored.record(row)  # another tab has made the connection
    else:
        raise invalid()
    if kept is None:
        raise invalid()
    return kept


def _attempt(
    database: DatabaseSession,
    row: ConnectionLink,
    found: Connection | None,
    given: Submission,
    point: ConnectedPoint,
    runtime: Runtime,
    by: Session,
) -> ConnectionRecord | None:
    """Count an attempt and store what it gives; None, and the link is revoked, after too many."""
    row.attempts += 1
    if row.attempts > MAX_ATTEMPTS:
        stored.revoke(database, row.id, clock.now())
        return None
    if found is not None:
        return _changed(database, row, found, given, point, runtime, by)
    form = point.connected.describe()
    points.check_credentials(form, given.credentials, complete=True)
    account = row.account or _account(given)
    _refuse_second(database, row, account)
    new = accounts.NewConnection(
        Environment(row.environment), row.network, account, row.name, given.credentials
    )
    made = accounts.insert(
        database, row.tenant_id, new, account, point, runtime.settings, by
    )  # fmt: skip
    row.connection_id = made.id
    return made


def _changed(
    database: DatabaseSession,
    row: ConnectionLink,
    found: Connection,
    given: Submission,
    point: ConnectedPoint,
    runtime: Runtime,
    by: Session,
) -> ConnectionRecord:
    """The link's connection with what was given now; what was left blank stays."""
    has_none = found.credentials is None and point.shared is None
    form = point.connected.describe()
    points.check_credentials(form, given.credentials, complete=has_none)
    if row.account is None and found.state == State.SETTING_UP:
        account = _account(given)
        if account != found.account:
            _refuse_second(database, row, account)
            found.account, found.version = account, found.version + 1
    if given.credentials:
        accounts.replace_credentials(found, given.credentials, runtime.settings)
    found.updated_at = clock.now()
    detail = {"account": found.account, "credentials": sorted(given.credentials)}
    audit.record(database, row.tenant_id, by, "connection.changed", found.id, detail)
    database.flush()
    return connections.record(found)


def _account(given: Submission) -> str:
    account = compact_account(given.account or "")
    if not account:
        raise InvalidField([FieldError("/account", "blank", "must not be blank", Phrase("blank"))])
    return account


def _refuse_second(database: DatabaseSession, row: ConnectionLink, account: str) -> None:
    """Raise InvalidField if another connection has the account. It is not named: it is none of the
    person's affair."""
    place = (row.tenant_id, row.environment, row.access_point, account)
    if connections.of_account(database, *place) is not None:
        message = f"There is a connection for {account} at {row.network} already."
        raise InvalidField([FieldError("/account", "taken", message)])
