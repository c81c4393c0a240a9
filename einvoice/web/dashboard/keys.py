"""Credentials of programs: API keys and OAuth clients, made, shown once, rotated and revoked."""

from __future__ import annotations

from typing import Any

from flask import Response, url_for

from einvoice import clock
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT, Credential
from einvoice.domain.errors import Conflict, InvalidField, InvalidParticipant, RequestRefused
from einvoice.domain.roles import Role
from einvoice.security.api_keys import DEFAULT_SCOPES, SCOPES
from einvoice.services.account import credentials
from einvoice.services.account.credentials import NewCredential
from einvoice.web.account import key_schemas, oauth_client_schemas
from einvoice.web.bodies import loaded
from einvoice.web.contract import Contract
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime

KINDS = {"keys": API_KEY, "clients": OAUTH_CLIENT}
_NEW: dict[str, Contract] = {
    "keys": key_schemas.NewApiKey(),
    "clients": oauth_client_schemas.NewOAuthClient(),
}
_ALL = "/<any(keys, clients):kind>"
_LISTS = ("allowedIps", "allowedReceivers")
_SHOWN = (InvalidField, InvalidParticipant, Conflict)

family = Pages("dashboard_keys", __name__, "/dashboard/developers")


@family.page(_ALL, least=Role.ADMIN)
def list_credentials(kind: str) -> Response:
    """The keys or clients of the chosen environment."""
    return _listed(kind)


@family.page(_ALL, least=Role.ADMIN, methods=["POST"])
def create_credential(kind: str) -> Response:
    """Create one; the page after it shows its secret once."""
    given, principal = forms.submitted(), pages.who()
    body = {"environment": pages.environment().value, **forms.nested(given.to_dict())}
    body["scopes"] = given.getlist("scopes")
    body |= {name: body[name].split() for name in _LISTS if name in body}
    try:
        asked = loaded(_NEW[kind], body)
        made = credentials.create(
            KINDS[kind],
            principal.tenant_id,
            asked["name"],
            pages.environment(),
            scopes=asked["scopes"],
            expires_at=asked.get("expiresAt"),
            allowed_ips=asked.get("allowedIps", ()),
            allowed_receivers=asked.get("allowedReceivers", ()),
            by=principal,
        )
    except _SHOWN as refusal:
        return _listed(kind, refusal=refusal, given={**given.to_dict(), "scopes": body["scopes"]})
    return _shown_once(kind, made)


@family.page(
    "/<any(keys, clients):kind>/<credential_id>/rotate", least=Role.ADMIN, methods=["POST"]
)
def rotate_credential(kind: str, credential_id: str) -> Response:
    """A new secret with the same rights; the old one is accepted for a day more."""
    try:
        made = credentials.rotate(KINDS[kind], pages.who().tenant_id, credential_id, by=pages.who())
    except _SHOWN as refusal:
        return _listed(kind, refusal=refusal)
    return _shown_once(kind, made)


@family.page(
    "/<any(keys, clients):kind>/<credential_id>/revoke", least=Role.ADMIN, methods=["POST"]
)
def revoke_credential(kind: str, credential_id: str) -> Response:
    """End one at once."""
    credentials.revoke(KINDS[kind], pages.who().tenant_id, credential_id, pages.who())
    return pages.redirect_to("dashboard_keys.list_credentials", "credentialRevoked", kind=kind)


def _shown_once(kind: str, made: NewCredential) -> Response:
    address = url_for("dashboard_keys.list_credentials", kind=kind)
    record = made.record
    return pages.shown_once(address, name=record.name, id=record.id, secret=made.secret)


def _listed(
    kind: str,
    *,
    refusal: RequestRefused | None = None,
    given: dict[str, Any] | None = None,
) -> Response:
    """The page. `given`: the form that was refused."""
    found = credentials.of_tenant(KINDS[kind], pages.who().tenant_id, pages.environment())
    errors = forms.by_list(forms.errors_of(refusal))
    return pages.render(
        "dashboard/keys.html",
        200 if refusal is None else 409,
        kind=kind,
        expires=KINDS[kind].expires,
        items=[(each, _state(each), limits_of(each)) for each in reversed(found)],
        made=pages.secrets(),
        refusal=refusal,
        given=given or {"scopes": list(DEFAULT_SCOPES)},
        errors=errors,
        scopes=SCOPES,
    )


def _state(credential: Credential) -> str:
    if credential.revoked_at is not None:
        return "revoked"
    return "active" if credential.is_active(clock.now()) else "expired"


def limits_of(credential: Credential) -> tuple[int, int]:
    """Requests a minute: reading ones, and all others."""
    settings = runtime().settings
    return (
        credential.get_per_minute or settings.limit_get,
        credential.post_per_minute or settings.limit_post,
    )
