"""Access to a tenant, at the console: one page, and its forms.

A new secret is in the answer to its form only, which nothing keeps.
"""

from __future__ import annotations

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.events import ALL_TYPES, EVENT_TYPES
from einvoice.services.account import tenants as account
from einvoice.services.console import access as service
from einvoice.services.console import tenants as console
from einvoice.web import bodies
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms
from einvoice.web.operator import access_schemas as schemas
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_access_pages", __name__, "/tenants")

_PAGE = "operator_access_pages.show_access"
_ONE = "operator_tenant_pages.show_tenant"
_NEW, _LIMITS = schemas.NewOperatorCredential(), schemas.OperatorLimits()
_CHANGES, _PERSON = schemas.OperatorTenantChanges(), schemas.PersonToErase()


@family.page("/<tenant>/access")
def show_access(tenant: str) -> Response:
    """Keys, OAuth clients and webhooks of a tenant; name and switches, and its end."""
    return _shown(tenant)


def _shown(tenant: str, secret: str | None = None) -> Response:
    """The page; only this answer has the secret of a new credential."""
    scopes, default_scopes = service.scopes_of(tenant)
    return pages.render(
        "operator/access.html",
        found=console.get(tenant),
        record=account.get(tenant),
        credentials=service.credentials_of(tenant),
        webhooks=service.webhooks(tenant),
        kinds=[("key", "API key"), ("oauth-client", "OAuth client")],
        environments=[("live", "Live"), ("test", "Sandbox")],
        scopes=scopes,
        default_scopes=default_scopes,
        types=[ALL_TYPES, *sorted(EVENT_TYPES)],
        secret=secret,
    )


@family.page("/<tenant>/credentials", methods=["POST"])
def issue_credential(tenant: str) -> Response:
    """Issue a key or an OAuth client, whose secret is shown once."""
    given = {name: pages.field(name) for name in ("kind", "name", "environment")}
    scopes = forms.submitted().getlist("scopes")
    asked = bodies.loaded(_NEW, {**given, **({"scopes": scopes} if scopes else {})})
    made = service.issue(
        tenant, asked["kind"], asked["name"], Environment(asked["environment"]), asked.get("scopes")
    )
    return _shown(tenant, secret=made.secret)


@family.page("/<tenant>/credentials/<credential_id>", methods=["POST"])
def change_credential(tenant: str, credential_id: str) -> Response:
    """Revoke or rotate a key or an OAuth client, or set its requests a minute."""
    if pages.field("do") == "rotate":
        return _shown(tenant, secret=service.rotate(tenant, credential_id).secret)
    if pages.field("do") == "revoke":
        service.revoke(tenant, credential_id)
        return pages.redirect_to(_PAGE, "revoked", tenant=tenant)
    given = {name: pages.field(name) for name in ("get", "post")}
    counts = {name: forms.whole_number(text) or 0 for name, text in given.items() if text}
    asked = bodies.loaded(_LIMITS, counts)
    service.limit(tenant, credential_id, asked.get("get"), asked.get("post"))
    return pages.redirect_to(_PAGE, "saved", tenant=tenant)


@family.page("/<tenant>/change", methods=["POST"])
def change_tenant(tenant: str) -> Response:
    """Change the name and the switches."""
    asked = bodies.loaded(
        _CHANGES,
        {
            "name": pages.field("name"),
            "strictIdempotency": pages.field("strictIdempotency") == "yes",
            "rejectDuplicateNumbers": pages.field("rejectDuplicateNumbers") == "yes",
        },
    )
    values = {schemas.COLUMNS[name]: value for name, value in asked.items() if value != ""}
    service.change(tenant, values, runtime().caches)
    return pages.redirect_to(_PAGE, "saved", tenant=tenant)


@family.page("/<tenant>/close", methods=["POST"])
def close_tenant(tenant: str) -> Response:
    """End all access to the tenant, once its id is typed in."""
    service.close(tenant, pages.field("confirm"), runtime())
    return pages.redirect_to(_ONE, "closed", tenant=tenant)


@family.page("/<tenant>/erase", methods=["POST"])
def erase_person(tenant: str) -> Response:
    """Say what is there of a person, and erase it once the id of the tenant is typed in."""
    given = {name: pages.field(name) for name in ("subject", "confirm") if pages.field(name)}
    asked = bodies.loaded(_PERSON, given)
    with slots.released():
        done = service.erase(tenant, asked["subject"], asked.get("confirm"), runtime().settings)
    return pages.render(
        "operator/erased.html", found=console.get(tenant), done=done, subject=asked["subject"]
    )
