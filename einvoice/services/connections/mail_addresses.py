"""E-mail addresses at which a tenant receives bills.

An address is a connection to an access point that receives mail (`ReceivesMail`), whose account is
the part before the @: a name that the service makes and nobody guesses. A tenant may have several,
each with the account to which its bills are booked where their supplier has none. Changing an
address makes another one and closes the old one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound, TooBusy
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints
from einvoice.network.connections import Connection
from einvoice.network.mailboxes import ReceivesMail
from einvoice.observability import logging
from einvoice.services.account import audit
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.core import db

log = logging.get(__name__)

NETWORK: Final = "mail"
MAX_NAME: Final = 100
MAX_ACCOUNT: Final = 40
_EVERY: Final = accounts.MAX_CONNECTIONS


@dataclass(frozen=True, slots=True)
class MailAddress:
    """An address of a tenant. Its id is that of its connection.

    state            one of domain/connections.State: `active` once it takes mail
    reason           why it does not, if it does not
    gl_account_code  of its bills whose supplier has none
    """

    id: str
    address: str
    name: str
    environment: Environment
    state: State
    reason: str | None
    gl_account_code: str | None
    created_at: datetime


def is_offered(environment: Environment, points: AccessPoints) -> bool:
    """Whether the operator receives mail in the environment."""
    return _point(environment, points) is not None


def all_of(tenant_id: str, environment: Environment, runtime: Runtime) -> list[MailAddress]:
    """The addresses of a tenant in an environment, the oldest first; without closed ones."""
    matching = {"environment": environment.value}
    found = accounts.page(tenant_id, matching, after=None, limit=_EVERY + accounts.MAX_REVOKED)
    points = runtime.access_points
    return [
        _shown(each, points)
        for each in found
        if each.state != State.REVOKED and _is_address(each, points)
    ]


def get(tenant_id: str, address_id: str, runtime: Runtime) -> MailAddress:
    """One address. Raises NotFound, also for a closed one."""
    return _shown(_found(tenant_id, address_id, runtime), runtime.access_points)


def create(
    tenant_id: str,
    environment: Environment,
    runtime: Runtime,
    *,
    name: str = "",
    gl_account_code: str | None = None,
    by: Session | None = None,
) -> MailAddress:
    """Make an address. Raises InvalidField, Conflict (the operator receives no mail; too many)."""
    found = _point(environment, runtime.access_points)
    if found is None:
        raise Conflict("This service receives no mail in this environment.")
    _check(name, gl_account_code)
    access_point, point = found
    new = NewConnection(environment, access_point, point.new_account(), name)
    made = accounts.create(tenant_id, new, runtime, by)
    if gl_account_code is not None:
        _book(made, gl_account_code, by)
    return get(tenant_id, made.id, runtime)


def change(
    tenant_id: str,
    address_id: str,
    runtime: Runtime,
    *,
    name: str | None = None,
    gl_account_code: str | None = None,
    by: Session | None = None,
) -> MailAddress:
    """Change the name (None: it stays), or the account of bills (None: it stays, "": none).

    Raises NotFound, InvalidField.
    """
    record = _found(tenant_id, address_id, runtime)
    _check(name or "", gl_account_code)
    if name is not None:
        accounts.change(tenant_id, address_id, runtime, name=name, by=by)
    if gl_account_code is not None:
        _book(record, gl_account_code or None, by)
    return get(tenant_id, address_id, runtime)


def rotate(
    tenant_id: str, address_id: str, runtime: Runtime, by: Session | None = None
) -> MailAddress:
    """Make another address with the same name and account, and close this one.

    The old one takes no mail any more; what it has taken is still read. If its access point does
    not answer, it stays open: the other one is made already. Raises NotFound, Conflict.
    """
    old = _found(tenant_id, address_id, runtime)
    new = create(
        tenant_id,
        Environment(old.environment),
        runtime,
        name=_own_name(old),
        gl_account_code=old.gl_account_code,
        by=by,
    )
    try:
        waiting = _waiting(old, runtime)
    except TooBusy:
        log.warning("address not closed", connection=address_id)
        return new
    if not waiting:
        accounts.revoke(tenant_id, address_id, by)
    return new


def close(tenant_id: str, address_id: str, runtime: Runtime, by: Session | None = None) -> None:
    """Take no mail at the address any more, and end it.

    Raises NotFound; Conflict while mails that it has taken are still to be read.
    """
    record = _found(tenant_id, address_id, runtime)
    waiting = _waiting(record, runtime)
    if waiting:
        raise Conflict(
            f"{waiting} mails that have arrived are still to be read. The address takes no new "
            "ones: close it again in a minute."
        )
    accounts.revoke(tenant_id, address_id, by)


def _waiting(record: ConnectionRecord, runtime: Runtime) -> int:
    """Close the address at its access point; how many mails are still to be read from it."""
    point = _receives(record.access_point, runtime.access_points)
    if point is None:
        return 0
    connection = Connection(
        record.id, record.tenant_id, Environment(record.environment), record.account, {}, {}
    )
    try:
        return calls.connections.call(
            record.access_point, lambda: point.close_address(connection), calls.CONNECTION_SECONDS
        )
    except calls.PluginBusy:
        raise TooBusy("The address cannot be closed now: try again in a moment.") from None


def _book(record: ConnectionRecord, gl_account_code: str | None, by: Session | None) -> None:
    with db.writing_session() as database:
        found = stored.find(database, record.tenant_id, record.id, locked=True)
        if found is None or found.gl_account_code == gl_account_code:
            return
        found.gl_account_code, found.updated_at = gl_account_code, clock.now()
        detail = {"glAccountCode": gl_account_code}
        audit.record(database, record.tenant_id, by, "connection.changed", record.id, detail)


def _check(name: str, gl_account_code: str | None) -> None:
    """Raises InvalidField."""
    wrong = [
        FieldError(f"/{member}", "too-long", f"has at most {most} characters")
        for member, text, most in (
            ("name", name, MAX_NAME),
            ("glAccountCode", gl_account_code or "", MAX_ACCOUNT),
        )
        if len(text) > most
    ]
    if wrong:
        raise InvalidField(wrong)


def _found(tenant_id: str, address_id: str, runtime: Runtime) -> ConnectionRecord:
    with db.reading_session() as database:
        model = stored.find(database, tenant_id, address_id)
        found = None if model is None else stored.record(model)
    if (
        found is None
        or found.state == State.REVOKED
        or not _is_address(found, runtime.access_points)
    ):
        raise NotFound(f"There is no address {address_id[:40]!r}.")
    return found


def _point(environment: Environment, points: AccessPoints) -> tuple[str, ReceivesMail] | None:
    """The name of the access point that receives mail in the environment, and the point."""
    for point in points:
        if point.environment is environment and isinstance(point, ReceivesMail):
            return point.name, point
    return None


def _is_address(record: ConnectionRecord, points: AccessPoints) -> bool:
    """Whether a connection is an address, also while its access point is not installed."""
    if record.access_point in points:
        return isinstance(points[record.access_point], ReceivesMail)
    return record.network == NETWORK


def _receives(name: str, points: AccessPoints) -> ReceivesMail | None:
    point = points.get(name)
    return point if isinstance(point, ReceivesMail) else None


def _own_name(record: ConnectionRecord) -> str:
    """The name that a person gave; without one it is the account."""
    return "" if record.name == record.account else record.name


def _shown(record: ConnectionRecord, points: AccessPoints) -> MailAddress:
    point = _receives(record.access_point, points)
    return MailAddress(
        id=record.id,
        address=point.address_of(record.account) if point else record.account,
        name=_own_name(record),
        environment=Environment(record.environment),
        state=State(record.state),
        reason=record.reason,
        gl_account_code=record.gl_account_code,
        created_at=record.created_at,
    )
