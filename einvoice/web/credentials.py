"""Credentials: what a family of routes requires of a request before its view runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, wraps
from typing import Final
from urllib.parse import urlsplit

from flask import Response, g, request

from einvoice.domain.credentials import TENANTS_MANAGE, TENANTS_READ
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccountClosed,
    ApiKeyRequired,
    CredentialOwner,
    CredentialRefused,
    FieldError,
    Forbidden,
    IdentityProviderUnavailable,
    InsufficientScope,
    InvalidApiKey,
    InvalidField,
    InvalidToken,
    IpNotAllowed,
    NotFound,
    NotInPlan,
    RateLimitExceeded,
    RequestRefused,
    SessionEnded,
    TenantClosed,
    TenantRequired,
    TokenExpired,
    TokenRequired,
)
from einvoice.domain.roles import Role
from einvoice.security import api_keys, oauth
from einvoice.services.account import (
    access_tokens,
    authentication,
    failures,
    operators,
    platforms,
    sessions,
    tenants,
)
from einvoice.services.principal import Principal, Reader, Session
from einvoice.web import limits, roles
from einvoice.web.admission import slots
from einvoice.web.requests import client_network
from einvoice.web.runtime import runtime
from einvoice.web.security_requirements import Credential as Credential
from einvoice.web.security_requirements import security_requirement

X_TENANT: Final = "X-Tenant"
# Families about platforms themselves, which take no X-Tenant.
PLATFORM_FAMILIES = frozenset(
    {
        "platform_events",
        "platform_identifications",
        "platform_participants",
        "platform_tenants",
        "platform_usage",
        "platform_webhooks",
    }
)
# Families for people and platforms whose objects are each of one environment.
OF_ENVIRONMENTS = frozenset(
    {"keys", "oauth_clients", "participants", "connections", "mail_addresses"}
)

# Refusals of every wrong API key and access token.
_OF_PROGRAMS = (
    InvalidApiKey,
    InvalidToken,
    TokenExpired,
    SessionEnded,
    InsufficientScope,
    IpNotAllowed,
    RateLimitExceeded,
    NotFound,  # the tenant that X-Tenant names
)


def _failures_noted(enter: Callable[[], None]) -> Callable[[], None]:
    """Record refused credentials, and refuse more of one network than its limit by 429."""

    @wraps(enter)
    def _enter() -> None:
        try:
            enter()
        except CredentialRefused as refusal:
            note_failure(refusal.slug, refusal.owner)
            limits.count_failure()
            raise

    return _enter


def note_failure(reason: str, owner: CredentialOwner | None) -> None:
    """Record that a credential of this request was refused."""
    failures.note(reason, request.remote_addr, client_network(), owner, runtime().caches)


@security_requirement(ApiKeyRequired, *_OF_PROGRAMS, schemes=["apiKey", "bearer"])
@_failures_noted
def api_key() -> None:
    """An API key as `x-api-key`, or the same as for `bearer` (decisions 20.4).

    Sets the principal of the request and counts it against its budget. Without a credential,
    `x-api-key` is the header that is missing; where both are sent, it is the one that counts.
    """
    given, token = _key_header(), _bearer_token()
    if given is not None or token is None:
        _enter_by_key(given or "")
    else:
        _enter_by_bearer(token)


@security_requirement(TokenRequired, *_OF_PROGRAMS, schemes=["bearer", "apiKey"])
@_failures_noted
def bearer() -> None:
    """`Authorization: Bearer` with an API key or an access token, or an API key as `x-api-key`.

    Like `api_key`, but `Authorization` is the header that is missing, or that counts where both
    are sent (decisions 19.11, 20.4).
    """
    given, token = _key_header(), _bearer_token()
    if token is not None:
        _enter_by_bearer(token)
    elif given is not None:
        _enter_by_key(given)
    else:
        raise TokenRequired("Send an API key or an access token as `Authorization: Bearer …`.")


def challenge(response: Response) -> Response:
    """Add the challenge to a refusal of a program, as HTTP requires for 401, with the address of
    the metadata that describes how to get a token (RFC 9728, section 5.1).

    An error is named only where a Bearer credential was sent (RFC 6750, section 3.1).
    """
    if response.status_code not in (401, 403) or "session" in g:
        return response
    said = response.headers.get("WWW-Authenticate") or _missing(response)
    if said:
        comma = "," if " " in said else ""
        where = f"{issuer()}/.well-known/oauth-protected-resource"
        response.headers["WWW-Authenticate"] = f'{said}{comma} resource_metadata="{where}"'
    return response


def _missing(response: Response) -> str | None:
    """The challenge of a refusal that has none of its own."""
    if _bearer_token() is None:
        return "Bearer" if response.status_code == 401 else None
    return {401: 'Bearer error="invalid_token"', 403: 'Bearer error="insufficient_scope"'}.get(
        response.status_code
    )


def issuer() -> str:
    """The base URL of the requested host, under which access tokens are issued."""
    settings = runtime().settings
    environment = Environment.LIVE if is_host_of(Environment.LIVE) else Environment.TEST
    return oauth.issuers(settings)[environment]


@security_requirement(
    TokenRequired,
    InvalidToken,
    TokenExpired,
    SessionEnded,
    AccountClosed,
    Forbidden,
    NotInPlan,
    RateLimitExceeded,
    IdentityProviderUnavailable,
    schemes=["session"],
)
@_failures_noted
def session() -> None:
    """Header `Authorization: Bearer <JWT>`: a person at the dashboard, whose role is enough."""
    token = _bearer_token()
    if token is None:
        raise TokenRequired(
            "Send a session token in the Authorization header; API keys are not accepted here."
        )
    if token.startswith(api_keys.PREFIXES):
        raise InvalidToken("This is an API key: here only people who logged in are answered.")
    with slots.released():  # the identity provider may have to be asked
        session = sessions.from_token(token, runtime(), request.remote_addr)
    g.session = session
    limits.count_person()
    least = roles.LEAST[request.endpoint or ""]
    if session.role < least:
        raise Forbidden(f"This needs the role {least}; yours is {session.role}.", least)
    check_changing(session.tenant_id)


@security_requirement(
    ApiKeyRequired,
    *_OF_PROGRAMS,
    AccountClosed,
    Forbidden,
    NotInPlan,
    IdentityProviderUnavailable,
    schemes=["apiKey", "bearer", "session"],
)
def key_or_session() -> None:
    """A program as for `api_key`, or else a person at the dashboard; `reader()` returns which."""
    token = _bearer_token()
    if _key_header() is None and token is not None and not _is_of_program(token):
        session()
    else:
        api_key()
        g.principal = replace(g.principal, address=request.remote_addr)


@security_requirement(
    ApiKeyRequired,
    *_OF_PROGRAMS,
    TenantClosed,
    schemes=["platform"],
)
@_failures_noted
def platform() -> None:
    """A key or access token of a platform, for what is about the platform itself."""
    _enter_as_program()
    if g.principal.platform is None:
        raise InvalidApiKey("This needs the key of a platform: pk_test_… or pk_live_….")


@security_requirement(
    ApiKeyRequired, InvalidApiKey, InsufficientScope, RateLimitExceeded, schemes=["operator"]
)
@_failures_noted
def operator() -> None:
    """The key of an operator, as `x-api-key` or as Bearer. No tenant's credential is one."""
    given = _key_header() or _bearer_token()
    if given is None:
        raise ApiKeyRequired("Send the key of an operator in the x-api-key header.")
    g.operator = operators.recognise(given, request.remote_addr)
    limits.count_operator()


@security_requirement(
    TokenRequired,
    *_OF_PROGRAMS,
    AccountClosed,
    Forbidden,
    NotInPlan,
    IdentityProviderUnavailable,
    TenantRequired,
    schemes=["session", "platform"],
)
def session_or_platform() -> None:
    """A person as for `session`, or a platform for the tenant that X-Tenant names."""
    given, token = _key_header(), _bearer_token()
    if token is None:
        is_platform = given is not None and api_keys.is_of_platform(given)
    else:
        is_platform = api_keys.is_of_platform(token) or oauth.is_access_token(token)
    if is_platform:
        _enter_as_platform()
    else:
        session()


@_failures_noted
def _enter_as_platform() -> None:
    """Enter as an administrator of the tenant, in the environment of the credential."""
    _enter_as_program()
    principal: Principal = g.pop("principal")
    if principal.platform is None:
        raise InvalidToken("This is an access token of a tenant: only people are answered here.")
    scopes = {TENANTS_MANAGE, TENANTS_READ} if limits.is_reading() else {TENANTS_MANAGE}
    if not scopes & principal.scopes:
        raise InsufficientScope(f"This needs the scope {' or '.join(sorted(scopes))}.")
    least = roles.LEAST[request.endpoint or ""]
    if least > Role.ADMIN:
        raise Forbidden(f"This needs the role {least}; a platform has admin.", least)
    of_both = request.blueprint not in OF_ENVIRONMENTS and not limits.is_reading()
    if of_both or request.blueprint == "audit":
        platforms.check_may_change(principal, runtime().caches)
    g.session = Session(
        tenant_id=principal.tenant_id,
        subject=principal.platform.id,
        email=None,
        role=Role.ADMIN,
        address=request.remote_addr,
        platform=principal.platform,
        environment=principal.environment,
    )


def _enter_as_program() -> None:
    given, token = _key_header(), _bearer_token()
    if given is not None or token is None:
        _enter_by_key(given or "")
    else:
        _enter_by_bearer(token)
    g.principal = replace(g.principal, address=request.remote_addr)


def chosen_environment(asked: str | None) -> Environment | None:
    """The environment that a request of people names; None: both.

    A platform has that of its credential. Raises InvalidField for the other one.
    """
    own = session_of_request().environment
    if own is None:
        return None if asked is None else Environment(asked)
    if asked not in (None, own):
        message = f"this is a {own} credential: it has nothing to do with the other environment"
        raise InvalidField([FieldError("/environment", "other-environment", message)])
    return own


def check_environment(environment: str, refusal: str) -> None:
    """Raise NotFound, with this text, for an object of an environment the caller does not see."""
    if environment not in session_of_request().environments:
        raise NotFound(refusal)


def _is_of_program(token: str) -> bool:
    """Whether the Bearer credential is meant to be an API key or an access token."""
    return token.startswith(api_keys.PREFIXES) or oauth.is_access_token(token)


def reader() -> Reader:
    """The caller, on routes for keys and people."""
    found: Reader = g.session if "session" in g else g.principal
    return found


def session_of_request() -> Session:
    """The person who makes the request."""
    found: Session = g.session
    return found


def _key_header() -> str | None:
    """The header `x-api-key`; None if it is missing or blank."""
    key = request.headers.get("x-api-key")
    return key if key and key.strip() else None


def _bearer_token() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


# What a request to no route is not told: that it has no route is.
_UNROUTED = (InvalidApiKey, ApiKeyRequired, IpNotAllowed, TenantRequired, TenantClosed, NotFound)


def count_unrouted_request() -> None:
    """Count a request with a known key, and state its budget, even if no route matches."""
    if request.url_rule is None and _key_header() is not None:
        with suppress(*_UNROUTED):
            api_key()


@security_requirement()
def public() -> None:
    """No credential: the route is open, on purpose."""


def principal() -> Principal:
    """The principal of the request."""
    found: Principal = g.principal
    return found


def require(scope: str) -> None:
    """Raise InsufficientScope unless the key has the scope. Persons have roles instead."""
    if "session" not in g and scope not in principal().scopes:
        raise InsufficientScope(f"This needs the scope {scope}, which the API key lacks.")


def require_one(*scopes: str) -> None:
    """Raise InsufficientScope unless the key has one of the scopes."""
    if not principal().scopes & set(scopes):
        raise InsufficientScope(
            f"This needs the scope {' or '.join(scopes)}, which the API key lacks."
        )


def recognised() -> Principal | None:
    """The principal of the request's API key, not yet admitted. Raises RequestRefused.

    None for an access token. The result is kept for `api_key`.
    """
    given, token = _key_header(), _bearer_token()
    if given is None and token is not None and not token.startswith(api_keys.PREFIXES):
        return None
    key = given or token or ""
    principal = _recognised(key)
    g.recognised = key, principal
    return _for_tenant(principal)


def _recognised(key: str) -> Principal:
    principal = authentication.recognise(key, runtime().caches)
    _check_host(principal)
    return principal


def _enter_by_key(key: str) -> None:
    caches = runtime().caches
    recognised_before: tuple[str, Principal] | None = g.pop("recognised", None)
    if recognised_before is not None and recognised_before[0] == key:
        principal = recognised_before[1]
    else:
        principal = _recognised(key)
    asking = _counted_for_tenant(principal)
    hit = limits.count(asking)
    if hit is not None:
        now = authentication.as_of(key, hit.stamp, caches)
        asking = asking if now is principal else _for_tenant(now)
    limits.enforce(asking, hit)
    authentication.admit(asking, request.remote_addr, caches)
    check_changing(asking.tenant_id)
    g.principal = asking


def _enter_by_bearer(token: str) -> None:
    """A text with the prefix of a key is a key, with the same budget, scopes and addresses."""
    if token.startswith(api_keys.PREFIXES):
        _enter_by_key(token)
    else:
        _enter_by_token(token)


def _enter_by_token(token: str) -> None:
    parts = runtime()
    principal = access_tokens.principal_of(token, parts.settings, parts.caches)
    _check_host(principal, InvalidToken)
    asking = _counted_for_tenant(principal)
    limits.enforce(asking, limits.count(asking))
    authentication.check_address(asking, request.remote_addr)
    check_changing(asking.tenant_id)
    g.principal = asking


def check_changing(tenant_id: str) -> None:
    """Raise TenantMoving for a request that may change something, while its tenant moves."""
    if not limits.is_reading():
        tenants.check_changing(tenants.get(tenant_id, runtime().caches))


def _counted_for_tenant(principal: Principal) -> Principal:
    """`_for_tenant`; a refusal counts against the budget of the platform."""
    try:
        return _for_tenant(principal)
    except RequestRefused:
        limits.enforce(principal, limits.count(principal))
        raise


def _for_tenant(principal: Principal) -> Principal:
    """The principal for the tenant that X-Tenant names (decisions 21.1).

    Raises NotFound, TenantClosed, and TenantRequired for a platform that names none, on routes that
    are not the platform's own.
    """
    name = request.headers.get(X_TENANT, "").strip()
    if principal.platform is None:
        if name and name != principal.tenant_id:
            raise NotFound(f"{X_TENANT} names another tenant than the one of the key.")
        return principal
    own = request.blueprint in PLATFORM_FAMILIES
    if not name:
        if own:
            return principal
        raise TenantRequired(
            f"Send the header {X_TENANT} with the id or externalId of one of your tenants."
        )
    if own:
        message = f"is not taken here: {request.path} is about the platform"
        raise InvalidField([FieldError(f"/{X_TENANT}", "contradicts", message)])
    return platforms.for_tenant(principal, principal.platform, name, runtime().caches)


def _check_host(principal: Principal, refusal: type[RequestRefused] = InvalidApiKey) -> None:
    """Raise the refusal for a key on the host of the other environment (decisions 19.6)."""
    if not is_host_of(principal.environment):
        raise refusal(
            f"This is for the {principal.environment} environment: use it on the other host."
        )


def is_host_of(environment: Environment) -> bool:
    """Whether the environment is served on the host of the request."""
    settings = runtime().settings
    sandbox, production = host_of(settings.sandbox_base_url), host_of(settings.base_url)
    if sandbox in ("", production):
        return True
    wrong = sandbox if environment is Environment.LIVE else production
    return host_of(f"//{request.host}") != wrong


@lru_cache(maxsize=100)
def host_of(url: str) -> str:
    """Host and port of a URL, in one spelling: without a default port and the root's dot.

    >>> host_of("https://API.example.com.:443/")
    'api.example.com'
    >>> host_of("//[::1]:8000")
    '::1:8000'
    """
    parts = urlsplit(url)
    name = (parts.hostname or "").rstrip(".")
    try:
        port = parts.port
    except ValueError:  # not a number, or out of range
        return parts.netloc.lower()
    return name if port in (None, 80, 443) else f"{name}:{port}"
