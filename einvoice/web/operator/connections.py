"""/api/operator/tenants/{tenant}/connections: accounts of a tenant at networks, and links for them.

Credentials are taken, sealed and never returned.
"""

from __future__ import annotations

from typing import Any

from flask import Response, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    AccountClosed,
    Conflict,
    PayloadTooLarge,
)
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.connections import accounts, links, points
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.services.connections.links import IssuedLink, NewLink
from einvoice.services.connections.points import ConnectedPoint
from einvoice.services.console import administration, tenants
from einvoice.web import bodies
from einvoice.web.account import connection_link_schemas, connection_schemas
from einvoice.web.admission import slots
from einvoice.web.operator import access_schemas as schemas
from einvoice.web.operator.api import PREFIX, OperatorFamily
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_connections", __name__, "/tenants/<tenant>")
of_all = OperatorFamily("operator_all_connections", __name__, "/connections")

NEW, CHANGES = connection_schemas.NewConnection(), connection_schemas.ConnectionChanges()
_RECORD = schemas.OperatorConnectionResponse()
LINK = connection_link_schemas.NewConnectionLink()
MAX_SHOWN = 100


@of_all.scoped("", READ)
@of_all.response(200, schemas.OperatorConnectionList())
def list_all_connections() -> list[ConnectionRecord]:
    """List the connections of all tenants, the first to end first, at most 100."""
    return accounts.of_all(None, MAX_SHOWN)


@of_all.scoped("/forms", READ)
@of_all.response(200, connection_schemas.ConnectionFormList())
def list_operator_connection_forms() -> list[ConnectedPoint]:
    """List the networks that need an account, and what they ask for."""
    return list(points.offered(runtime().access_points))


@family.scoped("/connections", READ)
@family.response(200, schemas.OperatorConnectionList())
def list_tenant_connections(tenant: str) -> list[ConnectionRecord]:
    """List the accounts of a tenant at networks, at most 100."""
    tenants.get(tenant)
    return list(administration.connections(tenant))


@family.scoped("/connections", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(connection_schemas.NewConnection))
@family.refuses(AccountClosed, Conflict, PayloadTooLarge, AccessPointUnavailable)
@family.response(201, schemas.OperatorConnectionResponse())
def create_tenant_connection(tenant: str) -> Written[ConnectionRecord]:
    """Add an account of a tenant at a network with its credentials, and check it.

    A network that a person authorises in the browser needs a link (connection-links) in addition,
    unless the connection uses the consent of another one (consentOf).
    """
    request.max_content_length = connection_schemas.MAX_BODY_BYTES
    made = create(tenant, bodies.read_body(NEW, bodies.received()))
    return created(made, f"{PREFIX}/tenants/{tenant}/connections")


def create(tenant: str, asked: dict[str, Any]) -> ConnectionRecord:
    """Add what the body asks for. Raises as `accounts.create`."""
    new = NewConnection(
        Environment(asked["environment"]),
        asked["network"],
        asked["account"],
        asked.get("name", ""),
        asked.get("credentials", {}),
        asked.get("consentOf"),
    )
    with slots.released():
        return accounts.create(tenant, new, runtime())


@family.scoped("/connections/<connection_id>", MANAGE, methods=["PATCH"])
@family.doc(requestBody=documented_body(connection_schemas.ConnectionChanges))
@family.refuses(Conflict, PayloadTooLarge, AccessPointUnavailable)
@family.response(200, schemas.OperatorConnectionResponse())
def update_tenant_connection(tenant: str, connection_id: str) -> ConnectionRecord:
    """Change the name of a connection, or replace credentials and check the account with them."""
    request.max_content_length = connection_schemas.MAX_BODY_BYTES
    record = _RECORD.dump(accounts.get(tenant, connection_id))
    return change(
        tenant, connection_id, bodies.read_patch(CHANGES, bodies.received(), record=record)
    )


def change(tenant: str, connection_id: str, asked: dict[str, Any]) -> ConnectionRecord:
    """Change what the body names. Raises as `accounts.change`."""
    with slots.released():
        return accounts.change(
            tenant,
            connection_id,
            runtime(),
            name=asked.get("name"),
            credentials=asked.get("credentials"),
        )


@family.scoped("/connections/<connection_id>/check", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, schemas.OperatorConnectionResponse())
def check_tenant_connection(tenant: str, connection_id: str) -> ConnectionRecord:
    """Check an account at its network now."""
    read_empty_body()
    with slots.released():
        return accounts.check(tenant, connection_id, runtime())


@family.scoped("/connections/<connection_id>/revoke", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(204)
def revoke_tenant_connection(tenant: str, connection_id: str) -> Response:
    """End a connection; its credentials are deleted at once."""
    read_empty_body()
    with slots.released():
        accounts.revoke(tenant, connection_id, points=runtime().access_points)
    return Response(status=204)


@family.scoped("/connection-links", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(connection_link_schemas.NewConnectionLink))
@family.refuses(AccountClosed, Conflict, AccessPointUnavailable)
@family.response(201, connection_link_schemas.ConnectionLinkWithUrl())
def create_tenant_connection_link(tenant: str) -> Written[IssuedLink]:
    """Make a link by which a person of the tenant opens a connection. Its default is live."""
    asked = bodies.read_body(LINK, bodies.received())
    new = NewLink(
        Environment(asked.get("environment", Environment.LIVE)),
        asked.get("network"),
        asked.get("account"),
        asked.get("name", ""),
        asked.get("connectionId"),
        asked.get("expiresAt"),
    )
    made = links.create(tenant, new, runtime())
    return created(made, f"{PREFIX}/tenants/{tenant}/connection-links")
