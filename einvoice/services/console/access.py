"""Access to a tenant, as operators change it: keys, OAuth clients, webhooks,
connections; its name and switches, and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from einvoice.config import Settings
from einvoice.domain.credentials import (
    API_KEY,
    OAUTH_CLIENT,
    PLATFORM_CLIENT,
    PLATFORM_KEY,
    Credential,
    CredentialKind,
)
from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField, NotFound
from einvoice.services.account import closure, credential_terms, credentials, tenants
from einvoice.services.account.credentials import NewCredential as NewCredential
from einvoice.services.caches import Caches
from einvoice.services.console.tenants import SeenTenant, get
from einvoice.services.runtime import Runtime
from einvoice.services.tenant_data import erasure
from einvoice.services.tenant_data.erasure import Erasure as Erasure
from einvoice.services.webhooks import endpoints
from einvoice.services.webhooks.endpoints import EndpointRecord as EndpointRecord

KINDS: Mapping[str, CredentialKind] = {"key": API_KEY, "oauth-client": OAUTH_CLIENT}
_OF_PLATFORMS = {"key": PLATFORM_KEY, "oauth-client": PLATFORM_CLIENT}


def kinds_of(tenant_id: str) -> Mapping[str, CredentialKind]:
    """The kinds of credentials that the account has, by name. Raises NotFound."""
    return _OF_PLATFORMS if get(tenant_id).tenant.is_platform else KINDS


def scopes_of(tenant_id: str) -> tuple[Sequence[str], Sequence[str]]:
    """The scopes that its credentials may have, and those of one that names none."""
    kind = kinds_of(tenant_id)["key"]
    return credential_terms.scopes_of(kind), credential_terms.default_scopes(kind)


def credentials_of(tenant_id: str) -> list[tuple[str, Credential]]:
    """Its keys and OAuth clients, each with the name of its kind. Raises NotFound."""
    return [
        (name, one)
        for name, kind in kinds_of(tenant_id).items()
        for one in credentials.of_tenant(kind, tenant_id)
    ]


def issue(
    tenant_id: str, kind: str, name: str, environment: Environment, scopes: Sequence[str] | None
) -> NewCredential:
    """Issue a key or an OAuth client. Raises as `credentials.create`."""
    own = kinds_of(tenant_id)[kind]
    return credentials.create(own, tenant_id, name, environment, scopes=scopes or None)


def rotate(tenant_id: str, credential_id: str) -> NewCredential:
    """Replace the secret; the old one is accepted for a day. Raises NotFound, Conflict."""
    return credentials.rotate(_kind_of(tenant_id, credential_id), tenant_id, credential_id)


def revoke(tenant_id: str, credential_id: str) -> None:
    """End a key or an OAuth client. Raises NotFound."""
    credentials.revoke(_kind_of(tenant_id, credential_id), tenant_id, credential_id)


def limit(tenant_id: str, credential_id: str, get: int | None, post: int | None) -> None:
    """Set its requests a minute; None is the default of the settings. Raises NotFound."""
    credentials.limit(_kind_of(tenant_id, credential_id), tenant_id, credential_id, get, post)


def _kind_of(tenant_id: str, credential_id: str) -> CredentialKind:
    for kind, one in credentials_of(tenant_id):
        if one.id == credential_id:
            return kinds_of(tenant_id)[kind]
    raise NotFound(f"The tenant has no key and no OAuth client {credential_id[:40]}.")


def webhooks(tenant_id: str) -> list[EndpointRecord]:
    """Its webhooks. Raises NotFound."""
    tenants.get(tenant_id)
    return endpoints.of_tenant(tenant_id)


def switch_webhook(
    tenant_id: str, webhook_id: str, settings: Settings, *, enabled: bool
) -> EndpointRecord:
    """Enable or disable a webhook. Raises NotFound, AccountClosed."""
    status = "active" if enabled else "disabled"
    return endpoints.change(tenant_id, webhook_id, {"status": status}, settings=settings)


def change(tenant_id: str, values: Mapping[str, Any], caches: Caches) -> SeenTenant:
    """Set name or switches, by column. Raises NotFound, AccountClosed."""
    tenants.change(tenant_id, values)
    caches.tenants.drop(tenant_id)
    return get(tenant_id)


def close(tenant_id: str, confirm: str, runtime: Runtime) -> SeenTenant:
    """End all access to the tenant. `confirm`: its id. Raises NotFound, InvalidField."""
    tenants.get(tenant_id)
    check_confirmed(tenant_id, confirm)
    closure.close(tenant_id, runtime.caches, points=runtime.access_points)
    return get(tenant_id)


def erase(tenant_id: str, subject: str, confirm: str | None, settings: Settings) -> Erasure:
    """Erase a person; without `confirm`, the tenant's id, only say what would be erased.

    Raises NotFound, InvalidField.
    """
    tenants.get(tenant_id)
    if confirm is not None:
        check_confirmed(tenant_id, confirm)
    return erasure.erase(tenant_id, subject, settings, dry_run=confirm is None)


def check_confirmed(tenant_id: str, confirm: str) -> None:
    """Raise InvalidField unless `confirm` is the id of the tenant."""
    if confirm != tenant_id:
        message = "must be the id of the tenant"
        raise InvalidField([FieldError("/confirm", "not-confirmed", message)])
