"""OAuth clients of the tenant: made, changed, rotated and revoked by administrators."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.security.api_keys import DEFAULT_SCOPES
from einvoice.services.account import oauth_clients
from einvoice.services.account.oauth_clients import NewClient as Made
from einvoice.services.account.oauth_clients import OAuthClientRecord
from einvoice.web import bodies, credentials, paging
from einvoice.web.account import oauth_client_schemas as schemas
from einvoice.web.account.grants import COLUMNS, rate_limits, read_grace
from einvoice.web.api import Family
from einvoice.web.responses import (
    created_response,
    documented_body,
    iso_timestamp,
    json_response,
    provider,
)

family = Family(
    "oauth_clients", __name__, url_prefix="/api/oauth-clients", credential=credentials.session
)

_NEW, _CHANGES, _ROTATION = schemas.NewClient(), schemas.ClientChanges(), schemas.Rotation()
_QUERY = schemas.ClientQuery()


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.ClientQuery}])
@family.response(200, schemas.ClientList())
def list_oauth_clients() -> Response:
    """All OAuth clients of the account, revoked ones too; their secrets are not kept."""
    wanted = paging.read_query(_QUERY).get("environment")
    found = oauth_clients.of_tenant(credentials.session_of_request().tenant_id)
    items = [_told(client) for client in found if wanted in (None, client.environment)]
    return json_response({"items": items, "provider": provider()})


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewClient))
@family.response(201, schemas.MadeClient())
def create_oauth_client() -> Response:
    """Make an OAuth client. The answer is the only one that shows its secret."""
    asked = bodies.read_body(_NEW, bodies.received())
    who = credentials.session_of_request()
    made = oauth_clients.create(
        who.tenant_id,
        asked["name"],
        Environment(asked["environment"]),
        scopes=asked.get("scopes", DEFAULT_SCOPES),
        allowed_ips=asked.get("allowedIps", ()),
        allowed_receivers=asked.get("allowedReceivers", ()),
        by=who,
    )
    return created_response(_made(made), f"/api/oauth-clients/{made.record.id}")


@family.route("/<client_id>")
@family.response(200, schemas.OneClient())
def get_oauth_client(client_id: str) -> Response:
    """One OAuth client."""
    return _one(oauth_clients.get(credentials.session_of_request().tenant_id, client_id))


@family.route("/<client_id>", methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.ClientChanges))
@family.refuses(Conflict)
@family.response(200, schemas.OneClient())
def change_oauth_client(client_id: str) -> Response:
    """Change name, scopes or limits of a client; its tokens follow within a second."""
    asked = bodies.read_patch(_CHANGES, bodies.received())
    who = credentials.session_of_request()
    changes = {COLUMNS[name]: value for name, value in asked.items()}
    return _one(oauth_clients.change(who.tenant_id, client_id, changes, who))


@family.route("/<client_id>/rotate", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.Rotation, required=False))
@family.refuses(Conflict)
@family.response(200, schemas.MadeClient())
def rotate_oauth_client(client_id: str) -> Response:
    """A new secret for the client; the old one counts for the grace. Tokens stay valid."""
    grace = read_grace(_ROTATION)
    who = credentials.session_of_request()
    return json_response(_made(oauth_clients.rotate(who.tenant_id, client_id, grace, who)))


@family.route("/<client_id>", methods=["DELETE"])
@family.response(204)
def revoke_oauth_client(client_id: str) -> Response:
    """No more tokens for the client; those it has end within a second. It stays in the list."""
    who = credentials.session_of_request()
    oauth_clients.revoke(who.tenant_id, client_id, who)
    return Response(status=204)


def _one(record: OAuthClientRecord) -> Response:
    return json_response({**_told(record), "provider": provider()})


def _made(made: Made) -> dict[str, Any]:
    return {**_told(made.record), "clientSecret": made.secret, "provider": provider()}


def _told(client: OAuthClientRecord) -> dict[str, Any]:
    return {
        "clientId": client.id,
        "name": client.name,
        "environment": client.environment,
        "last4": client.last4,
        "scopes": list(client.scopes),
        "allowedIps": list(client.allowed_ips),
        "allowedReceivers": list(client.allowed_receivers),
        "rateLimits": rate_limits(client),
        "createdBy": client.created_by,
        "createdAt": iso_timestamp(client.created_at),
        "revokedAt": iso_timestamp(client.revoked_at),
        "oldSecretUntil": iso_timestamp(client.old_until),
        "lastUsedAt": iso_timestamp(client.last_used_at),
        "lastUsedIp": client.last_used_ip,
    }
