"""The choice of the connection by which a document is sent.

The one that the request names; else the one for the seller's tax number; else the only one that can
be used; else the only one there is, whose documents wait until it can be used.
"""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.connections import USABLE, State, compact_account
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AmbiguousConnection, FieldError, InvalidField, NoConnection
from einvoice.network.connections import Connection, sending_by_connection
from einvoice.network.types import AccessPoint
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import ConnectionRecord


def connection_for(
    point: AccessPoint,
    tenant_id: str,
    asked: str | None,
    tax_number: str | None,
    pointer: str = "/routing/connection",
) -> Connection | None:
    """The connection, without credentials and state; None at an access point that needs none.

    asked    id of the connection that the request names
    pointer  the field that names it

    Raises InvalidField, NoConnection, AmbiguousConnection.
    """
    if sending_by_connection(point) is None:
        if asked is not None:
            message = f"must be left out: the network {point.network} needs no connection"
            raise InvalidField([FieldError(pointer, "no-connection-needed", message)])
        return None
    known = stored.open_at(tenant_id, point.environment.value, point.name)
    if asked is not None:
        named = next((one for one in known if one.id == asked), None)
        if named is None:
            message = (
                f"is not a connection to {point.network} in the {point.environment} environment"
            )
            raise InvalidField([FieldError(pointer, "unknown-connection", message)])
        return _connection(named)
    return _connection(_chosen(known, point, tax_number, pointer))


def connection_again(
    point: AccessPoint, tenant_id: str, before: str | None, tax_number: str | None
) -> Connection | None:
    """The connection of a document that is sent again: the former one, unless it is revoked.

    Raises NoConnection, AmbiguousConnection.
    """
    if before is not None and sending_by_connection(point):
        for one in stored.open_at(tenant_id, point.environment.value, point.name):
            if one.id == before:
                return _connection(one)
    return connection_for(point, tenant_id, None, tax_number)


def _chosen(
    known: Sequence[ConnectionRecord], point: AccessPoint, tax_number: str | None, pointer: str
) -> ConnectionRecord:
    if not known:
        raise NoConnection(
            f"There is no connection to the network {point.network} in the {point.environment} "
            "environment: make one first."
        )
    account = compact_account(tax_number or "")
    found = (
        [one for one in known if one.account == account]
        or [one for one in known if State(one.state) in USABLE]
        or known
    )
    if len(found) > 1:
        field = pointer.removeprefix("/").replace("/", ".")
        raise AmbiguousConnection(
            f"{len(found)} connections to the network {point.network} may send this document, and "
            f"none is for the seller's tax number: name one in {field}.",
            [{"connectionId": one.id, "account": one.account, "name": one.name} for one in found],
        )
    return found[0]


def _connection(one: ConnectionRecord) -> Connection:
    return Connection(one.id, one.tenant_id, Environment(one.environment), one.account)
