"""Connections: the account's own accounts at networks, for administrators at the dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    PayloadTooLarge,
)
from einvoice.domain.roles import Role
from einvoice.services.connections import accounts, consents, points
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.connections.points import ConnectedPoint
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account import connection_schemas as schemas
from einvoice.web.account.connection_schemas import ShownConnection
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.contract import Contract
from einvoice.web.finding_language import language_of_findings
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import (
    documented_body,
    json_response,
)
from einvoice.web.runtime import runtime
from einvoice.web.shared import consent_cookie
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "connections",
    __name__,
    url_prefix="/api/connections",
    credential=credentials.session_or_platform,
    tag="Connections",
)

_RECORD, _CONSENT = schemas.ConnectionResponse(), schemas.ConsentResponse()
_NEW, _CHANGES, _QUERY = (
    schemas.NewConnection(),
    schemas.ConnectionChanges(),
    schemas.ConnectionQuery(),
)


@family.route("", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.ConnectionQuery}])
@family.reads_headers("Accept-Language")
@family.response(200, schemas.ConnectionList())
def list_connections() -> Page[ShownConnection]:
    """List the connections, without their credentials; of revoked ones the newest 100."""
    query, principal = paging.read_query(_QUERY), credentials.session_of_request()
    found = accounts.page(
        principal.tenant_id,
        _filters(query),
        after=paging.marked_moment(query, principal),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    page = paging.closed_page(found, _place, query, principal)
    return Page(_shown(page.items), page.next_cursor, page.has_more)


def _filters(query: dict[str, Any]) -> dict[str, Any]:
    environment = credentials.chosen_environment(query.get("environment"))
    found = {} if environment is None else {"environment": environment.value}
    return found | ({"state": query["state"]} if query.get("state") else {})


def _own(connection_id: str) -> ConnectionRecord:
    """The connection, if the caller sees its environment. Raises NotFound."""
    found = accounts.get(credentials.session_of_request().tenant_id, connection_id)
    credentials.check_environment(found.environment, f"There is no connection {connection_id}.")
    return found


def _place(connection: ConnectionRecord) -> list[Any]:
    """Its place in the list, to the microsecond."""
    return [connection.created_at.isoformat(), connection.id]


@family.route("/forms", least=Role.ADMIN)
@family.response(200, schemas.ConnectionFormList())
def list_connection_forms() -> list[ConnectedPoint]:
    """List the networks that need an account, and what they ask for."""
    return list(points.offered(runtime().access_points))


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewConnection))
@family.refuses(Conflict, PayloadTooLarge, AccessPointUnavailable)
@family.reads_headers("Accept-Language")
@family.response(201, schemas.ConnectionResponse())
def create_connection() -> Written[ShownConnection]:
    """Add an account at a network and check it, at most 200 per environment.

    The state is setting-up while the network has not answered, and where a person authorises it in
    the browser, unless it uses the consent of another connection (consentOf). A consent that does
    not cover the account gives needs-person, with a reason that names it. 409 conflict if the
    account number has a connection to this network already, or consentOf has no consent.
    """
    asked = _body(_NEW)
    credentials.chosen_environment(asked["environment"])
    new = accounts.NewConnection(
        Environment(asked["environment"]),
        asked["network"],
        asked["account"],
        asked.get("name", ""),
        asked.get("credentials", {}),
        asked.get("consentOf"),
    )
    principal = credentials.session_of_request()
    with slots.released():
        made = accounts.create(principal.tenant_id, new, runtime(), principal)
    return created(_one(made), f"/api/connections/{made.id}")


@family.route("/<connection_id>", least=Role.ADMIN)
@family.reads_headers("Accept-Language")
@family.response(200, schemas.ConnectionResponse())
def get_connection(connection_id: str) -> ShownConnection:
    """Get a connection, without its credentials."""
    return _one(_own(connection_id))


@family.route("/<connection_id>", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.ConnectionChanges))
@family.refuses(Conflict, PayloadTooLarge, AccessPointUnavailable)
@family.reads_headers("Accept-Language")
@family.response(200, schemas.ConnectionResponse())
def update_connection(connection_id: str) -> ShownConnection:
    """Change the name, or replace credentials and check the account with them."""
    principal, found = credentials.session_of_request(), _own(connection_id)
    request.max_content_length = schemas.MAX_BODY_BYTES
    record = _RECORD.dump(_one(found))
    asked = bodies.read_patch(_CHANGES, bodies.received(), record=record)
    with slots.released():
        changed = accounts.change(
            principal.tenant_id,
            connection_id,
            runtime(),
            name=asked.get("name"),
            credentials=asked.get("credentials"),
            by=principal,
        )
    return _one(changed)


@family.route("/<connection_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def revoke_connection(connection_id: str) -> Response:
    """End a connection. Its credentials are deleted at once.

    A consent that connections share (consentId) is withdrawn at the network after its last one;
    another consent stays there.
    """
    principal = credentials.session_of_request()
    _own(connection_id)
    with slots.released():
        accounts.revoke(principal.tenant_id, connection_id, principal, runtime().access_points)
    return Response(status=204)


@family.route("/<connection_id>/check", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.reads_headers("Accept-Language")
@family.response(200, schemas.ConnectionResponse())
def check_connection(connection_id: str) -> ShownConnection:
    """Check the account at the network now, and renew what can be renewed without a person."""
    principal = credentials.session_of_request()
    read_empty_body()
    _own(connection_id)
    with slots.released():
        checked = accounts.check(principal.tenant_id, connection_id, runtime())
    return _one(checked)


@family.route("/<connection_id>/authorise", methods=["POST"], least=Role.ADMIN)
@answered_posts.takes_no_key
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, _CONSENT)
def authorise_connection(connection_id: str) -> Response:
    """Begin consent in the browser: returns the network's URL, which can be used once.

    It has to be opened in the browser of this request, which gets a cookie: call it with
    credentials included where the dashboard is on another origin.
    """
    principal = credentials.session_of_request()
    read_empty_body()
    _own(connection_id)
    consent = consents.begin(principal.tenant_id, connection_id, runtime(), principal)
    response = json_response(_CONSENT.write(consent))
    consent_cookie.keep(response, consent)
    return response


def _body(contract: Contract) -> dict[str, Any]:
    request.max_content_length = schemas.MAX_BODY_BYTES
    return bodies.read_body(contract, bodies.received())


def _shown(connections: Sequence[ConnectionRecord]) -> list[ShownConnection]:
    counts, times = accounts.waiting_documents(connections), accounts.waiting_since(connections)
    language = language_of_findings()
    return [
        ShownConnection(each, counts.get(each.id, 0), times.get(each.id), language)
        for each in connections
    ]


def _one(connection: ConnectionRecord) -> ShownConnection:
    [shown] = _shown([connection])
    return shown
