"""API keys of the tenant: made, changed, rotated and revoked by administrators."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.security.api_keys import DEFAULT_SCOPES
from einvoice.services.account import keys
from einvoice.services.account.keys import ApiKeyRecord
from einvoice.services.account.keys import NewKey as Made
from einvoice.web import bodies, credentials, paging
from einvoice.web.account import key_schemas as schemas
from einvoice.web.account.grants import COLUMNS, rate_limits, read_grace
from einvoice.web.api import Family
from einvoice.web.responses import (
    created_response,
    documented_body,
    iso_timestamp,
    json_response,
    provider,
)

family = Family("keys", __name__, url_prefix="/api/keys", credential=credentials.session)

_NEW, _CHANGES, _ROTATION = schemas.NewKey(), schemas.KeyChanges(), schemas.Rotation()
_QUERY = schemas.KeyQuery()


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.KeyQuery}])
@family.response(200, schemas.KeyList())
def list_keys() -> Response:
    """All API keys of the account, revoked and expired ones too; the keys themselves are not kept.

    The budgets are the operator's to change.
    """
    wanted = paging.read_query(_QUERY).get("environment")
    found = keys.of_tenant(credentials.session_of_request().tenant_id)
    items = [_told(key) for key in found if wanted in (None, key.environment)]
    return json_response({"items": items, "provider": provider()})


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewKey))
@family.response(201, schemas.MadeKey())
def create_key() -> Response:
    """Make an API key. The answer is the only one that shows it."""
    asked = bodies.read_body(_NEW, bodies.received())
    who = credentials.session_of_request()
    made = keys.create(
        who.tenant_id,
        asked["name"],
        Environment(asked["environment"]),
        scopes=asked.get("scopes", DEFAULT_SCOPES),
        expires_at=asked.get("expiresAt"),
        allowed_ips=asked.get("allowedIps", ()),
        allowed_receivers=asked.get("allowedReceivers", ()),
        by=who,
    )
    return _made(made)


@family.route("/<key_id>")
@family.response(200, schemas.OneKey())
def get_key(key_id: str) -> Response:
    """One API key."""
    return _one(keys.get(credentials.session_of_request().tenant_id, key_id))


@family.route("/<key_id>", methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.KeyChanges))
@family.refuses(Conflict)
@family.response(200, schemas.OneKey())
def change_key(key_id: str) -> Response:
    """Change name, scopes or limits of a key; it keeps working, under the new terms at once."""
    asked = bodies.read_patch(_CHANGES, bodies.received())
    who = credentials.session_of_request()
    changes = {COLUMNS[name]: value for name, value in asked.items()}
    return _one(keys.change(who.tenant_id, key_id, changes, who))


@family.route("/<key_id>/rotate", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.Rotation, required=False))
@family.refuses(Conflict)
@family.response(201, schemas.MadeKey())
def rotate_key(key_id: str) -> Response:
    """A new key with the same rights; the old one expires after the grace."""
    grace = read_grace(_ROTATION)
    who = credentials.session_of_request()
    return _made(keys.rotate(who.tenant_id, key_id, grace, who))


@family.route("/<key_id>", methods=["DELETE"])
@family.response(204)
def revoke_key(key_id: str) -> Response:
    """Make a key invalid at once; it stays in the list."""
    who = credentials.session_of_request()
    keys.revoke(who.tenant_id, key_id, who)
    return Response(status=204)


def _one(record: ApiKeyRecord) -> Response:
    return json_response({**_told(record), "provider": provider()})


def _made(made: Made) -> Response:
    body = {**_told(made.record), "key": made.key, "provider": provider()}
    return created_response(body, f"/api/keys/{made.record.id}")


def _told(key: ApiKeyRecord) -> dict[str, Any]:
    return {
        "keyId": key.id,
        "name": key.name,
        "environment": key.environment,
        "prefix": key.prefix,
        "last4": key.last4,
        "scopes": list(key.scopes),
        "allowedIps": list(key.allowed_ips),
        "allowedReceivers": list(key.allowed_receivers),
        "rateLimits": rate_limits(key),
        "createdBy": key.created_by,
        "createdAt": iso_timestamp(key.created_at),
        "expiresAt": iso_timestamp(key.expires_at),
        "revokedAt": iso_timestamp(key.revoked_at),
        "lastUsedAt": iso_timestamp(key.last_used_at),
        "lastUsedIp": key.last_used_ip,
    }
