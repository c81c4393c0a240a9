"""Principals and sessions: the tenant, environment and rights of a credential."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from einvoice.domain.environments import Environment
from einvoice.domain.operators import OWN_LOG
from einvoice.domain.roles import Role


@dataclass(frozen=True, slots=True)
class ActingPlatform:
    """The platform whose credential makes a request (decisions 21.1).

    credential_id  its key or OAuth client
    for_tenant     whether the request names one of its tenants; else it is about the platform
    get_per_minute, post_per_minute  what the platform may ask for that tenant; None: the default
    """

    id: str
    name: str
    credential_id: str
    for_tenant: bool = False
    get_per_minute: int | None = None
    post_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller with an API key or access token. Queries are limited to tenant and environment.

    The limits are set by the operator for this key; None is the default of the settings.
    `person`: who sends from a page, in this environment; their sends are in the audit log.
    """

    tenant_id: str
    environment: Environment
    scopes: frozenset[str]
    key_id: str | None = None
    allowed_ips: Sequence[str] = ()
    allowed_receivers: frozenset[str] = frozenset()
    get_per_minute: int | None = None
    post_per_minute: int | None = None
    address: str | None = None
    person: Session | None = None
    platform: ActingPlatform | None = None

    @property
    def environments(self) -> tuple[Environment, ...]:
        return (self.environment,)


@dataclass(frozen=True, slots=True)
class Session:
    """A person at the dashboard, who sees both environments of the tenant (decisions 19.6).

    A platform that acts for its tenant has one environment (decisions 21.1).
    """

    tenant_id: str
    subject: str
    email: str | None
    role: Role
    address: str | None = None
    platform: ActingPlatform | None = None
    environment: Environment | None = None

    @property
    def environments(self) -> tuple[Environment, ...]:
        return tuple(Environment) if self.environment is None else (self.environment,)


@dataclass(frozen=True, slots=True)
class Operator:
    """Who operates the service: a person at the console, a program with a key, or a command.

    name     how the audit log names it: an address, the name of a key, or a user of the machine
    subject  distinguishes it: of a person the one at the identity provider, else the id of the key
    """

    name: str
    subject: str
    scopes: frozenset[str] = frozenset()
    address: str | None = None

    @property
    def tenant_id(self) -> str:
        """Stands for the tenant where cursors are sealed for one; operators have none."""
        return OWN_LOG

    @property
    def environments(self) -> tuple[Environment, ...]:
        return tuple(Environment)


# A key reads one environment of its tenant, a person both.
Reader = Principal | Session
