"""The identity provider of the dashboard: OpenID Connect, authorization code with PKCE.

Authlib writes and reads the messages of OAuth; the requests go through our HTTP client, which has
deadlines and follows no redirect. The ID token is verified as session tokens are (security/jwt),
with the id of the dashboard's client as audience.

A provider that refuses the client of this service, and not the person, is as good as away: an
operator has to correct the settings, and no session ends.

Sources: OpenID Connect Core 1.0, sections 3.1 and 12; OpenID Connect Discovery 1.0, section 4;
RFC 6749, section 5.2; RFC 7636; OpenID Connect RP-Initiated Logout 1.0, section 2.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from authlib.common.encoding import to_bytes
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.base import OAuth2Error
from authlib.oauth2.client import OAuth2Client

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import IdentityProviderUnavailable, InvalidToken
from einvoice.domain.roles import Role
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice.observability import logging, metrics
from einvoice.security.jwks import RemoteKeys
from einvoice.security.jwt import Issuer, OperatorClaim, Verifier, person_in

log = logging.get(__name__)

METADATA_LASTS_SECONDS = 3600.0
_LIMITS = Limits(connect=3.0, read=5.0, total=8.0, answer_bytes=1 << 18)
_DISCOVERY = "/.well-known/openid-configuration"
_SCOPE = "openid profile email"
# Refusals of the token endpoint for any person. Keycloak calls a wrong secret
# unauthorized_client.
_FAULTS_OF_CLIENT = frozenset(
    {"invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}
)
_PASSING = frozenset({"server_error", "temporarily_unavailable", "slow_down"})


@dataclass(frozen=True, slots=True)
class Login:
    """A login that has begun: where the browser goes, and what its return is compared with."""

    url: str
    state: str
    nonce: str
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom the identity provider has authenticated.

    roles        the role in each tenant, by the tenant's id; an operator may have none
    issued_at    of the token, in Unix seconds
    is_operator  whether the provider says that the person operates this service
    """

    issuer: str
    subject: str
    email: str | None
    name: str | None
    roles: Mapping[str, Role]
    issued_at: float
    id_token: str | None = field(default=None, repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class _Metadata:
    authorization_endpoint: str
    token_endpoint: str
    end_session_endpoint: str | None


class IdentityProvider:
    """The provider of the settings. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.jwt_issuer
        self._client_id = settings.oidc_client_id
        self._secret = settings.oidc_client_secret or None
        self._tenant_claim = settings.jwt_tenant_claim
        self._operators = OperatorClaim(settings.operator_claim, settings.operator_role)
        self._https_only = settings.production
        # Private addresses are allowed: the operator chose the provider.
        self._http = Client(
            Policy(https_only=settings.production, allow_private=True), limits=_LIMITS
        )
        keys = RemoteKeys(settings.jwt_jwks_url, https_only=settings.production)
        self._verifier = Verifier(
            [Issuer(settings.jwt_issuer, settings.oidc_client_id, keys)], self._tenant_claim
        )
        self._lock = threading.Lock()
        self._found: _Metadata | None = None
        self._found_at = 0.0

    @classmethod
    def of(cls, settings: Settings) -> IdentityProvider | None:
        """The provider of the settings; None where people do not log in by OpenID Connect."""
        return cls(settings) if settings.oidc_client_id else None

    def begin(self, redirect_uri: str) -> Login:
        """A new login. Raises IdentityProviderUnavailable."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        url, _ = self._oauth(redirect_uri).create_authorization_url(
            self._metadata().authorization_endpoint,
            state=state,
            code_verifier=verifier,
            nonce=nonce,
        )
        return Login(url, state, nonce, verifier)

    def finish(self, code: str, login: Login, redirect_uri: str) -> Person:
        """The person who came back with this code.

        Raises InvalidToken (a wrong or used code, a wrong ID token) and
        IdentityProviderUnavailable.
        """
        answer = self._token(
            redirect_uri, grant_type="authorization_code", code=code, code_verifier=login.verifier
        )
        claims = self._claims(answer)
        nonce = claims.get("nonce")
        if not isinstance(nonce, str) or not hmac.compare_digest(
            nonce.encode(), login.nonce.encode()
        ):
            raise InvalidToken("The login came back for another one: log in again.")
        return self._person(claims, answer)

    def refresh(self, refresh_token: str) -> Person:
        """The person as the provider knows them now.

        Raises InvalidToken if the provider has ended their session, and
        IdentityProviderUnavailable, also where it refuses the client.
        """
        answer = self._token(None, grant_type="refresh_token", refresh_token=refresh_token)
        answer.setdefault("refresh_token", refresh_token)
        return self._person(self._claims(answer), answer)

    def fault(self) -> str | None:
        """Why nobody can log in; None if the provider answers and knows the client.

        It is asked with a code that it has not issued.
        """
        code, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        try:
            self._token(None, grant_type="authorization_code", code=code, code_verifier=verifier)
        except IdentityProviderUnavailable as fault:
            return fault.detail
        except InvalidToken:
            pass
        return None

    def logout_url(self, id_token: str | None, back: str) -> str | None:
        """Where the browser ends the session at the provider; None if it offers no such place."""
        try:
            place = self._metadata().end_session_endpoint
        except IdentityProviderUnavailable:
            return None
        if place is None:
            return None
        query = {"client_id": self._client_id, "post_logout_redirect_uri": back}
        if id_token is not None:
            query["id_token_hint"] = id_token
        return f"{place}{'&' if '?' in place else '?'}{urlencode(query)}"

    def _oauth(self, redirect_uri: str | None) -> OAuth2Client:
        return OAuth2Client(
            session=_Transport(self._http),
            client_id=self._client_id,
            client_secret=self._secret,
            scope=_SCOPE,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        )

    def _token(self, redirect_uri: str | None, **body: str) -> dict[str, Any]:
        """The answer of the token endpoint."""
        oauth, endpoint = self._oauth(redirect_uri), self._metadata().token_endpoint
        try:
            if body["grant_type"] == "refresh_token":
                answer = oauth.refresh_token(endpoint, refresh_token=body["refresh_token"])
            else:
                answer = oauth.fetch_token(endpoint, **body)
        except OAuth2Error as fault:
            raise self._refused(str(fault.error)[:100], body["grant_type"]) from fault
        except (HttpFault, ValueError, KeyError, TypeError) as fault:
            raise self._away(fault) from fault
        return dict(answer)

    def _claims(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise InvalidToken("The identity provider sent no ID token: log in again.")
        return self._verifier.verified(token)

    def _person(self, claims: Mapping[str, Any], answer: Mapping[str, Any]) -> Person:
        is_operator = self._operators.names(claims)
        found = person_in(claims, self._tenant_claim, needs_tenant=not is_operator)
        refresh = answer.get("refresh_token")
        return Person(
            issuer=self.issuer,
            subject=found.subject,
            email=found.email,
            name=found.name,
            roles=found.roles,
            issued_at=found.issued_at,
            id_token=answer["id_token"],
            refresh_token=refresh if isinstance(refresh, str) else None,
            is_operator=is_operator,
        )

    def _metadata(self) -> _Metadata:
        """The provider's addresses, fetched once an hour; the last ones while it is away."""
        with self._lock:
            fresh = clock.monotonic() - self._found_at < METADATA_LASTS_SECONDS
            if self._found is None or not fresh:
                try:
                    self._found = self._published()
                    self._found_at = clock.monotonic()
                except (HttpFault, ValueError, KeyError, TypeError) as fault:
                    if self._found is None:
                        raise self._away(fault) from fault
            return self._found

    def _published(self) -> _Metadata:
        url = self.issuer.rstrip("/") + _DISCOVERY
        answer = self._http.send("GET", url, headers={"accept": "application/json"})
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        body = json.loads(answer.body)
        if body["issuer"] != self.issuer:  # Discovery, section 4.3
            raise ValueError("metadata of another issuer")
        end = body.get("end_session_endpoint")
        return _Metadata(
            self._address(body["authorization_endpoint"]),
            self._address(body["token_endpoint"]),
            None if end is None else self._address(end),
        )

    def _address(self, url: Any) -> str:
        """An address of the metadata. Raises ValueError."""
        if not isinstance(url, str) or urlsplit(url).scheme not in self._schemes():
            raise ValueError("an address of the metadata is not https")
        return url

    def _schemes(self) -> tuple[str, ...]:
        return ("https",) if self._https_only else ("https", "http")

    def _refused(self, error: str, grant: str) -> InvalidToken | IdentityProviderUnavailable:
        """The meaning of an error of the token endpoint.

        An error that is not known refuses the person, so that no revoked one stays.
        """
        faults = set(_FAULTS_OF_CLIENT)
        if grant == "refresh_token":  # at a login it may be the code that a browser came back with
            faults.add("invalid_request")
        if error in _PASSING:
            return self._away(ValueError(error))
        if error not in faults:
            log.info("the identity provider refused a login", fault=error)
            return InvalidToken("The identity provider refused the login: log in again.")
        metrics.identity_provider_failed("client-refused")
        log.error(
            "identity provider refuses the client of the dashboard",
            fault=error,
            client=self._client_id,
        )
        return IdentityProviderUnavailable(
            "The identity provider refuses the client of this service: its operator has to correct "
            "the settings."
        )

    @staticmethod
    def _away(fault: Exception) -> IdentityProviderUnavailable:
        metrics.identity_provider_failed("unavailable")
        log.warning("identity provider does not answer", fault=f"{type(fault).__name__}: {fault}")
        return IdentityProviderUnavailable("The identity provider does not answer now.")


class _Transport:
    """The part of a session of `requests` that Authlib needs, over our client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def post(
        self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: ClientAuth
    ) -> _Answer:
        url, named, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return _Answer(self._client.send("POST", url, headers=named, body=to_bytes(body)))


class _Answer:
    """A response as Authlib reads it."""

    def __init__(self, response: Response) -> None:
        self.status_code, self._body = response.status, response.body

    def json(self) -> Any:
        """The body. Raises ValueError for a failure that is no error of OAuth, as of a gateway."""
        body = json.loads(self._body)
        if self.status_code >= 400 and not (isinstance(body, dict) and "error" in body):
            self.raise_for_status()
        return body

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise ValueError(f"status {self.status_code}")
