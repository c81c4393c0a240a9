"""The tenant's profile: branding, bank details and switches."""

from __future__ import annotations

from flask import Response, request

from einvoice.domain.errors import (
    FieldError,
    InvalidField,
    NotFound,
    PayloadTooLarge,
    UnsupportedMediaType,
)
from einvoice.domain.roles import Role
from einvoice.services.account import closure, profile
from einvoice.services.account.profile import Logo, TenantRecord
from einvoice.web import bodies, credentials
from einvoice.web.account import tenant_schemas as schemas
from einvoice.web.account.ending_schemas import (
    CloseAccountRequest,
    CloseAccountResponse,
    ClosedAccount,
)
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime

family = Family(
    "tenant",
    __name__,
    url_prefix="/api/tenant",
    credential=credentials.session_or_platform,
    tag="Account",
)

_CHANGES, _PROFILE = schemas.ProfileChanges(), schemas.Profile()
_CLOSING = CloseAccountRequest()
_PICTURE = {"schema": {"type": "string", "format": "binary"}}
_PICTURES = {"content": {"image/png": _PICTURE, "image/jpeg": _PICTURE}}


@family.route("", least=Role.VIEWER)
@family.response(200, schemas.Profile())
def get_tenant() -> TenantRecord:
    """Get the account's profile and switches."""
    return profile.get(credentials.session_of_request().tenant_id)


@family.route("", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.ProfileChanges))
@family.response(200, schemas.Profile())
def update_tenant() -> TenantRecord:
    """Change profile and switches. Sends use them within a second."""
    principal = credentials.session_of_request()
    record = _PROFILE.dump(profile.get(principal.tenant_id))
    asked = bodies.read_patch(_CHANGES, bodies.received(), schemas.REMOVABLE, record)
    parts = runtime()
    return profile.change(principal.tenant_id, asked, principal, parts.caches, parts.access_points)


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
def set_logo() -> Logo:
    """Set the logo: the body is a PNG or JPEG image of at most 128 KiB."""
    principal = credentials.session_of_request()
    request.max_content_length = profile.MAX_LOGO_BYTES
    content = request_bodies.request_body()
    return profile.set_logo(principal.tenant_id, content, principal, runtime().caches)


@family.route("/logo", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def delete_logo() -> Response:
    """Remove the logo."""
    principal = credentials.session_of_request()
    profile.remove_logo(principal.tenant_id, principal, runtime().caches)
    return Response(status=204)


@family.route("/close", methods=["POST"], least=Role.OWNER)
@family.doc(requestBody=documented_body(CloseAccountRequest))
@family.response(200, CloseAccountResponse())
def close_tenant() -> ClosedAccount:
    """Close the account: its keys, OAuth clients, tokens, share links and webhooks end.

    Invoices that were accepted before are delivered; nothing is received any more. Documents stay
    for their retention. People are answered 403 account-closed within a second. It cannot be undone
    at the dashboard.
    """
    principal = credentials.session_of_request()
    if bodies.read_body(_CLOSING, bodies.received())["confirm"] != principal.tenant_id:
        message = "must be the tenantId of your account"
        raise InvalidField([FieldError("/confirm", "not-confirmed", message)])
    parts = runtime()
    closed_at = closure.close(principal.tenant_id, parts.caches, principal, parts.access_points)
    return ClosedAccount(principal.tenant_id, closed_at)
