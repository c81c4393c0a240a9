"""The tenant's profile: branding, bank details and switches."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from einvoice.domain.errors import (
    FieldError,
    InvalidField,
    NotFound,
    PayloadTooLarge,
    UnsupportedMediaType,
)
from einvoice.domain.request import TotalsRule
from einvoice.domain.roles import Role
from einvoice.services.account import closing, profile
from einvoice.services.account.profile import Logo, TenantRecord
from einvoice.web import bodies, credentials
from einvoice.web.account import tenant_schemas as schemas
from einvoice.web.account.ending_schemas import CloseAccountRequest, CloseAccountResponse
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.responses import documented_body, iso_timestamp, json_response, provider
from einvoice.web.runtime import runtime

family = Family(
    "tenant", __name__, url_prefix="/api/tenant", credential=credentials.session, tag="Account"
)

_CHANGES = schemas.ProfileChanges()
_CLOSING = CloseAccountRequest()
_TEXTS = (
    "displayName", "colour", "iban", "bic", "accountName", "timeZone", "website", "email", "phone",
)  # fmt: skip
_PICTURE = {"schema": {"type": "string", "format": "binary"}}
_PICTURES = {"content": {"image/png": _PICTURE, "image/jpeg": _PICTURE}}


@family.route("", least=Role.VIEWER)
@family.response(200, schemas.Profile())
def get_tenant() -> Response:
    """Get the account's profile and switches."""
    return _profile_response(profile.get(credentials.session_of_request().tenant_id))


@family.route("", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.ProfileChanges))
@family.response(200, schemas.Profile())
def update_tenant() -> Response:
    """Change profile and switches. Sends use them within a second."""
    asked = bodies.read_patch(_CHANGES, bodies.received(), schemas.REMOVABLE)
    who = credentials.session_of_request()
    parts = runtime()
    changed = profile.change(who.tenant_id, asked, who, parts.caches, parts.access_points)
    return _profile_response(changed)


@family.route("/logo", least=Role.VIEWER)
@family.doc(responses={200: _PICTURES})
@family.refuses(NotFound)
@family.response(200, description="The image, as uploaded.")
def get_logo() -> Response:
    """Get the logo."""
    logo = profile.logo_of(profile.get(credentials.session_of_request().tenant_id))
    if logo is None:
        raise NotFound("There is no logo.")
    return Response(logo.content, content_type=logo.media_type)


@family.route("/logo", methods=["PUT"], least=Role.ADMIN)
@family.doc(requestBody={"required": True, **_PICTURES})
@family.refuses(PayloadTooLarge, UnsupportedMediaType)
@family.response(200, schemas.LogoResponse())
def set_logo() -> Response:
    """Set the logo: the body is a PNG or JPEG image of at most 128 KiB."""
    who = credentials.session_of_request()
    request.max_content_length = profile.MAX_LOGO_BYTES
    content = request_bodies.request_body()
    logo = profile.set_logo(who.tenant_id, content, who, runtime().caches)
    return json_response({**_logo(logo), "provider": provider()})


@family.route("/logo", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def delete_logo() -> Response:
    """Remove the logo."""
    who = credentials.session_of_request()
    profile.remove_logo(who.tenant_id, who, runtime().caches)
    return Response(status=204)


@family.route("/close", methods=["POST"], least=Role.OWNER)
@family.doc(requestBody=documented_body(CloseAccountRequest))
@family.response(200, CloseAccountResponse())
def close_tenant() -> Response:
    """Close the account: its keys, OAuth clients, tokens, share links and webhooks end.

    Invoices that were accepted before are delivered; nothing is received any more. Documents stay
    for their retention. People are answered 403 account-closed within a second. It cannot be undone
    at the dashboard.
    """
    who = credentials.session_of_request()
    if bodies.read_body(_CLOSING, bodies.received())["confirm"] != who.tenant_id:
        words = "must be the tenantId of your account"
        raise InvalidField([FieldError("/confirm", "not-confirmed", words)])
    moment = closing.close(who.tenant_id, runtime().caches, who)
    answer = {"tenantId": who.tenant_id, "closedAt": iso_timestamp(moment), "provider": provider()}
    return json_response(answer)


def _profile_response(record: TenantRecord) -> Response:
    stored, logo = record.profile, profile.logo_of(record)
    body: dict[str, Any] = {
        "tenantId": record.id,
        "name": record.name,
        **{name: stored.get(name) for name in _TEXTS},
        "logo": None if logo is None else _logo(logo),
        "addressLines": stored.get("addressLines", []),
        "strictIdempotency": record.strict_idempotency,
        "rejectDuplicateNumbers": record.reject_duplicate_numbers,
        "embedPdf": bool(stored.get("embedPdf")),
        "totals": stored.get("totals", TotalsRule.EXACT.value),
        "networkChoices": stored.get("networkChoices", []),
        "provider": provider(),
    }
    return json_response(body)


def _logo(logo: Logo) -> dict[str, Any]:
    return {
        "contentType": logo.media_type,
        "sizeBytes": len(logo.content),
        "sha256": logo.sha256,
    }
