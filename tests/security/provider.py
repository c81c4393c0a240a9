"""An identity provider on loopback, with its own keys and a count of requests for them."""

from __future__ import annotations

import json
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

from einvoice import clock
from tests.loopback import Server

ISSUER, AUDIENCE = "https://login.example", "einvoice"
ALGORITHMS = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}


class Provider:
    """`token(**changes)` signs valid claims with changes; None removes a claim."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {"rsa": RSAKey.generate_key(2048, {"kid": "rsa"})}
        self.down = False
        self.server = Server(self._answer)

    @property
    def url(self) -> str:
        return self.server.url()

    @property
    def visits(self) -> int:
        return len(self.server.heads)

    def add(self, kid: str, kind: str = "EC") -> None:
        make = {"EC": (ECKey, "P-256"), "OKP": (OKPKey, "Ed25519"), "RSA": (RSAKey, 2048)}[kind]
        self.keys[kid] = make[0].generate_key(make[1], {"kid": kid})

    def published(self) -> bytes:
        keys = [key.as_dict(private=False) for key in self.keys.values()]
        return json.dumps({"keys": keys}).encode()

    def _answer(self, connection: Any) -> None:
        status = "503 Away" if self.down else "200 OK"
        body = b"" if self.down else self.published()
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode() + body)

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(clock.now().timestamp())
        good = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 3600,
            "tenant_id": "t1", "role": "admin", "email": "ann@example.com",
        }  # fmt: skip
        return {name: value for name, value in (good | changes).items() if value is not None}

    def token(self, kid: str = "rsa", header: dict[str, Any] | None = None, **changes: Any) -> str:
        key = self.keys[kid]
        alg = {"EdDSA": "Ed25519"}.get(ALGORITHMS[key.key_type], ALGORITHMS[key.key_type])
        given = {"alg": alg, "kid": kid} | (header or {})
        return jwt.encode(given, self.claims(**changes), key, algorithms=[alg])
