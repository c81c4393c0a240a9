"""An OpenID provider on loopback: discovery, authorization, token endpoint, keys and logout.

It asks nobody for a password: who logs in is set by the test. It refuses what OpenID Connect says
it must: a code used twice, a wrong verifier, client, secret or redirect address.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, request
from joserfc import jwt
from joserfc.jwk import ECKey
from werkzeug.serving import make_server

from einvoice import clock

CLIENT, SECRET = "dashboard", "client-secret"


@dataclass
class Provider:
    """What the provider knows. `claims` are those of the person who logs in.

    refreshes  whether it gives refresh tokens
    refusal    status and body with which the token endpoint answers whatever it is asked
    """

    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "one"}))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refresh_tokens: set[str] = field(default_factory=set)
    refreshes: bool = True
    away: bool = False
    refusal: tuple[int, str] | None = None
    nonce: str | None = None
    refreshed: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "jwt_issuer": self.url,
            "jwt_audience": "einvoice-api",
            "jwt_jwks_url": f"{self.url}/keys",
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
        }

    def id_token(self, nonce: str | None, **changes: Any) -> str:
        now = int(clock.now().timestamp())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 600} | self.claims
        if nonce is not None:
            claims["nonce"] = nonce
        return jwt.encode({"alg": "ES256", "kid": "one"}, claims | changes, self.key)


def _app(provider: Provider) -> Flask:
    app = Flask("provider")

    @app.before_request
    def _be_away() -> Response | None:
        return Response(status=503) if provider.away else None

    @app.get("/.well-known/openid-configuration")
    def discovery() -> Response:
        return jsonify(
            issuer=provider.url,
            authorization_endpoint=f"{provider.url}/authorize",
            token_endpoint=f"{provider.url}/token",
            end_session_endpoint=f"{provider.url}/end",
            jwks_uri=f"{provider.url}/keys",
        )

    @app.get("/keys")
    def keys() -> Response:
        return jsonify(keys=[provider.key.as_dict(private=False)])

    @app.get("/authorize")
    def authorize() -> Response:
        given = request.args
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        assert given["client_id"] == CLIENT
        assert "openid" in given["scope"].split()
        code = secrets.token_urlsafe(16)
        provider.codes[code] = given.to_dict()
        answer = urlencode({"code": code, "state": given["state"]})
        return Response(status=302, headers={"Location": f"{given['redirect_uri']}?{answer}"})

    @app.post("/token")
    def token() -> Any:
        if provider.refusal is not None:
            status, body = provider.refusal
            return Response(body, status, mimetype="application/json")
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {basic}":
            return jsonify(error="invalid_client"), 401
        if request.form["grant_type"] == "refresh_token":
            if request.form["refresh_token"] not in provider.refresh_tokens:
                return jsonify(error="invalid_grant"), 400
            provider.refreshed += 1
            return _granted(None)
        begun = provider.codes.pop(request.form["code"], None)
        verifier = hashlib.sha256(request.form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        if (
            begun is None
            or begun["code_challenge"] != challenge
            or begun["redirect_uri"] != request.form["redirect_uri"]
        ):
            return jsonify(error="invalid_grant"), 400
        return _granted(provider.nonce or begun["nonce"])

    def _granted(nonce: str | None) -> Response:
        refresh = secrets.token_urlsafe(16)
        provider.refresh_tokens = {refresh}
        return jsonify(
            access_token="opaque",
            token_type="Bearer",
            expires_in=300,
            id_token=provider.id_token(nonce),
            **({"refresh_token": refresh} if provider.refreshes else {}),
        )

    return app


@contextmanager
def running() -> Iterator[Provider]:
    """The provider, listening."""
    provider = Provider()
    server = make_server("127.0.0.1", 0, _app(provider), threaded=True)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
