"""Connection links: by which a person opens a connection without a login.

For people at the dashboard, for keys with the scope connections:link, and for platforms with it or
with tenants:manage.
"""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.connection_links import SCOPE
from einvoice.domain.credentials import TENANTS_MANAGE
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    FieldError,
    InvalidField,
    Phrase,
)
from einvoice.domain.roles import Role
from einvoice.services.connections import links
from einvoice.services.connections.links import LinkRecord, NewLink
from einvoice.services.principal import Principal, Reader
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account import connection_link_schemas as schemas
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.responses import created_response, documented_body
from einvoice.web.runtime import runtime

family = Family(
    "connection_links",
    __name__,
    url_prefix="/api/connection-links",
    credential=credentials.key_or_session,
    tag="Connections",
)

_NEW, _QUERY = schemas.NewConnectionLink(), schemas.ConnectionLinkQuery()
_WITH_URL = schemas.ConnectionLinkWithUrl()


def _manager() -> Reader:
    """The caller, if it may make links."""
    reader = credentials.reader()
    if isinstance(reader, Principal):
        allowed = (SCOPE,) if reader.platform is None else (SCOPE, TENANTS_MANAGE)
        credentials.require_one(*allowed)
    return reader


@family.route("", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.ConnectionLinkQuery}])
@family.response(200, schemas.ConnectionLinkList())
def list_connection_links() -> Page[LinkRecord]:
    """List the links, without their tokens; of ended ones the newest 100."""
    reader, query = _manager(), paging.read_query(_QUERY)
    asked = query.get("environment")
    shown = tuple(one for one in reader.environments if asked in (None, one))
    found = links.page(
        reader.tenant_id,
        shown,
        after=paging.marked_moment(query, reader),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, _place, query, reader)


def _place(link: LinkRecord) -> list[Any]:
    return [link.created_at.isoformat(), link.id]


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewConnectionLink))
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(201, _WITH_URL)
def create_connection_link() -> Response:
    """Make a link by which a person opens a connection without a login, once.

    The person fills in the form of the network, or consents at its site. An earlier link for the
    same connection or account is revoked. The event connection.opened tells when it works. 409
    conflict if the account has a connection, which is named: send it as connectionId.
    """
    reader = _manager()
    asked = bodies.read_body(_NEW, bodies.received())
    new = NewLink(
        _environment(asked.get("environment"), reader),
        asked.get("network"),
        asked.get("account"),
        asked.get("name", ""),
        asked.get("connectionId"),
        asked.get("expiresAt"),
    )
    made = links.create(reader.tenant_id, new, runtime(), reader)
    path = f"/api/connection-links/{made.link.id}"
    return answered_posts.shown_once(created_response(_WITH_URL.dump(made), path), "url")


def _environment(asked: str | None, reader: Reader) -> Environment:
    if asked is None and isinstance(reader, Principal):
        return reader.environment
    if asked is None:
        message = "is required: test or live"
        raise InvalidField([FieldError("/environment", "required", message, Phrase("required"))])
    if asked not in reader.environments:
        message = f"this is a {reader.environments[0]} key: it makes links of its environment"
        raise InvalidField([FieldError("/environment", "other-environment", message)])
    return Environment(asked)


@family.route("/<link_id>", least=Role.ADMIN)
@family.response(200, schemas.ConnectionLinkResponse())
def get_connection_link(link_id: str) -> LinkRecord:
    """Get a link, without its token."""
    reader = _manager()
    return links.get(reader.tenant_id, link_id, reader.environments)


@family.route("/<link_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def revoke_connection_link(link_id: str) -> Response:
    """Revoke a link: it stops working at once. One that has ended stays as it is."""
    reader = _manager()
    links.revoke(reader.tenant_id, link_id, reader.environments, reader)
    return Response(status=204)
