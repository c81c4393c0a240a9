"""Tokens of the authority's OAuth server: authorization code, refresh, revocation (RFC 7009).

A person consents in the browser with a qualified certificate. The access token lives about 90 days,
the refresh token about a year; each refresh returns a new refresh token.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits, Response, members_of
from einvoice.network.own_address import OwnAddress
from einvoice_anaf.configuration import Side

CONSENT_DAYS: Final = 365
ACCESS_DAYS: Final = 90
# Of a revocation: the server does not know the token, or ends it with the other one only.
_ENDED: Final = frozenset({"invalid_token", "invalid_grant", "unsupported_token_type"})
_FORBIDDEN: Final = 403
_ERRORS: Final = _ENDED | {
    "access_denied",
    "invalid_client",
    "invalid_request",
    "invalid_scope",
    "unauthorized_client",
    "unsupported_grant_type",
}
_LIMITS: Final = Limits(connect=3.0, read=7.0, total=7.0, answer_bytes=64 << 10)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that were issued; `consent_ends`: when the refresh token says that it ends."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    access_ends: datetime
    consent_ends: datetime | None


@dataclass(frozen=True, slots=True)
class NoTokens:
    """The server has issued no tokens. `refused`: for good, so that a person has to consent."""

    reason: str
    refused: bool


class OAuth:
    """The calls of the OAuth server."""

    def __init__(self, side: Side, own_address: OwnAddress) -> None:
        self._side, self._own_address = side, own_address
        self._http = Client(side.policy, limits=_LIMITS)

    def authorise_url(self, state: str, redirect_uri: str) -> str:
        query = {
            "response_type": "code",
            "client_id": self._side.client_id,
            "redirect_uri": redirect_uri,
            "token_content_type": "jwt",
            "state": state,
        }
        return f"{self._side.authorise_url}?{urlencode(query)}"

    def exchange(self, code: str, redirect_uri: str) -> Tokens | NoTokens:
        """Exchange the code with which the browser came back; it lives about a minute."""
        return self._tokens(
            {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}, ""
        )

    def refresh(self, token: str) -> Tokens | NoTokens:
        """Exchange a refresh token. After an answer it can no longer be used."""
        return self._tokens({"grant_type": "refresh_token", "refresh_token": token}, token)

    def revoke(self, token: str) -> str | None:
        """End a token; why it has not ended, None if it has or is unknown."""
        try:
            response = self._post(self._side.revoke_url, {"token": token})
        except HttpFault as fault:
            return f"The OAuth server of ANAF does not answer: {fault}."
        error = str(response.members().get("error") or "")[:100]
        if response.status == 200 or error in _ENDED:
            return None
        return f"The OAuth server of ANAF revoked nothing ({error or f'HTTP {response.status}'})."

    def _tokens(self, form: dict[str, str], refresh: str) -> Tokens | NoTokens:
        try:
            response = self._post(self._side.token_url, form | {"token_content_type": "jwt"})
        except HttpFault as fault:
            return NoTokens(f"The OAuth server of ANAF does not answer: {fault}.", refused=False)
        return _issued(response, refresh)

    def _post(self, url: str, form: dict[str, str]) -> Response:
        pair = f"{self._side.client_id}:{self._side.client_secret}".encode()
        headers = {
            "authorization": f"Basic {base64.b64encode(pair).decode()}",
            "content-type": "application/x-www-form-urlencoded",
        }
        self._own_address.enter()
        response = self._http.send("POST", url, headers=headers, body=urlencode(form).encode())
        if response.status == _FORBIDDEN and not _names_error(response.body):
            raise self._own_address.refused(
                "HTTP 403 of the OAuth server without an error of OAuth"
            )
        return response


def _issued(response: Response, refresh: str) -> Tokens | NoTokens:
    values = response.members()
    access = values.get("access_token")
    if response.status != 200 or not isinstance(access, str) or not access:
        error = str(values.get("error") or f"HTTP {response.status}")[:100]
        return NoTokens(
            f"The OAuth server of ANAF issued no tokens ({error}).",
            refused=error in ("invalid_grant", "invalid_request", "access_denied"),
        )
    given = values.get("refresh_token")
    new = given if isinstance(given, str) and given else refresh
    seconds = values.get("expires_in")
    lives = timedelta(seconds=seconds) if isinstance(seconds, int) else timedelta(days=ACCESS_DAYS)
    return Tokens(access, new, clock.now() + lives, _end_of(new))


def _end_of(token: str) -> datetime | None:
    """The claim `exp` of a JWT, which is not verified; None if it has none."""
    part = token.split(".")[1] if token.count(".") == 2 else ""
    try:
        claims = members_of(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        return datetime.fromtimestamp(int(claims["exp"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _names_error(body: bytes) -> bool:
    """Whether a refusal is one of OAuth, and not of a firewall before the server."""
    return str(members_of(body).get("error")) in _ERRORS
