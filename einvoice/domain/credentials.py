"""API keys and OAuth clients: what both are, and what distinguishes them (decisions 9 and 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

# Of each kind, per tenant and environment (decisions 20.10).
MAX_ACTIVE = 100
# A list holds all active ones, and of those that ended the newest: so many per environment.
MAX_ENDED_LISTED = 100

TENANTS_MANAGE, TENANTS_READ, USAGE_READ = "tenants:manage", "tenants:read", "usage:read"
# What a credential of a platform may have beside the scopes of a key.
PLATFORM_SCOPES = (TENANTS_MANAGE, TENANTS_READ, USAGE_READ)


@dataclass(frozen=True, slots=True)
class Credential:
    """The metadata of an API key or OAuth client. The secret is never stored."""

    id: str
    tenant_id: str
    environment: str
    name: str
    last4: str
    scopes: Sequence[str]
    allowed_ips: Sequence[str]
    allowed_receivers: Sequence[str]
    get_per_minute: int | None
    post_per_minute: int | None
    created_by: str | None
    created_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    last_used_ip: str | None

    @property
    def ends_at(self) -> datetime | None:
        """When it expires, if it does."""
        return None

    def is_active(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.ends_at is None or self.ends_at > now)


@dataclass(frozen=True, slots=True)
class ApiKey(Credential):
    """A key that requests carry; it is its own secret. `prefix` is how lists show it."""

    prefix: str
    expires_at: datetime | None

    @property
    def ends_at(self) -> datetime | None:
        return self.expires_at


@dataclass(frozen=True, slots=True)
class OAuthClient(Credential):
    """A client of the client credentials grant. `old_until`: end of the grace after a rotation."""

    old_until: datetime | None


@dataclass(frozen=True, eq=False)
class CredentialKind:
    """The differences between API keys and OAuth clients; both are administered from it."""

    name: str  # in texts
    audit_name: str  # in actions of the audit log: key.created
    credential: type[Credential]
    expires: bool  # whether one may be made for a limited time
    successor: bool  # rotation makes another credential; else the same one gets another secret
    # Whether running services are notified of a change; else they notice within a second.
    notifies: bool
    # Whether it is of a platform, and acts for the tenants of it (decisions 21.1).
    of_platform: bool = False

    def __str__(self) -> str:
        return self.name


API_KEY = CredentialKind(
    name="key",
    audit_name="key",
    credential=ApiKey,
    expires=True,
    successor=True,
    notifies=True,
)
OAUTH_CLIENT = CredentialKind(
    name="OAuth client",
    audit_name="oauthClient",
    credential=OAuthClient,
    expires=False,
    successor=False,
    notifies=False,
)
PLATFORM_KEY = replace(API_KEY, name="platform key", of_platform=True)
PLATFORM_CLIENT = replace(OAUTH_CLIENT, name="platform OAuth client", of_platform=True)
